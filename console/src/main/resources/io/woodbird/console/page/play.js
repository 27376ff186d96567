// The Play tab: put names in, ask, take out, and see why the bird says what it says.

import { speech } from './answer.js';
import { byId, calm, delayed, el, responsive, show } from './dom.js';
import { Cabinet } from './cabinet.js';
import { Classroom } from './classroom.js';
import { CrowdPicture } from './crowd.js';
import { CabinetPicture, house } from './draw.js';
import { renderFacts } from './facts.js';
import { done, renderLesson } from './lesson-card.js';
import { LESSONS } from './lessons.js';
import { Link, remember } from './link.js';
import { showCharts } from './play-charts.js';
import { sing, soundOn, switchSound } from './sound.js';
import { count, onLanguage, t } from './text.js';
import { mostHashes, powersOnly, SCHEMES } from './toys.js';
import { toyBoard } from './histogram.js';

const SIZES = [16, 24, 32, 48, 64, 96, 128, 192, 256, 4096];
const CROWD = 1024; // From here on drawers are too small to be touched.
const WATCHED_NAMES = 1500;
const NAMES_A_FRAME = 6;
const POOL = (
  'Ada Lin Bob Mia Tom Eve Max Zoe Kai Ivy Leo Amy Ben Noa Sam Uma Ian Eli Joy Rex Ida Gus Fay Ned ' +
  'Una Otto Vera Hugo Nora Emil Rosa Karl Lena Paul Iris Omar Tara Finn Jade Cleo'
).split(' ');
const SAMPLE = 1000;
const MOST_NAMES = 2000;
const LONGEST_NAME = 200;
const LONGEST_LINK = 20000;

const puts = (names) => names.map((name) => ['name', name]);

export class Play {
  constructor() {
    this.cabinet = new Cabinet({ m: 64, k: 3 });
    this.lesson = 0;
    this.log = []; // What was done since the cabinet was empty: ['name' or 'out', a name].
    this.saved = null;
    this.answer = null;
    this.dots = [];
    this.seen = { asked: 0, wrong: 0 };
    show(byId('house'), house());
    const select = { onSelect: (index) => this.who(index) };
    this.drawers = new CabinetPicture(byId('cabinet'), select);
    this.crowd = new CrowdPicture(byId('cabinet'), select);
    this.redraw = responsive(byId('cabinet'), (width) => this.drawPicture(width));
    this.sampleSoon = delayed(() => this.sample(SAMPLE), 60);
    this.classroom = new Classroom(this);
    this.wire();
    onLanguage(() => this.speakAgain());
    this.speakAgain();
  }

  // What the cabinet is drawn with: drawers one by one, or thousands of them.
  get picture() {
    return this.cabinet.m >= CROWD ? this.crowd : this.drawers;
  }

  drawPicture(width) {
    this.picture.draw(this.cabinet, width);
    const { drawers = [], empty = [] } = this.answer || {};
    this.picture.mark(drawers, this.answer?.kind === 'not' ? empty : []);
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
    byId('watch').addEventListener('click', () =>
      this.watching ? this.stopWatch() : this.watch(),
    );
    byId('sound').addEventListener('click', () => {
      switchSound();
      this.renderTools();
      sing('maybe');
    });
  }

  sizes(scheme = this.cabinet.scheme) {
    return powersOnly(scheme) ? SIZES.filter((size) => Math.log2(size) % 1 === 0) : SIZES;
  }

  // A link is a lesson, or a whole cabinet; a tab that is only shown again stays as it was.
  show(parameters) {
    const link = new Link(parameters);
    if (!link.empty) this.follow(link);
    else if (this.saved === null) this.startLesson(1);
    remember('play', this.saved);
    this.redraw();
  }

  follow(link) {
    if (link.parameters.has('lesson')) {
      this.startLesson(link.number('lesson', 1, LESSONS.length, 1));
    } else {
      const scheme = link.choice('hash', Object.keys(SCHEMES), 'woodbird');
      const setup = {
        scheme,
        m: Number(link.choice('m', this.sizes(scheme).map(String), '64')),
        k: link.number('k', 1, mostHashes(scheme), 3),
        counting: link.choice('counters', ['0', '1'], '0') === '1',
      };
      this.lesson = link.number('from', 1, LESSONS.length, 0);
      this.build(setup, this.logOf(link));
      this.renderLesson();
      this.saveState(false);
    }
    if (link.refused.length) link.sayRefused();
  }

  // Who was put in and taken out, in the order of the link.
  logOf(link) {
    const log = puts(this.pool(link.number('fill', 0, MOST_NAMES, 0)));
    for (const [what, name] of link.parameters) {
      if (what !== 'name' && what !== 'out') continue;
      if (name.length <= LONGEST_NAME && log.length < MOST_NAMES) log.push([what, name]);
      else link.refuse(what, name);
    }
    return log;
  }

  startLesson(number) {
    const setup = LESSONS[number - 1];
    this.lesson = number;
    const names = setup.names || this.pool(setup.fill || 0);
    this.build({ scheme: 'woodbird', counting: false, ...setup }, puts(names));
    byId('name').value = setup.name;
    this.saved = [['lesson', number]];
    this.renderLesson();
  }

  pool(amount) {
    return Array.from({ length: amount }, (_, i) => POOL[i] || 'guest ' + (i + 1));
  }

  // Makes a new cabinet and does again what the log says, without animation.
  build({ m, k, scheme, counting }, log) {
    const sizes = this.sizes(scheme);
    const size = sizes.reduce((best, one) => (Math.abs(one - m) < Math.abs(best - m) ? one : best));
    const hashes = Math.min(mostHashes(scheme), k);
    this.stopWatch();
    this.cabinet = new Cabinet({ m: size, k: hashes, scheme, counting });
    this.log = log;
    for (const [what, name] of log) {
      if (what === 'out') this.cabinet.remove(name);
      else this.cabinet.put(name);
    }
    this.answer = null;
    this.dots = [];
    this.changed();
    this.renderAnswer();
    this.redraw();
  }

  // Another shape for the same names: a person who moves a slider wants to compare.
  reshape(change, names = this.cabinet.names) {
    const { m, k, scheme, counting } = this.cabinet;
    this.build({ m, k, scheme, counting, ...change }, puts(names));
    this.saveState();
  }

  // Puts a name in, unless the cabinet has had as many as the page can draw.
  add(name) {
    if (this.log.length >= MOST_NAMES) return null;
    this.log.push(['name', name]);
    return this.cabinet.put(name);
  }

  put(name) {
    const drawers = this.add(name);
    if (!drawers) return this.refuse();
    this.answer = { kind: 'put', name, drawers };
    this.picture.mark(drawers, []);
    this.picture.roll(drawers);
    this.changed();
    this.renderAnswer();
    this.saveState();
  }

  refuse() {
    this.answer = { kind: 'most' };
    this.picture.mark([], []);
    this.renderAnswer();
  }

  // Asks the bird; in class, after everybody has guessed.
  ask(name) {
    const asked = this.cabinet.ask(name);
    if (this.classroom.waits) {
      this.answer = { ...asked, kind: 'guess' };
      this.picture.mark(asked.drawers, []);
      this.renderAnswer();
      return;
    }
    this.reveal(asked);
  }

  reveal(asked) {
    this.answer = { ...asked, kind: asked.maybe ? 'maybe' : 'not' };
    this.picture.mark(asked.drawers, asked.empty);
    this.renderAnswer();
    sing(this.answer.kind);
    this.learnt();
  }

  guessed(guess) {
    const asked = this.answer;
    this.reveal(asked);
    this.classroom.count(guess, this.answer.kind);
  }

  // Takes a question back that nobody has answered.
  unask() {
    if (this.answer?.kind !== 'guess') return;
    this.answer = null;
    this.picture.mark([], []);
    this.renderAnswer();
  }

  // Something was done in this lesson.
  learnt() {
    if (this.lesson && done.add(this.lesson)) this.renderLesson();
  }

  // Fills the cabinet before one's eyes, and asks strangers on the way.
  watch() {
    let frames = 0;
    this.watching = true;
    this.renderTools();
    const step = () => {
      if (!this.watching) return;
      const from = this.cabinet.names.length;
      const more = calm() ? WATCHED_NAMES : NAMES_A_FRAME;
      for (const name of this.pool(Math.min(from + more, WATCHED_NAMES)).slice(from))
        this.add(name);
      const ended = this.cabinet.names.length >= WATCHED_NAMES || this.log.length >= MOST_NAMES;
      if (frames++ % 16 === 0 || ended) this.sample(SAMPLE / 4);
      this.picture.refresh();
      this.renderFacts();
      if (ended) this.stopWatch();
      else requestAnimationFrame(step);
    };
    step();
  }

  stopWatch() {
    if (!this.watching) return;
    this.watching = false;
    this.renderTools();
    this.filled(this.cabinet.names.length, []);
  }

  remove(name) {
    const { drawers, done } = this.cabinet.remove(name);
    if (done) this.log.push(['out', name]);
    this.answer = { kind: done ? 'removed' : 'absent', name, drawers };
    this.picture.mark(drawers, []);
    this.picture.refresh();
    this.changed();
    this.renderAnswer();
    this.saveState();
  }

  fill(amount) {
    const from = this.cabinet.names.length;
    let added = 0;
    let drawers = [];
    for (const name of this.pool(from + amount).slice(from)) {
      const put = this.add(name);
      if (!put) break;
      drawers = put;
      added++;
    }
    this.filled(added, added === 1 ? drawers : []);
  }

  fillTo(share) {
    let added = 0;
    while (this.cabinet.fill < share && this.add(this.pool(this.cabinet.names.length + 1).at(-1))) {
      added++;
    }
    this.filled(added, []);
  }

  filled(amount, drawers) {
    if (amount === 0 && this.log.length >= MOST_NAMES) return this.refuse();
    this.answer = { kind: 'filled', amount, drawers };
    this.picture.mark([], []);
    if (drawers.length) this.picture.roll(drawers);
    this.changed();
    this.renderAnswer();
    this.saveState();
  }

  changed() {
    this.seen = { asked: 0, wrong: 0 };
    if (this.picture.cabinet?.m === this.cabinet.m) {
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

  // Writes the cabinet into the address, from which it comes back: by a reload, by Back, for others.
  saveState(learnt = true) {
    if (learnt) this.learnt();
    const { m, k, scheme, counting } = this.cabinet;
    const state = [
      ['m', m],
      ['k', k],
    ];
    if (this.lesson) state.push(['from', this.lesson]);
    if (scheme !== 'woodbird') state.push(['hash', scheme]);
    if (counting) state.push(['counters', 1]);
    const { log } = this;
    const pool = this.pool(log.length);
    const other = log.findIndex(([what, name], i) => what === 'out' || name !== pool[i]);
    let kept = other < 0 ? log.length : other;
    if (kept > 1) state.push(['fill', kept]);
    else kept = 0;
    let length = 0;
    for (; kept < log.length; kept++) {
      length += new URLSearchParams([log[kept]]).toString().length + 1;
      if (length > LONGEST_LINK) break;
      state.push(log[kept]);
    }
    this.saved = state;
    this.limit = kept < log.length ? { kept: count(kept), all: count(log.length) } : null;
    this.renderLimit();
    remember('play', state);
  }

  renderLimit() {
    byId('link-limit').hidden = !this.limit;
    byId('link-limit').textContent = this.limit ? t('play.linkLimit', this.limit) : '';
  }

  speakAgain() {
    this.renderSettings();
    this.renderLesson();
    this.renderAnswer();
    this.renderLimit();
    this.renderFacts();
    this.renderCharts();
    show(byId('toys'), toyBoard());
    this.redraw();
    byId('who').textContent = t('play.whoHint');
  }

  renderSettings() {
    const { m, k, scheme, counting } = this.cabinet;
    const sizes = this.sizes();
    Object.assign(byId('m'), { max: sizes.length - 1, value: sizes.indexOf(m) });
    Object.assign(byId('k'), { max: mostHashes(scheme), value: k });
    byId('m').setAttribute('aria-valuetext', count(m));
    byId('k').setAttribute('aria-valuetext', k);
    byId('m-value').textContent = count(m);
    byId('k-value').textContent = k;
    byId('counting').checked = counting;
    show(
      byId('scheme'),
      Object.keys(SCHEMES).map((name) => el('option', { value: name }, t('scheme.' + name))),
    );
    byId('scheme').value = scheme;
    this.renderTools();
  }

  renderLesson() {
    renderLesson(byId('lesson'), this.lesson);
  }

  // The buttons above the stage, and the one that only a large cabinet has.
  renderTools() {
    byId('sound').setAttribute('aria-pressed', soundOn());
    byId('sound').textContent = t(soundOn() ? 'sound.on' : 'sound.off');
    byId('watch').hidden = this.cabinet.m < CROWD;
    byId('watch').textContent = t(this.watching ? 'play.watchStop' : 'play.watch');
  }

  renderFacts() {
    renderFacts(this.cabinet, this.seen);
  }

  renderAnswer() {
    const say = byId('say');
    const { answer } = this;
    const sings = answer && (answer.kind === 'maybe' || answer.kind === 'not');
    byId('house').classList.toggle('out', Boolean(sings));
    say.dataset.answer = answer ? answer.kind : '';
    show(byId('class-said'));
    show(
      say,
      speech(answer, this.cabinet, MOST_NAMES),
      answer?.kind === 'guess' ? this.classroom.choices((guess) => this.guessed(guess)) : null,
    );
  }

  who(index) {
    byId('who').textContent = this.picture.describe(index);
  }

  renderCharts() {
    this.redrawCharts = showCharts(this);
  }
}
