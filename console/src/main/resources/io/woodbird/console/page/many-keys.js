// Many keys asked of one file: pasted lines become a table and a CSV.

import { ask, el, plain, scrolling, show } from './dom.js';
import { count, problemText, t } from './text.js';

const MOST_KEYS = 10000;
const MOST_ENCODED = 48000; // A request may have 64 KiB.
const SHOWN = 200;
const ANSWERS = { M: 'MAYBE_HERE', N: 'NOT_HERE', U: 'UNKNOWN', X: 'NO_KEY' };

// The keys in parts that fit into a request.
function parts(keys) {
  const all = [];
  let part = [];
  let length = 0;
  for (const key of keys) {
    const encoded = new URLSearchParams({ k: key }).toString().length + 3;
    if (part.length && length + encoded > MOST_ENCODED) {
      all.push(part);
      part = [];
      length = 0;
    }
    part.push(key);
    length += encoded;
  }
  return part.length ? [...all, part] : all;
}

// A field of a CSV, in quotes where it needs them (RFC 4180).
const field = (text) => (/[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);

export const csv = (rows) =>
  [['key', 'answer'], ...rows.map(([key, letter]) => [key, ANSWERS[letter]])]
    .map((row) => row.map(field).join(',') + '\r\n')
    .join('');

export class ManyKeys {
  constructor(file) {
    this.file = file;
    this.typed = '';
    this.rows = null;
    this.only = '';
    this.open = false;
  }

  node() {
    const text = el('textarea', {
      id: 'many-keys',
      rows: 6,
      spellcheck: 'false',
      'aria-label': t('many.keys'),
      placeholder: t('many.hint'),
      oninput: (event) => (this.typed = event.target.value),
    });
    text.value = this.typed;
    const result = el('div', { id: 'many-result' });
    const said = el('p', { role: 'status', id: 'many-said', class: 'note' });
    const run = el(
      'button',
      { type: 'button', class: 'main', id: 'many-ask', onclick: () => this.run(said, result, run) },
      t('many.ask'),
    );
    if (this.rows) this.render(said, result);
    return el(
      'details',
      { class: 'card', open: this.open, ontoggle: (event) => (this.open = event.target.open) },
      el('summary', { class: 'title-summary' }, t('many.title')),
      el('p', { class: 'note' }, t('many.lead', { most: count(MOST_KEYS) })),
      text,
      el('div', { class: 'buttons' }, run),
      said,
      result,
    );
  }

  async run(said, result, button) {
    const keys = this.typed.split(/\r?\n/).filter((key) => key !== '');
    if (!keys.length || keys.length > MOST_KEYS) {
      said.textContent = t(keys.length ? 'many.tooMany' : 'many.none', {
        n: count(keys.length),
        most: count(MOST_KEYS),
      });
      return;
    }
    button.disabled = true;
    const rows = [];
    this.problem = '';
    try {
      for (const part of parts(keys)) {
        const { answers, problem } = await ask('asks', { name: this.file, keys: part.join('\n') });
        part.forEach((key, i) => rows.push([key, answers[i]]));
        this.problem ||= problem;
        said.textContent = t('many.running', { n: count(rows.length), all: count(keys.length) });
      }
      this.rows = rows;
      this.render(said, result);
    } catch (error) {
      said.textContent = problemText(error);
    }
    button.disabled = false;
  }

  render(said, result) {
    const { rows } = this;
    const found = (letter) => rows.filter((row) => row[1] === letter).length;
    said.textContent =
      Object.keys(ANSWERS)
        .filter((letter) => found(letter))
        .map((letter) => t('many.' + ANSWERS[letter], { n: count(found(letter)) }))
        .join(t('list')) + (this.problem ? '. ' + plain(this.problem) : '');
    const shown = rows.filter((row) => !this.only || row[1] === this.only);
    const only = el(
      'select',
      {
        id: 'many-only',
        onchange: () => {
          this.only = only.value;
          this.render(said, result);
        },
      },
      el('option', { value: '' }, t('many.all')),
      Object.keys(ANSWERS)
        .filter((letter) => found(letter))
        .map((letter) =>
          el(
            'option',
            { value: letter, selected: letter === this.only },
            t('many.only.' + ANSWERS[letter]),
          ),
        ),
    );
    show(
      result,
      el(
        'div',
        { class: 'buttons' },
        el('label', { class: 'field inline' }, el('span', {}, t('many.show')), only),
        el(
          'button',
          { type: 'button', id: 'many-csv', onclick: () => this.download(shown) },
          t('many.csv'),
        ),
      ),
      this.table(shown.slice(0, SHOWN)),
      shown.length > SHOWN
        ? el('p', { class: 'note' }, t('many.more', { n: count(shown.length - SHOWN) }))
        : null,
    );
  }

  table(rows) {
    return scrolling(
      t('many.title'),
      el(
        'table',
        { class: 'many' },
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            ['many.key', 'many.answer'].map((key) => el('th', { scope: 'col' }, t(key))),
          ),
        ),
        el(
          'tbody',
          {},
          rows.map(([key, letter]) =>
            el(
              'tr',
              {},
              el('td', { class: 'file-name' }, plain(key)),
              el('td', { class: 'many-' + letter }, t('many.word.' + ANSWERS[letter])),
            ),
          ),
        ),
      ),
    );
  }

  download(rows) {
    const address = URL.createObjectURL(new Blob([csv(rows)], { type: 'text/csv' }));
    const link = el('a', { href: address, download: this.file.replace(/\.wbird$/, '') + '.csv' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }
}
