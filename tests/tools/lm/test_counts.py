"""Counts of n-grams, beside those of a loop over the text."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from palmette import LanguageModel
from palmette._native import NgramCounts, NgramText
from samples.lm_text import random_text

pytestmark = pytest.mark.native


def text_of(lines: list[str], n_jobs: int = 1) -> NgramText:
    text = NgramText()
    text.add(("\n".join(lines) + "\n").encode(), False, n_jobs)
    return text


def counted(text: NgramText, order: int, n_jobs: int = 1) -> NgramCounts:
    return text.count(order, 0, text.n_tokens, n_jobs)


def ngrams(counts: NgramCounts) -> list[dict[tuple[int, ...], int]]:
    """By order, what the trie says."""
    made: list[dict[tuple[int, ...], int]] = []
    paths: list[tuple[int, ...]] = []
    levels = counts.arrays()
    for k, (words, _, numbers) in enumerate(levels):
        if k:
            starts = levels[k - 1][1]
            parents = np.repeat(np.arange(len(paths)), np.diff(starts))
            paths = [(*paths[p], int(w)) for p, w in zip(parents, words, strict=True)]
        else:
            paths = [(w,) for w in range(len(numbers))]
        assert paths == sorted(paths)
        made.append({path: int(n) for path, n in zip(paths, numbers, strict=True) if k or n})
    return made


def expected(lines: list[str], order: int) -> list[Counter[tuple[int, ...]]]:
    number = {"<unk>": 0, "<s>": 1, "</s>": 2}
    found = [Counter[tuple[int, ...]]() for _ in range(order)]
    for line in lines:
        words = [number.setdefault(w, len(number)) for w in ["<s>", *line.split(), "</s>"]]
        for i in range(len(words)):
            for n in range(1, min(order, len(words) - i) + 1):
                found[n - 1][tuple(words[i : i + n])] += 1
    return found


@pytest.mark.parametrize("order", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("words", ["a", "abc", "abcdefghijklmnopqrstuvwxyz"])
def test_all_ngrams(order: int, words: str) -> None:
    """Few different words: many places with the same ones; and lines that are there twice."""
    lines = random_text(400, words, seed=order)
    lines += lines[:150] + [""] * 3 + ["z y x"] * 300
    for n_jobs in (1, 3):
        assert ngrams(counted(text_of(lines), order, n_jobs)) == expected(lines, order)


def test_many_words() -> None:
    """More words than two of which fit a key beside the number of a place, of which there are many."""
    rng = np.random.default_rng(5)
    lines = [" ".join(f"w{i}" for i in rng.zipf(1.3, 12) % 70_000) for _ in range(1500)]
    lines += ["common " + line for line in lines]
    assert ngrams(counted(text_of(lines), 4, 2)) == expected(lines, 4)


def test_ends_are_those_that_linking_finds() -> None:
    """The n-gram without its first word: known from counting, and looked for when counts come from arrays."""
    lines = random_text(300, "abcdefgh", seed=3)
    text = text_of(lines)
    utf8, offsets = text.words()
    arrays: Any = counted(text, 5).arrays()
    packed = [
        counts.estimate("modified-kneser-ney", [0], 0.0, 0.0)[0].pack(0)
        for counts in (counted(text, 5), NgramCounts.from_arrays(utf8, offsets, arrays))
    ]
    for one, other in zip(*packed, strict=True):
        for a, b in zip(one, other, strict=True):
            assert (a == b).all()


def test_words_are_numbered_by_first_appearance() -> None:
    """On any number of threads, in pieces that they share."""
    rng = np.random.default_rng(1)
    lines = [" ".join(f"wörd{i}" for i in rng.zipf(1.4, 15) % 20_000) for _ in range(4000)]
    one = text_of(lines)
    for n_jobs in (2, 3):
        many = NgramText()
        many.expect(1000)
        for part in (lines[:1800], lines[1800:1802], lines[1802:]):
            many.add(("\n".join(part) + "\n").encode(), False, n_jobs)
        assert (many.n_lines, many.n_tokens) == (one.n_lines, one.n_tokens)
        for a, b in zip(one.words(), many.words(), strict=True):
            assert (a == b).all()
        for (_, _, a), (_, _, b) in zip(counted(one, 2).arrays(), counted(many, 2).arrays(), strict=True):
            assert (a == b).all()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_find_the_first_fault(n_jobs: int) -> None:
    lines = [b"some words of a line that is not short"] * 6000
    lines[4000], lines[5000] = b"a caf\xe9", b"an end </s> inside"
    with pytest.raises(ValueError, match="line 4001: byte 0xe9 is not UTF-8"):
        NgramText().add(b"\n".join(lines), False, n_jobs)
    lines[4000] = b"a caf\xc3\xa9"
    with pytest.raises(ValueError, match="line 5001: <s> and </s> mark"):
        NgramText().add(b"\n".join(lines), False, n_jobs)


def test_a_table_of_several_regions() -> None:
    """What the table says is what the trie says, also of n-grams that went on from line to line."""
    rng = np.random.default_rng(2)
    lines = [" ".join(f"w{i}" for i in rng.zipf(1.2, 10) % 3000) for _ in range(4000)]
    hashed = LanguageModel.fit(lines, order=4)
    assert sum(hashed.sizes[1:]) > 2 * 3.6 * 2**13
    trie = hashed.convert(layout="trie")
    assert (hashed.word_scores(lines).log_probs == trie.word_scores(lines).log_probs).all()
    again = hashed.convert(layout="hashed", n_jobs=3)
    assert (hashed.to_model().arrays["hash"] == again.to_model().arrays["hash"]).all()
