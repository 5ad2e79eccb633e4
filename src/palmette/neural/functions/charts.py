"""Binary trees over tensors: GEN(x) = all trees of binary rules over n words, scored by their items and rules.

    score(tree) = Σ items[(i, j), A] + Σ rules[A → B C] + root[A of the whole sentence]

An item (A, i, j) is a symbol over the words i … j - 1; those of single words are the leaves of a tree. A parser
that scores labelled spans scores items alone; a grammar that a network writes scores rules and leaves.
A sentence of n words has n (n + 1) / 2 spans, by their starts, then by their ends. Cost O(n³ symbols² + n² rules).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from palmette import _native
from palmette.errors import numbered
from palmette.neural.functions.arrays import Floats, Reals, Tensor, checked_lengths, checked_scores
from palmette.neural.functions.structure import Parts, Structure
from palmette.threads import n_threads

Constituent = tuple[int, int, int]  # start, end, symbol


class BinaryRules:
    """Rules A → B C as rows of three symbols, ready for charts.

    >>> BinaryRules.all(2).rows[:3].tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    """

    def __init__(self, rows: npt.ArrayLike, n_symbols: int) -> None:
        given = np.asarray(rows)
        if given.ndim != 2 or given.shape[1] != 3 or (given.size and given.dtype.kind not in "iu"):
            raise ValueError("rules must be rows of three symbols: parent, left child, right child")
        self.rows = np.ascontiguousarray(given, dtype=np.int32)
        self.n_symbols = int(n_symbols)
        if self.n_symbols < 1 or (given.size and not (given.min() >= 0 and given.max() < n_symbols)):
            raise ValueError(f"the symbols of rules must lie between 0 and {n_symbols - 1}")
        columns = (np.ascontiguousarray(self.rows[:, c]) for c in range(3))
        self.core = _native.ItemGrammar(self.n_symbols, *columns)
        self.number = {tuple(row): k for k, row in enumerate(self.rows.tolist())}

    @classmethod
    def all(cls, n_symbols: int) -> BinaryRules:
        """Return every rule over some symbols, so that scores of rules can be a cube [parent, left, right]."""
        return cls(np.indices((n_symbols,) * 3).reshape(3, -1).T, n_symbols)

    def __len__(self) -> int:
        return len(self.rows)


class Charts(Structure):
    """Binary trees for a batch of sentences.

    items: [spans of all sentences, symbols]; -inf for symbols that may not be there. lengths: the words of every
    sentence. grammar: the rules. rules: [rules], their scores; None for zeros. root: [symbols], scores of a symbol
    over the whole sentence, or the one symbol that may be there; None for zeros. n_jobs: threads; results do not
    depend on them. `items_of_words` makes item scores of scores of single words.

    >>> items = torch.zeros(3, 2)
    >>> charts = Charts(items, [2], BinaryRules.all(2), root=0)
    >>> charts.log_z().exp().round().tolist()  # any symbols over two words
    [4.0]
    >>> charts.marginals()[1].tolist()  # the whole sentence
    [1.0, 0.0]
    """

    names = ("item scores", "rule scores", "root scores")

    def __init__(
        self,
        items: Tensor,
        lengths: Any,
        grammar: BinaryRules,
        rules: Tensor | None = None,
        root: Tensor | int | None = None,
        *,
        n_jobs: int = 1,
    ) -> None:
        S = grammar.n_symbols
        checked_scores(items, "item scores", (None, S))
        self.words = checked_lengths(lengths)
        sizes = self.words * (self.words + 1) // 2
        if sizes.sum() != len(items):
            raise ValueError(
                f"sentences of n words have n (n + 1) / 2 spans each, {sizes.sum()} in all; got {len(items)} rows"
            )
        self.grammar = grammar
        if rules is None:
            rules = torch.zeros(len(grammar), dtype=items.dtype, device=items.device)
        if isinstance(root, int):
            if not 0 <= root < S:
                raise ValueError(f"the root must be a symbol between 0 and {S - 1}, got {root}")
            only = torch.arange(S, device=items.device) == root
            root = torch.where(only, 0.0, -torch.inf).to(items)
        elif root is None:
            root = torch.zeros(S, dtype=items.dtype, device=items.device)
        checked_scores(rules, "rule scores", (len(grammar),))
        checked_scores(root, "root scores", (S,))
        super().__init__([items, rules, root], sizes, n_jobs)

    def trees(self) -> list[list[Constituent]]:
        """Return the items of the best trees, (start, end, symbol) from the top down."""
        scores, places, _, _ = self._best(self.arrays(self.tensors))
        self.refuse(scores)
        ends = np.cumsum(np.maximum(2 * self.words - 1, 0))
        found, first = [], 0
        starts = np.cumsum(self.sizes) - self.sizes
        for k, last in enumerate(ends.tolist()):
            spans = spans_of(int(self.words[k]))
            rows, symbols = np.divmod(places[first:last], self.grammar.n_symbols)
            found.append([(*spans[r], a) for r, a in zip((rows - starts[k]).tolist(), symbols.tolist())])
            first = last
        return found

    def sums(self, arrays: Parts, weights: Reals | None) -> tuple[Floats, Parts]:
        wide = None if weights is None else weights.astype(np.float64)
        log_z, *parts = self._run(arrays, wide, True)
        return log_z, self._shaped(parts)

    def log_sums(self, arrays: Parts) -> Floats:
        found: Floats = self._run(arrays, None, False)[0]
        return found

    def maxima(self, arrays: Parts) -> tuple[Floats, Parts]:
        scores, places, rules, roots = self._best(arrays)
        return scores, self._uses(places[places >= 0], rules[rules >= 0], roots[roots >= 0])

    def covariances(self, arrays: Parts, values: Parts) -> Parts:
        core: Any = self.grammar.core
        found = core.covariances(*_flat([*arrays, *values]), self.words, n_threads(self.n_jobs))
        return self._shaped(list(found))

    def gold(self, arrays: Parts, gold: Any) -> tuple[Floats, Parts]:
        places, rules, roots = [], [], []
        scores = np.zeros(len(self))
        for k, (own, used, top) in enumerate(self._gold(gold)):
            at = [arrays[0].ravel()[own], arrays[1][used], arrays[2][top]]
            scores[k] = sum(float(some.astype(np.float64).sum()) for some in at)
            places.append(own)
            rules.append(used)
            roots.append(top)
        none = np.zeros(0, np.int64)
        return scores, self._uses(*(np.concatenate([none, *some]) for some in (places, rules, roots)))

    def costs(self, gold: Any) -> Reals:
        costs = np.ones(self.tensors[0].shape, dtype=np.float32)
        for own, _, _ in self._gold(gold):
            costs.reshape(-1)[own] = 0
        return costs

    def one(self, sentence: int) -> Charts:
        end = int(self.sizes[: sentence + 1].sum())
        items = self.tensors[0][end - int(self.sizes[sentence]) : end]
        return Charts(items, self.words[sentence : sentence + 1], self.grammar, *self.tensors[1:])

    def nothing(self) -> str:
        return "no tree of the rules covers its words"

    # Helpers of the above

    def _run(self, arrays: Parts, weights: Floats | None, with_parts: bool) -> Any:
        core: Any = self.grammar.core
        return core.sums(*_flat(arrays), self.words, n_threads(self.n_jobs), weights, with_parts)

    def _best(self, arrays: Parts) -> Any:
        core: Any = self.grammar.core
        return core.best(*_flat(arrays), self.words, n_threads(self.n_jobs))

    def _shaped(self, parts: Parts) -> Parts:
        return [part.reshape(tuple(t.shape)) for part, t in zip(parts, self.tensors)]

    def _uses(self, places: Any, rules: Any, roots: Any) -> Parts:
        sizes = [self.tensors[0].numel(), len(self.grammar), self.grammar.n_symbols]
        counts = [
            np.bincount(at, minlength=n).astype(np.float64) for at, n in zip((places, rules, roots), sizes)
        ]
        return self._shaped(counts)

    def _gold(self, gold: Any) -> Iterable[tuple[Any, Any, Any]]:
        """Yield the places of items, rules and root of every tree, checked."""
        if len(gold) != len(self):
            raise ValueError(
                f"there must be one gold tree for each of {len(self)} sentences, got {len(gold)}"
            )
        S = self.grammar.n_symbols
        starts = np.cumsum(self.sizes) - self.sizes
        for k, tree in enumerate(gold):
            n = int(self.words[k])
            try:
                own, rules = _read_tree(tree, n, self.grammar)
            except ValueError as error:
                raise ValueError(f"{numbered(k)}: {error}") from None
            places = [(int(starts[k]) + span_row(n, i, j)) * S + a for i, j, a in own]
            roots = [a for i, j, a in own if j - i == n]
            yield np.array(places, np.int64), np.array(rules, np.int64), np.array(roots, np.int64)


def _flat(arrays: Parts) -> list[Floats]:
    return [np.ascontiguousarray(array.ravel(), np.float64) for array in arrays]


def spans_of(n: int) -> list[tuple[int, int]]:
    """Return the spans of n words in the order of item scores.

    >>> spans_of(2)
    [(0, 1), (0, 2), (1, 2)]
    """
    return [(i, j) for i in range(n) for j in range(i + 1, n + 1)]


def span_row(n: int, start: int, end: int) -> int:
    """Return the place of a span among those of n words."""
    return start * n - start * (start - 1) // 2 + end - start - 1


def items_of_words(words: Tensor, lengths: Any) -> Tensor:
    """Return item scores of scores of single words, [words of all sentences, symbols]; other items have zero."""
    counts = checked_lengths(lengths, len(words), "words")
    rows, first = [], 0
    for n in counts.tolist():
        rows += [first + span_row(n, i, i + 1) for i in range(n)]
        first += n * (n + 1) // 2
    at = torch.tensor(rows, dtype=torch.long, device=words.device)
    return torch.zeros(first, words.shape[1], dtype=words.dtype, device=words.device).index_copy(0, at, words)


def _read_tree(
    tree: Sequence[Constituent], n: int, grammar: BinaryRules
) -> tuple[list[Constituent], list[int]]:
    """Return the items of a binary tree over n words, and its rules."""
    items = [(int(i), int(j), int(a)) for i, j, a in tree]
    symbol = {(i, j): a for i, j, a in items}
    if len(items) != max(2 * n - 1, 0) or len(symbol) != len(items) or (n and (0, n) not in symbol):
        raise ValueError(f"a binary tree over {n} words has {max(2 * n - 1, 0)} items; got {len(items)}")
    rules = []
    for i, j, a in items:
        if not (0 <= i < j <= n and 0 <= a < grammar.n_symbols):
            raise ValueError(f"there is no item ({i}, {j}, {a}) over {n} words")
        if j == i + 1:
            continue
        split = [k for k in range(i + 1, j) if (i, k) in symbol and (k, j) in symbol]
        if len(split) != 1:
            raise ValueError(f"the words {i + 1} to {j} do not have two children")
        rule = (a, symbol[i, split[0]], symbol[split[0], j])
        if rule not in grammar.number:
            raise ValueError(f"the grammar has no rule {rule[0]} → {rule[1]} {rule[2]}")
        rules.append(grammar.number[rule])
    return items, rules
