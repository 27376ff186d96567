// The numbers beside the cabinet, and the picture in words.

import { byId, el, show } from './dom.js';
import { bestK, formula } from './cabinet.js';
import { chance, count, gap, t } from './text.js';

const NEARLY_FULL = 0.9;

export function renderFacts(cabinet, seen) {
  const n = cabinet.names.length;
  const rate = chance(formula(cabinet.m, cabinet.k, n));
  const facts = [
    ['names', count(n), t('fact.names')],
    [
      'full',
      `${count(cabinet.full)} / ${count(cabinet.m)}`,
      t('fact.full', { percent: chance(cabinet.fill) }),
    ],
    ['formula', rate, t('fact.formula')],
    [
      'seen',
      seen.asked ? chance(seen.wrong / seen.asked) : '…',
      t('fact.seen', { wrong: count(seen.wrong), asked: count(seen.asked) }),
    ],
    ['best', n ? String(bestK(cabinet.m, n)) : '–', t('fact.best')],
  ];
  show(
    byId('facts'),
    facts.map(([id, value, text]) =>
      el('div', {}, el('dt', {}, text), el('dd', { id: 'fact-' + id }, value)),
    ),
  );
  byId('explain').textContent =
    t('play.explainText', {
      n: count(n),
      m: count(cabinet.m),
      k: cabinet.k,
      full: count(cabinet.full),
      rate,
    }) + (cabinet.fill > NEARLY_FULL ? gap() + t('play.explainFull') : '');
}
