"""Latent grammars by brute force: every substate of every node, and every tree of a few words."""

from __future__ import annotations

from itertools import product

import numpy as np

from palmette.tools.constituency.latent.grammar import GrammarWeights, Rules, padded, rows_of
from palmette.tools.constituency.latent.lexicon import LexiconTables
from palmette.tools.constituency.latent.training import TrainingTrees
from palmette.tools.constituency.latent.trees import BINARY, SAME, UNARY, WORD
from palmette.trees.tree import Tree

CATS = [
    "(TOP (S (NP (NNS dogs)) (VP (VBP see) (NP (NNS cats)) (PP (IN with) (NP (NNS eyes))))))",
    "(TOP (S (NP (NNS cats)) (VP (VBP eat) (NP (NP (NNS mice)) (PP (IN with) (NP (NNS tails)))))))",
    "(TOP (S (NP (NNS cats)) (VP (VBP sleep)) (. .)))",
    "(TOP (S (VP (VBP sleep) (PP (IN with) (NP (NNS dogs))))))",
]


def cats() -> list[Tree]:
    """A treebank with chains, long rules, and a phrase that can be attached in two ways."""
    return [Tree.parse(text) for text in CATS]


def cat_data(rare: int = 0) -> TrainingTrees:
    return TrainingTrees.of(cats(), horizontal=0, leftward=True, rare=rare)


class Dense:
    """The weights of a grammar without their padding: binary[rule][x, y, z], unary[rule][x, y], more by symbol."""

    def __init__(self, rules: Rules, grammar: GrammarWeights) -> None:
        n = grammar.substates
        self.binary, self.unary, at = [], [], 0
        for a, b, c in rules.binary:
            shape = (n[a], n[b], padded(n[c]))
            size = int(np.prod(shape))
            self.binary.append(grammar.binary[at : at + size].reshape(shape)[:, :, : n[c]].astype(float))
            at += size
        at = 0
        for rule in rules.unary:
            shape = (n[rule.upper], padded(n[rule.lower]))
            size = int(np.prod(shape))
            self.unary.append(grammar.unary[at : at + size].reshape(shape)[:, : n[rule.lower]].astype(float))
            at += size
        rows = rows_of(n)
        self.same = [grammar.same[rows[s] : rows[s] + n[s]].astype(float) for s in range(len(n))]
        self.root = [grammar.root[rows[s] : rows[s] + n[s]].astype(float) for s in range(len(n))]
        self.prior = [grammar.prior[rows[s] : rows[s] + n[s]].astype(float) for s in range(len(n))]
        self.substates = n


def word_weights(
    lexicon: LexiconTables, grammar: GrammarWeights, tag: int, chain: tuple[int, ...], smoothing: float
) -> np.ndarray:
    """p(s | word) / p(s), by the formula."""
    n = grammar.substates[tag]
    places = np.concatenate([[0], np.cumsum(padded(grammar.substates[lexicon.tag]))])
    p = np.zeros(n)
    for context, strength in zip(chain, lexicon.strength):
        if context < 0 or lexicon.total[context] == 0:
            continue
        count = np.zeros(n)
        for entry in range(lexicon.begin[context], lexicon.begin[context + 1]):
            if lexicon.tag[entry] == tag:
                count = grammar.counts[places[entry] : places[entry] + n]
        p = (count + strength * p) / (lexicon.total[context] + strength)
    row = rows_of(grammar.substates)[tag]
    prior = grammar.prior[row : row + n]
    weights = np.divide(p, prior, out=np.zeros(n), where=prior > 1e-12)
    return (1 - smoothing) * weights + smoothing * weights.mean()


def nodes_of(data: TrainingTrees, tree: int) -> list[tuple[int, int, int, int, int]]:
    """Kind, rule or form, symbol and children of the nodes of a training tree, children counted from its first."""
    flat = data.flat
    first, last = flat.begin[tree], flat.begin[tree + 1]
    return [
        (flat.kind[v], flat.id[v], flat.symbol[v], flat.left[v] - first, flat.right[v] - first)
        for v in range(first, last)
    ]


def tree_probability(dense: Dense, nodes, words) -> float:
    """The sum over all substates of all nodes of the product of weights; words: the weights of each word node."""
    total = 0.0
    for xs in product(*(range(dense.substates[symbol]) for _, _, symbol, _, _ in nodes)):
        value = dense.root[nodes[-1][2]][xs[-1]]
        for x, (kind, number, symbol, left, right) in zip(xs, nodes):
            if kind == WORD:
                value *= words[number][x]
            elif kind == BINARY:
                value *= dense.binary[number][x, xs[left], xs[right]]
            elif kind == UNARY:
                value *= dense.unary[number][x, xs[left]]
            else:
                assert kind == SAME
                value *= dense.same[symbol][x] * (x == xs[left])
            if value == 0:
                break
        total += value
    return total
