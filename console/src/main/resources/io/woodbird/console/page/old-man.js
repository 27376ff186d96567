// The old man on top of the cabinet: he walks to each drawer of a name and drops a marble into it.

import { calm, svg } from './dom.js';

const REACH = 19; // From his middle to the marble in his hand.
const HAND = -31;
const PAUSE = 110;

function figure() {
  return svg(
    'g',
    { class: 'man-turn' },
    svg('path', { d: 'M-3 -21 V-3 h7', class: 'man-leg far' }),
    svg('path', {
      d: 'M-12 -46 C-24 -42 -27 -28 -19 -24 C-11 -21 -6 -30 -9 -38 Z',
      class: 'man-bag',
    }),
    svg('path', { d: 'M3 -21 V-3 h7', class: 'man-leg' }),
    svg('path', { d: 'M-11 -15 C-13 -34 -8 -45 0 -45 C8 -45 12 -34 12 -15 Z', class: 'man-robe' }),
    svg('path', { d: 'M-11 -23 H12', class: 'man-belt' }),
    svg('circle', { cx: 2, cy: -51, r: 8, class: 'man-skin' }),
    svg('path', {
      d: 'M-5 -51 C-6 -39 3 -32 8 -33 C12 -38 11 -45 10 -48 C6 -46 3 -47 2 -50 Z',
      class: 'man-beard',
    }),
    svg('circle', { cx: 6, cy: -53, r: 1.2, class: 'man-eye' }),
    svg('path', { d: 'M-11 -55 H14 L8 -58 C8 -69 -5 -69 -5 -58 Z', class: 'man-hat' }),
    svg('path', { d: 'M1 -40 L11 -32 L16 -32', class: 'man-arm' }),
    svg('circle', { cx: REACH, cy: HAND - 1, r: 4.5, class: 'man-marble' }),
  );
}

export class OldMan {
  constructor() {
    this.turn = figure();
    this.node = svg('g', { class: 'man', 'aria-hidden': 'true' }, this.turn);
    this.part = 0.86; // Where he stands, of the width; so that a new width moves him too.
    this.facing = -1;
    this.motions = [];
  }

  // Puts him where he belongs on a cabinet that was just drawn.
  stand(width, scale) {
    Object.assign(this, { width, scale });
    this.rest();
  }

  rest() {
    this.node.setAttribute(
      'transform',
      `translate(${this.part * this.width} 0) scale(${this.scale})`,
    );
    this.turn.setAttribute('transform', `scale(${this.facing} 1)`);
  }

  // Ends what is under way, as if it had been waited for.
  hurry() {
    for (const motion of this.motions) motion.finish();
    this.motions = [];
  }

  // Walks to the targets [x, y] in their order; returns when and from where each marble falls.
  walk(targets) {
    this.hurry();
    const steps = [{ time: 0, x: this.part * this.width, facing: this.facing }];
    const falls = [];
    let time = 0;
    for (const [x, y] of targets) {
      const from = steps.at(-1);
      const facing = x >= from.x ? 1 : -1;
      const stop = Math.max(16, Math.min(this.width - 16, x - facing * REACH * this.scale));
      const way = Math.abs(stop - from.x);
      steps.push({ time, x: from.x, facing });
      time += way < 2 ? 60 : Math.max(160, Math.min(520, way * 1.25));
      steps.push({ time, x: stop, facing });
      falls.push({
        at: time,
        x: stop + facing * REACH * this.scale,
        y: HAND * this.scale,
        millis: 240 + y,
      });
      time += PAUSE;
    }
    const last = steps.at(-1);
    this.part = last.x / this.width;
    this.facing = last.facing;
    this.rest();
    if (!calm()) this.animate(steps, time);
    return falls;
  }

  animate(steps, millis) {
    const frame = (offset, transform, easing) => ({
      offset: Math.min(1, offset / millis),
      transform,
      easing,
    });
    const walking = this.node.animate(
      [...steps, { ...steps.at(-1), time: millis }].map(({ time, x }) =>
        frame(time, `translate(${x}px, 0px) scale(${this.scale})`, 'linear'),
      ),
      millis,
    );
    const turning = this.turn.animate(
      [...steps, { ...steps.at(-1), time: millis }].map(({ time, facing }) =>
        frame(time, `scale(${facing}, 1)`, 'step-end'),
      ),
      millis,
    );
    this.motions = [walking, turning];
    this.node.classList.add('walking');
    const done = () => {
      if (walking.playState === 'finished' && this.motions[0] === walking) {
        this.node.classList.remove('walking');
        this.motions = [];
      }
    };
    walking.finished.then(done, done);
  }
}
