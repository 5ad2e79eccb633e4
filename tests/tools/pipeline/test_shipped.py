"""The English pipeline that comes with Palmette: how large it is, and what it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmette import Pipeline
from palmette.models import find_model

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
