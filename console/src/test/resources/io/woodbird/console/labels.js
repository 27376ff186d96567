// What is wrong with the texts of the charts in a part of the page: one over another, over a line that
// means something, or outside of its picture. Lines of the grid may pass behind a text.

const complaints = [];
// A line of 12 px is drawn in about 15, of which letters fill the middle.
const letters = (text) => {
  const { left, right, top, bottom } = text.getBoundingClientRect();
  return { left, right, top: top + 2, bottom: bottom - 3 };
};
const touch = (a, b) =>
  Math.min(a.right, b.right) > Math.max(a.left, b.left) &&
  Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top);

for (const picture of document.querySelectorAll(arguments[0] + ' svg')) {
  const frame = picture.getBoundingClientRect();
  const texts = [...picture.querySelectorAll('text')].map((node) => [node.textContent, letters(node)]);
  const lines = [];
  for (const line of picture.querySelectorAll('line.here, line.limit, path.line')) {
    const at = line.getScreenCTM();
    const length = line.getTotalLength();
    for (let done = 0; done <= length; done += 1) {
      const { x, y } = line.getPointAtLength(done).matrixTransform(at);
      lines.push({ left: x, right: x + 0.01, top: y, bottom: y + 0.01 });
    }
  }
  texts.forEach(([text, box], i) => {
    if (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom)
      complaints.push(`"${text}" is outside of its picture`);
    if (lines.some((point) => touch(box, point))) complaints.push(`"${text}" is over a line`);
    for (const [other, its] of texts.slice(i + 1))
      if (touch(box, its)) complaints.push(`"${text}" is over the text "${other}"`);
  });
}
return complaints;
