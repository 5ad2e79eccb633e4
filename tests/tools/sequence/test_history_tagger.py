"""Predictors that see their own labels: search against enumeration and torch, files, commands, wrong input."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import Corpus
from palmette.errors import FormatError
from palmette.features.network.history import History
from palmette.tools.sequence.history_tagger import HistoryTagger

SMALL: dict[str, Any] = {
    "size": 8,
    "words": 8,
    "letters": 4,
    "batch_size": 4,
    "learning_rate": 0.02,
    "min_count": 1,
}


def decoder(seed: int, *, n_labels: int = 3, inputs: int = 4, size: int = 5, normalised: bool) -> History:
    rng = np.random.default_rng(seed)
    shapes = {
        "labels": (n_labels + 1, 2),
        "weights": (3 * size, inputs + 2),
        "bias": (3 * size,),
        "hidden": (3 * size, size),
        "hidden_bias": (3 * size,),
        "output": (n_labels, size),
        "output_bias": (n_labels,),
    }
    arrays = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    return History.restore(arrays, normalised, n_labels)


def score_of(made: History, x: np.ndarray, labels: tuple[int, ...]) -> float:
    """The score of one sequence, step by step, in the words of the definition."""
    a, size, total, before = made.arrays, made.arrays["hidden"].shape[1], 0.0, made.n_labels
    h = np.zeros(size)
    for row, label in zip(x, labels):
        given = a["weights"] @ np.concatenate([row, a["labels"][before]]) + a["bias"]
        own = a["hidden"] @ h + a["hidden_bias"]
        r, z = (1 / (1 + np.exp(-(given + own)[k * size : (k + 1) * size])) for k in (0, 1))
        h = (1 - z) * np.tanh(given[2 * size :] + r * own[2 * size :]) + z * h
        scores = a["output"] @ h + a["output_bias"]
        total += scores[label] - (np.log(np.exp(scores).sum()) if made.normalised else 0.0)
        before = label
    return float(total)


@pytest.mark.parametrize("normalised", [True, False])
def test_a_wide_beam_equals_enumeration(normalised: bool) -> None:
    made = decoder(1, normalised=normalised)
    offsets = np.array([0, 3, 3, 4, 8])
    x = np.random.default_rng(2).normal(size=(8, 4)).astype(np.float32)
    found = made.search(x, offsets, 81)
    for one, begin, end in zip(found, offsets, offsets[1:]):
        ranked = sorted(
            ((score_of(made, x[begin:end], y), y) for y in product(range(3), repeat=int(end - begin))),
            reverse=True,
        )
        assert [tuple(row) for row in one.labels.tolist()] == [y for _, y in ranked]
        np.testing.assert_allclose(one.scores, [s for s, _ in ranked], atol=1e-4)
        assert not normalised or np.exp(one.scores).sum() == pytest.approx(1, abs=1e-4)
    greedy = made.search(x, offsets, 1)
    assert all(one.scores[0] <= other.scores[0] + 1e-6 for one, other in zip(greedy, found))


@pytest.mark.parametrize("training", ["teacher", "beam"])
@pytest.mark.parametrize("directions", ["both", "forward"])
def test_prediction_equals_torch(training: str, directions: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from palmette.neural.recurrent.tagger import RecurrentTagger

    X = [["a", "b", "c"], ["b"], ["c", "a", "a", "b"], []] * 3
    y = [[{"a": "X", "b": "Y", "c": "Z"}[w] for w in s] for s in X]
    options = {**SMALL, "n_iter": 3, "teacher_passes": 1, "training": training, "directions": directions}
    made = RecurrentTagger(**options).fit(X, y)
    network, history = made.export()
    corpus = Corpus.from_columns({"form": X})
    for width in (1, 3):
        found = history.search(network(corpus), corpus.offsets, width)
        with torch.no_grad():
            for some, batch in made._batches(corpus, np.arange(len(X))):
                beam = made.module_.decoder.search(
                    *made.module_.padded(batch), width, normalised=training == "teacher"
                )
                for k, labels, scores in zip(some, beam.labels, beam.scores):
                    np.testing.assert_array_equal(found[k].labels[0], labels[0, : len(X[k])])
                    have = found[k].scores
                    np.testing.assert_allclose(have, scores[: len(have)], atol=1e-4)
    tagger = HistoryTagger(options).fit(X, y)
    assert tagger.predict(X) == made.predict(X)
    tagger.save(tmp_path / "h.palm")
    assert HistoryTagger.load(tmp_path / "h.palm").predict(X) == tagger.predict(X)
    assert pickle.loads(pickle.dumps(tagger)).predict(X) == tagger.predict(X)


def test_ranked_sequences_and_their_scores() -> None:
    pytest.importorskip("torch")
    X, y = [["a", "b"], ["b", "a", "a"]] * 4, [["X", "Y"], ["Y", "X", "X"]] * 4
    tagger = HistoryTagger({**SMALL, "n_iter": 4}).fit(X, y)
    for sentence, labels, ranked in zip(X, tagger.predict(X), tagger.kbest(X, 8)):
        assert ranked[0].output == labels
        assert len(ranked) == 2 ** len(sentence)
        assert sum(np.exp(one.log_probability or 0.0) for one in ranked) == pytest.approx(1, abs=1e-4)
    tagger = HistoryTagger({**SMALL, "n_iter": 2, "training": "beam", "teacher_passes": 1}).fit(X, y)
    assert tagger.kbest(X, 2)[0][0].log_probability is None


def test_it_says_that_it_is_not_trained() -> None:
    with pytest.raises(ValueError, match="not trained yet"):
        HistoryTagger().predict([["a"]])


def test_damaged_files() -> None:
    pytest.importorskip("torch")
    tagger = HistoryTagger({**SMALL, "n_iter": 1}).fit([["a", "b"]], [["X", "Y"]])
    file = tagger.to_model()
    assert HistoryTagger.from_model(file).predict([["a"]]) == tagger.predict([["a"]])
    for name in [name for name in file.arrays if name.startswith("history.")]:
        for wrong in (file.arrays[name][:-1], file.arrays[name][None], file.arrays[name].astype(np.float64)):
            damaged = replace(file, arrays={**file.arrays, name: wrong})
            with pytest.raises(FormatError, match="damaged"):
                HistoryTagger.from_model(damaged)
    for name in ("width", "network", "normalised"):
        damaged = replace(file, options={**file.options, name: "x"})
        with pytest.raises(FormatError, match="damaged"):
            HistoryTagger.from_model(damaged)
