"""From words with lemmas to what a `Lemmatizer` keeps of them: counts, known lemmas, exceptions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from palmette.features import FeatureMap
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.tools.morphology.lemma_model import LemmaModel, Word
from palmette.tools.morphology.words import column_or_nothing, flat_labels, given_words
from palmette.tools.sentences import Gold, Labels, Sentences
from palmette.tools.sequence.model import SequenceModel, SequenceStructure

NOTHING = "_"

TEMPLATES = """
bias
upos[0]
feats[0]
feats[0]|upos[0]
shortshape[0]
shortshape[0]|upos[0]
start1[0]
start2[0]
start3[0]
start1[0]|upos[0]
end1[0]
end2[0]
end3[0]
end4[0]
end1[0]|upos[0]
end2[0]|upos[0]
end3[0]|upos[0]
end4[0]|upos[0]
end5[0]|upos[0]
end6[0]|upos[0]
end1[0]|feats[0]
end2[0]|feats[0]
end3[0]|feats[0]
end4[0]|feats[0]
end5[0]|feats[0]
end6[0]|feats[0]
"""


def counted(corpus: Corpus) -> tuple[dict[Word, Counter[str]], int]:
    """How often each word has each lemma, and how many words have none."""
    seen: defaultdict[Word, Counter[str]] = defaultdict(Counter)
    without = 0
    for word, lemma in zip(words_of(corpus), corpus.column("lemma").values()):
        if lemma == NOTHING and word.form != NOTHING:
            without += 1
        else:
            seen[word][lemma] += 1
    return dict(seen), without


def exceptions(
    model: LemmaModel, seen: Mapping[Word, Counter[str]], usual: Mapping[Word, str], n_jobs: int
) -> tuple[dict[Word, str], dict[tuple[str, str], str]]:
    """The words of the training data that the model gets wrong, and the lemmas of their forms by part of speech.

    All words with the form and part of speech of such a word are kept, so that the second table never changes what
    was seen.
    """
    words = list(seen)
    wrong = {w[:2] for w, found in zip(words, model.rank(words, n_jobs)) if found[0].lemma != usual[w]}
    exact = {word: usual[word] for word in words if word[:2] in wrong}
    sums: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for word in exact:
        sums[word[:2]].update(seen[word])
    return exact, {key: most_frequent(lemmas) for key, lemmas in sums.items()}


def words_of(corpus: Corpus) -> list[Word]:
    return list(map(Word, *(column_or_nothing(corpus, name).values() for name in Word._fields)))


def most_frequent(lemmas: Counter[str]) -> str:
    return min(lemmas, key=lambda lemma: (-lemmas[lemma], lemma))


def known_lemmas(seen: Mapping[Word, Counter[str]]) -> dict[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for word, lemmas in seen.items():
        for lemma in lemmas:
            found[lemma].add(word.upos)
    return {lemma: frozenset(tags) for lemma, tags in found.items()}


def dev_score(
    structure: SequenceStructure,
    features: FeatureMap,
    lemmas: Mapping[str, frozenset[str]],
    dev: Corpus,
    n_jobs: int,
) -> Any:
    gold, _ = counted(dev)
    if not gold:
        raise ValueError("The dev set has no lemmas.")
    words = list(gold)

    def score(weights: Any) -> float:
        model = LemmaModel(SequenceModel(structure, features, weights), lemmas)
        right = [gold[word][found[0].lemma] for word, found in zip(words, model.rank(words, n_jobs))]
        return sum(right) / sum(count for counts in gold.values() for count in counts.values())

    return score


def with_lemmas(X: Sentences, y: Labels | None) -> Corpus:
    corpus = given_words(X, Word._fields)
    if y is None:
        if "lemma" not in corpus.names:
            raise ValueError("There are no lemmas: give y, or a corpus with a column lemma.")
        return corpus
    lemmas = flat_labels(y, corpus)
    if not all(isinstance(lemma, str) and lemma for lemma in lemmas):
        raise TypeError("Lemmas must be strings of at least one character.")
    return corpus.with_columns({"lemma": Column.of(map(str, lemmas))})


def gold_lemmas(corpus: Corpus) -> Gold:
    column, forms = corpus.column("lemma"), corpus.column("form").values()
    lemmas = column.values()
    without = [lemma == NOTHING != form for lemma, form in zip(lemmas, forms)]
    ids = np.where(np.array(without, dtype=bool), np.int32(-1), column.ids)
    return Gold(ids.astype(np.int32), column.strings, corpus.offsets)
