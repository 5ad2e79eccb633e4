// Two sentences, one above the other, and links between their words.
import { html, width, button, strength, sureness, percent, isRightToLeft } from "../ui.js";

export function Links({ source, target, links, chosen, likely = [], onLink, onWord, onPoint, title, compact, fixed = {} }) {
  const size = compact ? 13 : 16, gap = compact ? 14 : 26, apart = compact ? 70 : 96;
  const row = (words) => {
    let at = 10;
    const placed = words.map((word) => {
      const w = width(word, size, 500);
      const x = at + w / 2;
      at += w + gap;
      return { word, x, end: at };
    });
    if (isRightToLeft(placed)) for (const one of placed) one.x = at + 10 - gap - one.x;
    return placed;
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
      return html`<g class="arc ${sureness(link.probability)} ${chosen === i ? "chosen" : ""} ${fixed.link?.has(`${link.source}-${link.target}`) ? "fixed" : ""}"
          ...${onLink ? button(`${a.word} – ${b.word} ${percent(link.probability)}: why?`, () => onLink(i)) : {}}
          onMouseEnter=${(e) => onPoint && onPoint(i, "link", e)} onMouseLeave=${() => onPoint && onPoint(null)}>
        <path class="reach" d=${path} /><path class="line" d=${path} stroke-opacity=${strength(link.probability)} />
      </g>`;
    })}
    ${[["s", above, s, y1 - 7], ["t", below, t, y2 + size + 3]].map(([side, words, shift, y]) => words.map((one, i) => html`<g
        class="word ${side === "t" ? sureness(likely[i]) : ""} ${chosen === `${side}${i}` ? "chosen" : ""}" onMouseEnter=${(e) => side === "t" && onPoint && onPoint(i, "target", e)} onMouseLeave=${() => onPoint && onPoint(null)} data-token=${onWord ? `${side}${i}` : null} ...${onWord ? button(`${one.word}: link it`, () => onWord(`${side}${i}`)) : {}}>
      <rect class="ground" x=${one.x + shift - width(one.word, size, 500) / 2 - 6} y=${y - size - 2} width=${width(one.word, size, 500) + 12} height=${size + 10} rx="6" />
      <text class="form" x=${one.x + shift} y=${y} font-size=${size}>${one.word}</text></g>`))}
  </svg>`;
}
