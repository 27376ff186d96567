// The lesson about toy hash functions: the same names under each of them, drawer by drawer.

import { el, responsive, svg, whenNear } from './dom.js';
import { chance, t } from './text.js';
import { SCHEMES } from './toys.js';
import { formula } from './cabinet.js';

const DRAWERS = 64;
const NAMES = 400;
// Sized as a real filter: 4,096 drawers for 400 names, 6 marbles each.
const REAL = { m: 4096, k: 6, strangers: 2000 };

const letter = (i) => String.fromCharCode(65 + (i % 26));

// The three-letter codes in a mixed order: 7919 and 26 * 26 * 26 have no common factor.
function code(i) {
  const mixed = (i * 7919) % 17576;
  return letter(Math.floor(mixed / 676)) + letter(Math.floor(mixed / 26)) + letter(mixed);
}

// Kinds of names, each a function from a number; different numbers are different names.
const KINDS = {
  twice: (i) => code(i + 1) + code(i + 1),
  blocks: (i) => Array.from({ length: 12 }, (_, bit) => ((i >> bit) & 1 ? 'BB' : 'Aa')).join(''),
  codes: (i) => code(i + 1),
  numbers: (i) => String(1000 + ((i * 4421) % 9000)),
  urls: (i) => 'https://example.org/item/' + i * 7,
};

function marblesPerDrawer(scheme, kind) {
  const drawers = new Array(DRAWERS).fill(0);
  for (let i = 0; i < NAMES; i++) {
    for (const drawer of SCHEMES[scheme](KINDS[kind](i), DRAWERS, 3, 7)) drawers[drawer]++;
  }
  return drawers;
}

function wrongRate(scheme, kind) {
  const full = new Uint8Array(REAL.m);
  for (let i = 0; i < NAMES; i++) {
    for (const drawer of SCHEMES[scheme](KINDS[kind](i), REAL.m, REAL.k, 7)) full[drawer] = 1;
  }
  let wrong = 0;
  for (let i = NAMES; i < NAMES + REAL.strangers; i++) {
    if (SCHEMES[scheme](KINDS[kind](i), REAL.m, REAL.k, 7).every((drawer) => full[drawer])) wrong++;
  }
  return wrong / REAL.strangers;
}

function picture(width, drawers, title) {
  const height = 84;
  const mean = (NAMES * 3) / DRAWERS;
  const most = Math.max(3 * mean, ...drawers);
  const step = width / DRAWERS;
  const node = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'aria-label': title,
  });
  drawers.forEach((marbles, i) => {
    const tall = (marbles / most) * (height - 4);
    const far = Math.abs(marbles - mean) > 4 * Math.sqrt(mean);
    node.append(
      svg('rect', {
        x: i * step + 0.5,
        y: height - tall,
        width: Math.max(1, step - 1),
        height: tall,
        class: far ? 'tall' : 'even',
      }),
    );
  });
  const y = height - (mean / most) * (height - 4);
  node.append(svg('line', { x1: 0, x2: width, y1: y, y2: y, class: 'limit' }));
  return node;
}

export function toyBoard() {
  let kind = 'twice';
  const board = el('div', { class: 'toy-grid' });
  const chooser = el(
    'select',
    { id: 'toy-kind' },
    Object.keys(KINDS).map((name) =>
      el('option', { value: name }, t('toys.' + name) + ' (' + KINDS[name](0).slice(0, 8) + '…)'),
    ),
  );
  const draw = () => {
    board.replaceChildren(
      ...Object.keys(SCHEMES).map((scheme) => {
        const drawers = marblesPerDrawer(scheme, kind);
        const empty = drawers.filter((marbles) => marbles === 0).length;
        const text = t('toys.result', {
          least: Math.min(...drawers),
          most: Math.max(...drawers),
          empty,
          rate: chance(wrongRate(scheme, kind)),
        });
        const plot = el('div', { class: 'plot' });
        const title = t('scheme.' + scheme) + ': ' + text;
        responsive(plot, (width) => plot.replaceChildren(picture(width, drawers, title)));
        return el(
          'div',
          { class: 'toy', 'data-scheme': scheme },
          el('h3', {}, t('scheme.' + scheme)),
          plot,
          el('p', {}, text),
        );
      }),
    );
  };
  chooser.addEventListener('change', () => {
    kind = chooser.value;
    draw();
  });
  whenNear(board, draw); // It takes a tenth of a second.
  return [
    el('h2', {}, t('toys.title')),
    el('p', {}, t('toys.lead', { rate: chance(formula(REAL.m, REAL.k, NAMES)) })),
    el('label', { class: 'field inline' }, el('span', {}, t('toys.kind')), chooser),
    board,
  ];
}
