// Try: choose a model, give it text, look at what it says.
import { html, useState, useEffect, useRef, useCallback, useWidth, ask, percent } from "./ui.js";
import { sentenceOf } from "./read.js";
import { Drawing, Table } from "./draw/drawing.js";
import { Distribution } from "./draw/bars.js";
import { Why, asTokens, plain } from "./why.js";
import { Export, save } from "./export.js";

const SAMPLES = {
  depparse: "Time flies like an arrow. Fruit flies like a banana.",
  pipeline: "Time flies like an arrow. Fruit flies like a banana.",
  tag: "The dog sleeps in the garden.",
  spans: "Mr Smith left Rome.",
  parse: "the dog sees a cat",
  classify: "snow falls on a hot day",
  sentiment: "A boy runs away. I loved it.",
  align: "the house is small\tdas Haus ist klein",
  translate: "das Kind sieht den Garten .",
  lm: "the dog sleeps",
  rerank: "the dog sees a cat",
  induce: "The dog sleeps in the garden.",
  morphology: "The dogs sleep. They are tired.",
  lemmas: "The dogs sleep. They are tired.",
  tokens: "The dogs sleep. They don't dream.",
  senses: "the/DET muddy/ADJ bank/NOUN and/CCONJ the/DET river/NOUN",
  thesaurus: "dog",
  rules: "X solved Y",
};
// What is there to begin with; a parser without taggers needs words with tags.
const sampleOf = (model) => {
  if (model.kind === "dependency parser") return "Time/NOUN flies/VERB like/ADP an/DET arrow/NOUN ./PUNCT";
  const language = (model.language || "en").slice(0, 2);
  return language === "en" || !RUNNING.includes(model.tool) ? SAMPLES[model.tool] || "" : IN_LANGUAGES[language] || "";
};
const RUNNING = ["pipeline", "depparse", "tag", "spans", "morphology", "lemmas", "tokens"];
// For tools that read running text, in languages that others have.
const IN_LANGUAGES = {
  ar: "الولد يقرأ كتابا في البيت.", cs: "Čas letí jako šíp. Kočka spí na zahradě.", de: "Die Zeit vergeht wie im Flug. Der Hund schläft im Garten.",
  es: "El tiempo vuela. El perro duerme en el jardín.", eu: "Denbora azkar doa. Txakurra lorategian dago.", fi: "Aika lentää. Koira nukkuu puutarhassa.",
  fr: "Le temps passe vite. Le chien dort dans le jardin.", he: "הכלב ישן בגינה. הילד קורא ספר.", hu: "Repül az idő. A kutya a kertben alszik.",
  it: "Il tempo vola. Il cane dorme nel giardino.", ja: "犬は庭で眠っている。時間が経つのは早い。", nl: "De tijd vliegt. De hond slaapt in de tuin.",
  pl: "Czas szybko leci. Pies śpi w ogrodzie.", pt: "O tempo voa. O cão dorme no jardim.", ru: "Время летит. Собака спит в саду.", sv: "Tiden flyger. Hunden sover i trädgården.",
  ta: "நாய் தோட்டத்தில் தூங்குகிறது.", tr: "Zaman uçup gidiyor. Köpek bahçede uyuyor.", ug: "ئىت باغدا ئۇخلاۋاتىدۇ.", uk: "Час летить. Собака спить у саду.", zh: "时间过得很快。狗在花园里睡觉。",
};
const HINTS = {
  align: "One pair on each line: a sentence, a tab, its translation.",
  classify: "One text on each line.",
  translate: "One sentence on each line.",
  semantics: "A question about the model's database on each line.",
  depparse: "Running text, if the model has taggers; otherwise a sentence on each line, of words with tags: Time/NOUN flies/VERB.",
  senses: "A sentence on each line; words with parts of speech, as bank/NOUN, if the model has no tagger.",
  thesaurus: "A word on each line.",
  rules: "A path on each line, as X solved Y.",
};
const KINDS = { pipeline: "tagger and parser", "text pipeline": "pipeline" };
const SHADED = ["morphology", "depparse", "pipeline", "tag", "spans", "induce", "parse", "classify", "align", "sentiment", "translate"];

export function Try({ models, model, setModel }) {
  const chosen = models.find((one) => one.name === model) || models[0];
  const [text, setText] = useState(sampleOf(chosen));
  const [k, setK] = useState(1);
  const [compact, setCompact] = useState(false);
  const [state, setState] = useState({ sentences: [] });
  const [dropping, setDropping] = useState(false);
  const touched = useRef(false), asks = useRef(0);
  useEffect(() => {
    if (!touched.current) setText(sampleOf(chosen));
  }, [chosen.name]);
  useEffect(() => {
    const control = new AbortController();
    const timer = setTimeout(async () => {
      if (!text.trim()) return setState({ sentences: [] });
      setState((before) => ({ ...before, busy: true, error: null }));
      try {
        setState({ ...(await answer(chosen, text, k, control.signal)), model: chosen.name });
      } catch (error) {
        if (error.name !== "AbortError") setState({ sentences: [], error: error.message });
      }
    }, asks.current++ ? 250 : 0);  // while somebody types, wait a little
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
  const sentences = state.model === chosen.name ? state.sentences : [];  // those of another model wait for this one
  const ranked = chosen.verbs.includes("kbest") || chosen.tool === "rerank";
  return html`<main id="main">
    <h1 class="hidden">Try a model</h1>
    <section class="card ask" aria-label="Input">
      <div class="row wrap">
        <label>Model <select value=${chosen.name} onChange=${(e) => setModel(e.target.value)}>
          ${models.map((one) => html`<option value=${one.name}>${one.name} · ${KINDS[one.kind] ?? one.kind}</option>`)}
        </select></label>
        ${ranked ? html`<label>Outputs <select value=${k} onChange=${(e) => setK(Number(e.target.value))}>
          ${[1, 2, 3, 5, 10].map((n) => html`<option value=${n}>${n === 1 ? "the best" : `${n} best`}</option>`)}</select></label>` : null}
        <label class="check"><input type="checkbox" checked=${compact} onChange=${(e) => setCompact(e.target.checked)} /> compact</label>
        <span class="quiet grow" aria-live="polite">${state.busy ? "…" : sentences.length ? `${sentences.length} ${sentences.length === 1 ? "answer" : "answers"} in ${Math.round(state.milliseconds)} ms` : ""}</span>
        <label class="plain file">Open a file<input type="file" class="hidden" onChange=${async (e) => {
          const file = e.target.files[0];
          if (file) {
            touched.current = true;
            setText((await file.text()).slice(0, 200000));
          }
        }} /></label>
      </div>
      <textarea dir="auto" class=${dropping ? "dropping" : ""} rows=${Math.min(8, Math.max(2, text.split("\n").reduce((sum, line) => sum + Math.ceil((line.length || 1) / 110), 0)))} value=${text} spellcheck="false" aria-label="Text"
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
    ${sentences.slice(0, 100).map((ranks, i) => html`<${Answer} key=${`${chosen.name} ${i}`} ranks=${ranks} number=${i + 1} model=${chosen} compact=${compact} />`)}
    ${sentences.length > 100 ? html`<p class="note card">The first 100 of ${sentences.length} are drawn.
      <button class="plain" onClick=${() => save("answers.json", "application/json", JSON.stringify(state.raw, null, 1))}>Save all as JSON</button></p>` : null}
    <${Legend} />
  </main>`;
}

const Legend = () => html`<p class="legend quiet"><span class="swatch sure"></span> sure, 90 % and more <span class="swatch likely"></span> 60 to 90 %
  <span class="swatch doubtful"></span> less than 60 % · point at a word or an arc for its probabilities, click it to see why</p>`;

// Ask for the best output, or the k best, of every sentence.
async function answer(model, text, k, signal) {
  const began = performance.now();
  const body = asked(model, text);
  if (model.tool === "translate") body.alignment = true;
  if (model.tool === "classify") body.append = true;
  if (k > 1 && model.tool === "rerank") body.ranked = true;
  else if (k > 1) body.kbest = k;
  else if (SHADED.includes(model.tool)) body.probabilities = true;
  const found = await ask("/v1/predict", body, signal).catch((error) => {
    if (error.name === "AbortError" || !body.probabilities) throw error;
    delete body.probabilities;  // not every model has probabilities
    return ask("/v1/predict", body, signal);
  });
  const lines = text.split("\n").filter((line) => line.trim());
  const sentences = grouped(found.results).map(([one, ...more]) => {
    const { kbest, candidates, others, ...rest } = one;
    if (candidates) return candidates.slice(0, k).map((rank) => ({ ...sentenceOf(model.tool, { ...rest, ...rank }), raw: rank }));
    const outputs = Array.isArray(kbest) ? kbest.map((rank) => ({ ...rest, ...rank })) : others ? [rest, ...others] : [one, ...more];
    if (model.tool === "senses") one.tags = parts(lines[one.number - 1])?.map(([, , tag]) => tag);
    if (model.tool === "depparse") rest.tagged = one.tagged = body.sentences !== undefined;
    if (model.tool === "sentiment") rest.item = one.item = lines[one.number - 1];
    return outputs.map((output) => ({ ...sentenceOf(model.tool, output), raw: output }));
  });
  return { sentences, raw: found.results, notes: found.notes, milliseconds: performance.now() - began };
}

// The body of a request: most models take text as it is.
function asked(model, text) {
  const lines = text.split("\n").filter((line) => line.trim());
  if (["thesaurus", "rules"].includes(model.tool)) return { model: model.name, words: lines.map((line) => line.trim()) };
  if (model.tool === "lm") return { model: model.name, text, words: true };
  if (model.tool === "senses") return { model: model.name, text: lines.map(tagged).join("\n") };
  const tags = model.tool === "depparse" && lines.map(parts);
  if (tags && tags.every(Boolean)) return { model: model.name, sentences: tags.map((words) => words.map(([, form, tag]) => ({ form, upos: tag, xpos: tag }))) };
  return { model: model.name, text };
}

// Words with parts of speech, as columns: form, lemma, part of speech, sense.
function parts(line) {
  const words = (line ?? "").trim().split(/\s+/).map((word) => word.match(/^(.+)\/([A-Z]+)$/));
  return words.every(Boolean) ? words : null;
}
function tagged(line) {
  const words = parts(line);
  return words ? words.map(([, form, tag]) => [form, form.toLowerCase(), tag, "_"].join("\t")).join("\n") + "\n" : line;
}

// Outputs of one sentence that come as answers of their own, with their rank.
function grouped(results) {
  const found = [];
  for (const one of results) {
    if (typeof one.kbest === "number" && one.kbest > 1 && found.length) found[found.length - 1].push(one);
    else found.push([one]);
  }
  return found;
}

function Answer({ ranks, number, model, compact }) {
  const [opened, setPlace] = useState(null), place = opened?.of === ranks ? opened : null;  // a place of this answer
  const [shown, setShown] = useState(false);
  const [pointed, setPoint] = useState(null), point = pointed?.of === ranks ? pointed : null;
  const [found, setChances] = useState(null), chances = found?.of === ranks ? found : null;  // late ones are of another
  const box = useRef(null), drawing = useRef(null), latest = useRef(ranks), best = ranks[0];
  latest.current = ranks;
  const whole = useWidth(box), columns = Math.max(1, Math.min(ranks.length, Math.floor(whole / 352)));
  const most = columns > 1 ? whole / columns - 32 : whole - (ranks.length > 1 ? 24 : 4);
  const load = useCallback(async () => {
    if (chances || !model.verbs.includes("probabilities") || model.tool === "align") return;  // its answers have them
    const body = best.kind === "class" || model.tool === "lm" ? { model: model.name, text: best.item ?? plain(best) } : { model: model.name, sentences: [asTokens(best)] };
    const answer = await ask("/v1/probabilities", body).then((all) => all.results[0], () => ({}));
    setChances((before) => (latest.current === ranks ? { ...answer, of: ranks } : before));
  }, [ranks, chances]);
  const onPoint = (where, what, event) => {
    if (where === null) return setPoint(null);
    load();
    const around = drawing.current.parentElement.getBoundingClientRect(), at = event.currentTarget.getBoundingClientRect();
    setPoint({ of: ranks, where, what, x: Math.min(Math.max(at.left - around.left + at.width / 2, 130), around.width - 130), y: at.bottom - around.top + 6 });
  };
  const likely = point && distribution(best, chances, point.where, point.what);
  const open = (found) => {
    load();
    setPoint(null);  // or it would cover the answer
    setPlace({ ...found, of: ranks });
  };
  const others = ranks.slice(1);
  return html`<section class="card answer" ref=${box} aria-label="Answer ${number}">
    <div class="row"><h2 dir="auto">${best.text || (best.tokens.length ? best.tokens.map((t) => t.form).join(" ") : best.item || best.translation || best.question || best.word || best.path || (Array.isArray(best.source) ? best.source.join(" ") : `${number}`))}</h2>
      <button class="plain" aria-expanded=${shown} onClick=${() => setShown(!shown)}>Table</button>
      <${Export} sentence=${best} drawing=${drawing} number=${number} /></div>
    <div class=${ranks.length > 1 ? "side" : ""}>
      <figure>${ranks.length > 1 ? html`<figcaption>${rankText(best, 1)}</figcaption>` : null}
        <div class="scroll" ref=${drawing} tabIndex="0" role="region" aria-label="Drawing ${number}">
          <${Drawing} sentence=${best} compact=${compact || columns > 1} most=${most} chosen=${place?.token ?? place?.bracket ?? place?.link}
            onToken=${model.verbs.includes("explain") && model.tool !== "tokens" ? (i) => open({ token: i }) : null} onBracket=${(bracket) => open({ bracket })} onLink=${(link) => open({ link })} onPoint=${onPoint} />
        </div>
          ${likely && Object.keys(likely.values).length ? html`<div class="tip" role="tooltip" style=${{ left: `${point.x}px`, top: `${point.y}px` }}><${Distribution} values=${likeliest(likely.values)} chosen=${likely.chosen} name=${likely.name} /></div>` : null}
        </figure>
      ${others.map((other, i) => html`<figure><figcaption>${rankText(other, i + 2)}</figcaption>
        <div class="scroll" tabIndex="0" role="region" aria-label="Output ${i + 2} of answer ${number}"><${Drawing} sentence=${other} compact=${compact || columns > 1} most=${most} /></div></figure>`)}
    </div>
    ${best.kind === "translation" ? html`<button class="plain" onClick=${() => open({ token: 0 })}>Why this translation?</button>` : null}
    ${shown ? html`<${Table} sentence=${best} />` : html`<div class="hidden"><${Table} hidden=${true} sentence=${best} /></div>`}
    ${place ? html`<${Why} model=${model.name} tool=${model.tool} steps=${model.steps} sentence=${best} place=${place} compact=${compact} onClose=${() => setPlace(null)}
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
  if (sentence.kind === "class" && chances) return { values: chances.probabilities || {}, chosen: sentence.label, name: "classes" };
  if (what === "bracket" && chances) {
    const rows = (chances.brackets || []).filter((b) => b.first === where[0] && b.last === where[1]);
    return { values: Object.fromEntries(rows.map((b) => [b.label, b.probability])), name: `words ${where[0]} to ${where[1]}` };
  }
  if (what === "link") {
    const { source, target, probability } = sentence.links[where];
    return probability == null ? none : { values: { link: probability, "no link": 1 - probability }, chosen: "link", name: `${sentence.source[source]} – ${sentence.target[target]}` };
  }
  if (what === "target") {
    const [word, p] = sentence.words?.[where] || [];
    return p === undefined ? none : { values: { [word]: p, "other translations": Math.max(0, 1 - p) }, chosen: word, name: "this word, in all translations that were looked at" };
  }
  if (!chances) return none;
  if (sentence.tool === "lm") return { values: first(chances.words?.[where]?.next), chosen: sentence.tokens[where].form, name: `instead of ${sentence.tokens[where].form}` };
  const token = chances.tokens?.[where], own = sentence.tokens[where];
  if (!token || !own) return none;
  if (what === "head") {
    const name = (head) => (head === "0" ? "root" : `${sentence.tokens[head - 1]?.form} (${head})`);
    return { values: Object.fromEntries(Object.entries(token.heads || {}).map(([head, p]) => [name(head), p])), chosen: name(String(own.head)), name: `head of ${own.form}` };
  }
  if (what === "upos") return { values: token.upos || {}, chosen: own.upos, name: `tag of ${own.form}` };
  const kind = ["upos", "lemma"].find((name) => token[name] && !token.probabilities);
  if (kind) return { values: first(token[kind]), chosen: own[kind], name: `${kind === "upos" ? "tag" : "lemma"} of ${own.form}` };
  return { values: token.probabilities || {}, chosen: own.label, name: `label of ${own.form}` };
}

// Those that a person can take in at a glance, in their order.
const likeliest = (values, n = 9) => {
  const least = Object.values(values).sort((a, b) => b - a)[n - 1] ?? 0;
  return Object.fromEntries(Object.entries(values).filter(([, p]) => p >= least));
};
const first = (values) => Object.fromEntries(Object.entries(values || {}).slice(0, 8));
