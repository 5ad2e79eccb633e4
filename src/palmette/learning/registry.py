"""Learners by their names, and their options as words: what `--learner NAME --set KEY=VALUE` means.

A learner joins with one line; its module is imported when it is first wanted. Its options are a table of
`palmette.parameters`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

from palmette.learning.learner import Learner
from palmette.parameters import Options, rules, shown


class Entry(NamedTuple):
    """Where a learner is defined, as `module:class`, and a line about it."""

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

# Learners of single items without weights for features, and learners without right outputs.
OF_ITEMS: Mapping[str, Entry] = {
    "kernel-svm": Entry(
        "palmette.learning.kernel_svm:KernelSVM",
        "support vector machine in dual form, with the kernels of the columns",
    ),
    "kernel-perceptron": Entry(
        "palmette.learning.kernel_perceptron:KernelPerceptron", "perceptron in dual form, averaged or voted"
    ),
    "knn": Entry(
        "palmette.learning.neighbours:NearestNeighbours", "nearest neighbours of rows of symbols and numbers"
    ),
}
UNSUPERVISED: Mapping[str, Entry] = {
    "vb": Entry("palmette.learning.em:VB", "variational Bayes"),
    "em": Entry("palmette.learning.em:EM", "expectation maximization"),
}

Made = TypeVar("Made", bound=Options)


def learner_names() -> list[str]:
    """Return the names of all learners of weights."""
    return list(LEARNERS)


def learner_class(name: str) -> type[Learner]:
    """Return the learner of a name; ValueError with the known names."""
    check_name(name, LEARNERS)
    found: type[Learner] = _imported(LEARNERS[name])
    return found


def options_class(name: str) -> type[Options]:
    """Return the learner of a name, be it one of weights, of items or without right outputs.

    >>> options_class("vb").names()
    ['n_iter', 'tolerance', 'prior', 'noise', 'random_state', 'bound']
    """
    known = {**LEARNERS, **OF_ITEMS, **UNSUPERVISED}
    check_name(name, known)
    found: type[Options] = _imported(known[name])
    return found


def check_name(name: str, known: Iterable[str]) -> None:
    """Raise ValueError for a name that is not known, with the nearest one and all of them."""
    names = list(known)
    if name not in names:
        close = get_close_matches(name, names, 1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(f"no learner {name!r}: {hint}There are {', '.join(names)}.")


def make_learner(name: str, settings: Mapping[str, Any], **common: Any) -> Learner:
    """Return the learner with these options; they override the `common` ones.

    >>> make_learner("crf", {"l2": 0.5}, random_state=7).random_state
    7
    """
    return with_settings(learner_class(name), name, settings, **common)


def with_settings(made: type[Made], name: str, settings: Mapping[str, Any], **common: Any) -> Made:
    """Return a table of options with these settings, as `make_learner` does; ValueError lists its options.

    A word among the choices of an option may have been read as a number or as none: it is the word here.

    >>> with_settings(options_class("knn"), "knn", {"weighting": None}).get_params()["weighting"]
    'none'
    """
    table = rules(made)
    for key in settings:
        if key not in table:
            close = get_close_matches(key, table, 1)
            hint = f"did you mean {close[0]!r}? It has" if close else "it has"
            raise ValueError(f"the learner {name!r} has no option {key!r}: {hint} {options_text(made)}")
    values = {key: value for key, value in common.items() if key in table}
    for key, value in settings.items():
        types, rule = table[key]
        is_word = shown(value) in rule.choices and not (value is None and type(None) in types)
        values[key] = shown(value) if is_word else value
    return made(**values)


def options_text(learner: type[Options]) -> str:
    """Return the options with their defaults, for a message."""
    return ", ".join(f"{one.name}={shown(one.default)}" for one in learner.describe())


def _imported(entry: Entry) -> Any:
    module, _, attribute = entry.where.partition(":")
    return getattr(import_module(module), attribute)
