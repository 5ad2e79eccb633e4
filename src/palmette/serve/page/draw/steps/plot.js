// Lines over an axis: scores of candidates along a line search, their envelope, and the metric below it.
import { html, width } from "../../ui.js";
import { marked } from "../../trace.js";

const W = 360, H = 250, LEFT = 44, TOP = 12, BOTTOM = 28;

export function Plot({ figure, shown, label }) {
  const points = figure.texts.flatMap((one) => one.points || []);
  const [x0, x1] = figure.x || ends(points.map((p) => p[0])), [low, high] = figure.y || ends(points.map((p) => p[1]));
  const room = figure.y ? 0 : (high - low) * 0.06 || 1, [y0, y1] = [low - room, high + room + (figure.y ? 0.04 : 0)];
  const names = figure.texts.filter((one) => one.place[0] === "candidate").map((one) => one.text);
  const right = Math.max(10, ...names.map((name) => width(name, 12, 600) + 16)), w = LEFT + W + right;
  const x = (v) => LEFT + (W * (v - x0)) / (x1 - x0 || 1), y = (v) => TOP + H - (H * (v - y0)) / (y1 - y0 || 1);
  const lines = [...shown.places.values()].filter((one) => one.points?.length), labels = [];
  for (const one of lines.filter((line) => line.place[0] === "candidate").sort((a, b) => b.points.at(-1)[1] - a.points.at(-1)[1])) {
    labels.push({ one, y: Math.max(y(one.points.at(-1)[1]) + 4, (labels.at(-1)?.y ?? -99) + 15) });
  }
  const order = { candidate: 0, envelope: 1, best: 3 };
  return html`<svg class="drawing steps plot" width=${w} height=${TOP + H + BOTTOM} viewBox="0 0 ${w} ${TOP + H + BOTTOM}" role="img" aria-label=${label}>
    ${ticks(x0, x1).map((v) => html`<line class="axis" x1=${x(v)} x2=${x(v)} y1=${TOP} y2=${TOP + H} /><text class="tick" x=${x(v)} y=${TOP + H + 17} font-size="11">${named(v)}</text>`)}
    ${ticks(y0, y1).map((v) => html`<line class="axis" x1=${LEFT} x2=${LEFT + W} y1=${y(v)} y2=${y(v)} /><text class="tick side" x=${LEFT - 7} y=${y(v) + 4} font-size="11">${named(v)}</text>`)}
    ${lines.sort((a, b) => (order[a.place[0]] ?? 2) - (order[b.place[0]] ?? 2)).map((one) => html`<polyline
      class="series ${one.place[0]} hue${one.place[1] % 6} ${marked(shown, one.key)}" points=${one.points.map(([a, b]) => `${x(a)},${y(b)}`).join(" ")} />`)}
    ${labels.map(({ one, y: at }) => html`<text class="end hue${one.place[1] % 6}" x=${LEFT + W + 8} y=${at} font-size="12">${one.text}</text>`)}
    <text class="tick" x=${LEFT + W + 6} y=${TOP + H + 17} font-size="12">x</text>
  </svg>`;
}

const ends = (values) => (values.length ? [Math.min(...values), Math.max(...values)] : [0, 1]);
const named = (v) => String(Number(v.toPrecision(6))).replace("-", "−");

// Round numbers between two bounds, about five of them.
function ticks(low, high) {
  const raw = (high - low || 1) / 5, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find((k) => k * power >= raw) * power;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return found;
}
