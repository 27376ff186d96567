// Elements from names, attributes and children. Text is always text: nothing here makes markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null) continue;
    if (name.startsWith('aria-')) node.setAttribute(name, String(value));
    else if (value === false) continue;
    else if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

export const el = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

export const byId = (id) => document.getElementById(id);

export function show(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

// A name from outside as it can be read: what has no shape, or turns the line around, is spelled.
export const plain = (text) =>
  text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/gu,
    (char) => '\\u{' + char.codePointAt(0).toString(16) + '}',
  );

// A box that scrolls sideways where the page is narrow, and can be reached and scrolled by keyboard.
export const scrolling = (name, content) =>
  el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name }, content);

export const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

// Asks the server, or on the web site a module that has its answers. What it refuses is an Error with
// a code, and the server's own words.
export async function ask(path, form) {
  const { offline } = document.documentElement.dataset;
  if (offline) return (await import('./' + offline)).answer(path);
  const headers = { 'X-Woodbird-Token': sessionStorage.getItem('woodbird.token') || '' };
  const options = form ? { method: 'POST', headers, body: new URLSearchParams(form) } : { headers };
  let response;
  try {
    response = await fetch('api/' + path, options);
  } catch (cause) {
    throw Object.assign(new Error(cause.message), { code: 'unreachable' });
  }
  const answer = await response.json();
  if (!response.ok) {
    const error = new Error(answer.error || String(response.status));
    Object.assign(error, { status: response.status, code: answer.code, values: answer.values });
    throw error;
  }
  return answer;
}

// Calls draw(width) now and whenever the width of the node changes.
export function responsive(node, draw) {
  let last = 0;
  const again = () => {
    const width = Math.floor(node.clientWidth);
    if (width > 0 && width !== last) {
      last = width;
      draw(width);
    }
  };
  new ResizeObserver(again).observe(node);
  return () => {
    last = 0;
    again();
  };
}

// Calls action once, as soon as the node is near the window or the page is printed: not for a tab that
// nobody looks at.
export function whenNear(node, action) {
  const near = () => {
    observer.disconnect();
    removeEventListener('beforeprint', near);
    action();
  };
  const observer = new IntersectionObserver(
    (entries) => entries.at(-1).isIntersecting && near(),
    { rootMargin: '200px' },
  );
  observer.observe(node);
  addEventListener('beforeprint', near);
}

export function delayed(action, millis) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), millis);
  };
}
