// Links between two sentences as strong as their values, trees with marked nodes, and arcs over words.
import { html, width } from "../../ui.js";
import { marked } from "../../trace.js";
import { laid } from "../tree.js";
import { Arcs } from "../arcs.js";

export function Shares({ figure, shown, label }) {
  const wide = Math.max(132, ...[...figure.source, ...figure.target].map((word) => width(word, 16, 500) + 28));
  const n = Math.max(figure.source.length, figure.target.length), w = n * wide, h = 168, at = (i, row) => (i + 0.5 + (n - row.length) / 2) * wide;
  return html`<svg class="drawing steps shares" width=${w} height=${h} viewBox="0 0 ${w} ${h}" role="img" aria-label=${label}>
    ${[...shown.places.values()].map(({ place: [s, t], value, text, key }) => {
      const [a, b] = [at(s, figure.source), at(t, figure.target)], straight = Math.abs(b - a) < 1;
      const x = straight ? a + (s === 0 ? -24 : s === n - 1 ? 24 : 0) : a + (b - a) * 0.22, y = straight ? 87 : 64;
      return html`<g class=${marked(shown, key)}><path class="way share" d="M${a},30 C${a},80 ${b},88 ${b},136" stroke-width=${0.6 + 7 * (value ?? 0.5)} stroke-opacity=${0.15 + 0.85 * (value ?? 0.5)} />
        <text class="relation" x=${x} y=${y} font-size="12">${text}</text></g>`;
    })}
    ${figure.source.map((word, i) => html`<text class="form" x=${at(i, figure.source)} y="22" font-size="16">${word}</text>`)}
    ${figure.target.map((word, i) => html`<text class="form" x=${at(i, figure.target)} y="156" font-size="16">${word}</text>`)}
  </svg>`;
}

export function Trees({ figure, shown, label }) {
  const trees = figure.nodes.map((nodes, t) => {
    const node = (i) => (nodes[i].word ? { word: nodes[i].label, key: `${t}\u0001${i}` } : { label: nodes[i].label, key: `${t}\u0001${i}`, children: nodes[i].children.map(node) });
    return laid(node(0), { size: 16, small: 14, step: 50 });
  });
  let left = 0;
  const h = Math.max(...trees.map((one) => one.h)), w = trees.reduce((sum, one) => sum + one.w + 40, -40);
  const best = (node) => shown.places.get(node.key)?.mark === "best";
  return html`<svg class="drawing steps trees" width=${w} height=${h} viewBox="0 0 ${w} ${h}" role="img" aria-label=${label}>
    ${trees.map(({ all, y, w: wide }) => {
      const x = left;
      left += wide + 40;
      return html`<g transform="translate(${x} 0)">
        ${all.flatMap((node) => (node.children || []).map((child) => html`<path class="edge ${best(node) && best(child) ? "is-best" : ""}" d="M${node.x},${y(node) + 7} L${child.x},${y(child) - 17}" />`))}
        ${all.map((node) => {
          const text = node.word ?? node.label, own = width(text, 15, 600) + 14;
          return html`<g class="node ${node.word === undefined ? "" : "leaf"} ${marked(shown, node.key)}"><rect class="ground" x=${node.x - own / 2} y=${y(node) - 16} width=${own} height="23" rx="7" />
            <text class=${node.word === undefined ? "label" : "form"} x=${node.x} y=${y(node) + 1} font-size="15">${text}</text></g>`;
        })}</g>`;
    })}
  </svg>`;
}

export function Heads({ figure, shown, label, most }) {
  const arcs = new Map([...shown.places.values()].map((change) => [change.place[1], change]));
  const tokens = figure.words.slice(1).map((form, i) => {
    const change = arcs.get(i + 1);
    return { form, head: change?.place[0], relation: change?.text, p: change?.value };
  });
  return html`<${Arcs} sentence=${{ tokens }} most=${most} title=${label} />`;
}
