// The Filters tab: the files of the folder, what is in them, and what is wrong with them.

import { ask, byId, el, plain, responsive, show, svg } from './dom.js';
import { bytes, chance, count, day, decimal, onLanguage, t } from './text.js';

export class Filters {
  constructor(remember) {
    this.remember = remember;
    onLanguage(() => this.visible && this.render());
  }

  async show(parameters) {
    this.visible = true;
    this.wanted = parameters.get('f');
    try {
      this.list = await ask('files');
      this.problem = null;
    } catch (error) {
      this.list = null;
      this.problem = error;
    }
    const names = this.list ? this.list.files.map((file) => file.name) : [];
    if (!names.includes(this.wanted)) this.wanted = names[0];
    this.render();
    if (this.wanted !== undefined) await this.open(this.wanted);
  }

  hide() {
    this.visible = false;
  }

  async open(name) {
    this.wanted = name;
    this.info = null;
    this.heat = null;
    this.answer = null;
    this.remember('filters', { f: name });
    try {
      const query = new URLSearchParams({ name });
      this.info = await ask('file?' + query);
      this.heat = await ask('heat?' + query).catch(() => null);
    } catch (error) {
      this.info = { name, state: 'refused', problem: error.message };
    }
    this.render();
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
            this.problem.status === 403 ? t('needToken') : this.problem.message,
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
          el('p', {}, t('filters.none')),
          el('pre', {}, 'filter.save(Path.of("names.wbird"));'),
        ),
      );
      show(byId('file'));
      return;
    }
    const focused = document.activeElement?.closest('#file-list') !== null;
    show(
      byId('file-list'),
      el(
        'ul',
        { class: 'card list' },
        this.list.files.map((file) =>
          el(
            'li',
            {},
            el(
              'button',
              {
                type: 'button',
                'aria-pressed': file.name === this.wanted,
                onclick: () => this.open(file.name),
              },
              el('span', { class: 'file-name' }, plain(file.name)),
              el('span', { class: 'note' }, bytes(file.bytes)),
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
        this.state(),
        info.stats ? this.meter() : null,
        this.facts(),
      ),
      info.stats ? this.question() : null,
      this.heat ? this.heatMap() : null,
    ];
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
    const { stats } = this.info;
    if (!stats.expectedKeys) return null;
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
        t(stats.overfull ? 'filters.overfull' : 'filters.load', { load: chance(load) }),
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
        [
          'filters.keys',
          t('filters.keysOf', {
            now: count(stats.estimatedKeys),
            planned: count(stats.expectedKeys),
          }),
        ],
        ['filters.fppNow', chance(stats.currentFpp)],
        ['filters.fppPromised', chance(stats.promisedFpp)],
        ['filters.fill', chance(stats.fill)],
        ['filters.bits', count(stats.bits)],
      );
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

  question() {
    const { info } = this;
    const input = el('input', {
      type: 'text',
      id: 'file-key',
      spellcheck: 'false',
      autocomplete: 'off',
      value: this.typed ?? '',
    });
    const out = el('p', { class: 'answer', role: 'status', id: 'file-answer' });
    if (this.answer) this.speak(out);
    const submit = async (event) => {
      event.preventDefault();
      this.typed = input.value;
      try {
        this.answer = await ask('ask', { name: info.name, key: input.value });
      } catch (error) {
        this.answer = { answer: 'ERROR', problem: error.message };
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
    const { answer, problem } = this.answer;
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
      el('span', {}, answer === 'ERROR' ? '' : t('answerWhy.' + answer)),
      problem && answer !== 'ERROR' ? el('span', { class: 'note' }, plain(problem)) : null,
    );
  }

  heatMap() {
    const { heat } = this;
    const plot = el('div', { class: 'plot' });
    const columns = (width) => Math.min(heat.tiles, width < 520 ? 32 : 64);
    responsive(plot, (width) => plot.replaceChildren(tiles(heat, width, columns(width))));
    const text = heat.fill
      ? t('heat.numbers', {
          min: percent(heat.min),
          median: percent(heat.median),
          max: percent(heat.max),
          low: percent(heat.expectedLow),
          high: percent(heat.expectedHigh),
        })
      : t('heat.pagesOnly');
    const verdict = heat.damagedPages
      ? 'damaged'
      : heat.fill
        ? heat.verdict
        : heat.pagesChecked
          ? 'pagesGood'
          : 'few';
    return el(
      'figure',
      { class: 'card chart heat-map' },
      el(
        'figcaption',
        {},
        el('strong', {}, t(heat.fill ? 'heat.title' : 'heat.pages')),
        el(
          'span',
          { class: 'note' },
          t('heat.note', {
            tiles: count(heat.tiles),
            blocks: decimal(heat.blocksPerTile, heat.blocksPerTile < 10 ? 1 : 0),
          }),
        ),
      ),
      plot,
      el('p', {}, text),
      el(
        'p',
        { class: 'heat-verdict ' + verdict, id: 'heat-verdict', 'data-verdict': verdict },
        el(
          'span',
          { class: 'mark', 'aria-hidden': 'true' },
          verdict === 'even' || verdict === 'pagesGood' ? '✓' : verdict === 'few' ? '·' : '!',
        ),
        ' ',
        t('heat.' + verdict, { pages: count(heat.damagedPages), all: count(heat.pages) }),
        heat.sampled ? ' ' + t('heat.sampled') : '',
      ),
    );
  }
}

function tiles(heat, width, columns) {
  const rows = Math.ceil(heat.tiles / columns);
  const size = Math.min(22, width / columns);
  const node = svg('svg', {
    viewBox: `0 0 ${columns * size} ${rows * size}`,
    width: columns * size,
    height: rows * size,
    role: 'img',
    'aria-label': t(heat.fill ? 'heat.title' : 'heat.pages'),
    class: 'tiles',
  });
  const damaged = new Set(heat.damagedTiles);
  const span = heat.fill ? Math.max(1e-9, heat.expectedHigh - heat.expectedLow) : 1;
  for (let i = 0; i < heat.tiles; i++) {
    const x = (i % columns) * size;
    const y = Math.floor(i / columns) * size;
    let cls = 'page-good';
    if (heat.fill) {
      // Nine steps over the range that a good hash keeps; what is outside of it stands out.
      const part = (heat.fill[i] - heat.expectedLow) / span;
      cls = part < 0 ? 'low' : part > 1 ? 'high' : 's' + Math.min(8, Math.floor(part * 9));
    }
    node.append(
      svg('rect', {
        x: x + 0.3,
        y: y + 0.3,
        width: size - 0.6,
        height: size - 0.6,
        class: 'tile ' + (damaged.has(i) ? 'torn' : cls),
      }),
    );
    if (damaged.has(i)) {
      node.append(
        svg('path', {
          d: `M${x + 1} ${y + 1}l${size - 2} ${size - 2}m0 ${2 - size}l${2 - size} ${size - 2}`,
          class: 'cross',
        }),
      );
    }
  }
  return node;
}

const percent = (value) => decimal(100 * value, 1) + '\u00a0%';
