"""Sense taggers: which sense of a word is meant.

    F(x) = argmax over the senses s of a word of  w · Φ(x, s)

GEN is an inventory (`inventory`, `wordnet`), Φ the words around (`occurrences`), and a method gives the scores:
classifiers of words, common words with definitions, decision lists. CSC 448, §24.1 and §24.2.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from palmette.formats.files import Source
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import Capabilities
from palmette.learning.loop import Callback, History, Report
from palmette.messages import logged
from palmette.parameters import require_int
from palmette.tools.answers import Answers
from palmette.tools.estimator import Estimator
from palmette.tools.explanation import Decision, Explanation, ranked
from palmette.tools.pipeline_file import load_kind
from palmette.tools.ranked import Ranked
from palmette.tools.senses.corpus import SenseSentence, Tagged, as_senses, as_sentences, read_tagged
from palmette.tools.senses.decision_list import read_seeds
from palmette.tools.senses.inventory import Inventory, ListedInventory, open_inventory
from palmette.tools.senses.methods import METHODS
from palmette.tools.senses.model import KIND, Reals, SenseModel
from palmette.tools.senses.occurrences import Occurrence, Reader
from palmette.tools.senses.scores import Judged, SenseScores
from palmette.tools.senses.sense_file import Trained, load_senses, sense_file
from palmette.tools.senses.task import Task

Sense = str | None
_WITHOUT_SENSES = ("bootstrap", "self-training", "co-training")  # methods that also see words without a sense


class SenseTagger(Estimator):
    """A tagger of word senses, with the interface of scikit-learn.

    A sentence is a list of tokens: (form, lemma, part of speech), or a `SenseSentence` with its document.
    method: one of `METHODS`. learner: of the classifiers of words; `StructuredSVM(l2=2)` by default. inventory: an
    `Inventory`, the folder of WordNet, or a file (see `read_inventory`); None: the senses of the training
    text. tagger: a `Tagger`, or the path or name of one, for the tags that are features; None: the parts of
    speech as given. seeds: for `bootstrap`, words by the sense that they point to, or a file (see
    `read_seeds`). options: those of the method.

    >>> bank = lambda *words: [(word, "", "NOUN") for word in words]
    >>> X = [bank("river", "bank"), bank("money", "bank"), bank("river", "shore"), bank("bank", "money")]
    >>> y = [[None, "bank.shore"], [None, "bank.money"], [None, None], ["bank.money", None]]
    >>> tagger = SenseTagger().fit(X, y)
    >>> tagger.predict([bank("the", "river", "bank")])
    [[None, None, 'bank.shore']]
    """

    kind = KIND

    def __init__(
        self,
        method: str = "supervised",
        learner: Any = None,
        *,
        inventory: Inventory | Source | None = None,
        tagger: Any = None,
        seeds: Mapping[str, Sequence[str]] | Source | None = None,
        options: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.learner = learner
        self.inventory = inventory
        self.tagger = tagger
        self.seeds = seeds
        self.options = options
        self.n_jobs = n_jobs

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return f"the method {self.method!r} of senses"

    @property
    def offers(self) -> Capabilities:
        """What the classifiers of words offer learners; see `Estimator.offers`."""
        return METHODS.named(self.method).offers_with(self.options or {})

    def default_learner(self) -> Any:
        usual = METHODS.named(self.method).usual_learners
        return usual[0] if usual else None

    def _learner(self) -> Any:
        method = METHODS.named(self.method)
        if method.learners:
            return super()._learner()
        if self.learner is not None:
            raise ValueError(f"The method {self.method!r} of senses has no learner.")
        return None

    # Training

    def fit(
        self,
        X: Iterable[Any] | Source,
        y: Iterable[Any] | None = None,
        *,
        dev: tuple[Any, Any] | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Train on sentences X and their senses y: for every token None, a sense, or several between |.

        X may be a file (see `read_tagged`), without y. dev: sentences and senses on which methods with rounds
        stop. callback: gets a `Report` after every round.
        """
        learner = self._learner()
        method = METHODS.named(self.method)
        options: Any = method.options_class.of(dict(self.options or {}), f"The method {self.method!r}")
        tagged = _tagged(X, y)
        seen = [
            (token.word(token.form), own[0])
            for sentence, row in zip(*tagged)
            for token, own in zip(sentence.tokens, row)
            if own
        ]
        given = self.inventory
        inventory = (
            ListedInventory.counted(seen)
            if given is None
            else given
            if isinstance(given, Inventory)
            else open_inventory(given)
        )
        tagger = self._tagger()
        reader = Reader(inventory, options.window)
        trained = Trained(self.method, None, inventory, tagger, {})

        def found(text: Tagged, every: bool) -> tuple[list[Occurrence], list[str | None]]:
            own = reader.occurrences(
                text.sentences, trained.tags(text.sentences), None if every else text.senses
            )
            return own, [(*text.senses[one.sentence][one.place], None)[0] for one in own]

        occurrences, gold = found(tagged, self.method in _WITHOUT_SENSES)
        if method.learners and self.method not in _WITHOUT_SENSES and not any(gold):
            raise ValueError("There are no words with senses to learn from.")
        held_out = None if dev is None else found(_tagged(*dev), False)
        if held_out is not None and not held_out[0]:
            raise ValueError("There are no dev words to measure by.")

        def measure(model: SenseModel) -> float:
            assert held_out is not None
            scores = model.scores(held_out[0], inventory)
            right = [
                one.senses[int(s.argmax())] == sense
                for one, s, sense in zip(held_out[0], scores, held_out[1])
                if one.senses
            ]
            return sum(right) / len(held_out[0])

        history: list[Report] = []
        told = logged(callback, self.kind)

        def note(report: Report) -> None:
            history.append(report)
            if told is not None:
                told(report)

        score = measure if held_out is not None else None
        seeds = (
            self.seeds if self.seeds is None or isinstance(self.seeds, Mapping) else read_seeds(self.seeds)
        )
        task = Task(occurrences, gold, inventory, options, learner, note, score, seeds or {})
        model = method.train_function(task)
        self.history_, self.interrupted_ = History(history), False
        self.training_: dict[str, Any] = {
            "method": self.method,
            "learner": None if learner is None else type(learner).__name__,
            "sentences": len(tagged.sentences),
            "instances": sum(sense is not None for sense in gold),
            "not_in_inventory": sum(
                sense is not None and sense not in one.senses for one, sense in zip(occurrences, gold)
            ),
        }
        self.model_ = Trained(self.method, model, inventory, tagger, self.training_)
        return self

    def _tagger(self) -> Any:
        from palmette.tools.sequence.tagger import Tagger

        if self.tagger is None or isinstance(self.tagger, Tagger):
            return self.tagger
        return Tagger.load(self.tagger)

    # Prediction

    def predict(self, X: Iterable[Any] | Source) -> list[list[Sense]]:
        """Return a sense for every token, None where the inventory has none."""
        sentences = _sentences(X)
        answers: list[list[Sense]] = [[None] * len(sentence.tokens) for sentence in sentences]
        for one, scores in self._scored(sentences):
            answers[one.sentence][one.place] = one.senses[int(scores.argmax())]
        return Answers(answers)

    def kbest(self, X: Iterable[Any] | Source, k: int) -> list[list[Ranked[list[Sense]]]]:
        """Return the k best assignments of senses to every sentence, best first, with the sums of their scores."""
        require_int("k", k, 1)
        sentences = _sentences(X)
        found: list[list[Ranked[list[Sense]]]] = [
            [Ranked([None] * len(sentence.tokens), 0.0)] for sentence in sentences
        ]
        for one, scores in self._scored(sentences):
            grown = [
                Ranked(
                    [*before.output[: one.place], sense, *before.output[one.place + 1 :]],
                    before.score + float(s),
                )
                for before in found[one.sentence]
                for sense, s in zip(one.senses, scores)
            ]
            found[one.sentence] = sorted(grown, key=lambda row: -row.score)[:k]
        return Answers(found)

    def explain(self, sentence: Any) -> Explanation:
        """Explain the senses of a sentence: each against the runner-up, with what decided."""
        (one,) = as_sentences([sentence])
        model, inventory = self._fitted.model, self._fitted.inventory
        decisions = []
        for occurrence, scores in self._scored([one]):
            form = one.tokens[occurrence.place].form
            order = np.argsort(-scores, kind="stable")
            chosen = occurrence.senses[order[0]]
            text = f"{form}: {chosen}  {inventory.definition(chosen)}".rstrip()
            if len(order) == 1:
                decisions.append(Decision(form, chosen, None, math.inf, text=f"{text}\n   the only sense"))
                continue
            rival = occurrence.senses[order[1]]
            margin = float(scores[order[0]] - scores[order[1]])
            parts = ranked(model.reasons(occurrence, inventory, chosen, rival))
            rest = margin - math.fsum(part.amount for part in parts)
            told = (
                f"{text}\n   runner-up {rival}  {inventory.definition(rival)}".rstrip()
                + f", margin {margin:+.3f}"
            )
            extra = {"place": occurrence.place + 1, "scores": dict(zip(occurrence.senses, scores.tolist()))}
            decisions.append(Decision(form, chosen, rival, margin, parts, rest, extra, told))
        return Explanation(tuple(decisions), "words")

    def _scored(self, sentences: Sequence[SenseSentence]) -> list[tuple[Occurrence, Reals]]:
        """Return the words with senses, and the score of each; with `discourse`, the sum over a document."""
        inside = self._fitted
        model = inside.model
        occurrences = Reader(inside.inventory, model.options.window).occurrences(
            sentences, inside.tags(sentences)
        )
        scores = model.scores(occurrences, inside.inventory)
        if model.options.discourse:
            sums: defaultdict[Any, Any] = defaultdict(float)
            keys = [(one.document or one.sentence, one.word) for one in occurrences]
            for key, own in zip(keys, scores):
                sums[key] = sums[key] + own
            scores = [sums[key] for key in keys]
        return list(zip(occurrences, scores))

    def score(self, X: Iterable[Any] | Source, y: Iterable[Any] | None = None) -> float:
        """F1 of the senses."""
        return self.evaluate(X, y).f1

    def evaluate(
        self,
        X: Iterable[Any] | Source,
        y: Iterable[Any] | None = None,
        *,
        predicted: Sequence[Sequence[Sense]] | None = None,
    ) -> SenseScores:
        """Compare senses with the right ones; tokens without right senses do not count."""
        sentences, senses = _tagged(X, y)
        guess = self.predict(sentences) if predicted is None else predicted
        if len(guess) != len(senses):
            raise ValueError(f"There must be senses for every sentence. Got {len(guess)} for {len(senses)}.")
        inventory = self._fitted.inventory
        reader = Reader(inventory, 0)
        judged = []
        for one in reader.occurrences(sentences, None, senses):
            gold, own = senses[one.sentence][one.place], guess[one.sentence][one.place]
            right = [sense in gold for sense in one.senses]
            chance = sum(right) / len(right) if right else 0.0
            judged.append(
                Judged(
                    one.word[1], own is not None, own in gold, bool(right and right[0]), chance, any(right)
                )
            )
        return SenseScores(judged)

    # Files

    def save(self, path: Source) -> None:
        """Write a model file."""
        self.to_model().save(path)

    def to_model(self, *, fingerprint: str = "", about: Mapping[str, Any] | None = None) -> ModelFile:
        """Return what `save` writes. fingerprint: of the training data; about: further facts for its users."""
        return sense_file(self._fitted, {**self.training_, **(about or {})}, fingerprint)

    @classmethod
    def load(cls, path: Source, *, inventory: Inventory | Source | None = None) -> Self:
        """The sense tagger of a model file. inventory: instead of the WordNet folder that it was trained with."""
        return cls.from_model(load_kind(path, cls.kind), inventory=inventory)

    @classmethod
    def from_model(cls, file: ModelFile, *, inventory: Inventory | Source | None = None) -> Self:
        """The sense tagger of a model file that is open already; FormatError if it is damaged."""
        inside = load_senses(file, inventory)
        made = cls(inside.method, inventory=inside.inventory, options=inside.model.options.to_dict())
        made.model_, made.training_ = inside, dict(inside.training)
        made.history_, made.interrupted_ = History(), False
        return made

    @property
    def _fitted(self) -> Trained:
        if not hasattr(self, "model_"):
            raise ValueError("This SenseTagger is not trained yet: call fit, or load a model.")
        return self.model_


def _sentences(X: Any) -> list[SenseSentence]:
    return read_tagged(X).sentences if _is_file(X) else as_sentences(X)


def _tagged(X: Any, y: Any) -> Tagged:
    if _is_file(X):
        return read_tagged(X)
    sentences = as_sentences(X)
    if y is None:
        raise ValueError("There must be senses for every sentence, y, where X is not a file.")
    return Tagged(sentences, as_senses(y, sentences))


def _is_file(X: Any) -> bool:
    from palmette.formats.given import existing, is_path

    return is_path(X) and bool(existing(X, "sentences are lists of tokens"))
