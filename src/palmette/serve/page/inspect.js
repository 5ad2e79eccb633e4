// The values of what is chosen in Correct, to be fixed or set free; and dragging from word to word.
import { brackets } from "./draw/tree.js";
import { html, useRef, useState, percent } from "./ui.js";

export function marks(fixed) {
  const found = { head: new Set(), upos: new Set(), label: new Set() };
  for (const [i, values] of Object.entries(fixed)) {
    if (/^\d+-\d+$/.test(i) && values) (found.link ||= new Set()).add(i);
    if (/:\d+-\d+$/.test(i) && values) (found.bracket ||= new Set()).add(i);
    if (i === "tree") found.bracket = brackets(values);
    if (i === "links") found.link = new Set(values.split(" "));
    if (typeof values !== "object") continue;
    for (const name of Object.keys(values)) (found[name === "deprel" ? "head" : name === "xpos" ? "upos" : name] ||= new Set()).add(Number(i));
  }
  return found;
}

// Drag a word, or the arc that leads to it, to another word. `line` follows the pointer.
export function dragging(done) {
  const start = useRef(null), [ends, setEnds] = useState(null);
  const word = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-token]")?.dataset.token ?? null;
  const place = (event) => {
    const around = event.currentTarget.getBoundingClientRect();
    return [event.clientX - around.left + event.currentTarget.scrollLeft, event.clientY - around.top];
  };
  const end = () => {
    start.current = null;
    setEnds(null);
  };
  return {
    line: ends ? html`<svg class="rubber" aria-hidden="true"><line x1=${ends[0][0]} y1=${ends[0][1]} x2=${ends[1][0]} y2=${ends[1][1]} /></svg>` : null,
    listeners: {
      onPointerDown: (event) => {
        const from = event.target.closest("[data-token], [data-arc]")?.dataset;
        start.current = from ? { name: from.token ?? from.arc, at: place(event) } : null;
      },
      onPointerMove: (event) => {
        if (!start.current) return;
        if (event.buttons === 0) return end();
        const at = place(event);
        if (Math.hypot(at[0] - start.current.at[0], at[1] - start.current.at[1]) > 6) setEnds([start.current.at, at]);
      },
      onPointerUp: (event) => {
        const from = start.current?.name, to = word(event);
        end();
        if (from !== undefined && to !== null && from !== to) done(from, to);
      },
      onPointerCancel: end,
      onPointerLeave: end,
    },
  };
}

export function Inspector({ sentence, about, found, chosen, fix, choose }) {
  if (sentence.kind === "tree") return html`<${Brackets} about=${about} found=${found} chosen=${chosen} fix=${fix} choose=${choose} />`;
  if (sentence.kind === "links") return html`<${LinkInspector} found=${found} chosen=${chosen} fix=${fix} choose=${choose} />`;
  if (chosen === null || typeof chosen !== "number") return null;
  const token = found.tokens[chosen], own = found.fixed[String(chosen)] || {};
  const names = { upos: "Tag", xpos: "Tag of the treebank", feats: "Features", lemma: "Lemma", head: "Head", deprel: "Relation", label: "Label" };
  const set = (name, value) => fix({ token: chosen + 1, [name]: value });
  return html`<div class="inspector" role="group" aria-label="Values of ${token.form}"><b>${token.form}</b>
    ${about.columns.map((name) => html`<label class=${name in own ? "fixed" : ""}>${names[name]}
      ${name !== "head" && !about.labels[name] ? html`<input type="text" size="12" value=${token[name] ?? ""} onChange=${(e) => e.target.value && set(name, e.target.value)} />` : html`<select value=${String(token[name] ?? "")} onChange=${(e) => set(name, name === "head" ? Number(e.target.value) : e.target.value)}>
        ${name === "head"
          ? [html`<option value="0">root</option>`, ...found.tokens.map((t, i) => (i === chosen ? null : html`<option value=${i + 1}>${i + 1} ${t.form}</option>`))]
          : choices(about.labels[name] || [], token[name]).map((label) => html`<option value=${label}>${label}</option>`)}
      </select>`}${name in own ? html`<button class="plain" onClick=${() => set(name, null)}>free</button>` : null}</label>`)}
    ${token.differs ? html`<span class="quiet">The model would choose ${meant(found.tokens, token.model, about)}.</span>` : token.probability != null ? html`<span class="quiet">${percent(token.probability)}</span>` : null}
    <button class="plain" onClick=${() => choose(null)}>close</button></div>`;
}
// What the model would choose instead: a head by its word, a label by its name.
function meant(tokens, value, about) {
  if (!about.columns.includes("head")) return html`<b>${value ?? "nothing"}</b>`;
  return Number(value) === 0 ? html`the <b>root</b>` : html`the head <b>${value} ${tokens[value - 1]?.form}</b>`;
}
const choices = (labels, value) => (value === undefined || value === null || labels.includes(value) ? labels : [value, ...labels]);

function Brackets({ about, found, chosen, fix, choose }) {
  const [label, a, b] = typeof chosen === "string" ? chosen.match(/^(.*):(\d+)-(\d+)$/).slice(1) : ["NP", 1, 1];
  const [name, setName] = useState(label), [first, setFirst] = useState(Number(a)), [last, setLast] = useState(Number(b));
  const words = found.tokens.map((token, i) => html`<option value=${i + 1}>${i + 1} ${token.token ?? token.form}</option>`);
  const fixed = Object.entries(found.fixed).filter(([key]) => key !== "tree");
  return html`<div class="inspector" role="group" aria-label="Brackets">
    <label>Label <input type="text" size="6" list="bracket-labels" value=${name} onInput=${(e) => setName(e.target.value)} /></label>
    <datalist id="bracket-labels">${(about.labels.bracket || []).map((one) => html`<option value=${one} />`)}</datalist>
    <label>from <select value=${first} onChange=${(e) => setFirst(Number(e.target.value))}>${words}</select></label>
    <label>to <select value=${last} onChange=${(e) => setLast(Number(e.target.value))}>${words}</select></label>
    <button onClick=${() => fix({ bracket: `${name}:${first}-${last}`, must: true }, null)}>Must be there</button>
    ${typeof chosen === "string" && name !== label ? html`<button onClick=${() => fix({ bracket: chosen, to: name }, null)}>${label} becomes ${name}</button>` : null}
    ${typeof chosen === "string" ? html`<button onClick=${() => fix({ bracket: chosen, must: false }, null)}>${chosen.replace(":", " ")} must not</button>` : null}
    ${fixed.map(([key, must]) => html`<span class="fixed">${must ? "" : "not "}${key.replace(":", " ")} <button class="plain" onClick=${() => fix({ bracket: key, must: null })}>free</button></span>`)}
    ${found.fixed.tree ? html`<span class="fixed">accepted</span>` : null}</div>`;
}

function LinkInspector({ found, chosen, fix, choose }) {
  const fixed = Object.entries(found.fixed).filter(([key]) => key !== "links");
  const words = (name) => {
    const [source, target] = name.split("-");
    return `${found.source[source]} – ${found.target[target]}`;
  };
  const link = typeof chosen === "number" ? found.links[chosen] : null, name = link && `${link.source}-${link.target}`;
  const picked = typeof chosen === "string" ? (chosen[0] === "s" ? found.source : found.target)[chosen.slice(1)] : null;
  if (!link && !picked && !fixed.length && found.fixed.links === undefined) return null;
  return html`<div class="inspector" role="group" aria-label="Links">
    ${picked ? html`<span><b>${picked}</b> and …: choose a word of the other language</span>` : null}
    ${link ? html`<b>${words(name)}</b> <span class="quiet">${percent(link.probability)}</span>
      <button onClick=${() => fix({ link: name, must: true }, null)}>Must be there</button>
      <button onClick=${() => fix({ link: name, must: false }, null)}>Must not</button>` : null}
    ${fixed.map(([key, must]) => html`<span class="fixed">${must ? "" : "not "}${words(key)} <button class="plain" onClick=${() => fix({ link: key, must: null })}>free</button></span>`)}
    ${found.fixed.links !== undefined ? html`<span class="fixed">accepted</span>` : null}</div>`;
}
