// The Plan tab: every number on it comes from the planner of the library, or on the web site from its
// copy in JavaScript.

import { ask, byId, delayed, el, show } from './dom.js';
import { Link, remember } from './link.js';
import { abilitiesOf, copies, COPIES, familyCards, sideBySide } from './plan-cards.js';
import { planCharts } from './plan-charts.js';
import { KEY_STEPS, keysText, nearest, RATE_STEPS, rateText } from './plan-steps.js';
import {
  bytes,
  chance,
  count,
  decimal,
  gap,
  onLanguage,
  problemText,
  roundChance,
  t,
} from './text.js';

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
const FIRST = { n: '10M', p: '0.1%' };
const TOO_MANY = 0.1;

// The plan of a family, or the best one.
const chosenOf = (answer, family) =>
  answer.plans.find((plan) => plan.family === family) || answer.plans[0];

export class Plan {
  constructor() {
    this.answer = null;
    this.family = null;
    this.copyAs = COPIES[0];
    this.kept = null; // The query of the plan to compare with.
    this.visible = false;
    this.asked = 0;
    this.maps = new Map();
    this.later = delayed(() => this.load(), 200);
    byId('plan-form').addEventListener('input', (event) => this.input(event.target));
    byId('plan-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.load();
    });
    byId('plan-n').max = KEY_STEPS.length - 1;
    byId('plan-p').max = RATE_STEPS.length - 1;
    onLanguage(() => this.render());
  }

  // A slider writes into its field, and asks at once.
  input(target) {
    if (target.id === 'plan-n') byId('plan-keys').value = keysText(KEY_STEPS[target.value]);
    if (target.id === 'plan-p') {
      byId('plan-fpp').value = rateText(RATE_STEPS[target.value]);
      byId('plan-budget').value = '';
    }
    if (target.type === 'range') this.load();
    else this.later();
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
    this.kept = link.text('beside', null);
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
    if (this.kept) state.beside = this.kept;
    return state;
  }

  static question({ n, p, budget, needs = '' }) {
    const query = new URLSearchParams({ keys: n ?? '', needs });
    if (budget) query.set('budget', budget);
    else query.set('fpp', p ?? FIRST.p);
    return ask('plan?' + query);
  }

  // The plan that was kept; one that can't be had is left out.
  async beside() {
    if (!this.kept) return null;
    const state = Object.fromEntries(new URLSearchParams(this.kept));
    const answer = await Plan.question(state).catch(() => null);
    const plan = answer && chosenOf(answer, state.family);
    return plan ? { keys: answer.keys, plan } : null;
  }

  // Most of what the server computes, and the same whatever the keys and the rate are.
  async mapFor(needs) {
    if (!this.maps.has(needs)) {
      this.maps.set(needs, await ask('map?' + new URLSearchParams({ needs })));
    }
    return this.maps.get(needs);
  }

  async load() {
    const state = this.state();
    byId('plan-fpp').disabled = Boolean(state.budget);
    if (this.visible) remember('plan', state);
    const number = ++this.asked;
    try {
      const [answer, map, beside] = await Promise.all([
        Plan.question(state),
        this.mapFor(state.needs ?? ''),
        this.beside(),
      ]);
      if (number !== this.asked) return;
      Object.assign(this, { answer, map, other: beside, problem: null });
    } catch (error) {
      if (number !== this.asked) return;
      this.answer = null;
      this.problem = error;
    }
    this.render();
  }

  // Keeps the plan of now, or lets go of the one kept.
  keep(on) {
    const { beside, copy, ...state } = this.state();
    const family = chosenOf(this.answer, this.family).family;
    this.kept = on ? new URLSearchParams({ ...state, family }).toString() : null;
    this.load();
  }

  render() {
    const box = byId('plan-answer');
    if (!this.answer) {
      show(
        box,
        this.problem
          ? el('p', { class: 'card problem', role: 'alert' }, problemText(this.problem))
          : null,
      );
      show(byId('plan-charts'));
      return;
    }
    const { answer } = this;
    const plan = chosenOf(answer, this.family);
    this.moveSliders();
    const focused = document.activeElement?.closest('[data-family]')?.dataset.family;
    const kind = document.activeElement?.closest('.copy [data-kind]')?.dataset.kind;
    const id = document.activeElement?.closest('#plan-answer [id]')?.id;
    show(
      box,
      el(
        'div',
        { class: 'card verdict' },
        this.verdict(plan),
        plan &&
          familyCards(answer, plan, (family) => {
            this.family = family;
            this.load();
          }),
        plan && copies(answer, plan, this.copyAs, (other) => this.copyKind(other)),
      ),
      this.other && plan
        ? sideBySide(this.other, { keys: answer.keys, plan }, () => this.keep(false))
        : null,
    );
    show(byId('plan-charts'), plan ? planCharts(answer, this.map, plan) : null);
    if (focused) box.querySelector(`[data-family="${focused}"] .pick`)?.focus();
    else if (kind) box.querySelector(`.copy [data-kind="${kind}"]`)?.focus();
    else if (id) byId(id)?.focus();
    byId('plan-status').textContent = (byId('plan-big') || byId('plan-limit')).textContent;
  }

  copyKind(kind) {
    this.copyAs = kind;
    remember('plan', this.state());
    this.render();
  }

  moveSliders() {
    const { keys, fpp } = this.answer;
    byId('plan-n').value = nearest(KEY_STEPS, keys);
    byId('plan-n').setAttribute('aria-valuetext', count(keys));
    byId('plan-p').disabled = !fpp;
    if (!fpp) return;
    byId('plan-p').value = nearest(RATE_STEPS, fpp);
    byId('plan-p').setAttribute('aria-valuetext', chance(fpp));
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
    const family = t('family.' + plan.family);
    const many = plan.fpp > TOO_MANY;
    const values = {
      keys: count(answer.keys),
      bytes: bytes(plan.bytes),
      n: count(many ? Math.round(100 * plan.fpp) : Number((1 / plan.fpp).toPrecision(2))),
    };
    const sentence = t(
      answer.budget ? 'plan.inBudget' : many ? 'plan.ofHundred' : 'plan.oneIn',
      values,
    );
    const big = answer.budget
      ? [el('strong', {}, chance(plan.fpp)), t('plan.rateAs', { family })]
      : [el('strong', {}, bytes(plan.bytes)), t('plan.as', { family })];
    return [
      el('p', { class: 'big', id: 'plan-big' }, sentence, ' ', big),
      answer.budget && many ? el('p', {}, t('plan.strangers', values)) : null,
      many ? el('p', { class: 'problem', id: 'plan-warning' }, t('plan.warning')) : null,
      el('p', { id: 'plan-can' }, t('plan.can', { family, abilities: abilitiesOf(answer, plan) })),
      this.doubled(plan),
      this.family && this.family !== plan.family
        ? el('p', { class: 'note' }, t('plan.otherFamily', { family: t('family.' + this.family) }))
        : null,
      el('p', { id: 'plan-limit', class: 'note' }, limit),
      this.ways(),
      el(
        'div',
        { class: 'buttons' },
        el(
          'button',
          { type: 'button', id: 'plan-keep', onclick: () => this.keep(true) },
          t('plan.keep'),
        ),
      ),
    ];
  }

  ways() {
    const { ways } = this.answer;
    if (!ways.length) return null;
    const items = ways.map((way) =>
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
    return el('div', { class: 'ways' }, el('p', {}, t('plan.ways')), el('ul', {}, items));
  }

  // What twice the keys would do: to a filter planned for them, and to one that was not.
  doubled(plan) {
    const { answer } = this;
    const twice = answer.doubled?.[plan.family];
    if (!twice) return null;
    const curve = answer.load.find((one) => one.family === plan.family);
    const keys = count(2 * answer.keys);
    return el(
      'p',
      { id: 'plan-doubled' },
      el('strong', {}, t('plan.doubled')),
      gap(),
      answer.budget
        ? t('plan.doubledBudget', { keys, fpp: chance(twice.fpp) })
        : t('plan.doubledBytes', { keys, bytes: bytes(twice.bytes) }),
      curve ? gap() + t('plan.doubledLeft', { fpp: chance(curve.fpp[20]) }) : '',
    );
  }
}
