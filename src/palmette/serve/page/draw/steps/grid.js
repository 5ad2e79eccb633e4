// A table whose cells steps fill: shaded by value, with lines from the cells that are read.
import { html, width } from "../../ui.js";
import { marked, ways } from "../../trace.js";

const HIGH = 38, SIZE = 15;
const amount = (text) => (/^[+−-]?[\d.]+(e[+−-]?\d+)?$/.test(text) ? Number(text.replaceAll("−", "-")) : null);

export function Grid({ figure, shown, label }) {
  const lists = new Set(figure.lists || []), isHead = (column) => width(column, SIZE, 600) + 22;
  const wide = new Map(figure.columns.map((column) => [column, isHead(column)]));
  for (const { place: [, column], text } of figure.texts) {
    const own = lists.has(column) ? text.split(" ").reduce((sum, word) => sum + width(word, 13) + 16, 12) : width(text, SIZE, 600) + 22;
    wide.set(column, Math.max(wide.get(column) || 0, own));
  }
  const least = figure.columns.length > 5 ? 46 : 72, apart = figure.from.size ? 40 : 0;
  const first = Math.max(30, ...figure.rows.map((row) => width(row, SIZE, 600) + 20));
  const x = new Map();
  let at = first;
  for (const column of figure.columns) {
    const w = Math.max(least, wide.get(column));
    x.set(column, [at, w]);
    at += w + apart;
  }
  const used = figure.rows.filter((row) => figure.texts.some((one) => one.place[0] === row));
  const y = new Map(used.map((row, i) => [row, HIGH * (i + 1)]));
  const w = at + 6, h = HIGH * (used.length + 1) + 6;
  const numbers = figure.texts.map((one) => amount(one.text)), most = Math.max(...numbers.map((n) => Math.abs(n ?? 0)), 1e-9);
  const signs = numbers.some((n) => n < 0) && figure.texts.every((one) => one.value === undefined) && !lists.size;
  const middle = (key) => {
    const { place: [row, column] } = shown.places.get(key) || { place: key.split("\u0001") };
    const [left, wide] = x.get(column);
    return [left, left + wide, y.get(row) + HIGH / 2];
  };
  return html`<svg class="drawing steps grid" width=${w} height=${h} viewBox="0 0 ${w} ${h}" role="img" aria-label=${label}>
    ${figure.columns.map((column) => html`<text class="head" x=${x.get(column)[0] + x.get(column)[1] / 2} y=${HIGH - 11} font-size=${SIZE}>${column}</text>`)}
    ${used.map((row) => html`<text class="head side" x=${first - 12} y=${y.get(row) + HIGH / 2 + 5} font-size=${SIZE}>${row}</text>`)}
    ${used.flatMap((row) => figure.columns.map((column) => {
      const key = `${row}\u0001${column}`, change = shown.places.get(key), [left, wide] = x.get(column), top = y.get(row);
      const value = signs ? Math.abs(amount(change?.text ?? "") ?? 0) / most : change?.value;
      const sign = signs && change ? ((amount(change.text) ?? 0) < 0 ? "minus" : "plus") : "";
      return html`<g class="cell ${lists.size ? marked(shown, key).replace("fresh", "") : marked(shown, key)} ${sign}">
        <rect class="box" x=${left + 2} y=${top + 2} width=${wide - 4} height=${HIGH - 4} rx="6" />
        ${change && value ? html`<rect class="shade" x=${left + 2} y=${top + 2} width=${wide - 4} height=${HIGH - 4} rx="6" fill-opacity=${0.05 + 0.5 * Math.min(1, value) ** 0.4} />` : null}
        ${!change ? null : lists.has(column) ? Chips(change.text, left, wide, top, column === figure.lists[0])
          : html`<text x=${left + wide / 2} y=${top + HIGH / 2 + 5} font-size=${SIZE}>${change.text}</text>`}
      </g>`;
    }))}
    ${ways(figure, shown).map(([from, to, kind]) => {
      const [a1, a2, ay] = middle(from), [b1, , by] = middle(to);
      if (a1 === b1) return null;
      const [xa, xb] = a1 < b1 ? [a2 - 4, b1 + 4] : [a1 + 4, b1 + (a2 - a1) - 4], mid = (xa + xb) / 2;
      return html`<path class="way ${kind}" d="M${xa},${ay} C${mid},${ay} ${mid},${by} ${xb},${by}" />`;
    })}
  </svg>`;
}

// The words of a stack or buffer; a stack ends at the right, where its top is.
function Chips(text, left, wide, top, ends) {
  const words = text ? text.split(" ") : [], boxes = words.map((word) => width(word, 13) + 12);
  let at = ends ? left + wide - 6 - boxes.reduce((a, b) => a + b + 4, 0) : left + 8;
  return words.map((word, i) => {
    const from = at;
    at += boxes[i] + 4;
    return html`<g class="chip ${ends && i === words.length - 1 ? "top" : ""}"><rect x=${from} y=${top + 6} width=${boxes[i]} height=${HIGH - 12} rx="6" />
      <text x=${from + boxes[i] / 2} y=${top + HIGH / 2 + 4.5} font-size="13">${word}</text></g>`;
  });
}
