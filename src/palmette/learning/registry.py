"""Learners by their names, and their options as words: what `--learner NAME --set KEY=VALUE` means.

A learner of any family joins with one entry; its module is imported when it is first wanted. Its options are a
table of `palmette.parameters`. Learners of other packages join as `palmette/plugins.py` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NamedTuple

from palmette.errors import UsageError
from palmette.learning.capabilities import LINEAR, AnyLearner
from palmette.parameters import Options, rules, shown
from palmette.plugins import load_plugins


class Entry(NamedTuple):
    """Where a learner is defined, as `module:class`, a line about it, and its family (`AnyLearner.family`)."""

    where: str
    summary: str
    family: str = LINEAR


LEARNERS: dict[str, Entry] = {
    "crf": Entry("palmette.learning.loglinear:CRF", "conditional random field (SGD, SAG, L-BFGS, OWL-QN)"),
    "perceptron": Entry("palmette.learning.perceptron:Perceptron", "structured perceptron, averaged"),
    "mira": Entry("palmette.learning.mira:MIRA", "margin-infused relaxed algorithm, k best"),
    "pa": Entry("palmette.learning.mira:PassiveAggressive", "passive-aggressive I and II"),
    "arow": Entry("palmette.learning.arow:AROW", "adaptive regularisation of weights"),
    "svm": Entry("palmette.learning.svm:StructuredSVM", "structured support vector machine"),
    "eg": Entry("palmette.learning.exponentiated:ExponentiatedGradient", "CRF or SVM by its dual"),
    "risk": Entry("palmette.learning.risk:MinimumRisk", "least expected number of wrong labels"),
    "boosting": Entry("palmette.learning.boosting:Boosting", "exponential loss, one feature at a time"),
    "latent": Entry("palmette.learning.latent:LatentCRF", "CRF with hidden variants of the labels"),
    "memm": Entry("palmette.tools.sequence.memm:MEMM", "maximum entropy Markov model"),
    "hmm": Entry("palmette.tools.sequence.hmm:HMM", "hidden Markov model, counted"),
    "kernel-svm": Entry(
        "palmette.learning.kernel_svm:KernelSVM",
        "support vector machine in dual form, with the kernels of the columns",
        "kernel",
    ),
    "kernel-perceptron": Entry(
        "palmette.learning.kernel_perceptron:KernelPerceptron",
        "perceptron in dual form, averaged or voted",
        "kernel",
    ),
    "knn": Entry(
        "palmette.learning.neighbours:NearestNeighbours",
        "nearest neighbours of rows of symbols and numbers",
        "memory",
    ),
    "naive-bayes": Entry(
        "palmette.learning.naive_bayes:NaiveBayes", "naive Bayes, multinomial or Bernoulli", "occurrences"
    ),
    "complement-bayes": Entry(
        "palmette.learning.naive_bayes:ComplementBayes",
        "naive Bayes of the items outside of each class",
        "occurrences",
    ),
    "bayes-weighted": Entry(
        "palmette.learning.naive_bayes:BayesWeighted",
        "linear classifier whose features naive Bayes weights",
        "occurrences",
    ),
    "tree": Entry(
        "palmette.learning.decision_tree:DecisionTree", "decision tree (needs scikit-learn)", "splits"
    ),
    "vb": Entry("palmette.learning.em:VB", "variational Bayes", "expectations"),
    "em": Entry("palmette.learning.em:EM", "expectation maximization", "expectations"),
}


def register(name: str, entry: Entry) -> None:
    """Make a learner known by a name that must be its own."""
    if name in LEARNERS:
        raise ValueError(f"a learner has the name {name!r} already: {LEARNERS[name].where}")
    LEARNERS[name] = entry


def learner_names(*families: str) -> list[str]:
    """Return the names of all learners, or of those of some families."""
    return [name for name, entry in LEARNERS.items() if not families or entry.family in families]


def learner_class(name: str) -> type[AnyLearner]:
    """Return the learner of a name; ValueError with the known names.

    >>> learner_class("vb").names()
    ['n_iter', 'tolerance', 'prior', 'noise', 'random_state', 'bound']
    """
    if name not in LEARNERS:
        load_plugins()
    check_name(name, LEARNERS)
    module, _, attribute = LEARNERS[name].where.partition(":")
    found: type[AnyLearner] = getattr(import_module(module), attribute)
    return found


def learner_name(learner: AnyLearner) -> str:
    """Return the name of a learner; ValueError if it is not in the registry."""
    found = f"{type(learner).__module__}:{type(learner).__qualname__}"
    for name, entry in LEARNERS.items():
        if entry.where == found:
            return name
    raise UsageError(f"{type(learner).__name__} is not among the learners: name one with --learner.")


def check_name(name: str, known: Iterable[str]) -> None:
    """Raise ValueError for a name that is not known, with the nearest one and all of them."""
    names = list(known)
    if name not in names:
        close = get_close_matches(name, names, 1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise UsageError(f"no learner {name!r}: {hint}There are {', '.join(names)}.")


def make_learner(name: str, settings: Mapping[str, Any], **common: Any) -> Any:
    """Return the learner with these options; they override the `common` ones, of which it has those that it has.

    >>> make_learner("crf", {"l2": 0.5}, random_state=7).get_params()["random_state"]
    7
    """
    made = learner_class(name)
    own = {key: value for key, value in common.items() if key in rules(made)}
    return made(**own | read_settings(made, f"the learner {name!r}", settings))


def read_settings(made: type[Options], owner: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as a table of options takes them; ValueError for an unknown one lists its options.

    A word among the choices of an option may have been read as a number or as none: it is the word here.

    >>> read_settings(learner_class("knn"), "the learner 'knn'", {"weighting": None})
    {'weighting': 'none'}
    """
    table = rules(made)
    values: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in table:
            close = get_close_matches(key, table, 1)
            hint = f"did you mean {close[0]!r}? It has" if close else "it has"
            raise UsageError(f"{owner} has no option {key!r}: {hint} {options_text(made)}")
        types, rule = table[key]
        is_word = shown(value) in rule.choices and not (value is None and type(None) in types)
        values[key] = shown(value) if is_word else value
    return values


def options_text(learner: type[Options]) -> str:
    """Return the options with their defaults, for a message."""
    return ", ".join(f"{one.name}={shown(one.default)}" for one in learner.describe())
