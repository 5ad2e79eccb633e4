// Correct: fix single values of a file; the model finds the best output that agrees with them.
import { html, useState, useEffect, useRef, ask, percent } from "./ui.js";
import { sentenceOf } from "./read.js";
import { Drawing, Table } from "./draw/drawing.js";
import { useWidth } from "./try.js";

export function Correct() {
  const [files, setFiles] = useState(null);
  const [file, setFile] = useState(0);
  const [error, setError] = useState(null);
  useEffect(() => {
    ask("/v1/edit").then((found) => setFiles(found.files), (e) => setError(e.message));
  }, []);
  if (error) return html`<main id="main"><p class="error card" role="alert">${error}</p></main>`;
  if (!files) return html`<main id="main"><p class="quiet">…</p></main>`;
  return html`<main id="main"><h1 class="hidden">Correct a file</h1>
    <${Editor} key=${file} file=${file} start=${files[file]} name=${files.length === 1 ? html`<b>${files[0].name}</b>`
      : html`<label>File <select value=${file} onChange=${(e) => setFile(Number(e.target.value))}>${files.map((one) => html`<option value=${one.file}>${one.name}</option>`)}</select></label>`} /></main>`;
}

function Editor({ file, start, name }) {
  const [about, setAbout] = useState(start);
  const [order, setOrder] = useState(Array.from({ length: start.sentences }, (_, i) => i + 1));
  const [sure, setSure] = useState(null);
  const [doubtful, setDoubtful] = useState(true);
  const [at, setAt] = useState(0);
  const [found, setFound] = useState(null);
  const [chosen, setChosen] = useState(null);
  const [keep, setKeep] = useState(false);
  const [told, setTold] = useState(null);
  const [compact, setCompact] = useState(false);
  const box = useRef(null), most = useWidth(box) - 36, number = order[at];
  const act = async (action, body = {}) => {
    setTold(null);
    try {
      const answer = await ask(`/v1/edit/${action}`, { file, sentence: number, ...body });
      setAbout(answer.about);
      if (answer.tokens) {
        if (answer.sentence !== number) setAt(order.indexOf(answer.sentence));
        setFound(answer);
      }
      if (action === "save") setTold(`${answer.about.name} is saved.`);
      return answer;
    } catch (error) {
      setTold(error.message);
      return null;
    }
  };
  useEffect(() => {
    act("order").then((answer) => {
      if (!answer) return;
      setSure(answer.confidence);
      sort(true, answer.confidence);
    });
  }, []);
  useEffect(() => {
    setFound(null);
    setChosen(null);
    act("show");
  }, [number]);
  const sort = (first, values) => {
    const all = Array.from({ length: start.sentences }, (_, i) => i + 1);
    setDoubtful(first);
    setOrder(first && values ? all.sort((a, b) => (values[a - 1] ?? 2) - (values[b - 1] ?? 2) || a - b) : all);
    setAt(0);
  };
  const move = (by) => setAt(Math.min(order.length - 1, Math.max(0, at + by)));
  useEffect(() => {
    const keys = { n: () => move(1), p: () => move(-1), u: () => about.undo && act("undo"), r: () => about.redo && act("redo"), s: () => act("save"), a: () => act("correct", { accept: true }), Escape: () => setChosen(null) };
    const press = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
      if (keys[event.key]) keys[event.key]();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
  const sentence = found && sentenceOf(about.tool, shaped(found, about.tool));
  const fix = (values) => act("correct", { ...values, keep });
  const drag = dragging((from, to) => about.tool === "depparse" && fix({ token: from + 1, head: to + 1 }).then(() => setChosen(from)));
  return html`
    <section class="card" aria-label="File">
      <div class="row wrap">${name}<span class="quiet">sentence ${number} of ${about.sentences}${sure && sure[number - 1] != null ? `, ${percent(sure[number - 1])} sure` : ""} · ${about.corrected.length} corrected</span>
        <span class="grow"></span>
        <label>Order <select value=${doubtful ? "doubt" : "file"} onChange=${(e) => sort(e.target.value === "doubt", sure)}><option value="doubt">least sure first</option><option value="file">as in the file</option></select></label>
        ${start.format === "brackets" ? null : html`<label class="check"><input type="checkbox" checked=${keep} onChange=${(e) => setKeep(e.target.checked)} /> leave other values alone</label>`}
        <label class="check"><input type="checkbox" checked=${compact} onChange=${(e) => setCompact(e.target.checked)} /> compact</label></div>
      <div class="row wrap tools">
        <button onClick=${() => move(-1)} disabled=${at === 0} title="p">← Previous</button><button onClick=${() => move(1)} disabled=${at === order.length - 1} title="n">Next →</button>
        <button onClick=${() => act("undo")} disabled=${!about.undo} title="u">Undo</button><button onClick=${() => act("redo")} disabled=${!about.redo} title="r">Redo</button>
        <button onClick=${() => act("correct", { accept: true })} title="a">Accept all of it</button>
        <button class="main" onClick=${() => act("save")} disabled=${!about.unsaved} title="s">Save</button>
        <span class="quiet" role="status">${told || (about.unsaved ? "not saved; nothing is lost if you leave" : "")}</span></div>
    </section>
    <section class="card answer" ref=${box} aria-label="Sentence ${number}">
      ${sentence ? html`<div class="scroll" tabIndex="0" role="region" aria-label="Drawing" ...${drag}>
        <${Drawing} sentence=${sentence} compact=${compact} most=${most} chosen=${chosen} fixed=${marks(found.fixed)} differs=${new Set(Object.keys(found.fixed))}
          onToken=${setChosen} onArc=${setChosen} onBracket=${setChosen} /></div>
        <${Inspector} key=${`${number} ${chosen}`} sentence=${sentence} about=${about} found=${found} chosen=${chosen} fix=${fix} choose=${setChosen} />
        <div class="hidden"><${Table} hidden=${true} sentence=${sentence} /></div>` : html`<p class="quiet">…</p>`}
      <p class="quiet">Choose a word${about.tool === "depparse" ? ", or drag it to its head" : about.tool === "parse" ? " group" : ""}. What you fix is violet and stays; the model decides the rest. Keys: n next, p previous, u undo, r redo, a accept, s save.</p>
    </section>`;
}

// The form that predict has, for the drawings.
const shaped = (found, tool) => (tool === "spans" ? { ...found, spans: spansOf(found.tokens) } : found);

function spansOf(tokens) {
  const spans = [];
  tokens.forEach((token, i) => {
    const [, kind, type] = (token.label || "O").match(/^([BIESLU])-(.*)$/) || [];
    const last = spans[spans.length - 1];
    if (!type) return;
    if ("IEL".includes(kind) && last && last.type === type && last.last === i) last.last = i + 1;
    else spans.push({ first: i + 1, last: i + 1, type, probability: token.probability ?? 1, words: token.form });
  });
  return spans;
}

function marks(fixed) {
  const found = { head: new Set(), upos: new Set(), label: new Set() };
  for (const [i, values] of Object.entries(fixed)) {
    if (typeof values !== "object") continue;
    for (const name of Object.keys(values)) (found[name === "deprel" ? "head" : name === "xpos" ? "upos" : name] ||= new Set()).add(Number(i));
  }
  return found;
}

// Drag a word to another one.
function dragging(done) {
  const start = useRef(null);
  const token = (event) => {
    const place = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-token]");
    return place ? Number(place.dataset.token) : null;
  };
  return {
    onPointerDown: (event) => (start.current = token(event)),
    onPointerUp: (event) => {
      const [from, to] = [start.current, token(event)];
      start.current = null;
      if (from !== null && to !== null && from !== to) done(from, to);
    },
  };
}

function Inspector({ sentence, about, found, chosen, fix, choose }) {
  if (sentence.kind === "tree") return html`<${Brackets} found=${found} chosen=${chosen} fix=${fix} choose=${choose} />`;
  if (chosen === null || typeof chosen !== "number") return null;
  const token = found.tokens[chosen], own = found.fixed[String(chosen)] || {};
  const columns = about.tool === "depparse" ? ["upos", "head", "deprel"] : ["label"];
  const names = { upos: "Tag", head: "Head", deprel: "Relation", label: "Label" };
  const set = (name, value) => fix({ token: chosen + 1, [name]: value });
  return html`<div class="inspector" role="group" aria-label="Values of ${token.form}"><b>${token.form}</b>
    ${columns.map((name) => html`<label class=${name in own ? "fixed" : ""}>${names[name]}
      <select value=${String(token[name] ?? "")} onChange=${(e) => set(name, name === "head" ? Number(e.target.value) : e.target.value)}>
        ${name === "head"
          ? [html`<option value="0">root</option>`, ...found.tokens.map((t, i) => (i === chosen ? null : html`<option value=${i + 1}>${i + 1} ${t.form}</option>`))]
          : choices(about.labels[name] || [], token[name]).map((label) => html`<option value=${label}>${label}</option>`)}
      </select>${name in own ? html`<button class="plain" onClick=${() => set(name, null)}>free</button>` : null}</label>`)}
    ${token.differs ? html`<span class="quiet">The model would choose otherwise.</span>` : token.probability != null ? html`<span class="quiet">${percent(token.probability)}</span>` : null}
    <button class="plain" onClick=${() => choose(null)}>close</button></div>`;
}
const choices = (labels, value) => (value === undefined || value === null || labels.includes(value) ? labels : [value, ...labels]);

function Brackets({ found, chosen, fix, choose }) {
  const [label, a, b] = typeof chosen === "string" ? chosen.match(/^(.*):(\d+)-(\d+)$/).slice(1) : ["NP", 1, 1];
  const [name, setName] = useState(label), [first, setFirst] = useState(Number(a)), [last, setLast] = useState(Number(b));
  const words = found.tokens.map((token, i) => html`<option value=${i + 1}>${i + 1} ${token.token ?? token.form}</option>`);
  const fixed = Object.entries(found.fixed).filter(([key]) => key !== "tree");
  return html`<div class="inspector" role="group" aria-label="Brackets">
    <label>Label <input type="text" size="6" value=${name} onInput=${(e) => setName(e.target.value)} /></label>
    <label>from <select value=${first} onChange=${(e) => setFirst(Number(e.target.value))}>${words}</select></label>
    <label>to <select value=${last} onChange=${(e) => setLast(Number(e.target.value))}>${words}</select></label>
    <button onClick=${() => fix({ bracket: `${name}:${first}-${last}`, must: true }).then(() => choose(null))}>Must be there</button>
    ${typeof chosen === "string" ? html`<button onClick=${() => fix({ bracket: chosen, must: false }).then(() => choose(null))}>${chosen.replace(":", " ")} must not</button>` : null}
    ${fixed.map(([key, must]) => html`<span class="fixed">${must ? "" : "not "}${key.replace(":", " ")} <button class="plain" onClick=${() => fix({ bracket: key, must: null })}>free</button></span>`)}
    ${found.fixed.tree ? html`<span class="fixed">accepted</span>` : null}</div>`;
}
