// A phrase structure tree: a node is over the middle of its children, words are in a row.
import { html, width, button, sureness, strength, percent, isRightToLeft } from "../ui.js";
import { treeOf, spanOf } from "../read.js";

export function PhraseTree({ sentence, compact, chosen, onBracket, onPoint, title, differs, fixed = {} }) {
  const tree = treeOf(sentence.tree);
  if (!tree) return html`<pre class="plain">${sentence.tree}</pre>`;
  const size = compact ? 13 : 16, small = compact ? 10.5 : 13, step = compact ? 30 : 42;
  const root = ["", "TOP"].includes(tree.label) && tree.children.length === 1 && tree.children[0].children ? tree.children[0] : tree;
  const { all, y, w, h } = laid(root, { size, small, step, gap: compact ? 10 : 18 });
  return html`<svg class="drawing tree" width=${w} height=${h} viewBox="0 0 ${w} ${h}" role="group" aria-label=${title || "Phrase structure tree"}>
    ${all.flatMap((node) => (node.children || []).map((child) => html`<path class="edge" d="M${node.x},${y(node) + 6} L${child.x},${y(child) - (child.word !== undefined ? size - 1 : small)}"
      stroke-opacity=${strength(child.p)} />`))}
    ${all.map((node) => {
      if (node.word !== undefined) return html`<text class="form" x=${node.x} y=${y(node) + 5} font-size=${size}>${node.word}</text>`;
      const [first, last] = spanOf(node), name = `${node.label}:${first}-${last}`;
      const leaf = node.children.length === 1 && node.children[0].word !== undefined;
      const act = onBracket && !leaf;
      return html`<g class="node ${leaf ? "leaf" : ""} ${sureness(node.p)} ${chosen === name ? "chosen" : ""} ${differs?.has(name) ? "differs" : ""} ${fixed.bracket?.has(name) ? "fixed" : ""}"
          ...${act ? button(`${node.label} over words ${first} to ${last} ${percent(node.p)}: why?`, () => onBracket(name)) : {}}
          onMouseEnter=${(e) => onPoint && !leaf && onPoint([first, last], "bracket", e)} onMouseLeave=${() => onPoint && onPoint(null)}>
        <rect class="ground" x=${node.x - width(node.label, small, 600) / 2 - 6} y=${y(node) - small - 1} width=${width(node.label, small, 600) + 12} height=${small + 8} rx="6" />
        <text class="label" x=${node.x} y=${y(node) + 1} font-size=${small} fill-opacity=${strength(node.p)}>${node.label}</text>
      </g>`;
    })}
  </svg>`;
}

// Where the nodes of a tree lie: x of each, y as a function, and the size of the whole.
export function laid(root, { size, small, step, gap = 18 }) {
  let at = 10;
  const shift = (node, by) => (node.children || []).forEach((child) => {
    child.x += by;
    shift(child, by);
  });
  const place = (node, depth) => {
    node.depth = depth;
    if (node.word !== undefined) {
      node.w = width(node.word, size, 500) + gap;
      node.x = at + node.w / 2;
      at += node.w;
      return depth;
    }
    const from = at, deep = Math.max(...node.children.map((child) => place(child, depth + 1)));
    const need = width(node.label, small, 600) + 14;
    if (at - from < need) {
      const more = (need - (at - from)) / 2;
      shift(node, more);
      at += 2 * more;
    }
    node.x = (node.children[0].x + node.children[node.children.length - 1].x) / 2;
    return deep;
  };
  const deep = place(root, 0), all = [];
  const collect = (node) => {
    all.push(node);
    (node.children || []).forEach(collect);
  };
  collect(root);
  if (isRightToLeft(all.filter((node) => node.word !== undefined))) for (const node of all) node.x = at + 10 - node.x;
  const y = (node) => 20 + (node.word !== undefined ? deep : node.depth) * step;
  return { all, y, w: at + 10, h: 20 + deep * step + 18 };
}

// The brackets of a tree by name, as LABEL:first-last.
export function brackets(text) {
  const found = new Set();
  const collect = (node) => {
    if (!node.children || (node.children.length === 1 && node.children[0].word !== undefined)) return;
    const [first, last] = spanOf(node);
    found.add(`${node.label}:${first}-${last}`);
    node.children.forEach(collect);
  };
  const tree = treeOf(text);
  if (tree) collect(tree);
  return found;
}
