// The guards of several processes in one table, the worst first.

import { el, plain, scrolling } from './dom.js';
import { count, t } from './text.js';

const [STOPPED, UNKNOWN] = [1, 5];
const GONE = 5;
const DOUBT = 4;
const OTHER_GENERATION = 3;
const UNSURE = 2;
const WAITS = 1;

// What an instance said, or null if that was no answer.
function parse(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

const serving = (guard) => guard.generations.find((one) => one.state === 'SERVING');

// The value that most have; of those that equally many have, the largest.
function usual(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const best = [...counts].sort(([a, n], [b, m]) => m - n || b - a)[0];
  return best ? best[0] : undefined;
}

export class Instances {
  constructor() {
    this.before = new Map(); // The counts of a guard of an instance at the last look.
  }

  // A row for each guard of each instance; here is what this process shows itself.
  rows(look) {
    const all = [
      { address: t('instances.here'), answered: true, guards: look.guards },
      ...look.instances.map((one) => {
        const said = parse(one.answer);
        return {
          address: one.address,
          answered: said !== null,
          guards: said?.guards ?? [],
          problem: one.problem,
        };
      }),
    ];
    const generations = new Map();
    for (const { guards } of all) {
      for (const guard of guards) {
        const number = serving(guard)?.number;
        if (number !== undefined)
          generations.set(guard.name, [...(generations.get(guard.name) ?? []), number]);
      }
    }
    const rows = all.flatMap(({ address, answered, guards, problem }, i) => {
      if (!answered) return [{ address, gone: true, problem, bad: problem ? GONE : 0 }];
      if (!guards.length) return i === 0 ? [] : [{ address, bad: 0 }];
      return guards.map((guard) =>
        this.row(address, guard, usual(generations.get(guard.name) ?? []), look.now),
      );
    });
    return rows.sort(
      (a, b) => b.bad - a.bad || (a.guard?.name ?? '').localeCompare(b.guard?.name ?? ''),
    );
  }

  row(address, guard, expected, now) {
    const key = address + '\n' + guard.name;
    const last = this.before.get(key);
    const seconds = last ? (now - last.now) / 1000 : 0;
    const rate = (index) =>
      seconds > 0 ? Math.max(0, guard.counts[index] - last.counts[index]) / seconds : 0;
    const rates = seconds > 0.2 ? { stopped: rate(STOPPED), unknown: rate(UNKNOWN) } : last?.rates;
    const kept = rates ?? { stopped: 0, unknown: 0 };
    if (!last || seconds > 0.2) this.before.set(key, { now, counts: guard.counts, rates: kept });
    const generation = serving(guard);
    const different = generation !== undefined && generation.number !== expected;
    const bad = guard.doubts.length
      ? DOUBT
      : different
        ? OTHER_GENERATION
        : kept.unknown > 0
          ? UNSURE
          : guard.waiting > 0
            ? WAITS
            : 0;
    return { address, guard, generation, different, bad, ...kept };
  }

  table(look) {
    const heads = [
      'instance',
      'guard',
      'generation',
      'keys',
      'stopped',
      'unknown',
      'waiting',
      'state',
    ];
    return el(
      'div',
      { class: 'card' },
      el('h2', {}, t('instances.title')),
      el('p', { class: 'note' }, t('instances.lead')),
      scrolling(
        t('instances.title'),
        el(
          'table',
          { class: 'instances' },
          el(
            'thead',
            {},
            el(
              'tr',
              {},
              heads.map((name) => el('th', { scope: 'col' }, t('instances.' + name))),
            ),
          ),
          el(
            'tbody',
            {},
            this.rows(look).map((row) => this.line(row)),
          ),
        ),
      ),
    );
  }

  line({ address, guard, generation, different, bad, gone, problem, stopped, unknown }) {
    if (!guard) {
      const text = !gone
        ? t('instances.empty')
        : problem
          ? t('instances.unreachable', { why: problem })
          : t('instances.asking');
      return el(
        'tr',
        { 'data-bad': bad },
        el('th', { scope: 'row' }, plain(address)),
        el('td', { colspan: 6 }),
        el('td', { class: bad ? 'bad' : 'note' }, text),
      );
    }
    const cell = (name, text, cls) =>
      el('td', { class: cls, 'data-label': t('instances.' + name) }, text);
    return el(
      'tr',
      { 'data-bad': bad },
      el('th', { scope: 'row' }, plain(address)),
      cell('guard', plain(guard.name)),
      cell(
        'generation',
        generation ? '#' + generation.number : '–',
        different ? 'different' : null,
      ),
      cell('keys', generation ? count(generation.keys) : '–'),
      cell('stopped', count(Math.round(stopped))),
      cell('unknown', count(Math.round(unknown))),
      cell('waiting', guard.follows ? count(guard.waiting) : '–'),
      cell('state', this.word(guard, bad), bad >= UNSURE ? 'bad' : bad ? null : 'fine'),
    );
  }

  word(guard, bad) {
    if (bad === DOUBT) return '! ' + guard.doubts.map(plain).join(' ');
    if (bad === OTHER_GENERATION) return '! ' + t('instances.different');
    if (bad === UNSURE) return '! ' + t('instances.unsure');
    return bad === WAITS ? t('instances.waits') : '✓ ' + t('instances.fine');
  }
}
