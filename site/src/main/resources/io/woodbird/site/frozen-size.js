// The sizes of frozen filters, as core's FrozenSize, RibbonShape, RibbonColumns and Fuse compute them.

const SEGMENT = 64;
const BUCKET = 128;
const ENTRY_WORDS = 8;
const MOST_WIDTH = 32;
const NEAR = 0.1;
const FEW_FOR_TERNARY = 10_000;

// The exponent of a number as a double has it: 2^e <= x < 2^(e + 1).
function exponent(x) {
  const near = Math.round(Math.log2(x));
  return 2 ** near <= x ? near : near - 1;
}

const width = (fpp) => Math.max(1, -exponent(fpp));

// Keys of more than one shard are halved until a shard has at most 2^log.
export function shardBits(keys, log) {
  let bits = 0;
  while (Math.floor(keys / 2 ** bits) > 2 ** log) bits++;
  return bits;
}

const bitsOf = (shardWords, shards) => 64 * Math.round((shardWords + ENTRY_WORDS) * 2 ** shards);

// The tail of the normal distribution: Abramowitz, Stegun 7.1.26.
export function above(z) {
  const x = Math.abs(z) / Math.sqrt(2);
  const t = 1 / (1 + 0.3275911 * x);
  let sum = 1.421413741 + t * (-1.453152027 + t * 1.061405429);
  sum = t * (0.254829592 + t * (-0.284496736 + t * sum));
  const tail = (sum * Math.exp(-x * x)) / 2;
  return z < 0 ? 1 - tail : tail;
}

// Fuse: three slots per key, in three neighbouring segments.

const segmentLength = (keys) =>
  keys < 2 ? 4 : 2 ** Math.min(18, Math.floor(Math.log(keys) / Math.log(3.33) + 2.25));

function fuseSlots(keys) {
  if (keys === 0) return 0;
  const length = segmentLength(keys);
  const few = 0.875 + (0.25 * Math.log(1e6)) / Math.log(keys);
  const wanted = Math.ceil(keys * (keys < 2 ? 1 : Math.max(1.125, few)));
  return (Math.max(1, Math.ceil(wanted / length) - 2) + 2) * length;
}

// Shards differ in their keys, and slots come in whole segments.
function expectedFuseSlots(keys) {
  const deviation = Math.sqrt(keys);
  const length = segmentLength(Math.trunc(keys));
  const least = Math.trunc(((keys - 6 * deviation) * 1.125) / length);
  const most = Math.trunc(((keys + 6 * deviation) * 1.125) / length) + 1;
  let segments = 0;
  for (let full = least; full <= most; full++)
    segments += above(((full * length) / 1.125 - keys) / deviation);
  return (least + segments) * length;
}

function fuse(keys, bits) {
  const shards = shardBits(keys, 22);
  const words =
    shards === 0
      ? Math.ceil((fuseSlots(keys) * bits) / 64)
      : (expectedFuseSlots(keys / 2 ** shards) * bits) / 64;
  return { bits: bitsOf(words, shards), fpp: 2 ** -bits };
}

export const fuseForRate = (keys, fpp) =>
  width(fpp) > MOST_WIDTH ? null : fuse(keys, width(fpp));

const wordsWithin = (bits, shards) => Math.floor(bits / 64) - ENTRY_WORDS * 2 ** shards;

export function fuseWithin(keys, bits) {
  const shards = shardBits(keys, 22);
  const words = wordsWithin(bits, shards);
  const perShard = shards === 0 ? keys : Math.ceil((keys * 1.005) / 2 ** shards);
  const slots = fuseSlots(perShard) * 2 ** shards;
  const fits = Math.min(MOST_WIDTH, Math.floor((words * 64) / Math.max(1, slots)));
  return fits < 1 || (words * 64) / keys < 1.13 ? null : fuse(keys, fits);
}

// Ribbon: the first segments have some columns, the others another number.

const plain = (columns, share) => ({ columns, first: columns - 1, ternary: false, share });

function columnsForRate(fpp, keys) {
  const columns = width(fpp);
  const passes = Math.min(2, Math.max(1, fpp * 2 ** columns));
  if (keys < FEW_FOR_TERNARY || columns < 2 || passes < 1 + NEAR || passes > 2 - NEAR)
    return plain(columns, passes - 1);
  return passes <= 4 / 3
    ? { columns, first: columns - 2, ternary: true, share: (passes - 1) * 3 }
    : { columns: columns - 1, first: columns - 2, ternary: true, share: (2 - passes) * 1.5 };
}

function columnsForBits(bits, keys) {
  const columns = Math.max(1, Math.ceil(Math.min(32, bits)));
  const less = Math.min(1, Math.max(0, columns - bits));
  if (keys < FEW_FOR_TERNARY || columns < 2 || less < NEAR || less > 1 - NEAR)
    return plain(columns, less);
  const saves = 2 - 8 / 5;
  return less <= saves
    ? { columns, first: columns - 2, ternary: true, share: less / saves }
    : { columns: columns - 1, first: columns - 2, ternary: true, share: (1 - less) / (1 - saves) };
}

const passes = ({ columns }) => 2 ** -columns;
const firstPasses = ({ first, ternary }) => 2 ** -first / (ternary ? 3 : 1);

function layerOf(segments, share, thresholds, stays) {
  const enough = share === 0 ? 0 : share * segments * 1.01 + 16;
  return {
    segments,
    ternarySegments: Math.min(segments, Math.ceil(enough / 2) * 2),
    thresholdWords: thresholds ? Math.ceil(segments / 64) : 0,
    starts: Math.max(0, segments * SEGMENT - SEGMENT + 1),
    stay: (limit) => Math.round(limit * stays),
  };
}

// Three layers that bump, and a last one for what is left.
function expectedLayers(keys, wanted) {
  const share = wanted.ternary ? wanted.share : 0;
  const layers = [];
  let left = keys;
  for (let i = 0; i < 3; i++) {
    const buckets = left < 1000 ? 0 : Math.trunc((Math.trunc(left) * 0.95) / BUCKET);
    const filled = buckets === 0 ? 0 : buckets * BUCKET * (1 - 0.00045) - 22;
    layers.push(layerOf(2 * buckets, share, true, filled / left));
    left -= filled;
  }
  const last = Math.round(left);
  const segments = last === 0 ? 0 : Math.ceil((last * 1.03 + 16) / SEGMENT);
  return [...layers, layerOf(segments, share, false, 1)];
}

class Shape {
  constructor(layers, columns) {
    this.layers = layers;
    this.columns = columns;
    this.first = layers.map(() => 0);
  }

  most(layer) {
    return this.columns.ternary ? layer.ternarySegments : layer.segments;
  }

  words() {
    const { columns, first, ternary } = this.columns;
    return this.layers.reduce((sum, { segments, thresholdWords }, i) => {
      const few = this.first[i];
      const slots = few === 0 ? 0 : Math.min((few + 1) * SEGMENT - 1, segments * SEGMENT);
      const body = segments * columns - Math.min(segments, few) * (columns - first);
      return sum + thresholdWords + body + (ternary ? Math.ceil(slots / 40) : 0);
    }, 0);
  }

  fpp() {
    let passed = 0;
    let reach = 1;
    this.layers.forEach(({ segments, starts, stay }, i) => {
      if (segments === 0) return;
      const all = stay(starts);
      const early = stay(Math.min(starts, this.first[i] * SEGMENT));
      passed +=
        (reach * (early * firstPasses(this.columns) + (all - early) * passes(this.columns))) /
        starts;
      reach *= 1 - all / starts;
    });
    return passed;
  }

  // How many segments of each layer are first ones, so that the limit holds; false if it can't.
  settle(holds, limited) {
    const { columns, layers, first } = this;
    const asMany = firstPasses(columns) > passes(columns) !== limited;
    layers.forEach((layer, i) => {
      const exact = (columns.share * layer.starts) / SEGMENT;
      first[i] = Math.min(this.most(layer), asMany ? Math.floor(exact) : Math.ceil(exact));
    });
    if (columns.share > 0 && layers[0].segments > 0) {
      let fits = asMany ? 0 : this.most(layers[0]);
      let fails = asMany ? this.most(layers[0]) + 1 : -1;
      while (Math.abs(fails - fits) > 1) {
        first[0] = (fits + fails) >> 1;
        if (holds()) fits = first[0];
        else fails = first[0];
      }
      first[0] = fits;
    }
    return holds();
  }
}

export function ribbonForRate(keys, fpp) {
  if (width(fpp) > MOST_WIDTH) return null;
  const shards = shardBits(keys, 22);
  const shardKeys = Math.round(keys / 2 ** shards);
  const wanted = columnsForRate(fpp, shardKeys);
  const shape = new Shape(expectedLayers(shardKeys, wanted), wanted);
  const holds = () => shape.fpp() <= fpp;
  if (!shape.settle(holds, false)) {
    shape.columns = columnsForRate(fpp, 0);
    shape.settle(holds, false);
  }
  return { bits: bitsOf(shape.words(), shards), fpp: shape.fpp() };
}

export function ribbonWithin(keys, bits) {
  const shards = shardBits(keys, 22);
  const words = wordsWithin(bits, shards);
  if ((words * 64) / keys < 0.02) return null;
  const shardKeys = Math.round(keys / 2 ** shards);
  const room = Math.floor(words / 2 ** shards);
  const wanted = columnsForBits((room * 64) / shardKeys / 1.0006 - 2 / BUCKET, shardKeys);
  const shape = new Shape(expectedLayers(shardKeys, wanted), wanted);
  const holds = () => shape.words() <= room;
  const columnsWithin = (forKeys) => {
    const segments = shape.layers.reduce((sum, layer) => sum + layer.segments, 0);
    const left = shape.layers.reduce((rest, layer) => rest - layer.thresholdWords, room);
    return columnsForBits(segments === 0 ? 0 : left / segments, forKeys);
  };
  shape.columns = columnsWithin(wanted.ternary ? shardKeys : 0);
  if (!shape.settle(holds, true)) {
    shape.columns = columnsWithin(0);
    shape.settle(holds, true);
  }
  return holds() ? { bits: bitsOf(shape.words(), shards), fpp: shape.fpp() } : null;
}
