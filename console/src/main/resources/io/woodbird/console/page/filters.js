// The Filters tab: the files of the folder, what is in them, and what is wrong with them.

import { compareFiles } from './compare-files.js';
import { ask, byId, el, plain, show, svg } from './dom.js';
import { FROZEN, REMOVING } from './file-kinds.js';
import { heatMap } from './heat.js';
import { remember } from './link.js';
import { ManyKeys } from './many-keys.js';
import { ago, bytes, chance, count, day, duration, onLanguage, problemText, t } from './text.js';

// A file's state in a word, with a sign beside the colour.
const health = (state) =>
  el(
    'span',
    { class: 'health ' + state, 'data-health': state },
    { whole: '✓ ', header: '· ' }[state] || '! ',
    t('filters.health.' + state),
  );

export class Filters {
  constructor() {
    this.asked = 0;
    onLanguage(() => this.visible && this.render());
  }

  // A link names a file; a tab that is only shown again stays at its file.
  async show(parameters) {
    this.visible = true;
    const named = parameters.get('f');
    const number = ++this.asked;
    let list = null;
    let problem = null;
    try {
      list = await ask('files');
    } catch (error) {
      problem = error;
    }
    if (number !== this.asked || !this.visible) return;
    Object.assign(this, { list, problem });
    const known = list ? list.files.map((file) => file.name) : [];
    const name = named ?? (known.includes(this.wanted) ? this.wanted : known[0]);
    if (name === undefined || !list) this.forget(name);
    else if (!known.includes(name) && list.left === 0) this.forget(name, 'missing');
    else await this.open(name);
  }

  hide() {
    this.visible = false;
  }

  forget(name, state) {
    this.wanted = name;
    this.info = state ? { name, state } : null;
    this.many = new ManyKeys(name);
    this.other = null;
    this.heat = null;
    this.answer = null;
    this.render();
  }

  // Opens a file. One that a person chose is a step that Back takes back.
  async open(name, step = false) {
    const number = ++this.asked;
    this.forget(name);
    remember('filters', { f: name }, step);
    const query = new URLSearchParams({ name });
    let info;
    let heat = null;
    try {
      info = await ask('file?' + query);
      heat = await ask('heat?' + query).catch(() => null);
    } catch (error) {
      info = { name, state: await this.why(name), problem: problemText(error) };
    }
    if (number !== this.asked) return;
    Object.assign(this, { info, heat });
    this.render();
  }

  // A file that can't be described is either no longer there, or not what it should be.
  async why(name) {
    const list = await ask('files').catch(() => null);
    const there = list?.files.some((file) => file.name === name);
    return list && !there && list.left === 0 ? 'missing' : 'refused';
  }

  render() {
    const lead = byId('filters-lead');
    if (!this.list) {
      lead.textContent = this.problem ? '' : t('loading');
      show(
        byId('file-list'),
        this.problem &&
          el(
            'p',
            { class: 'card problem', role: 'alert' },
            this.problem.status === 403 ? t('needToken') : problemText(this.problem),
          ),
      );
      show(byId('file'));
      return;
    }
    lead.textContent =
      this.list.folder === null
        ? t('filters.noFolder')
        : t('filters.lead', { folder: plain(this.list.folder) });
    if (!this.list.files.length) {
      show(
        byId('file-list'),
        el(
          'div',
          { class: 'card' },
          this.list.folder === null
            ? el('p', {}, t('filters.nameFolder'))
            : [el('p', {}, t('filters.none')), el('pre', {}, 'filter.save(Path.of("names.wbird"));')],
        ),
      );
      show(byId('file'), this.info ? this.detail() : null);
      return;
    }
    const focused = document.activeElement?.closest('#file-list') !== null;
    show(
      byId('file-list'),
      el(
        'ul',
        { class: 'card list', 'aria-label': t('filters.title') },
        this.list.files.map((file) =>
          el(
            'li',
            {},
            el(
              'button',
              {
                type: 'button',
                'aria-pressed': file.name === this.wanted,
                onclick: () => this.open(file.name, true),
              },
              el('span', { class: 'file-name' }, plain(file.name)),
              el(
                'span',
                { class: 'note' },
                [file.kind, bytes(file.bytes), ago(Date.now() - file.modified)]
                  .filter(Boolean)
                  .join(' · '),
              ),
              health(file.state),
            ),
          ),
        ),
      ),
    );
    if (focused) byId('file-list').querySelector('[aria-pressed=true]')?.focus();
    if (this.list.left > 0)
      byId('file-list').append(
        el('p', { class: 'note' }, t('filters.left', { left: count(this.list.left) })),
      );
    show(byId('file'), this.info ? this.detail() : null);
  }

  detail() {
    const { info } = this;
    return [
      el(
        'div',
        { class: 'card' },
        el('h2', { class: 'file-name' }, plain(info.name)),
        info.kind ? el('p', { id: 'file-kind', 'data-kind': info.kind }, this.kind()) : null,
        this.state(),
        info.stats ? this.meter() : null,
        this.facts(),
      ),
      info.stats ? this.question() : null,
      info.stats ? this.many.node() : null,
      this.others(),
      this.heat ? heatMap(this.heat, info.kind) : null,
    ];
  }

  // What it is, in a sentence.
  kind() {
    const { kind, windowSeconds, stats } = this.info;
    if (kind !== 'window') return t('filters.is.' + kind);
    return windowSeconds
      ? t('filters.is.window', { span: duration(windowSeconds) })
      : t('filters.is.windowKeys', { keys: stats ? count(stats.expectedKeys) : '–' });
  }

  state() {
    const { info } = this;
    const good = info.state === 'whole';
    const text = good && !info.verified ? t('filters.header') : t('filters.state.' + info.state);
    return el(
      'div',
      { class: 'state ' + info.state, id: 'file-state', 'data-state': info.state },
      el(
        'p',
        {},
        el('span', { class: 'mark', 'aria-hidden': 'true' }, good ? '✓' : '!'),
        ' ',
        el('strong', {}, text),
      ),
      info.problem ? el('p', { class: 'what' }, plain(info.problem)) : null,
      good ? null : el('p', {}, t('filters.do.' + info.state)),
    );
  }

  meter() {
    const { stats, kind } = this.info;
    // A frozen filter is as full as it was made; a growing one is never full.
    if (!stats.expectedKeys || FROZEN.includes(kind) || kind === 'growing') return null;
    const load = stats.estimatedKeys / stats.expectedKeys;
    const bar = svg(
      'svg',
      { class: 'meter', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      svg('rect', { x: 0, y: 0, width: 100, height: 6, class: 'track' }),
      svg('rect', {
        x: 0,
        y: 0,
        width: Math.min(100, 100 * load),
        height: 6,
        class: stats.overfull ? 'over' : 'fine',
      }),
    );
    return el(
      'div',
      {},
      bar,
      el(
        'p',
        { class: 'note' },
        t(
          stats.overfull
            ? 'filters.overfull'
            : kind === 'deletable'
              ? 'filters.room'
              : 'filters.load',
          { load: chance(load) },
        ),
      ),
    );
  }

  facts() {
    const { info } = this;
    const { stats } = info;
    const rows = [];
    if (stats) {
      rows.push(
        ['filters.layout', stats.layout],
        ['filters.keys', this.keys()],
        ['filters.fppNow', chance(stats.currentFpp)],
        ['filters.fppPromised', chance(stats.promisedFpp)],
        ['filters.bits', count(stats.bits)],
      );
      if (!FROZEN.includes(info.kind)) {
        const unit =
          { deletable: 'Slots', growing: 'Slots', counting: 'Counters' }[info.kind] || '';
        rows.push(['filters.fill' + unit, chance(stats.fill)]);
      }
    }
    if (info.bytes !== undefined)
      rows.push([
        'filters.size',
        t('filters.bytesOf', { bytes: count(info.bytes), short: bytes(info.bytes) }),
      ]);
    if (info.keyId) {
      rows.push(
        ['filters.keyKind', t('filters.kind.' + info.keyKind) + ' (' + plain(info.keyId) + ')'],
        ['filters.seed', info.seed],
        ['filters.format', info.format],
        ['filters.pages', count(info.pages)],
      );
    }
    if (info.modified) rows.push(['filters.modified', day(info.modified)]);
    return el(
      'dl',
      { class: 'facts wide' },
      rows.map(([key, value]) =>
        el('div', {}, el('dt', {}, t(key)), el('dd', { 'data-fact': key }, value)),
      ),
    );
  }

  // How many keys: exactly where the structure counts them, and of how many where that is a limit.
  keys() {
    const { stats, kind } = this.info;
    const values = { now: count(stats.estimatedKeys), planned: count(stats.expectedKeys) };
    if (FROZEN.includes(kind)) return values.now;
    if (kind === 'growing') return t('filters.keysGrowing', values);
    if (kind === 'window') return t('filters.keysWindow', values);
    return t(kind === 'deletable' ? 'filters.keysExact' : 'filters.keysOf', values);
  }

  question() {
    const { info } = this;
    const input = el('input', {
      type: 'text',
      id: 'file-key',
      spellcheck: 'false',
      autocomplete: 'off',
      value: this.typed ?? '',
      oninput: (event) => (this.typed = event.target.value),
    });
    const out = el('p', { class: 'answer', role: 'status', id: 'file-answer' });
    if (this.answer) this.speak(out);
    const submit = async (event) => {
      event.preventDefault();
      try {
        this.answer = await ask('ask', { name: info.name, key: input.value });
      } catch (error) {
        this.answer = { answer: 'ERROR', error };
      }
      this.speak(out);
    };
    return el(
      'form',
      { class: 'card name-form', id: 'file-form', onsubmit: submit },
      el('label', { class: 'grow' }, el('span', {}, t('filters.ask')), input),
      el(
        'div',
        { class: 'buttons' },
        el('button', { type: 'submit', class: 'main' }, t('play.ask')),
      ),
      out,
    );
  }

  speak(out) {
    const { answer, error } = this.answer;
    const problem = error ? problemText(error) : this.answer.problem;
    const cls = { MAYBE_HERE: 'maybe', NOT_HERE: 'not', UNKNOWN: 'unknown', ERROR: 'wrong' }[
      answer
    ];
    const mark = { MAYBE_HERE: '?', NOT_HERE: '✕', UNKNOWN: '…', ERROR: '!' }[answer];
    out.dataset.answer = answer;
    show(
      out,
      el(
        'span',
        { class: 'word small ' + cls },
        el('span', { class: 'mark', 'aria-hidden': 'true' }, mark),
        answer === 'ERROR' ? plain(problem) : t('answer.' + answer),
      ),
      el('span', {}, answer === 'ERROR' ? '' : t('answerWhy.' + this.reason(answer))),
      problem && answer !== 'ERROR' ? el('span', { class: 'note' }, plain(problem)) : null,
    );
  }

  reason(answer) {
    const { kind } = this.info;
    if (answer !== 'NOT_HERE') return answer;
    if (kind === 'window') return 'NOT_IN_WINDOW';
    return REMOVING.includes(kind) ? 'NOT_NOW' : answer;
  }

  // Another file to put beside this one.
  others() {
    const { list, info } = this;
    const names = (list?.files || []).map((file) => file.name).filter((name) => name !== info.name);
    if (!names.length) return null;
    const chosen = this.other?.name ?? '';
    const select = el(
      'select',
      { id: 'compare', onchange: () => this.compare(select.value) },
      el('option', { value: '' }, t('compare.none')),
      names.map((name) => el('option', { value: name, selected: name === chosen }, plain(name))),
    );
    return el(
      'div',
      { class: 'card' },
      el('label', { class: 'field inline' }, el('span', {}, t('compare.with')), select),
      this.other ? compareFiles(info, this.other) : null,
    );
  }

  async compare(name) {
    const number = this.asked;
    const other = name
      ? await ask('file?' + new URLSearchParams({ name })).catch((error) => ({
          name,
          state: 'refused',
          problem: problemText(error),
        }))
      : null;
    if (number !== this.asked) return;
    this.other = other;
    this.render();
    byId('compare')?.focus();
  }
}
