// Stacks of hypotheses side by side; a line leads from the hypothesis that each one extends.
import { html, width } from "../../ui.js";
import { marked, ways } from "../../trace.js";

const HIGH = 50, APART = 56;

export function Stacks({ figure, shown, label }) {
  const wide = Math.max(96, ...figure.texts.map((one) => width(one.text, 13, 600) + 22), (figure.words || []).length * 15 + 62);
  const columns = figure.stacks.map(() => []);
  for (const [key, [stack]] of figure.places) columns[stack].push(key);
  const h = 30 + Math.max(1, ...columns.map((one) => one.length)) * (HIGH + 9) + 4, w = figure.stacks.length * (wide + APART) - APART + 8;
  const spot = new Map(columns.flatMap((keys, stack) => keys.map((key, i) => [key, [4 + stack * (wide + APART), 30 + i * (HIGH + 9)]])));
  const shownWays = [...figure.from].filter(([to]) => shown.places.has(to)).flatMap(([to, from]) => from.filter((one) => shown.places.has(one)).map((one) => [one, to, ""]));
  const line = ([from, to, kind]) => {
    const [xa, ya] = spot.get(from), [xb, yb] = spot.get(to), a = xa + wide, y1 = ya + HIGH / 2, y2 = yb + HIGH / 2, mid = (a + xb) / 2;
    return html`<path class="way ${kind}" d="M${a},${y1} C${mid},${y1} ${mid},${y2} ${xb},${y2}" />`;
  };
  return html`<svg class="drawing steps stacks" width=${w} height=${h} viewBox="0 0 ${w} ${h}" role="img" aria-label=${label}>
    ${figure.stacks.map((name, stack) => html`<text class="head" x=${4 + stack * (wide + APART) + wide / 2} y="18" font-size="14">${name}</text>`)}
    ${shownWays.map(line)}${ways(figure, shown).map(line)}
    ${[...shown.places].map(([key, change]) => {
      const [x, y] = spot.get(key), [score, ...covered] = (change.detail || "").split(/\s+/);
      return html`<g class="hypothesis ${marked(shown, key)}"><rect class="box" x=${x} y=${y} width=${wide} height=${HIGH} rx="9" />
        <text x=${x + wide / 2} y=${y + 20} font-size="13" class="name">${change.text}</text>
        <text x=${x + 10} y=${y + 40} font-size="12" class="score">${score}</text>
        ${covered.map((word, i) => html`<rect class="covered ${word === "·" ? "" : "yes"}" x=${x + wide - 10 - 14 * (covered.length - i)} y=${y + 30} width="11" height="11" rx="3"><title>${word}</title></rect>`)}</g>`;
    })}
  </svg>`;
}
