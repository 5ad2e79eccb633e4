"""What a language model says of words and texts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette._native import NgramState
from palmette.drawing.tables import ReportPicture


class Step(NamedTuple):
    """One word after a history: its log10 probability, the words of the n-gram that was found, whether the word is
    unknown, and the history with it."""

    log_prob: float
    length: int
    unknown: bool
    state: NgramState


@dataclass(frozen=True, eq=False)
class WordScores:
    """The words of several sentences one after another, each sentence with its </s> unless told otherwise.

    log_probs: base 10. lengths: words of the n-gram found for each. unknown: whether the word is not in the model.
    bounds: sentence i is the words bounds[i] to bounds[i + 1].
    """

    log_probs: NDArray[np.float32]
    lengths: NDArray[np.uint8]
    unknown: NDArray[np.bool_]
    bounds: NDArray[np.int64]

    def sentence(self, i: int) -> NDArray[np.float32]:
        """The log10 probabilities of one sentence."""
        return self.log_probs[self.bounds[i] : self.bounds[i + 1]]


@dataclass(frozen=True)
class Evaluation(ReportPicture):
    """How well a model predicts a text.

    perplexity: of all words and ends of sentences. perplexity_known: without unknown words, which still are in the
    histories. oov: unknown words among all words. tokens: words and ends of sentences. words, sentences: numbers.
    log_prob: the sum of log10 probabilities.
    """

    perplexity: float
    perplexity_known: float
    oov: float
    tokens: int
    words: int
    unknown: int
    sentences: int
    log_prob: float

    def to_dict(self) -> dict[str, Any]:
        """The numbers by name."""
        return asdict(self)
