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


def settings(n_iter: int) -> list[str]:
    """The same with another number of passes."""
    return [f"n_iter={n_iter}" if word.startswith("n_iter=") else word for word in SET]


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
    more = tmp_path / "more.palm"
    start = [*files, "--scorer", "neural", "--start", out, "-o", more]
    assert palmette("train", "tag", *start, "--set", "n_iter=1", "--set", "learning_rate=1e-6")[0] == 0
    assert palmette("evaluate", more, TEST)[1].split()[:4] == palmette("evaluate", out, TEST)[1].split()[:4]
    code, _, err = palmette("train", "tag", *start, "--set", "size=13")
    assert code != 0
    assert "A warm start keeps the layers and inputs of the model, whose option 'size' is 12" in err
    code, _, err = palmette("train", "tag", "--train", TRAIN, "--start", out, "-o", more)
    assert code != 0
    assert "the model has a network" in err


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
    again = tmp_path / "again.palm"
    start = ["train", "depparse", *files, "--start", out, "-o", again]
    assert palmette(*start, "--scorer", "neural", "--set", "n_iter=1", "--set", "learning_rate=1e-6")[0] == 0
    assert [palmette("evaluate", one, TREES / "test.conllu")[1].splitlines()[0] for one in (again, out)] == [
        palmette("evaluate", out, TREES / "test.conllu")[1].splitlines()[0]
    ] * 2
    for wrong, message in (
        ([], "goes on from a graph-based model without a network"),
        (["--scorer", "neural", "--columns", "feats"], "A warm start keeps the columns of the model"),
        (["--scorer", "neural", "--with-tags"], "leave out taggers=True (--with-tags)"),
        (["--scorer", "neural", "--set", "layers=3"], "whose option 'layers' is 1"),
    ):
        code, _, err = palmette(*start, *wrong)
        assert code != 0, wrong
        assert message in err
    code, _, err = palmette(
        "train", "depparse", *files, "--scorer", "neural", "--set", "linear=false", "-o", out
    )
    assert code != 0
    assert "The option 'linear' does nothing for dependency trees" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learner", "mira"], "a network is trained by one of the learners crf, perceptron, svm, risk"),
        (["--cluster", "local:2"], "a network trains on one machine: remove --cluster"),
        (["--set", "linear=false", "--templates", "pos"], "linear=false looks at no templates"),
        (
            ["--set", "linear=false", "--set", "feature_dropout=0.2"],
            "'feature_dropout' does nothing for linear",
        ),
        (["--learner", "svm", "--set", "loss=crf"], "--learner svm and --set loss=crf contradict each other"),
        (["--set", "layer=2"], "the neural scorer has no option 'layer': did you mean 'layers'?"),
        (["--set", "layers=0"], "The 'layers' parameter must be an int in the range [1, 4]. Got 0 instead."),
        (["--set", "arc_size=3"], "The option 'arc_size' does nothing for sequences"),
        (["--set", "vectors=nowhere.txt"], "nowhere.txt"),
        (["--set", "columns=nothing"], "There is no column 'nothing'"),
        (["--start", "m.palm"], "m.palm"),
        (["--start", "m.palm", "--order", "2"], "--start keeps the features"),
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


def test_spans_from_training_to_spans(palmette, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    out, data = tmp_path / "n.palm", tmp_path / "train.txt"
    data.write_text("Jack B-PER\nLondon I-PER\nwent O\nto O\nParis B-LOC\n\n" * 12, encoding="utf-8")
    files = ["--train", data, "--dev", data, "--scorer", "neural", *settings(12)]
    assert palmette("train", "spans", *files, "-o", out)[0] == 0
    code, found, _ = palmette("evaluate", out, data, "--json")
    assert code == 0
    assert json.loads(found)["f1"] == 1.0
    code, found, _ = palmette("predict", out, data)
    assert code == 0
    assert found.split("\n\n")[0].split() == data.read_text(encoding="utf-8").split("\n\n")[0].split()
    code, found, _ = palmette("predict", out, data, "--spans", "json")
    assert code == 0
    assert "Jack London" in found
    code, found, _ = palmette("explain", out, "Jack London went", "--top", "200")
    assert code == 0
    assert "network word=" in found


@pytest.mark.parametrize("tool", ["tag", "depparse"])
def test_the_loss_risk_and_a_seed_of_ones_own(palmette, tmp_path: Path, tool: str) -> None:
    pytest.importorskip("torch")
    train = TRAIN if tool == "tag" else TREES / "train.conllu"
    given = ["train", tool, "--train", train, "--scorer", "neural", *settings(2)]
    models = []
    for k, more in enumerate((["--set", "random_state=3"], ["--seed", "3"], [])):
        out = tmp_path / f"{k}.palm"
        assert palmette(*given, "--learner", "risk", *more, "-o", out)[0] == 0
        code, found, _ = palmette("predict", out, train, "--probabilities")
        assert code == 0
        models.append(found)
    assert models[0] == models[1] != models[2]
    assert "Prob=" in models[0]
    assert "ScoreProb=" not in models[0]


def test_the_help_shows_the_defaults_of_the_tool(palmette) -> None:
    wanted = {"tag": ("layers", "1"), "depparse": ("size", "200"), "spans": ("size", "128")}
    for tool, (name, default) in wanted.items():
        code, found, _ = palmette("train", tool, "--help")
        assert code == 0
        text = found[found.index("Options of --scorer neural") :]
        line = next(line for line in text.splitlines() if line.strip().startswith(f"{name}:"))
        assert line.endswith(f"default {default})")


def test_a_cluster_is_for_the_taggers_of_a_parser(palmette, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    out, train = tmp_path / "p.palm", TREES / "train.conllu"
    given = ["train", "depparse", "--train", train, "--scorer", "neural", "--cluster", "local:2", "-o", out]
    code, _, err = palmette(*given)
    assert code != 0
    assert "--cluster is for learners, and a network trains on one machine" in err
    assert palmette(*given, "--with-tags", *settings(1))[0] == 0


@pytest.mark.parametrize("tool", ["tag", "spans"])
def test_without_torch_it_says_what_to_install(
    palmette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    for name in [name for name in sys.modules if name.startswith(("palmette.neural", "torch"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    train = tmp_path / "train.txt"
    train.write_text("Jack B-PER\nwent O\n\n", encoding="utf-8")
    code, _, err = palmette("train", tool, "--train", train, "--scorer", "neural", "-o", tmp_path / "n.palm")
    assert code != 0
    assert "This needs the Python package 'torch': pip install 'palmette[neural]'" in err
    assert "Traceback" not in err
