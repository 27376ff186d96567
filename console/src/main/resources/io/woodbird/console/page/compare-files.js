// Two filter files side by side, and what their differences mean.

import { el, plain, scrolling } from './dom.js';
import { bytes, chance, count, day, t } from './text.js';

const ROWS = [
  ['compare.kind', (file) => file.kind],
  ['compare.state', (file) => t('filters.health.' + file.state)],
  ['filters.keys', (file) => file.stats && count(file.stats.estimatedKeys)],
  ['compare.planned', (file) => file.stats && count(file.stats.expectedKeys)],
  ['filters.fppNow', (file) => file.stats && chance(file.stats.currentFpp)],
  ['filters.fppPromised', (file) => file.stats && chance(file.stats.promisedFpp)],
  ['filters.size', (file) => file.bytes !== undefined && bytes(file.bytes)],
  ['filters.keyKind', (file) => file.keyId && plain(file.keyId)],
  ['filters.seed', (file) => file.seed],
  ['filters.format', (file) => file.format],
  ['filters.modified', (file) => file.modified && day(file.modified)],
];

// What the hashes of the two have in common, which decides what can be done with both.
function verdict(a, b) {
  if (!a.keyId || !b.keyId) return 'compare.unread';
  if (a.keyId !== b.keyId) return 'compare.otherKeys';
  return a.seed === b.seed ? 'compare.sameHash' : 'compare.otherSeed';
}

export function compareFiles(a, b) {
  const rows = ROWS.map(([key, value]) => [key, String(value(a) || '–'), String(value(b) || '–')]);
  return el(
    'div',
    { id: 'compare-result' },
    el('p', { id: 'compare-verdict' }, t(verdict(a, b))),
    scrolling(
      t('compare.with'),
      el(
        'table',
        { class: 'compare' },
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            el('td', {}),
            [a, b].map((file) => el('th', { scope: 'col', class: 'file-name' }, plain(file.name))),
          ),
        ),
        el(
          'tbody',
          {},
          rows.map(([key, left, right]) =>
            el(
              'tr',
              { class: left === right ? null : 'differs' },
              el('th', { scope: 'row' }, t(key)),
              el('td', {}, left),
              el('td', {}, left === right ? '=' : right),
            ),
          ),
        ),
      ),
    ),
  );
}
