// The answers of the Plan tab without a server, in the form in which the console gives them.

import { ABILITIES } from './abilities.js';
import { bytes, count, halfUnit, probability } from './amounts.js';
import { plansOf, rateAt } from './planner.js';
import { snippetsOf } from './snippets.js';

const MOST_KEYS = 2 ** 50;
const SAMPLE_KEYS = 20_000;
const LOAD_STEPS = 30;
const MAP_RATES = [0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6];
const MAP_KEYS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];

const refuse = (code, values = {}) => {
  throw Object.assign(new Error(code), { status: 400, code, values });
};

function read(name, text, reader) {
  if (!text?.trim()) refuse('missing.' + name);
  const value = reader(text);
  if (value === null) {
    const unit = halfUnit(text);
    refuse(unit ? 'unit' : 'number.' + name, { text: text.slice(0, 40), unit: unit ?? '' });
  }
  return value;
}

// Two keys may have the same hash of 64 bits, so no lower rate can be kept.
const lowestRate = (keys) => keys * 2 ** -63;

const serving = (needs) =>
  Object.keys(ABILITIES).filter((family) =>
    needs.every((need) => ABILITIES[family].includes(need.toUpperCase())),
  );

function doubled(families, keys, fpp, budget) {
  if (2 * keys > MOST_KEYS || (!budget && fpp <= lowestRate(2 * keys))) return {};
  const plans = plansOf(families, 2 * keys, fpp, budget);
  return Object.fromEntries(plans.map((plan) => [plan.family, plan]));
}

// What a usual rate would take, where the budget gives a worse one.
function ways(families, keys, budget, best) {
  if (!budget || (best && best.fpp <= 0.01)) return [];
  return [0.01, 0.001]
    .map((wanted) => ({ wanted, plan: plansOf(families, keys, wanted)[0] }))
    .filter(({ plan }) => plan)
    .map(({ wanted, plan }) => ({ ...plan, wanted }));
}

// The rate at 0 to 300 % of the planned keys. A larger filter has the same at the same load. In a
// budget each family reaches a rate of its own.
function load(fpp, plans) {
  const curves = ['bloom', 'bloom-classic'].map((family) => ({
    family,
    promised: fpp ?? plans.find((plan) => plan.family === family)?.fpp ?? 1,
  }));
  if (curves.some(({ promised }) => !(promised > 1e-12 && promised < 0.9))) return [];
  return curves.map(({ family, promised }) => ({
    family,
    fpp: Array.from({ length: LOAD_STEPS + 1 }, (_, i) =>
      rateAt(family, SAMPLE_KEYS, promised, (3 * SAMPLE_KEYS * i) / LOAD_STEPS),
    ),
  }));
}

const needsOf = (query) => (query.get('needs') || '').split(',').filter(Boolean);

function plan(query) {
  const keys = read('keys', query.get('keys'), count);
  const budget = query.get('budget') ? read('budget', query.get('budget'), bytes) : null;
  const fpp = budget === null ? read('fpp', query.get('fpp'), probability) : null;
  if (keys < 1) refuse('few.keys');
  if (keys > MOST_KEYS) refuse('many.keys', { most: MOST_KEYS });
  if (budget === 0) refuse('few.budget');
  if (fpp !== null && fpp <= lowestRate(keys)) refuse('low.fpp', { least: lowestRate(keys).toExponential(1) });
  const needs = needsOf(query);
  const families = serving(needs);
  const plans = plansOf(families, keys, fpp, budget);
  const limitBitsPerKey = budget ? (8 * budget) / keys : -Math.log2(fpp);
  return {
    keys,
    fpp,
    budget,
    limitBitsPerKey,
    limitFpp: 2 ** -limitBitsPerKey,
    limitBytes: Math.ceil((limitBitsPerKey * keys) / 8),
    plans,
    ways: ways(families, keys, budget, plans[0]),
    doubled: doubled(families, keys, fpp, budget),
    load: load(fpp, plans),
    snippets: Object.fromEntries(
      plans.map((one) => [one.family, snippetsOf(one, keys, fpp, budget, needs)]),
    ),
    abilities: ABILITIES,
  };
}

// The smallest file for round numbers of keys and rates.
function map(query) {
  const families = serving(needsOf(query));
  const cells = MAP_RATES.map((fpp) =>
    MAP_KEYS.map((keys) => plansOf(families, keys, fpp)[0] ?? {}),
  );
  return { keys: MAP_KEYS, fpps: MAP_RATES, cells };
}

export async function answer(path) {
  const [name, query] = path.split('?');
  return (name === 'plan' ? plan : map)(new URLSearchParams(query));
}
