// Look inside: algorithms step by step over an input that the visitor may change.
import { html, useState, useEffect, useRef, useWidth, useMemo, ask } from "./ui.js";
import { formula, shownAfter, surveyed } from "./trace.js";
import { Figure } from "./draw/steps/figure.js";
import { PhraseTree } from "./draw/tree.js";
import { Export } from "./export.js";

const SHORT = { viterbi: "Viterbi", "forward-backward": "Forward-backward", cky: "CKY", eisner: "Eisner", "shift-reduce": "Shift-reduce",
  perceptron: "Perceptron", model1: "EM", "tree-kernel": "Tree kernels", phrases: "Phrase decoding", mert: "MERT" };
const SPEEDS = { slow: 2000, normal: 1000, fast: 350 };
const icon = (path) => html`<svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><path d=${path} fill="currentColor" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" /></svg>`;
const asked = () => location.hash.split("/")[1];

export function Look() {
  const [list, setList] = useState(null);
  const [name, setName] = useState(asked());
  const [error, setError] = useState(null);
  useEffect(() => {
    ask("/v1/trace").then((found) => setList(found.algorithms), (e) => setError(e.message));
    const turned = () => setName(asked());
    addEventListener("hashchange", turned);
    return () => removeEventListener("hashchange", turned);
  }, []);
  const chosen = list && (list.find((one) => one.name === name) || list[0]);
  return html`<main id="main"><h1 class="hidden">Look inside</h1>
    ${error ? html`<p class="error card" role="alert">${error}</p>` : null}
    ${chosen ? html`<nav class="algorithms" aria-label="Algorithms">${list.map((one) => html`<a href="#look/${one.name}" aria-current=${one === chosen ? "true" : null}>${SHORT[one.name] || one.name}</a>`)}</nav>
      <${Algorithm} key=${chosen.name} about=${chosen} />` : null}</main>`;
}

function Algorithm({ about }) {
  const defaults = Object.fromEntries(about.fields.map((field) => [field.name, field.default]));
  const [fields, setFields] = useState(defaults);
  const [trace, setTrace] = useState(null);
  const [error, setError] = useState(null);
  const asks = useRef(0);
  useEffect(() => {
    const control = new AbortController();
    const timer = setTimeout(() => {
      ask("/v1/trace", { algorithm: about.name, ...fields }, control.signal).then((found) => {
        setTrace(found);
        setError(null);
      }, (e) => e.name !== "AbortError" && setError(e.message));
    }, asks.current++ ? 400 : 0);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [fields]);
  const changed = about.fields.some((field) => fields[field.name] !== field.default);
  const set = (name) => (e) => setFields({ ...fields, [name]: e.target.value });
  const long = about.fields.filter((field) => field.lines);
  const input = (field) => html`<label class=${field.lines ? "lines" : field.default.length > 12 && !field.choices.length ? "long" : ""}><span><b>${field.name}</b> ${field.help}</span>
    ${field.choices.length ? html`<select value=${fields[field.name]} onChange=${set(field.name)}>${field.choices.map((one) => html`<option>${one}</option>`)}</select>`
      : field.lines ? html`<textarea rows="4" spellcheck="false" value=${fields[field.name]} onInput=${set(field.name)}></textarea>`
      : html`<input type="text" spellcheck="false" value=${fields[field.name]} onInput=${set(field.name)} />`}</label>`;
  return html`<section class="card look-head" aria-label="Formula and input">
      <h2 class="title">${about.title}</h2>
      ${trace ? html`<p class="formulas">${formula(trace.formula)}</p>` : null}
      <div class="fields">${about.fields.filter((field) => !field.lines).map(input)}</div>
      ${long.length ? html`<details open=${about.fields[0].lines}><summary>${long.map((field) => field.name).join(", ")}</summary><div class="fields">${long.map(input)}</div></details>` : null}
      ${changed ? html`<button class="plain" onClick=${() => setFields(defaults)}>Take the first input again</button>` : null}
      ${error ? html`<p class="error" role="alert">${error}</p>` : null}
    </section>
    ${trace ? html`<${Player} trace=${trace} stale=${error !== null} />` : error ? null : html`<p class="quiet">…</p>`}`;
}

function Player({ trace, stale }) {
  const [at, setAt] = useState(1);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState("normal");
  const box = useRef(null), most = useWidth(box) - 40, last = trace.steps.length;
  const figures = useMemo(() => surveyed(trace), [trace]);
  const shown = useMemo(() => new Map(trace.figures.map((one) => [one.name, shownAfter(trace, one.name, Math.min(at, last))])), [trace, at]);
  useEffect(() => {
    setAt(1);
    setPlaying(false);
  }, [trace]);
  useEffect(() => {
    if (!playing) return undefined;
    if (at >= last) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => setAt((now) => Math.min(last, now + 1)), SPEEDS[speed]);
    return () => clearTimeout(timer);
  }, [playing, at, speed]);
  const go = (to) => {
    setPlaying(false);
    setAt((now) => Math.max(1, Math.min(last, to(now))));
  };
  const [first, back, forward, end] = [() => 1, (now) => now - 1, (now) => now + 1, () => last];
  const play = () => {
    if (!playing && at >= last) setAt(1);
    setPlaying(!playing);
  };
  useEffect(() => {
    const keys = { ArrowRight: () => go(forward), ArrowLeft: () => go(back), Home: () => go(first), End: () => go(end), " ": play };
    const press = (event) => {
      const own = event.target.type === "range" && event.key !== " " ? true : /INPUT|SELECT|TEXTAREA/.test(event.target.tagName) && event.target.type !== "range";
      if (own || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
      if (event.key === " " && /BUTTON|SUMMARY|^A$/.test(event.target.tagName)) return;
      event.preventDefault();
      keys[event.key]();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
  const step = trace.steps[Math.min(at, last) - 1];
  const ended = at >= last;
  return html`<section class="card player" ref=${box} aria-label="Steps">
    <div class="row wrap controls">
      <button onClick=${() => go(first)} disabled=${at === 1} aria-label="To the first step">${icon("M3,2 v12 M13,2 l-8,6 8,6 z")}</button>
      <button onClick=${() => go(back)} disabled=${at === 1} aria-label="One step back">${icon("M12,2 l-8,6 8,6 z")}</button>
      <button class="main" onClick=${play}>${playing ? "Pause" : "Play"}</button>
      <button onClick=${() => go(forward)} disabled=${ended} aria-label="One step forward">${icon("M4,2 l8,6 -8,6 z")}</button>
      <button onClick=${() => go(end)} disabled=${ended} aria-label="To the last step">${icon("M13,2 v12 M3,2 l8,6 -8,6 z")}</button>
      <input class="slider" type="range" min="1" max=${last} value=${at} aria-label="Step" aria-valuetext=${`step ${at} of ${last}`} onInput=${(e) => go(() => Number(e.target.value))} />
      <span class="quiet count">${Math.min(at, last)} of ${last}</span>
      <label>Speed <select value=${speed} onChange=${(e) => setSpeed(e.target.value)}>${Object.keys(SPEEDS).map((one) => html`<option>${one}</option>`)}</select></label>
      <span class="grow"></span><${Export} sentence=${{ kind: "trace", raw: trace }} drawing=${box} number=${trace.name} name=${trace.name} /></div>
    <div class="step-text" aria-live=${playing ? "off" : "polite"}><p>${step.text}</p><p class="formulas small">${step.formula ? formula(step.formula) : html`<span class="formula"> </span>`}</p></div>
    <div class="figures ${stale ? "stale" : ""}">${trace.figures.map((one) => html`<${Figure} key=${one.name} figure=${figures.get(one.name)} shown=${shown.get(one.name)} most=${most} />`)}
      ${ended && typeof trace.result.tree === "string" ? html`<figure class="step-figure"><figcaption>The best tree</figcaption><div class="scroll" tabIndex="0" role="region" aria-label="The best tree"><${PhraseTree} sentence=${{ tree: trace.result.tree }} /></div></figure>` : null}</div>
    ${trace.note ? html`<p class="quiet">${trace.note}</p>` : null}
    <p class="quiet">Keys: → and ← one step, Home and End, space plays. Framed in colour: what is new; dashed: what the step reads.</p>
  </section>`;
}
