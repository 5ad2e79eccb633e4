"""What a constituency parser asks of a model of trees, and which methods there are.

    F(x) = argmax over trees y of  w · Φ(x, y)

A model sees sentences as words and answers with trees in the form of `treebank.py`: below TOP, nothing empty. A
grammar's weights are log-probabilities of rules, a feature model's are learned; the score of a tree is their sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

from numpy.typing import NDArray

from palmette.learning.learner import Callback, Learner, Report
from palmette.tools.explanation import Contribution as Contribution
from palmette.tools.methods import Method, Methods
from palmette.tools.ranked import Ranked
from palmette.trees.tree import Tree

Sentences = Sequence[Sequence[str]]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Parse(Ranked[Tree]):
    """A tree of a sentence, its score, and its log-probability given the words where the model has one.

    note: what was done differently from the request; for words that no tree of the grammar covers, that the
    tree is made of the best connected fragments. Empty if all went well.
    """

    note: str = ""

    @property
    def tree(self) -> Tree:
        """The output."""
        return self.output


class Bracket(NamedTuple):
    """A label over the words from start to end - 1. A label of None stands for any."""

    start: int
    end: int
    label: str | None = None


@dataclass(frozen=True)
class Constraints:
    """What the tree of a sentence must look like: brackets that it must have, and others that it must not."""

    required: tuple[Bracket, ...] = ()
    forbidden: tuple[Bracket, ...] = ()


Marginals = dict[Bracket, float]  # the probability of each bracket that is not close to impossible


def contribution(feature: str, amount: float, start: int, end: int) -> Contribution:
    """Return what a feature, or a rule, over the words from start to end - 1 adds to the score of a tree."""
    return Contribution(feature, amount, tuple(range(start + 1, end + 1)))


class ConstituencyModel(Protocol):
    """A trained model of trees. Nothing in it changes by use, so threads may share one."""

    @property
    def max_words(self) -> int:
        """The longest sentence that it is given; longer ones are cut first (`long_sentences.py`)."""

    def parse(
        self,
        sentences: Sentences,
        *,
        tags: Sentences | None = None,
        constraints: Sequence[Constraints] | None = None,
        minimum_risk: bool | None = None,
        n_jobs: int = 1,
    ) -> list[Parse]:
        """The tree of every sentence; none is empty. A parse never fails, see `Parse.note`.

        tags: of every word, "" for words whose tag is not known. minimum_risk: of all trees the one with the most
        expected right brackets in place of the most probable; None is what suits the model best. ValueError, with
        the number of the sentence, for constraints that no tree can meet, or that the method cannot use.
        """

    def kbest(self, sentences: Sentences, k: int, *, n_jobs: int = 1) -> list[list[Parse]]:
        """The k best different trees of every sentence (fewer if there are fewer), best first."""

    def marginals(self, sentences: Sentences, *, n_jobs: int = 1) -> list[Marginals]:
        """The probabilities of brackets, tags not among them; ValueError if the model has none."""

    def contributions(self, words: Sequence[str], tree: Tree) -> list[Contribution]:
        """What makes up the score of a tree; the sum of the amounts is the `score` of its `Parse`."""

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """The same weights with other options of search; ValueError for one that it has not."""

    def arrays(self) -> Arrays:
        """The numbers for a model file."""

    def strings(self) -> dict[str, Sequence[str]]:
        """The tables of strings for a model file."""

    def settings(self) -> dict[str, Any]:
        """What else a model file must keep, as JSON has it."""

    @classmethod
    def restore(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        strings: Mapping[str, Sequence[str]],
        settings: Mapping[str, Any],
    ) -> Self:
        """The model of a file; ValueError, in a sentence, if something is missing or does not fit.

        The arrays are read-only views onto the file, and anything may be in them: check before use.
        """


@dataclass(frozen=True, eq=False)
class Trained:
    """A model fresh from training, with the reports of its passes, and notes on what was done differently."""

    model: ConstituencyModel
    learner: Learner | None = None
    history: tuple[Report, ...] = ()
    interrupted: bool = False
    notes: tuple[str, ...] = ()


class TrainFunction(Protocol):
    """`train_pcfg` and its like: from trees to a model."""

    def __call__(
        self,
        trees: Sequence[Tree],
        *,
        options: Mapping[str, Any],
        learner: Learner | None = None,
        dev: Callable[[ConstituencyModel], float] | None = None,
        callback: Callback | None = None,
        n_jobs: int = 1,
        seed: int = 0,
    ) -> Trained:
        """Train on trees in the form of `treebank.py`, at least one.

        options: those of the method, unchecked; ValueError for one that it has not. learner: of methods that have
        one; ValueError for a method that counts. dev: measures a model, higher is better.
        """


_HERE = "palmette.tools.constituency"
MOST_WORDS = 100_000  # that the option 'max_words' may ask for
MOST_MEMORY = 1_000_000  # megabytes that the option 'memory' may ask for


def _method(model: str, options: str, summary: str, **more: Any) -> Method:
    where = model.partition(":")[0]
    return Method(
        summary=summary,
        train=f"{_HERE}.{where}:train",
        model=f"{_HERE}.{model}",
        options=f"{_HERE}.{options}",
        **more,
    )


def _features(learner: str, summary: str) -> Method:
    return _method(
        "features.model:FeatureModel",
        "features.options:FeatureOptions",
        summary,
        learners=f"{_HERE}.features.options:LEARNERS",
        learner=learner,
        dev="the pass",
    )


# What trains is a `TrainFunction`, and models are `ConstituencyModel`s. The names of learners are the method
# `features` with that learner.
METHODS = Methods(
    {
        "pcfg": _method("pcfg.model:PcfgModel", "pcfg.model:PcfgOptions", "the plain grammar of a treebank"),
        "markov": _method(
            "pcfg.model:PcfgModel",
            "pcfg.model:PcfgOptions",
            "a grammar whose symbols know their parents and two siblings",
            preset={"horizontal": 2, "vertical": 2},
        ),
        "lexicalized": _method(
            "lexicalized.model:LexicalizedModel",
            "lexicalized.options:LexicalizedOptions",
            "head words and smoothed counts, from the head outwards",
        ),
        "latent": _method(
            "latent.method:LatentModel",
            "latent.model:LatentOptions",
            "symbols that learn their own subclasses, by split-merge EM",
            dev="the round of splitting and merging",
            shared=True,
        ),
        "features": _features("crf", "features of anchored rules, with any learner, by default a tree CRF"),
        "crf": _features("crf", "the method features, log-linear: a tree CRF"),
        "perceptron": _features("perceptron", "the method features, by an averaged perceptron"),
        "mira": _features("mira", "the method features, by large margins (MIRA)"),
        "svm": _features("svm", "the method features, by a structured support vector machine"),
        "plcfrs": _method(
            "plcfrs.model:PlcfrsModel",
            "plcfrs.options:PlcfrsOptions",
            "discontinuous trees: an LCFRS whose symbols have states",
            dev="the round of splitting and merging",
            gaps=True,
        ),
        "combined": _method(
            "combination.model:CombinedModel",
            "combination.model:CombinedOptions",
            "several of the others, by their averaged probabilities",
            dev="what each model counts, and the offset",
        ),
    }
)


def default_learner(method: str) -> Learner | None:
    """Return the learner that a method takes if none is named; None for a method that counts."""
    return next(iter(METHODS.named(method).usual_learners), None)
