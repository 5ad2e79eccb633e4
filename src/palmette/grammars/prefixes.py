"""The probability that a string begins with given words. CSC 448, §9.4; Jelinek and Lafferty 1991.

First words by the left-corner matrix: L_AB is the expected number of B as the first child of A, U_Aw that of the
word w there, and P(w …) = Uᵀ L* S with L* = (I - Lᵀ)⁻¹ and the start vector S. What may be empty may come before
the first child (E, the weight of ε), and whatever is behind it counts with its total weight Z, one for a PCFG
that ends.

Longer prefixes take the same formula with other vectors in the place of S. In Chomsky normal form,

    a_n(D) = Σ_{i < n} Σ_{A → C D} b_i(A) w(A → C D) inside(C, i, n),      b_n = L* a_n,      a_0 = S

where a_n(D) counts the D that begin behind word n given what was read, and P(w₁ … w_n w …) = Uᵀ b_n. Reading a
word costs O(n |rules| + N²) beside the column of the inside chart, O(n² |rules|). Everything is scaled by the
probability of the words so far, so prefixes may be long.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from palmette.grammars.grammar import Floats, Grammar
from palmette.grammars.limits import check_matrix
from palmette.grammars.partition import empty_weights, partition
from palmette.grammars.rule import Terminal


def left_corners(grammar: Grammar) -> tuple[Floats, Floats]:
    """L, [nonterminals, nonterminals], and U, [nonterminals, terminals], for any grammar.

    >>> L, U = left_corners(Grammar("S -> S S [0.3] | 'a' [0.7]"))
    >>> L.tolist(), U.tolist()
    ([[0.3]], [[0.7]])
    """
    z = np.array(list(partition(grammar).values.values()))
    empty = empty_weights(grammar)
    words = {word: n for n, word in enumerate(grammar.terminals)}
    check_matrix("Left corners are a matrix of", len(z), max(len(z), len(words)))
    L = np.zeros((len(z), len(z)))
    U = np.zeros((len(z), len(words)))
    for left, rule in zip(grammar.lefts.tolist(), grammar.rules):
        numbers = [None if isinstance(s, Terminal) else grammar.number_of(s) for s in rule.right]
        weight = rule.weight  # of the rule with everything before the child at hand empty
        for i, (symbol, number) in enumerate(zip(rule.right, numbers)):
            rest = math.prod(z[m] for m in numbers[i + 1 :] if m is not None)
            if isinstance(symbol, Terminal):
                U[left, words[symbol.word]] += weight * rest
                break
            assert number is not None
            L[left, number] += weight * rest
            weight *= empty[number]
            if weight == 0:
                break
    return L, U


def first_words(grammar: Grammar) -> dict[str, float]:
    """P(w …) of every word: Uᵀ L* S. They sum to one less the probability of the empty string.

    >>> {w: round(p, 3) for w, p in first_words(Grammar("S -> S S [0.3] | 'a' [0.6] | 'b' [0.1]")).items()}
    {'a': 0.857, 'b': 0.143}
    """
    used = grammar.trimmed()
    L, U = left_corners(used)
    S = np.zeros(len(L))
    S[0] = 1.0
    corners = np.linalg.solve(np.eye(len(L)) - L.T, S)
    return dict.fromkeys(grammar.terminals, 0.0) | dict(zip(used.terminals, (U.T @ corners).tolist()))


class PrefixReader:
    """A grammar made ready to read strings from the left.

    >>> reader = PrefixReader(Grammar("S -> 'a' S 'b' [0.5] | ε [0.5]"))
    >>> reader.read(["a", "a"]).probability, reader.read(["a", "a"]).next_words()
    (0.25, {None: 0.0, 'a': 0.5, 'b': 0.5})
    """

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar.cnf().grammar
        rules, number = self.grammar.rules, self.grammar.number_of
        n = len(self.grammar.nonterminals)
        self.words = {word: i for i, word in enumerate(self.grammar.terminals)}
        check_matrix("Reading from the left needs a matrix of", n, max(n, len(self.words)))
        self.U = np.zeros((n, len(self.words)))
        self.empty = 0.0
        binary: list[tuple[int, int, int]] = []
        weights: list[float] = []
        for rule in rules:
            left = number(rule.left)
            if not rule.right:
                self.empty = rule.weight
            elif isinstance(rule.right[0], Terminal):
                self.U[left, self.words[rule.right[0].word]] = rule.weight
            else:
                binary.append((left, *map(number, rule.nonterminals)))  # type: ignore[arg-type]
                weights.append(rule.weight)
        table = np.array(binary, dtype=np.int64).reshape(-1, 3)
        self.parent, self.left, self.right = table[:, 0], table[:, 1], table[:, 2]
        self.weights = np.array(weights)
        self.z = np.array(list(partition(self.grammar).values.values()))
        L = np.zeros((n, n))
        np.add.at(L, (self.parent, self.left), self.weights * self.z[self.right])
        self.closure = np.linalg.inv(np.eye(n) - L.T)

    def read(self, words: Iterable[str]) -> Prefix:
        """What can be said after these words."""
        start = np.zeros(len(self.z))
        start[0] = 1 / self.z[0]
        N = len(self.z)
        return Prefix(self, 0.0, np.zeros((0, 0, N)), (self.closure @ start)[None, :]).read(words)


@dataclass(frozen=True, eq=False)
class Prefix:
    """Words read so far: inside[i, j] has the scaled inside weights of words i … j, corners[n] is b_n."""

    reader: PrefixReader
    scale: float  # log P(w₁ … w_n … | a string)
    inside: Floats
    corners: Floats

    @property
    def log_probability(self) -> float:
        """log P(w₁ … w_n …); -inf where no string begins so."""
        return self.scale + math.log(self.reader.z[0])

    @property
    def probability(self) -> float:
        """P(w₁ … w_n …): the total weight of the strings that begin with the words."""
        return math.exp(self.log_probability)

    @property
    def end(self) -> float:
        """The probability that the string ends here, given that it begins with these words."""
        inside = float(self.inside[0, -1, 0]) if len(self.inside) else self.reader.empty
        return inside / float(self.reader.z[0])

    def next_words(self) -> dict[str | None, float]:
        """The probability of each word to come next, and of the end (None); they sum to one."""
        if self.scale == -math.inf:
            raise ValueError("No string begins with these words: there is no word to come next.")
        following = self.reader.U.T @ self.corners[-1]
        return {None: self.end, **dict(zip(self.reader.words, following.tolist()))}

    def read(self, words: Iterable[str]) -> Prefix:
        """The prefix with more words."""
        more, r = list(words), self.reader
        if not more or self.scale == -math.inf:
            return self
        n, N = len(self.inside), len(r.z)
        last = n + len(more)
        check_matrix(f"A prefix of {last:,} words needs a table of", last, last, N)
        inside, corners = np.zeros((last, last, N)), np.zeros((last + 1, N))
        inside[:n, :n], corners[: n + 1] = self.inside, self.corners
        scale = self.scale
        for k, word in enumerate(more, start=n):
            number = r.words.get(word)
            share = 0.0 if number is None else float(r.U[:, number] @ corners[k])
            if share <= 0:
                return Prefix(r, -math.inf, self.inside, self.corners)
            scale += math.log(share)
            inside[k, k] = r.U[:, number] / share
            for i in range(k - 1, -1, -1):
                # inside(A, i, k) = Σ_{A → B C} w Σ_j inside(B, i, j) inside(C, j + 1, k)
                sums = np.einsum("jr,jr->r", inside[i, i:k][:, r.left], inside[i + 1 : k + 1, k][:, r.right])
                inside[i, k] = np.bincount(r.parent, r.weights * sums, minlength=N)
            sums = np.einsum("ir,ir->r", corners[: k + 1][:, r.parent], inside[: k + 1, k][:, r.left])
            corners[k + 1] = r.closure @ np.bincount(r.right, r.weights * sums, minlength=N)
        return Prefix(r, scale, inside, corners)
