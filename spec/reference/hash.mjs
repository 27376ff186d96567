// How a key becomes 64 bits (spec/hash.md), for the reader in woodbird.mjs. Numbers of 64 bits are BigInts.

export const M64 = (1n << 64n) - 1n;

export function need(right, what) {
  if (!right) throw new Error(`damaged or foreign: ${what}`);
}

const S = [
  0x2d358dccaa6c78a5n, 0x8bb84b93962eacc9n, 0x4b33a62ed433d4a3n, 0x4d5a2da51de1aa47n,
  0xa0761d6478bd642fn, 0xe7037ed1a0b428dbn, 0x90ed1765281c388cn, 0xaaaaaaaaaaaaaaaan,
];

export const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const mix = (a, b) => ((a * b) & M64) ^ ((a * b) >> 64n);

export function rapidhash(bytes, seed) {
  const view = viewOf(bytes);
  const eight = (at) => view.getBigUint64(at, true);
  const four = (at) => BigInt(view.getUint32(at, true));
  const n = bytes.length;
  let [at, left, a, b] = [0, n, 0n, 0n];
  let state = seed ^ mix(seed ^ S[2], S[1]);
  if (n > 16) {
    if (n > 112) {
      const lanes = new Array(7).fill(state);
      for (; left > 112; at += 112, left -= 112) {
        for (let i = 0; i < 7; i++) {
          lanes[i] = mix(eight(at + 16 * i) ^ S[i], eight(at + 16 * i + 8) ^ lanes[i]);
        }
      }
      state = lanes.reduce((all, one) => all ^ one);
    }
    for (let step = 0; left - 16 * step > 16; step++) {
      const secret = step === 2 || step === 3 || step === 5 ? S[1] : S[2];
      state = mix(eight(at + 16 * step) ^ secret, eight(at + 16 * step + 8) ^ state);
    }
    [a, b] = [eight(n - 16) ^ BigInt(left), eight(n - 8)];
  } else if (n >= 4) {
    state ^= BigInt(n);
    [a, b] = n >= 8 ? [eight(0), eight(n - 8)] : [four(0), four(n - 4)];
  } else if (n > 0) {
    [a, b] = [(BigInt(bytes[0]) << 45n) | BigInt(bytes[n - 1]), BigInt(bytes[n >> 1])];
  }
  const product = (a ^ S[1]) * (b ^ state);
  return mix((product & M64) ^ S[7], (product >> 64n) ^ S[1] ^ BigInt(left));
}

export function splitmix64(value) {
  let x = value & M64;
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & M64;
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & M64;
  return x ^ (x >> 31n);
}

export function siphash13(bytes, secret, seed) {
  const key = viewOf(secret);
  const [k0, k1] = [key.getBigUint64(0, true) ^ seed, key.getBigUint64(8, true)];
  let [a, b] = [k0 ^ 0x736f6d6570736575n, k1 ^ 0x646f72616e646f6dn];
  let [c, d] = [k0 ^ 0x6c7967656e657261n, k1 ^ 0x7465646279746573n];
  const turn = (x, by) => ((x << by) | (x >> (64n - by))) & M64;
  const round = (word) => {
    d ^= word;
    [a, c] = [(a + b) & M64, (c + d) & M64];
    [b, d, a] = [turn(b, 13n) ^ a, turn(d, 16n) ^ c, turn(a, 32n)];
    [c, a] = [(c + b) & M64, (a + d) & M64];
    [b, d, c] = [turn(b, 17n) ^ c, turn(d, 21n) ^ a, turn(c, 32n)];
    a ^= word;
  };
  const padded = new Uint8Array((Math.floor(bytes.length / 8) + 1) * 8);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length & 255;
  const view = viewOf(padded);
  for (let at = 0; at < padded.length; at += 8) round(view.getBigUint64(at, true));
  c ^= 255n;
  for (let i = 0; i < 3; i++) round(0n);
  return a ^ b ^ c ^ d;
}

const encoder = new TextEncoder();
// UTF-8 as Java writes it: a surrogate without its partner is a question mark.
export const utf8 = (text) => encoder.encode(text.replace(/\p{Surrogate}/gu, '?'));
export const hashOf = (text, seed) => rapidhash(utf8(text), BigInt.asUintN(64, BigInt(seed)));
export function keyId(kind, secret) {
  if (!secret) return kind + (kind === 'int64' ? ':splitmix64' : ':rapidhash3');
  const print = siphash13(encoder.encode('woodbird key fingerprint'), secret, 0n);
  return `${kind}:siphash13:${print.toString(16).padStart(16, '0')}`;
}

// The hash of a key that is given as text: any text, a whole number in decimal, or a UUID.
export function keyHash(kind, text, seed, secret) {
  let bytes;
  if (kind === 'int64') {
    need(/^-?[0-9]+$/.test(text), `key ${text}`);
    const number = BigInt.asUintN(64, BigInt(text));
    if (!secret) return splitmix64(number + seed);
    bytes = new Uint8Array(8);
    viewOf(bytes).setBigUint64(0, number, true);
  } else if (kind === 'uuid') {
    need(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text), `key ${text}`);
    bytes = Uint8Array.from(text.replaceAll('-', '').match(/../g), (two) => parseInt(two, 16));
  } else {
    bytes = utf8(text);
  }
  return secret ? siphash13(bytes, secret, seed) : rapidhash(bytes, seed);
}

// ---- SHA-256 (FIPS 180-4), as that of browsers can't be waited for in a constructor.

const primes = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) >>> 0;
const K = primes.map((prime) => fraction(Math.cbrt(prime)));

export function sha256(...parts) {
  const length = parts.reduce((all, part) => all + part.length, 0);
  const padded = new Uint8Array(Math.ceil((length + 9) / 64) * 64);
  let at = 0;
  for (const part of parts) {
    padded.set(part, at);
    at += part.length;
  }
  padded[length] = 0x80;
  const view = viewOf(padded);
  view.setBigUint64(padded.length - 8, BigInt(length) * 8n);
  const state = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  const turn = (x, by) => (x >>> by) | (x << (32 - by));
  const w = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        w[i] = view.getInt32(block + 4 * i);
      } else {
        const [x, y] = [w[i - 15], w[i - 2]];
        const [s0, s1] = [turn(x, 7) ^ turn(x, 18) ^ (x >>> 3), turn(y, 17) ^ turn(y, 19) ^ (y >>> 10)];
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
      }
      const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i];
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] = (state[i] + value) | 0));
  }
  const result = new Uint8Array(32);
  state.forEach((value, i) => viewOf(result).setInt32(4 * i, value));
  return result;
}
