"""`--scorer neural`: training from files, the other verbs with its models, and messages."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from samples.sequences import EXAMPLES

TREES = EXAMPLES.parent / "parsing"
TRAIN, TEST = EXAMPLES / "train.conllu", EXAMPLES / "test.conllu"
SMALL = (
    "size=12 words=12 width=8 letter_size=8 affixes=4 n_iter=6 batch=4 learning_rate=0.01 min_count=1".split()
)
SET = [word for setting in SMALL for word in ("--set", setting)]


def test_a_tagger_from_training_to_explanation(palmette, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "n.palm"
    files = ["--train", TRAIN, "--dev", TEST]
    assert palmette("train", "tag", *files, "--scorer", "neural", *SET, "-o", out)[0] == 0
    code, found, _ = palmette("evaluate", out, TEST, "--json")
    assert code == 0
    assert json.loads(found)["accuracy"] > 0.8
    code, found, _ = palmette("predict", out, TEST, "--probabilities")
    assert code == 0
    assert "Prob=" in found
    code, found, _ = palmette("inspect", out)
    assert code == 0
    assert "lstm 12, both directions" in found
    code, found, _ = palmette("explain", out, "The dog sleeps .", "--top", "200")
    assert code == 0
    assert "network word=dog" in found


def test_a_parser_from_training_to_explanation(palmette, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "p.palm"
    small = ["layers=1", "arc_size=12", "relation_size=8", "projective=true"]
    more = [word for setting in small for word in ("--set", setting)]
    files = ["--train", TREES / "train.conllu", "--dev", TREES / "test.conllu"]
    assert palmette("train", "depparse", *files, "--scorer", "neural", *SET, *more, "-o", out)[0] == 0
    code, found, _ = palmette("evaluate", out, TREES / "test.conllu", "--json")
    assert code == 0
    assert json.loads(found)["uas"] > 0.3
    code, found, _ = palmette("predict", out, TREES / "test.conllu", "--probabilities")
    assert code == 0
    assert "Prob" in found
    assert palmette("predict", out, TREES / "test.conllu", "--kbest", "2")[0] == 0
    assert palmette("inspect", out)[0] == 0
    code, found, _ = palmette("explain", out, "--file", TREES / "test.conllu", "--token", "2", "--top", "100")
    assert code == 0
    assert "network letters" in found
    code, _, err = palmette(
        "train", "depparse", *files, "--scorer", "neural", "--set", "linear=false", "-o", out
    )
    assert code != 0
    assert "The option 'linear' does nothing for dependency trees" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learner", "mira"], "a network is trained by one of the learners crf, perceptron, svm"),
        (["--learner", "svm", "--set", "loss=crf"], "--learner svm and --set loss=crf contradict each other"),
        (["--set", "layer=2"], "the neural scorer has no option 'layer': did you mean 'layers'?"),
        (["--set", "layers=0"], "The 'layers' parameter must be an int in the range [1, 4]. Got 0 instead."),
        (["--set", "arc_size=3"], "The option 'arc_size' does nothing for sequences"),
        (["--set", "vectors=nowhere.txt"], "nowhere.txt"),
        (["--set", "columns=nothing"], "There is no column 'nothing'"),
        (["--start", "m.palm"], "a neural tagger cannot continue from a model"),
        (["--min-count", "2"], "A neural scorer takes no 'min_count'"),
    ],
)
def test_wrong_options_are_one_sentence(palmette, tmp_path: Path, options: list[str], message: str) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "n.palm"
    code, _, err = palmette("train", "tag", "--train", TRAIN, "--scorer", "neural", *options, "-o", out)
    assert code != 0
    assert message in err
    assert "Traceback" not in err
    assert not out.exists()


def test_without_torch_it_says_what_to_install(
    palmette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith(("palmette.neural", "torch"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    code, _, err = palmette("train", "tag", "--train", TRAIN, "--scorer", "neural", "-o", tmp_path / "n.palm")
    assert code != 0
    assert "This needs the Python package 'torch': pip install 'palmette[neural]'" in err
    assert "Traceback" not in err
