// The Guards tab: what guards count, over time, and the attack that shows what they are for.

import { ask, byId, el, plain, show, svg } from './dom.js';
import { areas, canvas, figure, legend } from './chart.js';
import { Instances } from './instances.js';
import { clock, count, gap, onLanguage, problemText, t } from './text.js';

const STEP = 1000;
const WINDOW = 120;
const [ASKED, STOPPED, LOADED, FOUND, FALSE_POSITIVES, UNKNOWN, PROOFS] = [0, 1, 2, 3, 4, 5, 6];

// What became of the questions: stopped, found, a wrong "maybe", and the rest, which the filter could
// not tell. They add up to those asked, so what was found is no part of the rest.
export function parts(counts) {
  const shown = [STOPPED, FOUND, FALSE_POSITIVES].map((index) => counts[index] ?? 0);
  return [...shown, shown.reduce((rest, count) => rest - count, counts[ASKED] ?? 0)];
}

export class Guards {
  constructor() {
    this.samples = [];
    this.figures = new Map();
    this.instances = new Instances();
    this.turn = 0;
    this.pending = []; // What was asked for and not yet answered.
    this.sending = Promise.resolve();
    document.addEventListener('visibilitychange', () => this.tick());
    onLanguage(() => {
      this.figures.clear();
      this.demoNode = null;
      if (this.visible && this.look) this.render();
    });
  }

  async show() {
    this.visible = true;
    await this.tick();
  }

  hide() {
    this.visible = false;
    clearTimeout(this.timer);
  }

  since() {
    return this.samples.length ? this.samples.at(-1).number : 0;
  }

  // Once a second, while somebody looks. The newest turn goes on; those before it end, so that a
  // page that is hidden and shown again asks no more often than before.
  async tick() {
    clearTimeout(this.timer);
    const turn = ++this.turn;
    if (!this.visible || document.hidden) return;
    await this.take(() => ask('guards?since=' + this.since()));
    if (this.visible && turn === this.turn) this.timer = setTimeout(() => this.tick(), STEP);
  }

  async take(question) {
    try {
      const look = await question();
      const known = this.since();
      this.samples.push(...look.samples.filter((sample) => sample.number > known));
      this.samples = this.samples.slice(-2 * WINDOW);
      this.look = look;
      this.problem = null;
    } catch (error) {
      this.problem = error;
    }
    this.render();
  }

  // What is asked for is shown at once, and sent in its order.
  command(action) {
    this.pending.push(action);
    this.render();
    this.sending = this.sending.then(() =>
      this.take(async () => {
        try {
          return await ask('attack', { action, since: this.since() });
        } finally {
          this.pending.shift();
        }
      }),
    );
  }

  demoState() {
    const { demo } = this.look;
    if (demo.starting || (this.pending.includes('start') && !demo.running)) return 'starting';
    if (demo.running) return demo.guarded ? 'on' : 'off';
    return demo.leftAlone ? 'leftAlone' : 'idle';
  }

  render() {
    const demo = byId('guards-demo');
    if (!this.look) {
      show(demo, el('p', { class: 'problem', role: 'alert' }, this.said() || t('loading')));
      return;
    }
    demo.hidden = this.look.demo === null;
    if (this.look.demo) this.renderDemo(demo);
    this.renderGuards();
    show(
      byId('guards-instances'),
      this.look.instances?.length ? this.instances.table(this.look) : null,
    );
    const { problem } = this.look;
    const said = this.said() || (problem && t('guards.failed', { why: problem }));
    show(
      byId('guards-problem'),
      said ? el('p', { class: 'card problem', role: 'alert' }, plain(said)) : null,
    );
  }

  // What went wrong with the last question, in words.
  said() {
    if (!this.problem) return '';
    return this.problem.status === 403 ? t('needToken') : problemText(this.problem);
  }

  // What happened between one sample and the next, a second.
  rates(value) {
    const rates = [];
    for (let i = 1; i < this.samples.length; i++) {
      const [before, after] = [this.samples[i - 1], this.samples[i]];
      const seconds = (after.millis - before.millis) / 1000;
      rates.push(Math.max(0, (value(after) ?? 0) - (value(before) ?? 0)) / Math.max(0.05, seconds));
    }
    return rates.slice(-WINDOW);
  }

  times() {
    return this.samples
      .slice(1)
      .slice(-WINDOW)
      .map((sample) => sample.millis);
  }

  renderDemo(box) {
    const { demo } = this.look;
    if (!this.demoNode) this.buildDemo(box);
    const last = (list) => (list.length ? list.at(-1) : 0);
    const { attack, guard, rebuild, state, requests, queries, lost, problem, chart } =
      this.demoNode;
    rebuild.disabled = !demo.ready;
    attack.textContent = t(demo.running ? 'demo.stop' : 'demo.start');
    attack.setAttribute('aria-pressed', demo.running);
    const now = this.demoState();
    attack.disabled = !demo.available;
    const wish = this.pending.findLast((action) => action.startsWith('guard-'));
    guard.checked = wish ? wish === 'guard-on' : demo.guarded;
    const words = { starting: 'starting', on: 'onState', off: 'offState', leftAlone: 'leftAlone' };
    state.textContent = t('demo.' + (words[now] || 'idle'), { products: count(demo.products) });
    state.className = 'demo-state ' + ({ on: 'fine', off: 'hot' }[now] || '');
    state.dataset.state = now;
    requests.textContent = t('perSecond', {
      n: count(Math.round(last(this.rates((s) => s.requests)))),
    });
    queries.textContent = t('perSecond', {
      n: count(Math.round(last(this.rates((s) => s.queries)))),
    });
    queries.dataset.rate = Math.round(last(this.rates((s) => s.queries)));
    lost.textContent = count(demo.lost);
    const failed = demo.problem && t('demo.failed', { why: demo.problem });
    problem.textContent = this.said() || failed || (demo.available ? '' : t('demo.unavailable'));
    chart.redraw();
  }

  buildDemo(box) {
    const { demo } = this.look;
    const attack = el('button', {
      type: 'button',
      class: 'main',
      id: 'attack',
      onclick: () => this.command(this.look.demo.running ? 'stop' : 'start'),
    });
    const guard = el('input', {
      type: 'checkbox',
      id: 'guard',
      role: 'switch',
      onchange: (event) => this.command(event.target.checked ? 'guard-on' : 'guard-off'),
    });
    const rebuild = el(
      'button',
      { type: 'button', id: 'rebuild', onclick: () => this.command('rebuild') },
      t('demo.rebuild'),
    );
    const state = el('span', { role: 'status', id: 'demo-state' });
    const requests = el('dd', { id: 'demo-requests' });
    const queries = el('dd', { id: 'demo-queries' });
    const lost = el('dd', { id: 'demo-lost' });
    const problem = el('p', { class: 'note' });
    const chart = figure(
      t('demo.chart'),
      legend([
        ['requests line', t('demo.requests')],
        ['database', t('demo.queries')],
      ]),
      (width) =>
        areas({
          width,
          title: t('demo.chart'),
          times: this.times(),
          clock,
          format: (n) => count(Math.round(n)),
          layers: [{ cls: 'database', values: this.rates((s) => s.queries) }],
          line: { cls: 'requests', values: this.rates((s) => s.requests) },
        }),
      () => {
        const [asked, seen] = [this.rates((s) => s.requests), this.rates((s) => s.queries)];
        return [
          [t('time'), t('demo.requests'), t('demo.queries')],
          this.times().map((time, i) => [
            clock(time),
            count(Math.round(asked[i])),
            count(Math.round(seen[i])),
          ]),
        ];
      },
    );
    this.demoNode = { attack, guard, rebuild, state, requests, queries, lost, problem, chart };
    show(
      box,
      el('h2', {}, t('demo.title')),
      el('p', {}, t('demo.lead', { products: count(demo.products) }), gap(), t('demo.unwatched')),
      el(
        'div',
        { class: 'demo-controls' },
        attack,
        el('label', { class: 'switch' }, guard, el('span', {}, t('demo.guard'))),
        rebuild,
        state,
      ),
      problem,
      el(
        'dl',
        { class: 'facts tiles-facts' },
        el('div', {}, el('dt', {}, t('demo.requests')), requests),
        el('div', {}, el('dt', {}, t('demo.queries')), queries),
        el('div', {}, el('dt', {}, t('demo.lost')), lost),
      ),
      chart.node,
    );
  }

  renderGuards() {
    const list = byId('guards-list');
    const { guards } = this.look;
    if (!guards.length) {
      this.figures.clear();
      show(
        list,
        el(
          'div',
          { class: 'card' },
          el('h2', {}, t('guards.none')),
          el('p', {}, t('guards.noneWhy')),
        ),
      );
      return;
    }
    const names = guards.map((guard) => guard.name);
    if ([...this.figures.keys()].join('\n') !== names.join('\n')) {
      this.figures.clear();
      for (const name of names) this.figures.set(name, this.build(name));
      show(
        list,
        [...this.figures.values()].map((figure) => figure.node),
      );
    }
    for (const guard of guards) this.update(guard);
  }

  build(name) {
    const value = (index) => (sample) => sample.counts[name]?.[index];
    const facts = el('dl', { class: 'facts tiles-facts' });
    const doubts = el('p', { class: 'problem', hidden: true });
    const proofs = el('p', { 'data-proofs': name, hidden: true });
    const layers = () =>
      ['stopped', 'found', 'false', 'unknown'].map((cls, part) => ({
        cls,
        values: this.rates((sample) => parts(sample.counts[name] ?? [])[part]),
      }));
    const chart = figure(
      t('guards.chart'),
      legend([
        ['stopped', t('guards.stopped')],
        ['found', t('guards.found')],
        ['false', t('guards.falsePositives')],
        ['unknown', t('guards.missed')],
      ]),
      (width) =>
        areas({
          width,
          title: t('guards.chart'),
          times: this.times(),
          clock,
          format: (n) => count(Math.round(n)),
          layers: layers(),
        }),
      () => {
        const all = layers();
        return [
          [
            t('time'),
            ...['stopped', 'found', 'falsePositives', 'missed'].map((key) => t('guards.' + key)),
          ],
          this.times().map((time, i) => [
            clock(time),
            ...all.map((layer) => count(Math.round(layer.values[i]))),
          ]),
        ];
      },
    );
    let generations = [];
    const timeline = figure(
      t('guards.generations'),
      t('guards.generationsNote'),
      (width) => this.timeline(width, generations),
      () => [
        [t('guards.generation'), t('guards.state'), t('guards.started'), t('guards.keysIn')],
        generations.map((one) => [
          String(one.number),
          t('generation.' + one.state),
          clock(one.started),
          count(one.keys),
        ]),
      ],
    );
    const node = el(
      'div',
      { class: 'card guard' },
      el('h2', {}, plain(name)),
      doubts,
      proofs,
      facts,
      chart.node,
      timeline.node,
    );
    return {
      node,
      update: (guard) => {
        const counts = this.samples.at(-1)?.counts[name] || [];
        const keys = [
          ['asked', ASKED],
          ['stopped', STOPPED],
          ['loaded', LOADED],
          ['found', FOUND],
          ['falsePositives', FALSE_POSITIVES],
          ['unknown', UNKNOWN],
        ];
        show(
          facts,
          keys.map(([key, index]) =>
            el(
              'div',
              {},
              el('dt', {}, t('guards.' + key)),
              el('dd', { 'data-count': key }, count(counts[index] ?? 0)),
            ),
          ),
        );
        proofs.hidden = !guard.follows;
        proofs.textContent = t('guards.proofs', {
          n: count(counts[PROOFS] ?? 0),
          rate: count(Math.round(this.rates(value(PROOFS)).at(-1) ?? 0)),
          waiting: count(guard.waiting),
          misses: count(guard.misses),
        });
        doubts.hidden = guard.doubts.length === 0;
        doubts.textContent = guard.doubts.map(plain).join(' ');
        generations = guard.generations;
        timeline.node.hidden = generations.length === 0;
        chart.redraw();
        timeline.redraw();
      },
    };
  }

  update(guard) {
    this.figures.get(guard.name).update(guard);
  }

  // One line per generation: built (hatched), serving (full), retired (pale).
  timeline(width, generations) {
    const shown = generations.slice(-6);
    const line = 30;
    const left = 44;
    const node = canvas(width, shown.length * line + 24, t('guards.generations'));
    if (!shown.length) return node;
    const now = this.look.now;
    const from = shown[0].started;
    const px = (time) => left + ((width - left - 10) * (time - from)) / Math.max(1, now - from);
    shown.forEach((one, i) => {
      const y = i * line + 4;
      const served = one.served ?? one.ended ?? now;
      const ended = one.ended ?? now;
      node.append(svg('text', { x: 0, y: y + 16, class: 'axis' }, '#' + one.number));
      node.append(
        svg('rect', {
          x: px(one.started),
          y,
          width: Math.max(3, px(served) - px(one.started)),
          height: 20,
          rx: 3,
          class: 'span ' + (one.state === 'FAILED' ? 'failed' : 'building'),
        }),
      );
      if (one.served) {
        node.append(
          svg('rect', {
            x: px(served),
            y,
            width: Math.max(2, px(ended) - px(served)),
            height: 20,
            rx: 3,
            class: 'span ' + (one.state === 'SERVING' ? 'serving' : 'retired'),
          }),
        );
      }
    });
    node.append(
      svg('text', { x: left, y: shown.length * line + 18, class: 'axis' }, clock(from)),
      svg(
        'text',
        { x: width - 10, y: shown.length * line + 18, class: 'axis', 'text-anchor': 'end' },
        clock(now),
      ),
    );
    return node;
  }
}
