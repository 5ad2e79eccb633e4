"""Every measure against its definition in plain Python, and counts of triples against a plain count."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import Corpus, Thesaurus, _native
from palmette.formats import read_conllu
from palmette.tools.thesaurus.counting import TripleCounter, pack, unpack
from palmette.tools.thesaurus.information import information_table
from palmette.tools.thesaurus.options import SPARSE

pytestmark = pytest.mark.native
FARM = Path(__file__).parents[3] / "examples" / "thesaurus" / "farm.conllu"
Rows = Mapping[str, Mapping[Any, float]]


def plain_information(triples: Iterable[tuple[str, str, str]], smoothing: float = 1.0) -> Rows:
    """I(w, r, w′) = −log P(r) P(w′|r) P(w|r) / P(w, r, w′), positive entries: eqs. 129 and 133."""
    c = Counter(triples)
    n = sum(c.values())
    of_r: Counter[str] = Counter()
    of_wr: Counter[tuple[str, str]] = Counter()
    of_rw: Counter[tuple[str, str]] = Counter()
    for (w, r, v), k in c.items():
        of_r[r] += k
        of_wr[w, r] += k
        of_rw[r, v] += k
    powers: defaultdict[str, float] = defaultdict(float)
    for (r, _), k in of_rw.items():
        powers[r] += k**smoothing
    rows: defaultdict[str, dict[Any, float]] = defaultdict(dict)
    for (w, r, v), k in c.items():
        p_r, p_v, p_w = of_r[r] / n, of_rw[r, v] ** smoothing / powers[r], of_wr[w, r] / of_r[r]
        value = -math.log(p_r * p_v * p_w / (k / n))
        if value > 1e-9:
            rows[w][r, v] = value
    return rows


def plain_similarity(a: Mapping[Any, float], b: Mapping[Any, float], measure: str) -> float:
    """Eqs. 132 and 135 to 138."""
    shared = a.keys() & b.keys()
    if not shared:
        return 0.0
    if measure == "lin":
        return sum(a[c] + b[c] for c in shared) / (sum(a.values()) + sum(b.values()))
    if measure == "cosine":
        length = math.sqrt(sum(x * x for x in a.values()) * sum(x * x for x in b.values()))
        return sum(a[c] * b[c] for c in shared) / length
    if measure == "set-cosine":
        return len(shared) / math.sqrt(len(a) * len(b))
    if measure == "dice":
        return 2 * len(shared) / (len(a) + len(b))
    return len(shared) / (len(a) + len(b) - len(shared))


def random_triples(n: int, seed: int) -> list[tuple[str, str, str]]:
    rng = random.Random(seed)
    return [(f"w{rng.randrange(9)}", f"r{rng.randrange(3)}", f"w{rng.randrange(6)}") for _ in range(n)]


def table_of(triples: list[tuple[str, str, str]], **options: Any) -> Any:
    words = sorted({w for w, _, _ in triples} | {v for _, _, v in triples})
    relations = sorted({r for _, r, _ in triples})
    counter = TripleCounter(1 << 20)
    columns = (
        np.array([names.index(one[i]) for one in triples])
        for i, names in enumerate((words, relations, words))
    )
    counter.add(pack(*columns))
    given = {"min_count": 1, "max_words": 1000, "min_context": 1, "smoothing": 1.0} | options
    return information_table(counter.merged(), words, np.full(len(words), 5), relations, **given)


@pytest.mark.parametrize("smoothing", [1.0, 0.75])
@pytest.mark.parametrize("seed", range(4))
def test_information_is_its_definition(seed: int, smoothing: float) -> None:
    triples = random_triples(150, seed)
    table, want = table_of(triples, smoothing=smoothing), plain_information(triples, smoothing)
    for i, word in enumerate(table.words):
        columns, values = table.row(i)
        found = {table.context(int(c)): float(v) for c, v in zip(columns, values)}
        assert found == pytest.approx({f"{r} {v}": x for (r, v), x in want.get(word, {}).items()}, rel=1e-5)


@pytest.mark.parametrize("measure", SPARSE)
@pytest.mark.parametrize("seed", range(3))
def test_measures_are_their_definitions(seed: int, measure: str) -> None:
    triples = random_triples(100, seed)
    table, rows = table_of(triples), plain_information(triples)
    n = table.n_rows
    a, b = (np.array(one, dtype=np.int32).ravel() for one in np.indices((n, n)))
    found = table.index.similarities(a, b, measure).reshape(n, n)
    want = [
        [plain_similarity(rows.get(v, {}), rows.get(w, {}), measure) for w in table.words]
        for v in table.words
    ]
    np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-7)
    ids, scores = table.index.nearest(np.arange(n, dtype=np.int32), measure, 3)
    for i in range(n):
        others = sorted((-round(want[i][j], 9), j) for j in range(n) if j != i and want[i][j] > 0)[:3]
        np.testing.assert_allclose(
            scores.reshape(n, -1)[i][: len(others)], [-score for score, _ in others], rtol=1e-5
        )
        assert (ids.reshape(n, -1)[i] >= 0).sum() == len(others)


def test_any_number_of_threads_gives_the_same() -> None:
    table = table_of(random_triples(400, 7))
    asked = np.arange(table.n_rows, dtype=np.int32)
    one, four = (table.index.nearest(asked, "lin", 4, n_jobs=n) for n in (1, 4))
    for x, y in zip(one, four):
        np.testing.assert_array_equal(x, y)


def test_paths_are_compared_by_both_slots() -> None:
    table = table_of(random_triples(200, 3))
    starts = table.starts[: 2 * (table.n_rows // 2) + 1]
    end = int(starts[-1])
    index = _native.SimilarityIndex(starts, table.columns[:end], table.values[:end], len(table.context_words))
    n = len(starts) - 1
    rows = np.arange(n, dtype=np.int32)
    ids, scores = index.nearest(rows, "lin", n, paired=True)
    for a in range(n):
        for b, score in zip(ids.reshape(n, -1)[a], scores.reshape(n, -1)[a]):
            if b < 0:
                continue
            one, two = (
                index.similarities(np.array([x], np.int32), np.array([y], np.int32), "lin")[0]
                for x, y in ((a, b), (a ^ 1, b ^ 1))
            )
            assert score == pytest.approx(math.sqrt(one * two), rel=1e-5)


@pytest.mark.parametrize(
    "change",
    [
        {"columns": np.array([0, 9], np.int32)},
        {"columns": np.array([1, 0], np.int32)},
        {"values": np.array([1, -1], np.float32)},
        {"values": np.array([1, np.nan], np.float32)},
        {"starts": np.array([0, 3], np.int64)},
    ],
)
def test_a_damaged_table_is_refused(change: dict[str, Any]) -> None:
    good = {
        "starts": np.array([0, 2], np.int64),
        "columns": np.array([0, 1], np.int32),
        "values": np.array([1, 2], np.float32),
    }
    index = _native.SimilarityIndex(**good, n_columns=2)
    with pytest.raises(ValueError, match="row"):
        index.nearest(np.array([1], np.int32), "lin", 1)
    with pytest.raises(ValueError, match="measure"):
        index.nearest(np.array([0], np.int32), "euclid", 1)
    with pytest.raises(ValueError, match=r"column|value|row"):
        _native.SimilarityIndex(**(good | change), n_columns=2)


@pytest.mark.parametrize("most", [1, 1 << 20])
def test_counts_do_not_depend_on_memory(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palmette.tools.thesaurus.counting._PIECE", 64)
    rng = np.random.default_rng(1)
    counter = TripleCounter(most)
    want: Counter[tuple[int, ...]] = Counter()
    for _ in range(20):
        triples = rng.integers(0, 12, (50, 3))
        want.update(map(tuple, triples.tolist()))
        counter.add(pack(triples[:, 0], triples[:, 1], triples[:, 2]))
    pieces = list(counter.merged())
    assert (counter.n_files > 1 and len(pieces) > 1) == (most == 1)
    keys = np.concatenate([keys for keys, _ in pieces])
    assert (np.diff(keys.astype(object)) > 0).all()
    found = Counter(
        {
            triple: int(n)
            for keys, counts in pieces
            for *triple_, n in zip(*unpack(keys), counts)
            for triple in [tuple(int(x) for x in triple_)]
        }
    )
    assert found == want
    counter.close()


def plain_triples(corpus: Corpus, window: int) -> list[tuple[str, str, str]]:
    """The contexts of words, by a walk over each sentence."""
    found = []
    for sentence in corpus:
        words = [form.lower() for form in sentence["form"]]
        relations, heads = sentence["deprel"], sentence.heads.tolist()
        kept = [i for i, word in enumerate(words) if any(map(str.isalnum, word))]
        for i in kept:
            relation, head = relations[i].partition(":")[0], heads[i] - 1
            if head < 0 or relation in ("punct", "case"):
                continue
            cases = [j for j in kept if heads[j] - 1 == i and relations[j] == "case"]
            if relation in ("obl", "nmod") and cases:
                relation += f":{words[cases[0]]}"
            found += [(words[head], relation, words[i]), (words[i], f"^{relation}", words[head])]
        for a in range(len(kept)):
            for b in range(a + 1, min(a + window, len(kept) - 1) + 1):
                one, two = words[kept[a]], words[kept[b]]
                found += [(one, "near", two), (two, "near", one)]
    return found


def test_contexts_of_trees_and_windows() -> None:
    corpus = read_conllu(FARM)
    options = {"min_count": 1, "min_context": 1, "smoothing": 1.0, "window": 2}
    thesaurus = Thesaurus(options=options).fit(corpus)
    rows = plain_information(plain_triples(corpus, 2))
    for word in ("oak", "farmer", "small", "with"):
        want = {f"{r} {v}": x for (r, v), x in rows[word].items()}
        assert dict(thesaurus.contexts(word, 1000)) == pytest.approx(want, rel=1e-5)
    for one, two in (("cat", "dog"), ("oak", "elm"), ("oak", "cat")):
        for measure in SPARSE:
            want_it = plain_similarity(rows[one], rows[two], measure)
            assert thesaurus.similarity(one, two, measure=measure) == pytest.approx(want_it, rel=1e-5)
