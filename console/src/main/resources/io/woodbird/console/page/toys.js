// The hash functions that articles teach, bit for bit as io.woodbird.classic has them, beside ours.

import { hashOf, positionsOf, utf8 } from './woodbird.mjs';

const SEEDS = [5, 7, 11, 13, 31, 37, 61];

function polynomial(text, factor) {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(factor, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

function hashCodeShift16(text, bits, hashes) {
  const first = polynomial(text, 31);
  const second = first >>> 16;
  return steps(hashes, (i) => {
    const sum = (first + Math.imul(i + 1, second)) | 0;
    return (sum < 0 ? ~sum : sum) % bits;
  });
}

// The article's array: Java shifts an int by five bits of the distance, so 32 to 63 are 0 to 31.
const hashCodeInt = (text, bits, hashes) =>
  hashCodeShift16(text, bits, hashes).map((drawer) => drawer - (drawer & 32));

function djb2(text, seed) {
  let hash = 5381 + seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash, 33) ^ text.charCodeAt(i);
  return hash >>> 0;
}

function sdbm(text, seed) {
  let hash = 0;
  for (let i = 0; i < text.length; i++) {
    hash = (text.charCodeAt(i) + (hash << 6) + (hash << 16) - hash + seed) | 0;
  }
  return hash >>> 0;
}

const djb2Sdbm = (text, bits, hashes) =>
  steps(hashes, (i) => (djb2(text, i) + i * sdbm(text, i)) % bits);

const polynomialSeeds = (text, bits, hashes) =>
  steps(hashes, (i) => polynomial(text, SEEDS[i]) & (bits - 1));

const CRC = Int32Array.from({ length: 256 }, (_, i) => {
  let value = i;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32Shift16(text, bits, hashes) {
  let crc = -1;
  for (const byte of utf8(text)) crc = (crc >>> 8) ^ CRC[(crc ^ byte) & 255];
  const first = ~crc >>> 0;
  const second = first >>> 16;
  return steps(hashes, (i) => (first + (i + 1) * second) % bits);
}

const steps = (hashes, position) => Array.from({ length: hashes }, (_, i) => position(i));

// Each scheme: positions(text, bits, hashes, seed), and what it can't take.
export const SCHEMES = {
  woodbird: (text, bits, hashes, seed) => positionsOf(hashOf(text, seed), bits, hashes),
  'hashcode-shift16': hashCodeShift16,
  'hashcode-shift16-int': hashCodeInt,
  'djb2-sdbm': djb2Sdbm,
  'polynomial-seeds': polynomialSeeds,
  'crc32-shift16': crc32Shift16,
};

export const powersOnly = (scheme) => scheme === 'polynomial-seeds';
export const mostHashes = (scheme) => (powersOnly(scheme) ? SEEDS.length : 8);
