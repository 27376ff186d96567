// The memory map of the Plan tab.

import { el, scrolling } from './dom.js';
import { bytes, roundChance, roundCount, t } from './text.js';

// A size whose unit goes to a line of its own where the page is narrow.
function unitBelow(size) {
  const [number, unit] = size.split('\u00a0');
  return [number + '\u00a0', el('span', { class: 'unit' }, unit)];
}

// Round numbers of keys and fpp; each cell is the smallest file that serves.
export function memoryMap(map, answer, wanted) {
  const near = (list, value) =>
    list.reduce((best, one) =>
      Math.abs(Math.log(one / value)) < Math.abs(Math.log(best / value)) ? one : best,
    );
  const hereKeys = near(map.keys, answer.keys);
  const hereFpp = near(map.fpps, wanted);
  const head = el(
    'tr',
    {},
    el('td', {}),
    map.fpps.map((fpp) => el('th', { scope: 'col' }, roundChance(fpp))),
  );
  const rows = map.keys.map((keys, column) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, roundCount(keys)),
      map.fpps.map((fpp, row) => {
        const cell = map.cells[row][column];
        if (!cell.bytes) return el('td', { class: 'heat none' }, '–');
        const step = Math.max(0, Math.min(5, Math.floor(Math.log10(cell.bytes)) - 3));
        const over = answer.budget && cell.bytes > answer.budget;
        const here = keys === hereKeys && fpp === hereFpp;
        return el(
          'td',
          {
            class: `heat h${step}${over ? ' over' : ''}${here ? ' here' : ''}`,
            title: cell.family,
          },
          unitBelow(bytes(cell.bytes)),
        );
      }),
    ),
  );
  return el(
    'figure',
    { class: 'chart wide' },
    el(
      'figcaption',
      {},
      el('strong', {}, t('plan.chart.map')),
      el(
        'span',
        { class: 'note' },
        t(answer.budget ? 'plan.chart.mapBudget' : 'plan.chart.mapNote'),
      ),
    ),
    scrolling(
      t('plan.chart.map'),
      el('table', { class: 'map' }, el('thead', {}, head), el('tbody', {}, rows)),
    ),
  );
}
