"""Steps that are trained alone: the others stay, what they need is said, contradictions are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from palmette import Pipeline
from palmette.formats import read_columns, read_conllu
from palmette.formats.corpus import Corpus
from palmette.tools.pipeline.evaluation import bare
from palmette.tools.pipeline.joining import join_corpora
from palmette.tools.text.tokenizer import Tokenizer
from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer

pytestmark = pytest.mark.native

DATA = Path(__file__).parents[3] / "examples" / "pipelines"
TEXT = "Ana va al mercado. El perro de Luis corre a Lima!"


@pytest.fixture(scope="module")
def nlp(corpus: Corpus) -> Pipeline:
    return Pipeline(without=["parser"], jackknife=0, language="es").fit(corpus)


def again(nlp: Pipeline) -> Pipeline:
    """Another pipeline with the same model."""
    return Pipeline.from_model(nlp.to_model())


def trained(corpus: Any, **asked: Any) -> tuple[Pipeline, list[str]]:
    notes: list[str] = []
    parameters = {name: asked.pop(name) for name in ("without", "method") if name in asked}
    made = Pipeline(jackknife=0, **parameters).fit(corpus, note=notes.append, **asked)
    return made, notes


def spelt(document: Any) -> list[tuple[int, str]]:
    return [(token.start, token.text) for token in document]


def test_words_alone_keep_the_tokens_that_were_learned(nlp: Pipeline, corpus: Corpus) -> None:
    made, notes = again(nlp), []
    strange = corpus.select([i for i, one in enumerate(corpus) if not one.ranges])
    made.fit(strange, only=["words"], note=notes.append)
    assert isinstance(made.tokenizer_, LearnedTokenizer)
    assert made.tokenizer_.lexicon_.tokens.tolist() == nlp.tokenizer_.lexicon_.tokens.tolist()
    assert "al" in [token.text for token in made(TEXT)]  # the treebank has no multiword token
    assert "al" not in [token.text for token in nlp(TEXT)]
    assert any(line.startswith("words") and "0 of" in line for line in notes)
    made.fit(corpus, only=["words"])
    assert spelt(made(TEXT)) == spelt(nlp(TEXT))


def test_tokens_alone_keep_the_words_that_were_learned(nlp: Pipeline, corpus: Corpus) -> None:
    made = again(nlp)
    made.fit(corpus.select(range(30)), only=["tokens"])
    assert made.tokenizer_.splitter_.seen == nlp.tokenizer_.splitter_.seen
    assert made.tokenizer_.training_["sentences"] == 30
    assert made.model_.names == nlp.model_.names
    alone, _ = trained(corpus, only=["tokens"])
    assert "al" in [token.text for token in alone(TEXT)]
    both, _ = trained(corpus, only=["tokens", "words"])
    assert spelt(both(TEXT)) == spelt(nlp(TEXT))


def test_the_steps_of_a_pipeline_are_used(nlp: Pipeline, corpus: Corpus) -> None:
    alone, _ = trained(corpus.select(range(20)), only=["lemmas"])
    made, notes = trained(corpus, without=["parser"], use=[alone])
    assert made.step("lemmas") is alone.step("lemmas")
    assert any(line.startswith("lemmas") and "given" in line for line in notes)
    whole, notes = trained(corpus, use=[nlp], method="transition")
    assert whole.model_.names == ("upos", "morphology", "lemmas", "parser")
    assert whole.tokenizer_ is nlp.tokenizer_
    assert whole.step("morphology") is nlp.step("morphology")
    assert "corre" in [token.text for token in whole(TEXT)]
    with pytest.raises(ValueError, match="The step lemmas is given twice"):
        trained(corpus, use=[alone, nlp])


def test_words_alone_need_tokens_that_were_learned(corpus: Corpus) -> None:
    for asked in ({}, {"use": [Tokenizer("es")]}):
        with pytest.raises(ValueError, match="there is none: train tokens too"):
            trained(corpus, only=["words"], **asked)


def test_steps_that_are_left_out_of_a_pipeline_that_has_them(nlp: Pipeline, corpus: Corpus) -> None:
    made = again(nlp).set_params(without=["tokens", "morphology"])
    made.fit(corpus, only=["lemmas"])
    assert isinstance(made.tokenizer_, Tokenizer)
    assert made.tokenizer_.language == "es"
    assert made.model_.names == ("lemmas",)
    made = again(nlp).set_params(without=["words"])
    made.fit(corpus, only=["lemmas"])
    assert "al" in [token.text for token in made(TEXT)]
    assert "al" not in [token.text for token in nlp(TEXT)]


@pytest.mark.parametrize(("step", "column"), [("lemmas", "lemma"), ("parser", "deprel")])
def test_a_step_alone_is_trained_on_gold_tags_and_says_what_it_needs(
    corpus: Corpus, step: str, column: str
) -> None:
    made, notes = trained(corpus, only=[step], dev=DATA / "dev.conllu", method="graph")
    assert made.model_.lacking == {step: ("upos", "feats")}
    assert any("looks at upos, feats, which no step fills" in line for line in notes)
    assert not any("from raw text" in line for line in notes)
    with pytest.raises(
        ValueError, match=f"The step {step} looks at upos, feats, and no step before it fills"
    ):
        made("Ana corre.")
    given = corpus.select(range(5)).with_column(column, [["_"] * len(one) for one in corpus.select(range(5))])
    right = made.annotate(given).column(column).values()
    gold = corpus.select(range(5)).column(column).values()
    assert sum(a == b for a, b in zip(right, gold)) > 0.8 * len(gold)
    assert made.evaluate(corpus.select(range(20)), gold_tokens=True).f1("words") == 1
    loaded = again(made)
    assert loaded.model_.lacking == made.model_.lacking


def test_without_morphology_lemmas_and_trees_see_words_alone(corpus: Corpus) -> None:
    made, _ = trained(corpus, without=["morphology"], method="graph")
    assert made.model_.lacking == {}
    assert made.step("lemmas").looks_at == ()
    assert made.step("parser").columns_ == ()
    tagged = made.annotate(corpus.select(range(3)))
    assert (
        tagged.column("lemma").values()
        == made.annotate(bare(corpus.select(range(3)))).column("lemma").values()
    )


def test_entities_alone(nlp: Pipeline, corpus: Corpus) -> None:
    names = read_columns(DATA / "names.txt")
    made, _ = trained(corpus, only=["entities"], entities=names)
    assert made.model_.names == ("entities",)
    assert [entity.text for entity in made("Ana va a Lima .").entities] == ["Ana", "Lima"]
    more = again(nlp).fit(corpus, only=["entities"], entities=names)
    assert more.model_.names == ("upos", "morphology", "lemmas", "entities")
    assert more.model_.lacking == {}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"only": ["entities"]}, "To train the step entities needs sentences with labels"),
        ({"only": ["lemmas"], "without": ["lemmas"]}, "lemmas is to be left out"),
        ({"only": ["tokens"], "use": [Tokenizer()]}, "tokens is given: it cannot be trained too"),
        ({"only": ["words"], "without": ["tokens"]}, "words needs the step tokens, which is left out"),
        ({"use": [Tokenizer(), Tokenizer()]}, "has one tokenizer"),
        ({"only": ["parser"], "lexicon": "x"}, "A lexicon is for the steps morphology and lemmas"),
        ({"constrain": True}, "To constrain analyses needs a lexicon"),
    ],
)
def test_what_contradicts_itself(corpus: Corpus, asked: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        trained(corpus, **asked)


@pytest.mark.parametrize(
    ("step", "told"), [("lemmas", "no lemmas"), ("morphology", "no tags"), ("parser", "no heads")]
)
def test_a_step_that_was_asked_for_needs_data(nlp: Pipeline, step: str, told: str) -> None:
    words = Corpus.from_columns({"form": [["Go", "!"]] * 4})
    with pytest.raises(ValueError, match=f"The step {step} cannot be trained: the treebank has {told}"):
        again(nlp).set_params(without=[]).fit(words, only=[step])


def test_what_a_warm_start_does_not_take(corpus: Corpus) -> None:
    made = Pipeline(without=["tokens", "lemmas"], jackknife=0, method="graph").fit(corpus)
    names = read_columns(DATA / "names.txt")
    with pytest.raises(ValueError, match="nor labels of entities"):
        made.fit(corpus, warm_start=True, entities=names)
    with pytest.raises(ValueError, match="keeps the steps that are there: 'without' names parser"):
        made.set_params(without=["parser"]).fit(corpus, warm_start=True)
    with pytest.raises(ValueError, match="keeps the parser's method, graph"):
        made.set_params(without=[], method="transition").fit(corpus, warm_start=True)


def test_a_file_keeps_the_parameters_for_more_training(corpus: Corpus) -> None:
    asked = {
        "without": ["parser", "lemmas"],
        "language": "es",
        "jackknife": 0,
        "method": "graph",
        "random_state": 3,
    }
    made = Pipeline(**asked).fit(corpus.select(range(20)))
    found = again(made).get_params()
    assert {name: found[name] for name in asked} == asked
    damaged = made.to_model()
    damaged.options["training"]["parameters"] = {"without": "x", "jackknife": "many", "wings": 2}  # type: ignore[index]
    assert Pipeline.from_model(damaged).get_params()["jackknife"] == Pipeline().jackknife


def test_all_steps_use_the_threads(nlp: Pipeline) -> None:
    made = again(nlp).set_jobs(2)
    assert made.tokenizer_.n_jobs == 2
    assert {step.tool.n_jobs for step in made.steps_} == {2}
    by_rules = again(nlp).set_params(without=["tokens"])
    assert by_rules.set_jobs(1).n_jobs == 1


def test_lemmas_are_learned_from_the_tags_that_are_better(corpus: Corpus) -> None:
    dev = read_conllu(DATA / "dev.conllu")
    for given, where in ((dev, "on dev: gold "), (None, "held out: gold ")):
        notes: list[str] = []
        made = Pipeline(without=["tokens", "parser"], jackknife=2)
        made.fit(corpus, dev=given, note=notes.append)
        told = next(line for line in notes if line.startswith("lemmas"))
        assert where in told
        alone, both = (
            float(part)
            for part in told.partition(where)[2]
            .rstrip(")")
            .replace("gold and jackknifed ", "")
            .split(")")[0]
            .split(", ")
        )
        assert ("from gold and jackknifed tags (" in told) == (both > alone)
        assert made.step("lemmas").training_["sentences"] == len(corpus) * (1 + (both > alone))


def test_the_last_line_tells_of_what_is_filled(corpus: Corpus) -> None:
    notes: list[str] = []
    Pipeline(without=["morphology", "parser"], jackknife=0).fit(
        corpus, dev=join_corpora([corpus.select(range(10))]), note=notes.append
    )
    last = notes[-1]
    assert last.startswith("all")
    assert "Words" in last
    assert "Lemmas" in last
    assert "UPOS" not in last
    assert "LAS" not in last
