// The hash of a text and its positions in a classic Bloom filter, bit for bit as Java computes them
// (spec/hash.md, spec/classic-bloom.md). Numbers of 64 bits are BigInts.

const MASK = (1n << 64n) - 1n;
const SECRETS = [
  0x2d358dccaa6c78a5n,
  0x8bb84b93962eacc9n,
  0x4b33a62ed433d4a3n,
  0x4d5a2da51de1aa47n,
  0xa0761d6478bd642fn,
  0xe7037ed1a0b428dbn,
  0x90ed1765281c388cn,
  0xaaaaaaaaaaaaaaaan,
];
// Of the six steps of 16 bytes before the end, those that use the second secret.
const SECOND_SECRET_STEPS = 0b101100;
const MULTIPLIER = 0xd1342543de82ef95n;

function mix(a, b) {
  const product = a * b;
  return (product & MASK) ^ (product >> 64n);
}

const encoder = new TextEncoder();

// UTF-8 as Java writes it: a surrogate without its partner is a question mark.
export const utf8 = (text) => encoder.encode(text.replace(/\p{Surrogate}/gu, '?'));

export function rapidhash(bytes, seed) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const eight = (at) => view.getBigUint64(at, true);
  const four = (at) => BigInt(view.getUint32(at, true));
  const length = bytes.length;
  let state = seed ^ mix(seed ^ SECRETS[2], SECRETS[1]);
  if (length <= 16) return short(bytes, length, state, eight, four);
  let from = 0;
  let left = length;
  if (length > 112) {
    const states = new Array(7).fill(state);
    do {
      for (let i = 0; i < 7; i++) {
        const at = from + 16 * i;
        states[i] = mix(eight(at) ^ SECRETS[i], eight(at + 8) ^ states[i]);
      }
      from += 112;
      left -= 112;
    } while (left > 112);
    state = states.reduce((all, one) => all ^ one);
  }
  for (let done = 0; left - done > 16; done += 16) {
    const secret = (SECOND_SECRET_STEPS >> (done >> 4)) & 1 ? SECRETS[1] : SECRETS[2];
    state = mix(eight(from + done) ^ secret, eight(from + done + 8) ^ state);
  }
  const a = eight(from + left - 16) ^ BigInt(left);
  return finish(a, eight(from + left - 8), state, left);
}

function short(bytes, length, state, eight, four) {
  const mixed = state ^ BigInt(length);
  if (length >= 8) return finish(eight(0), eight(length - 8), mixed, length);
  if (length >= 4) return finish(four(0), four(length - 4), mixed, length);
  if (length > 0) {
    const ends = (BigInt(bytes[0]) << 45n) | BigInt(bytes[length - 1]);
    return finish(ends, BigInt(bytes[length >> 1]), state, length);
  }
  return finish(0n, 0n, state, 0);
}

function finish(a, b, state, length) {
  const product = (a ^ SECRETS[1]) * (b ^ state);
  return mix((product & MASK) ^ SECRETS[7], (product >> 64n) ^ SECRETS[1] ^ BigInt(length));
}

export const hashOf = (text, seed) => rapidhash(utf8(text), BigInt.asUintN(64, BigInt(seed)));

// The positions of a hash: successive states of a generator, each scaled to the number of bits.
export function positionsOf(hash, bits, hashes) {
  const limit = BigInt(bits) * 2n;
  const positions = [];
  let state = hash;
  for (let i = 0; i < hashes; i++) {
    state = (state * MULTIPLIER) & MASK;
    positions.push(Number(((state >> 1n) * limit) >> 64n));
  }
  return positions;
}
