// What the bird sings and how a marble sounds. Off until somebody switches it on.

const KEY = 'woodbird.sound';
// [when in seconds, from and to in hertz, how long, how loud]
const SONGS = {
  not: [
    [0, 1175, 1150, 0.16, 0.2],
    [0.22, 932, 900, 0.28, 0.2],
  ],
  maybe: [
    [0, 932, 990, 0.1, 0.18],
    [0.13, 1110, 1175, 0.1, 0.18],
    [0.26, 1320, 1660, 0.26, 0.18],
  ],
};
let context = null;

export const soundOn = () => localStorage.getItem(KEY) === 'on';

export function switchSound() {
  localStorage.setItem(KEY, soundOn() ? 'off' : 'on');
  return soundOn();
}

function tone([start, from, to, seconds, loud], shape) {
  const begin = context.currentTime + start;
  const source = context.createOscillator();
  const volume = context.createGain();
  source.type = shape;
  source.frequency.setValueAtTime(from, begin);
  source.frequency.linearRampToValueAtTime(to, begin + seconds);
  volume.gain.setValueAtTime(0, begin);
  volume.gain.linearRampToValueAtTime(loud, begin + 0.015);
  volume.gain.exponentialRampToValueAtTime(0.001, begin + seconds);
  source.connect(volume).connect(context.destination);
  source.start(begin);
  source.stop(begin + seconds + 0.02);
}

function ready() {
  if (!soundOn()) return false;
  context ??= new AudioContext();
  context.resume();
  return true;
}

// The song of an answer: two falling notes for "not here", three rising ones for "maybe here".
export function sing(answer) {
  if (ready()) for (const note of SONGS[answer] || []) tone(note, 'triangle');
}

// A marble that lands in wood, some milliseconds from now.
export function knock(millis) {
  if (ready()) tone([millis / 1000, 2300, 1500, 0.07, 0.12], 'sine');
}
