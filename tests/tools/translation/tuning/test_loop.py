"""The n-best loop over a decoder that searches fixed sets of translations."""

from __future__ import annotations

import numpy as np
import pytest

from palmette.learning.loop import Report
from palmette.tools.translation.tuning.lists import NBestLists
from palmette.tools.translation.tuning.loop import KBest, tuning_loop
from palmette.tools.translation.tuning.methods import METHODS
from palmette.tools.translation.tuning.references import References

pytestmark = pytest.mark.native

NAMES = ("x", "y", "z")
WORDS = "a b c d e f".split()


class Decoder:
    """All translations of a few sentences, of which it returns the k best."""

    def __init__(self, seed: int, k: int = 5, n: int = 30, unknown: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.k, self.calls = k, list[np.ndarray]()
        self.right = [rng.choice(WORDS, size=8).tolist() for _ in range(n)]
        hidden = np.array([1.0, -2.0, 0.5])
        self.texts, self.features = [], []
        for right in self.right:
            texts, rows = [], []
            for _ in range(200):
                share = rng.random()
                texts.append([w if rng.random() < share else str(rng.choice(WORDS)) for w in right])
                same = sum(a == b for a, b in zip(texts[-1], right))
                rows.append(rng.normal(size=3) + 0.4 * same * hidden)
            self.texts.append(texts)
            self.features.append(np.array(rows))

    def __call__(self, weights: np.ndarray) -> KBest:
        self.calls.append(weights.copy())
        lists, words, ids, rows = [0], [0], [], []
        for texts, features in zip(self.texts, self.features):
            best = np.argsort(-features @ weights, kind="stable")[: self.k]
            lists.append(len(best))
            for t in best:
                words.append(len(texts[t]))
                ids += [WORDS.index(w) for w in texts[t]]
                rows.append(features[t])
        return KBest(np.cumsum(lists), np.cumsum(words), np.array(ids, dtype=np.uint32), np.array(rows))

    @property
    def references(self) -> References:
        return References([" ".join(words) for words in self.right], vocabulary=WORDS)


@pytest.mark.parametrize("method", METHODS)
def test_the_loop_finds_better_translations(method: str) -> None:
    decoder = Decoder(0)
    reports: list[Report] = []
    found = tuning_loop(
        decoder, decoder.references, NAMES, [0.1, 0.1, 0.1], method, callback=reports.append, random_state=1
    )
    assert found.score is not None
    first = reports[0].numbers["dev"]
    assert found.score > first + 0.2
    assert found.score == max(report.numbers["dev"] for report in reports)
    assert not found.interrupted
    lists = NBestLists.from_words(*decoder(found.weights), decoder.references, NAMES)
    assert lists.score(found.weights) == pytest.approx(found.score)


def test_the_loop_depends_on_the_seed_alone() -> None:
    one, other = (
        tuning_loop(Decoder(1), Decoder(1).references, NAMES, [0.1, 0.1, 0.1], random_state=3, n_jobs=n)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one.weights, other.weights)


def test_the_loop_ends_when_nothing_is_new() -> None:
    decoder = Decoder(2, k=500)  # everything at once
    found = tuning_loop(decoder, decoder.references, NAMES, [0.1, 0.1, 0.1])
    assert len(found.history) == 2
    assert found.history[1].numbers["new"] == 0


def test_fixed_weights_stay() -> None:
    decoder = Decoder(3)
    found = tuning_loop(decoder, decoder.references, NAMES, [0.1, 0.3, 0.1], fixed=["y"])
    assert found.weights[1] == 0.3
    assert all(w[1] == 0.3 for w in decoder.calls)


def test_a_step_goes_a_part_of_the_way() -> None:
    whole, half = Decoder(6), Decoder(6)
    tuning_loop(whole, whole.references, NAMES, [0.1, 0.1, 0.1], n_iter=2)
    tuning_loop(half, half.references, NAMES, [0.1, 0.1, 0.1], n_iter=2, step=0.5)
    np.testing.assert_allclose(half.calls[1], (whole.calls[0] + whole.calls[1]) / 2)


def test_an_interrupt_keeps_the_best_weights() -> None:
    decoder = Decoder(4)

    def interrupted(weights: np.ndarray) -> KBest:
        if len(decoder.calls) == 2:
            raise KeyboardInterrupt
        return decoder(weights)

    found = tuning_loop(interrupted, decoder.references, NAMES, [0.1, 0.1, 0.1])
    assert found.interrupted
    assert found.score == max(report.numbers["dev"] for report in found.history)

    def at_once(weights: np.ndarray) -> KBest:
        raise KeyboardInterrupt

    found = tuning_loop(at_once, decoder.references, NAMES, [0.1, 0.2, 0.1])
    assert (found.score, found.weights.tolist()) == (None, [0.1, 0.2, 0.1])


def test_bad_input() -> None:
    decoder = Decoder(5)
    with pytest.raises(ValueError, match="'n_iter' parameter"):
        tuning_loop(decoder, decoder.references, NAMES, [1, 1, 1], n_iter=0)
    with pytest.raises(ValueError, match="'step' parameter must be a number in the range"):
        tuning_loop(decoder, decoder.references, NAMES, [1, 1, 1], step=1.5)
    with pytest.raises(ValueError, match="no option 'restart'"):
        tuning_loop(decoder, decoder.references, NAMES, [1, 1, 1], options={"restart": 1})
    with pytest.raises(ValueError, match="weights of 3 features"):
        tuning_loop(decoder, decoder.references, NAMES, [1, 1])
    with pytest.raises(ValueError, match="translations of 30 sentences, but references of 1"):
        tuning_loop(decoder, References(["a"]), NAMES, [1, 1, 1])
    assert decoder.calls == [decoder.calls[0]]


def test_words_that_the_vocabulary_lacks_are_those_of_the_references() -> None:
    references = References(["a Rome b"], vocabulary=["a", "b"])
    more = references.numbers(["Paris", "Rome"])
    assert more.tolist() == [3, 2]  # Rome is in the references
    found = KBest.with_more(
        KBest(np.array([0, 1]), np.array([0, 3]), np.array([0, 3, 1], dtype=np.uint32), np.zeros((1, 1))),
        2,
        ["Paris", "Rome"],
        references,
    )
    assert found.ids.tolist() == [0, 2, 1]
    lists = NBestLists.from_words(*found, references, ["x"])
    assert lists.counts[0].tolist() == [3, 3, 3, 2, 1, 0, 3, 2, 1, 0]
