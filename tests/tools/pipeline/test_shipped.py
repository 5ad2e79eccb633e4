"""The English pipeline that comes with Palmette: how large it is, and what it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmette import Pipeline
from palmette.models import find_model
from samples.corpora import corpus_file

pytestmark = pytest.mark.native


def test_it_is_one_small_file() -> None:
    assert Path(find_model("en")).stat().st_size < 20_000_000


def test_it_has_all_steps_and_their_probabilities() -> None:
    nlp = Pipeline.load("en")
    assert {"upos", "xpos", "feats", "lemma", "head", "deprel", "entity"} == set(nlp.model_.fills)
    assert nlp.model_.lacking == {}
    assert nlp.caveats_ == ()
    document = nlp("Time flies like an arrow. Paris is old.", probabilities=True)
    layers = {"token", "sentence", "upos", "xpos", "feats", "lemma", "arc", "deprel", "entity"}
    assert document.probabilities.keys() == layers
    assert len(document.sentences) == 2


def test_it_is_as_good_as_its_record_says() -> None:
    nlp = Pipeline.load("en")
    found = nlp.evaluate(str(corpus_file("ud_en_ewt/dev.conllu.gz")))
    said = nlp.training_["dev_raw_text"]
    assert {name: found.f1(name) for name in said} == pytest.approx(said, abs=2e-4)


def test_the_morphology_knows_words_that_the_treebank_does_not_have() -> None:
    """The lexicon from SemCor; its words are only features."""
    nlp = Pipeline.load("en")
    assert nlp.step("morphology").lexicon_.of("besieged")
    assert not nlp.step("morphology").constrain
    assert [word.lemma for word in nlp("They besieged it.").sentences[0]] == ["they", "besiege", "it", "."]
