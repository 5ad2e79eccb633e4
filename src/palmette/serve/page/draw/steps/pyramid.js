// A chart over words: the cell of words i to k lies above their middle, long ones above short ones.
import { html, width } from "../../ui.js";
import { marked, ways } from "../../trace.js";

const LINE = 21, GAP = 12;

export function Pyramid({ figure, shown, label }) {
  const n = figure.words.length, cells = new Map();
  for (const [key, [i, k, name]] of figure.places) {
    const cell = `${i} ${k}`;
    if (!cells.has(cell)) cells.set(cell, { i, k, names: [] });
    cells.get(cell).names.push([key, name]);
  }
  const widest = new Map();
  for (const { place, text } of figure.texts) {
    const cell = `${place[0]} ${place[1]}`;
    widest.set(cell, Math.max(widest.get(cell) || 0, width(`${place[2]}  ${text}`, 13, 600) + 30));
  }
  const wide = Math.max(74, ...figure.words.map((word) => width(word, 16, 500) + 18), ...widest.values());
  const most = Array.from({ length: n + 1 }, (_, long) => Math.max(0, ...[...cells.values()].filter((c) => c.k - c.i === long).map((c) => c.names.length)));
  const top = [];
  let at = 4;
  for (let long = n; long >= 1; long--) {
    top[long] = at;
    at += Math.max(most[long], 1) * LINE + 10 + GAP;
  }
  const w = n * wide + 8, h = at + 26, x = (i, k) => 4 + ((i + k) / 2) * wide;
  const spot = new Map();
  for (const { i, k, names } of cells.values()) names.forEach(([key], line) => spot.set(key, [x(i, k), top[k - i] + 5 + line * LINE + LINE / 2]));
  const all = [];
  for (let long = 1; long <= n; long++) for (let i = 0; i + long <= n; i++) all.push([i, i + long]);
  const touched = (i, k) => (cells.get(`${i} ${k}`)?.names || []).some(([key]) => shown.fresh.has(key));
  return html`<svg class="drawing steps pyramid" width=${w} height=${h} viewBox="0 0 ${w} ${h}" role="img" aria-label=${label}>
    ${all.map(([i, k]) => html`<rect class="box ${touched(i, k) ? "fresh" : ""}" x=${x(i, k) - wide / 2 + 4} y=${top[k - i]} width=${wide - 8} height=${Math.max(most[k - i], 1) * LINE + 10} rx="8" />`)}
    ${ways(figure, shown).map(([from, to, kind]) => {
      const [xa, ya] = spot.get(from), [xb, yb] = spot.get(to);
      return html`<path class="way ${kind}" d="M${xa},${ya - 8} C${xa},${(ya + yb) / 2} ${xb},${(ya + yb) / 2} ${xb},${yb + 8}" />`;
    })}
    ${[...cells.values()].flatMap(({ i, k, names }) => names.map(([key, name]) => {
      const change = shown.places.get(key);
      if (!change) return null;
      const [mid, y] = spot.get(key), own = width(`${name}  ${change.text}`, 13, 600) + 18;
      return html`<g class="entry ${marked(shown, key)}"><rect class="under" x=${mid - own / 2} y=${y - 9.5} width=${own} height="19" rx="9" /><rect class="shade" x=${mid - own / 2} y=${y - 9.5} width=${own} height="19" rx="9" fill-opacity=${0.08 + 0.45 * (change.value ?? 0.1) ** 0.5} />
        <text x=${mid} y=${y + 4.5} font-size="13"><tspan class="name">${name}</tspan><tspan dx="6">${change.text}</tspan></text></g>`;
    }))}
    ${figure.words.map((word, i) => html`<text class="form" x=${x(i, i + 1)} y=${h - 8} font-size="16">${word}</text>`)}
  </svg>`;
}
