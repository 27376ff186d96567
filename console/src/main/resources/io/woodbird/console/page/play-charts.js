// The charts of the Play tab: the formula beside what is really seen.

import { byId, show } from './dom.js';
import { formula } from './cabinet.js';
import { figure, lines } from './chart.js';
import { chance, count, roundChance, t } from './text.js';

// Shows both charts of a cabinet; returns what draws them again.
export function showCharts(play) {
  const n = () => play.cabinet.names.length;
  const top = () => Math.max(20, Math.ceil((n() * 1.5) / 10) * 10);
  const steps = Array.from({ length: 61 }, (_, i) => i / 60);
  const error = figure(
    t('chart.error'),
    t('chart.errorNote'),
    (width) =>
      lines({
        width,
        title: t('chart.error'),
        x: {
          from: 0,
          to: top(),
          ticks: [0, top() / 2, top()],
          format: count,
          label: t('chart.names'),
        },
        y: { from: 0, to: 1, ticks: [0, 0.25, 0.5, 0.75, 1], format: roundChance },
        series: [
          {
            cls: 'theory',
            points: steps.map((s) => [
              s * top(),
              formula(play.cabinet.m, play.cabinet.k, s * top()),
            ]),
          },
          { cls: 'seen', dots: true, points: play.dots.filter(([x]) => x <= top()) },
        ],
        marks: [{ x: n(), text: t('chart.here') }],
      }),
    () => [
      [t('chart.names'), t('fact.formula'), t('chart.seen')],
      [...play.dots]
        .sort((a, b) => a[0] - b[0])
        .map(([x, y]) => [count(x), chance(formula(play.cabinet.m, play.cabinet.k, x)), chance(y)]),
    ],
  );
  const ks = [1, 2, 3, 4, 5, 6, 7, 8];
  const rate = (k) => formula(play.cabinet.m, k, n());
  const marbles = figure(
    t('chart.marbles'),
    t('chart.marblesNote'),
    (width) => {
      const most = Math.max(0.05, ...ks.map(rate)) * 1.1;
      const ceiling = Math.min(1, most);
      return lines({
        width,
        title: t('chart.marbles'),
        x: { from: 0.5, to: 8.5, ticks: ks, format: String, label: t('play.marbles') },
        y: { from: 0, to: ceiling, ticks: [0, ceiling / 2, ceiling], format: roundChance },
        series: [
          { cls: 'theory', points: ks.map((k) => [k, rate(k)]) },
          { cls: 'seen', dots: true, points: ks.map((k) => [k, rate(k)]) },
        ],
        marks: [{ x: play.cabinet.k, y: rate(play.cabinet.k), text: t('chart.here') }],
      });
    },
    () => [[t('play.marbles'), t('fact.formula')], ks.map((k) => [String(k), chance(rate(k))])],
  );
  show(byId('play-charts'), error.node, marbles.node);
  return () => {
    error.redraw();
    marbles.redraw();
  };
}
