// Correct: fix single values of a file; the model finds the best output that agrees with them.
import { html, useState, useEffect, useRef, useWidth, ask, percent } from "./ui.js";
import { Inspector, dragging, marks } from "./inspect.js";
import { Retraining } from "./retrain.js";
import { sentenceOf, spansOf } from "./read.js";
import { Drawing, Table } from "./draw/drawing.js";

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
  const [training, setTraining] = useState(null);
  const box = useRef(null), most = useWidth(box) - 36, number = order[at];
  const now = useRef({}), touched = useRef(false);  // answers come late: `now` is what is on the page then
  now.current = { at, number, order };
  const act = async (action, body = {}) => {
    if (!["training", "order"].includes(action)) setTold(null);
    try {
      const answer = await ask(`/v1/edit/${action}`, { file, sentence: number, ...body });
      setAbout(answer.about);
      if (answer.training) setTraining(answer.training);
      if (answer.sentence === now.current.number) setFound(answer);
      else if (answer.sentence && action !== "show") setAt(now.current.order.indexOf(answer.sentence));
      if (action === "save") setTold(`${answer.about.name} is saved.`);
      if (answer.training?.used !== undefined && action === "use") reorder();
      return answer;
    } catch (error) {
      setTold(error.message);
      return null;
    }
  };
  const reorder = async () => {
    for (let first = true; ; first = false) {
      const answer = await act("order");
      if (!answer) return;
      setSure(answer.confidence);
      if (first || (answer.complete && now.current.at === 0)) sort(true, answer.confidence, touched.current ? now.current.at + 1 : 0);
      if (answer.complete) return;
    }
  };
  useEffect(() => {
    reorder();
  }, []);
  useEffect(() => {
    setFound(null);
    setChosen(null);
    act("show");
  }, [number]);
  useEffect(() => {
    if (training && training.state !== "running") return undefined;
    const timer = setTimeout(async () => (await act("training")) || setTraining((before) => before && { ...before }), training ? 1000 : 0);
    return () => clearTimeout(timer);
  }, [training]);
  const sort = (first, values, seen = 0) => {  // the first `seen` sentences stay where they are
    const kept = new Set(now.current.order.slice(0, seen));
    const rest = Array.from({ length: start.sentences }, (_, i) => i + 1).filter((n) => !kept.has(n));
    setDoubtful(first);
    setOrder([...kept, ...(first && values ? rest.sort((a, b) => (values[a - 1] ?? 2) - (values[b - 1] ?? 2) || a - b) : rest)]);
    if (!seen) setAt(0);
  };
  const move = (by) => {
    touched.current = true;
    setAt(Math.min(order.length - 1, Math.max(0, at + by)));
  };
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
  const touch = () => (touched.current = true);
  const isTree = sentence?.kind === "arcs", links = sentence?.kind === "links";
  const draw = (from, to) => fix({ link: `${from}-${to}`, must: true }).then(() => setChosen(null));
  const drag = dragging((from, to) => {
    if (isTree) fix({ token: Number(from) + 1, head: Number(to) + 1 }).then(() => setChosen(Number(from)));
    const ends = [from, to].sort();  // "s3" and "t2"
    if (links && ends[0][0] === "s" && ends[1][0] === "t") draw(ends[0].slice(1), ends[1].slice(1));
  });
  const word = (name) => {  // a word of one side, and then one of the other, are linked
    const ends = typeof chosen === "string" ? [chosen, name].sort() : [];
    if (ends.length && ends[0][0] !== ends[1][0]) draw(ends[0].slice(1), ends[1].slice(1));
    else setChosen(chosen === name ? null : name);
  };
  const hint = isTree ? ", or drag it or its arc to its head" : about.tool === "parse" ? " group" : links ? " and one of the other language, or drag one to the other, to link them; choose a link to take it away" : "";
  return html`
    <section class="card" aria-label="File">
      <div class="row wrap">${name}<span class="quiet">sentence ${number} of ${about.sentences}${sure && sure[number - 1] != null ? `, ${percent(sure[number - 1])} sure` : ""} · ${about.corrected.length} corrected</span>
        <span class="grow"></span>
        <label>Order <select value=${doubtful ? "doubt" : "file"} onChange=${(e) => sort(e.target.value === "doubt", sure)}><option value="doubt">least sure first</option><option value="file">as in the file</option></select></label>
        ${!start.keeps ? null : html`<label class="check"><input type="checkbox" checked=${keep} onChange=${(e) => setKeep(e.target.checked)} /> leave other values alone</label>`}
        <label class="check"><input type="checkbox" checked=${compact} onChange=${(e) => setCompact(e.target.checked)} /> compact</label></div>
      <div class="row wrap tools">
        <button onClick=${() => move(-1)} disabled=${at === 0} title="p">← Previous</button><button onClick=${() => move(1)} disabled=${at === order.length - 1} title="n">Next →</button>
        <button onClick=${() => act("undo")} disabled=${!about.undo} title="u">Undo</button><button onClick=${() => act("redo")} disabled=${!about.redo} title="r">Redo</button>
        <button onClick=${() => act("correct", { accept: true })} title="a">Accept all of it</button>
        <button class="main" onClick=${() => act("save")} disabled=${!about.unsaved} title="s">Save</button>
        <span class="quiet" role="status">${told || (about.unsaved ? "not saved; nothing is lost if you leave" : "")}</span></div>
    </section>
    <section class="card answer" ref=${box} aria-label="Sentence ${number}" onPointerDown=${touch} onFocusIn=${touch}>
      ${sentence ? html`<div class="scroll" tabIndex="0" role="region" aria-label="Drawing" ...${drag.listeners}>
        <${Drawing} sentence=${sentence} compact=${compact} most=${most} chosen=${chosen} fixed=${marks(found.fixed)}
          onToken=${setChosen} onArc=${setChosen} onBracket=${setChosen} onLink=${setChosen} onWord=${word} />${drag.line}</div>
        <${Inspector} key=${`${number} ${chosen}`} sentence=${sentence} about=${about} found=${found} chosen=${chosen} fix=${fix} choose=${setChosen} />
        <div class="hidden"><${Table} hidden=${true} sentence=${sentence} /></div>` : html`<p class="quiet">…</p>`}
      <p class="quiet">Choose a word${hint}. What you fix is violet and stays; the model decides the rest. Keys: n next, p previous, u undo, r redo, a accept, s save.</p>
    </section>
    ${training?.possible ? html`<${Retraining} found=${training} n=${about.corrected.length} all=${about.sentences} act=${act} />` : null}`;
}

// The form that predict has, for the drawings.
const shaped = (found, tool) => (tool === "spans" ? { ...found, spans: spansOf(found.tokens, "label") } : found);
