"""Options of pipelines on the command line: how text is read, steps alone, lexica, other commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from palmette import Pipeline
from palmette.formats.conllu import parse_conllu, read_conllu

pytestmark = pytest.mark.native

DATA = Path(__file__).parents[3] / "examples" / "pipelines"
TRAIN = ["train", "pipeline", "--train", DATA / "train.conllu", "--jackknife", 0, "--method", "graph", "-q"]
TEXT = "Ana va. Luis corre\na Lima\n\nEl perro!\n"


@pytest.fixture
def model(pipeline_of_names: Path) -> Path:
    return pipeline_of_names


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text(TEXT)
    return tmp_path / "text.txt"


@pytest.mark.parametrize(
    ("options", "reading"),
    [
        (["--newlines", "space"], {"newlines": "space"}),
        (["--newlines", "sentence"], {"newlines": "sentence"}),
        (["--lines"], {"newlines": "sentence"}),
        (["--newlines", "paragraph"], {}),
        (["--presegmented"], {"presegmented": True}),
        (["--pretokenized"], {"pretokenized": True}),
        (["--presegmented", "--newlines", "sentence"], {"presegmented": True}),
    ],
)
def test_how_text_is_read(palmette, model: Path, text: Path, options: list[str], reading) -> None:
    found = palmette("predict", model, text, *options)
    assert found.out == Pipeline.load(model)(TEXT, **reading).to_conllu()


def test_the_ways_of_reading_differ(palmette, model: Path, text: Path) -> None:
    asked = (["--newlines", "sentence"], ["--newlines", "space"], ["--presegmented"], ["--pretokenized"])
    found = [palmette("predict", model, text, *options).out for options in ([], *asked)]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--presegmented", "--newlines", "space"], "leave newlines=space out"),
        (["--lines", "--newlines", "space"], "use only one of them"),
        (["--keep", "upos"], "nothing to --keep: it is for CoNLL-U"),
        (["--from", "conllu", "--newlines", "space"], "so --newlines does not apply"),
        (["--from", "conllu", "--presegmented"], "so --presegmented does not apply"),
        (["--from", "conllu", "--lines"], "so --newlines does not apply"),
    ],
)
def test_options_that_would_be_ignored(
    palmette, model: Path, text: Path, options: list[str], told: str
) -> None:
    if "conllu" in options:
        text.write_bytes((DATA / "test.conllu").read_bytes())
    code, out, err = palmette("predict", model, text, *options)
    assert code == 2
    assert told in err
    assert err.count("\n") == 1
    assert out == ""


def test_what_the_input_has_is_kept_in_every_column(palmette, model: Path, tmp_path: Path) -> None:
    rows = ["1\tAna\tX\tX\tX\tX=Y\t2\tx\t_\tEntity=B-LOC", "2\tcorre\t_\t_\t_\t_\t_\t_\t_\t_"]
    (tmp_path / "x.conllu").write_text("\n".join(rows) + "\n\n")

    def row(*options: str) -> list[list[str]]:
        lines = palmette("predict", model, tmp_path / "x.conllu", *options).out.splitlines()
        return [line.split("\t") for line in lines if line[:1].isdigit()]

    plain = row()
    for name, place in {"lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "deprel": 7}.items():
        kept = row("--keep", name)
        assert kept[0][place] == rows[0].split("\t")[place], name
        if name not in ("xpos", "feats"):
            assert kept[1][place] == plain[1][place] != "_", name
    assert plain[0][9] == "Entity=B-PER"
    assert row("--keep", "entity")[0][9] == "Entity=B-LOC"
    assert row("--keep", "head")[0][6] == "2"


def test_a_dictionary_and_a_lexicon(palmette, model: Path, text: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    words.write_text("Ana\tANITA\tNOUN\nperro\tcan\n")
    found = parse_conllu(palmette("predict", model, text, "--dictionary", words).out)
    assert (found[0]["lemma"][0], found[0]["upos"][0]) == ("ANITA", "NOUN")
    assert "can" in found.column("lemma").values()
    words.write_text("Ana\n")
    assert "words.tsv:1: expected form, lemma" in palmette("predict", model, text, "--dictionary", words).err
    words.write_text("perro\tcan\tVERB\n")
    target = tmp_path / "m.palm"
    trained = palmette(*TRAIN, "--lexicon", words, "--constrain", "--without", "parser", "-o", target)
    assert trained.code == 0
    token = Pipeline.load(target)("El perro corre.")[1]
    assert (token.lemma, token.upos) == ("can", "VERB")
    assert "--constrain needs --lexicon" in palmette(*TRAIN, "--constrain", "-o", target).err


def test_names_are_chosen_on_a_dev_set(palmette, tmp_path: Path) -> None:
    target, names = tmp_path / "m.palm", DATA / "names.txt"
    asked = ["--only", "entities", "--entities", names, "--entities-dev", names]
    assert palmette(*TRAIN, *asked, "-o", target).code == 0
    assert Pipeline.load(target).training_["dev"]["entities"]["f1"] > 0.5
    assert "--entities-dev needs --entities" in palmette(*TRAIN, "--entities-dev", names, "-o", target).err


def test_steps_alone(palmette, model: Path, text: Path, tmp_path: Path) -> None:
    target, tokens = tmp_path / "m.palm", tmp_path / "tokens.palm"
    assert palmette(*TRAIN, "--only", "tokens,words", "-o", target).code == 0
    both = [token.text for token in Pipeline.load(target)("Va al mercado.")]
    assert both == ["Va", "a", "el", "mercado", "."]
    assert palmette(*TRAIN, "--only", "tokens", "-o", target).code == 0
    assert [token.text for token in Pipeline.load(target)("Va al mercado.")] == ["Va", "al", "mercado", "."]
    start, target = target, tmp_path / "n.palm"
    assert palmette(*TRAIN, "--start", start, "--only", "words", "-o", target).code == 0
    assert [token.text for token in Pipeline.load(target)("Va al mercado.")] == both
    found = parse_conllu(palmette("predict", target, text, "--probabilities").out)
    assert all(note.partition("TokenProb=")[2] for note in found.column("misc").values())
    assert palmette("train", "tokens", "--train", DATA / "train.conllu", "-q", "-o", tokens).code == 0
    assert palmette(*TRAIN, "--use", tokens, "--without", "parser,lemmas", "-o", target).code == 0
    assert [token.text for token in Pipeline.load(target)("Va al mercado.")] == both
    refused = palmette(*TRAIN, "--only", "words", "-o", tmp_path / "no.palm")
    assert "there is none: train tokens too" in refused.err
    assert "labels of entities" in palmette(*TRAIN, "--only", "entities", "-o", tmp_path / "no.palm").err
    assert not (tmp_path / "no.palm").exists()


def test_lemmas_alone_say_what_they_need(palmette, text: Path, tmp_path: Path) -> None:
    target = tmp_path / "m.palm"
    assert palmette(*TRAIN, "--only", "lemmas", "-o", target).code == 0
    assert "The step lemmas looks at upos, feats" in palmette("predict", target, text).err
    gold = read_conllu(DATA / "test.conllu")
    found = parse_conllu(palmette("predict", target, DATA / "test.conllu").out)
    assert found.column("upos").values() == gold.column("upos").values()
    right = [a == b for a, b in zip(found.column("lemma").values(), gold.column("lemma").values())]
    assert sum(right) > 0.8 * len(right)
    report = json.loads(palmette("evaluate", target, DATA / "test.conllu", "--gold-tokens", "--json").out)
    assert "lemmas_interval" in report
    assert report["lemmas"] > 0.8
    assert report["las"] is None
    assert "looks at upos, feats" in palmette("evaluate", target, DATA / "test.conllu").err
    whole = tmp_path / "whole.palm"
    assert palmette(*TRAIN, "--use", target, "--without", "parser", "-o", whole).code == 0
    assert parse_conllu(palmette("predict", whole, text).out).column("lemma").values()[:2] == ["Ana", "ir"]
    words, names = tmp_path / "words.txt", tmp_path / "words.palm"
    words.write_text("Ana va\nLuis corre\n")
    assert palmette("train", "lm", "--train", words, "--order", 2, "-q", "-o", names).code == 0
    refused = palmette(*TRAIN, "--use", names, "-o", tmp_path / "no.palm")
    assert refused.code == 2
    assert "cannot be a step of a pipeline" in refused.err


def test_the_worst_sentences_are_those_of_what_is_filled(palmette, tmp_path: Path) -> None:
    target = tmp_path / "m.palm"
    assert palmette(*TRAIN, "--only", "tokens,words", "-o", target).code == 0
    report = json.loads(palmette("evaluate", target, DATA / "test.conllu", "--json").out)
    assert report["worst_by"] == "Words" if "worst" in report else report["words"] == 1
    assert report["words_interval"][0] <= report["words"] <= report["words_interval"][1]
    assert report["upos"] is None
    assert "upos" in report["note"]


def test_what_going_on_does_not_take(palmette, model: Path, tmp_path: Path) -> None:
    start = [
        "train",
        "pipeline",
        "--train",
        DATA / "dev.conllu",
        "-q",
        "--start",
        model,
        "-o",
        tmp_path / "x.palm",
    ]
    assert "leave --jackknife out" in palmette(*start, "--jackknife", 2).err
    assert "keeps the parser's method, graph" in palmette(*start, "--method", "transition").err


def test_select_takes_the_least_sure(palmette, model: Path, text: Path) -> None:
    found = palmette("select", model, text, "--n", 1)
    assert found.code == 0
    chosen = parse_conllu(found.out)
    assert len(chosen) == 1
    assert all("ArcProb=" in note for note in chosen.column("misc").values())
    assert palmette("select", model, text, "--n", 1, "--lines").code == 0


@pytest.mark.parametrize(
    "command",
    [
        ["learning-curve", "--sizes", "20,40"],
        ["search", "--try", "jackknife=0,2"],
        ["cross-validate", "--folds", "2"],
    ],
)
def test_experiments(palmette, command: list[str]) -> None:
    verb, *options = command
    asked = ["--train", DATA / "train.conllu", "--without", "parser,tokens", "--json"]
    dev = [] if verb == "cross-validate" else ["--dev", DATA / "dev.conllu"]
    code, out, err = palmette(verb, "pipeline", *asked, *dev, *options)
    assert code == 0, err
    found = json.loads(out)
    assert found["tool"] == "pipeline"
    assert found["measure"] == "upos"


@pytest.mark.parametrize(
    ("option", "content", "sentence"),
    [
        ("--lexicon", None, "words: no such file"),
        ("--lexicon", "Ana\n", "words:1: expected form, lemma"),
        ("--entities", "Ana\tB-PER\n\nva\n", "words (line 3: found 1 tab-separated column, expected 2"),
        (
            "--entities",
            "Ana\tO\nva\tO\n\nUn\tO\nrey\tO\n",
            "words: expected labels such as B-PER in the last column",
        ),
    ],
)
def test_bad_files_are_refused_before_any_step_is_trained(
    palmette, tmp_path: Path, option: str, content: str | None, sentence: str
) -> None:
    if content is not None:
        (tmp_path / "words").write_text(content)
    loud = [one for one in TRAIN if one != "-q"]
    refused = palmette(*loud, option, tmp_path / "words", "-o", tmp_path / "m.palm")
    assert refused.code in (1, 2)
    assert sentence in refused.err
    assert "--format" not in refused.err
    assert "tokens  " not in refused.err
    assert not (tmp_path / "m.palm").exists()
