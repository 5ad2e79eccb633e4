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

const DONE = { undo: "Undone", redo: "Done again", correct: "Corrected" };
const PLACE = "palmette-place ";
const withFirst = (n, all) => (all.includes(n) ? [n, ...all.filter((one) => one !== n)] : all);

function Editor({ file, start, name }) {
  const [about, setAbout] = useState(start);
  const last = Number(sessionStorage.getItem(PLACE + start.name));  // where one was before the page was loaded again
  const [order, setOrder] = useState(() => withFirst(last, Array.from({ length: start.sentences }, (_, i) => i + 1)));
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
  // Answers come late: `now` is what is on the page then, and `moves` tells whether somebody went on meanwhile.
  const now = useRef({ moves: 0, open: true, touched: last === order[0], trainings: 0, waiting: 0, line: Promise.resolve() }).current;
  Object.assign(now, { at, number, order, chosen });
  const go = (to) => {
    Object.assign(now, { at: to, number: now.order[to], moves: now.moves + 1 });
    setAt(to);
  };
  const send = async (action, body = {}) => {
    try {
      return await ask(`/v1/edit/${action}`, { file, ...body });
    } catch (error) {
      if (now.open) setTold(error.message);
      return null;
    }
  };
  // What changes the file, or shows it, is done in the order in which it was asked for.
  const act = (action, body = {}) => {
    const asked = { sentence: now.number, ...body }, moves = now.moves;
    now.waiting += 1;
    const done = now.line.then(async () => {
      const leave = () => (now.waiting -= 1) && null;
      if (action === "show" && (!now.open || asked.sentence !== now.number)) return leave();  // somebody went on
      if (action !== "show" && now.open) setTold(null);
      const answer = await send(action, asked);
      leave();
      if (!answer || !now.open) return null;
      setAbout(answer.about);
      if (answer.training) {
        now.trainings += 1;
        setTraining(answer.training);
      }
      if (answer.sentence === now.number) {
        setFound(answer);
        if (answer.changed) setTold(`The model changed ${answer.changed} ${answer.changed === 1 ? "word" : "words"} to agree with it. To keep them, undo, and leave other values alone.`);
      } else if (answer.sentence && moves === now.moves) go(now.order.indexOf(answer.sentence));
      else if (answer.sentence && DONE[action]) setTold(`${DONE[action]} in sentence ${answer.sentence}.`);
      if (action === "save") setTold(`${answer.about.name} is saved.`);
      if (answer.training?.used !== undefined && action === "use") reorder();
      return answer;
    });
    now.line = done;
    return done;
  };
  const reorder = async () => {
    for (let first = true; now.open; first = false) {
      const answer = await send("order");
      if (!answer || !now.open) return;
      setSure(answer.confidence);
      if (!now.asInFile && (first || (answer.complete && now.at === 0))) sort(true, answer.confidence, now.touched ? now.at + 1 : 0);
      if (answer.complete) return;
    }
  };
  useEffect(() => {
    const back = () => document.hidden || act("show");  // somebody may have corrected in another tab
    reorder();
    const hold = (event) => now.waiting && event.preventDefault();  // what is not on the server yet would be lost
    document.addEventListener("visibilitychange", back);
    addEventListener("beforeunload", hold);
    return () => {
      now.open = false;
      document.removeEventListener("visibilitychange", back);
      removeEventListener("beforeunload", hold);
    };
  }, []);
  useEffect(() => {
    setFound(null);
    setChosen(null);
    setTold(null);
    act("show");
    sessionStorage.setItem(PLACE + start.name, number);
  }, [number]);
  useEffect(() => {
    if (training && training.state !== "running") return undefined;
    const timer = setTimeout(async () => {
      const begun = now.trainings, answer = await send("training");
      if (now.open && begun === now.trainings) setTraining((before) => answer?.training ?? (before && { ...before }));
    }, training ? 1000 : 0);
    return () => clearTimeout(timer);
  }, [training]);
  const sort = (first, values, seen = 0) => {  // the first `seen` sentences stay where they are
    const kept = new Set(now.order.slice(0, seen));
    const rest = Array.from({ length: start.sentences }, (_, i) => i + 1).filter((n) => !kept.has(n));
    const sorted = [...kept, ...(first && values ? rest.sort((a, b) => (values[a - 1] ?? 2) - (values[b - 1] ?? 2) || a - b) : rest)];
    now.order = sorted;
    setDoubtful(first);
    setOrder(sorted);
    if (!seen) go(0);
  };
  const move = (by) => {
    now.touched = true;
    go(Math.min(now.order.length - 1, Math.max(0, now.at + by)));
  };
  const seen = found && found.sentence === number ? found : null;  // what was shown before is not corrected by mistake
  Object.assign(now, { seen, about });
  const accept = () => now.seen?.sentence === now.number && act("correct", { accept: true });
  const save = () => act("save");
  useEffect(() => {
    const keys = { n: () => move(1), p: () => move(-1), u: () => (now.about.undo || now.waiting) && act("undo"), r: () => (now.about.redo || now.waiting) && act("redo"), s: save, a: accept, Escape: () => setChosen(null) };
    const press = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
      if (event.repeat && !"np".includes(event.key)) return;  // a key that is held down
      if (keys[event.key]) keys[event.key]();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
  const sentence = seen && sentenceOf(about.tool, shaped(seen, about.tool));
  // Fix values, and then choose something else, if nobody has chosen or gone on meanwhile.
  const fix = (values, next) => {
    const { chosen: was, moves } = now;
    return act("correct", { ...values, keep, sentence: number }).then((answer) => answer && next !== undefined && now.moves === moves && now.chosen === was && setChosen(next));
  };
  const touch = () => (now.touched = true);
  const isTree = sentence?.kind === "arcs", links = sentence?.kind === "links";
  const draw = (from, to) => fix({ link: `${from}-${to}`, must: true }, null);
  const drag = dragging((from, to) => {
    if (isTree) fix({ token: Number(from) + 1, head: Number(to) + 1 }, Number(from));
    const ends = [from, to].sort();  // "s3" and "t2"
    if (links && ends[0][0] === "s" && ends[1][0] === "t") draw(ends[0].slice(1), ends[1].slice(1));
  });
  const word = (name) => {  // a word of one side, and then one of the other, are linked
    const ends = typeof chosen === "string" ? [chosen, name].sort() : [];
    if (ends.length && ends[0][0] !== ends[1][0]) draw(ends[0].slice(1), ends[1].slice(1));
    else setChosen(chosen === name ? null : name);
  };
  const hint = isTree ? ", or drag it or its arc to its head" : about.tool === "parse" ? "" : links ? " and one of the other language, or drag one to the other, to link them; choose a link to take it away" : "";
  return html`
    <section class="card" aria-label="File">
      <div class="row wrap">${name}<span class="quiet">sentence ${number} of ${about.sentences}${sure && sure[number - 1] != null ? `, ${percent(sure[number - 1])} sure` : ""} · ${about.corrected.length} corrected</span>
        <span class="grow"></span>
        <label>Order <select value=${doubtful ? "doubt" : "file"} onChange=${(e) => {
          now.asInFile = e.target.value === "file";
          sort(!now.asInFile, sure);
        }}><option value="doubt">least sure first</option><option value="file">as in the file</option></select></label>
        ${!start.keeps ? null : html`<label class="check"><input type="checkbox" checked=${keep} onChange=${(e) => setKeep(e.target.checked)} /> leave other values alone</label>`}
        <label class="check"><input type="checkbox" checked=${compact} onChange=${(e) => setCompact(e.target.checked)} /> compact</label></div>
      <div class="row wrap tools">
        <button onClick=${() => move(-1)} disabled=${at === 0} title="p">← Previous</button><button onClick=${() => move(1)} disabled=${at === order.length - 1} title="n">Next →</button>
        <button onClick=${() => act("undo")} disabled=${!about.undo} title="u">Undo</button><button onClick=${() => act("redo")} disabled=${!about.redo} title="r">Redo</button>
        <button onClick=${accept} disabled=${!seen} title="a">Accept all of it</button>
        <button class="main" onClick=${save} disabled=${!about.unsaved} title="s">Save</button>
        <span class="quiet" role="status">${told || (about.unsaved ? "not saved; nothing is lost if you leave" : "")}</span></div>
    </section>
    <section class="card answer" ref=${box} aria-label="Sentence ${number}" onPointerDown=${touch} onFocusIn=${touch}>
      ${sentence ? html`<div class="scroll" tabIndex="0" role="region" aria-label="Drawing" ...${drag.listeners}>
        <${Drawing} sentence=${sentence} compact=${compact} most=${most} chosen=${chosen} fixed=${marks(seen.fixed)}
          onToken=${setChosen} onArc=${setChosen} onBracket=${setChosen} onLink=${setChosen} onWord=${word} />${drag.line}</div>
        <${Inspector} key=${`${number} ${chosen}`} sentence=${sentence} about=${about} found=${seen} chosen=${chosen} fix=${fix} choose=${setChosen} />
        <div class="hidden"><${Table} hidden=${true} sentence=${sentence} /></div>` : html`<p class="quiet">…</p>`}
      <p class="quiet">Choose ${about.tool === "parse" ? "a label in the tree" : "a word"}${hint}. What you fix is violet and stays; the model decides the rest${start.keeps ? "; dashed: it would choose otherwise" : ""}. Keys: n next, p previous, u undo, r redo, a accept, s save.</p>
    </section>
    ${training?.possible ? html`<${Retraining} found=${training} n=${about.corrected.length} all=${about.sentences} act=${act} />` : null}`;
}

// The form that predict has, for the drawings.
const shaped = (found, tool) => (tool === "spans" ? { ...found, spans: spansOf(found.tokens, "label") } : found);
