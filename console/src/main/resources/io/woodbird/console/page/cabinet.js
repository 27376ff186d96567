// A Bloom filter one can look into: drawers, marbles, and - what no filter keeps - who put them there.

import { SCHEMES } from './toys.js';

const FULL_COUNTER = 15;

export class Cabinet {
  constructor({ m, k, scheme = 'woodbird', seed = 7, counting = false }) {
    Object.assign(this, { m, k, scheme, seed, counting });
    this.names = [];
    this.broken = false;
    this.clear();
  }

  clear() {
    this.names = [];
    this.broken = false;
    this.counts = new Array(this.m).fill(0);
    this.owners = Array.from({ length: this.m }, () => []);
  }

  positions(name) {
    return SCHEMES[this.scheme](name, this.m, this.k, this.seed);
  }

  put(name) {
    const drawers = this.positions(name);
    this.names.push(name);
    drawers.forEach((drawer, marble) => {
      if (this.counting) this.counts[drawer] = Math.min(FULL_COUNTER, this.counts[drawer] + 1);
      else this.counts[drawer] = 1;
      this.owners[drawer].push({ name, marble });
    });
    return drawers;
  }

  // What the bird sings, and everything the page can say about why.
  ask(name) {
    const drawers = this.positions(name);
    const empty = drawers.filter((drawer) => this.counts[drawer] === 0);
    const real = this.names.includes(name);
    const others = drawers.map((drawer) => this.owners[drawer].map((owner) => owner.name));
    return { name, drawers, empty, maybe: empty.length === 0, real, others };
  }

  // Takes a name's marbles out. Without counters that takes the marbles of others too.
  remove(name) {
    const { drawers, maybe, real } = this.ask(name);
    if (!maybe) return { drawers, done: false };
    if (!this.counting || !real) this.broken = true;
    drawers.forEach((drawer, marble) => {
      if (this.counts[drawer] < FULL_COUNTER) {
        this.counts[drawer] = this.counting ? Math.max(0, this.counts[drawer] - 1) : 0;
      }
      const owners = this.owners[drawer];
      const mine = owners.findIndex((owner) => owner.name === name && owner.marble === marble);
      if (mine >= 0) owners.splice(mine, 1);
      if (this.counts[drawer] === 0) this.owners[drawer] = [];
    });
    const at = this.names.indexOf(name);
    if (at >= 0) this.names.splice(at, 1);
    return { drawers, done: true };
  }

  get full() {
    return this.counts.filter((marbles) => marbles > 0).length;
  }

  get fill() {
    return this.full / this.m;
  }

  // Asks for names that nobody has put, and counts the wrong "maybe".
  strangers(count, from) {
    let wrong = 0;
    for (let i = 0; i < count; i++) {
      if (this.positions('stranger ' + (from + i)).every((drawer) => this.counts[drawer] > 0))
        wrong++;
    }
    return wrong;
  }
}

// The chance of a wrong "maybe" after n names: all k drawers happen to be full.
export const formula = (m, k, n) => (1 - (1 - 1 / m) ** (k * n)) ** k;

export const bestK = (m, n) => Math.max(1, Math.round((m / Math.max(1, n)) * Math.LN2));
