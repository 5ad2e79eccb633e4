"""Probabilities of every layer, of tokens, tags, arcs and relations, and what is said where there are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import CRF, DependencyParser, Perceptron, Pipeline
from palmette.formats import read_columns
from palmette.formats.conllu import parse_conllu
from palmette.formats.corpus import Corpus
from palmette.tools.dependency.relation_probabilities import relation_probabilities
from palmette.tools.dependency.tags import views_of
from palmette.tools.pipeline.evaluation import bare
from palmette.tools.text.tokenizer import Tokenizer
from palmette.tools.tokens.characters import characters
from palmette.tools.tokens.cutting import INSIDE, SENTENCE, token_probabilities
from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer

pytestmark = pytest.mark.native

DATA = Path(__file__).parents[3] / "examples" / "pipelines"
TEXT = "Ana va al mercado. El perro de Luis corre a Lima!"


@pytest.fixture(scope="module")
def nlp(corpus: Corpus) -> Pipeline:
    made = Pipeline(jackknife=0, method="graph")
    return made.fit(corpus, entities=read_columns(DATA / "names.txt"))


def test_every_layer_has_them(nlp: Pipeline) -> None:
    document = nlp(TEXT, probabilities=True)
    layers = ["token", "sentence", "upos", "feats", "lemma", "arc", "deprel", "entity"]
    assert sorted(document.probabilities) == sorted(layers)
    for p in document.probabilities.values():
        assert len(p) == len(document)
        assert p.min() >= 0
        assert p.max() <= 1 + 1e-6
    found = parse_conllu(document.to_conllu())[0]["misc"][0]
    for layer, p in document.probabilities.items():
        assert f"{layer.capitalize()}Prob={p[0]:.4f}" in found
    assert nlp.caveats_ == ()
    assert nlp(TEXT).probabilities == {}


def test_many_texts_have_what_one_has(nlp: Pipeline) -> None:
    texts = ["", TEXT, " ", "¡Ana!", TEXT * 3]
    alone = [nlp(text, probabilities=True).to_conllu() for text in texts]
    for n_jobs in (1, 2):
        assert [one.to_conllu() for one in nlp.pipe(texts, n_jobs=n_jobs, probabilities=True)] == alone
    streamed = "".join(one.to_conllu() for one in nlp.stream([TEXT], probabilities=True))
    assert streamed == alone[1]


def test_a_token_is_as_sure_as_its_least_sure_character(nlp: Pipeline) -> None:
    cutter: Any = nlp.tokenizer_
    text = "Ana corre a Lima"
    found = characters(text, cutter.lexicon_, [len(text)])
    p = cutter.model_.probabilities(cutter.model_.encode(found.corpus))
    labels = p.argmax(axis=1).astype(np.int32)
    labels[-1] = SENTENCE
    lasts = np.flatnonzero(labels != INSIDE)
    firsts = np.concatenate([[0], lasts[:-1] + 1])
    likely = token_probabilities(p, labels, firsts, lasts)
    for k, (first, last) in enumerate(zip(firsts, lasts)):
        rows = [*range(max(first - 1, 0), last + 1)]
        want = min(p[i, INSIDE] if labels[i] == INSIDE else 1 - p[i, INSIDE] for i in rows)
        assert likely["token"][k] == pytest.approx(want, abs=1e-5)
        ends = p[last, SENTENCE]
        assert likely["sentence"][k] == pytest.approx(
            ends if labels[last] == SENTENCE else 1 - ends, abs=1e-5
        )


def test_what_is_known_of_a_text_is_certain(corpus: Corpus) -> None:
    cutter = LearnedTokenizer(presegmented=True, pretokenized=True).fit(corpus)
    (found,) = cutter.segmented(["Ana va al mercado.\nLuis no!\n"], probabilities=True)
    assert len(found.corpus) == 2
    assert len(found.probabilities["token"]) == found.corpus.n_words > 6  # "al" is two words
    for p in found.probabilities.values():
        assert p.tolist() == pytest.approx([1] * found.corpus.n_words, abs=1e-4)
    (plain,) = cutter.segmented(["Ana"])
    assert plain.probabilities == {}


def test_a_pipeline_of_tokens_alone_has_those_of_tokens(corpus: Corpus) -> None:
    alone = Pipeline().fit(corpus, only=["tokens", "words"])
    assert sorted(alone(TEXT, probabilities=True).probabilities) == ["sentence", "token"]
    votes = Pipeline.of(tokenizer=LearnedTokenizer(Perceptron(n_iter=2)).fit(corpus))
    assert votes.tokenizer_.probabilities_from == "scores"
    assert alone.tokenizer_.probabilities_from == "model"
    by_rules = Pipeline.of(tokenizer=Tokenizer("es"))
    assert by_rules(TEXT, probabilities=True).probabilities == {}
    assert by_rules.caveats_ == ("rules cut the text: tokens and sentences get no probabilities",)
    with pytest.raises(ValueError, match="Rules cut the text"):
        next(Tokenizer("es").segmented([TEXT], probabilities=True))


def test_relations_are_as_probable_as_their_model_says(corpus: Corpus) -> None:
    parser = DependencyParser(columns=["upos"], learner=CRF(n_iter=2), options={"bits": 16}).fit(corpus)
    parsed = parser.parse(corpus.select(range(10)))
    found = relation_probabilities(parser, parsed)
    assert found is not None
    assert parsed.heads is not None
    scores = parser.model_.tree_label_scores(views_of(parsed, parser.columns_), parsed.heads)
    assert scores is not None
    summed = np.zeros(parsed.n_words)
    for name in parser.relations_:  # those of all relations make one
        other = parsed.with_column("deprel", [[name] * len(one) for one in parsed])
        p = relation_probabilities(parser, other)
        assert p is not None
        summed += p
        k = parser.relations_.index(name)
        want = np.exp(scores[:, k]) / np.exp(scores[:, : len(parser.relations_)]).sum(axis=1)
        assert p == pytest.approx(want, abs=1e-5)
    assert summed == pytest.approx(np.ones(parsed.n_words), abs=1e-4)
    strange = parsed.with_column("deprel", [["wings"] * len(one) for one in parsed])
    assert not np.any(relation_probabilities(parser, strange))
    assert relation_probabilities(parser, bare(corpus)) is None or bare(corpus).heads is not None


@pytest.mark.parametrize(
    ("parser", "layers", "told"),
    [
        (DependencyParser("transition", options={"beam": 4}), set(), ["does not sum over trees", "together"]),
        (DependencyParser("transition", learner=CRF(n_iter=1)), {"arc"}, ["together"]),
        (
            DependencyParser(learner=Perceptron(n_iter=1), options={"projective": False}),
            {"head", "deprel"},
            ["estimate"],
        ),
        (DependencyParser(options={"labels": "jointly"}), {"arc"}, ["together"]),
    ],
)
def test_what_parsers_lack_is_said(
    corpus: Corpus, parser: DependencyParser, layers: set[str], told: list[str]
) -> None:
    parser.columns = []
    nlp = Pipeline.of(parser.fit(corpus))
    assert set(nlp("Ana corre.", probabilities=True).probabilities) == layers
    assert all(any(text in caveat for caveat in nlp.caveats_) for text in told)
    assert len(nlp.caveats_) == len(told) + 1  # and rules cut the text
