"""Phrase tables of aligned text against pairs, scores and orientations counted one by one."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from oracles.phrases import counted, lexical, random_text, word_weights
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText
from palmette.tools.translation.tables.extraction import TableOptions, extract
from palmette.tools.translation.tables.phrase_table import ORIENTATIONS, PhraseTable

pytestmark = pytest.mark.native


def table_of(pairs, links, n_jobs: int = 1, features=None, **options) -> PhraseTable:
    return extract(
        ParallelText.of(pairs),
        Alignments.of(links),
        TableOptions(**options),
        features=features,
        n_jobs=n_jobs,
    )


@pytest.mark.parametrize("kind", ["word", "phrase", "hierarchical"])
@pytest.mark.parametrize(("seed", "longest"), [(0, 7), (1, 2), (2, 3)])
def test_table_against_definition(kind: str, seed: int, longest: int) -> None:
    pairs, links = random_text(seed)
    seen, turned, commonest = counted(pairs, links, longest, kind)
    sources: Counter[tuple] = Counter()
    targets: Counter[tuple] = Counter()
    for (source, target), n in seen.items():
        sources[source] += n
        targets[target] += n
    forth, back = word_weights(pairs, links, False), word_weights(pairs, links, True)
    table = table_of(pairs, links, max_length=longest, reordering=kind, rare=1, smoothing="none")
    assert {(pair.source, pair.target) for pair in table} == set(seen)
    assert table.reordering_columns == ORIENTATIONS
    for pair in table:
        key = pair.source, pair.target
        assert pair.counts == (targets[key[1]], sources[key[0]], seen[key])
        assert pair.links == commonest[key]
        wanted = [
            seen[key] / targets[key[1]],
            lexical(*key, pair.links, forth),
            seen[key] / sources[key[0]],
            lexical(key[1], key[0], [(j, i) for i, j in pair.links], back),
        ]
        assert pair.scores == pytest.approx(
            [*map(math.log, wanted), float(seen[key] == 1)], rel=1e-5, abs=1e-5
        )
        smoothed = [
            (counter[name] + 0.5) / (seen[key] + 1.5)
            for counter in turned[key]
            for name in ("monotone", "swap", "discontinuous")
        ]
        assert np.exp(pair.reordering) == pytest.approx(smoothed, rel=1e-5)


def test_dense_links_and_long_sentences() -> None:
    for seed, density in ((3, 0.05), (4, 0.5)):
        pairs, links = random_text(seed, 8, words=3, longest=11, density=density)
        seen, turned, _ = counted(pairs, links, 4, "hierarchical")
        table = table_of(pairs, links, max_length=4, reordering="hierarchical")
        found = {(pair.source, pair.target): pair for pair in table}
        assert found.keys() == seen.keys()
        for key, both in turned.items():
            swaps = [(counter["swap"] + 0.5) / (seen[key] + 1.5) for counter in both]
            assert np.exp([found[key].reordering[1], found[key].reordering[4]]) == pytest.approx(
                swaps, rel=1e-5
            )


def test_threads_give_the_same_table() -> None:
    pairs, links = random_text(5, 1500)
    one, three = (
        table_of(pairs, links, n_jobs, reordering="hierarchical", significance="alpha-epsilon")
        for n_jobs in (1, 3)
    )
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, three.arrays()[name], name)


@pytest.mark.parametrize(
    ("directions", "columns"), [("from", ORIENTATIONS[:3]), ("to", ORIENTATIONS[3:]), ("both", ORIENTATIONS)]
)
def test_directions(directions: str, columns: tuple[str, ...]) -> None:
    pairs, links = random_text(6)
    both = table_of(pairs, links)
    some = table_of(pairs, links, directions=directions)
    assert some.reordering_columns == columns
    begin = ORIENTATIONS.index(columns[0])
    np.testing.assert_array_equal(some.reordering, both.reordering[:, begin : begin + len(columns)])
    assert table_of(pairs, links, reordering="none").reordering.shape == (len(both), 0)


def test_own_features() -> None:
    pairs, links = random_text(7)
    table = table_of(
        pairs,
        links,
        features={"longer": lambda f, e, c: len(e) - len(f), "often": lambda f, e, c: math.log(c[2])},
    )
    assert table.columns[-2:] == ("longer", "often")
    for pair in table:
        assert pair.counts is not None
        wanted = [len(pair.target) - len(pair.source), math.log(pair.counts[2])]
        assert pair.scores[-2:] == pytest.approx(wanted, rel=1e-6)
    with pytest.raises(ValueError, match=r"'bad' of .* must be a finite number"):
        table_of(pairs, links, features={"bad": lambda f, e, c: math.nan})
    with pytest.raises(ValueError, match="has a column 'phi_source' already"):
        table_of(pairs, links, features={"phi_source": lambda f, e, c: 0})
    with pytest.raises(ValueError, match="has a column 'rare' already"):
        table_of(pairs, links, features={"rare": lambda f, e, c: 0}, rare=1)


def test_nothing_to_extract() -> None:
    for pairs, links in ([], []), ([("", ""), ("a", "b")], [[], []]):
        for smoothing in ("none", "kneser-ney", "good-turing"):
            table = table_of(
                pairs, links, smoothing=smoothing, significance=2.0, min_count=2, limit=3, rare=1
            )
            assert len(table) == 0
            assert table.lookup("a") == []


def test_options_are_checked() -> None:
    for name, value in [
        ("max_length", 256),
        ("smoothing", "some"),
        ("rare", -1),
        ("reordering", "tree"),
        ("directions", "up"),
        ("reordering_smoothing", 0),
        ("min_count", 0),
        ("limit", 0),
        ("significance", "beta"),
        ("significance", -1.0),
    ]:
        with pytest.raises(ValueError, match=name):
            TableOptions(**{name: value})
    assert len(TableOptions.help_lines()) == len(TableOptions.names())


def test_one_long_sentence() -> None:
    """Three hundred words on each side, half of them without links: bounded, whatever the orientation."""
    n = 300
    pairs = [([f"e{k % 50}" for k in range(n)], [f"f{k % 50}" for k in range(n)])]
    links = [[(k, n - 1 - k) for k in range(0, n, 2)]]
    for kind in ("word", "phrase", "hierarchical"):
        table = table_of(pairs, links, reordering=kind)
        assert len(table) > n
