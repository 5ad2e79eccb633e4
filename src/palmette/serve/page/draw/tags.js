// Labels under words, and spans as coloured boxes around them.
import { html, width, button, sureness, strength, percent, isRightToLeft } from "../ui.js";
import { wrapped } from "./arcs.js";

export function Tags({ sentence, compact, most, chosen, fixed = {}, onToken, onPoint, title }) {
  const tokens = sentence.tokens, spans = sentence.spans || null;
  const size = compact ? 13 : 16, small = compact ? 9.5 : 11.5, gap = compact ? 10 : 20;
  const label = (t) => t.label ?? t.upos ?? "";
  const boxes = tokens.map((t) => Math.max(width(t.form, size, 500), spans ? 0 : width(label(t), small, 600)) + gap);
  for (const span of spans || []) {
    const own = boxes.slice(span.first - 1, span.last).reduce((a, b) => a + b, 0);
    const need = width(span.type, small, 700) + 18;
    if (own < need) boxes[span.last - 1] += need - own;
  }
  const lines = wrapped(boxes, most), height = size + small + (compact ? 22 : 32);
  const x = [];
  const line = [];
  lines.forEach(([from, to], row) => {
    let at = 14;
    for (let i = from; i < to; i++) {
      [x[i], line[i]] = [at, row];
      at += boxes[i];
    }
  });
  const w = Math.max(60, ...lines.map(([from, to]) => x[to - 1] + boxes[to - 1] + 14)), h = lines.length * height + 10;
  if (isRightToLeft(tokens)) tokens.forEach((_, i) => (x[i] = w - x[i] - boxes[i] + 4));
  const types = [...new Set((spans || []).map((span) => span.type))].sort();
  return html`<svg class="drawing tags" width=${w} height=${h} viewBox="0 0 ${w} ${h}" role="group" aria-label=${title || (spans ? "Spans" : "Tags")}>
    ${(spans || []).flatMap((span) => lines.map(([from, to], row) => {
      const a = Math.max(span.first - 1, from), b = Math.min(span.last, to);
      if (a >= b) return null;
      const left = Math.min(x[a], x[b - 1]), wide = Math.max(x[a] + boxes[a], x[b - 1] + boxes[b - 1]) - left - 4;
      return html`<g class="span kind${types.indexOf(span.type) % 6} ${sureness(span.probability)}">
        <rect x=${left} y=${row * height + 6} width=${wide} height=${height - 10} rx="7"
          fill-opacity=${0.1 + 0.25 * (span.probability ?? 1)} stroke-opacity=${strength(span.probability)} />
        <text class="type" x=${left + 8} y=${row * height + size + small + 17} font-size=${small}>${span.type}${a > span.first - 1 ? " …" : ""}</text>
      </g>`;
    }))}
    ${tokens.map((t, i) => {
      const mid = x[i] + (boxes[i] - 4) / 2, y = line[i] * height + 6;
      return html`<g class="word ${t.differs ? "differs" : sureness(t.p)} ${chosen === i ? "chosen" : ""} ${fixed.label?.has(i) ? "fixed" : ""}" data-token=${i}
          ...${onToken ? button(`${t.form}, ${label(t) || "word"} ${percent(t.p)}: why?`, () => onToken(i)) : {}}
          onMouseEnter=${(e) => onPoint && onPoint(i, "label", e)} onMouseLeave=${() => onPoint && onPoint(null)}>
        <rect class="ground" x=${x[i] + 1} y=${y + 1} width=${boxes[i] - 6} height=${height - 12} rx="6" />
        <text class="form" x=${mid} y=${y + size + 3} font-size=${size}>${t.form}</text>
        ${spans ? null : html`<text class="tag" x=${mid} y=${y + size + small + 10} font-size=${small} fill-opacity=${strength(t.p)}>${label(t)}</text>`}
      </g>`;
    })}
  </svg>`;
}
