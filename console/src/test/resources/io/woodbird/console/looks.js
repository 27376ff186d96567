// What is wrong with the page as it is drawn now: text that overlaps, is cut, or has too little
// contrast (WCAG 2.2 AA). Returns a list of complaints. The whole page must be in the viewport.

const complaints = [];

// A browser says a color in a notation of its choice (rgb, color, oklab): let it paint one.
const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
const painted = new Map();
const parse = (color) => {
  if (!painted.has(color)) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    painted.set(color, [r, g, b, a / 255]);
  }
  return [...painted.get(color)];
};
const over = (top, under) => {
  const a = top[3];
  return [0, 1, 2].map((i) => top[i] * a + under[i] * (1 - a)).concat(1);
};
const luminance = ([r, g, b]) => {
  const linear = [r, g, b].map((v) =>
    v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const contrast = (a, b) => {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
};

// What is painted behind a point, without the text itself.
function behind(x, y, text) {
  const layers = [];
  for (const node of document.elementsFromPoint(x, y)) {
    if (node === text && node instanceof SVGElement) continue;
    const style = getComputedStyle(node);
    let paint;
    if (node instanceof SVGElement) {
      if (
        node.tagName === 'svg' ||
        node.tagName === 'g' ||
        node.tagName === 'text' ||
        style.fill === 'none'
      )
        continue;
      paint = parse(style.fill);
      paint[3] *= Number(style.opacity) * Number(style.fillOpacity);
    } else {
      paint = parse(style.backgroundColor);
    }
    if (paint[3] > 0) layers.push(paint);
    if (paint[3] === 1) break;
  }
  return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
}

const leaves = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode;
  const owner = node.parentElement;
  if (!node.textContent.trim() || owner.closest('script, noscript, option, .skip, .unseen, [hidden]'))
    continue;
  if (owner.closest('details:not([open])') && !owner.closest('summary')) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
  if (boxes.length) leaves.push({ node, owner, boxes });
}

const name = ({ node, owner }) =>
  `<${owner.tagName.toLowerCase()} ${owner.id || owner.getAttribute('class') || ''}> "${node.textContent.trim().slice(0, 50)}"`;

for (const leaf of leaves) {
  const { owner, boxes } = leaf;
  const style = getComputedStyle(owner);
  if (!owner.closest(':disabled')) {
    const box = boxes[0];
    const color = parse(owner instanceof SVGElement ? style.fill : style.color);
    const ground = behind(box.left + box.width / 2, box.top + box.height / 2, owner);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const found = contrast(over(color, ground), ground);
    if (found < (large ? 3 : 4.5)) complaints.push(`contrast ${found.toFixed(2)}: ${name(leaf)}`);
  }
  if (owner.matches('[data-bytes]') && boxes.length > 1)
    complaints.push(`an amount in two lines: ${name(leaf)}`);
  if (/[\u3002\uff01\uff1f] \S/.test(owner.textContent))
    complaints.push(`a space after a Chinese sentence: ${name(leaf)}`);
  for (const box of boxes) {
    const scroll = owner.closest('.scroll, pre, .list');
    if (!scroll && (box.left < -1 || box.right > document.documentElement.clientWidth + 1)) {
      complaints.push(`outside of the page: ${name(leaf)}`);
    }
    const picture = owner.closest('svg');
    if (picture) {
      const frame = picture.getBoundingClientRect();
      if (box.left < frame.left - 2 || box.right > frame.right + 2)
        complaints.push(`cut by its picture: ${name(leaf)}`);
    }
  }
  for (let box = owner; box && box !== document.body; box = box.parentElement) {
    if (box instanceof SVGElement) continue;
    const clipped = getComputedStyle(box).overflowX !== 'visible';
    if (clipped && box.scrollWidth > box.clientWidth + 1 && !box.matches('input, select')) {
      complaints.push(`needs sideways scrolling: ${name(leaf)}`);
      break;
    }
  }
}

for (let i = 0; i < leaves.length; i++) {
  for (let j = i + 1; j < leaves.length; j++) {
    for (const a of leaves[i].boxes) {
      for (const b of leaves[j].boxes) {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 2 && tall > 5)
          complaints.push(`overlap: ${name(leaves[i])} and ${name(leaves[j])}`);
      }
    }
  }
}

if (document.documentElement.scrollWidth > document.documentElement.clientWidth) {
  complaints.push('the page is wider than its window: ' + document.documentElement.scrollWidth);
}
return [...new Set(complaints)];
