// A QR code of a text: byte mode, versions 1 to 15, error correction M (about 15 % may be unreadable).
// ISO/IEC 18004; the numbers of sections are those of the standard.

const VERSIONS = 15;
const EC_PER_BLOCK = [0, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24];
const BLOCKS = [0, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10];
const QUIET = 4;

// GF(256) with the polynomial 0x11d (section 7.5.2).
const EXP = new Uint8Array(510);
const LOG = new Uint8Array(256);
for (let i = 0, value = 1; i < 255; i++) {
  EXP[i] = EXP[i + 255] = value;
  LOG[value] = i;
  value = (value << 1) ^ (value & 128 ? 0x11d : 0);
}
const times = (a, b) => (a && b ? EXP[LOG[a] + LOG[b]] : 0);

// The product of (x - 2^i), without its leading 1.
function generator(degree) {
  const factors = new Array(degree).fill(0);
  factors[degree - 1] = 1;
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) {
      factors[j] = times(factors[j], EXP[i]) ^ (factors[j + 1] ?? 0);
    }
  }
  return factors;
}

function remainder(data, factors) {
  const rest = new Array(factors.length).fill(0);
  for (const byte of data) {
    const lead = byte ^ rest.shift();
    rest.push(0);
    factors.forEach((factor, i) => (rest[i] ^= times(factor, lead)));
  }
  return rest;
}

const sizeOf = (version) => 17 + 4 * version;

// Rows and columns of the alignment patterns (annex E).
function alignments(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((sizeOf(version) - 13) / (2 * count - 2)) * 2;
  const last = sizeOf(version) - 7;
  return [6, ...Array.from({ length: count - 1 }, (_, i) => last - (count - 2 - i) * step)];
}

// All bytes that a version has room for, data and error correction.
function capacity(version) {
  const patterns = alignments(version).length;
  let bits = (16 * version + 128) * version + 64;
  if (patterns) bits -= (25 * patterns - 10) * patterns - 55;
  if (version >= 7) bits -= 36;
  return bits >> 3;
}

const dataBytes = (version) => capacity(version) - BLOCKS[version] * EC_PER_BLOCK[version];

// Mode, length, bytes, end and padding (section 7.4).
function encode(bytes, version) {
  const bits = [];
  const push = (value, count) => {
    for (let i = count - 1; i >= 0; i--) bits.push((value >> i) & 1);
  };
  push(4, 4);
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  const room = dataBytes(version) * 8;
  push(0, Math.min(4, room - bits.length));
  push(0, -bits.length & 7);
  for (let pad = 0xec; bits.length < room; pad ^= 0xec ^ 0x11) push(pad, 8);
  return Array.from({ length: room / 8 }, (_, i) =>
    bits.slice(8 * i, 8 * i + 8).reduce((byte, bit) => 2 * byte + bit, 0),
  );
}

// Blocks with their error correction, interleaved (section 7.6). The first blocks may be shorter.
function interleave(data, version) {
  const blocks = BLOCKS[version];
  const short = Math.floor(data.length / blocks);
  const longer = data.length % blocks;
  const factors = generator(EC_PER_BLOCK[version]);
  const parts = [];
  for (let i = 0, from = 0; i < blocks; i++) {
    const length = short + (i >= blocks - longer ? 1 : 0);
    const part = data.slice(from, from + length);
    from += length;
    parts.push({ part, check: remainder(part, factors) });
  }
  const all = [];
  for (let i = 0; i <= short; i++)
    for (const { part } of parts) if (i < part.length) all.push(part[i]);
  for (let i = 0; i < factors.length; i++) for (const { check } of parts) all.push(check[i]);
  return all;
}

const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

class Grid {
  constructor(version) {
    this.version = version;
    this.size = sizeOf(version);
    this.dark = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
    this.fixed = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
  }

  set(x, y, dark) {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    this.dark[y][x] = dark;
    this.fixed[y][x] = true;
  }

  patterns() {
    const { size, version } = this;
    for (let i = 0; i < size; i++) {
      this.set(6, i, i % 2 === 0);
      this.set(i, 6, i % 2 === 0);
    }
    for (const [cx, cy] of [
      [3, 3],
      [size - 4, 3],
      [3, size - 4],
    ]) {
      this.square(cx, cy, 4, (ring) => ring !== 2 && ring !== 4);
    }
    const at = alignments(version);
    const last = at.length - 1;
    at.forEach((x, i) =>
      at.forEach((y, j) => {
        const corner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
        if (!corner) this.square(x, y, 2, (ring) => ring !== 1);
      }),
    );
    this.format(0);
    if (version >= 7) this.versionBits();
  }

  square(cx, cy, radius, dark) {
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dx = -radius; dx <= radius; dx++) {
        this.set(cx + dx, cy + dy, dark(Math.max(Math.abs(dx), Math.abs(dy))));
      }
    }
  }

  // Level M is 00; 15 bits with a BCH code (section 7.9).
  format(mask) {
    let rest = mask;
    for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
    const bits = ((mask << 10) | rest) ^ 0x5412;
    const bit = (i) => ((bits >> i) & 1) === 1;
    for (let i = 0; i <= 5; i++) this.set(8, i, bit(i));
    this.set(8, 7, bit(6));
    this.set(8, 8, bit(7));
    this.set(7, 8, bit(8));
    for (let i = 9; i < 15; i++) this.set(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i++) this.set(this.size - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i++) this.set(8, this.size - 15 + i, bit(i));
    this.set(8, this.size - 8, true);
  }

  // 18 bits in two corners, from version 7 on (section 7.10).
  versionBits() {
    let rest = this.version;
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
    const bits = (this.version << 12) | rest;
    for (let i = 0; i < 18; i++) {
      const dark = ((bits >> i) & 1) === 1;
      const a = this.size - 11 + (i % 3);
      const b = Math.floor(i / 3);
      this.set(a, b, dark);
      this.set(b, a, dark);
    }
  }

  // Two columns at a time from the right, up and down in turn; column 6 is left out (section 7.7.3).
  place(bytes) {
    let i = 0;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.size; step++) {
        const up = ((right + 1) & 2) === 0;
        const y = up ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.fixed[y][x] || i >= 8 * bytes.length) continue;
          this.dark[y][x] = ((bytes[i >> 3] >> (7 - (i & 7))) & 1) === 1;
          i++;
        }
      }
    }
  }

  flip(mask) {
    for (let y = 0; y < this.size; y++) {
      for (let x = 0; x < this.size; x++) {
        if (!this.fixed[y][x] && MASKS[mask](x, y)) this.dark[y][x] = !this.dark[y][x];
      }
    }
  }

  // How hard it is to read (section 7.8.3): long runs, blocks, false finders, too dark or too light.
  penalty() {
    let points = 0;
    let darks = 0;
    const { size, dark } = this;
    for (let a = 0; a < size; a++) {
      const row = dark[a].map((one) => (one ? '1' : '0')).join('');
      const column = dark.map((line) => (line[a] ? '1' : '0')).join('');
      for (const text of [row, column]) {
        for (const run of text.match(/0{5,}|1{5,}/g) || []) points += run.length - 2;
        points += 40 * (text.match(/(?=00001011101|10111010000)/g) || []).length;
      }
      darks += row.replaceAll('0', '').length;
    }
    for (let y = 1; y < size; y++) {
      for (let x = 1; x < size; x++) {
        const one = dark[y][x];
        if (one === dark[y][x - 1] && one === dark[y - 1][x] && one === dark[y - 1][x - 1])
          points += 3;
      }
    }
    return points + 10 * Math.floor(Math.abs((20 * darks) / (size * size) - 10));
  }
}

// The modules of the code, row by row, true is dark; null if the text is too long for version 15.
export function qr(text) {
  const bytes = new TextEncoder().encode(text);
  let version = 1;
  const head = () => (version < 10 ? 2 : 3);
  while (version <= VERSIONS && bytes.length + head() > dataBytes(version)) version++;
  if (version > VERSIONS) return null;
  const grid = new Grid(version);
  grid.patterns();
  grid.place(interleave(encode(bytes, version), version));
  let best = 0;
  let least = Infinity;
  for (let mask = 0; mask < MASKS.length; mask++) {
    grid.flip(mask);
    grid.format(mask);
    const points = grid.penalty();
    if (points < least) [best, least] = [mask, points];
    grid.flip(mask);
  }
  grid.flip(best);
  grid.format(best);
  return grid.dark;
}

// The dark modules as one path, with the quiet zone around them.
export function qrPath(modules) {
  const d = modules
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '')))
    .join('');
  return { d, size: modules.length + 2 * QUIET };
}
