"""Bad input of taggers, by the Python API and by the command line: a clear sentence, or the right result."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest

from palmette.cli import main
from palmette.errors import FormatError
from palmette.formats.columns import parse_columns
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile
from palmette.learning.loglinear import CRF
from palmette.tools.ranked import Ranked
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger
from samples.sequences import EXAMPLES, NER, garden

pytestmark = pytest.mark.native

TRAIN = EXAMPLES / "train.conllu"
WORDS, TAGS = [["Time", "flies"], ["Go"]], [["NOUN", "VERB"], ["VERB"]]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger(CRF(n_iter=3), templates="w[0]\nsuffix2[0]\ny").fit(garden())


@pytest.fixture(scope="module")
def model(tagger: Tagger, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "t.palm"
    tagger.save(path)
    return path


@pytest.fixture
def fails(palmette, tmp_path: Path):
    """Runs a command that must fail with one sentence and leave nothing behind."""

    def run(sentence: str, *arguments: object, code: int = 1) -> None:
        before = sorted(tmp_path.iterdir())
        got = palmette(*arguments)
        assert (got.code, got.err.count("\n")) == (code, 1), got
        assert sentence in got.err
        assert "Traceback" not in got.err
        assert "internal error" not in got.err
        assert sorted(tmp_path.iterdir()) == before

    return run


def written(tmp_path: Path, text: str | bytes, name: str = "in.tsv") -> Path:
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path / name


def test_ragged_columns(fails, model: Path, tmp_path: Path) -> None:
    path = written(tmp_path, "a\tX\nb\tY\n\nc\n\n")
    with pytest.raises(FormatError, match=":4: "):
        parse_columns(path.read_bytes())
    fails("in.tsv:4: ", "train", "tag", "--train", path, "-o", tmp_path / "m.palm")
    fails("in.tsv:4: ", "predict", model, path, "-o", tmp_path / "out.tsv")
    fails("in.tsv:4: ", "evaluate", model, path)
    with pytest.raises(ValueError, match="Sentence 1 has 2 tokens and 1 labels"):
        Tagger().fit(WORDS, [["NOUN"], ["VERB"]])
    with pytest.raises(ValueError, match="There are 2 sentences and labels for 1"):
        Tagger().fit(WORDS, TAGS[:1])


def test_lines_are_counted_through_batches(fails, model: Path, tmp_path: Path, monkeypatch) -> None:
    from palmette.formats import batches

    path = written(tmp_path, "a\tX\n\n" * 50 + "b\n\n")
    monkeypatch.setattr(batches, "SIZE", 20)
    monkeypatch.setattr(batches, "TEXT_SIZE", 20)
    fails("in.tsv:101: ", "predict", model, path, "-o", tmp_path / "out.tsv")


def test_empty_sentences(tagger: Tagger) -> None:
    assert tagger.predict([[], ["The"], []]) == [[], ["DET"], []]
    assert [p.shape for p in tagger.predict_proba([[], ["The"]])] == [(0, 15), (1, 15)]
    assert tagger.predict([]) == []
    assert tagger.kbest([[]], 2) == [[Ranked([], 0.0, 0.0)]]
    assert Tagger().fit([[], ["a"]], [[], ["A"]]).predict([["a"], []]) == [["A"], []]
    spans = SpanTagger().fit([[], ["a", "b"]], [[], ["B-X", "O"]])
    assert spans.predict([[], ["a", "b"]]) == [[], ["B-X", "O"]]
    assert spans.spans([[]]) == [[]]
    assert spans.predict([[]], minimum_risk=True) == [[]]
    assert len(tagger.explain([]).decisions) == 0


def test_unknown_labels_at_test_time(palmette, tagger: Tagger, model: Path, tmp_path: Path) -> None:
    path = written(tmp_path, "The\tDET\ncook\tKITCHEN\n\n")
    scores = tagger.evaluate(parse_columns(path.read_bytes(), names=("form", "upos")))
    assert (scores.accuracy, scores.unknown_labels) == (0.5, ("KITCHEN",))
    assert tagger.score([["The", "cook"]], [["DET", "KITCHEN"]]) == 0.5
    got = palmette("evaluate", model, path, "--column", "-1", "--json")
    assert '"labels_never_seen": ["KITCHEN"]' in got.out
    spans = SpanTagger().fit(parse_columns(NER))
    assert spans.evaluate([["Jack"]], [["B-ZZZ"]]).unknown_labels == ("B-ZZZ",)


def test_a_dev_set_with_other_labels(palmette, tmp_path: Path) -> None:
    dev = written(tmp_path, "Time\tZEIT\nflies\tVERB\n\n")
    train = written(tmp_path, "Time\tNOUN\nflies\tVERB\n\n", "train.tsv")
    assert palmette("train", "tag", "--train", train, "--dev", dev, "-o", tmp_path / "m.palm").code == 0
    assert Tagger.load(tmp_path / "m.palm").training_["dev_score"] == 0.5
    fitted = SpanTagger(CRF(n_iter=2)).fit(parse_columns(NER), dev=([["a", "b"]], [["B-NEW", "I-NEW"]]))
    assert fitted.history_[-1].numbers["dev"] == 0.0


def test_a_dev_set_without_labels(fails, tmp_path: Path) -> None:
    dev = written(tmp_path, "Time\t_\nflies\t_\n\n")
    train = written(tmp_path, "Time\tNOUN\nflies\tVERB\n\n", "train.tsv")
    fails(
        "The dev set has no labels", "train", "tag", "--train", train, "--dev", dev, "-o", tmp_path / "m.palm"
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 1e39])
def test_values_that_are_no_numbers(tagger: Tagger, value: float) -> None:
    for X in ([[{"n": value}]], [np.array([[value]])]):
        with pytest.raises(ValueError, match="finite"):
            Tagger().fit(X, [["A"]])
    good = Tagger().fit([[{"n": 1.0}]], [["A"]])
    with pytest.raises(ValueError, match="finite"):
        good.predict([[{"n": value}]])


def test_weights_that_are_no_numbers() -> None:
    for weights in ([np.nan, 1], [-1, 1], [1], [np.inf, 1]):
        with pytest.raises(ValueError, match="'sample_weight' must be 2 finite numbers"):
            Tagger().fit(WORDS, TAGS, sample_weight=weights)


def test_a_template_that_names_a_missing_column(fails, palmette, tmp_path: Path) -> None:
    templates = written(tmp_path, "w[0]\npos[0]\n", "t.txt")
    with pytest.raises(ValueError, match="looks at 'pos', which is neither an attribute nor a column"):
        Tagger(templates="pos[0]").fit(WORDS, TAGS)
    fails(
        "looks at 'pos'",
        "train",
        "tag",
        "--train",
        TRAIN,
        "--templates",
        templates,
        "-o",
        tmp_path / "m.palm",
    )
    two = written(tmp_path, "Time\tN\tNOUN\nflies\tV\tVERB\n\n", "two.tsv")
    templates.write_text("column2[0]\n")
    assert (
        palmette("train", "tag", "--train", two, "--templates", templates, "-o", tmp_path / "m.palm").code
        == 0
    )
    one = written(tmp_path, "Time\nflies\n\n", "one.tsv")
    fails("looks at 'column2'", "predict", tmp_path / "m.palm", one, "-o", tmp_path / "out")
    with pytest.raises(ValueError, match="'column2'"):
        Tagger.load(tmp_path / "m.palm").predict(WORDS)
    fails(
        "no such file", "train", "tag", "--train", TRAIN, "--templates", "no.txt", "-o", tmp_path / "n.palm"
    )
    templates.write_text("w[0\n")
    fails("t.txt:1: ", "train", "tag", "--train", TRAIN, "--templates", templates, "-o", tmp_path / "n.palm")


def test_a_model_of_the_wrong_kind(fails, model: Path, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds a tagger, not a span tagger"):
        SpanTagger.load(model)
    ModelFile("oracle", {}, {}, {}).save(tmp_path / "o.palm")
    with pytest.raises(FormatError, match="holds an oracle, not a tagger"):
        Tagger.load(tmp_path / "o.palm")
    for verb in ("predict", "evaluate", "explain"):
        fails("holds an oracle, but no tool for that", verb, tmp_path / "o.palm", TRAIN)
    fails("--spans", "predict", model, TRAIN, "--spans", "tsv", code=2)


def test_a_very_long_sentence(palmette, tagger: Tagger, model: Path, tmp_path: Path) -> None:
    words = ["the", "cook", "leaves"] * 10_000
    (tags,) = tagger.predict([words])
    assert len(tags) == len(words)
    assert tagger.predict_proba([words])[0].sum(axis=1) == pytest.approx(np.ones(len(words)), abs=1e-4)
    path = written(tmp_path, "".join(f"{word}\tX\n" for word in words) + "\n")
    assert palmette("predict", model, path, "-o", tmp_path / "out.tsv").code == 0
    assert (tmp_path / "out.tsv").read_text().count("\n") == len(words) + 1
    long = Tagger(CRF(n_iter=1), templates="w[0]\ny").fit([words], [tags])
    assert long.score([words], [tags]) > 0.9
    spans = SpanTagger(CRF(n_iter=1), templates="w[0]\ny").fit([words], [["O", "B-X", "O"] * 10_000])
    assert len(spans.spans([words])[0]) >= 0


def test_one_label_only(palmette, tmp_path: Path) -> None:
    for options in ({}, {"templates": "w[0]"}, {"order": 2}, {"learner": CRF(method="lbfgs")}):
        one = Tagger(**options).fit(WORDS, [["T", "T"], ["T"]])
        assert one.predict(WORDS) == [["T", "T"], ["T"]]
        assert one.predict_proba(WORDS)[0].tolist() == [[1.0], [1.0]]
        ((labels, _, log_probability),) = one.kbest(WORDS, 3)[1]
        assert (labels, log_probability) == (["T"], pytest.approx(0.0))
    train = written(tmp_path, "Time\tT\nflies\tT\n\n")
    assert palmette("train", "tag", "--train", train, "-o", tmp_path / "m.palm").code == 0
    assert palmette("predict", tmp_path / "m.palm", train).out == "Time\tT\nflies\tT\n\n"
    assert palmette("explain", tmp_path / "m.palm", "Time flies").code == 0
    assert palmette("evaluate", tmp_path / "m.palm", train).code == 0
    assert palmette("inspect", tmp_path / "m.palm").code == 0


def test_no_label_at_all(fails, tmp_path: Path) -> None:
    train = written(tmp_path, "Time\t_\nflies\t_\n\n")
    for tool in ("tag", "spans"):
        fails("no label to learn from", "train", tool, "--train", train, "-o", tmp_path / "m.palm")
    for kind in (Tagger, SpanTagger):
        with pytest.raises(ValueError, match="no label to learn from"):
            kind().fit(WORDS, [[None, None], [None]])
        with pytest.raises(ValueError, match="There are no labels: give y"):
            kind().fit(WORDS)


def test_labels_of_other_types() -> None:
    with pytest.raises(TypeError, match="A label must be a string, None, or a set"):
        Tagger().fit(WORDS, [[1, 2], [3]])
    with pytest.raises(TypeError, match="list of tokens"):
        Tagger().fit(["Time flies"], [["A"]])


@pytest.mark.parametrize("content", [b"", b"\n\n", b"   \n"])
def test_empty_files(fails, model: Path, tmp_path: Path, content: bytes, monkeypatch) -> None:
    path = written(tmp_path, content, "in.conllu")
    fails(
        "no sentences" if b" " not in content else "a line of blanks only",
        "train",
        "tag",
        "--train",
        path,
        "-o",
        tmp_path / "m.palm",
    )
    other = written(tmp_path, content, "in")
    fails("in: the file is empty", "train", "tag", "--train", other, "-o", tmp_path / "m.palm")
    assert main(["predict", str(model), str(path), "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_bytes() == b""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert main(["predict", str(model), "-o", str(tmp_path / "of stdin")]) == 0
    assert (tmp_path / "of stdin").read_bytes() == b""
    with pytest.raises(ValueError, match="no"):
        Tagger().fit([], [])


def test_files_that_are_not_there(fails, model: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing.conllu"
    fails("missing.conllu: no such file", "train", "tag", "--train", missing, "-o", tmp_path / "m.palm")
    fails("missing.conllu: no such file", "predict", model, missing)
    fails("missing.conllu: no such file", "evaluate", model, missing)
    fails("missing.conllu: no such file", "explain", model, "--file", missing)
    fails("no such file", "train", "tag", "--train", TRAIN, "-o", tmp_path / "nowhere" / "m.palm")


def test_text_that_is_not_utf8(fails, model: Path, tmp_path: Path) -> None:
    fails(
        "in.txt:2: ", "predict", model, written(tmp_path, b"Good\n\xff\n", "in.txt"), "-o", tmp_path / "out"
    )


def test_trees_are_no_tokens(fails, model: Path, tmp_path: Path) -> None:
    path = written(tmp_path, "(S (NP I) (VP sleep))\n", "x.mrg")
    fails("holds trees (brackets)", "predict", model, path)
    fails("holds trees (brackets)", "train", "tag", "--train", path, "-o", tmp_path / "m.palm")


def test_a_failed_prediction_leaves_no_file(fails, model: Path, tmp_path: Path) -> None:
    path = written(tmp_path, "1\tGo\n", "x.conllu")
    fails("x.conllu:1: ", "predict", model, path, "-o", tmp_path / "out.conllu")


def test_not_trained_yet() -> None:
    with pytest.raises(ValueError, match="This Tagger is not trained yet: call fit first"):
        Tagger().predict(WORDS)


@pytest.mark.parametrize("kind", ["tagger", "compact", "spans", "hashed"])
def test_damaged_models(kind: str, tmp_path: Path) -> None:
    """Every mutation of a model file is a FormatError, or a model that still works; never a crash."""
    learner = CRF(n_iter=1)
    path = tmp_path / "m.palm"
    if kind == "spans":
        cls: type[Tagger] = SpanTagger
        SpanTagger(learner, templates="w[0]\ny|w[0]\ny").fit(parse_columns(NER)).save(path)
    else:
        cls = Tagger
        options = {"hash_bits": 6} if kind == "hashed" else {"order": 2}
        Tagger(learner, templates="w[0]\ny", **options).fit(WORDS, TAGS).save(path, compact=kind == "compact")
    whole = path.read_bytes()
    rng = np.random.default_rng(5)
    header = int.from_bytes(whole[:8], "little") + 8
    survivors = 0
    for round in range(300):
        data = bytearray(whole)
        for _ in range(rng.integers(1, 4)):
            where = int(rng.integers(0, header if round % 2 else len(data)))
            data[where] = int(rng.integers(0, 256))
        if round % 10 == 0:
            data = data[: int(rng.integers(0, len(data)))]
        try:
            found = cls.from_model(ModelFile.from_buffer(bytes(data), cls.kind))
            found.predict(WORDS)
            found.evaluate(WORDS, [["O", "O"], ["O"]])
            survivors += 1
        except FormatError:
            pass
    assert survivors < 300


def test_damaged_models_on_the_command_line(model: Path, tmp_path: Path, capsys) -> None:
    whole = model.read_bytes()
    for cut in (0, 7, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "m.palm").write_bytes(whole[:cut])
        for arguments in (["predict"], ["evaluate"], ["inspect"], ["explain"]):
            assert main([*arguments, str(tmp_path / "m.palm"), str(TRAIN)]) in (1, 2)
            err = capsys.readouterr().err
            assert err.count("\n") == 1
            assert "internal error" not in err


def test_output_columns_that_cannot_be_told(fails, tmp_path: Path, palmette) -> None:
    train = written(tmp_path, "NOUN\tTime\nVERB\tflies\n\n", "train.tsv")
    out = tmp_path / "m.palm"
    templates = written(tmp_path, "c1[0]\n", "t.txt")
    options = ["--column", "0", "--templates", templates]
    assert palmette("train", "tag", "--train", train, *options, "-o", out).code == 0
    assert palmette("predict", out, train).out == "NOUN\tTime\nVERB\tflies\n\n"
    fails("Unknown column 'pos' to fill", "predict", out, train, "--column", "pos", "-o", tmp_path / "x")


def test_a_corpus_of_one_sentence_and_many_columns() -> None:
    corpus = Corpus.from_columns({"form": [["a"]], "upos": [["X"]]})
    assert Tagger().fit(corpus).predict(corpus) == [["X"]]
