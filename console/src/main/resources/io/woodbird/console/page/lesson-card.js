// The lessons beside the stage: where one is, what to try, which comes next, and how to share it.

import { el, show, svg } from './dom.js';
import { LESSONS } from './lessons.js';
import { qr, qrPath } from './qr.js';
import { t } from './text.js';

const KEY = 'woodbird.lessons';
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]', ''];

// The lessons in which this person has done something, remembered by the browser.
export const done = {
  all() {
    const known = (localStorage.getItem(KEY) || '').split(',').map(Number);
    return new Set(known.filter((lesson) => lesson >= 1 && lesson <= LESSONS.length));
  },
  add(lesson) {
    const all = this.all();
    if (all.has(lesson)) return false;
    localStorage.setItem(KEY, [...all, lesson].join(','));
    return true;
  },
};

const link = (lesson) => '#play?lesson=' + lesson;
const title = (lesson) => t(`lesson.${lesson}.title`);

export function renderLesson(node, current) {
  const seen = done.all();
  const chips = LESSONS.map((_, i) =>
    el(
      'a',
      {
        href: link(i + 1),
        class: seen.has(i + 1) ? 'chip done' : 'chip',
        title: title(i + 1),
        'aria-current': current === i + 1 ? 'step' : null,
        'aria-label':
          t('lesson.n', { n: i + 1 }) +
          ': ' +
          title(i + 1) +
          (seen.has(i + 1) ? t('lesson.isDone') : ''),
      },
      String(i + 1),
    ),
  );
  const where = current
    ? t('lesson.where', { n: current, all: LESSONS.length, done: seen.size })
    : t('lesson.nowhere', { all: LESSONS.length, done: seen.size });
  show(
    node,
    el('p', { class: 'lesson-where note', id: 'lesson-where' }, where),
    el('div', { class: 'chips', role: 'group', 'aria-label': t('lessons') }, chips),
    current ? text(current) : null,
    steps(current),
    el('details', { class: 'more' }, el('summary', {}, t('lesson.all')), contents(current)),
    share(current),
  );
}

const text = (lesson) =>
  el(
    'div',
    { class: 'lesson-text' },
    el('h2', {}, title(lesson)),
    el('p', {}, t(`lesson.${lesson}.text`)),
    el('p', { class: 'try' }, el('strong', {}, t('lesson.try')), ' ', t(`lesson.${lesson}.try`)),
  );

function steps(current) {
  const before = current > 1 ? current - 1 : 0;
  const after = current < LESSONS.length ? current + 1 : 0;
  return el(
    'div',
    { class: 'lesson-steps' },
    before
      ? el(
          'a',
          {
            href: link(before),
            class: 'button',
            id: 'lesson-before',
            'aria-label': t('lesson.before'),
          },
          '←',
        )
      : null,
    after
      ? el(
          'a',
          { href: link(after), class: 'button main', id: 'lesson-next' },
          t(current ? 'lesson.next' : 'lesson.begin', { title: title(after) }),
        )
      : el('a', { href: '#plan', class: 'button main', id: 'lesson-next' }, t('lesson.toPlan')),
  );
}

const contents = (current) =>
  el(
    'ol',
    { class: 'contents' },
    LESSONS.map((_, i) =>
      el(
        'li',
        {},
        el(
          'a',
          { href: link(i + 1), 'aria-current': current === i + 1 ? 'step' : null },
          title(i + 1),
        ),
      ),
    ),
  );

// The address of the lesson, or of the cabinet as it is, as text and as a QR code.
function share(current) {
  const details = el('details', { class: 'more share' }, el('summary', {}, t('lesson.share')));
  details.addEventListener('toggle', () => {
    if (!details.open) return;
    const address = location.href.replace(/#.*/, '') + (current ? link(current) : location.hash);
    const said = el('span', { role: 'status', class: 'note' });
    const input = el('input', {
      type: 'text',
      id: 'share-link',
      readonly: true,
      value: address,
      'aria-label': t('lesson.link'),
      onfocus: () => input.select(),
    });
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(address);
        said.textContent = t('copied');
      } catch {
        input.select();
        said.textContent = t('notCopied');
      }
    };
    show(
      details,
      details.firstChild,
      el(
        'div',
        { class: 'share-row' },
        input,
        el('button', { type: 'button', onclick: copy }, t('copy')),
      ),
      said,
      picture(address),
      LOOPBACK.includes(location.hostname)
        ? el('p', { class: 'note', id: 'share-note' }, t('lesson.linkHere'))
        : null,
    );
  });
  return details;
}

function picture(address) {
  const modules = qr(address);
  if (!modules) return el('p', { class: 'note' }, t('lesson.linkLong'));
  const { d, size } = qrPath(modules);
  return svg(
    'svg',
    {
      viewBox: `0 0 ${size} ${size}`,
      class: 'qr',
      role: 'img',
      'aria-label': t('lesson.qr'),
      'shape-rendering': 'crispEdges',
    },
    svg('rect', { width: size, height: size, class: 'qr-light' }),
    svg('path', { d, class: 'qr-dark' }),
  );
}
