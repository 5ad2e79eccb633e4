"""What learners need and problems offer, as names in a set, and the one place that compares the two.

A learner says what it needs (`Learner.needs`), a problem what it offers (`Problem.offers`). A tool knows what its
problems will offer before it makes one, and asks `check_fit` first of all; `Learner.learn` asks again.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

Capabilities = frozenset[str]

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "best": "the best output",
        "kbest": "the k best outputs",
        "marginals": "sums over all outputs",
        "risk": "the expected loss over all outputs",
        "parts": "the same parts of every example in every pass",
        "weights": "one weight for every feature",
        "votes": "a place to keep many weight vectors",
        "history": "labels that see the labels before them",
        "counts": "words with labels to be counted",
        "latent": "labels with hidden variants",
    }
)
SEARCH: Capabilities = frozenset({"best", "kbest", "weights"})
SUMS: Capabilities = SEARCH | {"marginals", "parts", "risk"}


class LearnerError(ValueError, TypeError):
    """A learner that cannot learn what it is given, or something that is no learner at all."""


def check_fit(
    learner: object, offers: Capabilities, where: str, *, also: tuple[type, ...] = (), advice: str = ""
) -> None:
    """Raise a LearnerError, one sentence with the learners that fit, unless the learner can be used.

    where: what the learner is for, as in "a tagger". also: classes that are welcome too though they are no
    `Learner`. advice: what else helps, added at the end of the sentence.
    """
    from palmette.learning.learner import Learner

    if isinstance(learner, also):
        return
    if not isinstance(learner, Learner):
        raise LearnerError(_no_learner(learner, offers, where))
    missing = learner.needs - offers
    if missing:
        wants = " and ".join(f"{MEANINGS.get(name, 'also')} ({name})" for name in sorted(missing))
        raise LearnerError(
            f"{type(learner).__name__} needs {wants}, which {where} does not offer: "
            f"{_advice(learner, offers)}{advice}."
        )


def fitting_learners(offers: Capabilities) -> list[str]:
    """Return the names, as `--learner` takes them, of the learners that need nothing else than what is offered.

    >>> fitting_learners(SEARCH)
    ['perceptron', 'mira', 'pa', 'arow', 'svm']
    """
    from palmette.learning.registry import learner_class, learner_names

    return [name for name in learner_names() if learner_class(name)().needs <= offers]


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
    from palmette.learning.registry import learner_class, learner_names

    fit = fitting_learners(offers)
    if isinstance(given, str):
        close = get_close_matches(given.lower(), learner_names(), 1)
        name = learner_class(close[0] if close else fit[0]).__name__
        return f"The learner of {where} must be an object, such as {name}(). Got the string {given!r:.60}."
    if isinstance(given, type):
        return f"The learner of {where} must be an object. Got a class: write {given.__name__}()."
    names = ", ".join(fit)
    return f"{type(given).__name__} is not a learner for {where}: take one of the learners {names}."
