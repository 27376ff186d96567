// The planner of the library in JavaScript: the size of each family for a number of keys and a rate, or
// the rate that it reaches in a budget. SitePlannerTest compares it with the one in Java.

import * as bloom from './bloom-size.js';
import { above, fuseForRate, fuseWithin, ribbonForRate, ribbonWithin, shardBits } from './frozen-size.js';

const MOST_LOAD = 0.93;
const SPILL = 192;

// The words of a shard of a quotient filter with slots of so many bits.
const quotientWords = (slots, bits) =>
  (2 * slots) / 64 + Math.ceil(slots / 512) + Math.floor((slots * bits) / 64) + 2;

function deletable(keys, wanted) {
  const fpp = Math.max(wanted, keys * 2 ** -63);
  const load = (bits) => Math.min(MOST_LOAD, fpp * 2 ** bits);
  const size = (bits) => (bits + 2.125) / load(bits);
  let best = 1;
  for (let bits = 2; bits <= 40; bits++) if (size(bits) < size(best)) best = bits;
  const shards = shardBits(keys, 16);
  const quotients = Math.max(1, Math.ceil(keys / 2 ** shards / load(best)));
  const words = quotientWords(Math.ceil((quotients + SPILL) / 64) * 64, best);
  const full = keys / (quotients * 2 ** shards);
  return { bits: 64 * words * 2 ** shards, fpp: Math.min(1, -Math.expm1(-full * 2 ** -best)) };
}

// A filter that grows begins with 2^6 places and doubles them; from 2^13 on its shards split.
class Growing {
  constructor(bits) {
    this.bits = bits;
  }

  static forRate(keys, fpp) {
    let bits = 1;
    while (bits < 50 && new Growing(bits).rateWhenFull(keys) > fpp) bits++;
    return new Growing(bits);
  }

  rateWhenFull(keys) {
    return MOST_LOAD * 2 ** -this.bits * ((this.placeBits(keys) - 6) / 2 + 1);
  }

  rate(keys) {
    const places = this.placeBits(keys);
    const share = (count) => (count / 2 ** places) * 2 ** -this.bits;
    if (places === 6) return share(keys);
    const before = this.mostKeys(places - 1);
    return this.rateWhenFull(before) + share(keys - before);
  }

  placeBits(keys) {
    let bits = 6;
    while (keys > this.mostKeys(bits)) bits++;
    return bits;
  }

  mostKeys(places) {
    return Math.ceil(MOST_LOAD * 2 ** places) + this.keysWithoutBits(places);
  }

  keysWithoutBits(places) {
    const then = places - this.bits;
    return then < 6 ? 0 : this.mostKeys(then);
  }

  size(keys) {
    const slots = 2 ** Math.min(this.placeBits(keys), 13) + SPILL;
    return 64 * Math.round((quotientWords(slots, this.bits + 1) + 4) * this.expectedShards(keys));
  }

  // Shards differ in their keys, so near the load at which they split some have and others have not.
  expectedShards(keys) {
    const most = Math.ceil(MOST_LOAD * 2 ** 13);
    let shards = 1;
    for (let bits = 0; keys > 0.5 * most * 2 ** bits; bits++) {
      const mean = Math.max(0, keys - this.keysWithoutBits(bits + 13)) / 2 ** bits;
      const deviation = Math.sqrt(mean * (1 - 2 ** -bits));
      const split = deviation === 0 ? Number(mean > most) : above((most + 0.5 - mean) / deviation);
      shards += 2 ** bits * split;
    }
    return shards;
  }
}

function growing(keys, fpp) {
  const layout = Growing.forRate(Math.max(keys, 2 ** 40), fpp);
  return { bits: layout.size(keys), fpp: layout.rate(keys) };
}

// A window is eight generations, of which seven cover the time.
const STATE_BITS = 64 * 10;
const windowOf = (layout, keys) => ({
  bits: 8 * layout.blocks * bloom.BLOCK_BITS + STATE_BITS,
  fpp: -Math.expm1(8 * Math.log1p(-bloom.blockedRate(layout, keys))),
});

const blocked = (layout, keys, counter = 1) => ({
  bits: counter * layout.blocks * bloom.BLOCK_BITS,
  fpp: bloom.blockedRate(layout, keys),
});
const classic = (layout, keys) => ({ bits: layout.bits, fpp: bloom.classicRate(layout, keys) });
const seventh = (keys) => Math.ceil(keys / 7);

// The largest exponent of 2^-x for which the family fits.
function search(forRate) {
  return (keys, room) => {
    let [low, high, best] = [0, 64, null];
    for (let i = 0; i < 40; i++) {
      const middle = (low + high) / 2;
      const size = forRate(keys, Math.min(0.999, 2 ** -middle));
      if (size.bits <= room) [best, low] = [size, middle];
      else high = middle;
    }
    return best;
  };
}

const unless = (least, within) => (keys, room) => (room < least ? null : within(keys, room));

const FAMILIES = {
  bloom: {
    forRate: (keys, fpp) => blocked(bloom.blockedForRate(keys, fpp), keys),
    within: unless(512, (keys, room) => blocked(bloom.blockedWithin(keys, room), keys)),
  },
  'bloom-classic': {
    forRate: (keys, fpp) => classic(bloom.classicForRate(keys, fpp), keys),
    within: unless(512, (keys, room) => classic(bloom.classicWithin(keys, room), keys)),
  },
  ribbon: { forRate: ribbonForRate, within: ribbonWithin },
  fuse: { forRate: fuseForRate, within: fuseWithin },
  deletable: { forRate: deletable, within: search(deletable) },
  growing: { forRate: growing, within: search(growing) },
  counting: {
    forRate: (keys, fpp) => blocked(bloom.blockedForRate(keys, fpp), keys, 4),
    within: unless(4 * 512, (keys, room) => blocked(bloom.blockedWithin(keys, room / 4), keys, 4)),
  },
  window: {
    forRate: (keys, fpp) => windowOf(bloom.blockedForRate(seventh(keys), fpp / 8), seventh(keys)),
    within: unless(8 * 512 + STATE_BITS, (keys, room) =>
      windowOf(bloom.blockedWithin(seventh(keys), (room - STATE_BITS) / 8), seventh(keys)),
    ),
  },
};

// The file: a header, the data, four bytes for each page, and an end.
const PAGE = 4096;
const SMALL = 2 ** 24;

function fileBytes(bits) {
  const data = Math.ceil(bits / 64) * 8;
  return (data <= SMALL ? 256 : PAGE) + data + 4 * Math.ceil(data / PAGE) + 16;
}

function dataWords(bytes, dataAt) {
  const rest = Math.max(0, Math.min(bytes, 2 ** 56) - dataAt - 16);
  const last = Math.max(0, (rest % (PAGE + 4)) - 4);
  return (Math.floor(rest / (PAGE + 4)) * PAGE) / 8 + Math.floor(last / 8);
}

function roomIn(bytes) {
  const small = dataWords(bytes, 256);
  return 64 * (8 * small <= SMALL ? small : Math.max(SMALL / 8, dataWords(bytes, PAGE)));
}

// The plan of one family, or null: for a rate, or else for a budget.
export function planOf(family, keys, fpp, budget) {
  const { forRate, within } = FAMILIES[family];
  const size = budget ? within(keys, roomIn(budget)) : forRate(keys, fpp);
  if (!size) return null;
  return {
    family,
    bytes: fileBytes(size.bits),
    bits: size.bits,
    bitsPerKey: size.bits / keys,
    limitBitsPerKey: -Math.log2(size.fpp),
    fpp: size.fpp,
  };
}

// The plans of some families: the smallest first, or with a budget the lowest rate.
export const plansOf = (families, keys, fpp, budget) =>
  families
    .map((family) => planOf(family, keys, fpp, budget))
    .filter(Boolean)
    .sort((a, b) => (budget ? a.fpp - b.fpp : a.bytes - b.bytes));

// The rate of a filter for so many keys, when it has others.
export function rateAt(family, planned, fpp, keys) {
  return family === 'bloom'
    ? bloom.blockedRate(bloom.blockedForRate(planned, fpp), keys)
    : bloom.classicRate(bloom.classicForRate(planned, fpp), keys);
}
