"""Weighted context-free grammars: G = (start, nonterminals, terminals, rules). CSC 448, §9.

The weight of a derivation is the product of the weights of its rules, that of a string the sum over its
derivations. Where the weights of each left side sum to one, the grammar is a PCFG and they are probabilities.

    grammar = Grammar('''
        1.0: S -> NP VP
        0.6: NP -> 'time'
        0.4: NP -> 'flies'
        1.0: VP -> 'flies'
    ''')

A grammar cannot be changed once it is made: what changes it gives a new one. What is computed from a grammar
is in the modules beside this one, each by its name; the methods here only lead there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from palmette.formats.files import Source, display_name, read_text, write_atomically
from palmette.grammars.checks import SLACK, check_once, checked_rule, grammar_error, warn_of_sums
from palmette.grammars.rule import Rule, Terminal, symbol_text
from palmette.grammars.text import parse_rules, rules_text
from palmette.inference.limits import MAX_EDGES

if TYPE_CHECKING:
    from palmette.grammars.consistency import Consistency
    from palmette.grammars.derivation import LeftmostDerivation
    from palmette.grammars.finiteness import Finiteness
    from palmette.grammars.normal_form import NormalForm
    from palmette.grammars.parsing import GrammarForest
    from palmette.grammars.partition import Partition
    from palmette.inference.hypergraph import Hypergraph
    from palmette.learning.em import EM
    from palmette.learning.learner import Callback
    from palmette.trees.tree import Tree

Floats = npt.NDArray[np.float64]


class Grammar:
    """A weighted context-free grammar, from text (`palmette.grammars.text`) or from rules.

    start: by default the one that the text names, or the left side of the first rule. weighted: the weights are
    not meant as probabilities; otherwise a warning says for which nonterminal their sum is farthest from one.

    >>> grammar = Grammar("0.3: S -> S S\\n0.7: S -> 'a'")
    >>> grammar.consistency().is_consistent, round(grammar.expected_length(), 3)
    (True, 1.75)
    >>> round(grammar.parse(["a", "a"]).probability, 3)
    0.147
    """

    start: str
    rules: tuple[Rule, ...]

    def __init__(
        self,
        rules: str | Iterable[Rule],
        *,
        start: str | None = None,
        weighted: bool = False,
        path: str | None = None,
    ) -> None:
        named: str | None = None
        lines: list[int] | None = None
        if isinstance(rules, str):
            path = path or "grammar"
            named, found, lines = parse_rules(rules, path)
        else:
            found = [checked_rule(rule) for rule in rules]
        if not found:
            raise grammar_error("there is no rule, and so no start symbol", path)
        start = start or named or found[0].left
        check_once(found, lines, path)
        self.__dict__.update(start=start, rules=tuple(found))
        if start not in self._numbers or not self.rules_of(start):
            close = ", ".join(symbol_text(left) for left in self.nonterminals[1:4])
            raise grammar_error(
                f"no rule has the start symbol {symbol_text(start)} on its left; there are rules of {close}",
                path,
            )
        if not weighted:
            warn_of_sums(self.sums, self.rules)

    @classmethod
    def of_good_rules(cls, rules: Sequence[Rule], start: str) -> Grammar:
        """A grammar of rules that need no check, as those of another grammar; weights may be any."""
        made = cls.__new__(cls)
        made.__dict__.update(start=start, rules=tuple(rules))
        return made

    @classmethod
    def from_file(cls, source: Source, *, start: str | None = None, weighted: bool = False) -> Grammar:
        """Reads a grammar from a file (gzip is transparent), or from standard input for "-"."""
        return cls(read_text(source), start=start, weighted=weighted, path=display_name(source))

    @classmethod
    def from_trees(cls, trees: Iterable[Tree], *, start: str | None = None, tags: bool = False) -> Grammar:
        """The grammar of the greatest likelihood of some trees; see `palmette.grammars.estimation`."""
        from palmette.grammars.estimation import grammar_of_trees

        return grammar_of_trees(trees, start=start, tags=tags)

    def write(self, target: Source) -> None:
        """Writes the text to a file, or to standard output for "-"."""
        with write_atomically(target) as file:
            file.write(str(self).encode())

    # What it is made of

    @cached_property
    def nonterminals(self) -> tuple[str, ...]:
        """The nonterminals: the start symbol, then the others in the order in which rules name them."""
        lefts = dict.fromkeys([self.start, *(rule.left for rule in self.rules)])
        return tuple(lefts | dict.fromkeys(name for rule in self.rules for name in rule.nonterminals))

    @cached_property
    def terminals(self) -> tuple[str, ...]:
        """The words, in the order in which rules name them."""
        words = (symbol.word for rule in self.rules for symbol in rule.right if isinstance(symbol, Terminal))
        return tuple(dict.fromkeys(words))

    @cached_property
    def weights(self) -> Floats:
        """The weight of every rule, in their order; read-only."""
        weights = np.array([rule.weight for rule in self.rules])
        weights.flags.writeable = False
        return weights

    @cached_property
    def lefts(self) -> npt.NDArray[np.int32]:
        """The number of the left side of every rule among the nonterminals; read-only."""
        lefts = np.array([self._numbers[rule.left] for rule in self.rules], dtype=np.int32)
        lefts.flags.writeable = False
        return lefts

    def rules_of(self, left: str) -> tuple[Rule, ...]:
        """The rules with this left side."""
        return tuple(self.rules[n] for n in self._by_left.get(left, ()))

    def number_of(self, nonterminal: str) -> int:
        """Return the place of a nonterminal among `nonterminals`; ValueError if it is not one."""
        if nonterminal not in self._numbers:
            raise ValueError(f"{symbol_text(nonterminal)} is not a nonterminal of this grammar.")
        return self._numbers[nonterminal]

    @cached_property
    def graph(self) -> Hypergraph:
        """All derivations as one hypergraph: nodes are nonterminals, edges and parts are rules. It has cycles."""
        from palmette.inference.hypergraph import Hypergraph

        tails = [[self._numbers[name] for name in rule.nonterminals] for rule in self.rules]
        return Hypergraph(
            self.lefts,
            np.cumsum([0, *map(len, tails)]),
            np.array([t for row in tails for t in row], dtype=np.int32),
            n_nodes=len(self.nonterminals),
            n_parts=len(self.rules),
            root=0,
        )

    @cached_property
    def log_weights(self) -> Floats:
        """The logs of the weights, -inf for zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.weights)

    # Weights

    @cached_property
    def sums(self) -> Mapping[str, float]:
        """The sum of the weights of each left side."""
        totals = np.bincount(self.lefts, self.weights, minlength=len(self.nonterminals)).tolist()
        return {left: totals[self._numbers[left]] for left in self._by_left}

    @property
    def is_proper(self) -> bool:
        """Whether the weights of every left side sum to one: whether this is a PCFG."""
        return all(abs(total - 1) <= SLACK for total in self.sums.values())

    def with_weights(self, weights: npt.ArrayLike) -> Grammar:
        """The same rules with other weights, one for each."""
        array = np.asarray(weights, dtype=np.float64)
        if array.shape != (len(self.rules),):
            raise ValueError(f"There must be {len(self.rules)} weights. Got an array of shape {array.shape}.")
        if not (np.isfinite(array) & (array >= 0)).all():
            raise ValueError("Weights of rules must be finite and not negative.")
        rules = [Rule(rule.left, rule.right, weight) for rule, weight in zip(self.rules, array.tolist())]
        return Grammar.of_good_rules(rules, self.start)

    def normalised(self) -> Grammar:
        """The PCFG whose weights are in the same proportion for each left side; where all are zero, equal."""
        totals = np.bincount(self.lefts, self.weights, minlength=len(self.nonterminals))[self.lefts]
        counts = np.bincount(self.lefts, minlength=len(self.nonterminals))[self.lefts]
        shares = np.divide(self.weights, totals, out=1.0 / counts, where=totals > 0)
        return self.with_weights(shares)

    def tightened(self) -> Grammar:
        """The PCFG that gives every tree its share of the total weight; see `palmette.grammars.partition`."""
        from palmette.grammars.partition import tightened

        return tightened(self)

    def trimmed(self) -> Grammar:
        """The grammar without rules that no derivation of a string uses; see `palmette.grammars.trimming`."""
        from palmette.grammars.trimming import trimmed

        return trimmed(self)

    # What it derives

    def is_finite(self) -> bool:
        """Whether there are finitely many strings; `finiteness` says why not, or how many."""
        return self.finiteness().is_finite

    def finiteness(self) -> Finiteness:
        """The number and the lengths of the strings, or a cycle that never ends; see `grammars.finiteness`."""
        from palmette.grammars.finiteness import finiteness

        return finiteness(self)

    def consistency(self) -> Consistency:
        """Whether the probabilities of all strings sum to one; see `palmette.grammars.consistency`."""
        from palmette.grammars.consistency import consistency

        return consistency(self)

    def partition(self) -> Partition:
        """The total weight of what each nonterminal derives; see `palmette.grammars.partition`."""
        from palmette.grammars.partition import partition

        return partition(self)

    def expected_size(self) -> float:
        """How many rules a derivation has on average; inf where there is no average."""
        from palmette.grammars.consistency import expected_counts

        return sum(expected_counts(self).values())

    def expected_length(self) -> float:
        """How many words a string has on average; inf where there is no average."""
        from palmette.grammars.consistency import expected_length

        return expected_length(self)

    def first_words(self) -> dict[str, float]:
        """The probability that a string begins with each word; see `palmette.grammars.prefixes`."""
        from palmette.grammars.prefixes import first_words

        return first_words(self)

    def prefix_probability(self, words: Sequence[str]) -> float:
        """The probability that a string begins with these words; see `palmette.grammars.prefixes`."""
        from palmette.grammars.prefixes import PrefixReader

        return PrefixReader(self).read(words).probability

    def next_words(self, words: Sequence[str]) -> dict[str | None, float]:
        """The probabilities of the word after these, None for the end; see `palmette.grammars.prefixes`."""
        from palmette.grammars.prefixes import PrefixReader

        return PrefixReader(self).read(words).next_words()

    def samples(self, n: int = 1, *, random_state: int = 0) -> list[LeftmostDerivation]:
        """n independent derivations, each drawn in proportion to its weight; see `palmette.grammars.sampling`."""
        from palmette.grammars.sampling import samples

        return samples(self, n, random_state=random_state)

    def parse(self, words: Sequence[str], *, max_edges: int = MAX_EDGES) -> GrammarForest:
        """All derivations of a sentence, by the general engine; see `palmette.grammars.parsing`.

        ValueError if their forest has more than `max_edges` edges, about 60 bytes each.
        """
        from palmette.grammars.parsing import Parser

        return Parser(self).parse(words, max_edges=max_edges)

    def cnf(self) -> NormalForm:
        """The grammar in Chomsky normal form, and the way back; see `palmette.grammars.normal_form`."""
        from palmette.grammars.normal_form import normal_form

        return normal_form(self)

    def reestimated(
        self,
        sentences: Iterable[Sequence[str]],
        learner: EM | None = None,
        *,
        callback: Callback | None = None,
    ) -> Grammar:
        """The rules with weights learnt from plain sentences; see `palmette.grammars.re_estimation`."""
        from palmette.grammars.re_estimation import reestimate

        return reestimate(self, sentences, learner, callback=callback).grammar

    # How it shows, compares and stays as it is

    def __str__(self) -> str:
        return rules_text(self.rules, self.start)

    def __repr__(self) -> str:
        return (
            f"<Grammar: start {self.start}, {len(self.rules):,} rules, "
            f"{len(self.nonterminals):,} nonterminals, {len(self.terminals):,} terminals>"
        )

    def _repr_html_(self) -> str:
        from palmette.grammars.html import grammar_html

        return grammar_html(self)

    def __len__(self) -> int:
        return len(self.rules)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grammar):
            return NotImplemented
        return self is other or (self.start == other.start and self.rules == other.rules)

    def __hash__(self) -> int:
        return self._hash

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Grammars cannot be changed: make a new Grammar instead of setting {name!r}.")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.rules, self.start)

    @cached_property
    def _hash(self) -> int:
        return hash((self.start, self.rules))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: n for n, name in enumerate(self.nonterminals)}

    @cached_property
    def _by_left(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for n, rule in enumerate(self.rules):
            found.setdefault(rule.left, []).append(n)
        return found


def _rebuilt(rules: tuple[Rule, ...], start: str) -> Grammar:
    return Grammar.of_good_rules(rules, start)
