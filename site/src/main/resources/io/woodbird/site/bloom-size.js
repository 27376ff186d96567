// The sizes of Bloom filters, as core's BlockedBloomSize and ClassicBloomSize compute them. The formulas
// and their reasons stand there; SitePlannerTest compares the numbers.

export const BLOCK_BITS = 512;
const LOG2 = Math.log(2);

// Blocks, words and bits per key, and the lowest rate that each shape is used for.
const SHAPES = [
  [1, 2, 1, 0.14],
  [1, 2, 2, 0.031],
  [1, 2, 3, 0.007],
  [1, 4, 2, 0.002],
  [2, 2, 3, 5e-5],
  [2, 4, 2, 3e-7],
  [2, 4, 3, 0],
].map(([blocks, words, bits, lowest]) => ({ blocks, words, bits, lowest, f: [], binomial: [1] }));

// How far two bits of a word are apart on a circle of 64.
const distance = (a, b) => Math.min((b - a) & 63, (a - b) & 63);

// The masks that a key may set in a word, before they are turned: positions of bits.
function classes(bits) {
  if (bits === 1) return [[0]];
  if (bits === 2) return Array.from({ length: 32 }, (_, d) => [0, d + 1]);
  const smallest = [];
  for (let high = 2; high < 64; high++)
    for (let middle = 1; middle < high; middle++)
      if (isSmallestTurn(middle, high)) smallest.push([0, middle, high]);
  return Array.from({ length: 512 }, (_, i) => smallest[Math.floor((i * smallest.length) / 512)]);
}

// Of the three turns with a bit at 0, the smallest mask has the lowest highest bit, then middle bit.
function isSmallestTurn(middle, high) {
  const turns = [
    [high - middle, 64 - middle],
    [64 - high, 64 - high + middle],
  ];
  return turns.every(([m, h]) => h > high || (h === high && m >= middle));
}

const subsets = (all) =>
  Array.from({ length: 1 << all.length }, (_, chosen) => all.filter((_, i) => (chosen >> i) & 1));
const sign = (subset) => (subset.length % 2 ? -1 : 1);

// A(j) is the sum of weight * base^j over these terms: by inclusion and exclusion, twice.
function coverTerms(bits) {
  const masks = classes(bits);
  const pairs = new Array(33).fill(0);
  for (const mask of masks)
    for (const pair of subsets(mask).filter((one) => one.length === 2)) {
      const apart = distance(...pair);
      pairs[apart] += (apart === 32 ? 2 : 1) / (64 * masks.length);
    }
  const contained = (subset) =>
    [1, bits / 64, pairs[distance(...subset)], 1 / (64 * masks.length)][subset.length];
  const terms = new Map();
  for (const mask of masks)
    for (const subset of subsets(mask)) {
      const avoided = subsets(subset).reduce((sum, one) => sum + sign(one) * contained(one), 0);
      const base = Math.round(avoided * 2 ** 40) / 2 ** 40;
      terms.set(base, (terms.get(base) ?? 0) + sign(subset) / masks.length);
    }
  return [...terms];
}

const TERMS = [1, 2, 3].map(coverTerms);

function cover(bits, keys) {
  const sum = TERMS[bits - 1].reduce((all, [base, weight]) => all + weight * base ** keys, 0);
  return Math.min(1, Math.max(0, sum));
}

// F(i), the rate of a block with i keys, for i from 0 to last; what was computed is kept.
function blockRates(shape, last) {
  const { f, binomial, words, bits } = shape;
  shape.cover ??= [];
  const share = words / 8;
  const shared = words === 2 && bits > 1 ? 1.0006 : 1;
  while (f.length <= last) {
    const i = f.length;
    if (i > 0) {
      binomial.push(0);
      for (let j = i; j > 0; j--) binomial[j] = binomial[j] * (1 - share) + binomial[j - 1] * share;
      binomial[0] *= 1 - share;
    }
    shape.cover.push(cover(bits, i));
    const mean = binomial.reduce((sum, weight, j) => sum + weight * shape.cover[j], 0);
    f.push(Math.min(1, shared * mean ** words));
  }
  return f;
}

// The part of the deviation that comes from bits that coincide, relative to the rate.
function bitDeviation({ shape, blocks }, keys) {
  const all = blocks * BLOCK_BITS;
  const load = (keys * shape.blocks * shape.words * shape.bits) / all;
  const clear = Math.exp(-load);
  const variance = Math.max(0, clear - (1 + load) * clear * clear) / all;
  return (shape.words * shape.bits * Math.sqrt(variance)) / (1 - clear);
}

// The mean rate of one block and its deviation; the number of keys in a block is binomial.
function moments(layout, keys) {
  const { shape, blocks } = layout;
  if (keys <= 0) return [0, 0];
  const thrown = keys * shape.blocks;
  const load = thrown / blocks;
  if (load > 4000) return [1, 0];
  const last = Math.trunc(Math.min(thrown, Math.ceil(load + 12 * Math.sqrt(load) + 30)));
  const f = blockRates(shape, last);
  if (blocks === 1) return [f[last], f[last] * bitDeviation(layout, keys)];
  const mode = Math.min(last, Math.floor(load));
  const odds = 1 / (blocks - 1);
  let [sum, mean, square, mixed, occupied] = [0, 0, 0, 0, 0];
  const add = (weight, i) => {
    sum += weight;
    mean += weight * f[i];
    square += weight * f[i] * f[i];
    mixed += weight * f[i] * (i - load);
    occupied += weight * (i - load) * (i - load);
  };
  let weight = 1;
  for (let i = mode; i <= last; i++) {
    add(weight, i);
    weight *= ((thrown - i) / (i + 1)) * odds;
  }
  weight = 1;
  for (let i = mode; i > 0; i--) {
    weight *= i / (thrown - i + 1) / odds;
    add(weight, i - 1);
  }
  mean /= sum;
  let variance = square / sum - mean * mean;
  if (occupied > 0) variance -= (mixed * mixed) / sum / occupied;
  const bits = mean * bitDeviation(layout, keys);
  return [mean, Math.sqrt(Math.max(0, variance) / blocks + bits * bits)];
}

function rate(layout, keys, deviations) {
  const [mean, deviation] = moments(layout, keys);
  const single = Math.min(1, mean + deviations * deviation);
  return Math.min(1, single ** layout.shape.blocks + keys * 2 ** -64);
}

export const blockedRate = (layout, keys) => rate(layout, keys, 0);

// The smallest number for which a test that fails below it holds, above low.
export function smallest(low, high, width, holds) {
  while (high - low > width) {
    const middle = low + Math.floor((high - low) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

export function blockedForRate(keys, fpp) {
  const shape = SHAPES.find((one) => fpp >= one.lowest);
  const holds = (blocks) => rate({ shape, blocks }, keys, keys < 100_000 ? 4 : 2.5) <= fpp;
  let low = Math.floor((keys * -Math.log(fpp)) / LOG2 / BLOCK_BITS);
  let high = low + 1;
  while (!holds(high)) {
    low = high;
    high = high + Math.floor(high / 2) + 1;
    if (high > 2 ** 50) return { shape, blocks: high };
  }
  return { shape, blocks: smallest(low, high, 1, holds) };
}

// A later shape costs more time, so it must be better by a tenth.
export function blockedWithin(keys, bits) {
  const blocks = Math.max(1, Math.floor(bits / BLOCK_BITS));
  let best = { shape: SHAPES[0], blocks };
  for (const shape of SHAPES) {
    const layout = { shape, blocks };
    if (blockedRate(layout, keys) < 0.9 * blockedRate(best, keys)) best = layout;
  }
  return best;
}

const hashesFor = (bitsPerKey) => Math.max(1, Math.min(64, Math.round(bitsPerKey * LOG2)));
const fill = ({ bits, hashes }, keys) => -Math.expm1(keys * hashes * Math.log1p(-1 / bits));

export const classicRate = (layout, keys) => fill(layout, keys) ** layout.hashes;

export function classicForRate(keys, fpp) {
  const hashes = hashesFor(-Math.log(fpp) / (LOG2 * LOG2));
  const holds = (bits) => {
    const load = (keys * hashes) / bits;
    const clear = Math.exp(-load);
    const spread = Math.sqrt(Math.max(0, clear - (1 + load) * clear * clear) / bits);
    return Math.min(1, fill({ bits, hashes }, keys) + 3 * spread) ** hashes <= fpp;
  };
  let [low, high] = [1, 64];
  while (!holds(high)) [low, high] = [high, 2 * high];
  return { bits: Math.ceil(smallest(low, high, 64, holds) / 64) * 64, hashes };
}

export function classicWithin(keys, room) {
  const bits = Math.max(64, Math.floor(room / 64) * 64);
  return { bits, hashes: hashesFor(bits / keys) };
}
