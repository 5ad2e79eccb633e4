"""Scores of dependency trees: those of the CoNLL 2018 shared task on given words, and where the mistakes are.

| score | a word is right if |
| --- | --- |
| `uas` | its head is |
| `las` | its head is, and its relation up to the colon (`nsubj:pass` counts as `nsubj`) |
| `las_full` | its head is, and its whole relation |
| `clas` | as `las`, F1 over the words whose relation is one of content words |
| `mlas` | as `clas`, and its tag, its universal features, and all function words that hang from it |
| `blex` | as `clas`, and its lemma, where gold has one |

A head that is missing in the guess is wrong; gold must have all. O(words).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from palmette.drawing.tables import ReportPicture
from palmette.evaluation.bootstrap import Interval, interval
from palmette.evaluation.counts import Counts, ratio
from palmette.evaluation.tree_pairs import LENGTHS, TreePairs
from palmette.formats.corpus import Corpus
from palmette.formats.listed_corpus import as_corpus, conllu_names

# Relations that say nothing: none, and that of words in treebanks without relations.
_UNLABELLED = frozenset({"_", "dep", "root"})

Measure = Literal["uas", "las", "las_full"]
_MEASURES = ("uas", "las", "las_full")


@dataclass(frozen=True)
class TreeScores(ReportPicture):
    """Scores of heads and relations.

    `heads`, `labelled` and `labelled_full` count the words that are right as for `uas`, `las` and `las_full`.
    `exact` and `exact_labelled` count the sentences without a mistake among those that have words to score.
    `relations` (up to the colon, with their heads), `lengths` and `head_tags` (heads alone) split the arcs by what
    they are in gold and in the guess. `per_sentence[i]` has the words of sentence i and how many are right by
    each of the three measures.
    """

    tokens: int
    sentences: int
    heads: int
    labelled: int
    labelled_full: int
    exact: int
    exact_labelled: int
    content: Counts
    morphology: Counts | None
    lexemes: Counts | None
    roots: Counts
    relations: dict[str, Counts]
    lengths: dict[str, Counts]
    head_tags: dict[str, Counts]
    per_sentence: NDArray[np.int64] = field(
        repr=False, compare=False, default_factory=lambda: np.zeros((0, 4), int)
    )

    @property
    def is_labelled(self) -> bool:
        """Whether gold has relations other than `dep` and that of the root; without them only heads are scored."""
        return any(one.gold and name.lower() not in _UNLABELLED for name, one in self.relations.items())

    @property
    def uas(self) -> float:
        """The part of the words whose head is right."""
        return ratio(self.heads, self.tokens)

    @property
    def las(self) -> float:
        """The part of the words whose head and relation up to the colon are right."""
        return ratio(self.labelled, self.tokens)

    @property
    def las_full(self) -> float:
        """The part of the words whose head and whole relation are right."""
        return ratio(self.labelled_full, self.tokens)

    @property
    def clas(self) -> float:
        """F1 of the content words."""
        return self.content.f1

    @property
    def mlas(self) -> float | None:
        """F1 of the content words with their morphology and function words; None without tags and features."""
        return None if self.morphology is None else self.morphology.f1

    @property
    def blex(self) -> float | None:
        """F1 of the content words with their lemmas; None without lemmas."""
        return None if self.lexemes is None else self.lexemes.f1

    @property
    def exact_match(self) -> float:
        """The part of the sentences in which every head is right."""
        return ratio(self.exact, self.sentences)

    @property
    def exact_match_labelled(self) -> float:
        """The part of the sentences in which every head and relation is right, as for `las`."""
        return ratio(self.exact_labelled, self.sentences)

    @property
    def root_accuracy(self) -> float:
        """The part of the words at the root that were found there."""
        return self.roots.recall

    def ratios(self, measure: Measure = "las") -> NDArray[np.int64]:
        """Per sentence two numbers, so that the measure is the ratio of their sums: for the bootstrap."""
        if measure not in _MEASURES:
            raise ValueError(f"The 'measure' must be one of {', '.join(_MEASURES)}. Got {measure!r} instead.")
        return self.per_sentence[:, [1 + _MEASURES.index(measure), 0]]

    def interval(
        self,
        measure: Measure = "las",
        level: float = 0.95,
        n_resamples: int = 1000,
        random_state: int = 0,
    ) -> Interval:
        """A confidence interval of a measure, over sentences."""
        return interval(self.ratios(measure), level, n_resamples, random_state)

    def to_dict(self) -> dict[str, Any]:
        """Rates as fractions of one, and the counts. Where gold has no relations, rates with them are None."""

        def rows(counts: Mapping[str, Counts]) -> dict[str, Any]:
            return {name: one.to_dict() for name, one in counts.items()}

        def labelled(rate: float | None) -> float | None:
            return rate if self.is_labelled else None

        return {
            "uas": self.uas,
            "las": labelled(self.las),
            "las_full": labelled(self.las_full),
            "clas": labelled(self.clas),
            "mlas": labelled(self.mlas),
            "blex": labelled(self.blex),
            "exact_match": self.exact_match,
            "exact_match_labelled": labelled(self.exact_match_labelled),
            "root_accuracy": self.root_accuracy,
            "tokens": self.tokens,
            "sentences": self.sentences,
            "relations": rows(self.relations),
            "lengths": rows(self.lengths),
            "head_tags": rows(self.head_tags),
        }

    def __str__(self) -> str:
        if not self.is_labelled:
            return (
                f"UAS {100 * self.uas:.2f} of {self.tokens} words; whole trees {100 * self.exact_match:.2f} % of "
                f"{self.sentences}; no LAS, since the trees have no relations"
            )
        return (
            f"UAS {100 * self.uas:.2f}, LAS {100 * self.las:.2f} (with subtypes {100 * self.las_full:.2f}), "
            f"CLAS {100 * self.clas:.2f} of {self.tokens} words; whole trees {100 * self.exact_match:.2f} %, "
            f"with relations {100 * self.exact_match_labelled:.2f} % of {self.sentences}"
        )


def evaluate_dependencies(
    gold: Corpus | Iterable[Any],
    guess: Corpus | Iterable[Any],
    *,
    punctuation: bool = True,
    predicted: Collection[str] | None = None,
) -> TreeScores:
    """Compare the trees of two corpora with the same sentences, or of two lists of `DependencyTree`s.

    Without `punctuation`, words whose form is nothing but punctuation are not scored, as was the custom before
    Universal Dependencies. predicted: the columns of the guess that are predictions, where others were copied from
    gold; `mlas` is None unless "upos" and "feats" are among them, and `blex` unless "lemma" is. None: all columns.

    >>> words = {"form": [["Birds", "fly"]]}
    >>> gold = Corpus.from_columns({**words, "deprel": [["nsubj", "root"]]}, heads=[[2, 0]])
    >>> guess = Corpus.from_columns({**words, "deprel": [["obj", "root"]]}, heads=[[2, 0]])
    >>> scores = evaluate_dependencies(gold, guess)
    >>> scores.uas, scores.las
    (1.0, 0.5)
    """

    def counts(*columns: str) -> bool:
        return predicted is None or set(columns) <= set(predicted)

    pairs = TreePairs.of(as_corpus(gold, conllu_names), as_corpus(guess, conllu_names))
    scored = pairs.scored(punctuation)
    right = pairs.right_heads & scored
    labelled = right & pairs.right_relations
    full = right & pairs.right_labels
    words, heads, with_label, with_full = map(pairs.per_sentence, (scored, right, labelled, full))
    some = words > 0
    at_root = (pairs.gold_heads == 0) & scored, (pairs.guess_heads == 0) & scored
    return TreeScores(
        tokens=int(scored.sum()),
        sentences=int(some.sum()),
        heads=int(right.sum()),
        labelled=int(labelled.sum()),
        labelled_full=int(full.sum()),
        exact=int((some & (heads == words)).sum()),
        exact_labelled=int((some & (with_label == words)).sum()),
        content=pairs.content_counts(labelled, scored),
        morphology=pairs.morphology_counts(labelled, scored) if counts("upos", "feats") else None,
        lexemes=pairs.lexeme_counts(labelled, scored) if counts("lemma") else None,
        roots=Counts(int(at_root[0].sum()), int(at_root[1].sum()), int((at_root[0] & at_root[1]).sum())),
        relations=pairs.by(pairs.gold_relations, pairs.guess_relations, pairs.relations, scored, labelled),
        lengths=pairs.by(*pairs.lengths(), LENGTHS, scored, right, in_order=True),
        head_tags=pairs.by(*pairs.head_tags(), scored, right),
        per_sentence=np.stack([words, heads, with_label, with_full], axis=1),
    )
