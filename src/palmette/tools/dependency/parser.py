"""Dependency parsers: a head and a relation for every word.

    F(x) = argmax over trees y of  w · Φ(x, y)

The model of trees is of one of two kinds, by graphs or by transitions (`model.py`); everything around it is
here: treebanks in, trees out, tags for those that lack them, files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette.features.attributes import shared_attributes
from palmette.features.token_views import TokenViews
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile
from palmette.messages import logged, warn
from palmette.models import find_model
from palmette.parameters import require_int
from palmette.tools.answers import Answers
from palmette.tools.dependency.model import (
    METHODS,
    Int32,
    Parses,
    ProbabilitySource,
    ScoredTree,
    TreeModel,
)
from palmette.tools.dependency.parser_file import KIND, SavedParser, load_parser, parser_file
from palmette.tools.dependency.tags import (
    TAGGED,
    completed,
    is_empty,
    listed,
    views_of,
)
from palmette.tools.dependency.treebank import (
    Trees,
    as_sentences,
    gold_trees,
    placed,
)
from palmette.tools.estimator import Estimator
from palmette.trees.dependency_tree import DependencyTree

if TYPE_CHECKING:
    from palmette.evaluation.dependencies import TreeScores
    from palmette.features.network.options import Neural
    from palmette.formats.files import Source
    from palmette.formats.sentence import Sentence
    from palmette.learning.capabilities import Capabilities
    from palmette.learning.learner import Callback, Learner
    from palmette.tools.dependency.constraints import Forbidden, KnownHeads
    from palmette.tools.dependency.phrases import Phrases
    from palmette.tools.explanation import Explanation
    from palmette.tools.ranked import Ranked
    from palmette.tools.sequence.tagger import Tagger


class DependencyParser(Estimator):
    """A dependency parser with the interface of scikit-learn.

    method: "graph" searches all trees, "transition" builds one from left to right. learner: how it is trained;
    None is the method's own choice. options: of the method, by name. columns: what the parser looks at beside
    the words, of lemma, upos, xpos and feats; None takes those that are filled. taggers: train a
    tagger for each of these columns too, so that words are enough to be parsed (lemmas are then not looked at).
    jackknife: train on tags from this many taggers, each trained without the sentences it tags; None is 5 with
    taggers and 0, the tags as they are, without. tag_learner: of the taggers. n_jobs: threads, -1 for all
    processors; None leaves it to the learner. scorer: a `Neural`, such as `Neural.for_trees()`, for arcs and
    relations that a network scores; its loss is then in the place of a learner.

    >>> X = [[("Dogs", "NOUN"), ("bark", "VERB")], [("Cats", "NOUN"), ("sleep", "VERB")]]
    >>> parser = DependencyParser().fit(X, [[(2, "nsubj"), (0, "root")]] * 2)
    >>> parser.predict([[("Birds", "NOUN"), ("sing", "VERB")]])[0].heads
    (2, 0)
    """

    kind = KIND
    _file_method = "graph"  # the kind of model, by the name that a file has for it

    def __init__(
        self,
        method: str = "graph",
        learner: Learner | None = None,
        *,
        options: Mapping[str, Any] | None = None,
        columns: Sequence[str] | None = None,
        taggers: bool = False,
        jackknife: int | None = None,
        tag_learner: Learner | None = None,
        n_jobs: int | None = None,
        scorer: Neural | None = None,
    ) -> None:
        self.method = method
        self.scorer = scorer
        self.learner = learner
        self.options = options
        self.columns = columns
        self.taggers = taggers
        self.jackknife = jackknife
        self.tag_learner = tag_learner
        self.n_jobs = n_jobs

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        with_options = " and these options" if self.options else ""
        return f"a dependency parser with the method {self.method}{with_options}"

    @property
    def offers(self) -> Capabilities:
        """What the method offers with its options; see `Estimator.offers`."""
        return METHODS.named(self.method).offers_with({} if self.scorer else self.options or {})

    # Training

    def fit(
        self,
        X: Any,
        y: Trees | None = None,
        *,
        dev: Any = None,
        skip_bad: bool = False,
        callback: Callback | None = None,
        note: Callable[[str], None] = lambda text: None,
        warm_start: bool = False,
    ) -> Self:
        """Train on a treebank: a corpus, the path of a CoNLL-U file, or sentences with their trees y.

        dev: a treebank to choose the best pass by, its labelled attachment. skip_bad: leave out what is not a tree
        (with the number of them in `training_`) where otherwise the first one is an error. callback: gets a
        `Report` after every pass; note: a line about what else goes on. warm_start: go on from the
        weights of the last fit, with its columns and options; graph-based parsers and networks can.
        """
        from palmette.tools.dependency.training import train_parser

        self.check_learner()
        found = train_parser(
            self,
            X,
            y,
            dev=dev,
            skip_bad=skip_bad,
            callback=logged(callback, self.kind),
            note=note,
            n_jobs=self._jobs,
            warm_start=warm_start,
        )
        self._set_model(found.trained.model, found.columns, found.taggers)
        self._file_method = self.method if self.scorer is None else "neural"
        self.history_, self.interrupted_ = found.trained.history, found.trained.interrupted
        self.training_ = found.record
        if found.record["skipped"]:
            warn(f"{found.record['skipped']:,} sentences with something wrong are left out")
        if found.notes:
            warn(*found.notes)
            self.training_["notes"] = found.notes
        return self

    # Prediction

    def predict(
        self,
        X: Any,
        *,
        known: KnownHeads | None = None,
        forbidden: Forbidden | None = None,
        phrases: Phrases | None = None,
        unique: Sequence[str] = (),
        minimum_risk: bool = False,
    ) -> list[DependencyTree]:
        """The tree of every sentence; X as in `fit`, with or without trees, which are not looked at.

        known: for every word its head if that is known, else None; forbidden: for every sentence pairs (word,
        head) that must not be arcs; phrases: for every sentence spans (first word, last word), each of them all
        that one of its words dominates; unique: relations that no word has twice among its dependents, subtypes
        counted with them. The best of the trees that agree is found; ValueError if there is none.
        minimum_risk: of all trees that with the most arcs expected to be right.
        """
        corpus = self.parse(
            X,
            known=known,
            forbidden=forbidden,
            phrases=phrases,
            unique=unique,
            minimum_risk=minimum_risk,
        )
        return Answers(DependencyTree.of(sentence) for sentence in corpus)

    def parse(
        self,
        X: Any,
        *,
        known: KnownHeads | Int32 | None = None,
        forbidden: Forbidden | None = None,
        phrases: Phrases | None = None,
        unique: Sequence[str] = (),
        minimum_risk: bool = False,
        retag: bool = False,
        note: Callable[[str], None] = lambda text: None,
    ) -> Corpus:
        """The same as a corpus, with heads, relations and tags: no Python object is made for a word.

        retag: predict tags again, also where there are some. note: gets a sentence about everything that was done
        differently from what was asked.
        """
        corpus, views = self._given(X, retag)
        heads, arcs = self._constraints(views, known, forbidden)
        model, jobs = self._fitted, self._jobs
        if phrases is None:
            parses = model.parse(views, heads=heads, forbidden=arcs, minimum_risk=minimum_risk, n_jobs=jobs)
        elif minimum_risk:
            raise ValueError("Phrases are for the best tree, and not for that of minimum risk.")
        else:
            from palmette.tools.dependency.phrases import checked_phrases, parse_with_phrases

            spans = checked_phrases(phrases, views.offsets)
            parses = parse_with_phrases(model, views, spans, heads=heads, forbidden=arcs, n_jobs=jobs)
        if unique:
            from palmette.tools.dependency.unique import kinds_of, with_unique_relations

            kinds = kinds_of(unique, model.labels)
            fixed = minimum_risk or phrases is not None
            parses = with_unique_relations(
                model, views, parses, kinds, heads=heads, forbidden=arcs, fixed=fixed
            )
        warn(*parses.notes)
        for text in parses.notes:
            note(text)
        return placed(corpus, parses, self._fitted.labels)

    def tag(self, X: Any, *, retag: bool = False) -> Corpus:
        """The sentences with all columns that the parser looks at; its taggers fill those that are missing."""
        return self._given(X, retag)[0]

    def kbest(
        self, X: Any, k: int, *, known: KnownHeads | None = None, forbidden: Forbidden | None = None
    ) -> list[list[Ranked[DependencyTree]]]:
        """The k best trees of every sentence, best first, with their scores; constraints as in `predict`."""
        require_int("k", k, 1)
        corpus, views = self._given(X, False)
        heads, arcs = self._constraints(views, known, forbidden)
        ranked = self._fitted.kbest(views, k, heads=heads, forbidden=arcs, n_jobs=self._jobs)
        return [[self._ranked(corpus[i], tree) for tree in trees] for i, trees in enumerate(ranked)]

    def arc_probabilities(self, X: Any, y: Any = None) -> list[NDArray[np.float32]]:
        """For every sentence the probability of each word's head: of the predicted one, or of that in y.

        y: a corpus that `parse` gave, or trees. `probabilities_from` says what the numbers are: "trees", sums over
        trees, of log-linear models; "head filter", an estimate in which every word chooses by itself, of other
        graph-based ones; "steps", of greedy transition-based ones. ValueError if the model has none.
        """
        corpus, views = self._given(X, False)
        if y is None:
            parses = self._fitted.parse(views, n_jobs=self._jobs)
        else:
            given = y if isinstance(y, Corpus) else as_sentences(corpus, y)
            if given.heads is None or not np.array_equal(given.offsets, corpus.offsets):
                raise ValueError(
                    "The trees y are not those of the sentences X: there must be a head for every word."
                )
            parses = Parses(given.heads, np.zeros(corpus.n_words, np.int32), np.zeros(len(corpus)))
        found = self._fitted.arc_probabilities(views, parses, n_jobs=self._jobs)
        return np.split(found, views.offsets[1:-1])[: len(corpus)]

    def marginals(self, X: Any) -> list[dict[tuple[int, int], float]]:
        """Return for every sentence the probabilities of arcs, (word, head), that are not close to impossible.

        Words are counted from 1, and 0 is the root. `probabilities_from` says what they are: sums over trees, or
        the estimate of the head filter. ValueError for transition-based parsers, which have no such sums.
        """
        _, views = self._given(X, False)
        found = self._fitted.arc_marginals(views, n_jobs=self._jobs)
        bounds = views.offsets.tolist()
        tables: list[dict[tuple[int, int], float]] = Answers({} for _ in range(len(bounds) - 1))
        for i, (begin, end) in enumerate(pairwise(bounds)):
            for token in range(begin, end):
                tables[i] |= {(token - begin + 1, head): p for head, p in found[token]}
        return tables

    def explain(self, sentence: Any, *, against: tuple[int, int] | None = None) -> Explanation:
        """Why the words of one sentence have their heads: the features that decided, with their contributions.

        against: (word, head): why this word does not have that head.
        """
        from palmette.tools.dependency.explanation import explain_heads

        corpus, views = self._given(sentence if isinstance(sentence, Corpus) else [sentence], False)
        return explain_heads(self._fitted, views, corpus, against)

    def score(self, X: Any, y: Trees | None = None) -> float:
        """The labelled attachment score: the fraction of words with the right head and relation."""
        return float(self.evaluate(X, y).las)

    def evaluate(
        self, X: Any, y: Trees | None = None, *, retag: bool | None = None, parsed: Corpus | None = None
    ) -> TreeScores:
        """Attachment, labelled and not, of content words, of whole trees, by relation and by distance.

        A parser with taggers is measured on words alone; retag=False gives it the tags that are there. parsed:
        what `parse` gave for X with this `retag`, if it is there already. Columns that the parser does not predict
        are not scored: `mlas` is None unless it predicts tags and features, and `blex` is None always, because no
        parser predicts lemmas.
        """
        from palmette.evaluation.dependencies import evaluate_dependencies

        gold = gold_trees(X, y)
        retag = bool(self.taggers_) if retag is None else retag
        if parsed is None:
            parsed = self.parse(gold, retag=retag)
        return evaluate_dependencies(gold, parsed, predicted=self._predicted(gold, retag))

    # Files

    def save(self, path: Source, *, compact: bool = True) -> None:
        """Write a model file: with taggers a pipeline, in one file.

        compact=False keeps more of the small weights, and the names of all features of the taggers.
        """
        self.to_model(compact=compact).save(path)

    def to_model(
        self,
        *,
        compact: bool = False,
        names: bool | None = None,
        fingerprint: str = "",
        about: Mapping[str, Any] | None = None,
    ) -> ModelFile:
        """What `save` writes. names: of the taggers' features; None: unless compact. fingerprint: of the training
        data; about: further facts for its users.
        """
        saved = SavedParser(
            self._fitted,
            self._file_method,
            self.columns_,
            self.taggers_,
            self.options or {},
            {**getattr(self, "training_", {}), **(about or {})},
        )
        return parser_file(saved, compact=compact, names=names, fingerprint=fingerprint)

    @classmethod
    def load(cls, path: Source) -> Self:
        """The parser of a model file or pipeline, or of a model that comes with Palmette, by its name ("en")."""
        return cls.from_model(ModelFile.load(find_model(path)))

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The parser of a model file that is open already."""
        saved = load_parser(file)
        known = saved.method in METHODS
        parser = cls(saved.method if known else "graph", options=saved.options or None, columns=saved.columns)
        parser._file_method = saved.method
        parser.taggers = bool(saved.taggers)
        parser._set_model(saved.model, saved.columns, dict(saved.taggers))
        parser.history_, parser.interrupted_ = (), False
        parser.training_ = dict(saved.training)
        return parser

    def with_taggers(self, taggers: Mapping[str, Tagger]) -> Self:
        """The same parser with taggers for columns that it looks at, as a pipeline."""
        for name in taggers:
            if name not in self.columns_:
                raise ValueError(f"This parser looks at {listed(self.columns_)}, not at {name}.")
        other = type(self)(**self.get_params(deep=False))
        other.taggers = True
        other._file_method = self._file_method
        other._set_model(self._fitted, self.columns_, {**self.taggers_, **taggers})
        other.history_, other.interrupted_, other.training_ = self.history_, self.interrupted_, self.training_
        return other

    def with_options(self, **options: Any) -> Self:
        """The same parser with other options of search, such as the width of a beam."""
        other = type(self)(**self.get_params(deep=False))
        other.options = {**(self.options or {}), **options}
        other._file_method = self._file_method
        other._set_model(self._fitted.with_options(options), self.columns_, self.taggers_)
        other.history_, other.interrupted_, other.training_ = self.history_, self.interrupted_, self.training_
        return other

    @property
    def probabilities_from(self) -> ProbabilitySource | None:
        """Where the probabilities of arcs come from, see `arc_probabilities`; None if there are none."""
        return self._fitted.probabilities_from

    @property
    def relations_(self) -> list[str]:
        """The relations that it knows."""
        return list(self._fitted.labels)

    # Inside

    def default_learner(self) -> Learner:
        usual, offered = METHODS.named(self.method).usual_learners, self.offers
        found: Learner = next((learner for learner in usual if learner.needs <= offered), usual[0])
        return found

    def _has_parameters(self, name: str) -> bool:
        return name in ("learner", "tag_learner", "scorer")

    @property
    def _fitted(self) -> TreeModel:
        try:
            return self.model_
        except AttributeError:
            raise ValueError("This DependencyParser is not trained yet: call fit first.") from None

    def _set_model(self, model: TreeModel, columns: Sequence[str], taggers: dict[str, Tagger]) -> None:
        self.model_ = model
        self.columns_ = tuple(columns)
        self.taggers_ = taggers

    def _given(self, X: Any, retag: bool) -> tuple[Corpus, TokenViews]:
        """Sentences with all columns that the model looks at, and what it sees of them."""
        assert self._fitted is not None  # or it says that it is not trained
        with shared_attributes():
            corpus = completed(as_sentences(X), self.columns_, self.taggers_, retag=retag)
            return corpus, views_of(corpus, self.columns_)

    def _predicted(self, gold: Corpus, retag: bool) -> list[str]:
        """The columns that may be scored: those of the taggers, and those in which gold has nothing to predict."""
        found = [name for name in TAGGED if retag and name in self.taggers_]
        return [*found, *(name for name in TAGGED if name not in found and found and is_empty(gold, name))]

    def _constraints(
        self, views: TokenViews, known: KnownHeads | Int32 | None, forbidden: Forbidden | None
    ) -> tuple[Int32 | None, Int32 | None]:
        if known is None and forbidden is None:
            return None, None
        from palmette.tools.dependency.constraints import forbidden_arcs, known_heads

        single = dict(self.options or {}).get("single_root") is not False
        heads = None if known is None else known_heads(known, views.offsets, single_root=single)
        return heads, None if forbidden is None else forbidden_arcs(forbidden, views.offsets)

    def _ranked(self, sentence: Sentence, found: ScoredTree) -> Ranked[DependencyTree]:
        from palmette.tools.ranked import Ranked

        labels = [self._fitted.labels[label] for label in found.labels.tolist()]
        tree = DependencyTree(found.heads.tolist(), labels, sentence["form"])
        return Ranked(tree, found.score, found.log_probability)
