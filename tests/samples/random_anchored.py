"""Small random grammars and sentences for parsers of features, and all of their derivations, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from palmette._native import AnchoredProblem
from palmette.features.token_views import TokenViews
from palmette.formats.corpus import Corpus
from palmette.structures.anchored_rules import (
    CHAIN_NODE,
    MADE,
    PHRASE,
    ROOT_NODE,
    RULE_NODE,
    TAG,
    TAG_NODE,
    AnchoredRules,
    Node,
)

BITS = 6
Derivation = tuple[Node, ...]
Constraint = tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class Anchored:
    """Sentences, the items that their trees may have, and a right derivation of each."""

    rules: AnchoredRules
    words: list[list[str]]
    items: list[set[tuple[int, int, int]]]
    gold: list[Derivation]
    constraints: list[list[Constraint]]
    bits: int = BITS

    @cached_property
    def views(self) -> TokenViews:
        tags = [[word.upper() for word in sentence] for sentence in self.words]
        return TokenViews.of(Corpus.from_columns({"form": self.words, "xpos": tags, "upos": tags}))

    def problem(self, *, known: bool = True, constrained: bool = False) -> AnchoredProblem:
        v = self.views
        gold = [list(tree) if known else [] for tree in self.gold]
        more = (None, None)
        if constrained:
            more = packed(self.constraints, 4)
        return AnchoredProblem(
            v.offsets,
            v.values,
            v.piece_rows,
            v.pieces,
            self.rules.grammar,
            *packed([sorted(items) for items in self.items], 3),
            *packed(gold, 5),
            self.bits,
            *more,
        )

    def derivations(self, i: int) -> list[Derivation]:
        """All derivations of a sentence."""
        n, found = len(self.words[i]), []
        for symbol in self.rules.roots.tolist():
            found += [(*tree, (0, n, ROOT_NODE, 0, symbol)) for tree in self._upper(i, 0, n, symbol)]
        found += self._lower(i, 0, n, self.rules.root)
        return [tuple(sorted(tree)) for tree in found]

    def _upper(self, i: int, start: int, end: int, symbol: int) -> list[Derivation]:
        if (start, end, symbol) not in self.items[i]:
            return []
        found = list(self._lower(i, start, end, symbol))
        for c in range(len(self.rules.chain_rows) - 1):
            chain = self.rules.chain(c)
            if chain[0] == symbol:
                node = (start, end, CHAIN_NODE, 0, c)
                found += [(*tree, node) for tree in self._lower(i, start, end, chain[-1])]
        return found

    def _lower(self, i: int, start: int, end: int, symbol: int) -> list[Derivation]:
        if (start, end, symbol) not in self.items[i]:
            return []
        if self.rules.kinds[symbol] == TAG:
            return [((start, end, TAG_NODE, 0, symbol),)] if end == start + 1 else []
        found: list[Derivation] = []
        for r, (parent, left, right) in enumerate(self.rules.binary.reshape(-1, 3).tolist()):
            if parent != symbol:
                continue
            for k in range(start + 1, end):
                below = product(self._upper(i, start, k, left), self._upper(i, k, end, right))
                found += [(*one, *two, (start, end, RULE_NODE, k, r)) for one, two in below]
        return found

    def table(self, i: int) -> np.ndarray:
        """Φ of every derivation, [derivations, weights]."""
        if i not in self._tables:
            problem, trees = self.problem(), self.derivations(i)
            ones = np.ones(problem.n_weights, dtype=np.float32)
            uses = [problem.contributions(ones, i, flat(tree))[0].reshape(-1, 9) for tree in trees]
            rows = [np.bincount(use[:, -1], minlength=problem.n_weights) for use in uses]
            self._tables[i] = np.array(rows, dtype=float).reshape(len(trees), problem.n_weights)
        return self._tables[i]

    @cached_property
    def _tables(self) -> dict[int, np.ndarray]:
        return {}

    def brackets(self, tree: Derivation) -> list[tuple[int, int, int]]:
        """The phrases of a derivation, by the numbers of their labels."""
        found = []
        for start, end, kind, _, name in tree:
            symbols = []
            if kind == RULE_NODE:
                symbols = [int(self.rules.binary[3 * name])]
            elif kind == CHAIN_NODE:
                symbols = self.rules.chain(name)[:-1]
            for symbol in symbols:
                if self.rules.kinds[symbol] == PHRASE:
                    found.append((start, end, int(self.rules.label_numbers[symbol])))
        return found

    def lower_items(self, tree: Derivation) -> list[tuple[int, int, int]]:
        """Tags and the parents of binary rules."""
        parents = self.rules.binary[::3].tolist()
        return [
            (start, end, parents[name] if kind == RULE_NODE else name)
            for start, end, kind, _, name in tree
            if kind in (TAG_NODE, RULE_NODE)
        ]

    def loss(self, i: int, tree: Derivation) -> int:
        """Wrong and missing brackets, and wrong tags."""
        right, found = set(self.brackets(self.gold[i])), set(self.brackets(tree))
        tags = {node for node in tree if node[2] == TAG_NODE} - set(self.gold[i])
        return len(right ^ found) + len(tags)


def flat(tree: Derivation) -> np.ndarray:
    return np.array(tree, dtype=np.int32).reshape(-1)


def packed(lists: list, width: int) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    rows = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    parts = [np.array(each, dtype=np.int32).reshape(-1) for each in lists]
    return rows, np.concatenate([np.zeros(0, np.int32), *parts]).astype(np.int32)


def random_anchored(seed: int, *, lengths: tuple[int, ...] = (1, 2, 3, 4), keep: float = 0.8) -> Anchored:
    """TOP, phrases S, NP and NP^S (which share a label), a made symbol and two tags."""
    rng = np.random.default_rng(seed)
    symbols = ("@S|", "NP", "NP^S", "S", "TOP", "D", "N")
    kinds = np.array([MADE, PHRASE, PHRASE, PHRASE, MADE, TAG, TAG], dtype=np.int32)
    pool = list(product((0, 1, 2, 3, 4), (0, 1, 2, 3, 5, 6), (0, 1, 2, 3, 5, 6)))
    chosen = sorted(rng.permutation(len(pool))[:16].tolist())
    binary = np.array([pool[k] for k in chosen], dtype=np.int32).reshape(-1)
    chains = [(1, 5), (1, 6), (2, 6), (3, 1, 5), (3, 1), (3, 2), (1, 3)]
    rows = np.cumsum([0, *map(len, chains)], dtype=np.int32)
    names = np.array([s for chain in chains for s in chain], dtype=np.int32)
    rules = AnchoredRules(symbols, kinds, binary, rows, names, np.array([1, 3, 6], dtype=np.int32), 4)
    words = [[rng.choice(["a", "b", "Ab", "c1"]).item() for _ in range(n)] for n in lengths]
    items, gold = [], []
    made = Anchored(rules, words, items, gold, [])
    for i, n in enumerate(lengths):
        spans = [(a, b) for a in range(n) for b in range(a + 1, n + 1)]
        every = {(a, b, s) for a, b in spans for s in range(len(symbols)) if (kinds[s] != TAG or b == a + 1)}
        items.append({item for item in sorted(every) if rng.random() < keep})
        if not made.derivations(i):
            items[i] = every
        trees = made.derivations(i)
        gold.append(trees[rng.integers(len(trees))] if trees else ())
        made.constraints.append([])
    return made
