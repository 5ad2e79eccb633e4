"""Phrase tables against the definition: all blocks, and scores counted from them one by one."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from oracles.phrases import blocks, lexical, random_text, word_weights
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.phrases import extract_phrases
from palmette.tools.alignment.text import ParallelText

pytestmark = pytest.mark.native


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
    with pytest.raises(ValueError, match=r"max_length.*\[1, 255\]"):
        extract_phrases(text, Alignments.of([[], []]), max_length=256)
    assert extract_phrases(text, Alignments.of([[(0, 0)], []])).translations("zzz") == []
