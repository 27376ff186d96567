// What the bird says, and why, in words.

import { el } from './dom.js';
import { count, t } from './text.js';

const WORDS = { maybe: 'say.maybe', not: 'say.not', most: 'say.mostWord', guess: 'say.guessWord' };
const MARKS = { maybe: '?', not: '✕', most: '!', guess: '…' };

// The word and the reason of an answer; null is the bird in its house.
export function speech(answer, cabinet, most) {
  if (!answer) {
    return [el('p', { class: 'word hush' }, t('say.hush')), el('p', {}, t('say.hushWhy'))];
  }
  const { kind } = answer;
  const bad = kind === 'most' || (kind === 'not' && answer.real);
  return [
    el(
      'p',
      { class: 'word ' + (bad ? 'wrong' : kind) },
      el('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[kind] || '✓'),
      t(WORDS[kind] || 'say.done'),
    ),
    el('p', {}, why(answer, cabinet, most)),
  ];
}

const list = (items) => [...new Set(items)].join(t('list'));

function why({ kind, name, drawers, empty, real, others, amount }, cabinet, most) {
  const shown = name === '' ? t('say.empty') : '“' + name + '”';
  switch (kind) {
    case 'guess':
      return t('say.guess', { name: shown });
    case 'put':
      return t('say.put', { name: shown, drawers: list(drawers) });
    case 'filled':
      return t('say.filled', { amount: count(amount) });
    case 'most':
      return t('say.most', { most: count(most) });
    case 'absent':
      return t('say.absent', { name: shown });
    case 'removed':
      return t(cabinet.counting ? 'say.removed' : 'say.removedBadly', { name: shown });
    case 'not':
      if (real) return t('say.lost', { name: shown, drawer: empty[0] });
      return t(cabinet.broken ? 'say.notBroken' : 'say.notWhy', { name: shown, drawer: empty[0] });
    default: {
      if (real) return t('say.maybeReal', { name: shown, drawers: list(drawers) });
      const whose = drawers.map((drawer, i) =>
        t('say.whose', { drawer, name: others[i][0] || '?' }),
      );
      return t('say.maybeWrong', { name: shown, whose: list(whose) });
    }
  }
}
