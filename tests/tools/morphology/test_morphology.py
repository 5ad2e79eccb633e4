"""Morphology: analyses of words, what is allowed, probabilities, files, and bad input."""

from __future__ import annotations

import logging
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from palmette import CRF, Perceptron, load
from palmette.errors import FormatError
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile
from palmette.tools.morphology import Analysis, Morphology
from palmette.tools.morphology.analyses import AnalysisTable, parts_of

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def model(treebank: Corpus) -> Morphology:
    return Morphology().fit(treebank)


def test_new_forms_of_known_endings(model: Morphology, held_out: Corpus) -> None:
    scores = model.evaluate(held_out)
    assert scores.columns["upos"].accuracy > 0.98
    assert scores.all_tags > 0.95
    assert model.score(held_out) == scores.all_tags
    word = model.predict([["Kalati", "zuvatike", "zubanti", "."]])[0]
    assert word[1].upos == "NOUN"
    assert word[1].feats.startswith("Case=Dat")
    assert word[2] == Analysis("VERB", "V", "Number=Plur|Person=3")


def test_only_analyses_of_the_training_data(model: Morphology, treebank: Corpus) -> None:
    names = ("upos", "xpos", "feats")
    seen = set(zip(*(treebank.column(name).values() for name in names)))
    words = [["qqq", "Ω", "kalatike", "1", "дом", "家"], ["a"], []]
    found = model.predict(words)
    assert [len(one) for one in found] == [6, 1, 0]
    assert {tuple(one) for sentence in found for one in sentence} <= seen


def test_the_whole_is_the_best_of_all_sequences(model: Morphology) -> None:
    """Decoding, k best and probabilities agree with an enumeration of the sequences of two words."""
    words = [["Kalati", "raktas"]]
    (p,) = model.predict_proba(words)
    ranked = model.kbest(words, 1000)[0]
    assert ranked[0].output == model.predict(words)[0]
    assert len(ranked) == min(1000, len(model.classes_) ** 2)
    total = sum(one.probability for one in ranked)
    assert total == pytest.approx(1.0, abs=1e-4)
    for t in range(2):
        for k, analysis in enumerate(model.classes_):
            want = math.fsum(one.probability or 0 for one in ranked if one.output[t] == analysis)
            assert p[t, k] == pytest.approx(want, abs=1e-4)


def test_annotate_and_keep(model: Morphology, held_out: Corpus) -> None:
    found = model.annotate(held_out)
    assert found.column("lemma").values() == held_out.column("lemma").values()
    odd = held_out.with_column("upos", [["VERB", "_", "VERB", "PUNCT"]] * len(held_out))
    kept = model.annotate(odd, keep=("upos",))
    for sentence in kept:
        assert sentence["upos"][0] == "VERB"
        assert sentence["upos"][1] != "_"
        assert sentence["feats"][0].endswith("Person=3")  # what verbs have
    both = model.annotate(held_out, keep=("upos", "xpos", "feats"))
    for name in ("upos", "xpos", "feats"):
        assert both.column(name).values() == held_out.column(name).values()
    with pytest.raises(ValueError, match="'keep' must be among upos, xpos, feats"):
        model.annotate(held_out, keep=("lemma",))


def test_confidence_is_the_sum_over_analyses(model: Morphology, held_out: Corpus) -> None:
    few = model.annotate(held_out[:5])
    p = np.concatenate(model.predict_proba(few))
    likely = model.confidence(few)
    for name in ("upos", "feats"):
        place = Analysis._fields.index(name)
        for t, value in enumerate(few.column(name).values()):
            want = sum(p[t, k] for k, one in enumerate(model.classes_) if one[place] == value)
            assert likely[name][t] == pytest.approx(want, abs=1e-5)
    strange = few.with_column("upos", [["NEVER"] * 4] * 5)
    assert model.confidence(strange, ["upos"])["upos"].tolist() == [0.0] * 20


def test_a_lexicon_as_features_and_as_a_constraint(treebank: Corpus, held_out: Corpus) -> None:
    rows = [
        ("zuzu", "zuzu", "VERB", "Number=Sing|Person=3"),
        ("kala", "kala", "NOUN", "_"),
        ("odd", "odd", "NEVER", "_"),
    ]
    forced = Morphology(lexicon=rows, constrain=True).fit(treebank)
    words = [["Mori", "zuzu", "odd", "kala"]]
    found = forced.predict(words)[0]
    assert found[1] == Analysis("VERB", "V", "Number=Sing|Person=3")
    assert found[3].upos == "NOUN"
    again = Morphology.from_model(ModelFile.from_buffer(_bytes(forced)))
    assert again.predict(words) == forced.predict(words)
    free = Morphology(lexicon=[("mori", "mori", "NOUN", "_")]).fit(treebank)
    assert free.score(held_out) > 0.9
    with pytest.raises(ValueError, match="needs a lexicon"):
        Morphology(constrain=True).fit(treebank)


def _bytes(tool: Morphology) -> bytes:
    import io

    content = io.BytesIO()
    tool.to_model().write(content)
    return content.getvalue()


def test_files(model: Morphology, held_out: Corpus, tmp_path: Path) -> None:
    model.to_model().save(tmp_path / "full.palm")
    model.save(tmp_path / "compact.palm")
    for name in ("full.palm", "compact.palm"):
        loaded = load(tmp_path / name)
        assert isinstance(loaded, Morphology)
        assert loaded.columns_ == model.columns_
        assert abs(loaded.score(held_out) - model.score(held_out)) < 0.02
    same = Morphology.load(tmp_path / "full.palm")
    assert same.predict(held_out) == model.predict(held_out)
    assert pickle.loads(pickle.dumps(model)).predict(held_out) == model.predict(held_out)


@pytest.mark.parametrize("name", ["transitions", "analyses.upos", "analyses.feats", "stems.tags", "labels"])
def test_a_damaged_file_is_an_error(model: Morphology, name: str) -> None:
    file = model.to_model()
    arrays, strings = dict(file.arrays), dict(file.strings)
    if name in arrays:
        arrays[name] = arrays[name][:-1]
    else:
        strings[name] = list(strings[name])[:-1]
    with pytest.raises(FormatError):
        Morphology.from_model(ModelFile(file.kind, file.options, arrays, strings))


def test_threads_change_nothing(model: Morphology, held_out: Corpus) -> None:
    one = model.predict(held_out)
    model.n_jobs = 3
    assert model.predict(held_out) == one
    model.n_jobs = None


def test_a_dev_set_chooses_a_pass(treebank: Corpus, held_out: Corpus) -> None:
    tool = Morphology(Perceptron(n_iter=4)).fit(treebank, dev=held_out)
    assert all("dev" in report.numbers for report in tool.history_)
    assert tool.training_["dev_score"] == pytest.approx(tool.score(held_out), abs=1e-6)


def test_probabilities_of_a_crf(treebank: Corpus, held_out: Corpus) -> None:
    tool = Morphology(CRF(n_iter=5)).fit(treebank)
    assert tool.probabilities_from == "model"
    for p in tool.predict_proba(held_out[:3]):
        np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-4)


def test_missing_columns_are_told(treebank: Corpus, caplog: pytest.LogCaptureFixture) -> None:
    nothing = [["_"] * 4] * len(treebank)
    bare = treebank.with_column("feats", nothing).with_column("xpos", nothing)
    with caplog.at_level(logging.WARNING, logger="palmette"):
        tool = Morphology().fit(bare)
    assert "the training data has no xpos and no feats: the model will not predict them" in caplog.text
    assert tool.columns_ == ("upos",)
    assert tool.training_["missing"] == ["xpos", "feats"]
    assert tool.annotate(bare).column("feats").values() == ["_"] * bare.n_words
    with pytest.raises(ValueError, match="no upos and no xpos and no feats"):
        Morphology().fit(treebank.only({"form": "form"}).with_column("upos", [["_"] * 4] * len(treebank)))


def test_one_sentence_and_words_without_analysis(treebank: Corpus) -> None:
    one = treebank[:1]
    tool = Morphology().fit(one)
    assert tool.predict(one)[0][3].upos == "PUNCT"
    part = treebank[:20].with_column("upos", [["_", "NOUN", "VERB", "PUNCT"]] * 20)
    tool = Morphology(CRF(n_iter=3)).fit(part)
    assert tool.training_["words_without_analysis"] == 20
    assert tool.evaluate(part).tokens == 60


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ([[("NOUN",)]], ValueError, "one label for every word"),
        ([[("NOUN",), 3]], TypeError, "tuple of upos, xpos and feats"),
        ([[("NOUN",), ("A", "B", "C", "D")]], TypeError, "tuple of upos, xpos and feats"),
    ],
)
def test_wrong_labels(y: list[list[object]], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Morphology().fit([["a", "b"]], y)


def test_not_trained() -> None:
    with pytest.raises(ValueError, match="not trained yet"):
        Morphology().predict([["a"]])
    with pytest.raises(ValueError, match="'columns' must be among"):
        Morphology(columns=["lemma"]).fit([["a"]], [["X"]])


def test_explanations_sum_to_the_margin(model: Morphology, held_out: Corpus) -> None:
    for decision in model.explain(held_out[:1]).decisions:
        total = math.fsum(part.amount for part in decision.contributions) + decision.rest
        assert total == pytest.approx(decision.margin, abs=1e-6)
        assert decision.margin >= -1e-6
        assert list(decision.chosen) != list(decision.rival)


def test_tables_of_analyses() -> None:
    table = AnalysisTable.of(
        [Analysis("A", "_", "X=1"), Analysis("A", "_", "X=2"), Analysis("A", "_", "X=2")]
    )
    assert table.analyses[0].feats == "X=2"
    for k, one in enumerate(table.analyses):
        own = table.label_parts[table.label_rows[k] : table.label_rows[k + 1]]
        assert [table.parts[p] for p in own] == parts_of(one)
    many = AnalysisTable(tuple(Analysis(f"T{k}") for k in range(500)))
    assert len(many.class_names) == 1
