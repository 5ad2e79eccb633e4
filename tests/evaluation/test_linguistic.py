"""The linguistic overlap: what tags, synonyms and constituents change about shared n-grams."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from palmette.errors import FormatError
from palmette.evaluation.linguistic import (
    constituent_f1,
    linguistic_overlap,
    ngram_score,
    read_synonyms,
    synonym_classes,
    with_synonyms,
)
from palmette.trees.tree import Tree


@pytest.mark.parametrize("seed", range(8))
def test_words_alone_are_scored_as_bleu_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    guess, right = (
        [rng.choice(list("abc"), size=rng.integers(4, 9)).tolist() for _ in range(5)] for _ in range(2)
    )
    want = BLEU(tokenize="none", force=True).corpus_score(
        [" ".join(own) for own in guess], [[" ".join(own) for own in right]]
    )
    assert ngram_score(guess, right) == pytest.approx(want.score / 100)


def test_short_sentences_leave_out_orders() -> None:
    assert ngram_score([["a"]], [["a"]]) == 1.0
    assert ngram_score([[]], [["a"]]) == 0.0
    assert ngram_score([["b"]], [["a"]]) == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_synonyms_are_matched_as_often_as_possible(seed: int) -> None:
    rng = np.random.default_rng(seed)
    classes = synonym_classes([rng.choice(list("abcdef"), 2, replace=False).tolist() for _ in range(5)])
    words, right = (rng.choice(list("abcdef"), size=4).tolist() for _ in range(2))

    def shared(own: list[str]) -> int:
        left = list(right)
        return sum(left.remove(word) is None for word in own if word in left)

    equal = shared(words)
    best = 0
    for order in permutations(range(4)):  # match word order[k] with place k
        pairs = [(words[i], other) for i, other in zip(order, right)]
        same = sum(a == b for a, b in pairs)
        close = sum(a != b and bool(classes.get(a, set()) & classes.get(b, set())) for a, b in pairs)
        if same == equal:
            best = max(best, same + close)
    found = with_synonyms(words, right, classes)
    assert shared(found) == best
    for a, b in zip(words, found):
        assert a == b or classes[a] & classes[b]


def test_tags_tell_words_of_other_roles_apart() -> None:
    words = ["they", "can", "fish"]
    found = linguistic_overlap(
        [words], [words], guess_tags=[["PRP", "MD", "VB"]], reference_tags=[["PRP", "VB", "NN"]]
    )
    assert found.scores["words"] == 1.0
    assert found.scores["tagged"] == pytest.approx((1 / 3 * 1 / (2 * 2) * 1 / (4 * 1)) ** (1 / 3))
    assert found.overlap == pytest.approx((1 + found.scores["tagged"]) / 2)


def test_constituents_may_move() -> None:
    a = Tree.parse("(S (NP (D the) (N cat)) (VP (V saw) (NP (N dogs))))")
    b = Tree.parse("(S (NP (N dogs)) (VP (V saw) (NP (D the) (N cat))))")
    assert constituent_f1([a], [a]) == 1.0
    assert constituent_f1([a], [b]) == pytest.approx(0.5)  # both NPs of four
    assert constituent_f1([None], [b]) == 0.0


def test_bad_input(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="There are 2 references, but 1 to compare"):
        linguistic_overlap([["a"]], [["a"], ["b"]])
    with pytest.raises(ValueError, match="Translation 1 has 1 words, but 2 tags"):
        linguistic_overlap([["a"]], [["a"]], guess_tags=[["N", "V"]], reference_tags=[["N"]])
    with pytest.raises(ValueError, match="need the tags of translations and of references"):
        linguistic_overlap([["a"]], [["a"]], guess_tags=[["N"]])
    with pytest.raises(ValueError, match="need the trees of translations and of references"):
        linguistic_overlap([["a"]], [["a"]], guess_trees=[None])
    path = tmp_path / "synonyms"
    path.write_text("# sizes\nbig large\n\nlonely\n")
    with pytest.raises(FormatError, match=":4: expected two synonyms or more on a line; got 'lonely'"):
        read_synonyms(path)
    path.write_text("# nothing\n")
    with pytest.raises(FormatError, match="no synonyms"):
        read_synonyms(path)
    path.write_text("big large\nlarge huge\n")
    assert read_synonyms(path)["large"] == {0, 1}
