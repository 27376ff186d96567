// Search in all pages, in the browser. The index is a script, so that it works without a server too.
'use strict';
(() => {
  const MOST = 12;
  const root = document.currentScript.dataset.root;
  const chinese = document.documentElement.lang.startsWith('zh');

  function load() {
    if (load.started) return;
    load.started = true;
    const script = document.createElement('script');
    script.src = root + 'search-index.js';
    script.addEventListener('load', () => find());
    document.head.append(script);
  }

  const times = (text, word) => text.split(word).length - 1;

  // Every word must be in a page. Titles count most, then headings, then how often a word is there.
  function score(page, words) {
    let points = page.zh === chinese ? 3 : 0;
    for (const word of words) {
      const inText = times(page.lower, word);
      if (!inText) return 0;
      const inTitle = times(page.title.toLowerCase(), word);
      points += 40 * inTitle + 8 * times(page.heads.toLowerCase(), word) + Math.min(8, inText);
    }
    return points;
  }

  // What stands around a word below the title, or the beginning if only the title or a heading has it.
  function around(page, word) {
    const text = page.text.slice(page.text.startsWith(page.title) ? page.title.length : 0).trim();
    const at = Math.max(0, text.toLowerCase().indexOf(word));
    const from = Math.max(0, at - 50);
    return (from ? '…' : '') + text.slice(from, at + 90) + '…';
  }

  function find() {
    const input = document.getElementById('search');
    const box = document.getElementById('found');
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    box.replaceChildren();
    box.hidden = !words.length || !window.woodbirdPages;
    if (box.hidden) return;
    const hits = window.woodbirdPages
      .map((page) => {
        page.lower ??= (page.title + ' ' + page.heads + ' ' + page.text).toLowerCase();
        return { page, points: score(page, words) };
      })
      .filter((hit) => hit.points > 0)
      .sort((a, b) => b.points - a.points)
      .slice(0, MOST);
    if (!hits.length) box.textContent = box.dataset.none;
    for (const { page } of hits) {
      const link = document.createElement('a');
      link.href = root + page.url;
      const name = document.createElement('strong');
      name.textContent = page.title;
      const text = document.createElement('span');
      text.textContent = around(page, words[0]);
      link.append(name, text);
      box.append(link);
    }
  }

  const input = document.getElementById('search');
  input.addEventListener('focus', load);
  input.addEventListener('input', () => {
    load();
    find();
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') document.getElementById('found').hidden = true;
    if (event.key === '/' && !event.target.closest('input, textarea')) {
      event.preventDefault();
      input.focus();
    }
  });
})();
