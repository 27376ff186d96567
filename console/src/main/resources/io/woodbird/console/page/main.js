// The frame: tabs, language, theme. The address after # says what is shown, and Back works.

import { byId } from './dom.js';
import { lang, onLanguage, t, useLanguage } from './text.js';
import { Play } from './play.js';
import { Plan } from './plan.js';
import { Filters } from './filters.js';
import { Guards } from './guards.js';

const TABS = ['play', 'plan', 'filters', 'guards'];
const THEMES = ['auto', 'light', 'dark'];

// Writes the state of a tab into the address, without a new entry in the history.
function remember(tab, parameters) {
  const query = new URLSearchParams(parameters).toString();
  const hash = '#' + tab + (query ? '?' + query : '');
  if (location.hash !== hash) history.replaceState(null, '', hash);
}

const tabs = {};

function route() {
  const [name, query = ''] = location.hash.slice(1).split('?');
  const tab = TABS.includes(name) ? name : 'play';
  for (const other of TABS) {
    byId(other).hidden = other !== tab;
    const link = document.querySelector(`nav a[data-tab="${other}"]`);
    if (other === tab) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
    if (other !== tab) tabs[other].hide?.();
  }
  tabs[tab].show(new URLSearchParams(query));
}

function currentTheme() {
  return document.documentElement.dataset.theme || 'auto';
}

function nameTheme() {
  byId('theme').textContent = t('theme.' + currentTheme());
}

function nextTheme() {
  const next = THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length];
  if (next === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  localStorage.setItem('woodbird.theme', next);
  nameTheme();
}

async function nextLanguage() {
  const next = lang() === 'en' ? 'zh' : 'en';
  localStorage.setItem('woodbird.language', next);
  await useLanguage(next);
}

await useLanguage(lang());
Object.assign(tabs, {
  play: new Play(remember),
  plan: new Plan(remember),
  filters: new Filters(remember),
  guards: new Guards(remember),
});
byId('theme').addEventListener('click', nextTheme);
byId('language').addEventListener('click', nextLanguage);
byId('skip').addEventListener('click', () => byId('main').focus());
onLanguage(nameTheme);
nameTheme();
addEventListener('hashchange', route);
route();
document.documentElement.dataset.ready = 'yes';
