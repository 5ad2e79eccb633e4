"""Pipelines: training, documents, streams, files, pickles, threads."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import palmette
from palmette import Corpus, DependencyParser, Pipeline, Tagger
from palmette.evaluation.raw_text import evaluate_raw_text
from palmette.formats import read_columns, read_conllu
from palmette.formats.conllu import parse_conllu
from palmette.formats.model import ModelFile
from palmette.tools.pipeline.evaluation import bare
from palmette.tools.pipeline.parser_choice import parser_choices

pytestmark = pytest.mark.native

DATA = Path(__file__).parents[3] / "examples" / "pipelines"
TEXT = "Ana va al mercado. El perro de Luis corre a Lima!\n\nLas casas del rey no ven un libro."


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return []


@pytest.fixture(scope="module")
def nlp(lines: list[str]) -> Pipeline:
    names = read_columns(DATA / "names.txt")
    pipeline = Pipeline(jackknife=2, language="es", method="graph")
    return pipeline.fit(
        DATA / "train.conllu", dev=DATA / "dev.conllu", entities=(names, names), note=lines.append
    )


def test_a_line_for_every_step(nlp: Pipeline, lines: list[str]) -> None:
    first = [line.split()[0] for line in lines]
    for name in ("tokens", "morphology", "parser", "entities", "all"):
        assert name in first
        assert any("dev" in line for line in lines if line.startswith(name))
    assert "morphology  the treebank has no xpos: stays empty" in lines
    assert any("graph" in line and "crossing" in line for line in lines)  # which parser, and why
    assert nlp.training_["dev"]["parser"]["las"] > 0.5


def test_a_document_has_all_layers(nlp: Pipeline) -> None:
    document = nlp(TEXT, probabilities=True)
    assert document.text == TEXT
    for token in document:
        assert TEXT[token.start : token.end] == (token.multiword or token.text)
        assert token.upos
        assert token.deprel
        assert token.head is not None
        assert token.confidence is not None
        assert 0 <= token.confidence <= 1 + 1e-6
        assert {"token", "upos", "arc", "deprel", "entity"} <= token.probabilities.keys()
    assert [(entity.type, entity.text) for entity in document.entities] == [
        ("PER", "Ana"),
        ("PER", "Luis"),
        ("LOC", "Lima"),
    ]
    assert [token.text for token in document.sentences[0]] == ["Ana", "va", "a", "el", "mercado", "."]
    assert [token.multiword for token in document.sentences[0]] == [None, None, "al", "al", None, None]
    assert parse_conllu(document.to_conllu()).n_words == len(document)


def test_many_texts_are_each_what_one_is(nlp: Pipeline) -> None:
    texts = [TEXT, "", "¡Ana!", " \n", TEXT * 3] * 50
    alone = [nlp(text).to_conllu() for text in texts]
    for n_jobs in (1, 2, 3):
        assert [one.to_conllu() for one in nlp.pipe(iter(texts), n_jobs=n_jobs)] == alone
    assert [one.to_conllu() for one in nlp.predict(texts[:4])] == alone[:4]


def test_a_stream_says_the_same_in_any_pieces(nlp: Pipeline) -> None:
    text = "\n\n".join([TEXT] * 5)
    whole = [(token.start, token.text, token.upos, token.head) for token in nlp(text)]
    pieces = [line + " " for line in text.split(" ")]
    found = []
    for document in nlp.stream(pieces):
        for sentence in document.sentences:
            assert sentence.text == text[sentence.start : sentence.end]
        found += [(token.start, token.text, token.upos, token.head) for token in document]
    assert found == whole


def test_a_stream_is_read_as_it_is_needed(nlp: Pipeline) -> None:
    read = 0

    def endless():
        nonlocal read
        while True:
            read += 1
            yield TEXT + "\n\n"

    for _, document in zip(range(3), nlp.stream(endless())):
        assert len(document)
    assert read < 10
    texts = nlp.pipe(endless(), n_jobs=2)
    assert len(next(texts))
    texts.close()  # type: ignore[attr-defined]


def test_files_pickles_and_threads(nlp: Pipeline, tmp_path: Path) -> None:
    nlp.save(tmp_path / "x.palm", compact=False)
    want = nlp(TEXT).to_conllu()
    loaded = palmette.load(tmp_path / "x.palm")
    assert isinstance(loaded, Pipeline)
    assert loaded(TEXT).to_conllu() == want
    assert pickle.loads(pickle.dumps(nlp))(TEXT).to_conllu() == want
    with ThreadPoolExecutor(4) as pool:
        assert {one.to_conllu() for one in pool.map(nlp, [TEXT] * 8)} == {want}
    with multiprocessing.get_context("spawn").Pool(1) as processes:
        assert processes.map(nlp, [TEXT])[0].to_conllu() == want
    parser = DependencyParser.load(tmp_path / "x.palm")
    assert parser.relations_ == nlp.step("parser").relations_


FORKING = """
import multiprocessing, sys, palmette
nlp = palmette.load(sys.argv[1]).set_jobs(2)
want = nlp(sys.argv[2]).to_conllu()  # its threads are gone in a child
with multiprocessing.get_context("fork").Pool(2) as pool:
    found = [document.to_conllu() for document in pool.map(nlp, [sys.argv[2]] * 4)]
print(found == [want] * 4)
"""


def test_processes_that_are_forked(nlp: Pipeline, tmp_path: Path) -> None:
    nlp.save(tmp_path / "x.palm")
    asked = [sys.executable, "-c", FORKING, str(tmp_path / "x.palm"), TEXT]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout.strip() == "True", done.stderr


def test_a_file_saved_again_is_the_same(nlp: Pipeline, tmp_path: Path) -> None:
    nlp.save(tmp_path / "one.palm")
    Pipeline.load(tmp_path / "one.palm").save(tmp_path / "two.palm")
    assert (tmp_path / "one.palm").read_bytes() == (tmp_path / "two.palm").read_bytes()


def test_the_same_seed_gives_the_same_file(nlp: Pipeline) -> None:
    names = read_columns(DATA / "names.txt")
    again = Pipeline(jackknife=2, language="es", method="graph", n_jobs=2)
    again.fit(DATA / "train.conllu", dev=DATA / "dev.conllu", entities=(names, names))
    for name in nlp.model_.names:
        one, other = (p.to_model(compact=True).part(name).arrays for p in (nlp, again))
        assert one.keys() == other.keys()
        assert all(np.array_equal(one[key], other[key]) for key in one), name


def test_values_that_are_kept(nlp: Pipeline) -> None:
    gold = read_conllu(DATA / "test.conllu")
    strange = gold.with_column("upos", [["X"] * len(sentence) for sentence in gold])
    kept = nlp.annotate(strange, keep=("upos",))
    assert set(kept.column("upos").values()) == {"X"}
    assert set(nlp.annotate(strange).column("upos").values()) != {"X"}
    trees = nlp.annotate(gold, keep=("head", "deprel"))
    assert trees.heads is not None
    assert trees.heads.tolist() == gold.heads.tolist()
    assert trees.column("deprel").values() == gold.column("deprel").values()
    some = np.where(np.arange(gold.n_words) % 3 == 0, -1, gold.heads)
    partly = nlp.annotate(gold.with_heads(some), keep=("head",))
    assert ((partly.heads == some) | (some < 0)).all()
    assert (partly.heads >= 0).all()
    with pytest.raises(ValueError, match="A column to keep is one of lemma, upos"):
        nlp.annotate(gold, keep=("form",))


def test_words_that_are_there_stay(nlp: Pipeline) -> None:
    document = nlp([["Ana", "va", "."], ["Lima"]])
    assert [token.text for token in document] == ["Ana", "va", ".", "Lima"]
    assert document.text == "Ana va. Lima"
    gold = read_conllu(DATA / "test.conllu")
    want = nlp.annotate(bare(gold))
    assert nlp.evaluate(gold, gold_tokens=True).counts == evaluate_raw_text(gold, want).counts
    assert nlp.evaluate(gold, gold_tokens=True).f1("words") == 1
    assert nlp.score(gold) == nlp.evaluate(gold).f1("las")


def test_steps_are_left_out_given_and_trained_alone(nlp: Pipeline) -> None:
    train = read_conllu(DATA / "train.conllu")
    tagger = Tagger(column="feats").fit(train)
    parser = DependencyParser(columns=["feats"]).fit(train)
    made = Pipeline.of(parser, tagger)
    assert made.model_.names == ("feats", "parser")
    assert made("una casa")[1].feats == "Gender=Fem|Number=Sing"
    assert made("una casa")[1].upos is None
    given = Pipeline(without=["lemmas"], jackknife=0).fit(train, use=[parser])
    assert given.step("parser") is parser
    again = pickle.loads(pickle.dumps(nlp)).fit(train, only=["parser"])
    assert again.step("entities").classes_ == nlp.step("entities").classes_
    assert again.step("parser") is not nlp.step("parser")
    with pytest.raises(ValueError, match="has no step 'translation'"):
        nlp.step("translation")
    with pytest.raises(ValueError, match="The steps of a pipeline are tokens, words"):
        Pipeline(without=["tagger"]).fit(train)
    with pytest.raises(ValueError, match="every step once; feats is there 2 times"):
        Pipeline.of(tagger, tagger)
    with pytest.raises(TypeError, match="A str cannot be a step"):
        Pipeline.of("parser")


def test_the_parser_is_what_the_treebank_needs() -> None:
    corpus = read_conllu(DATA / "train.conllu")
    found = parser_choices(corpus, ["upos", "xpos", "feats"], None, dev=True)
    assert [(one.method, "xpos" in one.columns) for one in found.parsers] == [
        ("graph", True),
        ("graph", False),
        ("transition", True),
        ("transition", False),
    ]
    assert "70 sentences of 8 words, 0% with crossing arcs" in found.facts
    assert [one.method for one in parser_choices(corpus, ["upos"], None, dev=False).parsers] == ["graph"]
    asked = parser_choices(corpus, ["upos"], "transition", dev=True)
    assert asked.parsers == (("transition", {}, ("upos",)),)
    n = 600
    long = Corpus.from_columns(
        {"form": [["a"] * n], "deprel": [["root", *["x"] * (n - 1)]]}, heads=[range(n)]
    )
    assert [one.method for one in parser_choices(long, [], None, dev=True).parsers] == ["transition"]
    crossing = Corpus.from_columns(
        {"form": [["a"] * 4], "deprel": [["x", "x", "root", "x"]]}, heads=[[3, 4, 0, 3]]
    )
    assert (
        "100% with crossing arcs: a graph has crossing arcs"
        in parser_choices(crossing, [], None, dev=False).facts
    )
    lines: list[str] = []
    nlp = Pipeline(without=["tokens"], jackknife=0)
    nlp.fit(DATA / "train.conllu", dev=DATA / "dev.conllu", note=lines.append)
    told = next(line for line in lines if line.startswith("parser"))
    assert told.count("graph with") + told.count("transition beam=16 with") == 2  # two kinds, without XPOS


@pytest.mark.parametrize(
    ("columns", "heads", "told"),
    [
        ({"form": [["Go", "!"]], "upos": [["VERB", "PUNCT"]]}, None, "no heads"),
        ({"form": [["Go", "!"]], "deprel": [["root", "punct"]]}, [[0, 1]], "no upos, no xpos, no feats"),
    ],
)
def test_what_a_treebank_lacks_is_said(columns, heads, told: str) -> None:
    lines: list[str] = []
    nlp = Pipeline().fit(Corpus.from_columns(columns, heads=heads), note=lines.append)
    assert any(told in line for line in lines)
    assert any("no lemmas" in line for line in lines)
    assert len(nlp("Go !")) == 2


def test_bad_treebanks() -> None:
    cycle = Corpus.from_columns({"form": [["a", "b", "c"]], "deprel": [["x"] * 3]}, heads=[[2, 1, 0]])
    with pytest.raises(ValueError, match="the heads go round in a circle"):
        Pipeline().fit(cycle)
    good = Corpus.from_columns({"form": [["a", "b"]], "deprel": [["root", "x"]]}, heads=[[0, 1]])
    from palmette.tools.pipeline.joining import join_corpora

    lines: list[str] = []
    Pipeline().fit(join_corpora([good, cycle]), skip_bad=True, note=lines.append)
    assert any("1 sentence" in line for line in lines)
    with pytest.raises(ValueError, match="the treebank has no words"):
        Pipeline().fit(Corpus.from_columns({"form": []}))
    with pytest.raises(ValueError, match="no step left to train"):
        Pipeline(without=["tokens"]).fit(Corpus.from_columns({"form": [["a"]]}))
    with pytest.raises(ValueError, match="not trained yet"):
        Pipeline()("text")


def test_strange_text(nlp: Pipeline) -> None:
    for text in (
        "",
        "\0",
        "a\0b",
        "Аnna 你好 مرحبا",
        "x" * 1_000_000,
        "\u2028\u200b",
        "a" + " " * 10_000 + "b",
    ):
        document = nlp(text)
        assert all(document.text[token.start : token.end] == token.text for token in document)
    with pytest.raises(TypeError, match="pipe takes many texts"):
        nlp.pipe("one text")
    with pytest.raises(TypeError, match="A text must be a string"):
        list(nlp.pipe([b"bytes"]))  # type: ignore[list-item]


def test_damaged_files(nlp: Pipeline) -> None:
    file = nlp.to_model()
    for options in ({}, {**file.options, "steps": ["nowhere"]}, {**file.options, "steps": [3]}):
        with pytest.raises(ValueError, match="damaged"):
            Pipeline.from_model(ModelFile(file.kind, options, file.arrays, file.strings))
    with pytest.raises(ValueError, match="parser"):
        Pipeline.from_model(nlp.step("parser").to_model())


def test_a_parser_with_taggers_is_a_pipeline_too(tmp_path: Path) -> None:
    parser = DependencyParser(taggers=True, jackknife=2).fit(DATA / "train.conllu")
    parser.save(tmp_path / "old.palm")
    nlp = Pipeline.load(tmp_path / "old.palm")
    words = ["Ana", "corre", "."]
    assert [token.head for token in nlp([words])] == list(
        DependencyParser.load(tmp_path / "old.palm").predict([words])[0].heads
    )


def test_explanations(nlp: Pipeline) -> None:
    assert len(nlp.explain("Ana corre a Lima.").decisions) == 5
    assert nlp.explain([["Ana", "corre"]], step="entities").decisions[0].subject
    with pytest.raises(ValueError, match="no word to explain"):
        nlp.explain("")
