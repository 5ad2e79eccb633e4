"""Phrase tables against the definition: all blocks, and scores counted from them one by one."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.phrases import extract_phrases
from palmette.tools.alignment.text import ParallelText

pytestmark = pytest.mark.native


def random_text(seed: int, n: int = 25):
    rng = np.random.default_rng(seed)
    pairs, links = [], []
    for length, m in rng.integers(0, 7, (n, 2)).tolist():
        pairs.append(
            ([f"e{k}" for k in rng.integers(0, 4, length)], [f"f{k}" for k in rng.integers(0, 4, m)])
        )
        links.append([(i, j) for i in range(length) for j in range(m) if rng.random() < 0.2])
    return pairs, links


def blocks(length: int, m: int, links: list[tuple[int, int]], longest: int):
    """By the definition: a link inside, and none that leaves."""
    for i0 in range(length):
        for i1 in range(i0 + 1, min(length, i0 + longest) + 1):
            for j0 in range(m):
                for j1 in range(j0 + 1, min(m, j0 + longest) + 1):
                    inside = [(i0 <= i < i1, j0 <= j < j1) for i, j in links]
                    if any(a and b for a, b in inside) and all(a == b for a, b in inside):
                        yield i0, i1, j0, j1


def word_weights(pairs, links, back: bool) -> dict[tuple[str, str], float]:
    """w(word | other): of source words given target words, or back."""
    counts: Counter[tuple[str, str]] = Counter()
    for (e, f), row in zip(pairs, links):
        words, others = (f, e) if back else (e, f)
        for k, word in enumerate(words):
            mine = [others[i if back else j] for i, j in row if (j if back else i) == k]
            counts.update([(word, other) for other in mine] or [(word, "NULL")])
    totals: Counter[str] = Counter()
    for (_, other), n in counts.items():
        totals[other] += n
    return {pair: n / totals[pair[1]] for pair, n in counts.items()}


def lexical(words, others, links, w) -> float:
    product = 1.0
    for k, word in enumerate(words):
        mine = [others[j] for i, j in links if i == k]
        product *= np.mean([w[word, other] for other in mine]) if mine else w[word, "NULL"]
    return product


@pytest.mark.parametrize(("seed", "longest"), [(0, 7), (1, 2), (2, 3)])
def test_table_against_definition(seed: int, longest: int) -> None:
    pairs, links = random_text(seed)
    seen: Counter[tuple[str, str]] = Counter()
    sources: Counter[str] = Counter()
    targets: Counter[str] = Counter()
    inner: dict[tuple[str, str], list[tuple]] = {}
    for (e, f), row in zip(pairs, links):
        for i0, i1, j0, j1 in blocks(len(e), len(f), row, longest):
            key = " ".join(e[i0:i1]), " ".join(f[j0:j1])
            seen[key] += 1
            sources[key[0]] += 1
            targets[key[1]] += 1
            inner.setdefault(key, []).append(tuple((i - i0, j - j0) for i, j in row if i0 <= i < i1))
    forth, back = word_weights(pairs, links, False), word_weights(pairs, links, True)
    table = extract_phrases(ParallelText.of(pairs), Alignments.of(links), max_length=longest)
    assert [(pair.source, pair.target) for pair in table] == sorted(seen, key=" ||| ".join)
    for pair in table:
        key = pair.source, pair.target
        assert pair.counts == (targets[key[1]], sources[key[0]], seen[key])
        commonest = Counter(inner[key]).most_common(1)[0][0]  # the earliest of the commonest
        assert pair.links == commonest
        e, f = pair.source.split(), pair.target.split()
        turned = [(j, i) for i, j in pair.links]
        wanted = [
            seen[key] / targets[key[1]],
            lexical(e, f, pair.links, forth),
            seen[key] / sources[key[0]],
            lexical(f, e, turned, back),
        ]
        assert pair.scores == pytest.approx(wanted)
    phrase = max(sources, key=lambda one: sources[one])
    best = table.translations(phrase, 3)
    assert [pair.scores[2] for pair in best] == sorted((pair.scores[2] for pair in best), reverse=True)
    assert {pair.source for pair in best} == {phrase}
    often = extract_phrases(ParallelText.of(pairs), Alignments.of(links), max_length=longest, min_count=2)
    assert [pair for pair in table if pair.counts[2] >= 2] == list(often)


def test_moses_format(tmp_path: Path) -> None:
    text = ParallelText.of([("the house", "das Haus"), ("the |||", "das |")])
    table = extract_phrases(text, Alignments.of([[(0, 0), (1, 1)], [(0, 0), (1, 1)]]))
    table.write(tmp_path / "table.gz")
    lines = gzip.decompress((tmp_path / "table.gz").read_bytes()).decode().splitlines()
    assert lines == sorted(lines)
    assert "the house ||| das Haus ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| |||" in lines
    assert "the ||| das ||| 1 1 1 1 ||| 0-0 ||| 2 2 2 ||| |||" in lines
    assert "the &#124;&#124;&#124; ||| das &#124; ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| |||" in lines
    assert all(line.count("|||") == 6 for line in lines)


def test_nothing_and_bad_input() -> None:
    text = ParallelText.of([("a", "b"), ("", "")])
    assert list(extract_phrases(text, Alignments.of([[], []]))) == []
    assert b"".join(extract_phrases(text, Alignments.of([[], []])).lines()) == b""
    with pytest.raises(ValueError, match="must be 2 alignments"):
        extract_phrases(text, Alignments.of([[]]))
    with pytest.raises(ValueError, match="outside its sentence"):
        extract_phrases(text, Alignments.of([[(0, 1)], []]))
    with pytest.raises(ValueError, match="max_length"):
        extract_phrases(text, Alignments.of([[], []]), max_length=0)
    assert extract_phrases(text, Alignments.of([[(0, 0)], []])).translations("zzz") == []
