// Checks the reader in woodbird.mjs with the vectors, or asks a file about keys. For Node.
//
//   node check.mjs FOLDER ...       checks the vectors in folders
//   node check.mjs FILE [KEY ...]   asks a file about keys
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Filter, keyHash, keyId, patch, rapidhash, siphash13 } from './woodbird.mjs';

const linesOf = (file) =>
  readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));

function need(right, what) {
  if (!right) throw new Error(what);
}

const bytesOf = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));

async function open(file, { signer } = {}) {
  const filter = new Filter(new Uint8Array(readFileSync(file)));
  if (signer) await filter.requireSignedBy(bytesOf(signer));
  return filter;
}

const number = (hex) => BigInt(`0x${hex}`);

async function checkDamaged(folder, files) {
  for (const { file, must, golden, why } of files) {
    const whole = join(folder, '..', golden);
    const listed = linesOf(join(dirname(whole), 'index.jsonl'));
    const line = listed.find((one) => basename(whole) === one.file);
    let filter;
    try {
      filter = await open(join(folder, file), line);
    } catch (error) {
      need(error.message.startsWith('damaged or foreign'), `${file}: ${error.stack}`);
      need(must !== 'read', `${file}: refused, ${error.message}`);
      continue;
    }
    need(must !== 'refuse', `${file}: opened, ${why}`);
    for (const answer of line.answers) {
      const maybe = filter.maybe(number(answer.hash));
      const right = answer.put ? maybe : maybe === answer.maybe || must === 'maybe';
      need(right, `${file}: answer ${JSON.stringify(answer)}`);
    }
  }
  console.log(`${files.length} damaged files: all as they should be`);
}

function checkHashes(vectors) {
  const secret = Uint8Array.from({ length: 16 }, (_, i) => i);
  for (const vector of vectors) {
    const seed = number(vector.seed);
    const found =
      'bytes' in vector
        ? {
            rapidhash3: rapidhash(bytesOf(vector.bytes), seed),
            siphash13: siphash13(bytesOf(vector.bytes), secret, seed),
          }
        : {
            splitmix64: keyHash('int64', String(vector.integer), seed),
            siphash13: keyHash('int64', String(vector.integer), seed, secret),
          };
    for (const [name, hash] of Object.entries(found)) {
      need(hash === number(vector[name]), `hash ${JSON.stringify(vector)}, found ${hash.toString(16)}`);
    }
  }
}

async function checkFiles(folder, files) {
  let answers = 0;
  for (const vector of files) {
    const kind = { strings: 'bytes', longs: 'int64', uuids: 'uuid' }[vector.keys];
    const secret = vector.secret ? bytesOf(vector.secret) : undefined;
    const filter = await open(join(folder, vector.file), vector);
    need(filter.id === keyId(kind, secret) && filter.id === vector.id, `${vector.file}: id ${filter.id}`);
    need(filter.seed === number(vector.seed), `${vector.file}: seed`);
    need(filter.expected === vector.expected && filter.fpp === vector.fpp, `${vector.file}: plan`);
    for (const answer of vector.answers) {
      const what = `${vector.file}: ${JSON.stringify(answer)}`;
      const hash = filter.hash(answer.key, secret);
      need(hash === number(answer.hash), what);
      need(filter.maybe(hash) === answer.maybe, what);
      if ('value' in answer) need(String(filter.value(hash) ?? 'None') === answer.value, what);
      answers++;
    }
  }
  return answers;
}

async function check(folder) {
  const files = linesOf(join(folder, 'index.jsonl'));
  if ('must' in files[0]) return checkDamaged(folder, files);
  const listed = join(folder, 'hashes.jsonl');
  const hashes = existsSync(listed) ? linesOf(listed) : [];
  checkHashes(hashes);
  const answers = await checkFiles(folder, files);
  const patches = join(folder, 'patches.jsonl');
  for (const vector of existsSync(patches) ? linesOf(patches) : []) {
    const [old, delta, now] = ['old', 'delta', 'new'].map((name) => readFileSync(join(folder, vector[name])));
    need(now.equals(patch(new Uint8Array(old), new Uint8Array(delta))), `${vector.delta}: makes another file`);
  }
  console.log(`${files.length} files, ${answers} answers, ${2 * hashes.length} hashes: all as they should be`);
}

const words = process.argv.slice(2);
try {
  need(words.length > 0, 'node check.mjs FOLDER ..., or node check.mjs FILE [KEY ...]');
  const [path, ...keys] = words;
  if (statSync(path).isDirectory()) {
    for (const folder of words) await check(folder);
  } else {
    const filter = await open(path);
    console.log(`layout ${filter.layout}, keys ${filter.id}, made for ${filter.expected} at fpp ${filter.fpp}`);
    const MAP = 9;
    for (const key of keys) {
      need(!key.includes('\ufffd'), 'a key is no text, and Node does not give its bytes');
      const found = () => (filter.layout === MAP ? `value ${filter.value(filter.hash(key))}` : 'maybe here');
      console.log(`${key}: ${filter.mightContain(key) ? found() : 'not here'}`);
    }
  }
} catch (error) {
  console.log(error.message);
  process.exitCode = 1;
}
