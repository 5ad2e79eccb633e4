"""`Thesaurus`: words that occur in the same contexts are similar.

    sim(v, w) = Σ over T(v) ∩ T(w) of I(v, c) + I(w, c)  /  (Σ over T(v) of I(v, c) + Σ over T(w) of I(w, c))

A context c is a relation and a word, I the positive information of a word and a context, T(w) the contexts with
information. Other measures: cosine, set cosine, Dice, Jaccard, and the cosine of dense vectors. CSC 448, §24.3;
Lin 1998.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from palmette.course import workers
from palmette.errors import UsageError
from palmette.formats.files import Source
from palmette.formats.given import listed
from palmette.formats.model import ModelFile
from palmette.messages import LOGGER
from palmette.parameters import require_int
from palmette.tools.explanation import Explanation
from palmette.tools.thesaurus.counting_tool import CountingTool, Followed
from palmette.tools.thesaurus.explanation import pair_decision
from palmette.tools.thesaurus.hierarchy import Hierarchy
from palmette.tools.thesaurus.model import WORDNET, Neighbour, ThesaurusModel
from palmette.tools.thesaurus.model_file import KIND, load_thesaurus, thesaurus_file
from palmette.tools.thesaurus.opposites import wordnet_antonyms
from palmette.tools.thesaurus.options import ThesaurusOptions
from palmette.tools.thesaurus.reading import corpora
from palmette.tools.thesaurus.scores import SimilarityScores
from palmette.tools.thesaurus.sharing import shards_of
from palmette.tools.thesaurus.training import count_contexts, count_shards
from palmette.tools.thesaurus.vectors import Vectors, dense_vectors, write_vectors

_MOST_DRAWN = 5_000  # words of a hierarchy: it needs a number for every pair


class Thesaurus(CountingTool):
    """Similar words, from the contexts they occur in.

    parser: a `DependencyParser` with taggers, or the name or path of one ("en"), for text without trees; None:
    words of text are compared by the words nearby. wordnet: a WordNet folder, whose antonyms are marked. options:
    see `ThesaurusOptions`.

    >>> text = ["the cat sat", "the dog sat", "a cat ran", "a dog ran", "the tree grew", "a tree grew"]
    >>> thesaurus = Thesaurus(options={"min_count": 1, "min_context": 1}).fit(text)
    >>> [one.word for one in thesaurus.neighbours("cat", k=1)]
    ['dog']
    """

    kind = KIND
    noun = "a thesaurus"
    model_: ThesaurusModel

    def fit(self, X: Any, y: object = None, *, progress: Callable[[int], object] | None = None) -> Self:
        """Count the contexts of sentences: paths of CoNLL-U or text files, a Corpus, texts, or lists of words.

        y: is not used. progress: gets the number of bytes of every piece of a file.
        """
        options = ThesaurusOptions.of(dict(self.options or {}), "Thesaurus")
        antonyms = [] if self.wordnet is None else list(wordnet_antonyms(self.wordnet))
        make = None if self.parser is None or options.contexts == "windows" else self._parser
        follow = Followed(progress)
        cluster = workers()
        if cluster is None:
            counted = count_contexts(corpora(X, options.language, make, follow), options)
        else:
            parser = self.parser if make is not None else None
            cut = shards_of(X, options.language, parser, follow, cluster.shards)
            counted = count_shards(cut, options, cluster)
        options, table = counted.options, counted.table
        vectors = (
            dense_vectors(table, options.dimensions, options.power, options.weight)
            if options.dimensions
            else None
        )
        opposites = dict(counted.opposites)
        model = ThesaurusModel(table, vectors, opposites, options)
        for one, two in antonyms:
            a, b = model.find(one), model.find(two)
            if a is not None and b is not None and a != b:
                opposites[min(a, b), max(a, b)] = (WORDNET, 1)
        model.measure()
        self.model_ = model
        self.fingerprint_ = follow.fingerprint
        self.training_ = {
            **counted.facts,
            "entries": table.n_rows,
            "contexts": len(table.context_words),
            "values": len(table.values),
            "opposites": len(opposites),
        }
        LOGGER.info("%s, %s entries", KIND, f"{table.n_rows:,}")
        return self

    # Questions

    def neighbours(self, word: str, k: int = 10, *, measure: str | None = None) -> list[Neighbour]:
        """Return the k words that are most similar, best first; ValueError for a word without entry."""
        require_int("k", k, 1)
        model = self._fitted
        return model.neighbours([model.row(word)], k, model.measure(measure), self._jobs)[0]

    def predict(self, X: Iterable[str], *, k: int = 10, measure: str | None = None) -> list[list[Neighbour]]:
        """Return the k most similar words of every word, best first; an empty list for a word without entry."""
        require_int("k", k, 1)
        model = self._fitted
        rows = [model.find(word) for word in _words(X)]
        known = [row for row in rows if row is not None]
        found = iter(model.neighbours(known, k, model.measure(measure), self._jobs))
        return [[] if row is None else next(found) for row in rows]

    def similarity(self, one: str, two: str, *, measure: str | None = None) -> float:
        """Return how similar two words are; ValueError for a word without entry."""
        model = self._fitted
        a, b = (np.array([model.row(word)], dtype=np.int32) for word in (one, two))
        return float(model.similarities(a, b, model.measure(measure))[0])

    def similarities(
        self, pairs: Iterable[tuple[str, str]], *, measure: str | None = None
    ) -> list[float | None]:
        """Return how similar the words of every pair are; None where one has no entry."""
        model = self._fitted
        rows = [tuple(map(model.find, _words(pair))) for pair in listed(pairs, "Pairs of words")]
        for pair in rows:
            if len(pair) != 2:
                raise ValueError(f"A pair must have two words. Got {len(pair)}.")
        known = np.array([pair for pair in rows if None not in pair], dtype=np.int32).reshape(-1, 2)
        a, b = np.ascontiguousarray(known[:, 0]), np.ascontiguousarray(known[:, 1])
        found = iter(model.similarities(a, b, model.measure(measure)).tolist())
        return [None if None in pair else next(found) for pair in rows]

    def evaluate(
        self, X: Iterable[tuple[str, str]], y: Iterable[float], *, measure: str | None = None
    ) -> SimilarityScores:
        """Compare similarities of pairs of words with those that people gave."""
        pairs, gold = listed(X, "Pairs of words"), [float(value) for value in listed(y, "Values")]
        if len(pairs) != len(gold):
            raise ValueError(f"There must be one value for every pair. Got {len(gold)} for {len(pairs)}.")
        return SimilarityScores.of(self.similarities(pairs, measure=measure), gold)

    def score(self, X: Iterable[tuple[str, str]], y: Iterable[float]) -> float:
        """The rank correlation with judgements of people over all pairs; 0 where it does not exist."""
        return self.evaluate(X, y).spearman_all or 0.0

    def explain(self, one: str, two: str, *, measure: str | None = None) -> Explanation:
        """Explain the similarity of two words: which contexts they share, and what each adds."""
        model = self._fitted
        a, b = model.row(one), model.row(two)
        return Explanation((pair_decision(model, a, b, model.measure(measure)),), "pairs")

    def hierarchy(self, words: Iterable[str] | int = 100, *, measure: str | None = None) -> Hierarchy:
        """Return the hierarchy of some words, or of the most frequent ones, by average link."""
        model = self._fitted
        if isinstance(words, int):
            require_int("words", words, 1)
            rows = list(range(min(words, model.table.n_rows)))
        else:
            rows = list(dict.fromkeys(model.row(word) for word in _words(words)))
        if len(rows) > _MOST_DRAWN:
            raise UsageError(f"A hierarchy has at most {_MOST_DRAWN:,} words. Got {len(rows):,}.")
        matrix = model.matrix(rows, model.measure(measure))
        return Hierarchy.average_link([model.table.words[row] for row in rows], matrix)

    def contexts(self, word: str, k: int = 10) -> list[tuple[str, float]]:
        """Return the k contexts that tell most about a word, with their information."""
        require_int("k", k, 1)
        table = self._fitted.table
        columns, values = table.row(self._fitted.row(word))
        order = np.lexsort((columns, -values))[:k]
        return [(table.context(int(columns[i])), float(values[i])) for i in order]

    # What is inside

    @property
    def words_(self) -> list[str]:
        """The words with entries, by falling frequency."""
        table = self._fitted.table
        return list(table.words[: table.n_rows])

    @property
    def vectors_(self) -> Vectors:
        """The dense vector of every word of `words_`; ValueError without any."""
        model = self._fitted
        model.measure("vectors")
        assert model.vectors is not None
        return model.vectors

    def save_vectors(self, path: Source) -> None:
        """Write the dense vectors: `.npz`, or `.txt` or `.vec` as word2vec has them."""
        write_vectors(self.words_, self.vectors_, path)

    # Files

    def to_model(self, *, about: Mapping[str, Any] | None = None) -> ModelFile:
        """Return what `save` writes. about: further facts for its users."""
        return thesaurus_file(self._fitted, {**self.training_, **(about or {})}, self.fingerprint_)

    @classmethod
    def _restored(cls, file: ModelFile) -> tuple[ThesaurusModel, dict[str, Any]]:
        return load_thesaurus(file)

    def _with(self, options: Any) -> ThesaurusModel:
        made = replace(self._fitted, options=options)
        made.measure()
        return made

    @property
    def _fitted(self) -> ThesaurusModel:
        found: ThesaurusModel = self._model
        return found


def _words(given: Any) -> Sequence[str]:
    words = listed(given, "Words")
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"Words must be strings. Got {type(word).__name__} {word!r:.60}.")
    return words
