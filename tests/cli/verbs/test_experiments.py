"""`palmette cross-validate`, `learning-curve` and `search`, for every tool, and against training by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from palmette.cli import main
from palmette.cli.held_out import all_lines, documents, filled_lines, parallel, sentences
from palmette.tools.experiments.material import folds_of

GARDEN = Path(__file__).parents[2] / "data" / "garden"
EXAMPLES = Path(__file__).parents[3] / "examples"
CONLLU, TREES = GARDEN / "train.conllu", GARDEN / "train.mrg"
PAIRS = EXAMPLES / "alignment" / "pairs.tsv"

TOOLS = {
    "tag": f"--train {CONLLU} --learner perceptron",
    "spans": f"--train {GARDEN / 'train.names.txt'} --learner perceptron",
    "induce": f"--train {CONLLU} --states 3",
    "morphology": f"--train {CONLLU}",
    "lemmas": f"--train {CONLLU}",
    "tokens": f"--train {CONLLU}",
    "depparse": f"--train {CONLLU} --method transition",
    "pipeline": f"--train {CONLLU} --jackknife 0 --only lemmas,morphology",
    "parse": f"--train {TREES} --method pcfg",
    "classify": f"--train {GARDEN / 'train.questions.tsv'}",
    "lm": f"--train {EXAMPLES / 'language_models/text.txt'} --order 2",
    "translate": f"--train {EXAMPLES / 'translation/train.tsv'} --tuning none",
    "sentiment": f"--train {EXAMPLES / 'sentiment/train.tsv'}",
    "senses": f"--train {EXAMPLES / 'senses/train.tsv'} --inventory {EXAMPLES / 'senses/inventory.tsv'}",
    "semantics": f"--train {EXAMPLES / 'semantics/questions_en_train.tsv'} "
    f"--database {EXAMPLES / 'semantics/planets.tsv'}",
    "rerank": f"--base parse --method pcfg --candidates 3 --train {TREES}",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_is_cross_validated(palmette, tool: str) -> None:
    found = palmette("cross-validate", tool, *TOOLS[tool].split(), "--folds", 2, "--json", "-q")
    assert found.code == 0, found.err
    report = json.loads(found.out)
    assert report["measure"] in report["mean"]
    values = [trial[report["measure"]] for trial in report["trials"]]
    assert sum(values) / 2 == pytest.approx(report["mean"][report["measure"]])
    assert sum(trial["tested"] for trial in report["trials"]) == report["examples"]


def test_a_fold_is_training_and_evaluating_by_hand(palmette, tmp_path: Path) -> None:
    found = palmette(
        *("cross-validate", "tag", "--train", CONLLU, "--learner", "perceptron", "--folds", 3, "--seed", 4),
        "--json",
    )
    blocks = sentences(CONLLU.read_bytes())
    test = folds_of(len(blocks), 3, 4)[0]
    rest = [i for i in range(len(blocks)) if i not in test]
    for name, rows in (("train", rest), ("test", test)):
        (tmp_path / f"{name}.conllu").write_bytes(b"".join(blocks[i] for i in rows))
    learner = ("--learner", "perceptron", "--seed", 4, "-q")
    assert (
        palmette(
            "train", "tag", "--train", tmp_path / "train.conllu", *learner, "-o", tmp_path / "m.palm"
        ).code
        == 0
    )
    by_hand = palmette("evaluate", tmp_path / "m.palm", tmp_path / "test.conllu", "--json")
    assert json.loads(found.out)["trials"][0]["accuracy"] == json.loads(by_hand.out)["accuracy"]


@pytest.fixture
def links(tmp_path: Path) -> Path:
    assert main(["train", "align", "--train", str(PAIRS), "-q", "-o", str(tmp_path / "a.palm")]) == 0
    assert main(["predict", str(tmp_path / "a.palm"), str(PAIRS), "-o", str(tmp_path / "links")]) == 0
    return tmp_path / "links"


def test_pairs_of_two_files_are_those_of_one(palmette, links: Path, tmp_path: Path) -> None:
    rows = [line.split("\t") for line in PAIRS.read_text().splitlines()]
    for k, name in enumerate(("source", "target")):
        (tmp_path / name).write_text("".join(f"{row[k]}\n" for row in rows))
    asked = ("--method", "model1", "--folds", 2, "--reference", links, "--json", "-q")
    one = palmette("cross-validate", "align", "--train", PAIRS, *asked)
    two = palmette(
        "cross-validate", "align", "--source", tmp_path / "source", "--target", tmp_path / "target", *asked
    )
    assert json.loads(one.out)["mean"] == json.loads(two.out)["mean"]


def test_the_curve_on_a_dev_set(palmette, tmp_path: Path) -> None:
    found = palmette(
        *(
            "learning-curve",
            "tag",
            "--train",
            CONLLU,
            "--dev",
            GARDEN / "dev.conllu",
            "--learner",
            "perceptron",
        ),
        *("--sizes", "10,50%,1.0", "--plot", tmp_path / "curve.svg"),
    )
    assert found.code == 0
    sizes = [int(line.split()[0]) for line in found.out.splitlines()[1:]]
    assert sizes == [10, 46, 92]
    assert (tmp_path / "curve.svg").read_text().startswith("<svg")


def test_a_plot_of_another_kind_is_refused_before_the_work(palmette, tmp_path: Path) -> None:
    image = tmp_path / "curve.png"
    refused = palmette("learning-curve", "tag", "--train", CONLLU, "--plot", image)
    assert (refused.code, refused.out) == (2, "")
    assert f"expected a name that ends in .svg. Got {image}." in refused.err
    assert not image.exists()


def test_the_search_tries_learners_and_options_and_saves_the_best(palmette, tmp_path: Path) -> None:
    found = palmette(
        *(
            "search",
            "tag",
            "--train",
            CONLLU,
            "--learners",
            "perceptron,crf",
            "--try",
            "l2=0.1,1",
            "--folds",
            2,
        ),
        *("--try", "order=0,1", "--set", "random_state=3", "--json", "-o", tmp_path / "best.palm"),
    )
    assert found.code == 0, found.err
    report = json.loads(found.out)
    assert len(report["candidates"]) == 2 + 4
    assert all("l2" in one["settings"] for one in report["candidates"] if one["settings"]["learner"] == "crf")
    inspected = palmette("inspect", tmp_path / "best.palm", "--json")
    assert report["best"]["learner"] in inspected.out.lower()


def test_options_of_the_command_are_tried_in_their_types(palmette) -> None:
    found = palmette(
        *("search", "parse", "--train", TREES, "--try", "method=pcfg,markov", "--folds", 2, "--json", "-q")
    )
    settings = [one["settings"]["method"] for one in json.loads(found.out)["candidates"]]
    assert sorted(settings) == ["markov", "pcfg"]


def test_the_order_of_trainings_is_told(palmette, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("palmette.cli.progress._log", told.append)
    palmette("cross-validate", "tag", "--train", CONLLU, "--learner", "perceptron", "--folds", 2)
    assert told[0] == "92 examples"
    assert [line[:6] for line in told[1:]] == ["fold 1", "fold 2"]


def test_ctrl_c_shows_what_is_done(palmette, monkeypatch: pytest.MonkeyPatch) -> None:
    from palmette.cli.file_material import FileMaterial

    trial, seen = FileMaterial.trial, []

    def stopped(self: FileMaterial, *given: Any) -> Any:
        seen.append(given)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return trial(self, *given)

    monkeypatch.setattr(FileMaterial, "trial", stopped)
    found = palmette("cross-validate", "tag", "--train", CONLLU, "--learner", "perceptron", "--folds", 4)
    assert found.code == 130
    assert "interrupted after 2 of 4 trainings" in found.err
    assert "fold 2" in found.out
    assert "fold 3" not in found.out


def test_errors_name_the_file_of_the_user_and_its_line(palmette, tmp_path: Path) -> None:
    (tmp_path / "bad.conllu").write_bytes(CONLLU.read_bytes() + b"1\tx\n\n")
    found = palmette("cross-validate", "tag", "--train", tmp_path / "bad.conllu", "--folds", 2)
    assert found.code == 1
    assert "bad.conllu:" in found.err
    assert "CoNLL-U has 10" in found.err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"cross-validate tag --train {CONLLU} --folds 500", "Got 92 examples for 500 folds"),
        ("cross-validate tag --train /dev/null", "the file has none"),
        (f"cross-validate thesaurus --train {CONLLU}", "none can be held out"),
        (f"cross-validate align --train {PAIRS}", "--reference is missing"),
        (f"cross-validate align --train {PAIRS} --reference {CONLLU}", "as many examples in each file"),
        (f"cross-validate tag --train {CONLLU} --reference {CONLLU}", "--reference does not apply"),
        (
            f"cross-validate align --train {PAIRS} --reference {PAIRS} --alignment-to x",
            "--alignment-to writes",
        ),
        (f"cross-validate align --reference {PAIRS}", "give --source or --target or --train"),
        (f"learning-curve tag --train {CONLLU} --sizes ten", "'ten' is not a size"),
        (f"search tag --train {CONLLU}", "expected something to try"),
        (f"search tag --train {CONLLU} --try order", "is not KEY=VALUE"),
        (f"search tag --train {CONLLU} --try order=1 --try order=2", "tried twice"),
        (f"search tag --train {CONLLU} --try order=high", "order=high: expected int"),
        (f"search tag --train {CONLLU} --try unknown=1", "no option 'unknown'"),
        (f"search tag --train {CONLLU} --learners crff", "did you mean 'crf'"),
        (f"search depparse --train {CONLLU} --try method=grap", "expected one of graph, transition"),
    ],
)
def test_what_is_refused(palmette, line: str, message: str) -> None:
    found = palmette(*line.split(), "-q")
    assert found.code != 0
    assert message in found.err
    assert "Traceback" not in found.err


def test_files_are_cut_into_examples() -> None:
    assert sentences(b"# id\na\tA\n\n\nb\tB\r\n\r\n") == [b"# id\na\tA\n\n", b"b\tB\n\n"]
    assert sentences(b"(S (A a)) (S\n (B b))\n") == [b"(S (A a))\n", b"(S\n (B b))\n"]
    assert filled_lines(b"a\n\nb") == [b"a\n", b"b\n"]
    assert all_lines(b"a\n\nb\n") == [b"a\n", b"\n", b"b\n"]
    assert documents(b"p\tx\t1\ta\np\tx\t2\tb\nn\tx\t1\tc\n") == [
        b"p\tx\t1\ta\np\tx\t2\tb\n",
        b"n\tx\t1\tc\n",
    ]
    assert documents(b"p\ta\np\tb\n") == [b"p\ta\n", b"p\tb\n"]
    assert parallel(all_lines, {"train": [b"a\n", b"b\n"]}) == {"train": [b"a\n", b"b\n"]}
    with pytest.raises(ValueError, match="1 in --dev-source, 2 in --target"):
        parallel(all_lines, {"dev_source": [b"a\n"], "target": [b"a\nb\n"]})
