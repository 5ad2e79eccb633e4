"""The options of parsers of features, and the learners for which they have settings of their own."""

from __future__ import annotations

from dataclasses import dataclass

from palmette.learning.learner import Learner
from palmette.learning.loglinear import CRF
from palmette.learning.mira import MIRA
from palmette.learning.perceptron import Perceptron
from palmette.learning.svm import StructuredSVM
from palmette.parameters import Options, option
from palmette.tools.constituency.model import MOST_WORDS
from palmette.transforms.binarization import Binarization

RISKS = ("brackets", "rules")
OWNER = "A parser of features"


# With the settings that suit anchored rules, the default first.
LEARNERS: tuple[Learner, ...] = (
    CRF(l2=10.0, n_iter=4, batch=8, eta0=0.05),
    Perceptron(n_iter=8),
    MIRA(n_iter=6, k=1),  # against the best wrong tree
    StructuredSVM(method="subgradient", n_iter=6),
)


@dataclass(frozen=True, kw_only=True)
class FeatureOptions(Options):
    """The options of a feature-rich parser."""

    horizontal: int = option(
        0, "siblings that a symbol made by binarization remembers", low=0, high=8, fixed=True
    )
    vertical: int = option(
        1, "labels that a symbol knows: 1 its own, 2 also its parent's, and so on", low=1, high=8, fixed=True
    )
    threshold: float = option(
        1e-3, "least probability of an item that the first pass keeps", above=0, below=1
    )
    risk: str = option(
        "brackets",
        "what minimum risk is: brackets, the most expected right ones; rules, the largest product of their "
        "probabilities",
        choices=RISKS,
    )
    offset: float = option(0.4, "with risk=brackets, least probability of a bracket", low=0, below=1)
    bits: int = option(22, "the table of features has 2^bits weights", low=8, high=28, fixed=True)
    tags: bool = option(True, "whether features see the tags that a tagger predicts", fixed=True)
    folds: int = option(
        8,
        "parts of the training data, each tagged by a tagger that was trained on the others",
        low=2,
        high=100,
        fixed=True,
    )
    rare: int = option(1, "largest count of a word that is seen as its class", low=0, high=1000, fixed=True)
    max_words: int = option(
        200,
        "most words of a sentence that is parsed as a whole, fewer with a large grammar; a longer one is "
        "parsed in parts",
        low=1,
        high=MOST_WORDS,
    )

    @property
    def binarization(self) -> Binarization:
        """How trees are made binary."""
        return Binarization(horizontal=self.horizontal, vertical=self.vertical)
