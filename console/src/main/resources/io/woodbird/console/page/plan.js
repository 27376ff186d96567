// The Plan tab: every number on it comes from the server, where the planner of the library makes it.

import { ask, byId, delayed, el, show } from './dom.js';
import { bars, figure, lines } from './chart.js';
import { bytes, chance, count, decimal, onLanguage, roundChance, roundCount, t } from './text.js';

const LOADS = 31;

// Code that may be broken before each ".method", rather than in the middle of a word.
const breakable = (code) =>
  code.split(/(?=\.[a-z])/).flatMap((part, i) => (i ? [el('wbr'), part] : [part]));

// A size whose unit goes to a line of its own where the page is narrow.
function unitBelow(size) {
  const [number, unit] = size.split('\u00a0');
  return [number + '\u00a0', el('span', { class: 'unit' }, unit)];
}

export class Plan {
  constructor(remember) {
    this.remember = remember;
    this.answer = null;
    this.family = null;
    this.copyAs = 'java';
    this.visible = false;
    this.asked = 0;
    this.later = delayed(() => this.load(), 200);
    byId('plan-form').addEventListener('input', () => this.later());
    byId('plan-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.load();
    });
    onLanguage(() => this.render());
  }

  show(parameters) {
    this.visible = true;
    byId('plan-keys').value = parameters.get('n') || byId('plan-keys').value || '10M';
    byId('plan-budget').value = parameters.get('budget') ?? byId('plan-budget').value;
    byId('plan-fpp').value = parameters.get('p') || byId('plan-fpp').value || '0.1%';
    const needs = parameters.get('needs');
    if (needs !== null)
      for (const box of this.boxes()) box.checked = needs.split(',').includes(box.value);
    this.family = parameters.get('family') || this.family;
    this.load();
  }

  hide() {
    this.visible = false;
  }

  boxes() {
    return [...document.querySelectorAll('#plan-form [name=need]')];
  }

  async load() {
    const budget = byId('plan-budget').value.trim();
    const state = { n: byId('plan-keys').value.trim() };
    if (budget) state.budget = budget;
    else state.p = byId('plan-fpp').value.trim();
    byId('plan-fpp').disabled = Boolean(budget);
    const needs = this.boxes()
      .filter((box) => box.checked)
      .map((box) => box.value)
      .join(',');
    if (needs) state.needs = needs;
    if (this.family) state.family = this.family;
    if (this.visible) this.remember('plan', state);
    const number = ++this.asked;
    const query = new URLSearchParams({ keys: state.n, needs });
    if (budget) query.set('budget', budget);
    else query.set('fpp', state.p);
    try {
      const [answer, map] = await Promise.all([
        ask('plan?' + query),
        ask('map?' + new URLSearchParams({ needs })),
      ]);
      if (number !== this.asked) return;
      this.answer = answer;
      this.map = map;
      this.problem = null;
    } catch (error) {
      if (number !== this.asked) return;
      this.answer = null;
      this.problem = error.message;
    }
    this.render();
  }

  chosen() {
    const { plans } = this.answer;
    return plans.find((plan) => plan.family === this.family) || plans[0];
  }

  render() {
    const box = byId('plan-answer');
    if (!this.answer) {
      show(
        box,
        this.problem ? el('p', { class: 'card problem', role: 'alert' }, this.problem) : null,
      );
      show(byId('plan-charts'));
      return;
    }
    const plan = this.chosen();
    const focused = document.activeElement?.closest('tr[data-family]')?.dataset.family;
    show(
      box,
      el(
        'div',
        { class: 'card verdict' },
        this.verdict(plan),
        plan && this.table(),
        plan && this.copies(plan),
      ),
    );
    show(byId('plan-charts'), plan ? this.charts(plan) : null);
    if (focused) box.querySelector(`tr[data-family="${focused}"] .pick`)?.focus();
    byId('plan-status').textContent = (byId('plan-big') || byId('plan-limit')).textContent;
  }

  verdict(plan) {
    const { answer } = this;
    const limit = answer.budget
      ? t('plan.limitBudget', {
          budget: bytes(answer.budget),
          keys: count(answer.keys),
          bits: decimal(answer.limitBitsPerKey, 2),
          fpp: chance(answer.limitFpp),
        })
      : t('plan.limitFpp', {
          bits: decimal(answer.limitBitsPerKey, 2),
          bytes: bytes(answer.limitBytes),
        });
    if (!plan)
      return [el('p', { class: 'big' }, t('plan.none')), el('p', { id: 'plan-limit' }, limit)];
    const ways = answer.ways.map((way) =>
      el(
        'li',
        {},
        t('plan.way', {
          fpp: roundChance(way.wanted),
          bytes: bytes(way.bytes),
          family: way.family,
        }),
      ),
    );
    return [
      el(
        'p',
        { class: 'big', id: 'plan-big' },
        el('strong', {}, bytes(plan.bytes)),
        t('plan.as', { family: t('family.' + plan.family) }),
      ),
      el(
        'p',
        {},
        t('plan.oneIn', {
          keys: count(answer.keys),
          n: count(Math.round(1 / plan.fpp)),
          fpp: chance(plan.fpp),
        }),
      ),
      el('p', { id: 'plan-limit', class: 'note' }, limit),
      ways.length
        ? el('div', { class: 'ways' }, el('p', {}, t('plan.ways')), el('ul', {}, ways))
        : null,
    ];
  }

  // The families, as a list of choices with all numbers.
  table() {
    const head = ['plan.family', 'plan.size', 'plan.bits', 'plan.over', 'plan.fppReached'].map(
      (key) => el('th', { scope: 'col' }, t(key)),
    );
    const rows = this.answer.plans.map((plan) => {
      const over = plan.fpp > 0.9 ? Infinity : plan.bitsPerKey / plan.limitBitsPerKey - 1;
      const pick = el(
        'button',
        {
          type: 'button',
          class: 'pick',
          'aria-pressed': plan === this.chosen(),
          onclick: () => {
            this.family = plan.family;
            this.load();
          },
        },
        t('family.' + plan.family),
      );
      return el(
        'tr',
        { 'data-family': plan.family, class: plan === this.chosen() ? 'chosen' : null },
        el('th', { scope: 'row' }, pick),
        el('td', { title: count(plan.bytes), 'data-bytes': plan.bytes }, bytes(plan.bytes)),
        el('td', { 'data-bits-per-key': plan.bitsPerKey }, decimal(plan.bitsPerKey, 2)),
        el('td', {}, over < 10 ? '+' + decimal(100 * Math.max(0, over), 1) + ' %' : '–'),
        el('td', { 'data-fpp': plan.fpp }, chance(plan.fpp)),
      );
    });
    return el(
      'div',
      { class: 'scroll', tabindex: 0 },
      el('table', { id: 'plan-table' }, el('thead', {}, el('tr', {}, head)), el('tbody', {}, rows)),
    );
  }

  copies(plan) {
    const snippets = this.answer.snippets[plan.family];
    const kinds = ['java', 'yaml', 'cli'];
    const text = snippets[this.copyAs] ?? t('plan.noBuilder');
    const said = el('span', { role: 'status', class: 'note' });
    const tabs = kinds.map((kind) =>
      el(
        'button',
        {
          type: 'button',
          'aria-pressed': kind === this.copyAs,
          onclick: () => {
            this.copyAs = kind;
            this.render();
            document.querySelector(`.copy [data-kind=${kind}]`)?.focus();
          },
          'data-kind': kind,
        },
        t('plan.copy.' + kind),
      ),
    );
    const copy = el(
      'button',
      {
        type: 'button',
        class: 'main',
        id: 'copy',
        onclick: async () => {
          try {
            await navigator.clipboard.writeText(text);
            said.textContent = t('copied');
          } catch {
            said.textContent = t('notCopied');
          }
        },
      },
      t('copy'),
    );
    return el(
      'div',
      { class: 'copy' },
      el('div', { class: 'buttons' }, tabs, copy, said),
      el('pre', { id: 'snippet', tabindex: 0 }, breakable(text)),
    );
  }

  charts(plan) {
    const { answer } = this;
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
    if (answer.load.length) figures.push(this.loadChart().node);
    figures.push(this.memoryMap());
    return figures;
  }

  loadChart() {
    const { load } = this.answer;
    const all = load.flatMap((curve) => curve.fpp.slice(1));
    const lowest = 10 ** Math.floor(Math.log10(Math.max(1e-12, Math.min(...all))));
    const ticks = [];
    const decades = Math.round(-Math.log10(lowest));
    const step = Math.max(1, Math.ceil(decades / 5));
    for (let i = 0; i <= decades; i += step) ticks.push(10 ** -i);
    const promised = this.answer.fpp || load[0].fpp[10];
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
          marks: [{ x: 100, y: promised, text: roundChance(promised) }],
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

  // Round numbers of keys and fpp; each cell is the smallest file that serves.
  memoryMap() {
    const { map, answer } = this;
    const near = (list, value) =>
      list.reduce((best, one) =>
        Math.abs(Math.log(one / value)) < Math.abs(Math.log(best / value)) ? one : best,
      );
    const wanted = answer.fpp || this.chosen().fpp;
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
      el(
        'div',
        { class: 'scroll', tabindex: 0 },
        el('table', { class: 'map' }, el('thead', {}, head), el('tbody', {}, rows)),
      ),
    );
  }
}
