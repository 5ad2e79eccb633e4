"""The scores of the CoNLL 2018 shared task word by word as they are defined, where both sides have the same words.

A score compares a key of every word: F1 over the words that pass a filter, on each side by its own annotation; a
word is correct if it passes in gold and the keys agree. Relations count up to the colon.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from palmette.formats.corpus import Corpus

CONTENT = {
    *("nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated"),
    *("advcl", "advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat"),
    *("compound", "list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep"),
}
FUNCTION = {"aux", "cop", "mark", "det", "clf", "case", "cc"}
FEATURES = {
    *("PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case"),
    *("Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity"),
    *("Person", "Polite"),
}


@dataclass
class Word:
    number: int
    relation: str
    tag: str
    features: str
    lemma: str
    parent: Word | None = None
    function_words: list[Word] = field(default_factory=list)


def words_of(corpus: Corpus) -> list[Word]:
    found: list[Word] = []
    for sentence in corpus:
        words = []
        for line in sentence:
            features = sorted(f for f in line.feats.split("|") if f.split("=")[0] in FEATURES)
            words.append(
                Word(
                    len(found) + len(words),
                    line.deprel.split(":")[0],
                    line.upos,
                    "|".join(features),
                    line.lemma,
                )
            )
        for word, line in zip(words, sentence):
            if line.head > 0:
                word.parent = words[line.head - 1]
            elif line.head < 0:
                word.parent = Word(-1, "", "", "", "")
            if line.head > 0 and word.relation in FUNCTION:
                word.parent.function_words.append(word)
        found += words
    return found


def scores(gold: Corpus, guess: Corpus) -> dict[str, float]:
    """UAS, LAS, CLAS, MLAS and BLEX."""
    pairs = list(zip(words_of(gold), words_of(guess)))

    def parent(word: Word) -> int | None:
        return None if word.parent is None else word.parent.number

    def f1(key: Callable[[Word, Word], Any], passes: Callable[[Word], bool] = lambda word: True) -> float:
        n_gold = sum(passes(g) for g, _ in pairs)
        n_guess = sum(passes(s) for _, s in pairs)
        correct = sum(passes(g) and key(g, g) == key(s, g) for g, s in pairs)
        return 2 * correct / (n_gold + n_guess) if n_gold + n_guess else 0.0

    def is_content(word: Word) -> bool:
        return word.relation in CONTENT

    def morphology(w: Word, g: Word) -> Any:
        below = [(c.number, c.relation, c.tag, c.features) for c in w.function_words]
        return parent(w), w.relation, w.tag, w.features, below

    return {
        "uas": f1(lambda w, g: parent(w)),
        "las": f1(lambda w, g: (parent(w), w.relation)),
        "clas": f1(lambda w, g: (parent(w), w.relation), is_content),
        "mlas": f1(morphology, is_content),
        "blex": f1(lambda w, g: (parent(w), w.relation, w.lemma if g.lemma != "_" else "_"), is_content),
    }
