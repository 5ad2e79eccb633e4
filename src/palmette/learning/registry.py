"""Learners by their names, and their options as words: what `--learner NAME --set KEY=VALUE` means.

A learner joins with one line; its module is imported when it is first wanted. Its options are the fields of its
dataclass.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from types import NoneType
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_type_hints

from palmette.learning.learner import Learner


class Entry(NamedTuple):
    """Where a learner stands, as `module:class`, and a line about it."""

    where: str
    summary: str


LEARNERS: Mapping[str, Entry] = {
    "crf": Entry("palmette.learning.loglinear:CRF", "conditional random field (SGD, SAG, L-BFGS, OWL-QN)"),
    "perceptron": Entry("palmette.learning.perceptron:Perceptron", "structured perceptron, averaged"),
    "mira": Entry("palmette.learning.mira:MIRA", "margin-infused relaxed algorithm, k best"),
    "pa": Entry("palmette.learning.mira:PassiveAggressive", "passive-aggressive I and II"),
    "arow": Entry("palmette.learning.arow:AROW", "adaptive regularisation of weights"),
    "svm": Entry("palmette.learning.svm:StructuredSVM", "structured support vector machine"),
    "eg": Entry("palmette.learning.exponentiated:ExponentiatedGradient", "CRF by its dual"),
    "risk": Entry("palmette.learning.risk:MinimumRisk", "least expected number of wrong labels"),
    "latent": Entry("palmette.learning.latent:LatentCRF", "CRF with hidden variants of the labels"),
    "memm": Entry("palmette.tools.sequence.memm:MEMM", "maximum entropy Markov model"),
    "hmm": Entry("palmette.tools.sequence.hmm:HMM", "hidden Markov model, counted"),
}

Made = TypeVar("Made")

_NOUNS = {int: "a whole number", float: "a number", bool: "true or false", str: "a word", NoneType: "none"}


def learner_names() -> list[str]:
    """The learners that there are."""
    return list(LEARNERS)


def learner_class(name: str) -> type[Learner]:
    """The learner of a name; ValueError with the names that there are."""
    known = learner_names()
    if name not in known:
        close = get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(f"no learner {name!r}: {hint}There are {', '.join(known)}.")
    module, _, attribute = LEARNERS[name].where.partition(":")
    found: type[Learner] = getattr(import_module(module), attribute)
    return found


def make_learner(name: str, settings: Mapping[str, Any], **common: Any) -> Learner:
    """The learner with these options; `common` ones give way to them.

    >>> make_learner("crf", {"l2": 0.5}, random_state=7).random_state
    7
    """
    return with_settings(learner_class(name), name, settings, **common)


def with_settings(made: type[Made], name: str, settings: Mapping[str, Any], **common: Any) -> Made:
    """A dataclass of options, as `make_learner` makes one: ValueError says which options there are."""
    hints = get_type_hints(made)
    known = {field.name: field for field in dataclasses.fields(cast(Any, made))}
    for key, value in settings.items():
        if key not in known:
            close = get_close_matches(key, known, 1)
            hint = f"did you mean {close[0]!r}? It has" if close else "it has"
            raise ValueError(f"the learner {name!r} has no option {key!r}: {hint} {options_text(made)}")
        kinds = get_args(hints[key]) or (hints[key],)
        if not _fits(value, kinds):
            wanted = " or ".join(_NOUNS.get(kind, kind.__name__) for kind in kinds)
            raise ValueError(f"the option {key!r} of the learner {name!r} must be {wanted}; got {value!r}")
    return made(**{**{key: value for key, value in common.items() if key in known}, **settings})


def options_text(learner: type[Any]) -> str:
    """The options with their defaults, for a message."""
    return ", ".join(f"{field.name}={_word(field.default)}" for field in dataclasses.fields(learner))


def _fits(value: Any, kinds: tuple[Any, ...]) -> bool:
    if isinstance(value, bool):
        return bool in kinds
    if isinstance(value, int):
        return int in kinds or float in kinds
    return isinstance(value, tuple(kind for kind in kinds if isinstance(kind, type)))


def _word(value: Any) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
