"""Pairs that are put aside: none of their source sentences is learned from."""

from __future__ import annotations

import pytest

from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText
from palmette.tools.translation.held_out import chosen_links, chosen_pairs, split


@pytest.mark.parametrize("size", [0, 1, 7, 30, 100])
def test_a_text_is_split(size: int) -> None:
    pairs = [(f"s{k % 20} a", f"t{k}") for k in range(40)] + [("", "x"), ("x", "")]
    text = ParallelText.of(pairs)
    rest, chosen = split(text, size)
    assert len(chosen) <= size
    assert len(chosen) > 0 or size == 0
    learned, tuned = chosen_pairs(text, rest), chosen_pairs(text, chosen)
    assert list(tuned) == [text[int(k)] for k in chosen]
    assert list(learned) == [text[int(k)] for k in rest]
    sources = {tuple(source) for source, _ in tuned}
    assert len(sources) == len(tuned)
    assert all(tuple(source) not in sources for source, _ in learned)
    assert all(source and target for source, target in tuned)


def test_links_go_with_their_pairs() -> None:
    text = ParallelText.of([("a b", "x"), ("c", "y z"), ("d", "w")])
    links = Alignments.of([[(0, 0), (1, 0)], [(0, 1)], []])
    rest, chosen = split(text, 1)
    assert (rest.tolist(), chosen.tolist()) == ([1, 2], [0])
    assert list(chosen_links(links, rest)) == [[(0, 1)], []]
    assert list(chosen_links(links, chosen)) == [[(0, 0), (1, 0)]]
