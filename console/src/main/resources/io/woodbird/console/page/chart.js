// Small charts as SVG, each with its numbers in a table behind a button.

import { el, responsive, scrolling, svg } from './dom.js';
import { t } from './text.js';

// A titled figure with a note or a legend: draw(width) gives the picture, table() gives [headings, rows].
export function figure(title, note, draw, table) {
  const plot = el('div', { class: 'plot' });
  const heading = el(
    'figcaption',
    {},
    el('strong', {}, title),
    typeof note === 'string' ? el('span', { class: 'note' }, note) : note,
  );
  const details = el('details', { class: 'numbers' }, el('summary', {}, t('chart.table')));
  const retell = () => {
    if (details.open) details.replaceChildren(details.firstChild, tableOf(title, ...table()));
  };
  details.addEventListener('toggle', retell);
  const node = el('figure', { class: 'chart' }, heading, plot, details);
  const redraw = responsive(plot, (width) => plot.replaceChildren(draw(width)));
  return {
    node,
    redraw: () => {
      redraw();
      retell();
    },
  };
}

// A table of texts that scrolls where the page is narrow.
export const tableOf = (title, headings, rows) =>
  scrolling(
    title,
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          headings.map((text) => el('th', { scope: 'col' }, text)),
        ),
      ),
      el(
        'tbody',
        {},
        rows.map((row) =>
          el(
            'tr',
            {},
            row.map((text) => el('td', {}, text)),
          ),
        ),
      ),
    ),
  );

const label = (x, y, text, attributes) => svg('text', { x, y, class: 'axis', ...attributes }, text);

export const canvas = (width, height, title) =>
  svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'aria-label': title,
  });

// Horizontal bars against a limit that nobody can pass. rows: {name, value, text, chosen, onclick}
export function bars({ width, title, rows, limit, limitText }) {
  const line = 38;
  const left = 14 + Math.max(...rows.map((row) => textWidth(row.name, 'bold 13px')));
  const right = 84;
  const top = 30;
  const most = Math.max(limit, ...rows.map((row) => row.value));
  const scale = (value) => ((width - left - right) * value) / most;
  const node = canvas(width, top + rows.length * line + 6, title);
  rows.forEach((row, i) => {
    const y = top + i * line;
    node.append(
      svg(
        'g',
        { class: row.chosen ? 'bar chosen' : 'bar' },
        label(left - 10, y + 21, row.name, { 'text-anchor': 'end', class: 'axis name' }),
        svg('rect', { x: left, y: y + 5, width: Math.max(2, scale(row.value)), height: 24, rx: 3 }),
        label(left + scale(row.value) + 8, y + 21, row.text, { class: 'axis value' }),
      ),
    );
  });
  const x = left + scale(limit);
  const end = x > width * 0.6;
  node.append(
    svg('line', { x1: x, x2: x, y1: top - 8, y2: top + rows.length * line, class: 'limit' }),
    label(x + (end ? 0 : -4), 14, limitText, {
      'text-anchor': end ? 'end' : 'start',
      class: 'axis limit-text',
    }),
  );
  return node;
}

// Lines over a common x. series: {points: [[x, y]...], cls, dots}; y may be logarithmic. marks: {x, y, text}
export function lines({ width, height = 264, title, series, x, y, marks = [] }) {
  const left = 62;
  const right = 26;
  const top = 28;
  const bottom = 42;
  const node = canvas(width, height, title);
  const log = y.log ? Math.log10 : (value) => value;
  const px = (value) => left + ((width - left - right) * (value - x.from)) / (x.to - x.from);
  const py = (value) => {
    const part =
      (log(Math.max(y.from, Math.min(y.to, value))) - log(y.from)) / (log(y.to) - log(y.from));
    return height - bottom - (height - top - bottom) * part;
  };
  for (const tick of y.ticks) {
    node.append(
      svg('line', { x1: left, x2: width - right, y1: py(tick), y2: py(tick), class: 'gridline' }),
      label(left - 8, py(tick) + 4, y.format(tick), { 'text-anchor': 'end' }),
    );
  }
  for (const tick of x.ticks) {
    node.append(label(px(tick), height - bottom + 18, x.format(tick), { 'text-anchor': 'middle' }));
  }
  node.append(label((left + width - right) / 2, height - 6, x.label, { 'text-anchor': 'middle' }));
  for (const { points, cls, dots } of series) {
    const inside = points.filter(([, value]) => value !== null && (!y.log || value > 0));
    if (dots) {
      for (const [a, b] of inside) {
        node.append(svg('circle', { cx: px(a), cy: py(b), r: 4, class: 'dot ' + cls }));
      }
    } else if (inside.length) {
      node.append(
        svg('path', {
          d: inside
            .map(([a, b], i) => `${i ? 'L' : 'M'}${px(a).toFixed(1)} ${py(b).toFixed(1)}`)
            .join(''),
          class: 'line ' + cls,
        }),
      );
    }
  }
  for (const mark of marks) {
    node.append(
      svg('line', { x1: px(mark.x), x2: px(mark.x), y1: top, y2: height - bottom, class: 'here' }),
    );
    if (mark.y !== undefined)
      node.append(svg('circle', { cx: px(mark.x), cy: py(mark.y), r: 5, class: 'here-dot' }));
  }
  for (const { text, at } of inARow(marks, px, width)) {
    node.append(label(at, 12, text, { class: 'axis mark' }));
  }
  return node;
}

// The texts of marks, in a row above the plot, where no line is: each in the middle over its mark, or
// beside that if it would touch another or leave the picture. marks go from left to right.
function inARow(marks, px, width) {
  const gap = 8;
  const row = [];
  let free = 2;
  for (const { x, text } of marks) {
    const wide = textWidth(text, '12px');
    row.push({ text, wide, at: Math.max(free, px(x) - wide / 2) });
    free = row.at(-1).at + wide + gap;
  }
  let end = width - 2;
  for (const one of row.reverse()) {
    one.at = Math.min(one.at, end - one.wide);
    end = one.at - gap;
  }
  return row;
}

let pen;
function textWidth(text, size) {
  pen ??= document.createElement('canvas').getContext('2d');
  const sans = getComputedStyle(document.documentElement).getPropertyValue('--sans');
  pen.font = size + ' ' + sans;
  return pen.measureText(text).width;
}

// Areas one on the other, over time. layers: {cls, values}; all of one length.
export function areas({ width, height = 220, title, layers, times, format, clock, line }) {
  const left = 58;
  const right = 10;
  const top = 12;
  const bottom = 28;
  const node = canvas(width, height, title);
  const length = times.length;
  const sums = new Array(length).fill(0);
  for (const { values } of layers) values.forEach((value, i) => (sums[i] += value));
  const most = nice(Math.max(2, ...sums, ...(line ? line.values : [])));
  const px = (i) => left + ((width - left - right) * i) / Math.max(1, length - 1);
  const py = (value) => height - bottom - ((height - top - bottom) * value) / most;
  for (const part of [0, 0.5, 1]) {
    node.append(
      svg('line', {
        x1: left,
        x2: width - right,
        y1: py(most * part),
        y2: py(most * part),
        class: 'gridline',
      }),
      label(left - 8, py(most * part) + 4, format(most * part), { 'text-anchor': 'end' }),
    );
  }
  const base = new Array(length).fill(0);
  for (const { cls, values } of layers) {
    const upper = values.map((value, i) => `${px(i).toFixed(1)} ${py(base[i] + value).toFixed(1)}`);
    const lower = values.map((_, i) => `${px(i).toFixed(1)} ${py(base[i]).toFixed(1)}`).reverse();
    if (length > 1)
      node.append(
        svg('path', { d: 'M' + upper.concat(lower).join('L') + 'Z', class: 'area ' + cls }),
      );
    values.forEach((value, i) => (base[i] += value));
  }
  if (line && length > 1) {
    const d = line.values
      .map((value, i) => `${i ? 'L' : 'M'}${px(i).toFixed(1)} ${py(value).toFixed(1)}`)
      .join('');
    node.append(svg('path', { d, class: 'line ' + line.cls }));
  }
  if (length > 1) {
    node.append(
      label(left, height - 8, clock(times[0])),
      label(width - right, height - 8, clock(times[length - 1]), { 'text-anchor': 'end' }),
    );
  }
  return node;
}

function nice(value) {
  const step = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * step).find((top) => top >= value);
}

// A legend: [class, text] pairs; the swatch has a shape of its own, so colour is not alone.
export const legend = (entries) =>
  el(
    'ul',
    { class: 'legend' },
    entries.map(([cls, text]) => el('li', {}, el('span', { class: 'swatch ' + cls }), text)),
  );
