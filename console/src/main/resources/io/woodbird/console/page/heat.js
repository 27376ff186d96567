// How full each part of a file is, or which of its pages are whole.

import { el, responsive, svg } from './dom.js';
import { FROZEN, REMOVING } from './file-kinds.js';
import { count, decimal, gap, t } from './text.js';

const PAGES_ONLY = [...REMOVING, 'window'];

// Why there is no picture of how full it is.
function pagesOnly(kind) {
  if (FROZEN.includes(kind)) return t('heat.pagesOnly');
  return t('heat.only.' + (PAGES_ONLY.includes(kind) ? kind : 'other'));
}

export function heatMap(heat, kind) {
  const plot = el('div', { class: 'plot' });
  const columns = (width) => Math.min(heat.tiles, width < 520 ? 32 : 64);
  responsive(plot, (width) => plot.replaceChildren(tiles(heat, width, columns(width))));
  const text = heat.fill
    ? t('heat.numbers', {
        min: percent(heat.min),
        median: percent(heat.median),
        max: percent(heat.max),
        low: percent(heat.expectedLow),
        high: percent(heat.expectedHigh),
      })
    : pagesOnly(kind);
  const verdict = heat.damagedPages
    ? 'damaged'
    : heat.fill
      ? heat.verdict
      : heat.pagesChecked
        ? 'pagesGood'
        : 'few';
  return el(
    'figure',
    { class: 'card chart heat-map' },
    el(
      'figcaption',
      {},
      el('strong', {}, t(heat.fill ? 'heat.title' : 'heat.pages')),
      el(
        'span',
        { class: 'note' },
        t('heat.note', {
          tiles: count(heat.tiles),
          blocks: decimal(heat.blocksPerTile, heat.blocksPerTile < 10 ? 1 : 0),
        }),
      ),
    ),
    plot,
    el('p', {}, text),
    el(
      'p',
      { class: 'heat-verdict ' + verdict, id: 'heat-verdict', 'data-verdict': verdict },
      el(
        'span',
        { class: 'mark', 'aria-hidden': 'true' },
        verdict === 'even' || verdict === 'pagesGood' ? '✓' : verdict === 'few' ? '·' : '!',
      ),
      ' ',
      t('heat.' + verdict, { pages: count(heat.damagedPages), all: count(heat.pages) }),
      heat.sampled ? gap() + t('heat.sampled') : '',
    ),
  );
}

function tiles(heat, width, columns) {
  const rows = Math.ceil(heat.tiles / columns);
  const size = Math.min(22, width / columns);
  const node = svg('svg', {
    viewBox: `0 0 ${columns * size} ${rows * size}`,
    width: columns * size,
    height: rows * size,
    role: 'img',
    'aria-label': t(heat.fill ? 'heat.title' : 'heat.pages'),
    class: 'tiles',
  });
  const damaged = new Set(heat.damagedTiles);
  const span = heat.fill ? Math.max(1e-9, heat.expectedHigh - heat.expectedLow) : 1;
  for (let i = 0; i < heat.tiles; i++) {
    const x = (i % columns) * size;
    const y = Math.floor(i / columns) * size;
    let cls = 'page-good';
    if (heat.fill) {
      // Nine steps over the range that a good hash keeps; what is outside of it stands out.
      const part = (heat.fill[i] - heat.expectedLow) / span;
      cls = part < 0 ? 'low' : part > 1 ? 'high' : 's' + Math.min(8, Math.floor(part * 9));
    }
    node.append(
      svg('rect', {
        x: x + 0.3,
        y: y + 0.3,
        width: size - 0.6,
        height: size - 0.6,
        class: 'tile ' + (damaged.has(i) ? 'torn' : cls),
      }),
    );
    if (damaged.has(i)) {
      node.append(
        svg('path', {
          d: `M${x + 1} ${y + 1}l${size - 2} ${size - 2}m0 ${2 - size}l${2 - size} ${size - 2}`,
          class: 'cross',
        }),
      );
    }
  }
  return node;
}

const percent = (value) => decimal(100 * value, 1) + '\u00a0%';
