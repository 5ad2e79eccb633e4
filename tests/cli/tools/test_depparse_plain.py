"""`palmette train depparse` as it is typed, with the real methods, on treebanks of all kinds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from palmette import CRF, DependencyParser
from palmette.formats import read_conllu
from palmette.formats.model import ModelFile
from palmette.tools.sequence import jackknifing
from samples.corpora import real_file, real_files
from samples.treebank import TRAIN

pytestmark = pytest.mark.native

SMALL = ["--set", "bits=14", "--set", "label_bits=10"]
# "a" hangs from "b" across "y", the root, and "y" has "x": two arcs cross.
CROSSING = [("x", "X", 3, "mod"), ("a", "A", 4, "amod"), ("y", "Y", 0, "root"), ("b", "B", 3, "obj")]
PLAIN = [("a", "A", 2, "amod"), ("b", "B", 0, "root")]


def conllu(*sentences: list[tuple[str, str, int, str]]) -> str:
    return "".join(
        "".join(f"{i}\t{w}\t{w}\t{t}\t_\t_\t{h}\t{r}\t_\t_\n" for i, (w, t, h, r) in enumerate(s, 1)) + "\n"
        for s in sentences
    )


@pytest.fixture
def crossing(tmp_path: Path) -> Path:
    path = tmp_path / "crossing.conllu"
    path.write_text(conllu(*[CROSSING] * 6, *[PLAIN] * 6))
    return path


@pytest.fixture
def model(palmette, crossing: Path, tmp_path: Path) -> Path:
    path = tmp_path / "m.palm"
    assert palmette("train", "depparse", "--train", crossing, *SMALL, "-o", path) == (0, "", "")
    return path


@pytest.mark.parametrize("more", [[], ["--with-tags"]])
def test_arcs_that_cross_are_learnt_by_mira(
    palmette, crossing: Path, tmp_path: Path, more: list[str]
) -> None:
    path = tmp_path / "m.palm"
    assert palmette("train", "depparse", "--train", crossing, *SMALL, *more, "-o", path).code == 0
    parser = DependencyParser.load(path)
    assert parser.training_["learner"] == "MIRA"
    assert parser.model_.settings()["projective"] is False
    assert parser.score(crossing) == 1


@pytest.mark.parametrize("text", ["(S (NP I) (VP sleep))\n", "(S (NP 0=I) (VP 1=sleep))\n"])
def test_trees_of_phrases_are_no_treebank_of_dependencies(
    palmette, model: Path, crossing: Path, tmp_path: Path, text: str
) -> None:
    path, train = tmp_path / "x.mrg", ["train", "depparse", *SMALL, "-o", tmp_path / "n.palm"]
    path.write_text(text)
    for command in (
        [*train, "--train", path],
        [*train, "--train", path, "--skip-bad"],
        [*train, "--train", crossing, "--dev", path],
        ["evaluate", model, path],
    ):
        code, out, err = palmette(*command)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert "x.mrg holds trees of phrases (" in err
        assert "palmette train parse learns from trees of phrases" in err


def test_training_notes_that_it_learns_crossing_arcs(crossing: Path, tmp_path: Path) -> None:
    def notes(treebank: Path, **options: bool) -> list[str]:
        found: list[str] = []
        made = {"bits": 14, "label_bits": 10, **options}
        DependencyParser("graph", options=made).fit(treebank, note=found.append)
        return found

    (note,) = notes(crossing)
    assert note.startswith("50% of the sentences have arcs that cross: MIRA learns trees with crossing arcs")
    assert notes(crossing, projective=False) == notes(crossing, projective=True) == []
    (tmp_path / "plain.conllu").write_text(conllu(*[PLAIN] * 6))
    assert notes(tmp_path / "plain.conllu") == []


def test_a_log_linear_learner_that_is_named_learns_projective_trees(
    palmette, crossing: Path, tmp_path: Path
) -> None:
    path = tmp_path / "m.palm"
    code, _, err = palmette("train", "depparse", "--train", crossing, *SMALL, "--learner", "crf", "-o", path)
    assert code == 0
    assert "50% of the sentences have arcs that cross" in err
    assert "--learner mira" in err
    parser = DependencyParser.load(path)
    assert parser.training_["settings"]["l2"] == 5.0  # the method's own settings
    assert parser.probabilities_from == "trees"
    assert palmette("predict", path, crossing, "--minimum-risk").code == 0


def test_options_that_do_not_go_together_are_told_before_any_work(
    palmette, crossing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(jackknifing, "train_taggers", never)
    monkeypatch.setattr(jackknifing, "jackknifed", never)
    command = ["train", "depparse", "--train", crossing, "--with-tags", "-o", tmp_path / "m.palm"]
    for wrong, message in [
        ("--learner crf --set projective=false", "take one of the learners perceptron, mira"),
        ("--set threshold=7", "'threshold' parameter must be a number in the range (0, 1]"),
        ("--set bits=28", "take a smaller 'bits'"),
        ("--set l2=1", "it is the default because arcs of this treebank cross"),
        ("--method transition --set beam=100000", "'beam' parameter must be an int in the range [1, 1024]"),
        (
            "--method transition --set beem=2",
            "The method 'transition' has no option 'beem': did you mean 'beam'?",
        ),
        ("--jackknife 100", "12 sentences cannot be cut into 100 parts"),
    ]:
        code, _, err = palmette(*command, *wrong.split())
        assert (code, err.count("\n")) == (1 if "sentences cannot" in message else 2, 1), err
        assert message in err


def test_probabilities_without_a_log_linear_learner_are_named_as_an_estimate(
    palmette, crossing: Path, model: Path
) -> None:
    code, out, err = palmette("predict", model, crossing, "--probabilities")
    assert code == 0
    assert "HeadProb is an estimate by the parser's head filter" in err
    values = [float(part.split("=")[1]) for part in out.split() if part.startswith("HeadProb=")]
    assert len(values) == 36
    assert all(0 < value <= 1 for value in values)
    report = json.loads(palmette("evaluate", model, crossing, "--probabilities", "--json").out)
    assert report["probabilities_from"] == "head filter"
    refused = palmette("predict", model, crossing, "--minimum-risk").err
    assert "train it with a learner that estimates them (crf" in refused
    shown = json.loads(palmette("explain", model, "--file", crossing, "--json").out)
    assert shown["tokens"][0]["probability"] is None  # trees are compared, and these have none


@pytest.mark.parametrize(
    "text",
    [
        conllu(PLAIN),
        conllu([("a", "_", 0, "root")]),
        conllu([("a", "_", 2, "_"), ("b", "_", 0, "_")]),
        conllu([("a", "A", 2, "_"), ("b", "B", 0, "ROOT")]),
        conllu(*[CROSSING] * 3),
        conllu([("a", "A", 0, "x"), ("b", "B", 1, "root")]),
    ],
    ids=["one sentence", "one word", "no relations", "the root's relation", "all cross", "root below a word"],
)
@pytest.mark.parametrize("more", [[], ["--with-tags"], ["--method", "transition"]])
def test_odd_treebanks_are_learnt(palmette, tmp_path: Path, text: str, more: list[str]) -> None:
    path, out = tmp_path / "t.conllu", tmp_path / "m.palm"
    path.write_text(text)
    assert palmette("train", "depparse", "--train", path, *SMALL, *more, "-o", out).code == 0
    assert json.loads(palmette("evaluate", out, path, "--json").out)["uas"] > 0
    if "_\t_\t_\t_\n" in text:
        assert json.loads(palmette("evaluate", out, path, "--json").out)["las"] > 0


@pytest.mark.parametrize("name", real_files("ud_*/train.conllu.gz"))
def test_all_treebanks_are_learnt_by_default(name: str) -> None:
    corpus = read_conllu(real_file(name))[:40]
    parser = DependencyParser("graph", options={"bits": 16, "label_bits": 12}).fit(corpus)
    assert parser.score(corpus) > 0.6
    tree = parser.predict(corpus[:1])[0]
    assert [label == "root" for label in tree.labels or ()] == [head == 0 for head in tree.heads]


def test_the_settings_of_a_learner_do_not_depend_on_who_names_it(palmette, tmp_path: Path) -> None:
    files = []
    for more in ([], ["--learner", "crf"]):
        files.append(tmp_path / f"{len(files)}.palm")
        assert palmette("train", "depparse", "--train", TRAIN, *SMALL, *more, "-o", files[-1]).code == 0
    first, second = (ModelFile.load(file).options["training"]["settings"] for file in files)
    assert first == second
    assert first["l2"] != CRF().l2
