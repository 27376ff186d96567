// A reader of .wbird files for browsers and Node, written from the pages in spec/. No dependency.
//
//   import { Filter } from './woodbird.mjs';     // and hash.mjs beside it
//   const filter = new Filter(bytes);            // a Uint8Array; throws if anything is damaged
//   filter.mightContain('crow')                  // false: certainly not here
//
// All pages are checked when the file is opened, so "not here" never comes from a damaged one. Numbers
// of 64 bits are BigInts, so a question takes microseconds. The console takes its hash from here.

import { M64, keyHash, keyId, need, sha256, splitmix64, viewOf } from './hash.mjs';

export { hashOf, keyHash, keyId, rapidhash, siphash13, utf8 } from './hash.mjs';

// ---- blocked-bloom.md and classic-bloom.md: the numbers of the bits that a hash owns

const toRange = (hash, limit) => Number(((hash >> 1n) * (BigInt(limit) << 1n)) >> 64n);

// Successive states of a generator, each scaled to the number of bits.
export function positionsOf(hash, bits, hashes) {
  const positions = [];
  let state = hash;
  for (let i = 0; i < hashes; i++) {
    state = (state * 0xd1342543de82ef95n) & M64;
    positions.push(toRange(state, bits));
  }
  return positions;
}

//     id: blocks, words, bits
const SHAPES = {
  1: [1, 2, 1], 2: [1, 2, 2], 3: [1, 2, 3], 4: [1, 4, 2], 5: [2, 2, 3], 6: [2, 4, 2], 7: [2, 4, 3],
};

// The masks of so many bits that are the smallest of their 64 rotations, ascending, as places of bits.
function classesOf(bits) {
  const masks = [];
  for (let i = bits > 1 ? 1 : 63; i < 64; i++) {
    for (let j = bits > 2 ? i + 1 : 63; j < 64; j++) {
      const places = [0, i, j].slice(0, bits);
      const mask = places.reduce((all, place) => all | (1n << BigInt(place)), 0n);
      // A rotation can only be smaller if it brings another of the bits to place 0.
      const turned = (by) => ((mask >> BigInt(by)) | (mask << BigInt(64 - by))) & M64;
      if (places.every((by) => turned(by) >= mask)) masks.push([mask, places]);
    }
  }
  return masks.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, places]) => places);
}

// Made when they are needed, as a page that only hashes keys does without.
const classes = [];

function blocked(hash, blockCount, shape) {
  need(SHAPES[shape], `shape ${shape}`);
  const [blocks, words, bits] = SHAPES[shape];
  const masks = (classes[bits] ??= classesOf(bits));
  const found = [];
  for (let block = 0; block < blocks; block++) {
    const start = toRange(hash, blockCount) * 512;
    const pattern = (hash * 0x9e3779b97f4a7c15n) & M64;
    for (let j = 0; j < words; j++) {
      const two = words === 2;
      const word = two
        ? 4 * j + Number((hash >> BigInt(21 + 2 * j)) & 3n)
        : j + 4 * Number((pattern >> BigInt(60 + j)) & 1n);
      const chosen = Number((two ? hash : pattern >> BigInt(15 * j)) & 511n);
      const turn = Number((two ? hash >> BigInt(9 + 6 * j) : pattern >> BigInt(15 * j + 9)) & 63n);
      for (const place of masks[(chosen * masks.length) >> 9]) {
        found.push(start + 64 * word + ((place + turn) & 63));
      }
    }
    const product = (hash * 0xc2b2ae3d27d4eb4fn) & M64;
    hash = product ^ (product >> 32n);
  }
  return found;
}

// ---- ribbon.md, map.md, exact.md and fuse.md. "word" gives the 64-bit word of a number.

const [GOLDEN, SILVER] = [0x9e3779b97f4a7c15n, 0xc2b2ae3d27d4eb4fn];
const THRESHOLDS = [0, 17, 36, 128];

function shardEntry(word, index) {
  const entry = Array.from({ length: 8 }, (_, i) => word(8 * index + i));
  return [Number(entry[0]), entry.map((one) => [Number(one & 0xffffffffn), Number(one >> 32n)])];
}

const parity = (bits) => bits.toString(2).replaceAll('0', '').length & 1;

// The value of a hash in the ribbon of an entry (0n where it has no values), null if it is not here.
function lookUp(word, index, hash) {
  let [at, halves] = shardEntry(word, index);
  const [[columns, salt], [firstColumns, more]] = [halves[5], halves[7]];
  const [ternary, values] = [more & 1, more >>> 8];
  for (let layer = 0; layer < 4; layer++) {
    const [segments, first] = halves[1 + layer];
    if (layer > 0) hash = splitmix64(hash + GOLDEN + (layer === 3 ? BigInt(salt) << 32n : 0n));
    if (segments === 0) continue;
    const start = toRange(hash, 64 * segments - 63);
    const slots = layer < 3 ? at + Math.ceil(segments / 64) : at;
    const begin = (segment) =>
      slots + segment * (values + columns) - Math.min(segment, first) * (columns - firstColumns);
    if (layer < 3) {
      const bucket = Math.floor(start / 128);
      const code = Number((word(at + (bucket >> 5)) >> BigInt(2 * (bucket & 31))) & 3n);
      if (start % 128 < THRESHOLDS[code]) {
        at = begin(segments);
        if (ternary && first) at += Math.ceil(Math.min(64 * first + 63, 64 * segments) / 40);
        continue;
      }
    }
    const segment = Math.floor(start / 64);
    const shift = BigInt(start % 64);
    const bits = splitmix64(hash ^ GOLDEN);
    const result = ((bits * GOLDEN) & M64) >> 32n;
    const column = (number) => {
      let band = word(begin(segment) + number);
      if (shift) band |= word(begin(segment + 1) + number) << 64n;
      return parity((band >> shift) & (bits | 1n));
    };
    for (let i = 0; i < (segment < first ? firstColumns : columns); i++) {
      if (column(values + i) !== Number((result >> BigInt(i)) & 1n)) return null;
    }
    if (ternary && segment < first) {
      let total = 0;
      for (let i = 0; i < 64; i++) {
        const slot = start + i;
        const digits = word(begin(segments) + Math.floor(slot / 40)) >> BigInt(8 * Math.floor((slot % 40) / 5));
        const digit = Math.floor(Number(digits & 255n) / 3 ** (slot % 5)) % 3;
        total += ((bits | 1n) >> BigInt(i)) & 1n ? digit : 0;
      }
      if (BigInt(total % 3) !== ((((bits * SILVER) & M64) >> 32n) * 3n) >> 32n) return null;
    }
    let stored = 0n;
    for (let i = 0; i < values; i++) stored |= BigInt(column(i)) << BigInt(i);
    return (stored ^ splitmix64(bits ^ SILVER)) & ((1n << BigInt(values)) - 1n);
  }
  return null;
}

const shardOf = (hash, shardBits) => Number(hash >> BigInt(64 - shardBits));
const inShard = (hash, shardBits) => (hash << BigInt(shardBits)) & M64;
const lookUpShard = (word, hash, bits) => lookUp(word, shardOf(hash, bits), inShard(hash, bits));
const ribbon = (word, hash, shardBits) => lookUpShard(word, hash, shardBits) !== null;

function exact(word, hash, shardBits, columns) {
  const index = 2 * shardOf(hash, shardBits);
  const first = inShard(hash, shardBits);
  const second = splitmix64(first + GOLDEN + (0xffffffffn << 32n));
  return (columns === 0 || lookUp(word, index, first) !== null) && lookUp(word, index + 1, second) === 1n;
}

function fuse(word, hash, shardBits, width) {
  const mixed = (number) => {
    let value = ((hash + BigInt(number) * GOLDEN) * 0xbf58476d1ce4e5b9n) & M64;
    value = ((value ^ (value >> 32n)) * 0x94d049bb133111ebn) & M64;
    return value ^ (value >> 29n);
  };
  const [at, halves] = shardEntry(word, shardOf(hash, shardBits));
  const [[segment, first], [, salt]] = [halves[1], halves[5]];
  if (first === 0) return false;
  const slot = (number) => {
    const [low, bit] = [at + Math.floor((number * width) / 64), (number * width) % 64];
    return (word(low) | (bit + width > 64 ? word(low + 1) << 64n : 0n)) >> BigInt(bit);
  };
  const chosen = salt ? mixed(salt) : hash;
  const begin = toRange(salt < 4 ? inShard(hash, shardBits) : BigInt.asUintN(64, mixed(-1 - salt)), first);
  const near = (place, bits) => slot(Number(BigInt(place) ^ (bits & BigInt(segment - 1))));
  const others = near(begin + segment, chosen >> 18n) ^ near(begin + 2 * segment, chosen);
  const found = slot(begin) ^ others ^ (chosen >> 32n) ^ (chosen >> 1n);
  return (found & ((1n << BigInt(width)) - 1n)) === 0n;
}

// ---- quotient.md and counting-bloom.md

// The payloads of a quotient in a shard whose words begin at "bits".
function run(word, bits, blocks, width, wanted) {
  const offsets = bits + 2 * blocks;
  const remainders = offsets + Math.ceil(blocks / 8);
  const bit = (at, number) => (word(at) >> BigInt(number % 64)) & 1n;
  const occupied = (number) => bit(bits + 2 * Math.floor(number / 64), number);
  const runEnd = (slot) => bit(bits + 2 * Math.floor(slot / 64) + 1, slot);
  const offset = (block) => Number((word(offsets + (block >> 3)) >> BigInt(8 * (block % 8))) & 255n);
  const payload = (slot) => {
    const at = remainders + Math.floor((slot * width) / 64);
    const both = (word(at + 1) << 64n) | word(at);
    return (both >> BigInt((slot * width) % 64)) & ((1n << BigInt(width)) - 1n);
  };
  if (!occupied(wanted)) return [];
  let block = Math.floor(wanted / 64);
  while (offset(block) === 255) block--;
  let slot = 64 * block + offset(block);
  let first = slot;
  for (let number = 64 * block; number <= wanted; number++) {
    if (occupied(number)) {
      first = slot = Math.max(slot, number);
      while (!runEnd(slot)) slot++;
      slot++;
    }
  }
  return Array.from({ length: slot - first }, (_, i) => payload(first + i));
}

function quotient(word, hash, shardBits, quotients, width) {
  const blocks = Math.ceil((quotients + 192) / 64);
  const shardWords = 2 * blocks + Math.ceil(blocks / 8) + blocks * width + 2;
  const product = (inShard(hash, shardBits) & (M64 - 1n)) * BigInt(quotients);
  const remainder = (product & M64) >> BigInt(64 - width);
  const start = shardOf(hash, shardBits) * shardWords;
  return run(word, start, blocks, width, Number(product >> 64n)).includes(remainder);
}

function counting(word, hash, blockCount, shape) {
  const count = (place) => (word(Math.floor(place / 16)) >> BigInt(4 * (place % 16))) & 15n;
  return blocked(hash, blockCount, shape).every(count);
}

// ---- growing.md and window.md

function growing(word, hash, shards, fingerprint) {
  let [low, high] = [0, shards];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    [low, high] = word(4 * middle + 3) <= hash ? [middle, high] : [low, middle];
  }
  const entry = word(4 * low);
  const [shard, place, slots] = [entry & 255n, (entry >> 8n) & 255n, Number(entry >> 32n)];
  const wanted = Number(((hash << shard) & M64) >> (64n - place));
  const asNew = (((hash << (shard + place)) & M64) >> BigInt(64 - fingerprint)) * 2n + 1n;
  const begin = Number(word(4 * low + 1));
  const payloads = run(word, begin, Math.floor(slots / 64), fingerprint + 1, wanted);
  return payloads.some((payload) => (payload ^ asNew) / (payload & -payload) < 2n);
}

function window_(word, hash, blockCount, shape, span) {
  const state = 64 * blockCount;
  const newest = Number(word(state) % 8n);
  const bits = blocked(hash, blockCount, shape);
  for (let slot = 0; slot < 8; slot++) {
    const age = word(state + 1 + slot);
    const counts = slot === newest || (age !== M64 && (span === 0 || age < BigInt(span)));
    const has = (bit) => (word(Math.floor(bit / 64) * 8 + slot) >> BigInt(bit % 64)) & 1n;
    if (counts && bits.every(has)) return true;
  }
  return false;
}

// ---- file-format.md

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  return crc;
});

export function crc32c(...parts) {
  let crc = -1;
  for (const part of parts) for (const byte of part) crc = CRC[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

const allOf = (places) => (word, hash, size, shape) =>
  places(hash, size, shape).every((bit) => (word(Math.floor(bit / 64)) >> BigInt(bit % 64)) & 1n);

const noFilter = () => need(false, 'a delta is no filter');

// By the number in the header.
const LAYOUTS = {
  1: allOf(blocked), 2: allOf(positionsOf), 3: ribbon, 4: fuse, 5: quotient, 6: counting, 7: growing,
  8: window_, 9: ribbon, 10: exact, 11: noFilter, 12: noFilter,
};
const [SIGNATURE, OVERLAY, RIBBON, EXACT, DELTA, DIFFERENCE] = [1, 2, 3, 10, 11, 12];

const PAGE = 4096;
const isText = (bytes, at, text) => [...text].every((c, i) => bytes[at + i] === c.charCodeAt(0));

function checkPages(bytes, view, start, size) {
  const identity = new Uint8Array(12);
  const number = viewOf(identity);
  number.setUint32(0, crc32c(bytes.subarray(12, 24), bytes.subarray(128, 193)), true);
  for (let page = 0; page * PAGE < size; page++) {
    number.setUint32(4, page, true); // Of 64 bits: the high half stays 0.
    const content = bytes.subarray(start + page * PAGE, start + Math.min(size, (page + 1) * PAGE));
    const expected = view.getUint32(start + size + 4 * page, true);
    need(crc32c(identity, content) === expected, `page ${page}`);
  }
}

// Reads the sections from "at" on: those that are known by kind, and where they end.
function sectionsOf(bytes, view, at) {
  const bodies = {};
  let end = at;
  while (end + 48 <= bytes.length && isText(bytes, end, '\x89WSect\r\n')) {
    const [kind, flags, , , bodyCrc, headCrc] = [8, 12, 16, 20, 24, 28].map((i) => view.getUint32(end + i, true));
    const head = crc32c(bytes.subarray(252, 256), bytes.subarray(end, end + 28));
    need(head === headCrc, `section at ${end}`);
    need((flags & 1) === 0 || kind === OVERLAY, `section of kind ${kind} must be understood`);
    const length = Number(view.getBigUint64(end + 16, true));
    const next = end + 32 + Math.ceil(length / 8) * 8;
    need(next + 16 <= bytes.length, `length of the section at ${end}`);
    if (kind === SIGNATURE || kind === OVERLAY) {
      const body = bytes.subarray(end + 32, end + 32 + length);
      const zeros = bytes.subarray(end + 32 + length, next);
      const good = !bodies[kind] && crc32c(body) === bodyCrc && zeros.every((byte) => byte === 0);
      need(good, `section of kind ${kind}`);
      bodies[kind] = body;
    }
    end = next;
  }
  return [bodies, end];
}

const isSame = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

export class Filter {
  constructor(bytes) {
    const view = viewOf(bytes);
    const u32 = (at) => view.getUint32(at, true);
    need(bytes.length >= 256 && isText(bytes, 0, '\x89WBIRD\r\n'), 'magic');
    need(crc32c(bytes.subarray(0, 252)) === u32(252), 'header');
    this.layout = u32(12);
    const version = view.getUint16(8, true);
    need(version === 2 && this.layout in LAYOUTS, `version ${version}, layout ${this.layout}`);
    need(u32(196) === 0, `needs a reader with features ${u32(196)}`);
    need(u32(60) === 0, `not whole, needs journal ${u32(60)}`);
    need(bytes[128] <= 64, 'key id');
    this.seed = view.getBigUint64(16, true);
    this.expected = Number(view.getBigUint64(24, true));
    this.fpp = view.getFloat64(32, true);
    this.id = new TextDecoder().decode(bytes.subarray(129, 129 + bytes[128]));
    const size = Number(view.getBigUint64(48, true));
    const start = size <= 1 << 24 ? 256 : PAGE;
    const table = start + size;
    const sections = table + 4 * Math.ceil(size / PAGE);
    need(u32(56) === PAGE && size % 8 === 0 && bytes.length >= sections + 16, 'length');
    need(bytes.subarray(256, start).every((byte) => byte === 0), 'zeros');
    const [bodies, end] = sectionsOf(bytes, view, sections);
    need(bytes.length === end + 16 && isText(bytes, end, '\x89WIend\r\n'), 'end');
    need(u32(end + 12) === u32(252), 'footer');
    need(crc32c(bytes.subarray(table, sections)) === u32(end + 8), 'page table');
    checkPages(bytes, view, start, size);
    const inverted = [3, 4, 9, 10, 11, 12].includes(this.layout) ? 0n : M64;
    this.word = (at) => {
      need(at >= 0 && 8 * at < size, `word ${at}`);
      return view.getBigUint64(start + 8 * at, true) ^ inverted;
    };
    this.parameters = [64, 72, 80].map((at) => Number(view.getBigUint64(at, true)));
    this.header = bytes.subarray(0, 256);
    this.data = bytes.subarray(start, table);
    this.signature = bodies[SIGNATURE] ?? new Uint8Array(0);
    if (bodies[OVERLAY]) this.layOver(bodies[OVERLAY], sha256(this.header, bytes.subarray(table, sections)));
  }

  // delta.md: "reference" is the SHA-256 of our header and page table.
  layOver(overlay, reference) {
    const delta = new Filter(overlay);
    const fits = this.layout <= 4 && delta.layout === DELTA && isSame(delta.data.subarray(0, 32), reference);
    need(fits, 'the delta is for another base');
    need(delta.id === this.id && delta.seed === this.seed, 'the keys of the delta');
    const [added, removed] = delta.parameters;
    const second = 32 + Math.ceil(added / 8) * 8;
    need(second + Math.ceil(removed / 8) * 8 === delta.data.length, 'the parts of the delta');
    [this.expected, this.fpp, this.delta] = [delta.expected, delta.fpp, delta];
    if (added) this.added = new Filter(delta.data.subarray(32, 32 + added));
    if (removed) this.removed = new Filter(delta.data.subarray(second, second + removed));
    const isPart = (part, layout) => part.layout === layout && part.id === this.id && part.seed === this.seed;
    need(!added || isPart(this.added, RIBBON), 'the added keys of the delta');
    need(!removed || isPart(this.removed, EXACT), 'the removed keys of the delta');
  }

  // signature.md: throws unless the file, and what is laid over it, is signed by this key of Ed25519.
  async requireSignedBy(signer) {
    const { signature, header, data } = this;
    const pages = Math.ceil(data.length / PAGE);
    const whole = signature.length === 104 + 16 * pages && isSame(signature.subarray(0, 8), [1, 0, 0, 0, 0, 0, 0, 0]);
    need(whole, 'the file is not signed');
    need(isSame(signature.subarray(8, 40), signer), 'signed by another key');
    const title = new TextEncoder().encode('Woodbird signature 1\n');
    const message = Uint8Array.from([...title, ...header, ...sha256(signature.subarray(104))]);
    const key = await crypto.subtle.importKey('raw', signer, { name: 'Ed25519' }, false, ['verify']);
    const right = await crypto.subtle.verify({ name: 'Ed25519' }, key, signature.subarray(40, 104), message);
    need(right, 'altered after it was signed');
    for (let page = 0; page < pages; page++) {
      const number = new Uint8Array(8);
      viewOf(number).setUint32(0, page, true);
      const found = sha256(number, data.subarray(page * PAGE, (page + 1) * PAGE)).subarray(0, 16);
      need(isSame(found, signature.subarray(104 + 16 * page, 120 + 16 * page)), `page ${page} is not the signed one`);
    }
    if (this.delta) await this.delta.requireSignedBy(signer);
  }

  // Whether the key with this hash may be here; false is certain.
  maybe(hash) {
    if (this.added?.maybe(hash)) return true;
    return !this.removed?.maybe(hash) && LAYOUTS[this.layout](this.word, hash, ...this.parameters);
  }

  // The value of a hash in a map, null if it is not here.
  value(hash) {
    return lookUpShard(this.word, hash, this.parameters[0]);
  }

  // The hash of a key that is given as text; under a secret of 16 bytes if the filter was built so.
  hash(key, secret) {
    const kind = this.id.split(':')[0];
    need(this.id === keyId(kind, secret), `keys ${this.id}`);
    return keyHash(kind, key, this.seed, secret);
  }

  mightContain(key, secret) {
    return this.maybe(this.hash(key, secret));
  }
}

// difference.md: the new file that a delta makes of the old one.
export function patch(old, bytes) {
  const delta = new Filter(bytes);
  const [oldBytes, newBytes, edits] = delta.parameters;
  const end = 64 + edits;
  need(delta.layout === DIFFERENCE && Math.ceil(end / 8) * 8 === delta.data.length, 'no difference');
  const isBase = old.length === oldBytes && isSame(sha256(old), delta.data.subarray(0, 32));
  need(isBase && newBytes <= oldBytes + edits, 'the delta is for another base');
  const now = new Uint8Array(newBytes);
  now.set(old.subarray(0, newBytes));
  let from = 64;
  const number = () => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      need(from < end, 'a number of an edit');
      value += (delta.data[from] & 127) * scale;
      if (delta.data[from++] < 128) return value;
    }
  };
  for (let at = 0; from < end; ) {
    at += number();
    const count = number();
    need(at + count <= newBytes && from + count <= end, 'an edit');
    now.set(delta.data.subarray(from, from + count), at);
    [at, from] = [at + count, from + count];
  }
  need(isSame(sha256(now), delta.data.subarray(32, 64)), 'the edits make another file');
  return now;
}
