// A dependency tree as arcs over words; long sentences are wrapped, and arcs to other lines become short labels.
import { html, width, button, sureness, strength, percent, isRightToLeft } from "../ui.js";
import { spansOf } from "../read.js";

const GAP = 22, EDGE = 14, ROOT = 30;

export function Arcs({ sentence, compact, most, chosen, fixed = {}, onToken, onArc, onPoint, title }) {
  const tokens = sentence.tokens;
  const size = compact ? 13 : 16, step = compact ? 17 : 27, tagSize = compact ? 9.5 : 11.5;
  const names = spansOf(tokens, "entity"), types = [...new Set(names.map((name) => name.type))].sort();
  // The room of every word: for its form and tag, the relations of arcs that begin or end at it, and its name.
  const spaced = (gap) => {
    const room = tokens.map((t) => Math.max(width(t.form, size, 500), width(t.upos || "", tagSize, 600)) + gap);
    tokens.forEach((t, i) => {
      if (!t.head || t.head > tokens.length) return;
      const [a, b] = [Math.min(i, t.head - 1), Math.max(i, t.head - 1)], there = room.slice(a, b + 1).reduce((x, y) => x + y, 0) - (room[a] + room[b]) / 2;
      const missing = width(t.relation || "", tagSize) + 22 - there;
      if (missing > 0) for (const end of [a, b]) room[end] += missing;
    });
    for (const name of names) {
      const need = width(name.type, tagSize, 700) + 12 - room.slice(name.first - 1, name.last).reduce((x, y) => x + y, 0);
      if (need > 0) room[name.last - 1] += need;
    }
    return room;
  };
  let boxes = spaced(compact ? 12 : GAP);
  if (boxes.reduce((a, b) => a + b, 0) > most - 2 * EDGE) boxes = spaced(8);
  const lines = wrapped(boxes, most);
  const w = Math.max(60, ...lines.map(([from, to]) => boxes.slice(from, to).reduce((a, b) => a + b, 2 * EDGE)));
  let top = 0;
  const drawn = lines.map(([from, to]) => {
    const x = [];
    let at = EDGE;
    for (let i = from; i < to; i++) {
      x[i] = at + boxes[i] / 2;
      at += boxes[i];
    }
    const arcs = [], stubs = [];
    for (let i = from; i < to; i++) {
      const head = tokens[i].head;
      if (head === undefined || head === null) continue;
      if (head === 0) stubs.push({ i, text: tokens[i].relation || "root", root: true });
      else if (head - 1 >= from && head - 1 < to) arcs.push({ i, a: Math.min(i, head - 1), b: Math.max(i, head - 1), head: head - 1 });
      else stubs.push({ i, text: `${tokens[i].relation || ""} ${head - 1 < from ? "↑" : "↓"} ${short(tokens[head - 1]?.form ?? String(head))}` });
    }
    const levels = leveled(arcs), placed = [];
    for (const stub of stubs) {  // above the arcs below its label, and above labels that it would meet
      const half = width(stub.text, tagSize, 600) / 2 + 3, at = Math.max(half, Math.min(x[stub.i], w - half));
      const below = arcs.filter((arc) => x[arc.a] < at + half && x[arc.b] > at - half).map((arc) => arc.level * step + tagSize + 12);
      stub.up = Math.max(ROOT, ...below);
      while (placed.some((one) => Math.abs(one.at - at) < one.half + half && Math.abs(one.up - stub.up) < tagSize + 2)) stub.up += 3;
      placed.push({ at, half, up: stub.up });
    }
    const height = Math.max(levels * step, 20, ...stubs.map((stub) => stub.up - 8)) + 24;
    const y = top + height;
    top = y + size + tagSize + (compact ? 16 : 26) + (names.some((one) => one.first <= to && one.last > from) ? tagSize + 9 : 0);
    return { from, to, x, arcs, stubs, y };
  });
  const h = top;
  if (isRightToLeft(tokens)) for (const line of drawn) for (let i = line.from; i < line.to; i++) line.x[i] = w - line.x[i];
  const why = (i) => () => onToken && onToken(i);
  return html`<svg class="drawing arcs ${compact ? "compact" : ""}" width=${w} height=${h} viewBox="0 0 ${w} ${h}" role="group" aria-label=${title || "Dependency tree"}>
    ${drawn.map((line) => html`
      ${line.arcs.map((arc) => {
        const t = tokens[arc.i], y = line.y, up = arc.level * step + 6;
        const left = line.x[arc.head] < line.x[arc.i];
        const x1 = line.x[arc.head] + (left ? 5 : -5), x2 = line.x[arc.i] + (left ? -3 : 3);
        const bend = Math.min(Math.abs(x2 - x1) / 2, 14 + up * 0.55) * (x2 > x1 ? 1 : -1);
        const path = `M${x1},${y} C${x1},${y - up * 0.9} ${x1 + bend * 0.3},${y - up} ${x1 + bend},${y - up} L${x2 - bend},${y - up} C${x2 - bend * 0.3},${y - up} ${x2},${y - up * 0.9} ${x2},${y - 4}`;
        return html`<g data-arc=${onArc ? arc.i : null} class="arc ${t.differs ? "differs" : sureness(t.p)} ${chosen === arc.i ? "chosen" : ""} ${fixed.head?.has(arc.i) ? "fixed" : ""}"
            ...${onArc ? button(`${t.relation || "arc"} from ${tokens[arc.head].form} to ${t.form} ${percent(t.p)}`, (e) => onArc(arc.i, e)) : {}}
            onMouseEnter=${(e) => onPoint && onPoint(arc.i, "head", e)} onMouseLeave=${(e) => onPoint && onPoint(null)}>
          <path class="reach" d=${path} /><path class="line" d=${path} stroke-opacity=${strength(t.p)} />
          <path class="point" d="M${x2},${y} l-4,-8 l8,0 z" fill-opacity=${strength(t.p)} />
          <text class="relation" x=${(x1 + x2) / 2} y=${y - up - 3} font-size=${tagSize}>${t.relation || ""}</text>
        </g>`;
      })}
      ${line.stubs.map((stub) => {
        const t = tokens[stub.i], x = line.x[stub.i], y = line.y, half = width(stub.text, tagSize, 600) / 2 + 2;
        return html`<g data-arc=${onArc ? stub.i : null} class="arc stub ${t.differs ? "differs" : sureness(t.p)} ${chosen === stub.i ? "chosen" : ""} ${fixed.head?.has(stub.i) ? "fixed" : ""}"
            ...${onArc ? button(`${stub.text} of ${t.form} ${percent(t.p)}`, (e) => onArc(stub.i, e)) : {}}
            onMouseEnter=${(e) => onPoint && onPoint(stub.i, "head", e)} onMouseLeave=${(e) => onPoint && onPoint(null)}>
          <path class="line" d="M${x},${y - stub.up + 6} L${x},${y - 5}" stroke-opacity=${strength(t.p)} stroke-dasharray=${stub.root ? "" : "3 2"} />
          <path class="point" d="M${x},${y} l-4,-8 l8,0 z" fill-opacity=${strength(t.p)} />
          <text class="relation" x=${Math.max(half, Math.min(x, w - half))} y=${y - stub.up + 1} font-size=${tagSize}>${stub.text}</text>
        </g>`;
      })}
      ${names.filter((one) => one.first <= line.to && one.last > line.from).map((one) => {
        const a = Math.max(one.first - 1, line.from), b = Math.min(one.last, line.to) - 1, ends = [a, b].flatMap((i) => [line.x[i] - boxes[i] / 2 + 3, line.x[i] + boxes[i] / 2 - 3]), left = Math.min(...ends), wide = Math.max(...ends) - left;
        return html`<g class="span name kind${types.indexOf(one.type) % 6}" role="img" aria-label="${one.type}: ${tokens.slice(one.first - 1, one.last).map((t) => t.form).join(" ")}">
          <rect x=${left} y=${line.y + size + tagSize + 15} width=${wide} height=${tagSize + 7} rx="5" fill-opacity=".22" />
          <text class="type" x=${left + wide / 2} y=${line.y + size + 2 * tagSize + 17} font-size=${tagSize}>${one.type}</text></g>`;
      })}
      ${tokens.slice(line.from, line.to).map((t, k) => {
        const i = line.from + k, x = line.x[i], y = line.y, wide = Math.min(boxes[i] - 4, Math.max(width(t.form, size, 500), width(t.upos || "", tagSize, 600)) + 18);
        return html`<g class="word ${chosen === i ? "chosen" : ""} ${fixed.upos?.has(i) ? "fixed" : ""}" data-token=${i}
            ...${onToken ? button(`${t.form}, ${t.upos || "word"}: why?`, why(i)) : {}}
            onMouseEnter=${(e) => onPoint && onPoint(i, "upos", e)} onMouseLeave=${(e) => onPoint && onPoint(null)}>
          <rect class="ground" x=${x - wide / 2} y=${y + 2} width=${wide} height=${size + tagSize + 12} rx="6" />
          <text class="form" x=${x} y=${y + size + 3} font-size=${size}>${t.form}</text>
          <text class="tag" x=${x} y=${y + size + tagSize + 8} font-size=${tagSize}>${t.upos || ""}</text>
        </g>`;
      })}`)}
  </svg>`;
}

const short = (word) => (word.length > 16 ? `${word.slice(0, 14)}…` : word);

// Where lines begin and end, so that none is wider than allowed.
export function wrapped(boxes, most) {
  const lines = [];
  let from = 0, sum = 0;
  boxes.forEach((box, i) => {
    if (sum + box > most - 2 * EDGE && i > from) {
      lines.push([from, i]);
      [from, sum] = [i, 0];
    }
    sum += box;
  });
  if (from < boxes.length) lines.push([from, boxes.length]);
  return lines;
}

// An arc lies above all arcs below it that it covers or meets; returns the number of levels.
function leveled(arcs) {
  const order = [...arcs].sort((one, two) => one.b - one.a - (two.b - two.a));
  let most = 0;
  for (const arc of order) {
    const below = order.filter((o) => o.level && o.a < arc.b && o.b > arc.a).map((o) => o.level);
    arc.level = 1 + Math.max(0, ...below);
    most = Math.max(most, arc.level);
  }
  return most;
}
