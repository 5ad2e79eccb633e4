"""Exit codes: 2 for a command that cannot be right whatever the data is, 1 for everything else that goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from samples.sequences import EXAMPLES

pytestmark = pytest.mark.native
TRAIN = EXAMPLES.parent / "parsing" / "train.conllu"


@pytest.mark.parametrize(
    "line",
    [
        "train tag --train {train} --learner nope",
        "train tag --train {train} --set l2=abc",
        "train tag --train {train} --set nope=1",
        "train tag --train {train} --templates nope",
        "train tag --train {train} --about x",
        "train depparse --train {train} --columns nope",
        "train depparse --train {train} --learner memm",
        "train parse --train {train} --method nope",
        "train classify --train {train} --columns label,nope",
        "train lm --train {train} --prune 1,x",
        "train align --source {train}",
        "train align --source {train} --target {train} --method nope",
        "train nope --train {train}",
        "train tag --train {train} --nope",
    ],
)
def test_wrong_usage_is_two(line: str, palmette, tmp_path: Path) -> None:
    """Whatever the data is, such a command cannot be right."""
    got = palmette(*line.format(train=TRAIN).split(), "-o", tmp_path / "m.palm")
    assert (got.code, got.err.count("\n")) == (2, 1), got
    assert not (tmp_path / "m.palm").exists()


@pytest.mark.parametrize(
    "line",
    [
        "train tag --train missing.conllu",
        "train tag --train {train} --column nope",
        "train lm --train missing.txt",
        "predict missing.palm",
        "inspect missing.palm",
        "convert missing.conllu --to columns",
        "draw missing.mrg",
        "deduce missing.rules",
        "grammar missing.cfg",
    ],
)
def test_wrong_data_is_one(line: str, palmette, tmp_path: Path) -> None:
    output = ["-o", tmp_path / "m.palm"] if line.startswith("train") else []
    got = palmette(*line.format(train=TRAIN).split(), *output)
    assert (got.code, got.err.count("\n")) == (1, 1), got
