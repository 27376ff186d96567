// The families of the Plan tab as cards, by what they can do; code to copy; two plans side by side.

import { tableOf } from './chart.js';
import { el } from './dom.js';
import { bytes, chance, count, decimal, t } from './text.js';

export const COPIES = ['java', 'yaml', 'cli'];

// What makes a family different from those before it; the first that fits is its group.
const GROUPS = ['WINDOW', 'DELETE', 'FIXED', 'PUT'];
const ORDER = ['FIXED', 'PUT', 'DELETE', 'WINDOW'];

export const abilitiesOf = (answer, { family }) =>
  answer.abilities[family].map((one) => t('ability.' + one)).join(t('list'));

// Bits per key, and how far above the limit of information; a rate near 100 % has no such number.
function bitsText(plan) {
  const bits = decimal(plan.bitsPerKey, 2);
  const over = plan.fpp > 0.9 ? Infinity : plan.bitsPerKey / plan.limitBitsPerKey - 1;
  if (over >= 10) return t('plan.cardBitsOnly', { bits });
  return t('plan.cardBits', {
    bits,
    over: '+' + decimal(100 * Math.max(0, over), 1) + '\u00a0%',
  });
}

// The families that serve, in groups; the best of all carries a word.
export function familyCards(answer, chosen, choose) {
  const group = ({ family }) => GROUPS.find((one) => answer.abilities[family].includes(one));
  return el(
    'div',
    { id: 'plan-table', class: 'families' },
    ORDER.map((name) => {
      const plans = answer.plans.filter((plan) => group(plan) === name);
      if (!plans.length) return null;
      return el(
        'section',
        { class: 'family-group' },
        el('h3', {}, t('plan.group.' + name)),
        el(
          'div',
          { class: 'family-row' },
          plans.map((plan) => card(answer, plan, plan === chosen, choose)),
        ),
      );
    }),
  );
}

function card(answer, plan, chosen, choose) {
  const best = plan === answer.plans[0];
  return el(
    'div',
    { class: chosen ? 'family chosen' : 'family', 'data-family': plan.family },
    el(
      'button',
      { type: 'button', class: 'pick', 'aria-pressed': chosen, onclick: () => choose(plan.family) },
      t('family.' + plan.family),
    ),
    best ? el('span', { class: 'best' }, t(answer.budget ? 'plan.lowest' : 'plan.smallest')) : null,
    el(
      'p',
      { class: 'size', title: count(plan.bytes), 'data-bytes': plan.bytes },
      bytes(plan.bytes),
    ),
    el(
      'p',
      { class: 'note', 'data-bits-per-key': plan.bitsPerKey, 'data-fpp': plan.fpp },
      bitsText(plan),
      el('br'),
      t('plan.cardFpp', { fpp: chance(plan.fpp) }),
    ),
    el('p', { class: 'can note' }, abilitiesOf(answer, plan)),
  );
}

// Two plans in one table, and how many times the one is the other.
export function sideBySide(kept, now, drop) {
  const times = (a, b) => '×\u00a0' + decimal(b / a, b / a < 0.1 || b / a >= 100 ? 3 : 2);
  const rows = [
    ['plan.keys', count(kept.keys), count(now.keys), times(kept.keys, now.keys)],
    ['plan.family', t('family.' + kept.plan.family), t('family.' + now.plan.family), ''],
    [
      'plan.size',
      bytes(kept.plan.bytes),
      bytes(now.plan.bytes),
      times(kept.plan.bytes, now.plan.bytes),
    ],
    [
      'plan.bits',
      decimal(kept.plan.bitsPerKey, 2),
      decimal(now.plan.bitsPerKey, 2),
      times(kept.plan.bitsPerKey, now.plan.bitsPerKey),
    ],
    [
      'plan.fppReached',
      chance(kept.plan.fpp),
      chance(now.plan.fpp),
      times(kept.plan.fpp, now.plan.fpp),
    ],
  ];
  return el(
    'div',
    { class: 'card', id: 'plan-versus' },
    el(
      'div',
      { class: 'stage-top' },
      el('h2', {}, t('plan.versus')),
      el('button', { type: 'button', id: 'plan-drop', onclick: drop }, t('plan.drop')),
    ),
    tableOf(
      t('plan.versus'),
      [t('plan.what'), t('plan.kept'), t('plan.now'), t('plan.times')],
      rows.map(([key, ...values]) => [t(key), ...values]),
    ),
  );
}

// Code that may be broken before each ".method", rather than in the middle of a word.
const breakable = (code) =>
  code.split(/(?=\.[a-z])/).flatMap((part, i) => (i ? [el('wbr'), part] : [part]));

export function copies(answer, plan, copyAs, choose) {
  const snippets = answer.snippets[plan.family];
  const takesRate = answer.budget && !plan.family.startsWith('bloom');
  const none = takesRate ? 'plan.noJavaBudget' : 'plan.noJava';
  const text = snippets[copyAs] ?? t(copyAs === 'yaml' ? 'plan.noYaml' : none);
  const said = el('span', { role: 'status', class: 'note' });
  const tabs = COPIES.map((kind) =>
    el(
      'button',
      {
        type: 'button',
        'aria-pressed': kind === copyAs,
        onclick: () => choose(kind),
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
      { id: 'snippet', tabindex: 0, role: 'region', 'aria-label': t('plan.copy.' + copyAs) },
      breakable(text),
    ),
  );
}
