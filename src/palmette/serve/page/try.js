// Try: choose a model, give it text, look at what it says.
import { html, useState, useEffect, useRef, useCallback, ask, percent } from "./ui.js";
import { sentenceOf } from "./read.js";
import { Drawing, Table } from "./draw/drawing.js";
import { Distribution } from "./draw/bars.js";
import { Why, asTokens } from "./why.js";
import { Export, save } from "./export.js";

const SAMPLES = {
  depparse: "Time flies like an arrow. Fruit flies like a banana.",
  pipeline: "Time flies like an arrow.",
  tag: "The dog sleeps in the garden.",
  spans: "Mr Smith left Rome.",
  parse: "the dog sees a cat",
  classify: "snow falls on a hot day",
  sentiment: "A boy runs away. I loved it.",
  align: "the house is small\tdas Haus ist klein",
  translate: "das Kind sieht den Garten .",
  lm: "the dog sleeps",
};
const LINES = ["classify", "translate", "lm", "sentiment", "semantics", "senses", "align"];
const HINTS = {
  align: "One pair on each line: a sentence, a tab, its translation.",
  classify: "One text on each line.",
  translate: "One sentence on each line.",
};
const SHADED = ["depparse", "pipeline", "tag", "spans", "induce", "parse", "classify", "align", "sentiment"];

export function Try({ models, model, setModel }) {
  const chosen = models.find((one) => one.name === model) || models[0];
  const [text, setText] = useState(SAMPLES[chosen.tool] || "");
  const [k, setK] = useState(1);
  const [compact, setCompact] = useState(false);
  const [state, setState] = useState({ sentences: [] });
  const [dropping, setDropping] = useState(false);
  const touched = useRef(false);
  useEffect(() => {
    if (!touched.current) setText(SAMPLES[chosen.tool] || "");
  }, [chosen.name]);
  useEffect(() => {
    const control = new AbortController();
    const timer = setTimeout(async () => {
      if (!text.trim()) return setState({ sentences: [] });
      setState((before) => ({ ...before, busy: true, error: null }));
      try {
        setState(await answer(chosen, text, k, control.signal));
      } catch (error) {
        if (error.name !== "AbortError") setState({ sentences: [], error: error.message });
      }
    }, 250);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [chosen.name, text, k]);
  const drop = async (event) => {
    event.preventDefault();
    setDropping(false);
    const file = event.dataTransfer?.files?.[0];
    const given = file ? await file.text() : event.dataTransfer?.getData("text");
    if (given) {
      touched.current = true;
      setText(given.slice(0, 200000));
    }
  };
  const ranked = chosen.verbs.includes("kbest") && !["pipeline"].includes(chosen.tool);
  return html`<main id="main">
    <h1 class="hidden">Try a model</h1>
    <section class="card ask" aria-label="Input">
      <div class="row wrap">
        <label>Model <select value=${chosen.name} onChange=${(e) => setModel(e.target.value)}>
          ${models.map((one) => html`<option value=${one.name}>${one.name} · ${one.kind === "pipeline" ? "tagger and parser" : one.kind}</option>`)}
        </select></label>
        ${ranked ? html`<label>Outputs <select value=${k} onChange=${(e) => setK(Number(e.target.value))}>
          ${[1, 2, 3, 5, 10].map((n) => html`<option value=${n}>${n === 1 ? "the best" : `${n} best`}</option>`)}</select></label>` : null}
        <label class="check"><input type="checkbox" checked=${compact} onChange=${(e) => setCompact(e.target.checked)} /> compact</label>
        <span class="quiet grow" aria-live="polite">${state.busy ? "…" : state.sentences.length ? `${state.sentences.length} ${state.sentences.length === 1 ? "answer" : "answers"} in ${Math.round(state.milliseconds)} ms` : ""}</span>
        <label class="plain file">Open a file<input type="file" class="hidden" onChange=${async (e) => {
          const file = e.target.files[0];
          if (file) {
            touched.current = true;
            setText((await file.text()).slice(0, 200000));
          }
        }} /></label>
      </div>
      <textarea class=${dropping ? "dropping" : ""} rows=${Math.min(8, Math.max(2, text.split("\n").length))} value=${text} spellcheck="false" aria-label="Text"
        placeholder=${HINTS[chosen.tool] || "Type or drop text here."}
        onInput=${(e) => {
          touched.current = true;
          setText(e.target.value);
        }}
        onDragOver=${(e) => {
          e.preventDefault();
          setDropping(true);
        }} onDragLeave=${() => setDropping(false)} onDrop=${drop}></textarea>
      ${HINTS[chosen.tool] ? html`<p class="quiet">${HINTS[chosen.tool]}</p>` : null}
    </section>
    ${state.error ? html`<p class="error card" role="alert">${state.error}</p>` : null}
    ${(state.notes || []).map((note) => html`<p class="note card">${note}</p>`)}
    ${state.sentences.slice(0, 100).map((ranks, i) => html`<${Answer} key=${`${chosen.name} ${i}`} ranks=${ranks} number=${i + 1} model=${chosen} compact=${compact} />`)}
    ${state.sentences.length > 100 ? html`<p class="note card">The first 100 of ${state.sentences.length} are drawn.
      <button class="plain" onClick=${() => save("answers.json", "application/json", JSON.stringify(state.raw, null, 1))}>Save all as JSON</button></p>` : null}
    <${Legend} />
  </main>`;
}

const Legend = () => html`<p class="legend quiet"><span class="swatch sure"></span> sure, 90 % and more <span class="swatch likely"></span> 60 to 90 %
  <span class="swatch doubtful"></span> less than 60 % · point at a word or an arc for its probabilities, click it to see why</p>`;

// Ask for the best output, or the k best, of every sentence.
async function answer(model, text, k, signal) {
  const began = performance.now();
  const body = { model: model.name, text };
  if (model.tool === "translate") body.alignment = true;
  if (model.tool === "classify") body.append = true;
  if (k > 1) body.kbest = k;
  else if (SHADED.includes(model.tool)) body.probabilities = true;
  const found = await ask("/v1/predict", body, signal).catch((error) => {
    if (error.name === "AbortError" || !body.probabilities) throw error;
    delete body.probabilities;  // not every model has probabilities
    return ask("/v1/predict", body, signal);
  });
  const sentences = found.results.map((one) => {
    const { kbest, ...rest } = one;
    const outputs = kbest && Array.isArray(kbest) ? kbest.map((rank) => ({ ...rest, ...rank })) : [one];
    return outputs.map((output) => ({ ...sentenceOf(model.tool, output), raw: output }));
  });
  return { sentences, raw: found.results, notes: found.notes, milliseconds: performance.now() - began };
}

function Answer({ ranks, number, model, compact }) {
  const [place, setPlace] = useState(null);
  const [shown, setShown] = useState(false);
  const [point, setPoint] = useState(null);
  const [chances, setChances] = useState(null);
  const box = useRef(null), drawing = useRef(null), best = ranks[0];
  const whole = useWidth(box), columns = Math.max(1, Math.min(ranks.length, Math.floor(whole / 352)));
  const most = columns > 1 ? whole / columns - 32 : whole - (ranks.length > 1 ? 24 : 4);
  useEffect(() => {
    setPlace(null);
    setChances(null);
  }, [ranks]);
  const load = useCallback(async () => {
    if (chances || !model.verbs.includes("probabilities") || model.tool === "pipeline") return;
    const body = best.kind === "class" ? { model: model.name, text: best.item } : { model: model.name, sentences: [asTokens(best)] };
    setChances(await ask("/v1/probabilities", body).then((found) => found.results[0], () => ({})));
  }, [ranks, chances]);
  const onPoint = (where, what, event) => {
    if (where === null) return setPoint(null);
    load();
    const around = drawing.current.parentElement.getBoundingClientRect(), at = event.currentTarget.getBoundingClientRect();
    setPoint({ where, what, x: Math.min(Math.max(at.left - around.left + at.width / 2, 130), around.width - 130), y: at.bottom - around.top + 6 });
  };
  const likely = point && distribution(best, chances, point.where, point.what);
  const open = (found) => {
    load();
    setPlace(found);
  };
  const others = ranks.slice(1);
  return html`<section class="card answer" ref=${box} aria-label="Answer ${number}">
    <div class="row"><h2>${best.text || (best.tokens.length ? best.tokens.map((t) => t.form).join(" ") : best.item || best.translation || (Array.isArray(best.source) ? best.source.join(" ") : `${number}`))}</h2>
      <button class="plain" aria-expanded=${shown} onClick=${() => setShown(!shown)}>Table</button>
      <${Export} sentence=${best} drawing=${drawing} number=${number} /></div>
    <div class=${ranks.length > 1 ? "side" : ""}>
      <figure>${ranks.length > 1 ? html`<figcaption>${rankText(best, 1)}</figcaption>` : null}
        <div class="scroll" ref=${drawing} tabIndex="0" role="region" aria-label="Drawing ${number}">
          <${Drawing} sentence=${best} compact=${compact} most=${most} chosen=${place?.token ?? place?.bracket ?? place?.link}
            onToken=${(i) => open({ token: i })} onBracket=${(bracket) => open({ bracket })} onLink=${(link) => open({ link })} onPoint=${onPoint} />
        </div>
          ${likely && Object.keys(likely.values).length ? html`<div class="tip" role="tooltip" style=${{ left: `${point.x}px`, top: `${point.y}px` }}><${Distribution} values=${likely.values} chosen=${likely.chosen} name=${likely.name} /></div>` : null}
        </figure>
      ${others.map((other, i) => html`<figure><figcaption>${rankText(other, i + 2)}</figcaption>
        <div class="scroll" tabIndex="0" role="region" aria-label="Output ${i + 2} of answer ${number}"><${Drawing} sentence=${other} compact=${compact} most=${most} /></div></figure>`)}
    </div>
    ${best.kind === "translation" ? html`<button class="plain" onClick=${() => open({ token: 0 })}>Why this translation?</button>` : null}
    ${shown ? html`<${Table} sentence=${best} />` : html`<div class="hidden"><${Table} hidden=${true} sentence=${best} /></div>`}
    ${place ? html`<${Why} model=${model.name} tool=${model.tool} sentence=${best} place=${place} compact=${compact} onClose=${() => setPlace(null)}
      likely=${place.token !== undefined ? distribution(best, chances, place.token, best.kind === "arcs" ? "head" : "label") : null} />` : null}
  </section>`;
}

function rankText(output, rank) {
  const value = output.log_probability !== undefined && output.log_probability !== null ? percent(Math.exp(output.log_probability)) : output.score !== undefined ? `score ${output.score.toFixed(2)}` : "";
  return `${rank}. ${value}`;
}

// The probabilities of one place of an answer, if they have come.
function distribution(sentence, chances, where, what) {
  const none = { values: {} };
  if (!chances) return none;
  if (sentence.kind === "class") return { values: chances.probabilities || {}, chosen: sentence.label, name: "classes" };
  if (what === "bracket") {
    const rows = (chances.brackets || []).filter((b) => b.first === where[0] && b.last === where[1]);
    return { values: Object.fromEntries(rows.map((b) => [b.label, b.probability])), name: `words ${where[0]} to ${where[1]}` };
  }
  if (what === "link") return none;
  const token = chances.tokens?.[where], own = sentence.tokens[where];
  if (!token || !own) return none;
  if (what === "head") {
    const name = (head) => (head === "0" ? "root" : `${sentence.tokens[head - 1]?.form} (${head})`);
    return { values: Object.fromEntries(Object.entries(token.heads || {}).map(([head, p]) => [name(head), p])), chosen: name(String(own.head)), name: `head of ${own.form}` };
  }
  if (what === "upos") return { values: token.upos || {}, chosen: own.upos, name: `tag of ${own.form}` };
  return { values: token.probabilities || {}, chosen: own.label, name: `label of ${own.form}` };
}

// The width of an element as it changes.
export function useWidth(ref) {
  const [found, setFound] = useState(900);
  useEffect(() => {
    if (!ref.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setFound(Math.round(entry.contentRect.width)));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return found;
}
