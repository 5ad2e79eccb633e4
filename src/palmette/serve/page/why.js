// Why the model says what it says: the decision about one word, bracket or class, its rival, and what the rival would mean.
import { html, useState, useEffect, ask, percent } from "./ui.js";
import { Contributions, Distribution } from "./draw/bars.js";
import { Drawing } from "./draw/drawing.js";
import { sentenceOf } from "./read.js";
import { brackets } from "./draw/tree.js";

export function Why({ model, tool, sentence, place, compact, onClose, likely }) {
  const [found, setFound] = useState({});
  useEffect(() => {
    const control = new AbortController();
    setFound({});
    explain(model, tool, sentence, place, control.signal).then(setFound, (error) => error.name !== "AbortError" && setFound({ error: error.message }));
    return () => control.abort();
  }, [model, sentence, JSON.stringify(place)]);
  const { decision, rival, error } = found;
  return html`<aside class="why card" aria-label="Why">
    <div class="row"><h3>${heading(sentence, place, decision)}</h3><button class="plain" aria-label="Close" onClick=${onClose}>✕</button></div>
    ${error ? html`<p class="error" role="alert">${error}</p>` : null}
    ${!decision && !error ? html`<p class="quiet">Asking the model …</p>` : null}
    <div class="halves">${decision ? html`<div aria-live="polite">
      <p>${choice(sentence, decision)}</p>
      ${decision.contributions.length || decision.rest ? html`<${Contributions} decision=${decision} />` : html`<p class="quiet">Nothing else is possible here.</p>`}
    </div>` : null}
    <div>${likely && Object.keys(likely.values || {}).length ? html`<${Distribution} values=${likely.values} chosen=${likely.chosen} name=${likely.name} />` : null}
    ${rival ? html`<h4>The best output with the other choice</h4><div class="scroll" tabIndex="0" role="region" aria-label="The other output"><${Drawing} sentence=${rival} compact=${true} most=${560} differs=${rival.differs} chosen=${rival.chosen} /></div>` : null}</div></div>
  </aside>`;
}

function heading(sentence, place, decision) {
  if (sentence.kind === "class") return `Why ${sentence.label}?`;
  if (sentence.kind === "tree") return `Why ${place.bracket.replace(":", " over words ")}?`;
  if (sentence.kind === "translation") return "Why this translation?";
  if (sentence.kind === "links") return `Why ${decision ? decision.subject : "this link"}?`;
  return `Why this ${sentence.kind === "arcs" ? "head" : "label"} of “${sentence.tokens[place.token]?.form}”?`;
}

function choice(sentence, d) {
  const chance = (p) => (p === undefined || p === null ? "" : html` <small>${percent(p)}</small>`);
  if (sentence.kind === "arcs") {
    const name = (head) => (head === 0 ? "the root" : html`<b>${sentence.tokens[head - 1]?.form ?? head}</b>`);
    if (d.rival === null || d.rival === undefined) return html`Head ${name(d.chosen)}${chance(d.probability)}.`;
    return html`Head ${name(d.chosen)}${chance(d.probability)}, and not ${name(d.rival)}${chance(d.rival_probability)}.`;
  }
  if (sentence.kind === "tree") return d.rival ? html`This tree wins against the best one without the bracket.` : html`Every tree has this bracket.`;
  if (d.rival === null || d.rival === undefined) return html`<b>${String(d.chosen)}</b>${chance(d.probability)}.`;
  return html`<b>${String(d.chosen)}</b>${chance(d.probability)}, and not <b>${String(d.rival)}</b>${chance(d.rival_probability)}.`;
}

// The words of a sentence as a request has them; constraints: fields of single tokens.
export function asTokens(sentence, constraints = {}) {
  return sentence.tokens.map((t, i) => ({ form: t.form, ...(constraints[i] || {}) }));
}

// The labels of spans as the file of the model has them: inside, its scheme has also ends and single words.
function inScheme(label, sentence) {
  if (sentence.kind !== "spans" || sentence.tokens.some((t) => /^[SE]-/.test(t.label))) return label;
  return label.replace(/^S-/, "B-").replace(/^E-/, "I-");
}

async function explain(model, tool, sentence, place, signal) {
  const top = 8;
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
  if (sentence.kind === "tree") {
    const bracket = place.bracket;
    const { explanation } = await ask("/v1/explain", { model, sentences: [asTokens(sentence)], bracket, top }, signal);
    const decision = explanation.brackets[0];
    let rival = null;
    if (decision.rival) {
      rival = sentenceOf("parse", { tree: decision.rival });
      const own = brackets(sentence.tree);
      rival.differs = new Set([...brackets(decision.rival)].filter((one) => !own.has(one)));
    }
    return { decision, rival };
  }
  const token = place.token + 1;
  const { explanation } = await ask("/v1/explain", { model, sentences: [asTokens(sentence)], token, top }, signal);
  const decision = explanation.tokens.find((one) => (one.number ?? token) === token) ?? explanation.tokens[0];
  let rival = null;
  if (decision.rival !== null && decision.rival !== undefined) {
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
