// The lessons: each is a state of the cabinet, a text in two languages, and what to try.
// Their words are in en.json and zh.json under "lesson.1.title", "lesson.1.text", "lesson.1.try".

export const LESSONS = [
  { m: 64, k: 3, name: 'Ada' },
  { m: 64, k: 3, names: ['Ada', 'Lin'], name: 'Bob' },
  { m: 32, k: 2, names: ['Ada', 'Lin', 'Bob', 'Mia', 'Tom', 'Eve', 'Max'], name: 'Kai' },
  { m: 128, k: 4, fill: 16, name: '' },
  { m: 64, k: 3, fill: 15, name: 'Quinn' },
  { m: 24, k: 3, names: ['Ada', 'Bob', 'Lin', 'Mia', 'Tom', 'Eve'], name: 'Ada' },
  { m: 64, k: 3, scheme: 'hashcode-shift16', names: ['AaAa'], name: 'BBBB' },
  { m: 64, k: 3, scheme: 'hashcode-shift16', name: '' },
  { m: 4096, k: 6, name: 'Quinn' },
];
