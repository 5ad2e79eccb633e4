"""`palmette train tag` and what follows: predict, evaluate, inspect, explain."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from palmette.cli import main
from palmette.cli.progress import Progress
from palmette.formats import batches
from palmette.formats.conllu import format_conllu
from palmette.formats.model import ModelFile, fingerprint
from palmette.tools.sequence.tagger import Tagger
from samples.sequences import EXAMPLES, garden

pytestmark = pytest.mark.native

TRAIN, TEST = EXAMPLES / "train.conllu", EXAMPLES / "test.conllu"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "garden.palm"
    assert main(["train", "tag", "--train", str(TRAIN), "--set", "l2=0.1", "-o", str(path), "-q"]) == 0
    return path


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch):
    """Puts bytes on standard input."""

    def put(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return put


# train


def test_the_model_knows_its_training(model: Path) -> None:
    file = ModelFile.load(model, "tagger")
    assert file.fingerprint == fingerprint(TRAIN.read_bytes())
    training = file.options["training"]
    assert training["learner"] == "CRF"
    assert training["settings"]["l2"] == 0.1
    assert (training["sentences"], training["tokens"], training["column"]) == (50, 391, "upos")


def test_options_reach_the_tagger(palmette, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("w[0]\nsuffix2[0]\n")
    out = tmp_path / "m.palm"
    options = f"--templates {tmp_path / 't'} --order 2 --min-count 2 --compact --seed 3 --n-jobs 2"
    assert palmette("train", "tag", "--train", TRAIN, "--dev", TEST, *options.split(), "-o", out) == (
        0,
        "",
        "",
    )
    file = ModelFile.load(out)
    assert file.options["order"] == 2
    assert file.options["features"]["templates"] == "w[0]\nsuffix2[0]\n"
    assert file.options["training"]["settings"]["random_state"] == 3
    assert file.options["training"]["dev_score"] > 0.5
    assert len(file.strings["features.names"]) <= 10 * len(file.strings["labels"])


def test_going_on_from_a_model(palmette, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "more.palm"
    options = ["--learner", "perceptron", "--set", "n_iter=2", "-q", "--full"]
    assert palmette("train", "tag", "--train", TEST, "--start", model, *options, "-o", out).code == 0
    old, new = Tagger.load(model), Tagger.load(out)
    assert new.classes_ == old.classes_
    assert (new.model_.features.keys() == old.model_.features.keys()).all()
    assert new.score(garden("test")) >= old.score(garden("test"))
    assert (new.model_.weights != old.model_.weights).any()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--order 2", "--start keeps the features and the histories of its model"),
        ("--templates pos", "--start keeps the features and the histories of its model"),
        ("--learner hmm", "cannot continue from a model"),
        ("--learner memm", "of the same kind"),
        ("--column form", "A warm start keeps the labels of the last fit"),
    ],
)
def test_no_going_on_from_a_model(palmette, model: Path, tmp_path: Path, options: str, sentence: str) -> None:
    got = palmette("train", "tag", "--train", TEST, "--start", model, *options.split(), "-o", tmp_path / "m")
    assert (got.code, got.err.count("\n")) == (
        1 if "same kind" in sentence or "warm start" in sentence else 2,
        1,
    ), got
    assert sentence in got.err


def test_gazetteers_and_clusters(palmette, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("Clara\nTom\n")
    (tmp_path / "brown.txt").write_text("0010\tthe\t9\n0111\tgarden\t2\n")
    out = tmp_path / "m.palm"
    given = ["--gazetteer", f"names={tmp_path / 'names.txt'}", "--clusters", f"b={tmp_path / 'brown.txt'}"]
    assert palmette("train", "tag", "--train", TRAIN, *given, "--full", "-o", out).code == 0
    names = Tagger.load(out).model_.features.names()
    assert {"gaz:names[0]=1", "cluster:b[0]=0010", "cluster:b/4[0]=0111"} <= set(names)


def test_facts_about_a_model(palmette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from palmette import models

    out = tmp_path / "xx.palm"
    facts = ["--about", "licence=CC0", "--about", "description=a small garden", "--about", "language=de"]
    assert palmette("train", "tag", "--train", TRAIN, *facts, "-o", out).code == 0
    monkeypatch.setattr(models, "_HERE", tmp_path)
    assert palmette("models").out.endswith("; a small garden; CC0\n")
    assert Tagger.load("xx").training_["language"] == "de"
    assert palmette("train", "tag", "--train", TRAIN, "--about", "x", "-o", out).err.count("KEY=VALUE") == 1


def test_columns_and_gzip(palmette, tmp_path: Path) -> None:
    rows = "".join(
        "".join(f"{word} {tag}\n" for word, tag in zip(s["form"], s["upos"])) + "\n" for s in garden()
    )
    with gzip.open(tmp_path / "t.txt.gz", "wb") as file:
        file.write(rows.encode())
    out = tmp_path / "m.palm"
    assert palmette("train", "tag", "--train", tmp_path / "t.txt.gz", "-o", out).code == 0
    assert Tagger.load(out).training_["columns"] == ["form", "column2"]
    (tmp_path / "in.txt").write_text("The x\nroses x\n\n")
    assert palmette("predict", out, tmp_path / "in.txt").out == "The DET\nroses NOUN\n\n"
    (tmp_path / "one.txt").write_text("The\nroses\n\n")
    got = palmette("predict", out, tmp_path / "one.txt", "--format", "columns")
    assert got.out.split() == ["The", "DET", "roses", "NOUN"]
    assert palmette("predict", out, tmp_path / "in.txt", "--append").out == "The x DET\nroses x NOUN\n\n"


def test_help_lists_the_learners(palmette) -> None:
    code, out, err = palmette("train", "tag", "--help")
    assert (code, err) == (0, "")
    assert "crf         conditional random field" in out
    for option in (
        "--dev",
        "--column",
        "--templates",
        "--order",
        "--min-count",
        "--hash-bits",
        "--gazetteer",
    ):
        assert option in out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--learner crv", "no learner 'crv': did you mean 'crf'? There are crf,"),
        (
            "--set niter=1",
            "the learner 'crf' has no option 'niter': did you mean 'n_iter'? It has n_iter=none",
        ),
        ("--set l2=abc", "The 'l2' parameter must be a number in the range [0, inf). Got 'abc' instead."),
        (
            "--set n_iter=1.5",
            "The 'n_iter' parameter must be an int in the range [1, inf) or None. Got 1.5 instead.",
        ),
        ("--set l2=-1", "The 'l2' parameter must be a number in the range [0, inf). Got -1 instead."),
        ("--templates poss", "unknown templates 'poss': expected pos,"),
        ("--column tags", "no column 'tags' with labels: there are form, lemma"),
        ("--gazetteer cities", "expected NAME=FILE"),
        ("--format text", "text has no labels"),
        ("--min-count 2 --hash-bits 8", "min_count"),
    ],
)
def test_wrong_requests(palmette, tmp_path: Path, options: str, sentence: str) -> None:
    code, out, err = palmette("train", "tag", "--train", TRAIN, *options.split(), "-o", tmp_path / "m.palm")
    assert (code, out, err.count("\n")) == (
        1 if "no column" in sentence or "no labels" in sentence else 2,
        "",
        1,
    )
    assert sentence in err
    assert not list(tmp_path.iterdir())


def test_progress_is_told_pass_by_pass(palmette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    monkeypatch.setattr(Progress, "note", lambda self, text: notes.append(text))
    options = ["--dev", TEST, "--set", "n_iter=3", "--set", "tol=0"]
    assert palmette("train", "tag", "--train", TRAIN, *options, "-o", tmp_path / "m").code == 0
    assert notes[0] == "50 sentences, 391 tokens"
    assert [note.split()[:2] for note in notes[1:4]] == [["pass", "1"], ["pass", "2"], ["pass", "3"]]
    assert all("loss" in note and "dev 0." in note for note in notes[1:4])
    assert notes[4].startswith("saved ")


@pytest.mark.parametrize("after", [0, 2])
def test_ctrl_c(palmette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    from palmette.learning.loglinear import CRF

    ordinary = CRF.epochs

    def interrupted(self, problem, start):
        for number, epoch in enumerate(ordinary(self, problem, start)):
            if number == after:
                raise KeyboardInterrupt
            yield epoch

    monkeypatch.setattr(CRF, "epochs", interrupted)
    code, _, err = palmette("train", "tag", "--train", TRAIN, "-o", tmp_path / "m.palm")
    if after:
        assert (code, err) == (130, "palmette: interrupted after 2 passes; the best so far is saved\n")
        assert Tagger.load(tmp_path / "m.palm").training_["interrupted"]
    else:
        assert (code, err) == (130, "palmette: interrupted\n")
        assert not list(tmp_path.iterdir())


# predict


def test_conllu_keeps_everything_else(palmette, model: Path, tmp_path: Path) -> None:
    text = (
        "# sent_id = 1\n# text = Don't go.\n"
        "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\tx=y\n"
        "1\tDo\tdo\tX\tVB\tMood=Imp\t3\taux\t3:aux\t_\n"
        "2\tn't\tnot\t_\tRB\t_\t3\tadvmod\t_\tA=1|B=2\n"
        "3\tgo\tgo\t_\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
        "3.1\tx\t_\t_\t_\t_\t_\t_\t0:root\t_\n"
        "4\t.\t.\t_\t_\t_\t3\tpunct\t_\t_\n\n"
    )
    (tmp_path / "in.conllu").write_text(text)
    got = palmette("predict", model, tmp_path / "in.conllu").out
    tags = Tagger.load(model).predict([["Do", "n't", "go", "."]])[0]
    lines = text.split("\n")
    for row, tag in zip((3, 4, 5, 7), tags):
        cells = lines[row].split("\t")
        lines[row] = "\t".join([*cells[:3], tag, *cells[4:]])
    assert got == "\n".join(lines)


def test_the_same_by_batches_of_any_size(palmette, model: Path, monkeypatch, tmp_path: Path) -> None:
    want = palmette("predict", model, TEST).out
    tagged = Tagger.load(model).predict_column(garden("test"))
    assert want == format_conllu(garden("test").with_column("upos", tagged)).decode()
    for size in (1, 100, 1000):
        for name in ("SIZE", "TEXT_SIZE"):
            monkeypatch.setattr(batches, name, size)
        assert palmette("predict", model, TEST).out == want
    with gzip.open(tmp_path / "x.gz", "wb") as file:
        file.write(TEST.read_bytes())
    assert palmette("predict", model, tmp_path / "x.gz").out == want


def test_text_from_standard_input(palmette, model: Path, typed) -> None:
    typed(b"The cook leaves. Clara doesn't.\n\nOh!\n")
    code, out, err = palmette("predict", model)
    assert (code, err) == (0, "")
    assert "# text = Clara doesn't.\n1\tClara\t_\tPROPN\t" in out
    assert out.count("# newpar\n") == 2
    assert "# sent_id = 3\n# text = Oh!" in out


def test_paragraphs_of_as_many_words_are_text(palmette, model: Path, typed) -> None:
    typed(b"The cook.\n\nThe garden.\n")
    assert palmette("predict", model).out.count("# text = ") == 2
    typed(b"The X\ncook X\n\nThe X\n\n")
    assert palmette("predict", model).out == "The X DET\ncook X NOUN\n\nThe X DET\n\n"


def test_lines_of_text(palmette, model: Path, typed) -> None:
    typed(b"The cook\nleaves the light\n")
    assert palmette("predict", model, "--lines").out.count("# text = ") == 2
    typed(b"The cook\nleaves the light\n")
    assert palmette("predict", model).out.count("# text = ") == 1


def test_probabilities(palmette, model: Path, typed) -> None:
    want = Tagger.load(model).predict_proba([["The", "cook", "."]])[0].max(axis=1)
    typed(b"The cook.")
    rows = [line.split("\t") for line in palmette("predict", model, "--probabilities").out.split("\n")[3:6]]
    assert [row[9] for row in rows] == [
        f"Prob={want[0]:.4f}",
        f"SpaceAfter=No|Prob={want[1]:.4f}",
        f"Prob={want[2]:.4f}",
    ]


def test_k_best(palmette, model: Path, typed) -> None:
    typed(b"The cook leaves.")
    out = palmette("predict", model, "--kbest", 3).out
    want = Tagger.load(model).kbest([["The", "cook", "leaves", "."]], 3)[0]
    for rank, (labels, _, log_probability) in enumerate(want, 1):
        assert f"# kbest = {rank}\n# log_probability = {log_probability:.4f}\n" in out
        block = out.split(f"# kbest = {rank}\n")[1].split("\n\n")[0]
        assert [line.split("\t")[3] for line in block.split("\n")[1:]] == labels
    assert palmette("predict", model, TEST, "--kbest", 2, "--probabilities").code == 2


def test_minimum_risk(palmette, model: Path) -> None:
    out = palmette("predict", model, TEST, "--minimum-risk").out
    want = [label for row in Tagger.load(model).predict(garden("test"), minimum_risk=True) for label in row]
    assert [line.split("\t")[3] for line in out.split("\n") if "\t" in line] == want


def test_another_column_and_misc(palmette, model: Path, typed) -> None:
    typed(b"The cook.")
    assert "1\tThe\t_\t_\tDET\t" in palmette("predict", model, "--column", "xpos").out
    typed(b"The cook.")
    assert "SpaceAfter=No|Tag=NOUN" in palmette("predict", model, "--column", "misc").out


# evaluate, inspect, explain


def test_evaluate(palmette, model: Path) -> None:
    report = json.loads(palmette("evaluate", model, TEST, "--json").out)
    scores = Tagger.load(model).evaluate(garden("test"))
    assert report["accuracy"] == scores.accuracy
    assert report["tokens"] == 80
    assert report["seconds"] > 0
    assert report["known_accuracy"] == scores.known_accuracy
    assert report["labels"]["DET"]["f1"] == scores.labels["DET"].f1
    low, high = report["accuracy_interval"]
    assert low <= report["accuracy"] <= high
    shown = palmette("evaluate", model, TEST).out
    assert f"accuracy           {scores.accuracy:.4f}\n" in shown
    assert "precision  recall" in shown


def test_inspect(palmette, model: Path) -> None:
    details = json.loads(palmette("inspect", model, "--json", "--top", 3).out)["details"]
    tagger = Tagger.load(model)
    assert details["labels"] == tagger.classes_
    rows = tagger.model_.rows[:, tagger.classes_.index("DET")]
    names = tagger.model_.features.names()
    best = max(range(len(rows)), key=lambda a: rows[a])
    assert next(iter(details["top_features"]["DET"].items())) == pytest.approx((names[best], rows[best]))
    assert details["transitions"]["DET"]["NOUN"] == pytest.approx(
        float(tagger.model_.ngrams(1)[tagger.classes_.index("DET"), tagger.classes_.index("NOUN")])
    )
    shown = palmette("inspect", model).out
    assert "transitions" in shown
    assert "sentences    50" in shown


def test_explain(palmette, model: Path, typed) -> None:
    report = json.loads(
        palmette("explain", model, "The cook leaves the light on.", "--json", "--top", 100).out
    )
    assert [row["subject"] for row in report["tokens"]] == "The cook leaves the light on .".split()
    for row in report["tokens"]:
        total = sum(part["amount"] for part in row["contributions"]) + row["rest"]
        assert total == pytest.approx(row["margin"], abs=1e-9)
    short = json.loads(palmette("explain", model, "The cook.", "--json", "--top", 2, "--token", 2).out)
    assert [row["subject"] for row in short["tokens"]] == ["cook"]
    assert len(short["tokens"][0]["contributions"]) == 2
    shown = palmette("explain", model, "The cook.").out
    assert "runner-up" in shown
    assert "all others" in shown
    by_file = palmette("explain", model, "--file", TEST, "--sentence", 2, "--token", 1)
    assert by_file.out.startswith("1  Will  ")
    typed(b"The cook.")
    assert palmette("explain", model, "-").out == shown


def test_a_text_of_two_sentences_is_explained_as_it_is_predicted(palmette, model: Path) -> None:
    text = "The cook leaves. The light is on."
    first, second = (palmette("explain", model, text, "--sentence", n) for n in (1, 2))
    assert first.out == palmette("explain", model, "The cook leaves.").out
    assert second.out == palmette("explain", model, "The light is on.").out
    assert "the text has 2 sentences; this explains sentence 2 (--sentence N: another)" in second.err
    assert palmette("explain", model, text)[:2] == first[:2]
    assert palmette("explain", model, "The cook leaves.").err == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["The cook.", "--sentence", "2"], "the text has 1 sentence; there is no sentence 2"),
        ([], "give it as text, or --file FILE"),
        (["x", "--file", TEST], "give it as text, or --file FILE"),
        ([" "], "it has no words"),
        (["--file", TEST, "--sentence", "11"], "has 10 sentences; there is no sentence 11"),
        (["The cook.", "--token", "4"], "the sentence has 3 tokens; there is no token 4"),
    ],
)
def test_nothing_to_explain(palmette, model: Path, arguments: list[object], sentence: str) -> None:
    code, out, err = palmette("explain", model, *arguments)
    assert (code, out, err.count("\n")) == (2 if "give it as text" in sentence else 1, "", 1)
    assert sentence in err


def test_a_compact_model_names_its_features_from_the_sentence(palmette, tmp_path: Path) -> None:
    for name, options in (("full", ["--full"]), ("compact", []), ("hashed", ["--hash-bits", "20"])):
        palmette("train", "tag", "--train", TRAIN, "-o", tmp_path / f"{name}.palm", *options)
    said = {
        name: {
            part["feature"]
            for row in json.loads(
                palmette("explain", tmp_path / f"{name}.palm", "The cook.", "--json", "--top", 999).out
            )["tokens"]
            for part in row["contributions"]
        }
        for name in ("full", "compact", "hashed")
    }
    assert "w[0]=cook" in said["full"]
    assert "w[0]=cook" in said["compact"] <= said["full"]
    sizes = [(tmp_path / f"{name}.palm").stat().st_size for name in ("compact", "full")]
    assert sizes[0] < 0.3 * sizes[1]
    tops = [
        json.loads(palmette("inspect", tmp_path / f"{name}.palm", "--json", "--top", 3).out)["details"][
            "top_features"
        ]
        for name in ("compact", "full")
    ]
    for small, full in zip(*(top.values() for top in tops)):
        assert small
        assert all(":" not in name.split("=")[0] for name in small)
        assert sum(small.values()) == pytest.approx(sum(full.values()), rel=0.05)
    assert "w[0]=cook" in said["hashed"]


# models


def test_models_by_name(
    palmette, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed
) -> None:
    from palmette import models

    (tmp_path / "garden.palm").write_bytes(model.read_bytes())
    monkeypatch.setattr(models, "_HERE", tmp_path)
    assert palmette("models").out.startswith("garden   tagger (")
    assert json.loads(palmette("models", "--json").out)["models"]["garden"]["kind"] == "tagger"
    typed(b"The cook.")
    assert "1\tThe\t_\tDET" in palmette("predict", "garden").out
    assert palmette("inspect", "garden").code == 0
    assert palmette("explain", "garden", "The cook.").code == 0
    assert Tagger.load("garden").classes_
    code, out, err = palmette("predict", "gardn")
    assert (code, out) == (1, "")
    assert (
        err
        == "palmette: gardn: no such file, and no model of that name comes with Palmette (there are garden)\n"
    )


def test_automata(palmette, tmp_path: Path) -> None:
    out = tmp_path / "m.palm"
    train = ["train", "tag", "--train", TRAIN, "-o", out, "-q"]
    assert palmette(*train, "--automaton", "@count(1, VERB) & .*").code == 0
    structure = Tagger.load(out).model_.structure
    assert structure.states.automaton.n_states == 2
    assert '"automaton_states": 2' in palmette("inspect", out, "--json").out
    (tmp_path / "table.txt").write_text("".join(f"q {label} q\n" for label in structure.labels) + "q\n")
    assert palmette(*train, "--automaton", tmp_path / "table.txt").code == 0
    out.unlink()
    for text, sentence in (
        ("VERB*", "does not accept the labels of"),
        ("(VERB", "a parenthesis is not closed"),
        ("@foo", "is not an automaton"),
    ):
        got = palmette(*train, "--automaton", text)
        assert (got.code, got.err.count("\n")) == (1 if "does not accept" in sentence else 2, 1), got
        assert sentence in got.err
        assert not out.exists()


def test_evaluation_by_minimum_risk(palmette, model: Path, tmp_path: Path) -> None:
    report = json.loads(palmette("evaluate", model, TEST, "--minimum-risk", "--json").out)
    tagger = Tagger.load(model)
    predicted = tagger.predict_column(garden("test"), minimum_risk=True)
    assert report["accuracy"] == tagger.evaluate(garden("test"), predicted=predicted).accuracy
