"""Names in pipelines: they look at tags, and O is lowered by what is best on a dev set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from palmette import CRF, Corpus, Pipeline, SpanTagger
from palmette.features.default_templates import name_templates
from palmette.formats import read_columns, read_conllu
from palmette.formats.column import Column
from palmette.tools.pipeline import learned_names
from palmette.tools.pipeline.steps import EntityStep

pytestmark = pytest.mark.native

DATA = Path(__file__).parents[3] / "examples" / "pipelines"


@pytest.fixture(scope="module")
def labelled() -> Corpus:
    names = read_columns(DATA / "names.txt")
    tags = ["NOUN" if "-" in label else "X" for label in names.column(names.names[-1]).values()]
    return learned_names.words_and_labels(names).with_column("upos", Column.of(tags))


def test_names_look_at_the_tags_of_the_steps_before(labelled: Corpus) -> None:
    nlp = Pipeline(language="es", jackknife=0, without=["tokens", "lemmas", "parser"])
    nlp.fit(DATA / "train.conllu", entities=read_columns(DATA / "names.txt"))
    (step,) = [step for step in nlp.steps_ if step.name == "entities"]
    assert step.needs == ("upos",)
    with pytest.raises(ValueError, match="The step entities looks at upos, and no step before it fills that"):
        step.annotate(labelled.only({"form": "form"}))
    assert "entity" in nlp.annotate(labelled.only({"form": "form"})).names


def test_o_is_lowered_by_the_best_of_all_amounts(labelled: Corpus) -> None:
    tagger = SpanTagger(CRF(l2=1000.0), templates=name_templates(["upos"]), column="entity").fit(labelled)
    before = tagger.score(labelled)
    weights = tagger.model_.held.copy()
    lowered, f1 = learned_names.prefer_names(tagger, labelled)
    assert f1 == tagger.score(labelled) > before
    changed = np.flatnonzero(tagger.model_.held != weights)
    outside = tagger.model_.structure.visible.index("O")
    assert changed.tolist() == [outside]
    assert weights[outside] - tagger.model_.held[outside] == pytest.approx(lowered)
    everywhere = EntityStep(tagger).annotate(labelled)
    assert set(everywhere.column("entity").values()) > {"O"}


def test_sentences_of_the_treebank_have_the_tags_of_models_that_have_not_seen_them(labelled: Corpus) -> None:
    treebank = read_conllu(DATA / "train.conllu")
    own = treebank.column("form").values()[: int(treebank.offsets[1])]
    other = ["Nadie", "canta"]
    both = Corpus.from_columns({"form": [other, own], "upos": [["A", "A"], ["A"] * len(own)]})
    unseen = treebank.with_column("upos", Column.of(["B"] * treebank.n_words))
    found = learned_names._unseen(both, unseen, ["upos"])
    assert found.column("upos").values() == ["A", "A", *["B"] * len(own)]
    assert learned_names._unseen(both, None, ["upos"]) is both
