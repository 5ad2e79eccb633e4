"""Why words have their probabilities: against the numbers of the ARPA file."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from palmette.tools.lm.model import LanguageModel

pytestmark = [pytest.mark.native, pytest.mark.filterwarnings("ignore")]
TEXT = ["the cat sat on the mat", "the dog sat on the cat", "a dog ran", "a cat ran to the dog"] * 3
LINES = ["the dog ran to zebra mat", "a cat sat", "", "zebra zebra", "the cat sat on the mat"]


def arpa(model: LanguageModel, path: Path) -> dict[tuple[str, ...], tuple[float, float]]:
    """The log10 probability and the backoff of every n-gram, as the file has them."""
    model.save(path)
    rows = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        p, *rest = line.split("\t")
        if rest:
            rows[tuple(rest[0].split())] = float(p), float(rest[1]) if len(rest) > 1 else 0.0
    return rows


@pytest.mark.parametrize("layout", ["hashed", "trie"])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_every_number_is_that_of_the_file(order: int, layout: str, tmp_path: Path) -> None:
    model = LanguageModel.fit(TEXT, order=order, layout=layout)
    rows = arpa(model, tmp_path / "m.arpa")
    costs = 0
    for line in LINES:
        found = model.explain(line)
        assert [one.subject for one in found.decisions] == [*line.split(), "</s>"]
        assert math.fsum(one.margin for one in found.decisions) == pytest.approx(model.score(line), abs=1e-5)
        for decision in found.decisions:
            first, *backoffs = decision.contributions
            word, _, history = re.fullmatch(r"p\((\S+)( \| (.*))?\)", first.feature).groups()  # type: ignore[union-attr]
            ngram = (*(history or "").split(), word)
            assert first.amount == pytest.approx(rows[ngram][0], abs=1e-5)
            assert decision.extra["length"] == len(ngram)
            assert decision.extra["unknown"] is (decision.subject not in model and decision.subject != "</s>")
            for part in backoffs:
                costs += 1
                context = tuple(part.feature.removeprefix("backoff(").removesuffix(")").split())
                assert part.amount == pytest.approx(rows[context][1], abs=1e-5)
                assert len(context) >= len(ngram)
    assert (costs > 0) is (order > 1)


def test_without_the_ends_of_a_sentence() -> None:
    model = LanguageModel.fit(TEXT, order=3)
    found = model.explain("the dog", bos=False, eos=False)
    assert math.fsum(one.margin for one in found.decisions) == pytest.approx(
        model.score("the dog", bos=False, eos=False)
    )
    assert [one.rival for one in found.decisions] == [None, None]


def test_a_word_without_any_probability() -> None:
    model = LanguageModel.fit(TEXT, order=2, smoothing="maximum-likelihood")
    (_, decision, _) = model.explain("the zebra").decisions
    assert decision.margin == -math.inf
    assert decision.to_dict()["margin"] is None
