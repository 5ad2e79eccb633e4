"""`palmette train translate` and what follows: predict, evaluate, inspect, explain."""

from __future__ import annotations

import io
import json
import math
import sys
from pathlib import Path

import pytest

from palmette.cli import main
from palmette.formats.model import ModelFile
from palmette.tools.alignment import read_pairs
from palmette.tools.translation import PhraseTable, Translator

pytestmark = pytest.mark.native

EXAMPLES = Path(__file__).parents[3] / "examples" / "translation"
SETTINGS = ("models=fast", "tuning_rounds=2", "tuning_list=20", "order=3")
QUICK = [word for setting in SETTINGS for word in ("--set", setting)]
SENTENCE = "das Kind sieht morgen den Garten ."


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("translate")
    for name, n in (("train", 150), ("dev", 20), ("test", 15)):
        pairs = list(read_pairs(EXAMPLES / f"{name}.tsv"))[:n]
        for side, suffix in enumerate(("de", "en")):
            (path / f"{name}.{suffix}").write_text("".join(f"{' '.join(pair[side])}\n" for pair in pairs))
        rows = "".join(f"{' '.join(a)}\t{' '.join(b)}\n" for a, b in pairs)
        (path / f"{name}.tsv").write_text(rows)
    return path


def sides(files: Path, name: str, before: str = "--") -> list[str]:
    return [
        f"{before}source",
        str(files / f"{name}.de"),
        f"{before}target",
        str(files / f"{name}.en"),
    ]


@pytest.fixture(scope="module")
def model(files: Path) -> Path:
    given = [*sides(files, "train"), *sides(files, "dev", "--dev-"), *QUICK]
    parts = {"alignment": "links", "table": "table.gz", "reordering": "order.gz", "lm": "lm.arpa"}
    written = [word for name, file in parts.items() for word in (f"--{name}-to", str(files / file))]
    assert main(["train", "translate", *given, *written, "-q", "-o", str(files / "m.palm")]) == 0
    return files / "m.palm"


@pytest.fixture
def text(files: Path) -> Path:
    (files / "in.txt").write_text(f"{SENTENCE}\n\nder Zug sucht .\n")
    return files / "in.txt"


def test_training_in_other_ways(palmette, model: Path, files: Path, tmp_path: Path) -> None:
    given = ["--train", files / "train.tsv", "--dev", files / "dev.tsv", *QUICK]
    assert palmette("train", "translate", *given, "-o", tmp_path / "x.palm").code == 0
    assert (tmp_path / "x.palm").read_bytes() == model.read_bytes()
    assert len((files / "links").read_text().splitlines()) == 150


def test_stages_from_files(palmette, model: Path, files: Path, tmp_path: Path) -> None:
    """What a training wrote, given to another one, makes the same model but for the rounding of files."""
    weights = tmp_path / "weights"
    parts = ["--table-to", tmp_path / "t", "--lm-to", tmp_path / "lm.palm", "--weights-to", weights]
    assert palmette("inspect", model, *parts, "--reordering-to", tmp_path / "r").code == 0
    given = ["--table", tmp_path / "t", "--reordering", tmp_path / "r", "--lm", tmp_path / "lm.palm"]
    more = ["--weights", weights, "--tuning", "none", *QUICK]
    assert palmette("train", "translate", *given, *more, "-o", tmp_path / "x.palm").code == 0
    want, found = (Translator.load(path) for path in (model, tmp_path / "x.palm"))
    assert len(found.model_.table) == len(want.model_.table)
    assert found.predict(files / "test.de") == want.predict(files / "test.de")
    linked = ["--alignment", files / "links", "--lm", files / "lm.arpa", "--weights", weights]
    pairs = sides(files, "train")
    assert (
        palmette(
            "train", "translate", *pairs, *linked, "--tuning", "none", *QUICK, "-o", tmp_path / "y.palm"
        ).code
        == 0
    )
    assert Translator.load(tmp_path / "y.palm").predict([SENTENCE]) == want.predict([SENTENCE])
    assert len(PhraseTable.read(files / "table.gz", files / "order.gz")) == len(want.model_.table)


def test_every_line_gives_a_line(palmette, model: Path, text: Path) -> None:
    best = palmette("predict", model, text).out.split("\n")
    assert best[0].startswith("the child sees the garden")
    assert (best[1], len(best)) == ("", 4)
    assert "Zug" in best[2]
    assert "<unk>Zug</unk>" in palmette("predict", model, text, "--unknown", "mark").out
    assert "Zug" not in palmette("predict", model, text, "--unknown", "drop").out
    risk = palmette("predict", model, text, "--minimum-risk", "graph").out
    assert len(risk.split("\n")) == 4
    assert palmette("predict", model, text, "--set", "stack=1", "--set", "pop_limit=1").code == 0


def test_standard_input(palmette, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = io.TextIOWrapper(io.BytesIO(f"{SENTENCE}\n{SENTENCE}".encode()))
    monkeypatch.setattr(sys, "stdin", given)
    found = palmette("predict", model, "--line-buffered").out.split("\n")
    assert found[0] == found[1] != ""


def test_forms_of_answers(palmette, model: Path, text: Path) -> None:
    lines = palmette("predict", model, text, "--kbest", 2).out.splitlines()
    assert [line.split(" ||| ")[0] for line in lines] == ["0", "0", "1", "2", "2"]
    fields = lines[0].split(" ||| ")
    values = [part.split("= ") for part in fields[2].replace("= ", "=").split()]
    assert values[0][0].startswith("lm=")
    assert math.isfinite(float(fields[3]))
    first = palmette("predict", model, text, "--kbest", 1).out.splitlines()
    assert first == [lines[0], lines[2], lines[3]]
    assert (
        len(json.loads(palmette("predict", model, text, "--kbest", 1, "--jsonl").out.split("\n")[0])["kbest"])
        == 1
    )
    every = palmette("predict", model, text, "--kbest", 3, "--all", "--alignment").out.splitlines()
    assert all(len(line.split("|||")) == 5 for line in every)
    linked = palmette("predict", model, text, "--alignment").out.splitlines()
    assert " ||| 0-0" in linked[0]
    p, found, words = palmette("predict", model, text, "--probabilities").out.split("\n")[0].split("\t")
    assert 0 < float(p) <= 1
    assert len(found.split()) == len(words.split())
    drawn = palmette("predict", model, text, "--draw").out
    assert "# sentence 3" in drawn
    graphs = [json.loads(line) for line in palmette("predict", model, text, "--graph").out.splitlines()]
    assert len(graphs) == 3
    assert graphs[0]["edges"]


def test_json_lines(palmette, model: Path, text: Path) -> None:
    rows = [json.loads(line) for line in palmette("predict", model, text, "--jsonl").out.splitlines()]
    assert [row["sentence"] for row in rows] == [1, 2, 3]
    assert rows[0]["translation"].startswith("the child")
    more = palmette("predict", model, text, "--jsonl", "--kbest", 2, "--probabilities", "--alignment").out
    best = json.loads(more.splitlines()[0])["kbest"]
    assert len(best) == 2
    assert {"features", "alignment", "probability", "words"} <= set(best[0])


def test_terminology(palmette, model: Path, text: Path, tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text("Garten\tpark\nden Garten\tthe plot\n")
    assert "the plot" in palmette("predict", model, text, "--glossary", tmp_path / "terms.tsv").out
    (tmp_path / "never.txt").write_text("child\n")
    found = palmette("predict", model, text, "--forbid", tmp_path / "never.txt")
    assert "child" not in found.out.split("\n")[0] or "translated without constraints" in found.err
    (tmp_path / "marked.txt").write_text('<x translation="a b||c">das Kind</x> sieht den Garten .\n')
    marked = palmette("predict", model, tmp_path / "marked.txt", "--markup").out
    assert "a b" in marked or "c" in marked.split()
    assert "child" not in marked
    inclusive = palmette("predict", model, tmp_path / "marked.txt", "--markup", "--inclusive").out
    assert "the child" in inclusive
    (tmp_path / "marked.txt").write_text('das Kind\n<x translation="a">das\n')
    broken = palmette("predict", model, tmp_path / "marked.txt", "--markup")
    assert broken.code == 1
    assert "marked.txt:2: <x> is not closed" in broken.err


def test_a_term_that_cannot_be_placed_is_named(palmette, model: Path, text: Path, tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text("Garten\tpark\n")
    (tmp_path / "never.txt").write_text("park\n")
    found = palmette(
        "predict", model, text, "--glossary", tmp_path / "terms.tsv", "--forbid", tmp_path / "never.txt"
    )
    assert found.code == 0
    assert len(found.out.split("\n")) == 4
    assert "line 1: " in found.err
    assert "'park'" in found.err
    assert "translated without constraints" in found.err


def test_forced_translations(palmette, model: Path, text: Path, tmp_path: Path) -> None:
    best = palmette("predict", model, text).out
    (tmp_path / "given").write_text(best.replace("the Zug", "no"))
    lines = palmette("predict", model, text, "--forced", tmp_path / "given").out.splitlines()
    assert float(lines[0].split("\t")[0]) <= 0
    assert "reach" in lines[2]
    (tmp_path / "given").write_text("a\n")
    short = palmette("predict", model, text, "--forced", tmp_path / "given")
    assert short.code == 1
    assert "expected 3 translations, one for each sentence; got 1" in short.err


def test_evaluation(palmette, model: Path, files: Path) -> None:
    pytest.importorskip("sacrebleu")
    report = json.loads(palmette("evaluate", model, *sides(files, "test"), "--json").out)
    assert {"bleu", "chrf", "ter", "sentences", "seconds"} <= set(report)
    assert report["sentences"] == 15
    one_file = json.loads(palmette("evaluate", model, files / "test.tsv", "--json").out)
    assert one_file["bleu"] == report["bleu"]
    two = palmette("evaluate", model, *sides(files, "test"), "--target", files / "test.en", "--json")
    assert json.loads(two.out)["bleu"] == pytest.approx(report["bleu"])
    text = palmette("evaluate", model, *sides(files, "test"), "--metrics", "bleu", "--bootstrap", 20).out
    assert "intervals" in text
    assert "chrf" not in text


def test_inspection(palmette, model: Path) -> None:
    report = json.loads(palmette("inspect", model, "--phrase", "das Kind", "--json").out)["details"]
    assert "the child" in report["phrases"]["das Kind"]
    assert report["weights"]["unknown"] == 100
    assert report["phrase_pairs"] > 100
    assert palmette("inspect", model).code == 0
    shown = palmette("inspect", model, "--phrase", "das Kind", "--phrase", "xyz", "--top", 2).out.splitlines()
    assert shown[:2] == ["phrases", "  das Kind"]
    assert shown[2].split() == ["phi_source", "lex_source", "phi_target", "lex_target"]
    assert shown[3].split()[:2] == ["the", "child"]
    assert shown[-1] == "  xyz: none"


def test_explanations(palmette, model: Path, text: Path, tmp_path: Path) -> None:
    found = palmette("explain", model, SENTENCE, "--svg", tmp_path / "x.svg", "--ascii").out
    assert "margin" in found
    assert "lm" in found
    assert (tmp_path / "x.svg").read_text().startswith("<svg")
    decision = json.loads(palmette("explain", model, "--file", text, "--json").out)["translations"][0]
    total = math.fsum(part["amount"] for part in decision["contributions"])
    assert total == pytest.approx(decision["margin"])
    assert palmette("explain", model, "--file", text, "--number", 9).code == 1
    assert palmette("explain", model).code == 2
    named = palmette("explain", model, text, "--number", 3)
    assert named.out == palmette("explain", model, "--file", text, "--number", 3).out


def test_raw_text(palmette, files: Path, tmp_path: Path) -> None:
    for suffix in ("de", "en"):
        lines = (files / f"train.{suffix}").read_text().splitlines()
        raw = [f"{line[:1].upper()}{line[1:]}".replace(" .", ".").replace(" ,", ",") for line in lines]
        (tmp_path / f"raw.{suffix}").write_text("".join(f"{line}\n" for line in raw))
    languages = ["--source-language", "de", "--target-language", "en", "--tuning", "none"]
    given = ["--source", tmp_path / "raw.de", "--target", tmp_path / "raw.en", "--raw", *languages, *QUICK]
    assert palmette("train", "translate", *given, "-o", tmp_path / "raw.palm").code == 0
    (tmp_path / "in.txt").write_text("Das Kind sieht den Garten.\n\n")
    (tmp_path / "terms.tsv").write_text("Garten\tGreen (Park)\n")
    found = palmette("predict", tmp_path / "raw.palm", tmp_path / "in.txt").out
    assert found.startswith("The child sees the garden")
    assert found.endswith(".\n\n")
    named = palmette(
        "predict", tmp_path / "raw.palm", tmp_path / "in.txt", "--glossary", tmp_path / "terms.tsv"
    )
    assert "Green (Park)" in named.out
    (tmp_path / "in.txt").write_text("das Kind sieht den Garten .\n")
    words = palmette("predict", tmp_path / "raw.palm", tmp_path / "in.txt", "--tokenized").out
    assert words.startswith("the child sees the garden")
    assert words.endswith(" .\n")


# Bad input


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("--train {f}/train.tsv --dev-source {f}/dev.de", "--dev-target is missing"),
        ("--train {f}/train.tsv --dev-target {f}/dev.en", "--dev-source is missing"),
        (
            "--train {f}/train.tsv --dev-source {f}/dev.de --dev-target {f}/test.en",
            "15 references, but {f}/dev.de has 20",
        ),
        ("--source {f}/train.de --target {f}/dev.en", "150 lines, but {f}/dev.en has 20"),
        ("--source {f}/train.de --target {f}/dev.en --raw", "150 lines, but {f}/dev.en has 20"),
        ("--train {f}/train.tsv --learner crf", "choose how its weights are tuned with --tuning"),
        ("--train {f}/train.tsv --set stak=1", "did you mean 'stack'"),
        ("--train {f}/train.tsv --method phrases", "did you mean 'phrase'"),
        ("--train {f}/train.tsv --reordering {f}/train.tsv", "--reordering needs --table"),
        ("--train {f}/train.tsv --alignment {f}/short", "expected 150 alignments"),
        ("--train {f}/train.tsv --alignment {f}/outside", "outside:150: the link 0-99 lies outside of its"),
        (
            "--table {f}/table.gz --reordering {f}/nothing --lm {f}/lm.arpa",
            "nothing: there are no orientations",
        ),
        ("--train {f}/train.tsv --weights {f}/nan", "nan:1: expected a finite number for 'lm'; got 'nan'"),
        ("--train {f}/train.tsv --weights {f}/words", "words:2: expected a name and its weights"),
        ("--table {f}/nothing --lm {f}/lm.arpa", "has no phrase pairs"),
        ("--table {f}/broken --lm {f}/lm.arpa", "broken:1: "),
        ("--table {f}/broken2 --lm {f}/lm.arpa", "broken2:2: "),
        ("--table {f}/rules --lm {f}/lm.arpa", "rules:1: expected phrase pairs, got rules"),
        ("--table {f}/joshua --lm {f}/lm.arpa", "joshua:1: expected phrase pairs, got rules"),
        ("--method hiero --table {f}/table.gz --lm {f}/lm.arpa", "table.gz:1: expected rules with a label"),
        (
            "--method hiero --reordering-to {f}/no --table-to {f}/none --train {f}/absent",
            "no reordering table",
        ),
        ("--method hiero --reordering {f}/absent --table {f}/absent", "no reordering table"),
        ("--method hiero --trees {f}/absent --train {f}/absent", "does not use trees"),
        ("--method string-to-tree --trees {f}/a --parser {f}/b --train {f}/absent", "not both"),
        ("--method string-to-tree --trees {f}/a --table {f}/absent", "trees of the text have no use"),
        ("--table {f}/absent --alignment {f}/absent", "alignments have no use"),
        ("--table {f}/absent --alignment-to {f}/none", "with --table none is made"),
        ("--train {f}/absent --lm {f}/lm.arpa --lm-to {f}/none", "with --lm none is made"),
        ("--train {f}/empty.tsv", "nothing to learn from: all target sentences are empty"),
        ("", "give --source and --target"),
    ],
)
def test_bad_input_of_training(
    palmette, model: Path, files: Path, tmp_path: Path, given: str, why: str
) -> None:
    (files / "short").write_text("0-0\n")
    (files / "nothing").write_text("")
    (files / "outside").write_text("0-0\n" * 149 + "0-99\n")
    (files / "nan").write_text("lm nan\n")
    (files / "words").write_text("lm 0.5\nwords\n")
    (files / "broken").write_text("das ||| the ||| 0.5 x 0.5 0.5 ||| 0-0\n")
    (files / "broken2").write_text("das ||| the ||| 0.5 0.5 0.5 0.5 ||| 0-0\nHaus ||| house\n")
    rule = "das [X][X] [X] ||| the [X][X] [X] ||| 0.5 0.5 0.5 0.5 ||| 0-0 1-1\n"
    (files / "rules").write_text(f"{rule}Haus [X] ||| house [X] ||| 0.5 0.5 0.5 0.5 ||| 0-0\n")
    (files / "joshua").write_text("[X] ||| das [X,1] ||| the [X,1] ||| a=-1\n[X] ||| 7 ||| 7 ||| a=-1\n")
    (files / "empty.tsv").write_text("a b\t\nc\t\n")
    line = given.format(f=files).split()
    found = palmette("train", "translate", *line, "-o", tmp_path / "x.palm")
    assert found.code in (1, 2)
    assert why.format(f=files) in found.err
    assert "Traceback" not in found.err
    assert not (tmp_path / "x.palm").exists()
    assert not (files / "none").exists()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("--kbest 2 --draw", "use only one of --kbest and --draw"),
        ("--probabilities --graph", "--probabilities cannot be combined with --graph"),
        ("--raw", "trained on tokenized text"),
        ("--set stack=0", "'stack' parameter must be an int"),
        ("--set order=3", "cannot change"),
        ("--forced x --kbest 2", "--forced writes derivations"),
        ("--jsonl --graph", "--jsonl cannot be combined"),
    ],
)
def test_bad_options_of_prediction(palmette, model: Path, text: Path, given: str, why: str) -> None:
    found = palmette("predict", model, text, *given.split())
    assert found.code in (1, 2)
    assert why in found.err or "has no option" in found.err


def test_a_file_that_is_read_is_not_replaced(palmette, model: Path, text: Path, files: Path) -> None:
    before = text.read_bytes()
    for command in (
        ["predict", model, text, "-o", text],
        ["predict", model, text, "--glossary", files / "train.tsv", "-o", files / "train.tsv"],
        ["predict", model, text, "-o", model],
        ["train", "translate", "--train", files / "train.tsv", "-o", files / "train.tsv"],
    ):
        found = palmette(*command)
        assert found.code == 1
        assert f"{command[-1]}: this file is read, and the output would replace it" in found.err
    assert text.read_bytes() == before


def test_learners_are_not_offered(palmette) -> None:
    shown = palmette("train", "translate", "--help").out
    assert "--learner" not in shown
    assert "--tuning" in shown
    asked = palmette("train", "translate", "--help-learner", "crf", "-o", "x")
    assert asked.code == 2
    assert "has no learners; --tuning NAME" in asked.err


def test_written_tables_have_counts(model: Path, files: Path) -> None:
    table = PhraseTable.read(files / "table.gz", files / "order.gz")
    assert len(table.counts) == len(table)
    assert (table.counts[:, 2] >= 1).all()


def test_a_damaged_model_is_an_error(palmette, model: Path, tmp_path: Path, text: Path) -> None:
    file = ModelFile.load(model)
    for options in (
        {},
        {**file.options, "method": "magic"},
        {**file.options, "scale": -1.0},
        {**file.options, "training": 3},
        {**file.options, "parts": []},
    ):
        ModelFile("translator", options, file.arrays, file.strings).save(tmp_path / "x.palm")
        found = palmette("predict", tmp_path / "x.palm", text)
        assert found.code == 1
        assert "x.palm: damaged model" in found.err
    for name, array in file.arrays.items():
        if array.size and not name.startswith("model/lm/"):
            broken = array.copy()
            broken.view("u1").reshape(-1)[-1] ^= 0xFF
            ModelFile("translator", file.options, {**file.arrays, name: broken}, file.strings).save(
                tmp_path / "y.palm"
            )
            found = palmette("predict", tmp_path / "y.palm", text)
            assert found.code in (0, 1), name
            assert "Traceback" not in found.err
    for name in file.arrays:
        rest = {other: array for other, array in file.arrays.items() if other != name}
        if name not in ("model/counts", "model/lm/hash"):  # what can be left out
            ModelFile("translator", file.options, rest, file.strings).save(tmp_path / "z.palm")
            assert palmette("predict", tmp_path / "z.palm", text).code == 1, name
