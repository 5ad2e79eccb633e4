"""Phrase pairs and their scores by definition, one at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

Links = list[tuple[int, int]]
Block = tuple[int, int, int, int]
Pair = tuple[tuple[str, ...], tuple[str, ...]]


def random_text(seed: int, n: int = 25, words: int = 4, longest: int = 6, density: float = 0.2):
    """Random sentence pairs and links."""
    rng = np.random.default_rng(seed)
    pairs, links = [], []
    for length, m in rng.integers(0, longest + 1, (n, 2)).tolist():
        pairs.append(
            ([f"e{k}" for k in rng.integers(0, words, length)], [f"f{k}" for k in rng.integers(0, words, m)])
        )
        links.append([(i, j) for i in range(length) for j in range(m) if rng.random() < density])
    return pairs, links


def blocks(length: int, m: int, links: Links, longest: int) -> Iterator[Block]:
    """By the definition: a link inside, and none that leaves."""
    for i0 in range(length):
        for i1 in range(i0 + 1, min(length, i0 + longest) + 1):
            for j0 in range(m):
                for j1 in range(j0 + 1, min(m, j0 + longest) + 1):
                    inside = [(i0 <= i < i1, j0 <= j < j1) for i, j in links]
                    if any(a and b for a, b in inside) and all(a == b for a, b in inside):
                        yield i0, i1, j0, j1


def orientations(block: Block, n: int, m: int, links: Links, longest: int, kind: str) -> tuple[str, str]:
    """To the neighbour before and after: monotone, swap or discontinuous."""
    i0, i1, j0, j1 = block
    if kind == "word":
        joined = {*links, (-1, -1), (n, m)}
        return (
            _one_of((i0 - 1, j0 - 1) in joined, (i1, j0 - 1) in joined),
            _one_of((i1, j1) in joined, (i0 - 1, j1) in joined),
        )
    others = list(blocks(n, m, links, longest if kind == "phrase" else max(n, m)))
    others += [(-1, 0, -1, 0), (n, n + 1, m, m + 1)]
    before = [other for other in others if other[3] == j0]
    after = [other for other in others if other[2] == j1]
    return (
        _first_of(any(o[1] == i0 for o in before), any(o[0] == i1 for o in before)),
        _first_of(any(o[0] == i1 for o in after), any(o[1] == i0 for o in after)),
    )


def _one_of(monotone: bool, swap: bool) -> str:
    return "discontinuous" if monotone == swap else "monotone" if monotone else "swap"


def _first_of(monotone: bool, swap: bool) -> str:
    return "monotone" if monotone else "swap" if swap else "discontinuous"


def counted(pairs, links, longest: int, kind: str = "none"):
    """Count pairs, the orientations of each, and keep the first of the commonest links of each."""
    seen: Counter[Pair] = Counter()
    turned: dict[Pair, list[Counter[str]]] = {}
    inner: dict[Pair, list[tuple]] = {}
    for (e, f), row in zip(pairs, links):
        for block in blocks(len(e), len(f), row, longest):
            i0, i1, j0, j1 = block
            key = tuple(e[i0:i1]), tuple(f[j0:j1])
            seen[key] += 1
            inner.setdefault(key, []).append(tuple((i - i0, j - j0) for i, j in row if i0 <= i < i1))
            if kind != "none":
                both = turned.setdefault(key, [Counter(), Counter()])
                for one, counter in zip(orientations(block, len(e), len(f), row, longest, kind), both):
                    counter[one] += 1
    commonest = {key: Counter(rows).most_common(1)[0][0] for key, rows in inner.items()}
    return seen, turned, commonest


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
    """The product over words of the mean weight over their links."""
    product = 1.0
    for k, word in enumerate(words):
        mine = [others[j] for i, j in links if i == k]
        product *= np.mean([w[word, other] for other in mine]) if mine else w[word, "NULL"]
    return product
