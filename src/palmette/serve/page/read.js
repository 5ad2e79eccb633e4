import { percent } from "./ui.js";

// Answers of the server in one form, whatever the tool: words, tags, heads, spans, trees, links or classes.

export function sentenceOf(tool, found) {
  const own = { senses: (token) => token.sense ?? "", lemmas: (token) => token.lemma, tokens: () => "", lm: (token) => percent(10 ** token.log10_probability) }[tool];
  const tokens = (found.tokens || (Array.isArray(found.words) && tool !== "translate" ? found.words : [])).map((token, i) => ({
    number: token.number ?? token.id ?? i + 1,
    form: token.token ?? token.text ?? token.form ?? token.word,
    label: own ? own(token) : token.label,
    upos: token.upos ?? token.tag,
    xpos: token.xpos,
    lemma: token.lemma,
    feats: token.feats,
    head: token.head,
    relation: token.relation ?? token.deprel,
    entity: token.entity,
    differs: token.differs,
    p: token.probability ?? token.upos_probability ?? token.probabilities?.arc ?? token.probabilities?.head ?? (token.head === undefined ? token.probabilities?.upos : undefined),
  }));
  return { ...found, tool, tokens, kind: kindOf(tool, found, tokens) };
}

function kindOf(tool, found, tokens) {
  if (found.meaning !== undefined) return "answer";
  if (found.neighbours) return "neighbours";
  if (found.tree !== undefined) return "tree";
  if (found.links) return "links";
  if (found.translation !== undefined) return "translation";
  if (tokens.some((token) => token.head !== undefined)) return "arcs";
  if (found.spans) return "spans";
  if (tokens.some((token) => token.label !== undefined || token.upos !== undefined)) return "tags";
  if (found.label !== undefined && found.number !== undefined) return "class";
  return "other";
}

// Runs of labels such as B-LOC I-LOC, by the name of the field that has them; words are counted from 1.
export function spansOf(tokens, name) {
  const spans = [];
  tokens.forEach((token, i) => {
    const [, kind, type] = (token[name] || "O").match(/^([BIESLU])-(.*)$/) || [];
    const last = spans[spans.length - 1];
    if (!type) return;
    if ("IEL".includes(kind) && last && last.type === type && last.last === i) last.last = i + 1;
    else spans.push({ first: i + 1, last: i + 1, type, probability: token.probability ?? 1, words: token.form });
  });
  return spans;
}

// A tree from brackets: {label, p, children} or {word, index}. null if the text is not a plain bracketing.
export function treeOf(text) {
  const parts = text.match(/\(|\)|[^\s()]+/g) || [];
  let at = 0, words = 0;
  const node = () => {
    if (parts[at] !== "(") return { word: unescaped(parts[at++]), index: words++ };
    at += 1;
    let label = parts[at] === "(" || parts[at] === ")" ? "" : parts[at++];
    const likely = label.match(/^(.+)\/(\d\.\d\d)$/);
    const children = [];
    while (at < parts.length && parts[at] !== ")") children.push(node());
    if (parts[at] !== ")") throw new Error("not closed");
    at += 1;
    return { label: likely ? likely[1] : label, p: likely ? Number(likely[2]) : undefined, children };
  };
  try {
    const tree = node();
    return at === parts.length && tree.children ? tree : null;
  } catch {
    return null;
  }
}
const unescaped = (word) => (word === "-LRB-" ? "(" : word === "-RRB-" ? ")" : word);

// First and last word of a node, counted from 1.
export function spanOf(node) {
  if (node.word !== undefined) return [node.index + 1, node.index + 1];
  const ends = node.children.map(spanOf);
  return [Math.min(...ends.map((e) => e[0])), Math.max(...ends.map((e) => e[1]))];
}

export function conllu(sentence) {
  const rows = sentence.tokens.map((t) => [
    t.number, t.form, t.lemma || "_", t.upos || (sentence.kind === "tags" ? t.label : "") || "_", t.xpos || "_", t.feats || "_",
    t.head ?? "_", t.relation || "_", "_", sentence.kind === "spans" ? `Span=${t.label}` : "_",
  ].join("\t"));
  const text = sentence.text ? [`# text = ${sentence.text}`] : [];
  return [...text, ...rows, ""].join("\n") + "\n";
}
