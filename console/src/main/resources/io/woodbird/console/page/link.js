// The address after #: a tab, and behind a question mark the state of it. Whatever a link leaves out
// has its first value, and what it says wrongly is left out too, with a word about it.

import { byId, el, plain, show } from './dom.js';
import { t } from './text.js';

const MOST_SHOWN = 40;

export class Link {
  constructor(parameters) {
    this.parameters = parameters;
    this.empty = [...parameters].length === 0;
    this.refused = [];
  }

  text(name, fallback) {
    return this.parameters.get(name) || fallback;
  }

  // One of the known values.
  choice(name, known, fallback) {
    const value = this.parameters.get(name);
    if (value === null) return fallback;
    if (known.includes(value)) return value;
    this.refuse(name, value);
    return fallback;
  }

  // Some of the known values, with commas between them.
  choices(name, known) {
    const values = (this.parameters.get(name) || '').split(',').filter((value) => value !== '');
    for (const value of values) if (!known.includes(value)) this.refuse(name, value);
    return values.filter((value) => known.includes(value));
  }

  // A whole number of a range.
  number(name, from, to, fallback) {
    const value = this.parameters.get(name);
    if (value === null) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
    if (number >= from && number <= to) return number;
    this.refuse(name, value);
    return fallback;
  }

  refuse(name, value) {
    const shown = value.length > MOST_SHOWN ? value.slice(0, MOST_SHOWN) + '…' : value;
    this.refused.push(name + '=' + plain(shown));
  }

  sayRefused() {
    say(this.refused.length ? t('link.refused', { values: this.refused.join(t('list')) }) : '');
  }
}

// A word about the address, above the tabs' own content.
export function say(text) {
  show(byId('link-said'), text ? el('p', { class: 'card problem', role: 'alert' }, text) : null);
}

// Writes the state of a tab into the address; as a step that Back takes back, where that is asked.
export function remember(tab, parameters, step = false) {
  const query = new URLSearchParams(parameters).toString();
  const hash = '#' + tab + (query ? '?' + query : '');
  if (location.hash === hash) return;
  if (step) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
}
