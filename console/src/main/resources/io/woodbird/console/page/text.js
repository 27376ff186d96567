// The words of the page in two languages, and numbers as each language writes them.

const messages = {};
const listeners = [];
let language = document.documentElement.lang === 'zh' ? 'zh' : 'en';

async function load(name) {
  if (!messages[name]) {
    const response = await fetch(name + '.json');
    messages[name] = await response.json();
  }
}

export const lang = () => language;
// What stands between two sentences: in Chinese nothing.
export const gap = () => (language === 'zh' ? '' : ' ');
export const onLanguage = (listener) => listeners.push(listener);

export async function useLanguage(name) {
  await load(name);
  language = name;
  document.documentElement.lang = name === 'zh' ? 'zh-CN' : 'en';
  for (const node of document.querySelectorAll('[data-t]')) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll('[data-t-label]')) {
    node.setAttribute('aria-label', t(node.dataset.tLabel));
  }
  for (const node of document.querySelectorAll('[data-t-hint]')) {
    node.setAttribute('placeholder', t(node.dataset.tHint));
  }
  for (const listener of listeners) listener();
}

// The text of a key, with {names} replaced.
export function t(key, values) {
  const text = messages[language]?.[key] ?? key;
  return values ? text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all) : text;
}

// What went wrong, in the language of the page where it has words for it.
export function problemText(error) {
  const key = 'error.' + error.code;
  return messages[language]?.[key] ? t(key, error.values) : error.message;
}

const locale = () => (language === 'zh' ? 'zh-CN' : 'en-US');

// A formatter takes a tenth of a millisecond to make, as long as a hundred numbers take to write.
const formatters = new Map();
function formatter(Kind, options) {
  const key = [Kind.name, locale(), JSON.stringify(options)].join();
  if (!formatters.has(key)) formatters.set(key, new Kind(locale(), options));
  return formatters.get(key);
}

export const count = (value) => formatter(Intl.NumberFormat).format(value);

export const decimal = (value, digits) =>
  formatter(Intl.NumberFormat, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const power = (exponent) =>
  (exponent < 0 ? '⁻' : '') +
  String(Math.abs(exponent)).replace(/\d/g, (digit) => SUPERSCRIPT[digit]);

// A probability: percent while that is readable, then a power of ten.
export function chance(value) {
  if (value === 0) return '0\u00a0%';
  const percent = value * 100;
  if (percent >= 99.95 && percent < 100) return '>\u00a099.9\u00a0%';
  if (percent >= 10) return decimal(percent, 1) + '\u00a0%';
  if (percent >= 0.01) return decimal(percent, percent >= 1 ? 2 : 3) + '\u00a0%';
  const exponent = Math.floor(Math.log10(value));
  return decimal(value / 10 ** exponent, 1) + ' × 10' + power(exponent);
}

// A round probability, as on an axis.
export function roundChance(value) {
  if (value === 0) return '0\u00a0%';
  const percent = value * 100;
  if (percent >= 0.01) return Number(percent.toPrecision(3)) + '\u00a0%';
  const exponent = Math.round(Math.log10(value));
  return Math.abs(value / 10 ** exponent - 1) < 1e-9 ? '10' + power(exponent) : chance(value);
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

export function bytes(value) {
  let unit = 0;
  let left = value;
  while (left >= 999.5 && unit < UNITS.length - 1) {
    left /= 1000;
    unit++;
  }
  const digits = unit === 0 || left >= 100 ? 0 : left >= 10 ? 1 : 2;
  return decimal(left, digits) + '\u00a0' + UNITS[unit];
}

// A round number of keys: 10 M.
export function roundCount(value) {
  const steps = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ];
  for (const [size, unit] of steps) {
    if (value >= size) return Number((value / size).toPrecision(3)) + '\u00a0' + unit;
  }
  return String(value);
}

export const clock = (millis) =>
  formatter(Intl.DateTimeFormat, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  }).format(millis);

export const day = (millis) =>
  formatter(Intl.DateTimeFormat, { dateStyle: 'medium', timeStyle: 'short' }).format(millis);

const SPANS = [
  [86400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

// A stretch of time in the largest unit that has no fraction: 24 hours, 7 days.
export function duration(seconds) {
  const [size, unit] =
    SPANS.find(([each]) => seconds >= 2 * each && seconds % each === 0) || SPANS.at(-1);
  return formatter(Intl.NumberFormat, { style: 'unit', unit, unitDisplay: 'long' }).format(
    seconds / size,
  );
}

const AGES = [
  ['day', 86400000],
  ['hour', 3600000],
  ['minute', 60000],
];

// How long ago, in words: "3 hours ago".
export function ago(millis) {
  const words = formatter(Intl.RelativeTimeFormat, { numeric: 'auto' });
  const [unit, size] = AGES.find(([, length]) => millis >= length) || ['second', 1000];
  return words.format(-Math.floor(Math.max(0, millis) / size), unit);
}
