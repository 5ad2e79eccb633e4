"""Texts for language models, and models of texts too small for discounts."""

import random
import warnings
from collections.abc import Sequence
from typing import Any

from palmette import LanguageModel


def random_text(n: int, words: str, seed: int = 0, longest: int = 9) -> list[str]:
    """Lines whose words lean towards the first, and that repeat each other in part."""
    rng = random.Random(seed)
    weights = [1 / (i + 1) for i in range(len(words))]
    return [" ".join(rng.choices(words, weights, k=rng.randint(0, longest))) for _ in range(n)]


def trained(lines: Sequence[str], **options: Any) -> LanguageModel:
    """A model, with what there is to warn of left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return LanguageModel.fit(lines, **options)
