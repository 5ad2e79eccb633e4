"""What learners declare, and the one place that compares it with what problems offer and users give.

A learner says what it needs (`needs`), a problem what it offers (`Problem.offers`), as names in a set. A tool
knows what its problems will offer before it makes one, and asks `check_fit` first of all; `Learner.learn` asks
again. A learner also says of which family it is: what it learns from, and so what kind of model a tool makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import ClassVar

from palmette.errors import UsageError
from palmette.parameters import Options

Capabilities = frozenset[str]

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "best": "the best output",
        "kbest": "the k best outputs",
        "marginals": "sums over all outputs",
        "risk": "the expected loss over all outputs",
        "parts": "the same parts of every example in every pass",
        "costs": "a loss that is a sum over parts",
        "weights": "one weight for every feature",
        "votes": "a place to keep many weight vectors",
        "history": "labels that see the labels before them",
        "counts": "words with labels to be counted",
        "pairs": "all wrong outputs, written out",
        "latent": "labels with hidden variants",
        "kernel": "a kernel of two items",
        "memory": "items that are rows of symbols and numbers",
        "occurrences": "features that are counted by class",
        "splits": "features to ask questions about",
        "expectations": "expected counts of what is hidden",
    }
)
SEARCH: Capabilities = frozenset({"best", "kbest", "weights", "votes"})
SUMS: Capabilities = SEARCH | {"marginals", "parts", "risk", "costs"}
LINEAR = "linear"  # the family of learners of weights; all other families need what their name says


class AnyLearner(Options):
    """The options of a learner of any family, and what it declares.

    family: what it learns from: `linear` (weights for a problem), `kernel` (a Gram matrix), `memory` (rows),
    `expectations` (expected counts), … takes: what its training takes beside examples, `sample_weight` or `dev`.
    probabilistic: whether scores of its models mean log-probabilities.
    """

    family: ClassVar[str]
    takes: ClassVar[Capabilities] = frozenset()
    probabilistic: ClassVar[bool] = False

    @property
    def needs(self) -> Capabilities:
        """What a problem must offer: names of `MEANINGS`."""
        return frozenset({self.family})


class LearnerError(UsageError, TypeError):
    """A learner that cannot learn what it is given, or something that is not a learner at all."""


def check_fit(learner: object, offers: Capabilities, where: str, *, advice: str = "") -> None:
    """Raise a LearnerError, one sentence with the learners that fit, unless the learner can be used.

    where: what the learner is for, as in "a tagger". advice: what else helps, added at the end of the sentence.
    """
    if not isinstance(learner, AnyLearner):
        raise LearnerError(_no_learner(learner, offers, where))
    missing = learner.needs - offers
    if missing:
        wants = " and ".join(f"{MEANINGS.get(name, 'data of its own')} ({name})" for name in sorted(missing))
        raise LearnerError(
            f"{type(learner).__name__} needs {wants}, which {where} does not offer: "
            f"{_advice(learner, offers)}{advice}."
        )


def check_given(learner: AnyLearner, offers: Capabilities, **given: object) -> None:
    """Raise a LearnerError for an argument of `fit` that is given but that the learner does not take."""
    for name, value in given.items():
        if value is not None and name not in learner.takes:
            others = [one for one in fitting_learners(offers) if name in _class(one).takes]
            raise LearnerError(
                f"{type(learner).__name__} takes no {name!r}: leave it out, or take one of the learners "
                f"{', '.join(others)}."
            )


def fitting_learners(offers: Capabilities) -> list[str]:
    """Return the names, as `--learner` takes them, of the learners that need nothing else than what is offered.

    >>> fitting_learners(SEARCH)
    ['perceptron', 'mira', 'pa', 'arow', 'svm']
    """
    from palmette.learning.registry import LEARNERS

    # The modules of other families are not even imported.
    names = [name for name, entry in LEARNERS.items() if entry.family in {LINEAR, *offers}]
    return [name for name in names if _class(name)().needs <= offers]


def _class(name: str) -> type[AnyLearner]:
    from palmette.learning.registry import learner_class

    return learner_class(name)


def _advice(learner: object, offers: Capabilities) -> str:
    made = type(learner)
    try:
        usual = made().needs <= offers  # type: ignore[attr-defined]
    except TypeError:  # a learner that has no default options
        usual = False
    if usual:
        return "take its default options or another learner"
    return f"take one of the learners {', '.join(fitting_learners(offers))}"


def _no_learner(given: object, offers: Capabilities, where: str) -> str:
    from palmette.learning.registry import LEARNERS

    fit = fitting_learners(offers)
    if isinstance(given, str):
        close = get_close_matches(given.lower(), LEARNERS, 1)
        name = _class(close[0] if close else fit[0]).__name__
        return f"The learner of {where} must be an object, such as {name}(). Got the string {given!r:.60}."
    if isinstance(given, type):
        return f"The learner of {where} must be an object. Got a class: write {given.__name__}()."
    names = ", ".join(fit)
    return f"{type(given).__name__} is not a learner for {where}: take one of the learners {names}."
