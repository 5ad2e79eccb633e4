"""The options of parsers of features, and the learners that their methods stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palmette.learning.learner import Learner
from palmette.learning.loglinear import CRF
from palmette.learning.mira import MIRA
from palmette.learning.perceptron import Perceptron
from palmette.learning.svm import StructuredSVM
from palmette.parameters import require_bool, require_choice, require_int, require_number
from palmette.tools.constituency.model import require_words
from palmette.transforms.binarization import Binarization

OPTIONS: Mapping[str, str] = {
    "horizontal": "how many siblings a symbol made by binarization remembers",
    "vertical": "1: bare labels; 2: with the parent's; and so on",
    "threshold": "the first pass drops items that are less probable than this",
    "risk": "minimum risk by brackets: most expected right ones; by rules: the largest product of probabilities",
    "offset": "by brackets: one is taken that is more probable than this",
    "bits": "the table of features has 2^bits weights",
    "tags": "do features see the tags that a tagger predicts?",
    "folds": "the training data are tagged in so many parts, each by a tagger that has not seen it",
    "rare": "words up to this count are seen as classes",
    "max_words": "sentences of more words are parsed in parts (200, fewer for a large grammar)",
}
RISKS = ("brackets", "rules")
FIXED = ("horizontal", "vertical", "bits", "tags", "folds", "rare")


def crf_learner() -> Learner:
    """A tree CRF, by stochastic gradient descent in small batches."""
    return CRF(l2=10.0, n_iter=5, batch=8, eta0=0.02)


def perceptron_learner() -> Learner:
    """An averaged perceptron."""
    return Perceptron(n_iter=8)


def mira_learner() -> Learner:
    """MIRA, against the best wrong tree."""
    return MIRA(n_iter=6, k=1)


def svm_learner() -> Learner:
    """A structured support vector machine."""
    return StructuredSVM(method="subgradient", n_iter=6)


@dataclass(frozen=True, kw_only=True)
class FeatureOptions:
    """The options of a feature-rich parser; OPTIONS says what they mean."""

    horizontal: int = 0
    vertical: int = 1
    threshold: float = 1e-3
    risk: str = "brackets"
    offset: float = 0.4
    bits: int = 22
    tags: bool = True
    folds: int = 8
    rare: int = 1
    max_words: int = 200

    def __post_init__(self) -> None:
        for name, least, most in (
            ("horizontal", 0, 8),
            ("vertical", 1, 8),
            ("bits", 8, 28),
            ("folds", 2, 100),
            ("rare", 0, 1000),
        ):
            require_int(name, getattr(self, name), least)
            if getattr(self, name) > most:
                raise ValueError(f"The {name!r} parameter must be at most {most}. Got {getattr(self, name)}.")
        require_number("threshold", self.threshold, 0, strict=True)
        require_number("offset", self.offset, 0)
        for name in ("threshold", "offset"):
            if getattr(self, name) >= 1:
                raise ValueError(
                    f"The {name!r} parameter must be below 1. Got {getattr(self, name)} instead."
                )
        require_bool("tags", self.tags)
        require_words(self.max_words)
        require_choice("risk", self.risk, RISKS)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> FeatureOptions:
        """Options by name; ValueError for one that there is not."""
        for name in options:
            if name not in OPTIONS:
                raise ValueError(f"A parser of features has no option {name!r}: it has {', '.join(OPTIONS)}.")
        return cls(**options)

    @property
    def binarization(self) -> Binarization:
        """How trees are made binary."""
        return Binarization(horizontal=self.horizontal, vertical=self.vertical)
