// The charts of the Plan tab: bits per key against the limit, load, and the memory map.

import { bars, figure, lines } from './chart.js';
import { memoryMap } from './memory-map.js';
import { bytes, chance, count, decimal, roundChance, t } from './text.js';

const LOADS = 31;

export function planCharts(answer, map, plan) {
  const size = figure(
    t('plan.chart.bits'),
    t('plan.chart.bitsNote'),
    (width) =>
      bars({
        width,
        title: t('plan.chart.bits'),
        limit: answer.limitBitsPerKey,
        limitText: t('plan.limitLine', { bits: decimal(answer.limitBitsPerKey, 2) }),
        rows: answer.plans.map((one) => ({
          name: t('family.' + one.family),
          value: one.bitsPerKey,
          chosen: one === plan,
          text: decimal(one.bitsPerKey, 2),
        })),
      }),
    () => [
      [t('plan.family'), t('plan.bits'), t('plan.size')],
      answer.plans.map((one) => [one.family, decimal(one.bitsPerKey, 3), count(one.bytes)]),
    ],
  );
  const reached = figure(
    t('plan.chart.reached'),
    t('plan.chart.bitsNote'),
    (width) =>
      bars({
        width,
        title: t('plan.chart.reached'),
        limit: answer.limitFpp,
        limitText: t('plan.limitLine', { bits: chance(answer.limitFpp) }),
        rows: answer.plans.map((one) => ({
          name: t('family.' + one.family),
          value: one.fpp,
          chosen: one === plan,
          text: chance(one.fpp),
        })),
      }),
    () => [
      [t('plan.family'), t('plan.fppReached')],
      answer.plans.map((one) => [one.family, chance(one.fpp)]),
    ],
  );
  const figures = [(answer.budget ? reached : size).node];
  if (answer.load.length) figures.push(loadChart(answer).node);
  if (map) figures.push(memoryMap(map, answer, answer.fpp || plan.fpp));
  return figures;
}

function loadChart(answer) {
  const { load } = answer;
  const all = load.flatMap((curve) => curve.fpp.slice(1));
  const lowest = 10 ** Math.floor(Math.log10(Math.max(1e-12, Math.min(...all))));
  const ticks = [];
  const decades = Math.round(-Math.log10(lowest));
  const step = Math.max(1, Math.ceil(decades / 5));
  for (let i = 0; i <= decades; i += step) ticks.push(10 ** -i);
  const promised =
    answer.fpp || answer.plans.find((one) => one.family === load[0].family).fpp;
  const points = (curve) => curve.fpp.map((fpp, i) => [i * 10, fpp]).slice(1);
  return figure(
    t('plan.chart.load'),
    t('plan.chart.loadNote'),
    (width) =>
      lines({
        width,
        title: t('plan.chart.load'),
        x: {
          from: 0,
          to: 300,
          ticks: [0, 100, 200, 300],
          format: (x) => x + ' %',
          label: t('plan.chart.loadAxis'),
        },
        y: { from: lowest, to: 1, log: true, ticks, format: roundChance },
        series: load.map((curve, i) => ({ cls: i ? 'theory' : 'seen', points: points(curve) })),
        marks: [
          { x: 100, y: promised, text: roundChance(promised) },
          {
            x: 200,
            y: load[0].fpp[20],
            text: t('plan.doubledMark', { fpp: chance(load[0].fpp[20]) }),
          },
        ],
      }),
    () => [
      [t('plan.chart.loadAxis'), ...load.map((curve) => t('family.' + curve.family))],
      Array.from({ length: LOADS }, (_, i) => [
        i * 10 + ' %',
        ...load.map((curve) => chance(curve.fpp[i])),
      ]),
    ],
  );
}
