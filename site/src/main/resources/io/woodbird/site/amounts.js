// Amounts as people write them, read as the console's Amounts reads them: 10M, 500MB, 0.1%.

// A comma only before each three digits: "0,1%" means 0.1 % to many people, and not 1 %.
const NUMBER =
  /^((?:(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9][0-9_]*)(?:\.[0-9]*)?|\.[0-9]+))(?:e([+-]?[0-9]{1,3}))?\s*([a-z%]*)$/;
const MOST_CHARACTERS = 40;
const LARGEST = 2 ** 63;
const COUNTS = { '': 0, k: 3, m: 6, g: 9, b: 9, t: 12 };
const BYTES = { '': 0, b: 0, kb: 3, mb: 6, gb: 9, tb: 12 };
const BINARY = { kib: 10, mib: 20, gib: 30, tib: 40 };

function parts(text) {
  const match = text.length > MOST_CHARACTERS ? null : NUMBER.exec(text.trim().toLowerCase());
  return match && { digits: match[1].replace(/[_,]/g, ''), power: Number(match[2] ?? 0), unit: match[3] };
}

// The number nearest to what is written: "1.1k" is 1100, which 1.1 * 1000 is not.
function number(text, powers, binary = {}) {
  const found = parts(text);
  if (!found) return NaN;
  const { digits, power, unit } = found;
  if (Object.hasOwn(binary, unit)) return Number(`${digits}e${power}`) * 2 ** binary[unit];
  return Object.hasOwn(powers, unit) ? Number(`${digits}e${power + powers[unit]}`) : NaN;
}

const wholeOrNull = (value) => (Number.isInteger(value) && value < LARGEST ? value : null);

export const count = (text) => wholeOrNull(number(text, COUNTS));
export const bytes = (text) => wholeOrNull(number(text, BYTES, BINARY));

export function probability(text) {
  const slash = text.indexOf('/');
  const value =
    slash >= 0
      ? number(text.slice(0, slash), COUNTS) / number(text.slice(slash + 1), COUNTS)
      : text.endsWith('%')
        ? number(text.slice(0, -1), { '': -2 })
        : number(text, { '': 0 });
  return value > 0 && value < 1 ? value : null;
}

// The unit of a size that lacks its B or iB.
export function halfUnit(text) {
  const unit = parts(text)?.unit;
  return unit && 'kmgt'.includes(unit) ? unit.toUpperCase() : null;
}
