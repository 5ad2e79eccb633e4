"""`Translator`: from sentences of one language to sentences of another.

    GEN   derivations: which phrases translate which source words, in which order
    Φ     scores of phrases, language model, lengths, reordering        w   tuned for BLEU (CSC 448, §15, §21)

From a text in two languages it aligns words, extracts phrases, estimates a language model, counts orientations and
tunes the weights; each stage can be given from outside instead. The methods are in `model.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from palmette.evaluation.translations import TranslationScores
from palmette.formats.files import Source
from palmette.formats.given import is_path
from palmette.formats.model import ModelFile
from palmette.learning.loop import Callback
from palmette.messages import counted, warn
from palmette.parameters import require_bool, require_choice, require_int
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText, Sentence, words_of
from palmette.tools.answers import Answers
from palmette.tools.estimator import Estimator
from palmette.tools.lm.model import LanguageModel
from palmette.tools.pipeline_file import load_kind
from palmette.tools.translation.answering import RankedTranslation, Translating
from palmette.tools.translation.explanation import TranslationExplanation, explained
from palmette.tools.translation.input import (
    Sentences,
    pair_rows,
    parallel_text,
    reference_rows,
    sentence_rows,
    text_of,
    words_in,
)
from palmette.tools.translation.input_notes import input_notes
from palmette.tools.translation.known import Known
from palmette.tools.translation.model import METHODS, Dev, Given, Trained, TranslationModel, check_given
from palmette.tools.translation.raw.text import CASINGS, RawText
from palmette.tools.translation.scoring import score_translations
from palmette.tools.translation.source_trees import given_tree, loaded_parser
from palmette.tools.translation.translator_file import KIND, SavedTranslator, load_translator, translator_file
from palmette.tools.translation.weights import named_weights
from palmette.trees.tree import Tree

TUNINGS = ("mert", "pro", "mira", "risk", "perceptron", "none")


class Translator(Estimator):
    """A translator, with the interface of scikit-learn.

    method: "phrase". options: of the method, by name; `palmette train translate --help` lists them. tuning: how
    weights are tuned, or "none". lm: a language model of the target language, or its file, in place of one that is
    estimated from the target sentences. held_out: training pairs to tune on where no dev text is given; None: by
    the size of the text; 0: none, and the weights stay at their start. raw: whether sentences are raw text, in and
    out; languages: codes of source and target for the tokenizer; casing: "truecase", "lower" or "keep".

    >>> pairs = [("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book")] * 4
    >>> translator = Translator(tuning="none").fit(pairs)
    >>> translator.predict(["ein Haus"])
    ['a house']
    """

    kind = KIND

    def __init__(
        self,
        method: str = "phrase",
        *,
        options: Mapping[str, Any] | None = None,
        tuning: str = "mert",
        lm: LanguageModel | Source | None = None,
        held_out: int | None = None,
        raw: bool = False,
        languages: tuple[str, str] = ("generic", "generic"),
        casing: str = "truecase",
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.options = options
        self.tuning = tuning
        self.lm = lm
        self.held_out = held_out
        self.raw = raw
        self.languages = languages
        self.casing = casing
        self.random_state = random_state
        self.n_jobs = n_jobs

    def default_learner(self) -> None:
        """A translator is tuned, and has no learner."""

    @classmethod
    def _instead(cls, name: str, own: list[str]) -> str:
        for method, entry in METHODS.items():
            if name in entry.options_class.names():
                return f"it is an option of the method {method!r}, as in options={{{name!r}: …}}"
        return super()._instead(name, own)

    # Training

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        dev: Any = None,
        alignments: Any = None,
        table: Any = None,
        weights: Any = None,
        trees: Any = None,
        parser: Any = None,
        dev_trees: Any = None,
        callback: Callback | None = None,
        keep: Callable[[str, Any], None] | None = None,
    ) -> Self:
        """Learn from source sentences X and their translations y; or from X alone, with both in each row.

        A sentence is a string or a list of words; X and y may be files with a sentence on each line, and X alone a
        file with a tab or ||| in each line, a `ParallelText`, or pairs. dev: what to tune the
        weights on, a tuple of sentences and one or more lists of references; or pairs.

        In place of stages: alignments, links of the training text; table, a `PhraseTable`, with which X may be
        None if there is an lm, too; weights, by name, to begin with. Methods with syntax need trees of the
        sentences of one language, None for a sentence without one; or parser, a `ConstituencyParser` or its file,
        which becomes a part of the model if it is needed to translate; dev_trees, trees of the dev sentences, if a
        method translates trees and there is no parser. callback: gets a `Report` after every pass and stage; its
        `where` has the `stage`. keep: called with the name and the result of each stage as soon as it is finished.
        Ctrl-C ends a stage and keeps what is finished.
        """
        method = METHODS.named(self.method)
        options = {**method.preset, **(self.options or {})}
        method.options_class.of(options, f"The method {self.method!r}")
        self._check()
        links = (
            alignments
            if alignments is None or isinstance(alignments, Alignments)
            else Alignments.of(alignments)
        )
        check_given(
            self.method,
            table=table is not None,
            alignments=links is not None,
            trees=trees is not None,
            parser=parser is not None,
            dev=dev is not None,
            dev_trees=dev_trees is not None,
        )
        given = Given(
            links, table, _lm(self.lm), named_weights(weights), trees, loaded_parser(parser), dev_trees
        )
        raw, text = self._text(X, y, without=table is not None)
        notes = input_notes(raw, text, table)
        training = method.train_function(
            options, given, callback=callback, n_jobs=self._jobs, seed=self.random_state
        )
        trained: Trained = training.run(
            text,
            dev=None if dev is None else _dev(dev, raw),
            held_out=self.held_out,
            tuning=self.tuning,
            keep=keep or _forget,
        )
        self.model_: TranslationModel = trained.model
        self.raw_, self.scale_ = raw, trained.scale
        self.history_, self.interrupted_ = trained.history, trained.interrupted
        self.training_: dict[str, Any] = {
            "pairs": 0 if text is None else len(text),
            "source_words": 0 if text is None else len(text.source.ids),
            "target_words": 0 if text is None else len(text.target.ids),
            "tuning": self.tuning,
            "tuned": dict(trained.tuned),
            "random_state": self.random_state,
            "interrupted": trained.interrupted,
            "notes": [*notes, *trained.notes],
        }
        warn(*self.training_["notes"])
        return self

    # Translating

    def predict(
        self, X: Sentences, *, known: Iterable[Known | None] | None = None, minimum_risk: str | None = None
    ) -> list[str]:
        """Return the translation of every sentence as a string.

        known: for every sentence what is known of its translation, or None. minimum_risk: "list" or "graph" for
        the translation with the best expected BLEU, by posteriors of the k best or of the whole search graph.
        """
        if minimum_risk is not None:
            return Answers(one.output for one in self.minimum_risk(X, minimum_risk, known=known))
        work = self._translating
        found = work.model.translate(self._rows(X), known=work.known(known), n_jobs=self._jobs)
        return Answers(work.line(one.words) for one in found)

    def translate(
        self,
        X: Sentences,
        *,
        known: Iterable[Known | None] | None = None,
        probabilities: bool = False,
    ) -> list[RankedTranslation]:
        """Return the best translation of every sentence with its derivation: score, features, phrases, alignment.

        probabilities: also of the translation, and of each of its words, over its whole search graph.
        """
        return self._translating.best(self._rows(X), known, probabilities)

    def minimum_risk(
        self, X: Sentences, over: str = "graph", *, known: Iterable[Known | None] | None = None
    ) -> list[RankedTranslation]:
        """Return for every sentence the one of its 100 best translations with the best expected BLEU.

        over: "list" for the expectation over these, "graph" for that over the whole search graph.
        """
        require_choice("over", over, ("list", "graph"))
        return self._translating.minimum_risk(self._rows(X), known, over)

    def kbest(
        self,
        X: Sentences,
        k: int,
        *,
        distinct: bool = True,
        known: Iterable[Known | None] | None = None,
        probabilities: bool = False,
    ) -> list[list[RankedTranslation]]:
        """Return the k best translations of every sentence; distinct: no two have the same words."""
        require_int("k", k, 1)
        return self._translating.kbest(self._rows(X), k, distinct, known, probabilities)

    def graphs(self, X: Sentences, *, known: Iterable[Known | None] | None = None) -> list[Any]:
        """Return the search graph of every sentence: a `Hypergraph`, and the features of its edges."""
        work = self._translating
        return Answers(work.model.graphs(self._rows(X), known=work.known(known), n_jobs=self._jobs))

    def forced(self, X: Sentences, y: Sentences) -> list[Any]:
        """Return the best derivation of a given translation of every sentence, with its probability.

        Where there is none, an `Unreachable` says how far the search came.
        """
        return Answers(self._translating.forced(self._rows(X), sentence_rows(y, "Translations")))

    @property
    def probabilities_from(self) -> str:
        """Say what the probabilities are: softmaxes of scaled scores over search graphs."""
        return "scores"

    def explain(self, sentence: Sentence, *, known: Known | None = None) -> TranslationExplanation:
        """Explain the translation of a sentence: phrases, features, and why it is not the next different one."""
        (words,) = self._rows([sentence])
        if not words:
            raise ValueError("There is no word to explain.")
        work = self._translating
        facts = work.known(None if known is None else [known])
        (ranked,) = work.model.kbest([words], 2, known=facts)
        return explained(words, ranked, work.model.names, work.model.weights)

    # Measuring

    def evaluate(
        self,
        X: Any,
        y: Any = None,
        *,
        more: Iterable[Any] = (),
        metrics: Sequence[str] = ("bleu", "chrf", "ter"),
        minimum_risk: str | None = None,
        n_resamples: int = 0,
    ) -> TranslationScores:
        """Return BLEU, chrF and TER of the translations of X against references y, by sacrebleu.

        y: one reference for each sentence; more: further lists of such. Without y, X has pairs. The text is taken
        as tokenized, unless it is raw.
        """
        if y is None:
            pairs = pair_rows(X)
            X, y = pairs.source, pairs.target
        guess = self.predict(X, minimum_risk=minimum_risk)
        references = [[_line(one) for one in rows] for rows in reference_rows(y, more)]
        raw = self._translating.raw is not None
        return score_translations(guess, references, metrics=metrics, raw=raw, n_resamples=n_resamples)

    def score(self, X: Any, y: Any = None) -> float:
        """BLEU of the translations of X against references y, as a fraction of one."""
        return self.evaluate(X, y, metrics=("bleu",)).bleu

    # Files

    def save(self, path: Source) -> None:
        """Write a model file."""
        self.to_model().save(path)

    def to_model(self, *, fingerprint: str = "", about: Mapping[str, Any] | None = None) -> ModelFile:
        """What `save` writes. fingerprint: of the training data; about: further facts for its users."""
        training = {**self.training_, **(about or {})} if hasattr(self, "training_") else {}
        work = self._translating
        saved = SavedTranslator(work.model, self.method, work.scale, work.raw, training)
        return translator_file(saved, fingerprint=fingerprint)

    @classmethod
    def load(cls, path: Source, *, n_jobs: int | None = None) -> Translator:
        """Return the translator of a model file, which is mapped."""
        return cls.from_model(load_kind(path, KIND), n_jobs=n_jobs)

    @classmethod
    def from_model(cls, file: ModelFile, *, n_jobs: int | None = None) -> Translator:
        """Return the translator of a model file that is open already."""
        saved = load_translator(file)
        raw = saved.raw
        languages = ("generic", "generic") if raw is None else (raw.source.language, raw.target.language)
        casing = "truecase" if raw is None else raw.target.casing
        made = cls(saved.method, raw=raw is not None, languages=languages, casing=casing, n_jobs=n_jobs)
        made.model_, made.raw_, made.scale_ = saved.model, raw, saved.scale
        made.training_, made.history_, made.interrupted_ = dict(saved.training), (), False
        return made

    def with_options(self, **options: Any) -> Translator:
        """Return the same translator with other options of search."""
        other = type(self)(**self.get_params(deep=False))
        other.__dict__.update(self.__dict__)
        other.options = {**(self.options or {}), **options}
        other.model_ = self._fitted.with_options(options)
        return other

    def with_weights(self, weights: Any) -> Translator:
        """Return the same translator with other weights, by name; those that are left out stay."""
        from palmette.tools.translation.weights import filled

        other = type(self)(**self.get_params(deep=False))
        other.__dict__.update(self.__dict__)
        model = self._fitted
        other.model_ = model.with_weights(filled(named_weights(weights), model.names, model.weights))
        return other

    def with_trees(self, trees: Iterable[Tree | str]) -> Translator:
        """Return the same translator with trees for some source sentences, which it would parse otherwise.

        trees: trees, or texts in brackets. Several trees of the same words make a forest. ValueError if the
        method does not translate trees.
        """
        model: Any = self._fitted
        if not hasattr(model, "with_trees"):
            raise ValueError(f"The method {self.method!r} translates sentences, and has no use for trees.")
        other = type(self)(**self.get_params(deep=False))
        other.__dict__.update(self.__dict__)
        other.model_ = model.with_trees(tree for one in trees if (tree := given_tree(one)) is not None)
        return other

    # Inside

    @property
    def _fitted(self) -> TranslationModel:
        try:
            return self.model_
        except AttributeError:
            raise ValueError("This Translator is not trained yet: call fit first.") from None

    @property
    def _translating(self) -> Translating:
        return Translating(self._fitted, self.scale_, self.raw_, self._jobs)

    def _rows(self, X: Any) -> list[list[str]]:
        work = self._translating
        return words_in(sentence_rows(X), None if work.raw is None else work.raw.source)

    def _text(self, X: Any, y: Any, *, without: bool) -> tuple[RawText | None, ParallelText | None]:
        """How raw text is read, and the words of the training text; without: there may be none."""
        if X is None and y is None and without:
            return (
                (RawText.learn((), (), languages=self.languages, casing=self.casing), None)
                if self.raw
                else (None, None)
            )
        if not self.raw:
            return None, parallel_text(X, y)
        pairs = pair_rows(X, y)
        lines = [[_line(row) for row in rows] for rows in pairs]
        raw = RawText.learn(lines[0], lines[1], languages=self.languages, casing=self.casing)
        return raw, text_of(pairs, raw)

    def _check(self) -> None:
        require_choice("tuning", self.tuning, TUNINGS)
        require_choice("casing", self.casing, CASINGS)
        require_bool("raw", self.raw)
        if self.held_out is not None:
            require_int("held_out", self.held_out, 0)


def _lm(given: LanguageModel | Source | None) -> LanguageModel | None:
    return LanguageModel.load(given) if is_path(given) else given  # type: ignore[return-value]


def _line(sentence: Sentence) -> str:
    return sentence if isinstance(sentence, str) else " ".join(sentence)


def _dev(dev: Any, raw: RawText | None) -> Dev:
    """The dev text in words; dev: a tuple of sentences and lists of references, or pairs."""
    if isinstance(dev, tuple) and len(dev) >= 2:
        rows, references = sentence_rows(dev[0], "Dev sentences"), reference_rows(dev[1], dev[2:])
    else:
        pairs = pair_rows(dev)
        rows, references = pairs.source, [pairs.target]
    if not rows:
        raise ValueError("The dev text must have at least one sentence. Got none.")
    for one in references:
        if len(one) != len(rows):
            raise ValueError(
                f"The dev text has {counted(len(rows), 'sentence')}, but {counted(len(one), 'reference')}."
            )
    if not any(words_of(row) for one in references for row in one):
        raise ValueError("The dev text has no references: all their lines are empty.")
    target = None if raw is None else raw.target
    return Dev(
        words_in(rows, None if raw is None else raw.source),
        [[" ".join(words) for words in words_in(one, target)] for one in references],
    )


def _forget(name: str, made: Any) -> None:
    """Drop the result of a stage."""
