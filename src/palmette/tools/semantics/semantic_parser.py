"""Semantic parsers: questions answered from a database.

    F(x) = the answer y that maximises  Σ over trees z whose denotation is y of  e^(w · Φ(x, z))

A question becomes DCS trees (`chart`), whose denotations are computed (`denotation`); weights are learned from
questions and answers (`training`). CSC 448, §23; Liang, Jordan and Klein 2011.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from palmette.formats.files import Source
from palmette.formats.given import listed
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import SUMS, Capabilities
from palmette.learning.loglinear import CRF
from palmette.learning.loop import Callback, Report, run_passes
from palmette.messages import logged
from palmette.parameters import require_int, require_number
from palmette.tools.answers import Answers
from palmette.tools.estimator import Estimator
from palmette.tools.explanation import Explanation
from palmette.tools.pipeline_file import load_kind
from palmette.tools.ranked import Ranked
from palmette.tools.semantics.answer import Answer
from palmette.tools.semantics.answers import Gold, learn_functors, parse_answer, resolve
from palmette.tools.semantics.database import Database, read_database
from palmette.tools.semantics.explanation import answer_decision, no_decision
from palmette.tools.semantics.lexicon import read_triggers
from palmette.tools.semantics.model import Reading, SemanticModel, Triggers
from palmette.tools.semantics.model_file import KIND, load_semantic, semantic_file
from palmette.tools.semantics.options import SemanticOptions
from palmette.tools.semantics.scores import SemanticScores
from palmette.tools.semantics.terms import Term
from palmette.tools.semantics.training import Example, Trainer, Weights
from palmette.tools.semantics.words import cut


class SemanticParser(Estimator):
    """A parser of questions, with the interface of scikit-learn.

    database: a `Database`, or a file of facts (see `read_database`). learner: of the weights; any linear learner
    for candidates, CRF(l2=0.1) by default, with trees latent. triggers: names of predicates by words, or a file
    of them (see `read_triggers`). language: of the general words, "en" or "de". options: see `SemanticOptions`.
    confidence: the probability below which the answer is "I do not know".

    >>> from palmette.tools.semantics.database import Database
    >>> facts = {"city": [("Lyon", "France", 0.5), ("Paris", "France", 2.1), ("Bonn", "Germany", 0.3)]}
    >>> database = Database.of(facts, {"city": ["name", "country", "population"]})
    >>> questions, answers = ["what is the population of Bonn", "cities in France"], ["0.3", "Lyon|Paris"]
    >>> parser = SemanticParser(database).fit(questions, answers)
    >>> parser.predict(["what is the population of Paris"])[0].text
    '2.1'
    """

    kind = KIND

    def __init__(
        self,
        database: Database | Source | None = None,
        learner: Any = None,
        *,
        triggers: Triggers | Source | None = None,
        language: str = "en",
        options: Mapping[str, Any] | None = None,
        confidence: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.database = database
        self.learner = learner
        self.triggers = triggers
        self.language = language
        self.options = options
        self.confidence = confidence
        self.n_jobs = n_jobs

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return "a semantic parser"

    @property
    def offers(self) -> Capabilities:
        """What lists of candidates offer learners; see `Estimator.offers`."""
        return SUMS

    def default_learner(self) -> Any:
        return CRF(l2=0.1, method="lbfgs", n_iter=60)

    # Training

    def fit(
        self,
        X: Iterable[str],
        y: Iterable[Any],
        *,
        dev: tuple[Iterable[str], Iterable[Any]] | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Train on questions X and their answers y.

        An answer is text as in files (see `parse_answer`), or a list of names and numbers. dev: questions and
        answers to choose the best pass by. callback: gets a `Report` after every pass. Ctrl-C ends the training
        and keeps the last pass.
        """
        learner = self._learner()
        questions, answers = _questions(X), [_terms(one) for one in listed(y, "Answers")]
        _check_pairs(questions, answers)
        if not questions:
            raise ValueError("There are no examples to learn from.")
        model = self._untrained()
        model.functors = learn_functors(model.world, answers)
        if not model.database.n_facts:
            raise ValueError("The database has no facts, so it has no answers to learn from.")
        examples = [_example(model, *pair) for pair in zip(questions, answers)]
        model.seen = frozenset(word for example in examples for word in example.words)
        options = model.options
        trainer = Trainer(
            model.engine,
            learner,
            votes=options.votes,
            keep=options.train_candidates,
            width=options.train_width,
            ties=options.ties,
        )
        score = None
        if dev is not None:
            asked, wanted = _questions(dev[0]), [_terms(one) for one in listed(dev[1], "Answers")]
            _check_pairs(asked, wanted)
            if not asked:
                raise ValueError("There are no dev questions to measure by.")
            held_out = [resolve(model.world, one, model.functors) for one in wanted]

            def score(weights: Weights) -> float:
                model.weights = weights
                return _accuracy(model, asked, held_out)

        found = run_passes(
            trainer.passes(examples, options.rounds), score=score, callback=logged(callback, self.kind)
        )
        model.weights = found.result if found.result is not None else dict(trainer.weights)
        self.model_ = model
        self.history_: tuple[Report, ...] = found.history
        self.interrupted_ = found.interrupted
        self.unreached_: tuple[str, ...] = tuple(questions[i] for i in trainer.unreached)
        reached = found.history[-1].numbers["reached"] if found.history else None
        self.training_: dict[str, Any] = {
            "learner": type(learner).__name__,
            "settings": {name: value for name, value in learner.get_params().items() if name != "n_jobs"},
            "questions": len(questions),
            "passes": len(found.history),
            "reached": reached,
            "unreached": list(self.unreached_),
            "interrupted": found.interrupted,
        }
        return self

    def _untrained(self) -> SemanticModel:
        database = self.database
        if database is None:
            raise ValueError("A semantic parser needs a database: SemanticParser(database).")
        if not isinstance(database, Database):
            database = read_database(database)
        given = self.triggers
        triggers = {} if given is None else given if isinstance(given, Mapping) else read_triggers(given)
        require_number("confidence", self.confidence, 0.0)
        options = SemanticOptions.of(dict(self.options or {}), "A semantic parser")
        return SemanticModel(database, self.language, triggers, options)

    # Prediction

    def predict(self, X: Iterable[str]) -> list[Answer]:
        """Return the answer to every question."""
        return Answers(self._answer(question, readings) for question, readings in self._readings(X))

    def kbest(self, X: Iterable[str], k: int) -> list[list[Ranked[Answer]]]:
        """Return the k most probable answers to every question, best first; each has its best tree."""
        require_int("k", k, 1)
        model = self._fitted
        found = []
        for question, readings in self._readings(X):
            if not readings:
                found.append([Ranked(self._answer(question, readings), 0.0)])
                continue
            first = Ranked(self._answer(question, readings), readings[0].score, readings[0].log_probability)
            rest = [Ranked(model.answer(one), one.score, one.log_probability) for one in readings[1:k]]
            found.append([first, *rest])
        return Answers(found)

    def _readings(self, X: Iterable[str]) -> Iterator[tuple[str, list[Reading]]]:
        model = self._fitted
        return ((question, model.readings(question)) for question in _questions(X))

    def _answer(self, question: str, readings: Sequence[Reading]) -> Answer:
        model = self._fitted
        if not readings:
            return Answer(reason=model.why_not(question))
        answer = model.answer(readings[0])
        if answer.probability is not None and answer.probability < self.confidence:
            return Answer(
                probability=answer.probability,
                reason=f"the best answer has a probability of {answer.probability:.2f}, below {self.confidence:g}",
            )
        return answer

    def explain(self, question: str) -> Explanation:
        """Explain an answer: its tree, what the words mean, and the features that decided against the
        runner-up."""
        if not isinstance(question, str):
            raise TypeError(f"A question is a string. Got {question!r:.60}.")
        model = self._fitted
        readings = model.readings(question)
        if not readings:
            return Explanation((no_decision(question, model.why_not(question)),), "questions")
        return Explanation((answer_decision(model, question, readings),), "questions")

    def score(self, X: Iterable[str], y: Iterable[Any]) -> float:
        """The part of the questions whose answer is right."""
        return self.evaluate(X, y).accuracy

    def evaluate(
        self, X: Iterable[str], y: Iterable[Any], *, predicted: Sequence[Answer] | None = None
    ) -> SemanticScores:
        """Compare answers with the right ones: the sets of values must be equal."""
        model = self._fitted
        questions, answers = _questions(X), [_terms(one) for one in listed(y, "Answers")]
        _check_pairs(questions if predicted is None else predicted, answers)
        guesses = self.predict(questions) if predicted is None else predicted
        gold = [resolve(model.world, one, model.functors) for one in answers]
        right = []
        for guess, one in zip(guesses, gold):
            ids = None if guess.tree is None else model.denotations.answer(guess.tree)
            right.append(ids is not None and one.matches(model.world, ids))
        return SemanticScores(right, [guess.known for guess in guesses])

    # Files

    def save(self, path: Source) -> None:
        """Write a model file."""
        self.to_model().save(path)

    def to_model(self, *, fingerprint: str = "", about: Mapping[str, Any] | None = None) -> ModelFile:
        """Return what `save` writes. fingerprint: of the training data; about: further facts for its users."""
        return semantic_file(self._fitted, {**self.training_, **(about or {})}, fingerprint)

    @classmethod
    def load(cls, path: Source) -> Self:
        """The semantic parser of a model file."""
        return cls.from_model(load_kind(path, cls.kind))

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The semantic parser of a model file that is open already; FormatError if it is damaged."""
        model, training = load_semantic(file)
        made = cls(
            model.database,
            triggers=model.lexicon.triggers or None,
            language=model.language,
            options=model.options.to_dict(),
        )
        made.model_, made.training_ = model, dict(training)
        made.history_, made.interrupted_ = (), False
        made.unreached_ = _texts(training.get("unreached"))
        return made

    @property
    def _fitted(self) -> SemanticModel:
        if not hasattr(self, "model_"):
            raise ValueError("This semantic parser is not trained: call fit, or load a model.")
        return self.model_


def _questions(X: Any) -> list[str]:
    found = list(listed(X, "Questions"))
    for one in found:
        if not isinstance(one, str):
            raise TypeError(f"A question is a string. Got {one!r:.60}.")
    return found


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _terms(answer: Any) -> list[Term]:
    if isinstance(answer, str):
        return parse_answer(answer)
    if isinstance(answer, Answer):
        return list(answer.values)
    if isinstance(answer, int | float):
        return [float(answer)]
    return [float(one) if isinstance(one, int | float) else one for one in answer]


def _check_pairs(questions: Sequence[Any], answers: Sequence[Any]) -> None:
    if len(questions) != len(answers):
        raise ValueError(
            f"There must be one answer for every question. Got {len(answers)} for {len(questions)}."
        )


def _example(model: SemanticModel, question: str, terms: Sequence[Term]) -> Example:
    return Example(cut(question), resolve(model.world, terms, model.functors))


def _accuracy(model: SemanticModel, questions: Sequence[str], gold: Sequence[Gold]) -> float:
    right = 0
    for question, one in zip(questions, gold):
        readings = model.readings(question)
        right += bool(readings) and one.matches(model.world, readings[0].best.answer)
    return right / len(questions)
