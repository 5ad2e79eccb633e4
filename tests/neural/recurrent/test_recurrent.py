"""A predictor that sees its own labels: search against enumeration, losses, label bias and exposure."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from palmette.neural.recurrent.decoder import RecurrentDecoder  # noqa: E402
from palmette.neural.recurrent.tagger import RecurrentTagger  # noqa: E402


def decoder_and_input(labels: int = 3, lengths: tuple[int, ...] = (4, 2, 3)) -> tuple[Any, Any, Any]:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        decoder = RecurrentDecoder(5, labels, size=7, label_size=4).double()
        with torch.no_grad():
            for p in decoder.parameters():
                p.mul_(3.0)  # so that histories count
        x = torch.randn(len(lengths), max(lengths), 5, dtype=torch.float64)
    return decoder, x, torch.tensor(lengths)


def score(decoder: Any, x: Any, labels: tuple[int, ...], normalised: bool) -> float:
    """One label after the other, as it is defined."""
    h, before, total = torch.zeros(1, 7, dtype=torch.float64), decoder.n_labels, 0.0
    for t, label in enumerate(labels):
        given = torch.cat([x[t], decoder.labels(torch.tensor(before))])[None]
        h = decoder.cell(given, h)
        scores = decoder.output(h)[0]
        total += float((scores.log_softmax(0) if normalised else scores)[label].detach())
        before = label
    return total


@pytest.mark.parametrize("normalised", [True, False])
def test_a_wide_beam_finds_the_best_sequence(normalised: bool) -> None:
    decoder, x, lengths = decoder_and_input()
    beam = decoder.search(x, lengths, 81, normalised=normalised)
    for k, n in enumerate(lengths.tolist()):
        every = {y: score(decoder, x[k], y, normalised) for y in product(range(3), repeat=n)}
        ranked = sorted(every, key=every.__getitem__, reverse=True)
        found = [tuple(own[:n].tolist()) for own in beam.labels[k][: len(ranked)]]
        assert found == ranked
        want = [every[y] for y in ranked]
        np.testing.assert_allclose(beam.scores[k][: len(ranked)].detach().numpy(), want)


def test_a_beam_of_one_is_greedy() -> None:
    decoder, x, lengths = decoder_and_input()
    beam = decoder.search(x, lengths, 1, normalised=True)
    for k, n in enumerate(lengths.tolist()):
        labels: tuple[int, ...] = ()
        for _ in range(n):
            labels = max(((*labels, y) for y in range(3)), key=lambda y: score(decoder, x[k], y, True))
        assert tuple(beam.labels[k, 0, :n].tolist()) == labels


def test_teacher_forcing_is_minus_log_probability() -> None:
    decoder, x, lengths = decoder_and_input()
    gold = torch.tensor([[0, 1, 2, 1], [2, 2, 0, 0], [1, 0, 1, 0]])
    want = -sum(
        score(decoder, x[k], tuple(gold[k, :n].tolist()), True) for k, n in enumerate(lengths.tolist())
    )
    assert float(decoder.teacher_loss(x, lengths, gold).detach()) == pytest.approx(want)


def test_a_wide_beam_is_normalised_over_all_sequences() -> None:
    """Where nothing falls off, the loss is that of a globally normalised model."""
    decoder, x, lengths = decoder_and_input()
    gold = torch.tensor([[0, 1, 2, 1], [2, 2, 0, 0], [1, 0, 1, 0]])
    want = 0.0
    for k, n in enumerate(lengths.tolist()):
        every = [score(decoder, x[k], y, False) for y in product(range(3), repeat=n)]
        want += np.logaddexp.reduce(every) - score(decoder, x[k], tuple(gold[k, :n].tolist()), False)
    assert float(decoder.beam_loss(x, lengths, gold, 81).detach()) == pytest.approx(want)


def test_where_gold_falls_off_the_update_is_early() -> None:
    decoder, x, lengths = decoder_and_input(lengths=(4,))
    every = {y: score(decoder, x[0], (y,), False) for y in range(3)}
    worst = min(every, key=every.__getitem__)
    best = max(every, key=every.__getitem__)
    gold = torch.tensor([[worst, 0, 0, 0]])
    want = np.logaddexp(every[best], every[worst]) - every[worst]
    assert float(decoder.beam_loss(x, lengths, gold, 1).detach()) == pytest.approx(want)


@pytest.mark.parametrize("width", [1, 3])
def test_gradients_of_the_beam_loss(width: int) -> None:
    decoder, x, lengths = decoder_and_input()
    gold = torch.tensor([[0, 1, 2, 1], [2, 2, 0, 0], [1, 0, 1, 0]])
    assert torch.autograd.gradcheck(lambda x: decoder.beam_loss(x, lengths, gold, width), x.requires_grad_())


# Label bias: what "r" is shows only at "i" or "o" (Lafferty et al. 2001).
RIB = (["r", "i", "b"], ["1", "2", "3"])
ROB = (["r", "o", "b"], ["4", "5", "3"])


def rib_and_rob(n: int = 50) -> tuple[list[list[str]], list[list[str]]]:
    some = [RIB, RIB, ROB] * n
    return [words for words, _ in some], [labels for _, labels in some]


OPTIONS = {"directions": "forward", "size": 16, "words": 8, "letters": 4, "dropout": 0.0, "n_iter": 12}


def test_a_greedy_predictor_cannot_take_a_label_back() -> None:
    tagger = RecurrentTagger(**OPTIONS, width=1).fit(*rib_and_rob(20))  # type: ignore[arg-type]
    assert tagger.predict([RIB[0]]) == [RIB[1]]
    assert tagger.predict([ROB[0]])[0][0] == "1"  # the more frequent label of "r"


def test_training_with_a_beam_has_no_label_bias() -> None:
    options = {**OPTIONS, "training": "beam", "teacher_passes": 3, "width": 3}
    tagger = RecurrentTagger(**options).fit(*rib_and_rob(20))  # type: ignore[arg-type]
    assert tagger.predict([RIB[0], ROB[0]]) == [RIB[1], ROB[1]]
    more = {**OPTIONS, "decoder": "crf", "n_iter": 30}
    chain = RecurrentTagger(**more).fit(*rib_and_rob(20))  # type: ignore[arg-type]
    assert chain.predict([RIB[0], ROB[0]]) == [RIB[1], ROB[1]]


def test_exposure_is_what_wrong_histories_cost() -> None:
    tagger = RecurrentTagger(**OPTIONS, width=1).fit(*rib_and_rob(20))  # type: ignore[arg-type]
    assert tagger.history_gap([RIB[0]], [RIB[1]]) == 0.0
    gold, own = 2 / 3, tagger.score([ROB[0]], [ROB[1]], width=1)
    assert tagger.history_gap([ROB[0]], [ROB[1]]) == pytest.approx(gold - own)
    chain = RecurrentTagger(decoder="crf", size=4, n_iter=1).fit(*rib_and_rob(2))
    assert chain.history_gap([ROB[0]], [ROB[1]]) == 0.0


def test_the_same_seed_gives_the_same_labels() -> None:
    X, y = rib_and_rob(3)
    made = [RecurrentTagger(size=4, n_iter=2).fit(X, y) for _ in range(2)]
    a, b = (list(tagger.module_.state_dict().values()) for tagger in made)
    assert all(torch.equal(p, q) for p, q in zip(a, b))


def test_a_dev_set_keeps_the_best_pass() -> None:
    X, y = rib_and_rob(5)
    tagger = RecurrentTagger(size=4, n_iter=5).fit(X, y, dev=(X, y))
    assert tagger.score(X, y) == max(report.numbers["dev"] for report in tagger.history_)


def test_words_and_sentences_at_the_edges() -> None:
    tagger = RecurrentTagger(size=4, n_iter=1).fit([["a", "b"], []], [["X", "Y"], []])
    assert tagger.predict([]) == []
    assert [len(one) for one in tagger.predict([["unknown"], [], ["a", "b"]])] == [1, 0, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RecurrentTagger(width=0), "'width' parameter"),
        (lambda: RecurrentTagger(decoder="hmm"), "decoder"),
        (lambda: RecurrentTagger().fit([["a"]], []), "labels for each sentence"),
        (lambda: RecurrentTagger().fit([["a"]], [["X", "Y"]]), "sentence 1 has 1 words and 2 labels"),
        (lambda: RecurrentTagger().fit([[]], [[]]), "nothing to learn from"),
        (lambda: RecurrentTagger().predict([["a"]]), "not trained yet"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
