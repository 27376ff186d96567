// The answers of the Plan tab without a server: what the console answered, for each step of the sliders.

import { KEY_STEPS, RATE_STEPS, nearest } from './plan-steps.js';

const files = new Map();

async function file(name) {
  if (!files.has(name))
    files.set(
      name,
      fetch('plans/' + name).then((response) => response.json()),
    );
  return files.get(name);
}

// "10M", "0.1%" and "1/1000", as the sliders write them.
function number(text) {
  const unit = { k: 1e3, M: 1e6, G: 1e9 }[text.slice(-1)];
  if (unit) return Number(text.slice(0, -1)) * unit;
  if (text.endsWith('%')) return Number(text.slice(0, -1)) / 100;
  return text.startsWith('1/') ? 1 / Number(text.slice(2)) : Number(text.replaceAll(',', ''));
}

// The question nearest to what is asked for; without a server there are only those of the sliders.
async function plan(query) {
  const keys = nearest(KEY_STEPS, number(query.get('keys')) || KEY_STEPS[15]);
  const rate = nearest(RATE_STEPS, number(query.get('fpp')) || RATE_STEPS[6]);
  const { load, abilities, answers } = await file(`rate-${rate}.json`);
  const needs = query.get('needs') ? query.get('needs').split(',') : [];
  const serves = ({ family }) =>
    needs.every((need) => abilities[family].includes(need.toUpperCase()));
  const answer = answers[keys];
  if (answer.error) {
    const { code, values } = answer;
    throw Object.assign(new Error(answer.error), { status: 400, code, values });
  }
  const snippets = {};
  for (const [family, all] of Object.entries(answer.snippets)) {
    const cli = needs.length ? all.cli.trimEnd() + ' --needs ' + needs.join(',') + '\n' : all.cli;
    snippets[family] = { ...all, cli };
  }
  return { ...answer, load, abilities, snippets, plans: answer.plans.filter(serves) };
}

export async function answer(path) {
  const [name, query] = path.split('?');
  const parameters = new URLSearchParams(query);
  if (name === 'plan') return plan(parameters);
  const needs = (parameters.get('needs') || '').split(',').filter(Boolean).sort().join(',');
  return (await file('maps.json'))[needs];
}
