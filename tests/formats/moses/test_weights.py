"""Weights of features as text, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmette.errors import FormatError
from palmette.formats.moses.weights import ordered_weights, parse_weights, read_weights, write_weights


def test_written_weights_are_read(tmp_path: Path) -> None:
    names, weights = ("lm", "tm.0", "tm.1", "words"), [0.1, -1e-20, 1 / 3, 2.0]
    write_weights(names, weights, tmp_path / "w")
    assert ordered_weights(read_weights(tmp_path / "w"), names) == weights
    assert (tmp_path / "w").read_text().splitlines()[1] == "tm= -1e-20 0.3333333333333333"


def test_the_weights_of_a_moses_model() -> None:
    lines = ["[mapping]", "0 T 0", "", "[weight]", "# tuned", "LM0= 0.5", "TM0= 0.2 0.3", "[threads]", "4"]
    assert parse_weights(lines) == {"LM0": 0.5, "TM0.0": 0.2, "TM0.1": 0.3}


@pytest.mark.parametrize("line", ["lm 0.5", "lm= 0.5", "lm: 0.5", "lm=0.5"])
def test_a_name_may_have_a_sign(line: str) -> None:
    assert parse_weights([line, "tm 0.2 0.3"]) == {"lm": 0.5, "tm.0": 0.2, "tm.1": 0.3}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["lm half"], "w:1: expected a name and its weights, as in 'lm= 0.5'; got 'lm half'"),
        (["lm="], "w:1: expected a name"),
        (["lm= 1", "lm= 2"], "w:2: the feature 'lm' has two weights"),
        (["lm= nan"], "w:1: expected a finite number for 'lm'; got 'nan'"),
        (["lm= one"], "w:1: expected a finite number for 'lm'; got 'one'"),
        ([], "there are no weights"),
    ],
)
def test_broken_lines(lines: list[str], message: str) -> None:
    with pytest.raises(FormatError) as error:
        parse_weights(lines, "w")
    assert message in str(error.value)


def test_other_features() -> None:
    with pytest.raises(FormatError, match="no weight for the feature 'tm'"):
        ordered_weights({"lm": 1.0}, ["lm", "tm"])
    with pytest.raises(FormatError, match="there is no feature 'tm': the features are lm"):
        ordered_weights({"lm": 1.0, "tm": 1.0}, ["lm"])
