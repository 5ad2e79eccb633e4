"""A tagger and the morphology decide together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from palmette import Pipeline, Tagger
from palmette.errors import FormatError
from palmette.formats import read_conllu
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile
from palmette.tools.morphology import Morphology
from palmette.tools.morphology.votes import TagProbabilities, Votes
from palmette.tools.pipeline.evaluation import bare
from palmette.tools.pipeline.hearing import WEIGHTS, hearing
from palmette.tools.pipeline.steps import MorphologyStep, TaggerStep

pytestmark = pytest.mark.native

DATA = Path(__file__).parents[3] / "examples" / "pipelines"
TEXT = "Ana va al mercado. El perro de Luis corre a Lima!"


@pytest.fixture(scope="module")
def nlp(corpus: Corpus) -> Pipeline:
    return Pipeline(without=["parser"], jackknife=0).fit(corpus)


@pytest.fixture(scope="module")
def morphology(corpus: Corpus) -> Morphology:
    return Morphology().fit(corpus)


@pytest.mark.parametrize("weight", [0.5, 2.0])
def test_probabilities_are_products(morphology: Morphology, weight: float) -> None:
    """Of a sentence of one word: p(analysis) · Π p(value of a column)^weight, normalised.

    Values that a tagger does not know are as unlikely as may be.
    """
    words = Corpus({"form": Column.of(["casa", "perros", "Zyx"])}, np.arange(4))
    analyses = morphology.classes_
    upos = tuple(sorted({one.upos for one in analyses} - {"NOUN"}))
    feats = (*sorted({one.feats for one in analyses}), "Strange=Yes")
    rng = np.random.default_rng(0)
    votes = {
        name: TagProbabilities(values, rng.dirichlet(np.ones(len(values)), size=3).astype(np.float32))
        for name, values in (("upos", upos), ("feats", feats))
    }
    alone = np.concatenate(morphology.predict_proba(words)).astype(np.float64)
    p = alone.copy()
    for name, (values, likely) in votes.items():
        for k, one in enumerate(analyses):
            value = getattr(one, name)
            there = likely[:, values.index(value)] if value in values else np.zeros(3)
            p[:, k] *= np.maximum(there, 1e-6) ** weight
    p /= p.sum(axis=1, keepdims=True)
    found = morphology.annotate(words, votes=Votes(votes, weight))
    best = [analyses[k] for k in p.argmax(axis=1)]
    assert found.column("upos").values() == [one.upos for one in best]
    assert found.column("feats").values() == [one.feats for one in best]
    sure = morphology.confidence(found, votes=Votes(votes, weight))
    for name in ("upos", "feats"):
        same = [[getattr(a, name) == getattr(one, name) for a in analyses] for one in best]
        assert sure[name] == pytest.approx((p * same).sum(axis=1), abs=1e-4)


def test_votes_count_where_they_are(morphology: Morphology, corpus: Corpus) -> None:
    """A tagger that is sure of gold tags and counts much is always followed, one that counts nothing never."""
    gold = corpus.select(range(30))
    values = tuple(dict.fromkeys(gold.column("upos").values()))
    sure = np.array([[value == one for value in values] for one in gold.column("upos").values()], np.float32)
    words, columns = bare(gold), {"upos": TagProbabilities(values, sure)}
    found = morphology.annotate(words, votes=Votes(columns, 100.0))
    assert found.column("upos").values() == gold.column("upos").values()
    unheard = morphology.annotate(words, votes=Votes(columns, 0.0))
    assert unheard.column("feats").values() == morphology.annotate(words).column("feats").values()


def test_the_dev_set_says_how_much_a_tagger_counts(morphology: Morphology, corpus: Corpus) -> None:
    dev = read_conllu(DATA / "dev.conllu")
    step = MorphologyStep(morphology)
    good = TaggerStep(Tagger(column="upos").fit(corpus.only({"form": "form", "upos": "upos"})), "upos")
    wrong = corpus.only({"form": "form"}).with_column("upos", [["X"] * len(one) for one in corpus])
    bad = TaggerStep(Tagger(column="upos").fit(wrong), "upos")
    right = {}
    for weight in WEIGHTS:
        found = replace(step, hears=weight).annotate(bare(dev), taggers=[good] if weight else [])
        right[weight] = sum(
            a == b
            for name in step.fills
            for a, b in zip(found.column(name).values(), dev.column(name).values())
        )
    chosen = hearing(step, [good], dev).hears
    assert right[chosen] == max(right.values())
    assert hearing(step, [bad], dev).hears == 0.0
    assert hearing(step, [good], None).hears == 0.5


def test_a_pipeline_keeps_what_it_hears(nlp: Pipeline, corpus: Corpus, tmp_path: Path) -> None:
    assert nlp.model_.names == ("upos", "morphology", "lemmas")
    assert [one.column for one in nlp.model_.heard] == ["upos"]
    nlp.save(tmp_path / "m.palm")
    saved = Pipeline.load(tmp_path / "m.palm")
    assert saved(TEXT).to_conllu() == nlp(TEXT).to_conllu()
    assert [one.column for one in saved.model_.heard] == ["upos"]
    document = nlp(TEXT, probabilities=True)
    assert {"upos", "feats"} <= document.probabilities.keys()
    assert all(0 <= p <= 1 for one in document.probabilities.values() for p in one.tolist())
    lonely = nlp.step("morphology").annotate(document.corpus)
    assert lonely.names == document.corpus.names


def test_what_the_input_has_comes_before_a_tagger(nlp: Pipeline, corpus: Corpus) -> None:
    gold = corpus.select(range(20))
    given = gold.with_column("upos", [["ADV"] * len(one) for one in gold])
    assert set(nlp.annotate(given, keep=["upos"]).column("upos").values()) == {"ADV"}
    assert set(nlp.annotate(given).column("upos").values()) != {"ADV"}
    told = nlp.with_dictionary([("perro", "can", "X")])
    assert [(token.upos, token.lemma) for token in told("El perro corre.").tokens[:2]][1] == ("X", "can")


def test_explanations_say_what_the_taggers_add(nlp: Pipeline) -> None:
    found = nlp.explain(TEXT, step="morphology")
    document = nlp(TEXT)
    assert [decision.chosen[0] for decision in found.decisions] == [one.upos for one in document.sentences[0]]
    votes = MorphologyStep(nlp.step("morphology"), 0.5).votes(document.corpus[:1], nlp.model_.heard)
    assert votes is not None
    values, p = votes.columns["upos"]
    for t, decision in enumerate(found.decisions):
        if decision.rival is None:
            continue
        own, other = (p[t, values.index(one[0])] for one in (decision.chosen, decision.rival))
        added = sum(one.amount for one in decision.contributions if one.feature == "tagger for upos")
        assert added == pytest.approx(0.5 * np.log(max(own, 1e-6) / max(other, 1e-6)), abs=1e-4)


def test_steps_that_are_trained_again_have_their_own_tagger(nlp: Pipeline, corpus: Corpus) -> None:
    again = Pipeline.from_model(nlp.to_model()).fit(corpus.select(range(30)), only=["morphology"])
    assert again.model_.names == ("upos", "morphology", "lemmas")
    assert again.step("upos") is not nlp.step("upos")
    kept = Pipeline.from_model(nlp.to_model()).fit(corpus.select(range(30)), only=["lemmas"])
    assert [one.column for one in kept.model_.heard] == ["upos"]
    given = Pipeline(without=["parser"], jackknife=0).fit(corpus, use=[nlp.step("upos")])
    assert given.model_.heard == ()  # what a user's own tagger fills stays


@pytest.mark.parametrize("value", ["much", -1.0, True, None])
def test_damaged_files(nlp: Pipeline, value: object) -> None:
    file = nlp.to_model()
    bad = ModelFile(file.kind, {**file.options, "hears": value}, file.arrays, file.strings, file.fingerprint)
    with pytest.raises(FormatError, match="how much its taggers count"):
        Pipeline.from_model(bad)
