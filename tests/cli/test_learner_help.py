"""`palmette train TOOL --help-learner NAME`."""

from __future__ import annotations

import pytest

from palmette.cli import main
from palmette.learning.registry import learner_class, learner_names

CASES = [
    *(("tag", name) for name in learner_names("linear")),
    *(("classify", name) for name in ("crf", *learner_names("kernel", "memory"))),
    *((tool, name) for tool in ("align", "induce") for name in learner_names("expectations")),
    *((tool, "perceptron") for tool in ("spans", "parse", "depparse", "rerank")),
]


@pytest.mark.parametrize(("tool", "name"), CASES)
def test_options_with_type_default_and_help(tool: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", tool, "--help-learner", name]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith(f"{name}: ")
    for one in learner_class(name).describe():
        assert f" {one.name} {one.takes} [default: " in out
        assert f"] {one.help} " in out


@pytest.mark.parametrize(
    ("tool", "name", "sentence"),
    [
        ("tag", "crff", "no learner 'crff': did you mean 'crf'? There are crf, perceptron"),
        ("tag", "vb", "no learner 'vb'"),
        ("classify", "kernelsvm", "no learner 'kernelsvm': did you mean 'kernel-svm'?"),
        ("induce", "crf", "no learner 'crf': There are vb, em"),
        ("lm", "crf", "a language model is counted and has no learners"),
    ],
)
def test_unknown_learner(tool: str, name: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", tool, "--help-learner", name]) == 2
    assert sentence in capsys.readouterr().err


def test_help_of_learner_mentions_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "tag", "--help"]) == 0
    assert "--help-learner NAME shows its options" in " ".join(capsys.readouterr().out.split())
