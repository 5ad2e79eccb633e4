// A trace as the page draws it: what each figure shows after a step, what is new in it, and formulas.
import { html } from "./ui.js";

const keyOf = (place) => place.join("\u0001");

// All places of a figure over the whole trace, so that drawings keep their size, and what each place was made from.
export function surveyed(trace) {
  const found = new Map(trace.figures.map((figure) => [figure.name, { ...figure, places: new Map(), texts: [], from: new Map() }]));
  for (const step of trace.steps) {
    for (const change of step.changes) {
      const figure = found.get(change.figure), key = keyOf(change.place);
      figure.places.set(key, change.place);
      if (change.text !== null) figure.texts.push(change);
      const reads = step.reads.filter(([name]) => name === change.figure).map(([, ...place]) => keyOf(place));
      if (reads.length && !reads.includes(key) && !figure.from.has(key)) figure.from.set(key, reads);
    }
  }
  return found;
}

// What a figure shows after a number of steps: its places, which of them are new, and which the last step reads.
export function shownAfter(trace, figure, n) {
  const places = new Map(), fresh = new Set(), reads = new Set();
  trace.steps.slice(0, n).forEach((step, at) => {
    for (const change of step.changes) {
      if (change.figure !== figure) continue;
      const key = keyOf(change.place), old = places.get(key);
      if (change.text === null) places.delete(key);
      else places.set(key, { ...change, key });
      if (at === n - 1 && change.text !== null && !same(old, change)) fresh.add(key);
    }
  });
  if (n > 0) for (const [name, ...place] of trace.steps[n - 1].reads) if (name === figure) reads.add(keyOf(place));
  return { places, fresh, reads };
}
const same = (a, b) => a !== undefined && a.text === b.text && a.mark === b.mark && a.value === b.value;

// The classes of a place in a drawing.
export const marked = (shown, key) => {
  const mark = shown.places.get(key)?.mark;
  return `${mark ? `is-${mark}` : ""} ${shown.fresh.has(key) ? "fresh" : ""} ${shown.reads.has(key) ? "read" : ""}`;
};

// Lines between places: from what the last step reads to what it makes, and along what is best.
export function ways(figure, shown) {
  const found = [];
  if (shown.fresh.size <= 2) for (const to of shown.fresh) for (const from of shown.reads) if (from !== to) found.push([from, to, "reading"]);
  const best = (key) => shown.places.get(key)?.mark === "best";
  for (const [to, reads] of figure.from) if (best(to)) for (const from of reads) if (best(from)) found.push([from, to, "best"]);
  return found;
}

// A formula: _{…} and ^{…} are below and above the line, and those of max, argmax, Σ and Π below the operator.
export function formula(text) {
  return text.split(/[,;]\s{2,}/).map((part) => html`<span class="formula">${pieces(part)}</span>`);
}
function pieces(text) {
  const found = [];
  let last = 0;
  for (const match of text.matchAll(/(argmax|max|Σ|Π)?([_^])\{([^{}]*)\}/g)) {
    found.push(text.slice(last, match.index));
    const [, operator, sign, script] = match;
    if (operator) found.push(html`<span class="operator"><span class=${operator.length === 1 ? "large" : ""}>${operator}</span><small>${script}</small></span>`);
    else found.push(sign === "_" ? html`<sub>${script}</sub>` : html`<sup>${script}</sup>`);
    last = match.index + match[0].length;
  }
  return [...found, text.slice(last)];
}
