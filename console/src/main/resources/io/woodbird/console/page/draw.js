// The cabinet and the bird, as SVG. Colours are classes; their values are in page.css.

import { calm, svg } from './dom.js';
import { OldMan } from './old-man.js';
import { knock } from './sound.js';
import { t } from './text.js';

export const MARBLES = 8;

const BIRD = {
  tail: 'M20 60 L0 49 L5 70 Z',
  body:
    'M15 65 C15 40 43 29 65 34 C71 21 92 20 98 34 C102 44 97 52 90 57 C85 79 61 90 43 86 ' +
    'C26 84 15 78 15 65 Z',
  wing: 'M33 60 C43 46 65 47 72 57 C64 75 44 77 33 60 Z',
  grain: 'M41 60 C49 54 58 54 64 58 M45 66 C51 63 57 63 61 64',
  crest: 'M78 25 C76 17 80 12 86 10 C84 15 88 18 89 24 Z',
  upper: 'M98 34 L117 39 L98 42 Z',
  lower: 'M98 42 L113 41 L96 48 Z',
};

export function bird() {
  return svg(
    'g',
    { class: 'bird' },
    svg('path', { d: BIRD.tail, class: 'feather' }),
    svg('path', { d: 'M47 85 L45 97 M58 85 L58 97', class: 'leg' }),
    svg('path', { d: BIRD.crest, class: 'feather' }),
    svg('path', { d: BIRD.body, class: 'body' }),
    svg('path', { d: BIRD.wing, class: 'feather' }),
    svg('path', { d: BIRD.grain, class: 'grain' }),
    svg('path', { d: BIRD.lower, class: 'beak lower' }),
    svg('path', { d: BIRD.upper, class: 'beak' }),
    svg('circle', { cx: 86, cy: 36, r: 4.2, class: 'eye-white' }),
    svg('circle', { cx: 87, cy: 36, r: 2.2, class: 'eye' }),
  );
}

// The little house on top of the cabinet. The class "out" lets the bird out.
export function house() {
  return svg(
    'svg',
    { viewBox: '0 0 190 140', class: 'house', 'aria-hidden': 'true' },
    svg('path', { d: 'M8 62 L95 6 L182 62 Z', class: 'roof' }),
    svg('path', { d: 'M22 62 H168 V140 H22 Z', class: 'wall' }),
    svg('path', { d: 'M8 62 L95 6 L182 62', class: 'eaves' }),
    svg('path', { d: 'M52 140 V92 A43 40 0 0 1 138 92 V140 Z', class: 'hole' }),
    svg(
      'g',
      { class: 'door left' },
      svg('path', { d: 'M52 140 V92 A43 40 0 0 1 95 52 V140 Z' }),
      svg('circle', { cx: 88, cy: 104, r: 3, class: 'knob' }),
    ),
    svg(
      'g',
      { class: 'door right' },
      svg('path', { d: 'M138 140 V92 A43 40 0 0 0 95 52 V140 Z' }),
      svg('circle', { cx: 102, cy: 104, r: 3, class: 'knob' }),
    ),
    svg('g', { class: 'perch-bird' }, bird()),
    svg(
      'g',
      { class: 'notes' },
      svg('path', { d: 'M150 46 v-18 l12 -4 v18', class: 'note-stem' }),
      svg('ellipse', { cx: 146.5, cy: 47, rx: 4.5, ry: 3.4, class: 'note' }),
      svg('ellipse', { cx: 158.5, cy: 43, rx: 4.5, ry: 3.4, class: 'note' }),
    ),
  );
}

// How many drawers stand side by side.
export function columns(m, width, large) {
  if (large && m <= 48) return m % 8 === 0 ? 8 : 6;
  if (width < 520) return m <= 64 ? 8 : 16;
  if (m > 128) return 32;
  return m % 16 === 0 ? 16 : 12;
}

export class CabinetPicture {
  constructor(node, { onSelect }) {
    this.node = node;
    this.onSelect = onSelect;
    this.cells = [];
    this.focused = 0;
    this.man = new OldMan();
  }

  // Draws all drawers anew, for a width in pixels.
  draw(cabinet, width) {
    const large = Boolean(document.documentElement.dataset.class);
    const cols = columns(cabinet.m, width, large);
    const rows = Math.ceil(cabinet.m / cols);
    const frame = width < 520 ? 8 : 14;
    const cell = (width - 2 * frame) / cols;
    const height = Math.max(26, Math.min(large ? 64 : 46, cell * 0.92));
    const small = cell < 30;
    Object.assign(this, { cabinet, width, cols, rows, frame, cell, height, small });
    const picture = svg('svg', {
      viewBox: `0 0 ${width} ${2 * frame + rows * height + 10}`,
      width,
      height: 2 * frame + rows * height + 10,
      class: 'cabinet',
      role: 'grid',
      'aria-label': t('play.cabinet'),
      'aria-rowcount': rows,
      'aria-colcount': cols,
    });
    picture.append(
      svg('rect', {
        x: 0.5,
        y: 0.5,
        width: width - 1,
        height: 2 * frame + rows * height - 1,
        rx: 8,
        class: 'case',
      }),
      svg('rect', {
        x: 18,
        y: 2 * frame + rows * height - 1,
        width: 34,
        height: 11,
        rx: 3,
        class: 'foot',
      }),
      svg('rect', {
        x: width - 52,
        y: 2 * frame + rows * height - 1,
        width: 34,
        height: 11,
        rx: 3,
        class: 'foot',
      }),
    );
    this.cells = [];
    for (let row = 0; row < rows; row++) {
      const line = svg('g', { role: 'row' });
      for (let column = 0; column < cols; column++) {
        const index = row * cols + column;
        if (index < cabinet.m) line.append(this.drawer(index, row, column));
      }
      picture.append(line);
    }
    this.rolling = svg('g', { class: 'rolling-marbles', 'aria-hidden': 'true' });
    picture.append(this.man.node, this.rolling);
    this.man.stand(width, width < 520 ? 0.72 : 1);
    this.node.replaceChildren(picture);
    this.focused = Math.min(this.focused, cabinet.m - 1);
    this.refresh();
  }

  center(index) {
    const row = Math.floor(index / this.cols);
    const column = index % this.cols;
    return [
      this.frame + (column + 0.5) * this.cell,
      this.frame + row * this.height + this.height * (this.small ? 0.5 : 0.58),
    ];
  }

  drawer(index, row, column) {
    const x = this.frame + column * this.cell;
    const y = this.frame + row * this.height;
    const [cx, cy] = this.center(index);
    const r = Math.min(this.cell, this.height) * (this.small ? 0.27 : 0.21);
    const face = svg('rect', {
      x: x + 1.5,
      y: y + 1.5,
      width: this.cell - 3,
      height: this.height - 3,
      rx: 4,
      class: 'face',
    });
    const marble = svg('circle', { cx, cy, r, class: 'marble' });
    const parts = [
      face,
      svg('circle', { cx, cy, r: r + 1.5, class: 'well' }),
      marble,
      svg('circle', { cx: cx - r * 0.35, cy: cy - r * 0.35, r: r * 0.24, class: 'shine' }),
    ];
    if (!this.small) {
      parts.push(svg('text', { x: x + 6, y: y + 13, class: 'number' }, String(index)));
    }
    const count = svg('text', { x: x + this.cell - 6, y: y + 13, class: 'count' });
    const group = svg(
      'g',
      {
        role: 'gridcell',
        tabindex: -1,
        class: 'drawer',
        'data-drawer': index,
        onclick: () => this.focus(index),
        onfocus: () => this.select(index),
        onmouseenter: () => this.onSelect(index),
        onkeydown: (event) => this.key(event, index),
      },
      ...parts,
      count,
    );
    this.cells[index] = { group, marble, count };
    return group;
  }

  // Shows what is in the drawers now.
  refresh() {
    const { cabinet } = this;
    this.cells.forEach(({ group, count }, index) => {
      const owners = cabinet.owners[index];
      const marbles = cabinet.counts[index];
      group.setAttribute('data-full', marbles > 0 ? 1 : 0);
      group.setAttribute('data-shared', owners.length > 1 ? 1 : 0);
      group.setAttribute('data-marble', owners.length ? (owners[0].marble % MARBLES) + 1 : 0);
      group.setAttribute('aria-label', this.describe(index));
      group.setAttribute('tabindex', index === this.focused ? 0 : -1);
      count.textContent = cabinet.counting && marbles > 0 && !this.small ? '×' + marbles : '';
    });
  }

  describe(index) {
    const owners = this.cabinet.owners[index];
    if (this.cabinet.counts[index] === 0) return t('play.drawerEmpty', { drawer: index });
    const names = owners.map((owner) =>
      t('play.owner', { name: owner.name, marble: owner.marble + 1 }),
    );
    return t('play.drawerFull', { drawer: index, names: names.slice(0, 12).join(t('list')) });
  }

  // Marks the drawers of a question: those that are full, and the empty ones, which are the proof.
  mark(drawers, empty) {
    this.cells.forEach(({ group }, index) => {
      group.classList.toggle('asked', drawers.includes(index));
      group.classList.toggle('proof', empty.includes(index));
    });
  }

  // The old man walks from drawer to drawer, and a marble falls into each.
  roll(drawers) {
    this.refresh();
    for (const ball of [...this.rolling.children]) ball.land();
    const centers = drawers.map((drawer) => this.center(drawer));
    const falls = this.man.walk(centers);
    if (calm()) return;
    drawers.forEach((drawer, i) => this.fall(drawer, i, falls[i], centers[i]));
  }

  fall(drawer, marble, { at, x, y, millis }, [toX, toY]) {
    const { group } = this.cells[drawer];
    const ball = svg('circle', {
      r: this.small ? 6 : 8,
      class: 'marble flying',
      'data-marble': (marble % MARBLES) + 1,
    });
    this.rolling.append(ball);
    group.classList.add('waiting');
    const motion = ball.animate(
      [
        {
          transform: `translate(${x}px, ${y}px)`,
          opacity: 1,
          easing: 'cubic-bezier(0.4, 0, 0.9, 0.7)',
        },
        {
          transform: `translate(${toX}px, ${toY}px)`,
          opacity: 1,
          offset: 0.78,
          easing: 'ease-out',
        },
        {
          transform: `translate(${toX}px, ${toY - 7}px)`,
          opacity: 1,
          offset: 0.89,
          easing: 'ease-in',
        },
        { transform: `translate(${toX}px, ${toY}px)`, opacity: 1 },
      ],
      { duration: millis, delay: at },
    );
    knock(at + 0.78 * millis);
    ball.land = () => {
      ball.remove();
      group.classList.remove('waiting');
    };
    motion.finished.then(ball.land, ball.land);
  }

  select(index) {
    this.cells[this.focused]?.group.setAttribute('tabindex', -1);
    this.focused = index;
    this.cells[index].group.setAttribute('tabindex', 0);
    this.onSelect(index);
  }

  focus(index) {
    this.select(index);
    this.cells[index].group.focus();
  }

  key(event, index) {
    const row = index - (index % this.cols);
    const to = {
      ArrowRight: index + 1,
      ArrowLeft: index - 1,
      ArrowDown: index + this.cols,
      ArrowUp: index - this.cols,
      Home: row,
      End: Math.min(row + this.cols, this.cabinet.m) - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to >= 0 && to < this.cabinet.m) this.focus(to);
  }
}
