// The frame: tabs, language, theme. The address after # says what is shown, and Back works.

import { byId, plain } from './dom.js';
import { say } from './link.js';
import { lang, onLanguage, t, useLanguage } from './text.js';
import { Play } from './play.js';
import { Plan } from './plan.js';
import { Filters } from './filters.js';
import { Guards } from './guards.js';

const MAKERS = { play: Play, plan: Plan, filters: Filters, guards: Guards };
const TABS = Object.keys(MAKERS).filter((name) => byId(name)); // The web site has two of them.
const THEMES = ['auto', 'light', 'dark'];

const tabs = {};
let current = 'play';

function route() {
  const [name, query = ''] = location.hash.slice(1).split('?');
  const tab = TABS.includes(name) ? name : 'play';
  const unknown = name !== '' && name !== tab;
  say(unknown ? t('link.noTab', { name: plain(name.slice(0, 40)) }) : '');
  for (const other of TABS) {
    byId(other).hidden = other !== tab;
    const link = document.querySelector(`nav a[data-tab="${other}"]`);
    if (other === tab) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
    if (other !== tab) tabs[other].hide?.();
  }
  current = tab;
  nameTab();
  tabs[tab].show(new URLSearchParams(unknown ? '' : query));
}

function nameTab() {
  document.title = t('title.tab', { tab: t('tab.' + current) });
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
for (const name of TABS) tabs[name] = new MAKERS[name]();
byId('theme').addEventListener('click', nextTheme);
byId('language').addEventListener('click', nextLanguage);
byId('skip').addEventListener('click', () => byId('main').focus());
onLanguage(nameTheme);
onLanguage(nameTab);
nameTheme();
addEventListener('hashchange', route);
route();
document.documentElement.dataset.ready = 'yes';
