"""Constituency parsers: the tree of phrases of a sentence.

    F(x) = argmax over trees y of  w · Φ(x, y)

The model of trees is of one of several methods (`model.py`); everything around it is here: treebanks in, trees
out, scores, files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from palmette.course import workers
from palmette.errors import FormatError, UsageError
from palmette.evaluation.bracket_rules import COLLINS, BracketRules
from palmette.evaluation.bracket_scores import BracketScores
from palmette.evaluation.brackets import evaluate_brackets
from palmette.formats.files import Source
from palmette.formats.functions import Functions
from palmette.formats.given import listed
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import SUMS, Capabilities
from palmette.learning.learner import Callback, Learner
from palmette.messages import counted, logged, warn, warn_counted
from palmette.models import find_model
from palmette.parameters import require_int
from palmette.tools.answers import Answers
from palmette.tools.constituency.explanation import explain_brackets
from palmette.tools.constituency.given_words import GivenWords
from palmette.tools.constituency.input import GoldTrees, gold_trees, words_of
from palmette.tools.constituency.known_brackets import checked_constraints
from palmette.tools.constituency.long_sentences import (
    kbest_sentences,
    marginals_of_sentences,
    parse_sentences,
)
from palmette.tools.constituency.model import (
    METHODS,
    Bracket,
    ConstituencyModel,
    Constraints,
    Marginals,
    Parse,
    Trained,
    default_learner,
)
from palmette.tools.constituency.parser_file import KIND, SavedParser, load_parser, parser_file
from palmette.tools.constituency.pieces import in_pieces
from palmette.tools.constituency.spelling import Spelling
from palmette.tools.constituency.treebank import TAG, sentences_of, with_tags
from palmette.tools.estimator import Estimator
from palmette.tools.explanation import Explanation
from palmette.tools.training_record import training_record
from palmette.trees.tree import Tree


class ConstituencyParser(Estimator):
    """A constituency parser with the interface of scikit-learn.

    method: "pcfg", "markov" and others count rules of a grammar, "crf" and "perceptron" learn weights of features;
    `palmette train parse --help` lists them all. learner: of methods that learn; None is the method's own.
    options: of the method, by name. functions: how labels of the treebank hold functions, a pattern such as
    "label-function" or "function+label", or "none"; None detects it. keep_functions: learn labels with functions
    (`NP-SBJ`). random_state: for everything random. n_jobs: threads, -1 for all processors.

    >>> texts = "(S (NP (NNS dogs)) (VP (VBP bark)))", "(S (NP (NNS cats)) (VP (VBP sleep)))"
    >>> trees = [Tree.parse(text) for text in texts]
    >>> print(ConstituencyParser("pcfg").fit(trees).predict([["cats", "bark"]])[0])
    (TOP (S (NP (NNS cats)) (VP (VBP bark))))
    """

    kind = KIND

    def __init__(
        self,
        method: str = "lexicalized",
        learner: Learner | None = None,
        *,
        options: Mapping[str, Any] | None = None,
        functions: str | None = None,
        keep_functions: bool = False,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.learner = learner
        self.options = options
        self.functions = functions
        self.keep_functions = keep_functions
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return "a constituency parser"

    @property
    def offers(self) -> Capabilities:
        """All that trees of anchored rules have; see `Estimator.offers`."""
        return SUMS

    # Training

    def fit(
        self,
        X: Any,
        y: Sequence[Tree] | None = None,
        *,
        dev: Any = None,
        skip_bad: bool = False,
        callback: Callback | None = None,
    ) -> Self:
        """Train on a treebank: trees, the path of a file of trees, or sentences with their trees y.

        Empty elements, functions in labels and unary cycles are taken out first. dev: a treebank to choose
        by F1 what `Method.dev` says, such as the best pass.
        skip_bad: leave out what is damaged, or discontinuous where the method cannot be, in place of an error.
        callback: gets a `Report` after every pass of a learner.
        """
        method, learner = METHODS.named(self.method), self._learner()
        if workers() is not None and not (method.shared or method.learners):
            raise UsageError(
                f"the method {self.method!r} trains on one machine: a cluster is for latent, and for methods with "
                "a learner"
            )
        given = gold_trees(
            X, y, functions=self.functions, keep_functions=self.keep_functions, lenient=skip_bad
        )
        gold = self._learnable(given, method.gaps, skip_bad, _path(X))
        trees, bare = with_tags(gold.trees)
        gold = gold._replace(trees=trees)
        held_out = None
        if dev is not None:
            held_out = gold_trees(*(dev if isinstance(dev, tuple) else (dev, None)), scoring=True)
        trained: Trained = method.train_function(
            gold.trees,
            options={**method.preset, **(self.options or {})},
            learner=learner,
            dev=None if held_out is None else self._dev_score(held_out.trees, given.functions),
            callback=logged(callback, self.kind),
            n_jobs=self._jobs,
            seed=self.random_state,
        )
        self.model_: ConstituencyModel = trained.model
        self.functions_ = given.functions
        self.spelling_ = Spelling.of(gold.trees)
        self.history_, self.interrupted_ = trained.history, trained.interrupted
        self.training_ = training_record(trained.learner, trained, _Examples(gold.trees))
        self.training_ |= {"skipped": gold.skipped}
        if gold.skipped:
            warn(f"{gold.skipped:,} trees are left out")
        notes = trained.notes
        if bare:
            words = counted(bare, "word")
            notes += (f"{words} beside other words or phrases had no tag: the parser learns the tag {TAG}.",)
        if dev is not None and not method.dev:
            notes += (f"The method {self.method!r} counts: the dev set has no effect on the model.",)
        if notes:
            warn(*notes)
            self.training_["notes"] = list(notes)
        return self

    # Prediction

    def predict(
        self,
        X: Any,
        *,
        tags: Any = None,
        known: Sequence[Constraints | Tree | None] | None = None,
        minimum_risk: bool | None = None,
    ) -> list[Tree | None]:
        """The tree of every sentence, None for one without words.

        X: lists of words or of pairs (word, tag), trees (whose words are parsed), a corpus, or the path of a
        file. tags: the name of a corpus' column, or lists of tags, "" where any will do. known: for every
        sentence the brackets that its tree must or must not have, as `Constraints`; or a tree whose brackets it
        must have, X for any label; or None. minimum_risk: the tree with the most expected right brackets in
        place of the most probable; None is what suits the model.
        """
        parses = self.parse(X, tags=tags, known=known, minimum_risk=minimum_risk)
        return Answers(None if parse is None else parse.tree for parse in parses)

    def parse(
        self,
        X: Any,
        *,
        tags: Any = None,
        known: Sequence[Constraints | Tree | None] | None = None,
        minimum_risk: bool | None = None,
    ) -> list[Parse | None]:
        """The same with scores, probabilities and notes, such as that no tree of the grammar covers the words."""
        given = self._given(X, tags)
        wanted = None
        if known is not None:
            wanted = checked_constraints(listed(known, "What is known"), given.sentences)
        model = self._fitted
        if given.tags is None and wanted is None:
            found = in_pieces(
                lambda part, n_jobs: parse_sentences(model, part, minimum_risk=minimum_risk, n_jobs=n_jobs),
                given.spelt,
                self._jobs,
            )
        else:  # in one piece: what is wrong with a sentence is said with its number
            found = parse_sentences(
                model,
                given.spelt,
                tags=None if given.tags is None else given.at_places(given.tags),
                constraints=None if wanted is None else given.at_places(wanted),
                minimum_risk=minimum_risk,
                n_jobs=self._jobs,
            )
        warn_counted((parse.note for parse in found), len(found), "sentences")
        return given.placed([parse for (parse,) in given.respelt([[parse] for parse in found])])

    def kbest(self, X: Any, k: int) -> list[list[Parse]]:
        """Return the k best different trees of every sentence, best first; none for one without words.

        A `Parse` is a `Ranked` with a note.
        """
        require_int("k", k, 1)
        given = self._given(X)
        model = self._fitted
        found = in_pieces(
            lambda part, n_jobs: kbest_sentences(model, part, k, n_jobs=n_jobs), given.spelt, self._jobs
        )
        return [list(parses or []) for parses in given.placed(given.respelt(found))]

    def marginals(self, X: Any) -> list[Marginals]:
        """The probabilities of brackets in every sentence; ValueError if the model has none."""
        given = self._given(X)
        model = self._fitted
        found = in_pieces(
            lambda part, n_jobs: marginals_of_sentences(model, part, n_jobs=n_jobs), given.spelt, self._jobs
        )
        return [table or {} for table in given.placed(found)]

    @property
    def probabilities_from(self) -> str | None:
        """Say what the probabilities are, "model", or None where the learner does not estimate any."""
        return "model" if getattr(self._fitted, "normalised", True) else None

    def explain(self, sentence: Any, *, bracket: tuple[int, int, str | None] | None = None) -> Explanation:
        """Why the tree of one sentence has its brackets, or one of them: (start, end, label), words from 0.

        The rival is the best tree without the bracket; for a bracket that the tree has not, the best one with it.
        """
        given = self._given([sentence])
        if not given.spelt:
            raise ValueError("There is no word to explain.")
        return explain_brackets(self._fitted, given.spelt[0], None if bracket is None else Bracket(*bracket))

    # Measuring

    def score(self, X: Any, y: Sequence[Tree] | None = None) -> float:
        """F1 of labelled brackets, as EVALB counts."""
        return self.evaluate(X, y).f1

    def evaluate(
        self,
        X: Any,
        y: Sequence[Tree] | None = None,
        *,
        rules: BracketRules = COLLINS,
        minimum_risk: bool | None = None,
        gold_tags: bool = False,
        functions: bool = False,
    ) -> BracketScores:
        """Precision, recall, F1, exact matches, crossing brackets, tags; X as in `fit`. gold_tags: are given.

        functions: those of labels count too, which only a parser with keep_functions predicts.
        """
        gold = gold_trees(X, y, scoring=True).trees
        tags = self.known_tags(gold) if gold_tags else None
        found = self.predict(sentences_of(gold), tags=tags, minimum_risk=minimum_risk)
        counted = self.counting(rules, functions=functions)
        return evaluate_brackets(gold, [tree for tree in found if tree is not None], counted)

    def counting(self, rules: BracketRules, *, functions: bool = False) -> BracketRules:
        """Return the rules of scoring for labels as the training treebank has them, with or without functions."""
        if functions and not self.keep_functions:
            raise ValueError("This parser predicts no functions: train it with keep_functions to score them.")
        assert self._fitted is not None
        return replace(rules, labels=self.functions_, functions=functions)

    def known_tags(self, trees: Sequence[Tree]) -> list[list[str]]:
        """Return the tags of trees as the parser knows them."""
        if self.keep_functions or not self.functions_.tags:
            return [tree.tags for tree in trees]
        return [[self.functions_.bare(tag) for tag in tree.tags] for tree in trees]

    # Files

    def save(self, path: Source) -> None:
        """Write a model file."""
        self.to_model().save(path)

    def to_model(self, *, fingerprint: str = "", about: Mapping[str, Any] | None = None) -> ModelFile:
        """What `save` writes. fingerprint: of the training data; about: further facts for its users."""
        training = {**getattr(self, "training_", {}), **(about or {})}
        saved = SavedParser(
            self._fitted,
            self.method,
            self.options or {},
            self.functions_,
            self.keep_functions,
            self.spelling_,
            training,
        )
        return parser_file(saved, fingerprint=fingerprint)

    @classmethod
    def load(cls, path: Source) -> Self:
        """The parser of a model file."""
        return cls.from_model(ModelFile.load(find_model(path)))

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The parser of a model file that is open already."""
        saved = load_parser(file)
        parser = cls(
            saved.method,
            options=dict(saved.options) or None,
            functions=str(saved.functions),
            keep_functions=saved.keep_functions,
        )
        parser._set_model(saved.model, saved.functions, saved.spelling, saved.training)
        return parser

    def with_options(self, **options: Any) -> Self:
        """The same parser with other options of search."""
        other = type(self)(**self.get_params(deep=False))
        other.options = {**(self.options or {}), **options}
        other._set_model(self._fitted.with_options(options), self.functions_, self.spelling_, self.training_)
        other.history_, other.interrupted_ = self.history_, self.interrupted_
        return other

    # Inside

    def default_learner(self) -> Learner | None:
        return default_learner(self.method)

    def _learner(self) -> Learner | None:
        if METHODS.named(self.method).learners:
            found: Learner = super()._learner()
            return found
        if self.learner is not None:
            raise ValueError(f"The method {self.method!r} counts, and has no learner. Got {self.learner!r}.")
        return None

    @property
    def _fitted(self) -> ConstituencyModel:
        try:
            return self.model_
        except AttributeError:
            raise ValueError("This ConstituencyParser is not trained yet: call fit first.") from None

    def _set_model(
        self,
        model: ConstituencyModel,
        functions: Functions,
        spelling: Spelling,
        training: Mapping[str, Any],
    ) -> None:
        self.model_ = model
        self.functions_ = functions
        self.spelling_ = spelling
        self.history_, self.interrupted_ = (), False
        self.training_ = dict(training)

    def _given(self, X: Any, tags: Any = None) -> GivenWords:
        """Sentences, as they are and as the model knows their words."""
        assert self._fitted is not None  # or it says that it is not trained
        return GivenWords.of(words_of(X, tags), self.spelling_)

    def _learnable(self, gold: GoldTrees, gaps: bool, skip_bad: bool, path: str | None) -> GoldTrees:
        """The trees that the method can learn: without gaps, unless it is for these."""
        bad = [] if gaps else [i for i, tree in enumerate(gold.trees) if tree.is_discontinuous]
        if not bad:
            return gold
        if not skip_bad or len(bad) == len(gold.trees):
            raise FormatError(
                f"{len(bad):,} of {len(gold.trees):,} trees are discontinuous (the first is number "
                f"{gold.numbers[bad[0]]}), and the method {self.method!r} cannot learn these; take plcfrs"
                f"{'' if len(bad) == len(gold.trees) else ', or leave them out (skip_bad)'}",
                path=path,
            )
        left = set(bad)
        kept = [i for i in range(len(gold.trees)) if i not in left]
        return gold._replace(
            trees=[gold.trees[i] for i in kept],
            numbers=[gold.numbers[i] for i in kept],
            skipped=gold.skipped + len(bad),
        )

    def _dev_score(self, gold: Sequence[Tree], functions: Functions) -> Callable[[ConstituencyModel], float]:
        sentences = sentences_of(gold)
        rules = replace(COLLINS, labels=functions, functions=self.keep_functions)

        def score(model: ConstituencyModel) -> float:
            parses = parse_sentences(model, sentences, n_jobs=self._jobs)
            return evaluate_brackets(gold, [parse.tree for parse in parses], rules).f1

        return score


class _Examples:
    """What the record of a training asks of its examples."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.n_trees = len(trees)
        self.n_tokens = sum(len(tree.leaves) for tree in trees)

    def __len__(self) -> int:
        return self.n_trees


def _path(X: Any) -> str | None:
    return os.fspath(X) if isinstance(X, (str, os.PathLike)) else None
