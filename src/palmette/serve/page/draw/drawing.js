// The drawing of an answer, whatever it is, and the table that says the same.
import { html, percent, width, button, sureness } from "../ui.js";
import { Arcs } from "./arcs.js";
import { Tags } from "./tags.js";
import { PhraseTree, brackets } from "./tree.js";
import { Links } from "./links.js";
import { nameOf } from "../why.js";

export function Drawing(props) {
  const { sentence } = props;
  switch (sentence.kind) {
    case "arcs": return html`<${Arcs} ...${props} onArc=${props.onArc || props.onToken} />`;
    case "tags": case "spans": return html`<${Tags} ...${props} />`;
    case "tree": return html`<${PhraseTree} ...${props} />`;
    case "links": return html`<${Links} ...${props} source=${sentence.source} target=${sentence.target} links=${sentence.links} />`;
    case "translation": {
      const links = (sentence.alignment || []).map(([source, target]) => ({ source, target }));
      return html`<${Links} ...${props} source=${words(sentence.source)} target=${words(sentence.translation)} links=${links} onLink=${null} likely=${(sentence.words || []).map(([, p]) => p)} title="Translation" />`;
    }
    case "class": {
      const text = `${sentence.label}  ${percent(sentence.probability)}`, w = width(text, 17, 600) + 44;
      return html`<svg class="drawing classes" width=${w} height="42" viewBox="0 0 ${w} 42" role="group" aria-label="Class">
        <g class="word ${sureness(sentence.probability)}" ...${props.onToken ? button(`${text}: why?`, () => props.onToken(0)) : {}}
          onMouseEnter=${(e) => props.onPoint && props.onPoint(0, "class", e)} onMouseLeave=${() => props.onPoint && props.onPoint(null)}>
          <rect class="pill" x="2" y="2" width=${w - 4} height="38" rx="19" fill-opacity=${0.1 + 0.25 * (sentence.probability ?? 1)} />
          <text class="label" x=${w / 2} y="27" font-size="17">${text}</text></g></svg>`;
    }
    case "answer": {
      const lines = [Array.isArray(sentence.answer) ? sentence.answer.join(", ") || "no answer" : String(sentence.answer), sentence.meaning || ""];
      const w = Math.min(props.most, Math.max(...lines.map((line, i) => width(line, i ? 14 : 18, 600))) + 60);
      return html`<svg class="drawing classes" width=${w} height="74" viewBox="0 0 ${w} 74" role="group" aria-label="Answer">
        <g class="word ${sureness(sentence.probability)}" ...${props.onToken ? button(`${lines[0]} ${percent(sentence.probability)}: why?`, () => props.onToken(0)) : {}}>
          <rect class="pill" x="2" y="2" width=${w - 4} height="42" rx="21" fill-opacity=${0.1 + 0.25 * (sentence.probability ?? 1)} />
          <text class="label" x=${w / 2} y="29" font-size="18">${lines[0]}</text></g>
        <text class="relation" x=${w / 2} y="66" font-size="14">${lines[1]}</text></svg>`;
    }
    case "neighbours": return html`<table class="bars neighbours"><tbody>${sentence.neighbours.map((one, i) => html`<tr>
      <th scope="row">${props.onToken ? html`<button class="plain" onClick=${() => props.onToken(i)}>${nameOf(one)}</button>` : nameOf(one)} ${one.opposite ? html`<small>${one.opposite}</small>` : null}</th>
      <td class="bar"><svg width="160" height="10" aria-hidden="true"><rect width=${Math.max(160 * Math.max(0, one.similarity), 1)} height="10" rx="3" /></svg></td>
      <td class="number">${one.similarity.toFixed(3)}</td></tr>`)}</tbody></table>${sentence.neighbours.length ? null : html`<p class="quiet">Nothing is near it.</p>`}`;
    default: return html`<pre class="plain">${JSON.stringify(sentence.raw, null, 2)}</pre>`;
  }
}
const words = (text) => text.split(/\s+/).filter(Boolean);

// hidden: it is there for screen readers only, and not a stop of the Tab key.
export function Table({ sentence, hidden }) {
  const { kind, tokens } = sentence;
  const table = (...parts) => Rows(hidden, ...parts);
  if (kind === "tree") {
    const rows = [...brackets(sentence.tree)].map((name) => name.match(/^(.*):(\d+)-(\d+)$/));
    return table("Constituents", ["label", "first", "last", "words"], rows.map(([, label, a, b]) => [label, a, b, tokens.slice(a - 1, b).map((t) => t.form).join(" ")]));
  }
  if (kind === "links") return table("Links", ["source", "target", "probability"], sentence.links.map((l) => [sentence.source[l.source], sentence.target[l.target], percent(l.probability)]));
  if (kind === "translation") return table("Translation", ["source", "translation", "score", "probability"], [[sentence.source, sentence.translation, sentence.score?.toFixed(3), percent(sentence.probability)]]);
  if (kind === "spans") return table("Spans", ["words", "type", "first", "last", "probability"], sentence.spans.map((s) => [s.words, s.type, s.first, s.last, percent(s.probability)]));
  if (kind === "tags") {
    const more = ["xpos", "feats", "lemma"].filter((name) => tokens.some((t) => t[name] !== undefined && t[name] !== t.label));
    return table("Labels", ["number", "word", "label", ...more, "probability"], tokens.map((t) => [t.number, t.form, t.label ?? t.upos, ...more.map((name) => t[name]), percent(t.p)]));
  }
  if (kind === "answer") return table("Answer", ["question", "answer", "meaning", "probability"], [[sentence.question, [sentence.answer].flat().join(", "), sentence.meaning, percent(sentence.probability)]]);
  if (kind === "class") return table("Class", ["text", "label", "probability"], [[sentence.item, sentence.label, percent(sentence.probability)]]);
  if (kind === "arcs") {
    const more = ["lemma", "feats", "entity"].filter((name) => tokens.some((t) => t[name] !== undefined && t[name] !== "_"));
    return table("Words with their heads", ["number", "word", "tag", ...more, "head", "relation", "probability"],
      tokens.map((t) => [t.number, t.form, t.upos, ...more.map((name) => t[name]), t.head ? `${t.head} ${tokens[t.head - 1]?.form ?? ""}` : "root", t.relation, percent(t.p)]));
  }
  return null;
}

export function Rows(hidden, caption, heads, rows) {
  return html`<div ...${hidden ? {} : { class: "scroll", tabIndex: 0, role: "region", "aria-label": caption }}><table class="data"><caption>${caption}</caption>
    <thead><tr>${heads.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell ?? ""}</td>`)}</tr>`)}</tbody></table></div>`;
}
