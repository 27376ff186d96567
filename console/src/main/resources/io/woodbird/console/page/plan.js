// The Plan tab: every number on it comes from the server, where the planner of the library makes it.

import { ask, byId, delayed, el, scrolling, show } from './dom.js';
import { bars, figure, lines } from './chart.js';
import { Link, remember } from './link.js';
import { memoryMap } from './memory-map.js';
import { bytes, chance, count, decimal, onLanguage, roundChance, t } from './text.js';

const LOADS = 31;
const FAMILIES = [
  'bloom',
  'bloom-classic',
  'ribbon',
  'fuse',
  'deletable',
  'counting',
  'growing',
  'window',
];
const COPIES = ['java', 'yaml', 'cli'];
const FIRST = { n: '10M', p: '0.1%' };
const TOO_MANY = 0.1;

// Code that may be broken before each ".method", rather than in the middle of a word.
const breakable = (code) =>
  code.split(/(?=\.[a-z])/).flatMap((part, i) => (i ? [el('wbr'), part] : [part]));

export class Plan {
  constructor() {
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

  // A link is the whole state; a tab that is only shown again stays as it was.
  show(parameters) {
    this.visible = true;
    const link = new Link(parameters);
    if (!link.empty || byId('plan-keys').value === '') this.follow(link);
    this.load();
  }

  follow(link) {
    byId('plan-keys').value = link.text('n', FIRST.n);
    byId('plan-fpp').value = link.text('p', FIRST.p);
    byId('plan-budget').value = link.text('budget', '');
    const boxes = this.boxes();
    const needs = link.choices(
      'needs',
      boxes.map((box) => box.value),
    );
    for (const box of boxes) box.checked = needs.includes(box.value);
    this.family = link.choice('family', FAMILIES, null);
    this.copyAs = link.choice('copy', COPIES, COPIES[0]);
    if (link.refused.length) link.sayRefused();
  }

  hide() {
    this.visible = false;
  }

  boxes() {
    return [...document.querySelectorAll('#plan-form [name=need]')];
  }

  // What is asked for, as the address has it.
  state() {
    const budget = byId('plan-budget').value.trim();
    const fpp = byId('plan-fpp').value.trim();
    const needs = this.boxes().filter((box) => box.checked);
    const state = { n: byId('plan-keys').value.trim() };
    if (!budget || fpp !== FIRST.p) state.p = fpp;
    if (budget) state.budget = budget;
    if (needs.length) state.needs = needs.map((box) => box.value).join(',');
    if (this.family) state.family = this.family;
    if (this.copyAs !== COPIES[0]) state.copy = this.copyAs;
    return state;
  }

  async load() {
    const state = this.state();
    const { n, p, budget, needs = '' } = state;
    byId('plan-fpp').disabled = Boolean(budget);
    if (this.visible) remember('plan', state);
    const number = ++this.asked;
    const query = new URLSearchParams({ keys: n, needs });
    if (budget) query.set('budget', budget);
    else query.set('fpp', p);
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
    const kind = document.activeElement?.closest('.copy [data-kind]')?.dataset.kind;
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
    if (kind) box.querySelector(`.copy [data-kind="${kind}"]`)?.focus();
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
    const family = t('family.' + plan.family);
    const big = answer.budget
      ? [el('strong', {}, chance(plan.fpp)), t('plan.rateAs', { family })]
      : [el('strong', {}, bytes(plan.bytes)), t('plan.as', { family })];
    const many = plan.fpp > TOO_MANY;
    return [
      el('p', { class: 'big', id: 'plan-big' }, big),
      el(
        'p',
        {},
        t(many ? 'plan.ofHundred' : 'plan.oneIn', {
          keys: count(answer.keys),
          bytes: bytes(plan.bytes),
          n: count(Math.round(many ? 100 * plan.fpp : 1 / plan.fpp)),
          fpp: chance(plan.fpp),
        }),
      ),
      many ? el('p', { class: 'problem', id: 'plan-warning' }, t('plan.warning')) : null,
      el('p', { id: 'plan-can' }, t('plan.can', { family, abilities: this.abilities(plan) })),
      this.family && this.family !== plan.family
        ? el('p', { class: 'note' }, t('plan.otherFamily', { family: t('family.' + this.family) }))
        : null,
      el('p', { id: 'plan-limit', class: 'note' }, limit),
      ways.length
        ? el('div', { class: 'ways' }, el('p', {}, t('plan.ways')), el('ul', {}, ways))
        : null,
    ];
  }

  abilities({ family }) {
    return this.answer.abilities[family].map((one) => t('ability.' + one)).join(t('list'));
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
        el('th', { scope: 'row' }, pick, el('span', { class: 'can note' }, this.abilities(plan))),
        el('td', { title: count(plan.bytes), 'data-bytes': plan.bytes }, bytes(plan.bytes)),
        el('td', { 'data-bits-per-key': plan.bitsPerKey }, decimal(plan.bitsPerKey, 2)),
        el('td', {}, over < 10 ? '+' + decimal(100 * Math.max(0, over), 1) + ' %' : '–'),
        el('td', { 'data-fpp': plan.fpp }, chance(plan.fpp)),
      );
    });
    return scrolling(
      t('plan.tableName'),
      el('table', { id: 'plan-table' }, el('thead', {}, el('tr', {}, head)), el('tbody', {}, rows)),
    );
  }

  copies(plan) {
    const snippets = this.answer.snippets[plan.family];
    const none = this.answer.budget ? 'plan.noJavaBudget' : 'plan.noJava';
    const text = snippets[this.copyAs] ?? t(this.copyAs === 'yaml' ? 'plan.noYaml' : none);
    const said = el('span', { role: 'status', class: 'note' });
    const tabs = COPIES.map((kind) =>
      el(
        'button',
        {
          type: 'button',
          'aria-pressed': kind === this.copyAs,
          onclick: () => {
            this.copyAs = kind;
            remember('plan', this.state());
            this.render();
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
      el(
        'div',
        { class: 'buttons', role: 'group', 'aria-label': t('plan.copyAs') },
        tabs,
        copy,
        said,
      ),
      el(
        'pre',
        { id: 'snippet', tabindex: 0, role: 'region', 'aria-label': t('plan.copy.' + this.copyAs) },
        breakable(text),
      ),
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
    figures.push(memoryMap(this.map, answer, answer.fpp || plan.fpp));
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
}
