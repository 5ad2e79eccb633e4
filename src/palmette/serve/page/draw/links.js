// Two sentences, one above the other, and links between their words.
import { html, width, button, strength, sureness, percent } from "../ui.js";

export function Links({ source, target, links, chosen, onLink, onPoint, title, compact }) {
  const size = compact ? 13 : 16, gap = compact ? 14 : 26, apart = compact ? 70 : 96;
  const row = (words) => {
    let at = 10;
    return words.map((word) => {
      const w = width(word, size, 500);
      const x = at + w / 2;
      at += w + gap;
      return { word, x, end: at };
    });
  };
  const above = row(source), below = row(target);
  const end = (words) => (words.length ? words[words.length - 1].end : 20);
  const w = Math.max(end(above), end(below));
  const [s, t] = [(w - end(above)) / 2, (w - end(below)) / 2];
  const h = apart + 2 * size + 22, y1 = size + 14, y2 = y1 + apart - 8;
  return html`<svg class="drawing links" width=${w} height=${h} viewBox="0 0 ${w} ${h}" role="group" aria-label=${title || "Word alignment"}>
    ${links.map((link, i) => {
      const a = above[link.source], b = below[link.target];
      if (!a || !b) return null;
      const [xa, xb] = [a.x + s, b.x + t];
      const path = `M${xa},${y1} C${xa},${y1 + apart * 0.4} ${xb},${y2 - apart * 0.4} ${xb},${y2}`;
      return html`<g class="arc ${sureness(link.probability)} ${chosen === i ? "chosen" : ""}"
          ...${onLink ? button(`${a.word} – ${b.word} ${percent(link.probability)}: why?`, () => onLink(i)) : {}}
          onMouseEnter=${(e) => onPoint && onPoint(i, "link", e)} onMouseLeave=${() => onPoint && onPoint(null)}>
        <path class="reach" d=${path} /><path class="line" d=${path} stroke-opacity=${strength(link.probability)} />
      </g>`;
    })}
    ${above.map((one) => html`<text class="form" x=${one.x + s} y=${y1 - 7} font-size=${size}>${one.word}</text>`)}
    ${below.map((one) => html`<text class="form" x=${one.x + t} y=${y2 + size + 3} font-size=${size}>${one.word}</text>`)}
  </svg>`;
}
