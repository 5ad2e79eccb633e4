"""`InferenceRules`: paths between nouns that mean the same, such as "X solves Y" and "X finds a solution to Y".

    S(p, q) = √ sim(X of p, X of q) · sim(Y of p, Y of q)

where sim is Lin's similarity of the words in a slot. `measure="sum"` is the sum over instances of both paths
with the same word in one slot, of the similarity of the words in the other (eq. 139). CSC 448, §24.4; Lin and
Pantel 2001.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from palmette.formats.given import listed
from palmette.formats.model import ModelFile
from palmette.messages import LOGGER
from palmette.parameters import require_int
from palmette.tools.explanation import Explanation
from palmette.tools.inference_rules.explanation import path_decision
from palmette.tools.inference_rules.model import RuleModel, SimilarPath
from palmette.tools.inference_rules.model_file import KIND, load_rules, rules_file
from palmette.tools.inference_rules.options import RuleOptions
from palmette.tools.inference_rules.page import html_page, text_page
from palmette.tools.inference_rules.training import count_paths
from palmette.tools.thesaurus.counting_tool import CountingTool, Followed
from palmette.tools.thesaurus.opposites import wordnet_antonyms
from palmette.tools.thesaurus.reading import corpora
from palmette.tools.thesaurus.scores import SimilarityScores


class InferenceRules(CountingTool):
    """Similar paths between nouns, from the words in their slots.

    parser: a `DependencyParser` with taggers, or the name or path of one ("en"), for text without trees. wordnet:
    a WordNet folder, whose antonyms are marked. options: see `RuleOptions`.
    """

    kind = KIND
    noun = "inference rules"
    model_: RuleModel

    def fit(self, X: Any, y: object = None, *, progress: Callable[[int], object] | None = None) -> Self:
        """Count the paths of sentences: paths of CoNLL-U or text files, a Corpus, texts, or lists of words.

        y: is not used. progress: gets the number of bytes of every piece of a file.
        """
        options = RuleOptions.of(dict(self.options or {}), "InferenceRules")
        antonyms = [] if self.wordnet is None else list(wordnet_antonyms(self.wordnet))
        follow = Followed(progress)
        make = None if self.parser is None else self._parser
        counted = count_paths(corpora(X, options.language, make, follow), options)
        opposites = {frozenset(pair): teller for pair, teller in counted.opposites.items()}
        opposites |= {frozenset(pair): "WordNet" for pair in antonyms if pair[0] != pair[1]}
        self.model_ = RuleModel(
            counted.paths,
            counted.wordings,
            counted.readings,
            counted.words,
            counted.instances,
            counted.starts,
            counted.columns,
            counted.values,
            opposites,
            counted.options,
        )
        self.fingerprint_ = follow.fingerprint
        self.training_ = {
            **counted.facts,
            "paths": len(counted.paths),
            "words": len(counted.words),
        }
        LOGGER.info("%s, %s paths", KIND, f"{len(counted.paths):,}")
        return self

    # Questions

    def similar(self, path: str, k: int = 10, *, measure: str | None = None) -> list[SimilarPath]:
        """Return the k paths that are most similar to one, given as it reads: "X solves Y". Best first.

        ValueError for a path that is not there.
        """
        require_int("k", k, 1)
        model = self._fitted
        place = model.place(path)
        near = model.nearest(place, k, self._measure(measure), self._jobs)
        return [model.similar(place, other, score) for other, score in near]

    def predict(
        self, X: Iterable[str], *, k: int = 10, measure: str | None = None
    ) -> list[list[SimilarPath]]:
        """Return the k most similar paths of every path, best first; none for a path that is not there."""
        require_int("k", k, 1)
        model = self._fitted
        return [
            [] if model.find(path) is None else self.similar(path, k, measure=measure) for path in _texts(X)
        ]

    def similarity(self, one: str, two: str, *, measure: str | None = None) -> float:
        """Return how similar two paths are; ValueError for a path that is not there."""
        model = self._fitted
        return model.similarity(model.place(one), model.place(two), self._measure(measure))

    def evaluate(
        self, X: Iterable[tuple[str, str]], y: Iterable[float], *, measure: str | None = None
    ) -> SimilarityScores:
        """Compare similarities of pairs of paths with values that people gave."""
        pairs, gold = listed(X, "Pairs of paths"), [float(value) for value in listed(y, "Values")]
        if len(pairs) != len(gold):
            raise ValueError(f"There must be one value for every pair. Got {len(gold)} for {len(pairs)}.")
        model, chosen = self._fitted, self._measure(measure)
        found: list[float | None] = []
        for pair in pairs:
            one, two = (model.find(path) for path in _texts(pair))
            known = one is not None and two is not None
            found.append(model.similarity(one or 0, two or 0, chosen) if known else None)
        return SimilarityScores.of(found, gold)

    def score(self, X: Iterable[tuple[str, str]], y: Iterable[float]) -> float:
        """The rank correlation with values of people over all pairs; 0 where it does not exist."""
        return self.evaluate(X, y).spearman_all or 0.0

    def explain(self, one: str, two: str, *, measure: str | None = None) -> Explanation:
        """Explain the similarity of two paths: which words their slots share, and what each adds."""
        model = self._fitted
        decision = path_decision(model, model.place(one), model.place(two), self._measure(measure))
        return Explanation((decision,), "pairs")

    def page(self, path: str, k: int = 20, *, html: bool = False, measure: str | None = None) -> str:
        """Return a page about a path, as text or HTML: its words, its neighbours, and what made them alike."""
        model = self._fitted
        found = self.similar(path, k, measure=measure)
        return (html_page if html else text_page)(model, model.place(path), found)

    @property
    def paths_(self) -> list[str]:
        """All paths as they read, by falling frequency."""
        return list(self._fitted.wordings)

    def _measure(self, named: str | None) -> str:
        model = self._fitted
        return model.options.measure if named is None else RuleOptions(measure=named).measure

    # Files

    def to_model(self, *, about: Mapping[str, Any] | None = None) -> ModelFile:
        """Return what `save` writes. about: further facts for its users."""
        return rules_file(self._fitted, {**self.training_, **(about or {})}, self.fingerprint_)

    @classmethod
    def _restored(cls, file: ModelFile) -> tuple[RuleModel, dict[str, Any]]:
        return load_rules(file)

    def _with(self, options: Any) -> RuleModel:
        return replace(self._fitted, options=options)

    @property
    def _fitted(self) -> RuleModel:
        found: RuleModel = self._model
        return found


def _texts(given: Any) -> Sequence[str]:
    texts = listed(given, "Paths")
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"Paths must be strings. Got {type(text).__name__} {text!r:.60}.")
    return texts
