"""`Aligner`: which words of a sentence and of its translation belong together.

    GEN   sets of links between two sentences     F   links with a posterior, the mean of two models, above 1/2
    w     lexical tables and models of places, in both directions, by EM or variational Bayes (CSC 448, §14)

A schedule of models is trained one after another, each from the one before, source to target and target to source.
A saved model aligns new sentences as it aligns those that it was trained on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette._native import Bitext
from palmette.evaluation.alignments import AlignmentScores, evaluate_alignments
from palmette.formats.files import Source
from palmette.formats.given import existing, listed_rows
from palmette.formats.model import ModelFile
from palmette.formats.pharaoh import GoldAlignment, Link
from palmette.learning.capabilities import Capabilities
from palmette.learning.em import EM
from palmette.learning.loop import Callback
from palmette.messages import counted, logged
from palmette.parameters import require_bool, require_choice, require_int, require_number
from palmette.tools.alignment.aligner_file import KIND, SavedAligner, aligner_file, load_aligner
from palmette.tools.alignment.explanation import AlignmentExplanation, explained
from palmette.tools.alignment.kbest import kbest_links
from palmette.tools.alignment.known import Known, align_known, checked_links
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.model import AlignmentModel, bitext
from palmette.tools.alignment.phrases import PhraseTable, extract_phrases
from palmette.tools.alignment.sampling import ORDERS
from palmette.tools.alignment.schedule import LEARNERS, OFFERS, Schedule, last_passes
from palmette.tools.alignment.symmetrization import METHODS
from palmette.tools.alignment.text import ParallelText, Sentence, read_pairs
from palmette.tools.alignment.word_forms import Stem, WordForms, WordNumbers
from palmette.tools.answers import Answers
from palmette.tools.estimator import Estimator
from palmette.tools.pipeline_file import load_kind
from palmette.tools.ranked import Ranked

Pairs = Source | ParallelText | Iterable[tuple[Sentence, Sentence]]  # a file is what `read_pairs` reads

_LEAST = 1e-6  # probabilities of links that are close to impossible

Right = GoldAlignment | Iterable[Link]


class Aligner(Estimator):
    """Word alignments of sentence pairs.

    models: "best", "fast", or kinds of models, each trained from the one before. learner: `EM()` or `VB()`; None
    is what each model has for itself. options: of models, by kind, and of their learners, as
    {"hmm": {"p0": 0.3, "n_iter": 2}}. agreement: whether the directions of a model learn to agree, where they can.
    symmetrization: how the two become one (see `tools/alignment/symmetrization.py`); threshold: of "posterior".
    lower: whether case is ignored. spelling:
    whether words that are spelt alike are more likely translations, for models that can use it. prefix: the number
    of first letters of a word to look at, 0 for all. stem: a function or a dictionary that words go through.
    Prefix and stem may be pairs, for source and target.

    >>> pairs = [("the house", "das Haus"), ("the book", "das Buch"), ("a book", "ein Buch")] * 3
    >>> aligner = Aligner(models=("model1",)).fit(pairs)
    >>> aligner.predict([("a house", "ein Haus")])
    [[(0, 0), (1, 1)]]
    """

    kind = KIND
    model_: AlignmentModel
    training_: dict[str, Any]

    def __init__(
        self,
        models: Sequence[str] | str = "best",
        *,
        learner: EM | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        agreement: bool = True,
        symmetrization: str = "posterior",
        threshold: float = 0.5,
        lower: bool = True,
        spelling: bool = True,
        prefix: int | tuple[int, int] = 0,
        stem: Stem | tuple[Stem | None, Stem | None] | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.models = models
        self.learner = learner
        self.options = options
        self.agreement = agreement
        self.symmetrization = symmetrization
        self.threshold = threshold
        self.lower = lower
        self.spelling = spelling
        self.prefix = prefix
        self.stem = stem
        self.random_state = random_state
        self.n_jobs = n_jobs

    # ---- where models come from, and where they go

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return "an aligner"

    @property
    def offers(self) -> Capabilities:
        """What hidden links offer learners; see `Estimator.offers`."""
        return OFFERS

    def fit(self, X: Pairs, y: object = None, *, callback: Callback | None = None) -> Self:
        """Learn from sentence pairs; y is not looked at.

        callback: gets a `Report` after every pass of every model in both directions; its `where` has the
        `direction` (forth, back or both) and the `model`. Ctrl-C ends the training and keeps what is trained, if
        both directions have something.
        """
        self._fit(_text(X), callback, keep=False)
        return self

    def fit_align(
        self, X: Pairs, *, probabilities: bool = True, callback: Callback | None = None
    ) -> Alignments:
        """Learn from sentence pairs and align them, which is less work than to do both in turn."""
        text = _text(X)
        kept = self._fit(text, callback, keep=True)
        links = self.align(text, probabilities=probabilities)
        if not kept:
            self.model_ = replace(self.model_, trained=None)
        return links

    def _fit(self, text: ParallelText, callback: Callback | None, *, keep: bool) -> bool:
        """Train; whether the model needs the text that it was trained on, to align it."""
        self._chosen(None, None)
        require_bool("spelling", self.spelling)
        more = self.agreement, self.random_state, self._jobs
        schedule = Schedule(self.models, self.learner, self.options, *more)
        source, target = (WordNumbers(forms) for forms in self._forms())
        ids = source.learn(text.source), target.learn(text.target)
        if not np.any(np.diff(text.source.offsets) * np.diff(text.target.offsets)):
            raise ValueError("There is not one sentence pair with words on both sides to learn from.")

        spelling = self.spelling and not set(ORDERS).isdisjoint(schedule.kinds)

        def pairs(back: bool) -> Bitext:
            return bitext(text, ids, (source.words, target.words), back, spelling=spelling)

        trained = schedule.train(pairs, logged(callback, self.kind), keep=keep and not schedule.keeps)
        known = (text, trained.bitexts) if keep or schedule.keeps else None
        self.model_ = AlignmentModel(source, target, *trained.directions, known)
        self.history_, self.interrupted_ = trained.history, trained.interrupted
        self.training_ = {
            "models": list(schedule.kinds),
            "learner": None if self.learner is None else repr(self.learner),
            "options": {
                kind: {k: repr(v) for k, v in own.items()} for kind, own in (self.options or {}).items()
            },
            "agreement": self.agreement,
            "random_state": self.random_state,
            "pairs": len(text),
            "source_words": len(text.source.ids),
            "target_words": len(text.target.ids),
            "passes": last_passes(trained.history),
            "interrupted": trained.interrupted,
        }
        return schedule.keeps

    def save(self, path: Source) -> None:
        """Write the model to a file (*.palm), beside it first, so that no half of it is ever there."""
        self.to_model().save(path)

    def to_model(self, *, fingerprint: str = "", about: Mapping[str, str] | None = None) -> ModelFile:
        """The content of a model file; about: facts that are kept with those of the training."""
        training = {**self.training_, **(about or {})} if hasattr(self, "training_") else {}
        return aligner_file(
            SavedAligner(self._model, self.symmetrization, self.threshold, training), fingerprint
        )

    def _whole_file(self) -> ModelFile | None:
        stems = self._forms()[0].stem, self._forms()[1].stem
        return None if any(map(callable, stems)) else super()._whole_file()

    @classmethod
    def load(cls, path: Source, *, n_jobs: int | None = None) -> Aligner:
        """Return the aligner of a model file, or of a model that comes with Palmette, by its name.

        Stems by a function are those of the training text.
        """
        return cls.from_model(load_kind(path, KIND), n_jobs=n_jobs)

    @classmethod
    def from_model(cls, file: ModelFile, *, n_jobs: int | None = None) -> Aligner:
        """An aligner from the content of its file."""
        saved = load_aligner(file)
        forms = saved.model.source.forms, saved.model.target.forms
        models = saved.training.get("models")
        aligner = cls(
            tuple(map(str, models)) if isinstance(models, list) else "best",
            symmetrization=saved.symmetrization,
            threshold=saved.threshold,
            lower=forms[0].lower,
            prefix=(forms[0].prefix, forms[1].prefix),
            stem=(forms[0].stem, forms[1].stem),
            n_jobs=n_jobs,
        )
        aligner.model_, aligner.training_ = saved.model, dict(saved.training)
        aligner.history_, aligner.interrupted_ = (), False
        return aligner

    # ---- alignments

    def predict(
        self, X: Pairs, *, known: Known | None = None, forbidden: Known | None = None
    ) -> list[list[Link]]:
        """Return the links of every sentence pair, source and target words from 0 on.

        known: for every pair links that must be there, or None; forbidden: links that must not. The other links
        are chosen given these: exactly where the last model is a chain (models 1 and 2, diagonal, HMM); in sampled
        models a word that is in neither kind of link chooses as if nothing were known.
        """
        return Answers(self.align(X, probabilities=False, known=known, forbidden=forbidden))

    def align(
        self,
        X: Pairs,
        *,
        symmetrization: str | None = None,
        threshold: float | None = None,
        probabilities: bool = True,
        known: Known | None = None,
        forbidden: Known | None = None,
    ) -> Alignments:
        """Return the links of every sentence pair with their probabilities, in arrays.

        symmetrization, threshold: others than those of the constructor. known, forbidden: as in `predict`.
        """
        chosen = self._chosen(symmetrization, threshold)
        text, model = _text(X), self._model
        if known is None and forbidden is None:
            return model.align(text, *chosen, probabilities, self._jobs)
        return align_known(model, text, checked_links(text, known, forbidden), *chosen)

    def posteriors(self, X: Pairs) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """For every pair the probabilities of all links in both directions, [source][target] each."""
        return self._model.posteriors(_text(X), self._jobs)

    def marginals(self, X: Pairs) -> list[dict[Link, float]]:
        """Return the probabilities of the links of every pair, means of both directions, if above a millionth."""
        return Answers(
            {(i, j): float(mean[i, j]) for i, j in np.argwhere(mean > _LEAST).tolist()}
            for mean in ((p + q) / 2 for p, q in self.posteriors(X))
        )

    @property
    def probabilities_from(self) -> str:
        """Say what the probabilities are: see `palmette.tools.probabilities`."""
        return "model"

    def kbest(
        self, X: Pairs, k: int = 10, *, symmetrization: str | None = None
    ) -> list[list[Ranked[list[Link]]]]:
        """Return the k best alignments of every pair with their log-probabilities.

        For "posterior", where links are chosen on their own by their probabilities, and for one direction,
        "source" or "target", as its model has them; in a sampled model words choose by their posteriors.
        """
        method, level = self._chosen(symmetrization, None)
        require_int("k", k, 1)
        if method not in ("posterior", "source", "target"):
            raise ValueError(f"There is no k-th best of {method!r}: take 'posterior', 'source' or 'target'.")
        text = _text(X)
        if method != "posterior":
            return list(self._model.kbest(text, k, back=method == "target"))
        return [kbest_links((p + q) / 2, k, level) for p, q in self.posteriors(text)]

    def evaluate(self, X: Pairs, y: Iterable[Right], *, symmetrization: str | None = None) -> AlignmentScores:
        """Alignment error rate, precision, recall and F of the links, given the right ones.

        y: for every pair a `GoldAlignment` with sure and possible links, or the links alone, which are all sure.
        """
        gold = [_right(links) for links in listed_rows(y, "Right alignments")]
        text = _text(X)
        if len(gold) != len(text):
            raise ValueError(
                f"There are {counted(len(text), 'sentence pair')} and right alignments for {len(gold)}."
            )
        return evaluate_alignments(gold, self.align(text, symmetrization=symmetrization, probabilities=False))

    def score(self, X: Pairs, y: Iterable[Right]) -> float:
        """One minus the alignment error rate."""
        return 1 - self.evaluate(X, y).aer

    # ---- what is in it

    def translations(self, word: str, k: int = 10, *, back: bool = False) -> list[tuple[str, float]]:
        """The k likeliest target words of a source word with p(target | source); "NULL" means no word.

        back: the likeliest source words of a target word. A word that is not known has none.
        """
        return self._model.translations(word, k, back)

    def lexical_table(self, *, back: bool = False, least: float = 1e-5) -> Iterator[tuple[str, str, float]]:
        """(target, source, p(target | source)) of pairs of words that met, as Moses has them in lex.f2e.

        back: (source, target, p(source | target)), as in lex.e2f. least: pairs below are left out.
        """
        return self._model.lexical_table(back, least)

    def phrases(
        self, X: Pairs, *, symmetrization: str | None = None, max_length: int = 7, min_count: int = 1
    ) -> PhraseTable:
        """Align sentence pairs and make a phrase table of them."""
        text = _text(X)
        links = self.align(text, symmetrization=symmetrization, probabilities=False)
        return extract_phrases(text, links, max_length=max_length, min_count=min_count)

    def explain(
        self,
        source: Sentence,
        target: Sentence,
        *,
        symmetrization: str | None = None,
        gold: GoldAlignment | None = None,
    ) -> AlignmentExplanation:
        """The grid of one pair and the numbers behind its links; prints as text, and draws SVG."""
        text = ParallelText.of([(source, target)])
        links = self.align(text, symmetrization=symmetrization, probabilities=False)[0]
        return explained(self._model, text, links, gold, self._chosen(symmetrization, None)[1])

    def draw(self, source: Sentence, target: Sentence, *, svg: bool = False, ascii: bool = False) -> str:
        """The grid of one pair as text, or as an SVG image."""
        found = self.explain(source, target)
        return found.svg() if svg else (found.plain() if ascii else found).draw()

    # ---- inside

    @property
    def _model(self) -> AlignmentModel:
        if not hasattr(self, "model_"):
            raise ValueError("This Aligner is not fitted yet: call fit, or load a model.")
        return self.model_

    def default_learner(self) -> Any:
        return LEARNERS[0 if self.agreement else 1]

    def _chosen(self, symmetrization: str | None, threshold: float | None) -> tuple[str, float]:
        method = self.symmetrization if symmetrization is None else symmetrization
        level = self.threshold if threshold is None else threshold
        require_choice("symmetrization", method, METHODS)
        require_number("threshold", level, 0)
        return method, float(level)

    def _forms(self) -> tuple[WordForms, WordForms]:
        prefixes = self.prefix if isinstance(self.prefix, tuple | list) else (self.prefix, self.prefix)
        stems = self.stem if isinstance(self.stem, tuple | list) else (self.stem, self.stem)
        if len(prefixes) != 2 or len(stems) != 2:
            raise ValueError("Prefixes and stems are one for both sides, or a pair: source and target.")
        return WordForms(self.lower, prefixes[0], stems[0]), WordForms(self.lower, prefixes[1], stems[1])


def _right(links: Right) -> GoldAlignment:
    if isinstance(links, GoldAlignment):
        return links
    sure = frozenset((int(source), int(target)) for source, target in links)
    return GoldAlignment(sure, sure)


def _text(pairs: Pairs) -> ParallelText:
    if isinstance(pairs, str | PathLike):
        return read_pairs(existing(pairs, "sentence pairs are a list of pairs"))
    return ParallelText.of(pairs)
