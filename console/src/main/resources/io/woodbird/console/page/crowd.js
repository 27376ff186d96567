// A cabinet too large for drawers one can touch: thousands of small ones on a canvas.

import { el, svg } from './dom.js';
import { OldMan } from './old-man.js';
import { count, t } from './text.js';

export class CrowdPicture {
  constructor(node, { onSelect }) {
    this.node = node;
    this.onSelect = onSelect;
    this.man = new OldMan();
  }

  draw(cabinet, width) {
    const cols = width < 520 ? 64 : 128;
    const cell = (width - 18) / cols;
    const rows = Math.ceil(cabinet.m / cols);
    Object.assign(this, { cabinet, cols, rows, cell });
    this.canvas = el('canvas', {
      class: 'crowd',
      width: Math.round(cols * cell * devicePixelRatio),
      height: Math.round(rows * cell * devicePixelRatio),
      role: 'img',
      onmousemove: (event) => this.point(event),
    });
    this.canvas.style.width = cols * cell + 'px';
    this.canvas.style.height = rows * cell + 'px';
    const top = svg('svg', { class: 'crowd-top', width, height: 1, 'aria-hidden': 'true' });
    top.append(this.man.node);
    this.man.stand(width, width < 520 ? 0.72 : 1);
    this.node.replaceChildren(top, el('div', { class: 'crowd-case' }, this.canvas));
    this.refresh();
  }

  point(event) {
    const column = Math.floor(event.offsetX / this.cell);
    const row = Math.floor(event.offsetY / this.cell);
    if (column >= 0 && column < this.cols && row >= 0 && row < this.rows) {
      this.onSelect(row * this.cols + column);
    }
  }

  // The colours are those of the theme, and drawers of a question have a frame.
  refresh(drawers = [], empty = []) {
    const { cabinet, canvas, cols, cell } = this;
    const style = getComputedStyle(canvas);
    const color = (name) => style.getPropertyValue(name);
    const marbles = Array.from({ length: 8 }, (_, i) => color(`--m${i + 1}`));
    const pen = canvas.getContext('2d');
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    // Edges on whole pixels, so that they are sharp.
    const edge = (i) => Math.round(i * cell);
    const square = (index, grow) => {
      const [column, row] = [index % cols, Math.floor(index / cols)];
      const [x, y] = [edge(column), edge(row)];
      const [wide, tall] = [edge(column + 1) - x, edge(row + 1) - y];
      return [x - grow, y - grow, wide - 1 + 2 * grow, tall - 1 + 2 * grow];
    };
    const wells = style.color;
    cabinet.counts.forEach((marble, index) => {
      const owner = cabinet.owners[index][0];
      pen.fillStyle = marble ? marbles[(owner?.marble ?? 0) % 8] : wells;
      pen.fillRect(...square(index, 0));
    });
    pen.lineWidth = 2;
    for (const index of drawers) {
      pen.strokeStyle = empty.includes(index) ? color('--proof') : '#fff';
      pen.strokeRect(...square(index, 3));
    }
    canvas.setAttribute(
      'aria-label',
      t('play.crowd', { all: count(cabinet.m), full: count(cabinet.full) }),
    );
    canvas.dataset.full = cabinet.full;
  }

  mark(drawers, empty) {
    this.refresh(drawers, empty);
  }

  roll(drawers) {
    this.refresh(drawers);
    this.man.walk(drawers.map((drawer) => [((drawer % this.cols) + 0.5) * this.cell, 0]));
  }

  describe(index) {
    return t(this.cabinet.counts[index] ? 'play.drawerMany' : 'play.drawerEmpty', {
      drawer: count(index),
      names: this.cabinet.owners[index]
        .map((owner) => owner.name)
        .slice(0, 6)
        .join(t('list')),
    });
  }
}
