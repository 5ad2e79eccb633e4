"""Binary trees over tensors: GEN(x) = all trees of binary rules over n words, scored by their items and rules.

    score(tree) = Σ items[(i, j), A] + Σ rules[A → B C] + Σ unary[A → B] + root[A of the whole sentence]

An item (A, i, j) is a symbol over the words i … j - 1; those of single words are the leaves of a tree. A parser
that scores labelled spans scores items alone; a grammar that a network writes scores rules and leaves.
Unary rules A → B, if there are any, make chains over a span (`functions/unary_rules.py`); each symbol of one is
an item. A sentence of n words has n (n + 1) / 2 spans, by their starts, then by their ends.
Cost O(n³ symbols² + n² rules).
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
from palmette.neural.functions.unary_rules import ChainedScores, chained
from palmette.threads import n_threads

Constituent = tuple[int, int, int]  # start, end, symbol
_MOST_RULES = 1_000_000


class BinaryRules:
    """Rules A → B C as rows of three symbols, ready for charts.

    unaries: rules A → B as rows of two symbols. longest: the most of them in a row over one span; no symbol comes
    twice there.

    >>> BinaryRules.all(2).rows[:3].tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    """

    def __init__(
        self, rows: npt.ArrayLike, n_symbols: int, unaries: npt.ArrayLike | None = None, *, longest: int = 1
    ) -> None:
        given = np.asarray(rows)
        if given.ndim != 2 or given.shape[1] != 3 or (given.size and given.dtype.kind not in "iu"):
            raise ValueError("rules must be rows of three symbols: parent, left child, right child")
        self.rows = np.ascontiguousarray(given, dtype=np.int32)
        self.n_symbols = int(n_symbols)
        if self.n_symbols < 1 or (given.size and not (given.min() >= 0 and given.max() < n_symbols)):
            raise ValueError(f"the symbols of rules must lie between 0 and {n_symbols - 1}")
        self.unaries = _unary_rows(unaries, self.n_symbols)
        if longest < 1:
            raise ValueError(f"chains have at least one unary rule; got longest={longest}")
        self.chained = chained(self.rows, self.n_symbols, self.unaries, longest if len(self.unaries) else 0)
        if len(self.chained.rows) > _MOST_RULES:
            raise ValueError(
                f"with unary rules there are {len(self.chained.rows):,} rules over chains of symbols, more than "
                f"{_MOST_RULES:,}: take fewer unary rules, or shorter chains"
            )
        columns = (np.ascontiguousarray(self.chained.rows[:, c]) for c in range(3))
        self.core = _native.ItemGrammar(len(self.chained.chains), *columns)
        self.chain_number = {chain: k for k, chain in enumerate(self.chained.chains)}
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
    over the whole sentence, or the one symbol that may be there; None for zeros. unary: [unary rules],
    their scores, if the grammar has such; None for zeros. n_jobs: threads; results do not depend on them.
    `items_of_words` makes item scores of scores of single words.

    >>> items = torch.zeros(3, 2)
    >>> charts = Charts(items, [2], BinaryRules.all(2), root=0)
    >>> charts.log_z().exp().round().tolist()  # any symbols over two words
    [4.0]
    >>> charts.marginals()[1].tolist()  # the whole sentence
    [1.0, 0.0]
    """

    names = ("item scores", "rule scores", "root scores", "unary scores")

    def __init__(
        self,
        items: Tensor,
        lengths: Any,
        grammar: BinaryRules,
        rules: Tensor | None = None,
        root: Tensor | int | None = None,
        unary: Tensor | None = None,
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
        tensors = [items, rules, root]
        n_unary = len(grammar.unaries)
        if n_unary or unary is not None:
            if unary is None:
                unary = torch.zeros(n_unary, dtype=items.dtype, device=items.device)
            checked_scores(unary, "unary scores", (n_unary,))
            tensors.append(unary)
        super().__init__(tensors, sizes, n_jobs)
        self.map = ChainedScores(grammar.chained, S, len(grammar), n_unary) if n_unary else None

    def trees(self) -> list[list[Constituent]]:
        """Return the items of the best trees, (start, end, symbol) from the top down."""
        scores, places, _, _ = self._best(self.arrays(self.tensors))
        self.refuse(scores)
        ends = np.cumsum(np.maximum(2 * self.words - 1, 0))
        found, first = [], 0
        starts = np.cumsum(self.sizes) - self.sizes
        for k, last in enumerate(ends.tolist()):
            spans = spans_of(int(self.words[k]))
            chains = self.grammar.chained.chains
            rows, numbers = np.divmod(places[first:last], len(chains))
            own = zip((rows - starts[k]).tolist(), numbers.tolist())
            found.append([(*spans[r], a) for r, number in own for a in chains[number]])
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
        scores, *chosen = self._best(arrays)
        grammar = self.grammar.chained
        sizes = [len(arrays[0]) * len(grammar.chains), len(grammar.rows), len(grammar.chains)]
        counts = [np.bincount(at[at >= 0], minlength=n) for at, n in zip(chosen, sizes)]
        return scores, self._shaped([part.astype(np.float64) for part in counts])

    def covariances(self, arrays: Parts, values: Parts) -> Parts:
        core: Any = self.grammar.core
        flat = [*self._flat(arrays), *self._flat(values)]
        found = core.covariances(*flat, self.words, n_threads(self.n_jobs))
        return self._shaped(list(found))

    def gold(self, arrays: Parts, gold: Any) -> tuple[Floats, Parts]:
        scores = np.zeros(len(self))
        used: list[list[Any]] = [[np.zeros(0, np.int64)] for _ in arrays]
        for k, tree in enumerate(self._gold(gold)):
            for array, at, some in zip(arrays, tree, used):
                scores[k] += float(array.ravel()[at].astype(np.float64).sum())
                some.append(at)
        counts = [
            np.bincount(np.concatenate(some), minlength=t.numel()) for some, t in zip(used, self.tensors)
        ]
        parts = [part.astype(np.float64).reshape(tuple(t.shape)) for part, t in zip(counts, self.tensors)]
        return scores, parts

    def costs(self, gold: Any) -> Reals:
        costs = np.ones(self.tensors[0].shape, dtype=np.float32)
        for own, *_ in self._gold(gold):
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
        return core.sums(*self._flat(arrays), self.words, n_threads(self.n_jobs), weights, with_parts)

    def _best(self, arrays: Parts) -> Any:
        core: Any = self.grammar.core
        return core.best(*self._flat(arrays), self.words, n_threads(self.n_jobs))

    def _flat(self, arrays: Parts) -> list[Floats]:
        """Scores as the core wants them, those of the larger grammar if there are unary rules."""
        given = arrays if self.map is None else self.map.scores(arrays)
        return [np.ascontiguousarray(array.ravel(), np.float64) for array in given]

    def _shaped(self, parts: Parts) -> Parts:
        """Parts of the core in the shapes of the tensors."""
        if self.map is not None:
            items, *others = parts
            parts = self.map.parts([items.reshape(-1, len(self.grammar.chained.chains)), *others])
        return [part.reshape(tuple(t.shape)) for part, t in zip(parts, self.tensors)]

    def _gold(self, gold: Any) -> Iterable[tuple[Any, ...]]:
        """Yield the places of items, rules, root and unary rules of every tree, checked."""
        if len(gold) != len(self):
            raise ValueError(
                f"there must be one gold tree for each of {len(self)} sentences, got {len(gold)}"
            )
        S = self.grammar.n_symbols
        starts = np.cumsum(self.sizes) - self.sizes
        for k, tree in enumerate(gold):
            n = int(self.words[k])
            try:
                own, rules, unaries = _read_tree(tree, n, self.grammar)
            except ValueError as error:
                raise ValueError(f"{numbered(k)}: {error}") from None
            places = [(int(starts[k]) + span_row(n, i, j)) * S + a for i, j, a in own]
            roots = [a for i, j, a in own if j - i == n][:1]
            yield tuple(np.array(some, np.int64) for some in (places, rules, roots, unaries))


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
) -> tuple[list[Constituent], list[int], list[int]]:
    """Return the items of a tree over n words, its binary rules and its unary rules.

    Where several symbols are over the same words, the one that comes first is above the others.
    """
    items = [(int(i), int(j), int(a)) for i, j, a in tree]
    chains: dict[tuple[int, int], list[int]] = {}
    for i, j, a in items:
        if not (0 <= i < j <= n and 0 <= a < grammar.n_symbols):
            raise ValueError(f"there is no item ({i}, {j}, {a}) over {n} words")
        chains.setdefault((i, j), []).append(a)
    if len(chains) != max(2 * n - 1, 0) or (n and (0, n) not in chains):
        raise ValueError(f"a binary tree over {n} words has {max(2 * n - 1, 0)} items; got {len(chains)}")
    if not len(grammar.unaries) and len(items) != len(chains):
        raise ValueError(f"a binary tree over {n} words has {len(chains)} items; got {len(items)}")
    rules: list[int] = []
    unaries: list[int] = []
    for (i, j), chain in chains.items():
        if tuple(chain) not in grammar.chain_number:
            raise ValueError(f"the grammar has no unary rules {' → '.join(map(str, chain))}")
        unaries += grammar.chained.unaries[grammar.chain_number[tuple(chain)]]
        if j == i + 1:
            continue
        split = [k for k in range(i + 1, j) if (i, k) in chains and (k, j) in chains]
        if len(split) != 1:
            raise ValueError(f"the words {i + 1} to {j} do not have two children")
        rule = (chain[-1], chains[i, split[0]][0], chains[split[0], j][0])
        if rule not in grammar.number:
            raise ValueError(f"the grammar has no rule {rule[0]} → {rule[1]} {rule[2]}")
        rules.append(grammar.number[rule])
    return items, rules, unaries


def _unary_rows(given: npt.ArrayLike | None, n_symbols: int) -> npt.NDArray[np.int32]:
    rows = np.zeros((0, 2), np.int32) if given is None else np.asarray(given)
    if rows.ndim != 2 or rows.shape[1] != 2 or (rows.size and rows.dtype.kind not in "iu"):
        raise ValueError("unary rules must be rows of two symbols: parent, child")
    if rows.size and not (rows.min() >= 0 and rows.max() < n_symbols):
        raise ValueError(f"the symbols of unary rules must lie between 0 and {n_symbols - 1}")
    same = rows[rows[:, 0] == rows[:, 1]]
    if len(same):
        raise ValueError(f"a unary rule goes from one symbol to another, and not {same[0, 0]} → {same[0, 0]}")
    if len({tuple(row) for row in rows.tolist()}) != len(rows):
        raise ValueError("a unary rule comes twice")
    return np.ascontiguousarray(rows, dtype=np.int32)
