// Why the model says what it says: the decision about one word, bracket or class, its rival, and what the rival would mean.
import { html, useState, useEffect, useRef, useWidth, ask, percent } from "./ui.js";
import { Contributions, Distribution } from "./draw/bars.js";
import { Drawing } from "./draw/drawing.js";
import { sentenceOf } from "./read.js";
import { brackets } from "./draw/tree.js";

// What the steps of a pipeline decide about a word.
const DECIDED = { parser: "head", upos: "tag", xpos: "tag of the treebank", morphology: "morphology", lemmas: "lemma", entities: "name" };

export function Why({ model, tool, steps, sentence, place, compact, onClose, likely }) {
  const [found, setFound] = useState({});
  const box = useRef(null), most = useWidth(box) - 4;
  const [step, setStep] = useState("parser");
  const several = sentence.kind === "arcs" ? Object.keys(DECIDED).filter((name) => (steps || []).includes(name)) : [];
  const other = several.length > 1 && step !== "parser" ? step : null;
  useEffect(() => {
    const control = new AbortController();
    setFound({});
    explain(model, tool, sentence, place, other, control.signal).then(setFound, (error) => error.name !== "AbortError" && setFound({ error: error.message }));
    return () => control.abort();
  }, [model, sentence, place.token, place.bracket, place.link, other]);
  const { decision, rival, error } = found;
  return html`<aside class="why card" aria-label="Why">
    <div class="row"><h3>${heading(sentence, place, decision, other)}</h3><button class="plain" aria-label="Close" onClick=${onClose}>✕</button></div>
    ${several.length > 1 ? html`<div class="row wrap steps-of" role="group" aria-label="What is explained">${several.map((name) => html`<button class="plain" aria-pressed=${name === step} onClick=${() => setStep(name)}>${DECIDED[name]}</button>`)}</div>` : null}
    ${error ? html`<p class="error" role="alert">${error}</p>` : null}
    ${!decision && !error ? html`<p class="quiet">Asking the model …</p>` : null}
    <div class="halves">${decision ? html`<div aria-live="polite">
      <p>${choice(sentence, decision, other)}</p>
      ${decision.contributions.length || decision.rest ? html`<${Contributions} decision=${decision} />` : html`<p class="quiet">Nothing else is possible here.</p>`}
    </div>` : null}
    <div ref=${box} class="other">${likely && !other && Object.keys(likely.values || {}).length ? html`<${Distribution} values=${likely.values} chosen=${likely.chosen} name=${likely.name} />` : null}
    ${rival ? html`<h4>The best output with the other choice</h4><div class="scroll" tabIndex="0" role="region" aria-label="The other output"><${Drawing} sentence=${rival} compact=${true} most=${most} differs=${rival.differs} chosen=${rival.chosen} /></div>` : null}</div></div>
  </aside>`;
}

function heading(sentence, place, decision, other) {
  if (sentence.kind === "class") return `Why ${sentence.label}?`;
  if (sentence.tool === "rerank") return "Why this one of the trees?";
  if (sentence.kind === "tree") return `Why ${place.bracket.replace(":", " over words ")}?`;
  if (sentence.kind === "translation") return "Why this translation?";
  if (sentence.kind === "answer") return "Why this answer?";
  if (sentence.kind === "neighbours") return `Why “${nameOf(sentence.neighbours[place.token])}”?`;
  if (sentence.tool === "lm") return `Why is “${sentence.tokens[place.token]?.form}” this probable?`;
  if (sentence.kind === "links") return `Why ${decision ? decision.subject : "this link"}?`;
  return `Why this ${other ? DECIDED[other] : sentence.kind === "arcs" ? "head" : sentence.tool === "lemmas" ? "lemma" : "label"} of “${sentence.tokens[place.token]?.form}”?`;
}

function choice(sentence, d, other) {
  const chance = (p) => (p === undefined || p === null ? "" : html` <small>${percent(p)}</small>`);
  if (sentence.kind === "arcs" && !other) {
    const name = (head) => (head === 0 ? "the root" : html`<b>${sentence.tokens[head - 1]?.form ?? head}</b>`);
    if (d.rival === null || d.rival === undefined) return html`Head ${name(d.chosen)}${chance(d.probability)}.`;
    const unlikely = d.rival_probability > d.probability ? html` By itself the other is more probable, but the best tree as a whole has this one.` : "";
    return html`Head ${name(d.chosen)}${chance(d.probability)}, and not ${name(d.rival)}${chance(d.rival_probability)}.${unlikely}`;
  }
  if (sentence.tool === "rerank") return d.rival === null ? html`There is no other tree.` : html`Of ${d.subject.replace("list of", "")} trees, this one wins against the second.`;
  if (sentence.kind === "tree") return d.rival ? html`This tree wins against the best one without the bracket.` : html`Every tree has this bracket.`;
  if (sentence.kind === "neighbours") return html`The similarity of both is the sum of what they share.`;
  if (sentence.tool === "lm") return html`${d.unknown ? "A word that the model does not know" : html`<b>${d.chosen}</b>`} ${d.history ? html`after <b>${d.history}</b>` : "whatever comes before"}: amounts are logarithms to base 10.`;
  if (Array.isArray(d.chosen)) return html`<b>${d.chosen.join("  ")}</b>${chance(d.probability)}${d.rival ? html`, and not <b>${d.rival.join("  ")}</b>${chance(d.rival_probability)}` : ""}.`;
  if (d.rival === null || d.rival === undefined) return html`<b>${String(d.chosen)}</b>${chance(d.probability)}.`;
  return html`<b>${String(d.chosen)}</b>${chance(d.probability)}, and not <b>${String(d.rival)}</b>${chance(d.rival_probability)}.`;
}

// The words of a sentence as a request has them; constraints: fields of single tokens.
export function asTokens(sentence, constraints = {}) {
  return sentence.tokens.map((t, i) => ({ form: t.form, ...(sentence.tagged ? { upos: t.upos, xpos: t.xpos } : {}), ...(constraints[i] || {}) }));
}

// The constituents of a tree that another one does not have.
function missing(tree, other) {
  const own = brackets(other);
  return new Set([...brackets(tree)].filter((one) => !own.has(one)));
}

// The labels of spans as the file of the model has them: inside, its scheme has also ends and single words.
function inScheme(label, sentence) {
  if (sentence.kind !== "spans" || sentence.tokens.some((t) => /^[SE]-/.test(t.label))) return label;
  return label.replace(/^S-/, "B-").replace(/^E-/, "I-");
}

// A neighbour in a thesaurus, or among the paths of inference rules.
export const nameOf = (neighbour) => neighbour.wording ?? neighbour.word;
const CONSTRAINED = ["depparse", "pipeline", "tag", "spans", "induce"]; // whose predictions can be asked for with another choice

// The text of a sentence of a language model.
export const plain = (sentence) => sentence.tokens.filter((t) => t.form !== "</s>").map((t) => t.form).join(" ");

async function explain(model, tool, sentence, place, step, signal) {
  const top = 8;
  if (sentence.kind === "answer" || sentence.kind === "neighbours") {
    const body = sentence.kind === "answer" ? { text: sentence.question } : { words: [sentence.word ?? sentence.path, nameOf(sentence.neighbours[place.token])] };
    const { explanation } = await ask("/v1/explain", { model, ...body, ...(tool === "semantics" || tool === "rules" ? { top } : {}) }, signal);
    return { decision: Object.values(explanation)[0][0] };
  }
  if (tool === "lm" || tool === "senses") {
    const text = tool === "lm" ? plain(sentence) : sentence.tokens.map((t, i) => `${t.form}${sentence.tags?.[i] ? `/${sentence.tags[i]}` : ""}`).join(" ");
    const { explanation } = await ask("/v1/explain", { model, text }, signal);
    const found = explanation.words.find((one) => (one.number ?? one.place) === place.token + 1);
    if (!found) throw new Error("The model has no senses for this word.");
    return { decision: found };
  }
  if (sentence.kind === "class") {
    const { explanation } = await ask("/v1/explain", { model, text: sentence.item, top }, signal);
    return { decision: Object.values(explanation)[0][0] };
  }
  if (sentence.kind === "translation") {
    const { explanation } = await ask("/v1/explain", { model, text: sentence.source }, signal);
    return { decision: explanation.translations[0] };
  }
  if (sentence.kind === "links") {
    const { explanation } = await ask("/v1/explain", { model, pairs: [[sentence.source, sentence.target]] }, signal);
    const link = sentence.links[place.link];
    return { decision: explanation.links.find((one) => one.source === link.source && one.target === link.target) };
  }
  if (tool === "rerank") {
    const { explanation } = await ask("/v1/explain", { model, sentences: [asTokens(sentence)], top }, signal);
    const decision = explanation.choices[0], rival = decision.rival_output ? sentenceOf("parse", { tree: decision.rival_output }) : null;
    if (rival) rival.differs = missing(rival.tree, sentence.tree);
    return { decision, rival };
  }
  if (sentence.kind === "tree") {
    const bracket = place.bracket;
    const { explanation } = await ask("/v1/explain", { model, sentences: [asTokens(sentence)], bracket, top }, signal);
    const decision = explanation.brackets[0];
    let rival = null;
    if (decision.rival) {
      rival = sentenceOf("parse", { tree: decision.rival });
      rival.differs = missing(decision.rival, sentence.tree);
    }
    return { decision, rival };
  }
  const token = place.token + 1;
  const { explanation } = await ask("/v1/explain", { model, sentences: [asTokens(sentence)], token, top, ...(step ? { step } : {}) }, signal);
  const decision = explanation.tokens.find((one) => (one.number ?? token) === token) ?? explanation.tokens[0];
  let rival = null;
  if (!step && decision.rival !== null && decision.rival !== undefined && CONSTRAINED.includes(tool)) {
    const known = sentence.kind === "arcs" ? { head: decision.rival } : { label: inScheme(decision.rival, sentence) };
    const body = { model, sentences: [asTokens(sentence, { [place.token]: known })] };
    const other = await ask("/v1/predict", body, signal).catch((error) => {
      if (error.name === "AbortError") throw error;
      return null;
    });
    if (other) rival = { ...sentenceOf(tool, other.results[0]), chosen: place.token };
  }
  return { decision, rival };
}
