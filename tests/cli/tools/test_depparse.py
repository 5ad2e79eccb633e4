"""`palmette train depparse` and what follows: predict, evaluate, inspect, explain."""

from __future__ import annotations

import gzip
import io
import json
import math
import sys
from pathlib import Path

import pytest

from palmette.cli import main
from palmette.cli.progress import Progress
from palmette.formats import batches
from palmette.formats.conllu import format_conllu, parse_conllu
from palmette.formats.model import ModelFile, fingerprint
from palmette.tools.dependency import model as models
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.sequence.tagger import Tagger
from samples import toy_tree_model
from samples.treebank import BAD_TREES, GOOD, TEST, TRAIN, conllu, garden_trees

pytestmark = pytest.mark.native

PARSER = ["train", "depparse", "--train", str(TRAIN), "--set", "n_iter=4", "-q"]


@pytest.fixture(scope="module", autouse=True)
def toy():
    """The toy stands in for the method "graph"."""
    ordinary = models.METHODS["graph"]
    models.METHODS["graph"] = toy_tree_model.METHOD
    yield
    models.METHODS["graph"] = ordinary


@pytest.fixture(scope="module")
def model(toy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "garden.palm"
    assert main([*PARSER, "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def pipeline(toy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "line.palm"
    assert main([*PARSER, "--with-tags", "--jackknife", "2", "-o", str(path)]) == 0
    return path


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch):
    """Puts text on standard input."""

    def put(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return put


def rows(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.split("\n") if "\t" in line]


# train


def test_the_model_knows_its_training(model: Path) -> None:
    file = ModelFile.load(model, "dependency parser")
    assert file.fingerprint == fingerprint(TRAIN.read_bytes())
    training = file.options["training"]
    assert (training["sentences"], training["tokens"], training["passes"]) == (50, 391, 4)
    assert (file.options["method"], file.options["columns"]) == ("graph", ["upos"])


def test_options_reach_the_parser(palmette, tmp_path: Path) -> None:
    out = tmp_path / "m.palm"
    options = "--columns upos --jackknife 3 --compact --seed 3 --n-jobs 2 --set swing=2 --set n_iter=2"
    facts = ["--about", "licence=CC0", "--tag-learner", "perceptron"]
    assert palmette(
        "train", "depparse", "--train", TRAIN, "--dev", TEST, *options.split(), *facts, "-o", out
    ) == (0, "", "")
    file = ModelFile.load(out)
    training = file.options["training"]
    assert (training["jackknife"], training["licence"], training["settings"]["random_state"]) == (3, "CC0", 3)
    assert file.options["options"] == {"swing": 2}
    assert file.options["settings"] == {"options": {"swing": 2}}
    assert training["dev_score"] > 0.4


def test_progress_is_told_pass_by_pass(palmette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    monkeypatch.setattr(Progress, "note", lambda self, text: notes.append(text))
    options = ["--dev", TEST, "--set", "n_iter=2", "--jackknife", 2]
    assert palmette("train", "depparse", "--train", TRAIN, *options, "-o", tmp_path / "m").code == 0
    assert notes[0] == "50 sentences, 391 words"
    assert notes[1] == "tagged part 1 of 2 by taggers that have not seen it"
    assert "dev 0." in notes[3]
    assert notes[-1].startswith("saved ")


def test_help_names_the_methods_and_learners(palmette) -> None:
    code, out, err = palmette("train", "depparse", "--help")
    assert (code, err) == (0, "")
    for word in (
        "--method",
        "graph",
        "transition",
        "--jackknife",
        "--with-tags",
        "--skip-bad",
        "perceptron  ",
    ):
        assert word in out
    assert "depparse" in palmette("train", "--help").out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--learner crv", "no learner 'crv': did you mean 'crf'?"),
        ("--set niter=1", "did you mean 'n_iter'?"),
        ("--set niter=1", "the method 'graph' has single_root, swing"),
        ("--columns colour", "A parser can look at lemma, upos, xpos, feats, and not at 'colour'"),
        ("--columns xpos", "The column 'xpos' of the treebank is empty"),
        ("--jackknife 1", "'jackknife' parameter must be 0 or a number of parts from 2 on"),
        ("--about x", "KEY=VALUE"),
        ("--tag-learner x", "no learner 'x'"),
    ],
)
def test_wrong_requests(palmette, tmp_path: Path, options: str, sentence: str) -> None:
    code, out, err = palmette(
        "train", "depparse", "--train", TRAIN, *options.split(), "-o", tmp_path / "m.palm"
    )
    assert (code, out, err.count("\n")) == (1 if "is empty" in sentence else 2, "", 1)
    assert sentence in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("fault", BAD_TREES)
def test_bad_trees(palmette, tmp_path: Path, fault: str) -> None:
    text, line, message = BAD_TREES[fault]
    path, out = tmp_path / "x.conllu", tmp_path / "m.palm"
    path.write_text(GOOD + text + GOOD)
    code, _, err = palmette("train", "depparse", "--train", path, "-o", out)
    assert (code, err.count("\n")) == (1, 1)
    assert f"{path}:{line}: " in err
    assert message in err
    assert not out.exists()
    assert palmette("train", "depparse", "--train", path, "--skip-bad", "-o", out) == (
        0,
        "",
        "palmette: left out 1 sentence whose heads do not form a tree\n",
    )


def test_heads_out_of_range_and_no_trees(palmette, tmp_path: Path) -> None:
    path, out = tmp_path / "x.conllu", tmp_path / "m.palm"
    path.write_text(GOOD + conllu(9, 0))
    assert f"{path}:5: " in palmette("train", "depparse", "--train", path, "-o", out).err
    path.write_text(conllu("_", "_"))
    assert "a word without a head" in palmette("train", "depparse", "--train", path, "-o", out).err
    path.write_text("")
    assert palmette("train", "depparse", "--train", path, "-o", out).code == 1
    assert not out.exists()


# predict


def test_conllu_keeps_everything_else(palmette, model: Path, tmp_path: Path) -> None:
    text = (
        "# sent_id = 1\n# text = Don't go.\n"
        "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\tx=y\n"
        "1\tDo\tdo\tAUX\tVB\tMood=Imp\t_\t_\t3:aux\t_\n"
        "2\tn't\tnot\tPART\tRB\t_\t1\tadvmod\t_\tA=1|B=2\n"
        "3\tgo\tgo\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
        "3.1\tx\t_\t_\t_\t_\t_\t_\t0:root\t_\n"
        "4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_\n\n"
    )
    (tmp_path / "in.conllu").write_text(text)
    got = palmette("predict", model, tmp_path / "in.conllu").out
    (tree,) = DependencyParser.load(model).predict(tmp_path / "in.conllu")
    lines = text.split("\n")
    for row, head, relation in zip((3, 4, 5, 7), tree.heads, tree.labels):
        cells = lines[row].split("\t")
        lines[row] = "\t".join([*cells[:6], str(head), relation, *cells[8:]])
    assert got == "\n".join(lines)


def test_the_same_by_batches_of_any_size(palmette, model: Path, monkeypatch, tmp_path: Path) -> None:
    want = palmette("predict", model, TEST).out
    assert want == format_conllu(DependencyParser.load(model).parse(garden_trees("test"))).decode()
    for size in (1, 1000):
        for name in ("SIZE", "TEXT_SIZE"):
            monkeypatch.setattr(batches, name, size)
        assert palmette("predict", model, TEST).out == want
    with gzip.open(tmp_path / "x.gz", "wb") as file:
        file.write(TEST.read_bytes())
    assert palmette("predict", model, tmp_path / "x.gz").out == want


def test_text_through_a_pipeline(palmette, pipeline: Path, typed) -> None:
    typed("The cook leaves. Clara doesn't.\n")
    code, out, err = palmette("predict", pipeline)
    assert (code, err) == (0, "")
    words = ["The", "cook", "leaves", "."]
    parsed = DependencyParser.load(pipeline).parse([words])[0]
    want = [
        [str(m), form, "_", tag, "_", "_", str(head), relation]
        for m, (form, tag, head, relation) in enumerate(
            zip(words, parsed["upos"], parsed.heads.tolist(), parsed["deprel"]), 1
        )
    ]
    assert [row[:8] for row in rows(out)[:4]] == want
    assert "# text = Clara doesn't." in out


def test_text_without_taggers(palmette, model: Path, typed) -> None:
    typed("The cook leaves.\n")
    code, _, err = palmette("predict", model)
    assert (code, err.count("\n")) == (1, 1)
    assert "the sentences have no upos: give them, or train the parser with taggers" in err
    assert "taggers=True in Python, --with-tags on the command line" in err


def test_tags_are_predicted_anew_when_asked(palmette, pipeline: Path, tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text(GOOD.replace("NOUN", "X"))
    assert rows(palmette("predict", pipeline, tmp_path / "x.conllu").out)[0][3] == "X"
    assert rows(palmette("predict", pipeline, tmp_path / "x.conllu", "--retag").out)[0][3] != "X"


def test_arc_probabilities(palmette, model: Path) -> None:
    got = [row[9].split("|")[-1] for row in rows(palmette("predict", model, TEST, "--probabilities").out)]
    want = [p for row in DependencyParser.load(model).arc_probabilities(TEST) for p in row.tolist()]
    assert got == [f"ArcProb={p:.4f}" for p in want]


def test_k_best(palmette, model: Path, tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text(GOOD + conllu(0, 1, 1))
    out = palmette("predict", model, tmp_path / "x.conllu", "--kbest", 3).out
    ranked = DependencyParser.load(model).kbest(tmp_path / "x.conllu", 3)
    corpus = parse_conllu(out)
    assert len(corpus) == sum(map(len, ranked)) == 2 + 3
    for sentence, one in zip(corpus, [one for trees in ranked for one in trees]):
        assert tuple(sentence.heads.tolist()) == one.output.heads
        assert f"# score = {one.score:.4f}" in sentence.comments
    assert corpus[3].comments == ["# a comment", "# kbest = 2", f"# score = {ranked[1][1].score:.4f}"]
    assert palmette("predict", model, TEST, "--kbest", 2, "--probabilities").code == 2
    assert palmette("predict", model, TEST, "--kbest", 2, "--draw", "--svg").code == 2


def test_heads_that_are_there_stay(palmette, model: Path, tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text(conllu(2, "_", 4, "_") + GOOD.replace("\t2\t", "\t_\t"))
    out = palmette("predict", model, tmp_path / "x.conllu", "--keep-heads").out
    heads = [row[6] for row in rows(out)]
    assert (heads[0], heads[2]) == ("2", "4")
    ranked = parse_conllu(palmette("predict", model, tmp_path / "x.conllu", "--keep-heads", "--kbest", 3).out)
    assert all(s.heads[0] == 2 and s.heads[2] == 4 for s in ranked if len(s) == 4)
    (tmp_path / "x.conllu").write_text(conllu(2, 1, "_"))
    code, _, err = palmette("predict", model, tmp_path / "x.conllu", "--keep-heads")
    assert code == 1
    assert "Sentence 1, word 1: the known heads go round in a circle" in err


def test_options_of_search(palmette, model: Path, tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text(conllu(0, "_", 0))
    assert palmette("predict", model, tmp_path / "x.conllu", "--keep-heads").code == 1
    got = palmette("predict", model, tmp_path / "x.conllu", "--keep-heads", "--set", "single_root=false")
    assert [row[6] for row in rows(got.out)][::2] == ["0", "0"]
    assert "no option 'beam'" in palmette("predict", model, TEST, "--set", "beam=2").err


def test_drawings(palmette, model: Path, tmp_path: Path) -> None:
    code, out, err = palmette("predict", model, TEST, "--draw")
    assert (code, err) == (0, "")
    assert "# sent_id = " in out
    assert "nsubj" in out
    page = palmette("predict", model, TEST, "--svg").out
    assert page.startswith("<!doctype html>")
    assert page.count("<svg ") == 10
    assert page.endswith("</body></html>\n")
    assert palmette("predict", model, TEST, "--svg", "-o", tmp_path / "x.html").err == ""
    named_svg = palmette("predict", model, TEST, "--svg", "-o", tmp_path / "x.svg")
    assert named_svg.code == 0
    assert f"{tmp_path / 'x.svg'} is a page of HTML with an SVG image for each tree" in named_svg.err


def test_a_long_sentence_says_how_it_was_parsed(palmette, model: Path, tmp_path: Path) -> None:
    words = "".join(f"{i}\ta\t_\tX\t_\t_\t_\t_\t_\t_\n" for i in range(1, 1001))
    (tmp_path / "x.conllu").write_text(words + "\n")
    code, out, err = palmette("predict", model, tmp_path / "x.conllu")
    assert (code, len(rows(out))) == (0, 1000)
    assert err == "palmette: sentence 1 has 1,000 words, too many for this model: a chain\n"


def test_what_cannot_be_parsed(palmette, model: Path, typed) -> None:
    typed("The X\ncook X\n\nThe X\n\n")
    code, _, err = palmette("predict", model)
    assert (code, err.count("\n")) == (2, 1)
    assert "expected CoNLL-U or text, got columns" in err
    typed("")
    assert palmette("predict", model) == (0, "", "")


# evaluate, inspect, explain


def test_evaluate(palmette, model: Path) -> None:
    report = json.loads(palmette("evaluate", model, TEST, "--json").out)
    scores = DependencyParser.load(model).evaluate(TEST)
    assert report["las"] == scores.las
    assert (report["uas"], report["clas"], report["exact"]) == (scores.uas, scores.clas, scores.exact_match)
    assert report["tokens"] == 80
    assert report["seconds"] > 0
    assert report["relations"]["det"]["recall"] == scores.relations["det"].recall
    low, high = report["las_interval"]
    assert low <= report["las"] <= high
    shown = palmette("evaluate", model, TEST).out
    assert f"{scores.las:.4f}" in shown
    assert "nsubj" in shown


def test_calibration(palmette, model: Path) -> None:
    report = json.loads(palmette("evaluate", model, TEST, "--json", "--probabilities").out)
    assert 0 < report["calibration_error"] < 0.5
    assert sum(row["count"] for row in report["calibration"].values()) == 80


def test_evaluate_a_pipeline(palmette, pipeline: Path) -> None:
    parser = DependencyParser.load(pipeline)
    report = json.loads(palmette("evaluate", pipeline, TEST, "--json").out)
    assert report["las"] == parser.score(TEST)
    assert report["upos_accuracy"] == parser.taggers_["upos"].score(garden_trees("test"))
    given = json.loads(palmette("evaluate", pipeline, TEST, "--json", "--gold-tags").out)
    assert given["las"] == parser.evaluate(TEST, retag=False).las
    assert "upos_accuracy" not in given


def test_evaluate_unseen_relations_and_no_trees(palmette, model: Path, tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text(GOOD.replace("nsubj", "strange"))
    report = json.loads(palmette("evaluate", model, tmp_path / "x.conllu", "--json").out)
    assert report["relations_never_seen"] == ["strange"]
    assert report["las"] <= 0.5
    (tmp_path / "x.conllu").write_text(conllu("_", "_"))
    assert "there are no trees to compare with" in palmette("evaluate", model, tmp_path / "x.conllu").err
    (tmp_path / "x.conllu").write_text(conllu(0, "_"))
    code, _, err = palmette("evaluate", model, tmp_path / "x.conllu")
    assert (code, err.count("\n")) == (1, 1)
    assert f"{tmp_path / 'x.conllu'}:3: a word without a head" in err
    dev = ["--dev", tmp_path / "x.conllu", "-o", tmp_path / "m.palm"]
    assert (
        f"{tmp_path / 'x.conllu'}:3: a word without"
        in palmette("train", "depparse", "--train", TRAIN, *dev).err
    )


def test_inspect(palmette, model: Path, pipeline: Path) -> None:
    details = json.loads(palmette("inspect", model, "--json").out)["details"]
    assert (details["method"], details["columns"]) == ("graph", ["upos"])
    assert details["relations"] == DependencyParser.load(model).relations_
    assert details["training"]["sentences"] == 50
    assert "sentences" in palmette("inspect", model).out
    details = json.loads(palmette("inspect", pipeline, "--json").out)["details"]
    assert list(details["taggers"]) == ["upos"]


def test_explain(palmette, model: Path, pipeline: Path, typed) -> None:
    report = json.loads(palmette("explain", pipeline, "The cook leaves.", "--json", "--top", 100).out)
    assert [row["subject"] for row in report["tokens"]] == ["The", "cook", "leaves", "."]
    for row in report["tokens"]:
        total = math.fsum(part["amount"] for part in row["contributions"]) + row["rest"]
        assert total == pytest.approx(row["margin"], rel=1e-6)
        assert 0 <= row["probability"] <= 1
    shown = palmette("explain", pipeline, "The cook leaves.", "--token", 2, "--top", 3).out
    assert shown.startswith("2  cook  ")
    assert "runner-up" in shown
    by_file = palmette("explain", model, "--file", TEST, "--sentence", 2, "--token", 1).out
    assert by_file.startswith("1  Will  ")
    other = palmette("explain", pipeline, "The cook leaves.", "--token", 1, "--against", 4).out
    assert "of 4 ." in other
    assert "--against needs --token" in palmette("explain", pipeline, "The cook.", "--against", 1).err
    tags = palmette("explain", pipeline, "The cook.", "--tags").out
    assert tags.startswith("1  The  DET")
    assert "--tags needs a pipeline" in palmette("explain", model, "--file", TEST, "--tags").err
    assert "no token 9" in palmette("explain", pipeline, "The cook.", "--token", 9).err


# models


def test_a_pipeline_among_the_models(
    palmette, pipeline: Path, monkeypatch: pytest.MonkeyPatch, typed
) -> None:
    from palmette import models as shipped

    monkeypatch.setattr(shipped, "_HERE", pipeline.parent)
    assert palmette("models").out.startswith("line     pipeline (")
    assert Tagger.load("line").classes_
    typed("The cook leaves.")
    assert rows(palmette("predict", "line").out)[0][1:4] == ["The", "_", "DET"]


def test_relations_that_a_head_has_once(palmette, model: Path) -> None:
    code, out, err = palmette("predict", str(model), str(TEST), "--unique", "nsubj, obj")
    assert (code, err) == (0, "")
    for sentence in parse_conllu(out.encode()):
        pairs = [(h, r) for h, r in zip(sentence.heads.tolist(), sentence["deprel"]) if r in ("nsubj", "obj")]
        assert len(set(pairs)) == len(pairs)
    code, out, err = palmette("predict", str(model), str(TEST), "--unique", "subject")
    assert (code, out) == (1, "")
    assert err.startswith("palmette: This parser has no relation 'subject': it has ")
    code, out, err = palmette("predict", str(model), str(TEST), "--unique", "nsubj", "--kbest", "2")
    assert (code, out) == (2, "")
    assert "--kbest cannot be combined with" in err


def test_a_treebank_without_relations(palmette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As some distributions of the Penn Treebank: `_`, or ROOT and nothing else."""
    words = [line.split("\t") for line in TRAIN.read_text().split("\n") if not line.startswith("#")]
    told: list[str] = []
    monkeypatch.setattr(Progress, "note", lambda self, text: told.append(text))
    for root in ("_", "ROOT"):
        lines = [
            [*row[:7], root if row[6] == "0" else "_", *row[8:]] if len(row) > 7 else row for row in words
        ]
        bare, path = tmp_path / "bare.conllu", tmp_path / "bare.palm"
        bare.write_text("\n".join("\t".join(row) for row in lines))
        told.clear()
        assert palmette("train", "depparse", "--train", bare, "--set", "n_iter=2", "-o", path).code == 0
        assert "the treebank has no relations: only heads are learned, and words get the relation dep" in told
        report = json.loads(palmette("evaluate", path, bare, "--json").out)
        assert report["las"] is None
        assert report["uas"] > 0.5
        assert report["note"] == "the treebank has no relations, so LAS does not apply"
        assert "relations_never_seen" not in report
        assert json.loads(palmette("evaluate", path, TRAIN, "--json").out)["las"] < report["uas"]
