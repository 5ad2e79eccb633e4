"""The rules of a feature-rich parser, read off binarized trees, and trees as anchored rules and back.

A derivation is a list of nodes, five numbers each, sorted: start, end, kind, split and id. Kinds are a tag above a
word, a binary rule, a chain of unary rules learnt as a whole, and what is below the root. The native side is
`native/structures/anchored/grammar.hpp`. A rule has no weight here: features score it where it is.
O(nodes).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain as joined
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import AnchoredGrammar, AnchoredProblem
from palmette.structures.token_arrays import Tokens, arrays_of
from palmette.transforms.binarization import ANCESTOR, is_made
from palmette.transforms.binarization import MADE as SIGN
from palmette.trees.tree import Child, Leaf, Tree

PHRASE, MADE, TAG = range(3)  # kinds of symbols
TAG_NODE, RULE_NODE, CHAIN_NODE, ROOT_NODE = range(4)
WIDTH = 5  # numbers of a node

Int32 = NDArray[np.int32]
Node = tuple[int, int, int, int, int]


@dataclass(frozen=True, eq=False)
class AnchoredRules:
    """A binarized grammar without weights.

    symbols: their names. kinds: PHRASE, MADE or TAG of each; the root counts as made, for it is not a bracket.
    binary: [rules · 3] parent, left and right. chains: chain c is chains[chain_rows[c] : chain_rows[c + 1]], from
    the top down. roots: the symbols that stand alone below the root.
    """

    symbols: tuple[str, ...]
    kinds: Int32
    binary: Int32
    chain_rows: Int32
    chains: Int32
    roots: Int32
    root: int

    @classmethod
    def of(cls, trees: Sequence[Tree], root: str) -> AnchoredRules:
        """The rules of binarized trees, whose root has this label and whose words have a tag each.

        There are also rules that no tree has, by which the root joins anything: so every sentence has a tree.
        """
        tags = sorted({node.label for tree in trees for node in tree.preorder() if node.is_preterminal})
        glue = f"{SIGN}{root}|"
        above = {node.label for tree in trees for node in tree.preorder() if not node.is_preterminal}
        phrases = sorted(above | {root, glue})
        number = {(name, False): k for k, name in enumerate(phrases)}
        number |= {(name, True): len(phrases) + k for k, name in enumerate(tags)}
        kinds = [MADE if is_made(name) or name == root else PHRASE for name in phrases] + [TAG] * len(tags)
        binary: set[tuple[int, int, int]] = set()
        chains: set[tuple[int, ...]] = set()
        roots: set[int] = set()

        def symbol(node: Child) -> int:
            assert isinstance(node, Tree)
            return number[node.label, node.is_preterminal]

        for tree in trees:
            for node in tree.preorder():
                if len(node.children) == 2:
                    left, right = node.children
                    binary.add((symbol(node), symbol(left), symbol(right)))
            chains.update(tuple(symbol(node) for node in chain) for chain in _chains(tree))
            if len(tree.children) == 1:
                roots.add(symbol(tree.children[0]))
        top, joint = number[root, False], number[glue, False]
        parts = [k for k, kind in enumerate(kinds) if kind != MADE]
        binary.update((parent, k, joint) for k in parts for parent in (top, joint))
        chains.update((joint, k) for k in parts)
        roots.update(parts)
        ordered = sorted(chains)
        return cls(
            (*phrases, *tags),
            _int32(kinds),
            _int32(joined.from_iterable(sorted(binary))),
            _int32(np.cumsum([0, *map(len, ordered)])),
            _int32(joined.from_iterable(ordered)),
            _int32(sorted(roots)),
            top,
        )

    @property
    def joint(self) -> int:
        """The made symbol by which the root joins fragments."""
        return self.symbols.index(f"{SIGN}{self.symbols[self.root]}|")

    # Names

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of symbols in trees as they were, without ancestors; of made ones, without siblings."""
        return tuple(_bare(name) for name in self.symbols)

    @cached_property
    def label_numbers(self) -> Int32:
        """The number of each symbol's label: symbols of one label and kind have the same."""
        known: dict[tuple[str, bool], int] = {}
        pairs = [(label, int(kind) == TAG) for label, kind in zip(self.labels, self.kinds)]
        return _int32([known.setdefault(pair, len(known)) for pair in pairs])

    @cached_property
    def _label_names(self) -> list[str]:
        """The label of every number."""
        found = dict(zip(self.label_numbers.tolist(), self.labels))
        return [found[k] for k in range(len(found))]

    def chain(self, number: int) -> list[int]:
        """The symbols of a chain, from the top down."""
        found: list[int] = self.chains[self.chain_rows[number] : self.chain_rows[number + 1]].tolist()
        return found

    @cached_property
    def grammar(self) -> AnchoredGrammar:
        """The same for the loops."""
        return AnchoredGrammar(
            self.kinds, self.label_numbers, self.binary, self.chain_rows, self.chains, self.roots, self.root
        )

    def problem(
        self,
        tokens: Tokens,
        items: tuple[NDArray[np.int64], Int32],
        gold: tuple[NDArray[np.int64], Int32],
        bits: int,
        constraints: tuple[NDArray[Any], NDArray[Any]] | None = None,
    ) -> AnchoredProblem:
        """Return sentences with the items that their trees may have, and the nodes of their right trees.

        items, gold: where each sentence begins, and its tuples (start, end, symbol), or the numbers of its nodes;
        without nodes the right tree is not known. bits: the table has 2^bits weights.
        """
        given = (None, None) if constraints is None else constraints
        return AnchoredProblem(*arrays_of(tokens), self.grammar, *items, *gold, bits, *given)

    # Trees

    @cached_property
    def _symbol_number(self) -> dict[tuple[str, bool], int]:
        return {(name, int(kind) == TAG): k for k, (name, kind) in enumerate(zip(self.symbols, self.kinds))}

    @cached_property
    def _rule_number(self) -> dict[tuple[int, ...], int]:
        return {tuple(three): k for k, three in enumerate(self.binary.reshape(-1, 3).tolist())}

    @cached_property
    def _chain_number(self) -> dict[tuple[int, ...], int]:
        return {tuple(self.chain(c)): c for c in range(len(self.chain_rows) - 1)}

    def nodes(self, tree: Tree) -> list[Node] | None:
        """The derivation of a binarized tree; None if a rule of it is not there."""
        found: list[Node] = []
        number = self._symbol_number
        ends = _ends(tree)
        try:
            for node in tree.preorder():
                if node.is_preterminal:
                    found.append((node.first, node.first + 1, TAG_NODE, 0, number[node.label, True]))
                elif len(node.children) == 2:
                    left, right = node.children
                    assert isinstance(left, Tree)
                    assert isinstance(right, Tree)
                    three = tuple(number[part.label, part.is_preterminal] for part in (node, left, right))
                    found.append(
                        (node.first, ends[id(node)], RULE_NODE, right.first, self._rule_number[three])
                    )
            for chain in _chains(tree):
                symbols = tuple(number[node.label, node.is_preterminal] for node in chain)
                top = chain[0]
                found.append((top.first, ends[id(top)], CHAIN_NODE, 0, self._chain_number[symbols]))
            if len(tree.children) == 1:
                below = tree.children[0]
                assert isinstance(below, Tree)
                found.append((0, ends[id(tree)], ROOT_NODE, 0, number[below.label, below.is_preterminal]))
        except KeyError:
            return None
        return sorted(found)

    def items(self, nodes: Sequence[Node]) -> set[tuple[int, int, int]]:
        """What a derivation is made of: (start, end, symbol) of every node of the binarized tree but the root."""
        found = set()
        for start, end, kind, _, name in nodes:
            if kind == RULE_NODE:
                found.add((start, end, int(self.binary[3 * name])))
            elif kind == CHAIN_NODE:
                found.update((start, end, symbol) for symbol in self.chain(name))
            else:
                found.add((start, end, name))
        return found

    def trees(
        self,
        sentences: Sequence[Sequence[str]],
        counts: NDArray[np.int64],
        rows: NDArray[np.int64],
        nodes: Int32,
    ) -> list[list[Tree]]:
        """Derivations as trees as they were before binarization; equal subtrees of a sentence are one.

        Sentence i has the trees counts[i] … counts[i + 1] - 1, and tree t the nodes rows[t] … rows[t + 1] - 1.
        """
        lengths = np.array([len(words) for words in sentences], dtype=np.int64)
        found = self.grammar.phrases(lengths, counts, rows, nodes)
        made: list[list[Tree]] = found.trees((Tree, Leaf), self._label_names, sentences)
        return made

    def tree(self, words: Sequence[str], nodes: Sequence[Sequence[int]]) -> Tree:
        """The tree of one derivation."""
        one = np.array([0, 1], dtype=np.int64)
        return self.trees([words], one, one * len(nodes), _int32(joined.from_iterable(nodes)))[0][0]

    # Files

    def arrays(self) -> dict[str, Int32]:
        """The numbers for a model file."""
        names = ("kinds", "binary", "chain_rows", "chains", "roots")
        return {f"rules_{name}": getattr(self, name) for name in names}

    @classmethod
    def restore(cls, symbols: Sequence[str], root: int, arrays: Mapping[str, NDArray[Any]]) -> AnchoredRules:
        """The rules of a file; ValueError if they do not fit together."""
        found = {}
        for name in ("kinds", "binary", "chain_rows", "chains", "roots"):
            array = arrays.get(f"rules_{name}")
            if array is None or array.ndim != 1 or array.dtype != np.int32:
                raise ValueError(f"the {name} of the grammar are missing or damaged")
            found[name] = np.ascontiguousarray(array)
        made = cls(tuple(symbols), root=root, **found)
        if len(made.kinds) != len(made.symbols):
            raise ValueError("the grammar has another number of symbols than names")
        _ = made.grammar  # which checks the rest
        return made


def is_anchorable(tree: Tree) -> bool:
    """Whether every word has a tag of its own and every node covers neighbouring words alone."""
    if tree.is_discontinuous or tree.is_preterminal:
        return False
    leaves = (child for node in tree.preorder() if not node.is_preterminal for child in node.children)
    return not any(isinstance(child, Leaf) for child in leaves)


def _chains(tree: Tree) -> list[list[Tree]]:
    """The longest runs of nodes with one child each, with what is below them; the root is not in any."""
    found = []
    todo = [child for child in tree.children if isinstance(child, Tree)]
    while todo:
        node = todo.pop()
        run = [node]
        while len(node.children) == 1 and isinstance(node.children[0], Tree):
            node = node.children[0]
            run.append(node)
        if len(run) > 1:
            found.append(run)
        todo += [child for child in node.children if isinstance(child, Tree)]
    return found


def _ends(tree: Tree) -> dict[int, int]:
    """Where every node of a continuous tree ends."""
    ends: dict[int, int] = {}
    for node in tree.postorder():
        last = node.children[-1]
        ends[id(node)] = last.position + 1 if isinstance(last, Leaf) else ends[id(last)]
    return ends


def _bare(name: str) -> str:
    end = name.find(ANCESTOR, 1)
    made = name.find("|", 1) if is_made(name) else -1
    cuts = [cut for cut in (end, made) if cut > 0]
    return name[: min(cuts)] if cuts else name


def _int32(values: Any) -> Int32:
    listed = values if isinstance(values, np.ndarray) else list(values)
    return np.ascontiguousarray(np.array(listed, dtype=np.int32))
