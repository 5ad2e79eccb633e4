"""BLEU without sacrebleu is that of sacrebleu."""

from __future__ import annotations

import numpy as np
import pytest

from palmette.evaluation.translations import evaluate_translations
from palmette.tools.translation.scoring import score_translations

pytestmark = pytest.mark.native


@pytest.mark.parametrize("seed", range(4))
def test_native_bleu(seed: int) -> None:
    pytest.importorskip("sacrebleu")
    draw = np.random.default_rng(seed)

    def lines() -> list[str]:
        return [" ".join(draw.choice(list("abc."), n)) for n in draw.integers(0, 12, size=15)]

    guess, references = lines(), [lines() for _ in range(1 + seed % 2)]
    want = evaluate_translations(guess, references, metrics=["bleu"], tokenize="none").bleu
    assert score_translations(guess, references, metrics=["bleu"]).bleu == pytest.approx(want)
    every = score_translations(guess, references)
    assert every.bleu == pytest.approx(want)
    assert set(every.scores) == {"bleu", "chrf", "ter"}


def test_nothing_to_score() -> None:
    with pytest.raises(ValueError, match="no translations to score"):
        score_translations([], [[]], metrics=["bleu"])
