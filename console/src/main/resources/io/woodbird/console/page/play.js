// The Play tab: put names in, ask, take out, and see why the bird says what it says.

import { byId, delayed, el, responsive, show } from './dom.js';
import { bestK, Cabinet, formula } from './cabinet.js';
import { figure, lines } from './chart.js';
import { CabinetPicture, house } from './draw.js';
import { LESSONS } from './lessons.js';
import { chance, count, onLanguage, roundChance, t } from './text.js';
import { mostHashes, powersOnly, SCHEMES } from './toys.js';
import { toyBoard } from './histogram.js';

const SIZES = [16, 24, 32, 48, 64, 96, 128, 192, 256];
const POOL = (
  'Ada Lin Bob Mia Tom Eve Max Zoe Kai Ivy Leo Amy Ben Noa Sam Uma Ian Eli Joy Rex Ida Gus Fay Ned ' +
  'Una Otto Vera Hugo Nora Emil Rosa Karl Lena Paul Iris Omar Tara Finn Jade Cleo'
).split(' ');
const SAMPLE = 1000;
const NAMES_IN_LINK = 200;
const MOST_NAMES = 2000;

export class Play {
  constructor(remember) {
    this.remember = remember;
    this.cabinet = new Cabinet({ m: 64, k: 3 });
    this.lesson = 0;
    this.answer = null;
    this.dots = [];
    this.seen = { asked: 0, wrong: 0 };
    show(byId('house'), house());
    this.picture = new CabinetPicture(byId('cabinet'), { onSelect: (index) => this.who(index) });
    this.redraw = responsive(byId('cabinet'), (width) => this.picture.draw(this.cabinet, width));
    this.sampleSoon = delayed(() => this.sample(SAMPLE), 60);
    this.wire();
    onLanguage(() => this.speakAgain());
    this.speakAgain();
  }

  wire() {
    const name = byId('name');
    const typed = () => name.value.trim() || name.value;
    byId('play-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.put(typed());
    });
    name.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && event.shiftKey) {
        event.preventDefault();
        this.ask(typed());
      }
    });
    byId('ask').addEventListener('click', () => this.ask(typed()));
    byId('remove').addEventListener('click', () => this.remove(typed()));
    byId('clear').addEventListener('click', () => this.reshape({}, []));
    byId('m').addEventListener('input', () => this.reshape({ m: this.sizes()[byId('m').value] }));
    byId('k').addEventListener('input', () => this.reshape({ k: Number(byId('k').value) }));
    byId('scheme').addEventListener('change', () => this.reshape({ scheme: byId('scheme').value }));
    byId('counting').addEventListener('change', () =>
      this.reshape({ counting: byId('counting').checked }),
    );
    byId('fill-1').addEventListener('click', () => this.fill(1));
    byId('fill-10').addEventListener('click', () => this.fill(10));
    byId('fill-half').addEventListener('click', () => this.fillTo(0.5));
    byId('fill-all').addEventListener('click', () => this.fillTo(1));
    byId('strangers').addEventListener('click', () => this.sample(10 * SAMPLE, true));
  }

  sizes() {
    return powersOnly(this.cabinet.scheme)
      ? SIZES.filter((size) => Math.log2(size) % 1 === 0)
      : SIZES;
  }

  // The state of the address: a lesson, or a cabinet of one's own.
  show(parameters) {
    const lesson = Number(parameters.get('lesson'));
    if (lesson >= 1 && lesson <= LESSONS.length) {
      this.startLesson(lesson);
    } else if (parameters.has('m')) {
      const from = Number(parameters.get('from'));
      this.lesson = from >= 1 && from <= LESSONS.length ? from : 0;
      const fill = Math.min(MOST_NAMES, Number(parameters.get('fill')) || 0);
      const names = fill > 0 ? this.pool(fill) : parameters.getAll('name');
      const setup = {
        m: Number(parameters.get('m')),
        k: Number(parameters.get('k')),
        scheme: parameters.get('hash') || 'woodbird',
        counting: parameters.get('counters') === '1',
      };
      this.build(setup, names);
      this.renderLesson();
    } else if (this.cabinet.names.length === 0) {
      this.startLesson(1);
    }
    this.redraw();
  }

  startLesson(number) {
    const setup = LESSONS[number - 1];
    this.lesson = number;
    const names = setup.names || this.pool(setup.fill || 0);
    this.build({ scheme: 'woodbird', counting: false, ...setup }, names);
    byId('name').value = setup.name;
    this.renderLesson();
  }

  pool(amount) {
    return Array.from({ length: amount }, (_, i) => POOL[i] || 'guest ' + (i + 1));
  }

  // Makes a new cabinet and puts the names in, without animation.
  build({ m, k, scheme, counting }, names) {
    const known = scheme in SCHEMES ? scheme : 'woodbird';
    const sizes = powersOnly(known) ? SIZES.filter((size) => Math.log2(size) % 1 === 0) : SIZES;
    const size = sizes.reduce((best, one) => (Math.abs(one - m) < Math.abs(best - m) ? one : best));
    const hashes = Math.max(1, Math.min(mostHashes(known), Math.round(k) || 3));
    this.cabinet = new Cabinet({ m: size, k: hashes, scheme: known, counting });
    for (const name of names.slice(0, MOST_NAMES)) this.cabinet.put(name);
    this.answer = null;
    this.dots = [];
    this.changed();
    this.picture.mark([], []);
    this.renderAnswer();
    this.redraw();
  }

  // Another shape for the same names: a person who moves a slider wants to compare.
  reshape(change, names = this.cabinet.names) {
    const { m, k, scheme, counting } = this.cabinet;
    this.build({ m, k, scheme, counting, ...change }, names);
    this.saveState();
  }

  put(name) {
    const drawers = this.cabinet.put(name);
    this.answer = { kind: 'put', name, drawers };
    this.picture.mark(drawers, []);
    this.picture.roll(drawers);
    this.changed();
    this.renderAnswer();
    this.saveState();
  }

  ask(name) {
    const asked = this.cabinet.ask(name);
    this.answer = { kind: asked.maybe ? 'maybe' : 'not', ...asked };
    this.picture.mark(asked.drawers, asked.empty);
    this.renderAnswer();
  }

  remove(name) {
    const { drawers, done } = this.cabinet.remove(name);
    this.answer = { kind: done ? 'removed' : 'absent', name, drawers };
    this.picture.mark(drawers, []);
    this.picture.refresh();
    this.changed();
    this.renderAnswer();
    this.saveState();
  }

  fill(amount) {
    const from = this.cabinet.names.length;
    const names = this.pool(from + amount).slice(from);
    let drawers = [];
    for (const name of names) drawers = this.cabinet.put(name);
    this.answer = { kind: 'filled', amount, drawers };
    this.picture.mark([], []);
    if (amount === 1) this.picture.roll(drawers);
    this.changed();
    this.picture.refresh();
    this.renderAnswer();
    this.saveState();
  }

  fillTo(share) {
    let amount = 0;
    while (this.cabinet.fill < share && amount < 1500) {
      this.cabinet.put(this.pool(this.cabinet.names.length + 1).at(-1));
      amount++;
    }
    this.answer = { kind: 'filled', amount, drawers: [] };
    this.picture.mark([], []);
    this.changed();
    this.renderAnswer();
    this.saveState();
  }

  changed() {
    this.seen = { asked: 0, wrong: 0 };
    if (this.picture.cells.length === this.cabinet.m) {
      this.picture.cabinet = this.cabinet;
      this.picture.refresh();
    }
    this.renderSettings();
    this.renderFacts();
    this.sampleSoon();
  }

  // Asks strangers, so that the rate really seen can stand beside the formula.
  sample(amount, more) {
    if (!more) this.seen = { asked: 0, wrong: 0 };
    this.seen.wrong += this.cabinet.strangers(amount, this.seen.asked);
    this.seen.asked += amount;
    const n = this.cabinet.names.length;
    this.dots = this.dots.filter(([x]) => x !== n).concat([[n, this.seen.wrong / this.seen.asked]]);
    this.renderFacts();
    this.redrawCharts?.();
  }

  saveState() {
    const { m, k, scheme, counting, names } = this.cabinet;
    const state = [
      ['m', m],
      ['k', k],
    ];
    if (this.lesson) state.push(['from', this.lesson]);
    if (scheme !== 'woodbird') state.push(['hash', scheme]);
    if (counting) state.push(['counters', 1]);
    const pool = this.pool(names.length);
    if (names.length > 1 && names.every((name, i) => name === pool[i])) {
      state.push(['fill', names.length]);
    } else {
      for (const name of names.slice(0, NAMES_IN_LINK)) state.push(['name', name]);
    }
    this.remember('play', state);
  }

  speakAgain() {
    this.renderSettings();
    this.renderLesson();
    this.renderAnswer();
    this.renderFacts();
    this.renderCharts();
    setTimeout(() => show(byId('toys'), toyBoard()), 30); // After the first paint.
    this.redraw();
    byId('who').textContent = t('play.whoHint');
  }

  renderSettings() {
    const { m, k, scheme, counting } = this.cabinet;
    const sizes = this.sizes();
    Object.assign(byId('m'), { max: sizes.length - 1, value: sizes.indexOf(m) });
    Object.assign(byId('k'), { max: mostHashes(scheme), value: k });
    byId('m').setAttribute('aria-valuetext', m);
    byId('m-value').textContent = m;
    byId('k-value').textContent = k;
    byId('counting').checked = counting;
    show(
      byId('scheme'),
      Object.keys(SCHEMES).map((name) => el('option', { value: name }, t('scheme.' + name))),
    );
    byId('scheme').value = scheme;
  }

  renderLesson() {
    const current = this.lesson;
    const chips = LESSONS.map((_, i) =>
      el(
        'a',
        {
          href: '#play?lesson=' + (i + 1),
          class: 'chip',
          'aria-current': current === i + 1 ? 'step' : null,
          'aria-label': t('lesson.n', { n: i + 1 }) + ': ' + t(`lesson.${i + 1}.title`),
        },
        String(i + 1),
      ),
    );
    const parts = [
      el('div', { class: 'chips' }, el('span', { class: 'chips-name' }, t('lessons')), chips),
    ];
    if (current) {
      parts.push(
        el(
          'div',
          { class: 'lesson-text' },
          el('h2', {}, t(`lesson.${current}.title`)),
          el('p', {}, t(`lesson.${current}.text`)),
          el(
            'p',
            { class: 'try' },
            el('strong', {}, t('lesson.try')),
            ' ',
            t(`lesson.${current}.try`),
          ),
        ),
      );
    }
    show(byId('lesson'), parts);
  }

  renderFacts() {
    const { cabinet, seen } = this;
    const n = cabinet.names.length;
    const facts = [
      ['names', count(n), t('fact.names')],
      ['full', `${cabinet.full} / ${cabinet.m}`, t('fact.full', { percent: chance(cabinet.fill) })],
      ['formula', chance(formula(cabinet.m, cabinet.k, n)), t('fact.formula')],
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
    const full = cabinet.fill > 0.9 ? ' ' + t('play.explainFull') : '';
    byId('explain').textContent =
      t('play.explainText', {
        n: count(n),
        m: cabinet.m,
        k: cabinet.k,
        full: cabinet.full,
        rate: chance(formula(cabinet.m, cabinet.k, n)),
      }) + full;
  }

  renderAnswer() {
    const say = byId('say');
    const { answer } = this;
    const sings = answer && (answer.kind === 'maybe' || answer.kind === 'not');
    byId('house').classList.toggle('out', Boolean(sings));
    if (!answer) {
      show(say, el('p', { class: 'word hush' }, t('say.hush')), el('p', {}, t('say.hushWhy')));
      say.dataset.answer = '';
      return;
    }
    say.dataset.answer = answer.kind;
    const wrong = answer.kind === 'not' && answer.real;
    const word = { maybe: 'say.maybe', not: 'say.not' }[answer.kind] || 'say.done';
    const mark = { maybe: '?', not: '✕' }[answer.kind] || '✓';
    show(
      say,
      el(
        'p',
        { class: 'word ' + (wrong ? 'wrong' : answer.kind) },
        el('span', { class: 'mark', 'aria-hidden': 'true' }, mark),
        t(word),
      ),
      el('p', {}, this.why(answer)),
    );
  }

  why({ kind, name, drawers, empty, real, others, amount }) {
    const shown = name === '' ? t('say.empty') : '“' + name + '”';
    const list = (items) => [...new Set(items)].join(t('list'));
    switch (kind) {
      case 'put':
        return t('say.put', { name: shown, drawers: list(drawers) });
      case 'filled':
        return t('say.filled', { amount: count(amount) });
      case 'absent':
        return t('say.absent', { name: shown });
      case 'removed':
        return t(this.cabinet.counting ? 'say.removed' : 'say.removedBadly', { name: shown });
      case 'not':
        if (real) return t('say.lost', { name: shown, drawer: empty[0] });
        return t(this.cabinet.broken ? 'say.notBroken' : 'say.notWhy', {
          name: shown,
          drawer: empty[0],
        });
      default: {
        if (real) return t('say.maybeReal', { name: shown, drawers: list(drawers) });
        const whose = drawers.map((drawer, i) =>
          t('say.whose', { drawer, name: others[i][0] || '?' }),
        );
        return t('say.maybeWrong', { name: shown, whose: list(whose) });
      }
    }
  }

  who(index) {
    byId('who').textContent = this.picture.describe(index);
  }

  renderCharts() {
    const n = () => this.cabinet.names.length;
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
                formula(this.cabinet.m, this.cabinet.k, s * top()),
              ]),
            },
            { cls: 'seen', dots: true, points: this.dots.filter(([x]) => x <= top()) },
          ],
          marks: [{ x: n(), text: t('chart.here') }],
        }),
      () => [
        [t('chart.names'), t('fact.formula'), t('chart.seen')],
        [...this.dots]
          .sort((a, b) => a[0] - b[0])
          .map(([x, y]) => [
            count(x),
            chance(formula(this.cabinet.m, this.cabinet.k, x)),
            chance(y),
          ]),
      ],
    );
    const ks = [1, 2, 3, 4, 5, 6, 7, 8];
    const rate = (k) => formula(this.cabinet.m, k, n());
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
          marks: [{ x: this.cabinet.k, y: rate(this.cabinet.k), text: t('chart.here') }],
        });
      },
      () => [[t('play.marbles'), t('fact.formula')], ks.map((k) => [String(k), chance(rate(k))])],
    );
    show(byId('play-charts'), error.node, marbles.node);
    this.redrawCharts = () => {
      error.redraw();
      marbles.redraw();
    };
  }
}
