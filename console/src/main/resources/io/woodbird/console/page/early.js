// Runs before anything is drawn: the theme, so that nothing flashes, the language that a link asks
// for, and the token, so that both leave the address at once.
'use strict';
(() => {
  const root = document.documentElement;
  const stored = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  const theme = stored('woodbird.theme');
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  const wanted = /^\?lang=(zh|en)$/.exec(location.search);
  if (wanted) {
    try {
      localStorage.setItem('woodbird.language', wanted[1]);
    } catch {
      // Then it holds for this page alone.
    }
    history.replaceState(null, '', location.pathname + location.hash);
  }
  const language = wanted?.[1] || stored('woodbird.language') || navigator.language || 'en';
  root.lang = language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
  const token = /^#token=([\w-]+)(.*)$/.exec(location.hash);
  if (token) {
    sessionStorage.setItem('woodbird.token', token[1]);
    history.replaceState(null, '', location.pathname + (token[2].replace(/^&?/, '#') || '#'));
  }
})();
