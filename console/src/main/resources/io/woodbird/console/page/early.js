// Runs before anything is drawn: the theme, so that nothing flashes, and the token, so that it
// leaves the address at once.
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
  const language = stored('woodbird.language') || navigator.language || 'en';
  root.lang = language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
  const token = /^#token=([\w-]+)(.*)$/.exec(location.hash);
  if (token) {
    sessionStorage.setItem('woodbird.token', token[1]);
    history.replaceState(null, '', location.pathname + (token[2].replace(/^&?/, '#') || '#'));
  }
})();
