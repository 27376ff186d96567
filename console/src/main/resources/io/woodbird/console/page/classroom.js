// Class mode: large, without what only one person needs, by keyboard, and the class guesses first.

import { byId, el, show } from './dom.js';
import { onLanguage, t } from './text.js';

const root = document.documentElement;

export class Classroom {
  constructor(play) {
    this.play = play;
    this.right = 0;
    this.guesses = 0;
    byId('class-mode').addEventListener('click', () => this.switch(!this.on));
    byId('guess-first').addEventListener('click', () => this.guessFirst(!this.guessing));
    addEventListener('keydown', (event) => this.key(event));
    onLanguage(() => this.render());
    this.guessing = true;
    this.render();
  }

  get on() {
    return root.dataset.class === 'yes';
  }

  // Whether an answer has to wait for the class.
  get waits() {
    return this.on && this.guessing;
  }

  switch(on) {
    if (on) root.dataset.class = 'yes';
    else delete root.dataset.class;
    this.right = 0;
    this.guesses = 0;
    this.play.unask();
    this.render();
    this.play.redraw();
    scrollTo(0, 0);
  }

  guessFirst(on) {
    this.guessing = on;
    this.play.unask();
    this.render();
  }

  render() {
    const { on } = this;
    byId('class-mode').setAttribute('aria-pressed', on);
    byId('guess-first').setAttribute('aria-pressed', this.guessing);
    byId('guess-first').hidden = !on;
    byId('class-keys').hidden = !on;
    byId('class-keys').textContent = on ? t('class.keys') : '';
    byId('class-mode').textContent = t(on ? 'class.leave' : 'class.mode');
    this.score();
  }

  score() {
    byId('class-score').textContent =
      this.waits && this.guesses ? t('class.score', { right: this.right, all: this.guesses }) : '';
  }

  // The two answers to choose from.
  choices(decide) {
    return el(
      'div',
      { class: 'buttons guesses' },
      el(
        'button',
        { type: 'button', id: 'guess-not', onclick: () => decide('not') },
        t('class.not'),
      ),
      el(
        'button',
        { type: 'button', id: 'guess-maybe', onclick: () => decide('maybe') },
        t('class.maybe'),
      ),
    );
  }

  count(guess, answer) {
    this.guesses++;
    if (guess === answer) this.right++;
    this.score();
    show(
      byId('class-said'),
      el(
        'p',
        { class: guess === answer ? 'guess-right' : 'guess-wrong' },
        t(guess === answer ? 'class.right' : 'class.wrong'),
      ),
    );
  }

  key(event) {
    const typing = event.target.closest?.('input, select, textarea, [role=grid]');
    if (!this.on || byId('play').hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') return this.switch(false);
    const page = { PageDown: 'lesson-next', PageUp: 'lesson-before' }[event.key];
    const free = {
      ArrowRight: 'lesson-next',
      ArrowLeft: 'lesson-before',
      p: 'put',
      a: 'ask',
      c: 'clear',
      1: 'guess-not',
      2: 'guess-maybe',
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    const target = page || (typing ? null : free);
    if (!target || !byId(target)) return;
    event.preventDefault();
    byId(target).click();
  }
}
