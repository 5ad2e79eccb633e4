"""Lemmatizer: scripts for new words, dictionaries, k best, files, and bad input."""

from __future__ import annotations

import itertools
import logging
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from palmette import MIRA, load
from palmette.errors import FormatError
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile
from palmette.tools.morphology import Lemmatizer
from palmette.tools.morphology.products import best_products
from palmette.tools.ranked import Ranked

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def model(treebank: Corpus) -> Lemmatizer:
    return Lemmatizer().fit(treebank)


def test_new_words(model: Lemmatizer, held_out: Corpus) -> None:
    assert model.score(held_out) > 0.99
    new = [[("Zuvatike", "NOUN", "Case=Dat|Number=Plur"), ("bimas", "VERB", "Number=Sing|Person=3")]]
    assert model.predict(new) == [["zuva", "bimem"]]


def test_words_of_the_training_data_come_first() -> None:
    """A form that no script explains is right if it was seen, with its tags or with its part of speech."""
    words = [[(f"{a}{b}s", "NOUN", "N=P") for a, b in itertools.product("bcdfg", "aeiou")]]
    lemmas = [[form[:-1] for form, _, _ in words[0]]]
    odd = [("went", "VERB", "T=1"), ("mice", "NOUN", "N=P"), ("bas", "VERB", "T=2")]
    tool = Lemmatizer().fit([words[0] + odd], [[*lemmas[0], "go", "mouse", "baa"]])
    assert tool.predict([odd]) == [["go", "mouse", "baa"]]
    assert tool.predict([[("went", "VERB", "T=9"), ("bas", "NOUN", "N=P")]]) == [["go", "ba"]]
    assert len(tool.exact_) <= 3
    (first, *_) = tool.candidates([odd[:1]], 3)[0][0]
    assert (first.output, first.probability) == ("go", pytest.approx(0.99))


def test_a_user_dictionary_before_all(treebank: Corpus) -> None:
    rows = [
        ("kalati", "KALA", "_", "_"),
        ("kalati", "kalatus", "VERB", "_"),
        ("kalati", "x", "VERB", "Number=Sing"),
    ]
    tool = Lemmatizer(dictionary=rows).fit(treebank)
    tags = [("NOUN", "_"), ("VERB", "_"), ("VERB", "Number=Sing"), ("VERB", "Number=Plur")]
    words = [[("kalati", upos, feats) for upos, feats in tags]]
    assert tool.predict(words) == [["KALA", "kalatus", "x", "kalatus"]]
    assert tool.marginals(words)[0][0] == {"KALA": 1.0}
    assert Lemmatizer.from_model(tool.to_model()).predict(words) == tool.predict(words)


def test_never_an_empty_lemma(model: Lemmatizer) -> None:
    words = [
        [
            (form, upos, "_")
            for form in ("a", "s", "-", "_", "家", "дом", "x" * 300)
            for upos in ("NOUN", "VERB", "Q")
        ]
    ]
    assert all(lemma for lemma in model.predict(words)[0])
    for row in model.candidates(words, 5)[0]:
        assert all(one.output for one in row)


def test_probabilities_and_k_best(model: Lemmatizer, held_out: Corpus) -> None:
    few = held_out[:6]
    for words, tables in zip(model.predict(few), model.marginals(few)):
        for lemma, table in zip(words, tables):
            assert sum(table.values()) == pytest.approx(1.0)
            assert max(table, key=lambda one: table[one]) == lemma
    for ranked, first in zip(model.kbest(few, 4), model.predict(few)):
        assert ranked[0].output == first
        assert len({tuple(one.output) for one in ranked}) == len(ranked)
    annotated = model.annotate(few)
    likely = [p for sentence in model.marginals(few) for p in (max(table.values()) for table in sentence)]
    np.testing.assert_allclose(model.confidence(annotated), likely)


def test_the_k_best_rows_agree_with_all_rows() -> None:
    rng = np.random.default_rng(0)
    for n, k in itertools.product((0, 1, 3), (1, 4, 30)):
        scores = [np.sort(rng.normal(size=rng.integers(1, 5)))[::-1] for _ in range(n)]
        lists = [[Ranked((t, j), float(s)) for j, s in enumerate(row)] for t, row in enumerate(scores)]
        sums = sorted(
            (math.fsum(one.score for one in row) for row in itertools.product(*lists)), reverse=True
        )
        found = best_products(lists, k)
        np.testing.assert_allclose([total for _, total in found], sums[:k], atol=1e-12)
        assert len({tuple(row) for row, _ in found}) == len(found)


def test_annotate_and_keep(model: Lemmatizer, held_out: Corpus) -> None:
    part = held_out.with_column("lemma", [["mine", "_", "mine", "_"]] * len(held_out))
    kept = model.annotate(part, keep=("lemma",))
    for sentence in kept:
        assert sentence["lemma"][0] == sentence["lemma"][2] == "mine"
        assert "_" not in sentence["lemma"]
    assert "mine" not in model.annotate(part).column("lemma").values()
    with pytest.raises(ValueError, match="'keep' must be lemma"):
        model.annotate(part, keep=("upos",))


def test_files(model: Lemmatizer, held_out: Corpus, tmp_path: Path) -> None:
    model.save(tmp_path / "lemmas.palm")
    loaded = load(tmp_path / "lemmas.palm")
    assert isinstance(loaded, Lemmatizer)
    assert loaded.predict(held_out) == model.predict(held_out)
    assert pickle.loads(pickle.dumps(model)).predict(held_out) == model.predict(held_out)
    (tmp_path / "a").mkdir()
    loaded.save(tmp_path / "a" / "lemmas.palm")
    assert Lemmatizer.load(tmp_path / "a" / "lemmas.palm").predict(held_out) == model.predict(held_out)


@pytest.mark.parametrize("name", ["lemmas.tags", "exact.form", "by_tag.upos", "labels"])
def test_a_damaged_file_is_an_error(name: str, treebank: Corpus) -> None:
    odd = treebank[:30].with_column("lemma", [["qq", "b", "c", "d"], *([["k", "l", "m", "."]] * 29)])
    file = Lemmatizer().fit(odd).to_model()
    strings = {**file.strings, name: list(file.strings[name])[:-1]}
    with pytest.raises(FormatError):
        Lemmatizer.from_model(ModelFile(file.kind, file.options, file.arrays, strings))


def test_missing_lemmas_and_tags_are_told(treebank: Corpus, caplog: pytest.LogCaptureFixture) -> None:
    part = treebank.with_column("lemma", [["_", "_", "a", "."]] * len(treebank))
    with caplog.at_level(logging.WARNING, logger="palmette"):
        tool = Lemmatizer().fit(part.with_column("upos", [["_"] * 4] * len(treebank)))
    assert f"{2 * len(treebank)} of {4 * len(treebank)} words have no lemma" in caplog.text
    assert "no upos" in caplog.text
    assert tool.evaluate(part).tokens == 2 * len(treebank)
    with pytest.raises(ValueError, match="no lemma to learn from"):
        Lemmatizer().fit(treebank.with_column("lemma", [["_"] * 4] * len(treebank)))
    with pytest.raises(ValueError, match="There are no lemmas"):
        Lemmatizer().fit([["a"]])


def test_one_sentence(treebank: Corpus) -> None:
    one = treebank[:1]
    assert Lemmatizer().fit(one).predict(one) == [list(one[0]["lemma"])]


def test_a_learner_with_margins(treebank: Corpus, held_out: Corpus) -> None:
    tool = Lemmatizer(MIRA(n_iter=3)).fit(treebank, dev=held_out)
    assert tool.probabilities_from == "scores"
    assert tool.score(held_out) > 0.95


def test_explanations_sum_to_the_margin(model: Lemmatizer, held_out: Corpus) -> None:
    compared = 0
    for decision in model.explain(held_out[:1]).decisions:
        if decision.rival is None:
            continue
        total = math.fsum(part.amount for part in decision.contributions) + decision.rest
        assert total == pytest.approx(decision.margin, abs=1e-6)
        compared += 1
    assert compared
