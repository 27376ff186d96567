// The steps of the two sliders of the Plan tab: 1, 2 and 5 of each power of ten.

const steps = (from, to) => {
  const all = [];
  for (let power = from; power < to; power++) for (const one of [1, 2, 5]) all.push([one, power]);
  return [...all, [1, to]];
};

// 1e-3 as the number nearest to 0.001, which 10 ** -3 is not always.
export const KEY_STEPS = steps(2, 10).map(([one, power]) => Number(`${one}e${power}`));
export const RATE_STEPS = steps(-9, -1)
  .map(([one, power]) => Number(`${one}e${power}`))
  .reverse();

const UNITS = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

export function keysText(keys) {
  const [size, unit] = UNITS.find(([least]) => keys >= least) || [1, ''];
  return keys / size + unit;
}

// As percent, and below 0.001 % as one in so many.
export const rateText = (rate) =>
  rate >= 1e-5 ? Number((rate * 100).toPrecision(3)) + '%' : '1/' + Math.round(1 / rate);

// The index of the step nearest to a value.
export const nearest = (all, value) =>
  all.reduce(
    (best, one, i) =>
      Math.abs(Math.log(one / value)) < Math.abs(Math.log(all[best] / value)) ? i : best,
    0,
  );
