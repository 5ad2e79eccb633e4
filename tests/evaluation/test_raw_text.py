"""Scores from raw text on small cases done by hand, and what is refused."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from palmette.errors import FormatError
from palmette.evaluation.raw_text import evaluate_raw_text
from palmette.evaluation.word_alignment import common_subsequence
from palmette.formats.conllu import parse_conllu
from palmette.formats.corpus import Corpus
from samples.raw_text import BAD, GOLD, GUESS, TREE, row


def words(*tokens: str) -> Corpus:
    """A sentence of tokens; "abc a b c" is a multiword token. The first word is the root, and head of all."""
    text, n = "", 0
    for token in tokens:
        form, *inside = token.split(" ")
        if inside:
            text += row(f"{n + 1}-{n + len(inside)}", form)
        for word in inside or [form]:
            n += 1
            text += row(n, word, int(n > 1), "dep" if n > 1 else "root")
    return parse_conllu(text + "\n")


@pytest.mark.parametrize(
    ("gold", "guess", "correct"),
    [
        (["wxyz"], ["wx", "yz"], 0),
        (["wx", "y"], ["wx", "y"], 2),
        (["wxy", "z"], ["w", "xy", "z"], 1),
        (["della di la", "x"], ["della di la", "x"], 3),
        (["della di la", "x"], ["della de la", "x"], 2),
        (["della di la", "x"], ["della", "x"], 1),
        (["dela De La"], ["de", "la"], 2),
        (["dela de la", "x"], ["de", "lax"], 1),
        (["pqr p q r", "st s t"], ["p", "qrs q r s", "t"], 5),
    ],
)
def test_aligned_words(gold: list[str], guess: list[str], correct: int) -> None:
    for a, b in ((gold, guess), (guess, gold)):
        counts = evaluate_raw_text(words(*a), words(*b)).counts["words"]
        assert (counts.correct, counts.aligned_accuracy) == (correct, None)


def test_longest_common_subsequences_against_all() -> None:
    random = Random(0)
    for _ in range(300):
        first, second = ([random.choice("abc") for _ in range(random.randrange(7))] for _ in range(2))
        found = common_subsequence(first, second)
        assert all(first[a] == second[b] for a, b in found)
        assert found == sorted(found)
        assert len({a for a, _ in found}) == len({b for _, b in found}) == len(found)
        every = [
            {tuple(kept) for n in range(len(side) + 1) for kept in combinations(side, n)}
            for side in (first, second)
        ]
        assert len(found) == max(map(len, every[0] & every[1]))


def test_by_hand() -> None:
    scores = evaluate_raw_text(parse_conllu(GOLD), parse_conllu(GUESS))
    have = {name: (c.gold, c.guess, c.correct, c.aligned) for name, c in scores.counts.items()}
    assert have == {
        "tokens": (4, 3, 2, None),
        "sentences": (1, 2, 0, None),
        "words": (4, 3, 2, None),
        "upos": (4, 3, 1, 2),
        "xpos": (4, 3, 2, 2),
        "ufeats": (4, 3, 2, 2),
        "alltags": (4, 3, 1, 2),
        "lemmas": (4, 3, 2, 2),
        "uas": (4, 3, 1, 2),
        "las": (4, 3, 1, 2),
        "clas": (3, 2, 1, 2),
        "mlas": (3, 2, 0, 2),  # `go` has another auxiliary
        "blex": (3, 2, 1, 2),
    }
    assert scores.confused["upos"] == [("ADV", "NOUN", 1)]
    assert scores.confused["relations"] == [("obl", "root", 1)]
    assert scores.worst("las") == [(1, 5)]
    assert scores.interval("las").value == scores.f1("las") == pytest.approx(2 / 7)
    assert "LAS        |     33.33 |     25.00 |     28.57 |     50.00" in str(scores)


def test_spaces_in_tokens_do_not_count() -> None:
    scores = evaluate_raw_text(words("3\N{NO-BREAK SPACE}000", "x"), words("3000", "x"))
    assert scores.f1("tokens") == scores.f1("words") == 1


def test_without_heads_trees_are_not_scored() -> None:
    bare = parse_conllu(row(1, "a", upos="X") + "\n")
    scores = evaluate_raw_text(bare, words("a"))
    assert scores.f1("words") == 1
    assert scores.to_dict()["las"] is None
    with pytest.raises(ValueError, match=r"There is no las: gold or the guess has no heads\."):
        scores.f1("las")
    with pytest.raises(ValueError, match=r"must be one of tokens, .* Got 'speed' instead"):
        scores.ratios("speed")


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_named_with_their_line(name: str, tmp_path: Path) -> None:
    gold, guess = tmp_path / "gold.conllu", tmp_path / "guess.conllu"
    text, line, message = BAD[name]
    gold.write_text(TREE)
    guess.write_text(text)
    where = str(guess) if line is None else f"{guess}:{line}"
    with pytest.raises(FormatError) as error:
        evaluate_raw_text(gold, guess)
    assert str(error.value).startswith(f"{where}: {message.format(gold=gold)}")


def test_corpora_without_files() -> None:
    gold, guess = (Corpus.from_columns({"form": [["a"], [form]]}) for form in ("b", "c"))
    with pytest.raises(
        FormatError, match="guess, sentence 2: the text is 'c' here, but 'b' at gold, sentence 2"
    ):
        evaluate_raw_text(gold, guess)
