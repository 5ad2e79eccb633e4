// A figure of a trace, whatever its kind, and the table that says the same.
import { html, useEffect, useRef } from "../../ui.js";
import { Rows } from "../drawing.js";
import { Grid } from "./grid.js";
import { Pyramid } from "./pyramid.js";
import { Stacks } from "./stacks.js";
import { Plot } from "./plot.js";
import { Shares, Trees, Heads } from "./pairs.js";

const KINDS = { table: Grid, chart: Pyramid, stacks: Stacks, plot: Plot, links: Shares, trees: Trees, arcs: Heads };
const SIGNS = { best: "best", dropped: "dropped", right: "right", wrong: "wrong" };

export function Figure({ figure, shown, most }) {
  const Kind = KINDS[figure.kind], box = useRef(null);
  useEffect(() => {  // what is new is brought into sight where the figure is wider than the window
    const fresh = box.current?.querySelector(".fresh"), around = box.current?.getBoundingClientRect();
    if (!fresh || box.current.scrollWidth <= box.current.clientWidth) return;
    const place = fresh.getBoundingClientRect();
    if (place.left < around.left || place.right > around.right) box.current.scrollLeft += place.left + place.width / 2 - around.left - around.width / 2;
  }, [shown]);
  return html`<figure class="step-figure"><figcaption>${figure.title}</figcaption>
    <div class="scroll" ref=${box} tabIndex="0" role="region" aria-label=${figure.title}>
      ${figure.texts.length ? html`<${Kind} figure=${figure} shown=${shown} label=${figure.title} most=${most} />` : html`<p class="quiet">Nothing yet.</p>`}</div>
    <div class="hidden">${Rows(true, figure.title, ["place", "value", "mark"], [...shown.places].map(([key, change]) => [placeName(figure, change.place), [change.text, change.detail].filter(Boolean).join(", "), SIGNS[change.mark] || ""]))}</div>
  </figure>`;
}

function placeName(figure, place) {
  const [a, b, c] = place;
  if (figure.kind === "chart") return `${c}: ${figure.words.slice(a, b).join(" ")}`;
  if (figure.kind === "arcs") return `${figure.words[a]} to ${figure.words[b]}`;
  if (figure.kind === "links") return `${figure.source[a]} – ${figure.target[b]}`;
  if (figure.kind === "stacks") return figure.stacks[a];
  if (figure.kind === "trees") return `tree ${a + 1}, ${figure.nodes[a][b].label}`;
  return place.join(", ");
}
