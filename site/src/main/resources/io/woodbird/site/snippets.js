// A plan as something to copy, as the console's Snippets write it: Java, YAML, a command line.

import { planOf } from './planner.js';

const MOST_BITS = (2 ** 28 - 2) * 512;
const MOST_BLOCKS = 2 ** 28 - 2;
const MOST_KEYS = 2 ** 40;
const TAKE_BYTES = ['bloom', 'bloom-classic', 'ribbon', 'fuse'];

// 0.001 and 1.0E-4, as Java writes a double.
function decimal(value) {
  if (value >= 1e-3) return String(value);
  const [digits, power] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : digits + '.0'}E${power}`;
}

const whole = (value) =>
  value.toLocaleString('en-US').replaceAll(',', '_') + (value > 2 ** 31 - 1 ? 'L' : '');

// To three digits.
function roundedUp(value) {
  const [digits, power] = value.toExponential(2).split('e');
  const near = Number(`${digits}e${power}`);
  return near >= value ? near : Number(`${Math.round(digits * 100) + 1}e${power - 2}`);
}

// Whether the builder of a family makes a filter for the heap that is so large.
const FITS = {
  bloom: (_, bits) => bits <= MOST_BITS,
  'bloom-classic': (_, bits) => bits <= MOST_BITS,
  ribbon: () => true,
  fuse: () => true,
  deletable: (keys) => keys <= MOST_KEYS,
  counting: (keys, bits) => keys <= MOST_KEYS && bits / 2048 <= Math.floor(MOST_BLOCKS / 4),
  growing: () => true,
  window: (keys, bits) =>
    keys <= MOST_KEYS && (bits - 640) / 4096 <= Math.floor(MOST_BLOCKS / 8),
};

const reachable = (keys, fpp) => fpp > keys * 2 ** -63;

const CALLS = {
  bloom: (n, wish) => ['BloomFilter', `bloom(Keys.strings(), ${n}).${wish}.build()`],
  'bloom-classic': (n, wish) => [
    'BloomFilter',
    `bloom(Keys.strings(), ${n}).${wish}.classic().build()`,
  ],
  ribbon: (_, wish) => ['Filter', `frozen(Keys.strings()).smallest().${wish}.buildFrom(keys)`],
  fuse: (_, wish) => ['Filter', `frozen(Keys.strings()).fastToAsk().${wish}.buildFrom(keys)`],
  deletable: (n, wish) => ['MergeableFilter', `deletable(Keys.strings(), ${n}).${wish}.build()`],
  counting: (n, wish) => [
    'MergeableFilter',
    `deletable(Keys.strings(), ${n}).${wish}.counting().build()`,
  ],
  // A very low rate can't hold for 2^40 keys, which is the default of the builder.
  growing: (n, wish, fpp) => [
    'MergeableFilter',
    `growing(Keys.strings()).${wish}${reachable(MOST_KEYS, fpp) ? '' : `.upTo(${n})`}.build()`,
  ],
  window: (n, wish) => [
    'MutableFilter',
    `window(Keys.strings(), ${n}, java.time.Duration.ofHours(24)).${wish}.build()`,
  ],
};

function call(family, keys, fpp, wish) {
  const [type, code] = CALLS[family](whole(keys), wish, fpp);
  return `${type}<String> filter =\n    Woodbird.${code};\n`;
}

function java({ family, bits, fpp: reached }, keys, fpp, budget) {
  if (!budget)
    return FITS[family](keys, bits) ? call(family, keys, fpp, `fpp(${decimal(fpp)})`) : null;
  if (TAKE_BYTES.includes(family))
    return FITS[family](keys, bits) ? call(family, keys, 1, `maxBytes(${whole(budget)})`) : null;
  // The other builders take a rate: the lowest that fits.
  const lowest = Math.max(reached, keys * 2 ** -62);
  let step;
  for (let rate = roundedUp(lowest); rate < 1; rate = roundedUp(rate * step)) {
    const plan = planOf(family, keys, rate);
    const fits = FITS[family](keys, plan.bits);
    if (fits && plan.bytes <= budget) return call(family, keys, rate, `fpp(${decimal(rate)})`);
    step = fits ? 1.01 : 1.1;
  }
  return null;
}

export function snippetsOf(plan, keys, fpp, budget, needs) {
  const code = java(plan, keys, fpp, budget);
  const wish = budget ? `--budget ${budget}` : `--fpp ${decimal(fpp)}`;
  const needed = needs.length ? ` --needs ${needs.join(',')}` : '';
  const rate = decimal(budget ? plan.fpp : fpp);
  return {
    ...(code && { java: code }),
    ...(plan.family === 'bloom' && {
      yaml: `woodbird:
  guards:
    products:
      expected-keys: ${keys}
      fpp: ${rate}
      source:
        sql: select id from product
`,
    }),
    cli: `woodbird plan -n ${keys} ${wish}${needed}\n`,
  };
}
