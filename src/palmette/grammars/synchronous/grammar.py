"""Weighted synchronous grammars: every rule rewrites a nonterminal in two languages at once. CSC 448, §16.

A derivation is a pair of trees with the same nodes, whose children may be in another order; it derives a pair of
strings. The weight of a derivation is the product of the weights of its rules.

    grammar = SynchronousGrammar('''
        S  -> NP VP , NP VP
        NP -> il , he
        VP -> ne VB1 pas , not VB1
        VB -> va , go
    ''')

A grammar cannot be changed once it is made. What only depends on the rules and their weights (totals, consistency,
samples) is computed by `skeleton`, the grammar of the source sides, which has the same derivations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy.typing as npt

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text, write_atomically
from palmette.grammars.checks import warn_of_sums
from palmette.grammars.grammar import Floats, Grammar
from palmette.grammars.rule import Rule, symbol_text
from palmette.grammars.synchronous.rule import SynchronousRule, checked_rule
from palmette.grammars.synchronous.text import parse_synchronous, synchronous_text
from palmette.inference.limits import MAX_EDGES

if TYPE_CHECKING:
    from palmette.grammars.consistency import Consistency
    from palmette.grammars.synchronous.derivation import SynchronousDerivation
    from palmette.grammars.synchronous.finiteness import PairFiniteness
    from palmette.grammars.synchronous.parsing import SynchronousForest


class SynchronousGrammar:
    """A weighted synchronous grammar, from text (`palmette.grammars.synchronous.text`) or from rules.

    start: by default the one that the text names, or the left side of the first rule. columns: the names of the
    scores that rules have beside their weights.

    >>> grammar = SynchronousGrammar("S -> a S1 b , b S1 a\\nS -> ε , ε")
    >>> grammar.parse("a a b b".split(), "b b a a".split()).count()
    1
    >>> grammar.parse("a b".split()).best().target_words
    ['b', 'a']
    """

    start: str
    rules: tuple[SynchronousRule, ...]
    columns: tuple[str, ...]

    def __init__(
        self,
        rules: str | Iterable[SynchronousRule],
        *,
        start: str | None = None,
        columns: Sequence[str] = (),
        weighted: bool = False,
        path: str | None = None,
    ) -> None:
        named: str | None = None
        lines: Sequence[int] | None = None
        if isinstance(rules, str):
            path = path or "grammar"
            named, found, lines = parse_synchronous(rules, path)
        else:
            found = [checked_rule(rule) for rule in rules]
        if not found:
            raise _error("there is no rule, and so no start symbol", path)
        _check_once(found, lines, path)
        for rule in found:
            if len(rule.scores) != len(columns):
                raise ValueError(
                    f"The rule {rule.arrow()} has {len(rule.scores)} scores, and there are {len(columns)} columns."
                )
        start = start or named or found[0].left
        self.__dict__.update(start=start, rules=tuple(found), columns=tuple(columns))
        if start not in self.lefts:
            close = ", ".join(symbol_text(left) for left in list(self.lefts)[:3])
            raise _error(
                f"no rule has the start symbol {symbol_text(start)} on its left; there are rules of {close}",
                path,
            )
        if not weighted:
            warn_of_sums(self.sums, self.skeleton.rules)

    @classmethod
    def from_file(
        cls, source: Source, *, start: str | None = None, weights: Mapping[str, float] | None = None
    ) -> SynchronousGrammar:
        """Read a grammar from a file: its text, or the rules of Moses, or of Joshua and cdec.

        Rules of these systems have scores, and their weight is exp(Σ weights[name] · score), with 1 as the weight
        of a score by default. See `palmette.grammars.synchronous.exchange`.
        """
        return cls.from_text(read_text(source), start=start, weights=weights, path=display_name(source))

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        start: str | None = None,
        weights: Mapping[str, float] | None = None,
        path: str = "grammar",
    ) -> SynchronousGrammar:
        """Read a grammar from text in one of the forms of `from_file`."""
        from palmette.grammars.synchronous.exchange import read_rules

        if " ||| " in text:
            rules, columns = read_rules(text, path, weights)
            if start is None and any(rule.left == "S" for rule in rules):
                start = "S"
            return cls(rules, start=start, columns=columns, weighted=True, path=path)
        return cls(text, start=start, path=path)

    def write(self, target: Source, form: str = "text") -> None:
        """Write the grammar to a file, or to standard output for "-", as `text`, `moses` or `joshua`."""
        from palmette.grammars.synchronous.exchange import rules_text

        text = str(self) if form == "text" else rules_text(self, form)
        with write_atomically(target) as file:
            file.write(text.encode())

    # What it is made of

    @cached_property
    def lefts(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of the rules of each left side."""
        found: dict[str, list[int]] = {}
        for n, rule in enumerate(self.rules):
            found.setdefault(rule.left, []).append(n)
        return {left: tuple(numbers) for left, numbers in found.items()}

    def rules_of(self, left: str) -> tuple[SynchronousRule, ...]:
        """The rules with this left side."""
        return tuple(self.rules[n] for n in self.lefts.get(left, ()))

    @property
    def nonterminals(self) -> tuple[str, ...]:
        """The nonterminals: the start symbol, then the others in the order in which rules name them."""
        return self.skeleton.nonterminals

    @property
    def weights(self) -> Floats:
        """The weight of every rule, in their order; read-only."""
        return self.skeleton.weights

    @property
    def sums(self) -> Mapping[str, float]:
        """The sum of the weights of each left side."""
        return self.skeleton.sums

    @property
    def is_proper(self) -> bool:
        """Whether the weights of every left side sum to one."""
        return self.skeleton.is_proper

    @property
    def rank(self) -> int:
        """The largest number of nonterminals of a rule."""
        return max(rule.rank for rule in self.rules)

    @cached_property
    def skeleton(self) -> Grammar:
        """The source sides with the same numbers as the rules; two rules may have the same source side."""
        return Grammar.of_good_rules([rule.source_rule() for rule in self.rules], self.start)

    @cached_property
    def source(self) -> Grammar:
        """The grammar of the source language; rules with the same source side become one."""
        return _merged([rule.source_rule() for rule in self.rules], self.start)

    @cached_property
    def target(self) -> Grammar:
        """The grammar of the target language; rules with the same target side become one."""
        return _merged([rule.target_rule() for rule in self.rules], self.start)

    # Other grammars

    def with_weights(self, weights: npt.ArrayLike) -> SynchronousGrammar:
        """The same rules with other weights, one for each."""
        checked = self.skeleton.with_weights(weights).weights.tolist()
        rules = [rule._replace(weight=weight) for rule, weight in zip(self.rules, checked)]
        return self.of_good_rules(rules)

    def normalised(self) -> SynchronousGrammar:
        """The grammar whose weights are in the same proportion for each left side, and sum to one."""
        return self.with_weights(self.skeleton.normalised().weights)

    def trimmed(self) -> SynchronousGrammar:
        """The grammar without rules that no derivation of a pair uses; ValueError if there is no pair at all."""
        from palmette.grammars.trimming import productive, reachable

        good = productive(self.skeleton)
        kept = [rule for rule in self.rules if rule.weight > 0 and good.issuperset(rule.nonterminals)]
        used = reachable(Grammar.of_good_rules([rule.source_rule() for rule in kept], self.start))
        kept = [rule for rule in kept if rule.left in used]
        if self.start not in good:
            raise ValueError(f"The start symbol {self.start} derives no pair of strings.")
        return self if len(kept) == len(self.rules) else self.of_good_rules(kept)

    def tightened(self) -> SynchronousGrammar:
        """The trimmed grammar that gives every derivation its share of the total weight, as probabilities."""
        trimmed = self.trimmed()
        return trimmed.with_weights(trimmed.skeleton.tightened().weights)

    def factored(self) -> SynchronousGrammar:
        """The grammar with rules of the smallest rank; see `palmette.grammars.synchronous.factoring`."""
        from palmette.grammars.synchronous.factoring import factored

        return factored(self)

    def of_good_rules(self, rules: Sequence[SynchronousRule]) -> SynchronousGrammar:
        """A grammar with the same start symbol and columns, of rules that need no check."""
        made = SynchronousGrammar.__new__(SynchronousGrammar)
        made.__dict__.update(start=self.start, rules=tuple(rules), columns=self.columns)
        return made

    # What it derives

    def parse(
        self, source: Sequence[str] | None, target: Sequence[str] | None = None, *, max_edges: int = MAX_EDGES
    ) -> SynchronousForest:
        """All derivations of a pair of sentences; without one of the two, all translations of the other."""
        from palmette.grammars.synchronous.parsing import PairParser

        return PairParser(self, source is not None, target is not None).parse(
            source, target, max_edges=max_edges
        )

    def recognises(self, source: Sequence[str], target: Sequence[str]) -> bool:
        """Whether the pair is in the language."""
        return self.parse(source, target).is_derived

    def samples(self, n: int = 1, *, random_state: int = 0) -> list[SynchronousDerivation]:
        """n independent derivations, each drawn in proportion to its weight; see `palmette.grammars.sampling`."""
        from palmette.grammars.synchronous.derivation import SynchronousDerivation

        found = self.skeleton.samples(n, random_state=random_state)
        return [SynchronousDerivation(self, derivation.numbers) for derivation in found]

    def consistency(self) -> Consistency:
        """Whether the probabilities of all derivations sum to one; see `palmette.grammars.consistency`."""
        return self.skeleton.consistency()

    def finiteness(self) -> PairFiniteness:
        """Whether there are finitely many pairs, and how many; see `palmette.grammars.synchronous.finiteness`."""
        from palmette.grammars.synchronous.finiteness import pair_finiteness

        return pair_finiteness(self)

    def unary_cycle(self) -> tuple[SynchronousRule, ...]:
        """Rules A → B , B without source words that lead from a nonterminal back to it; none if there are none.

        They give a source sentence infinitely many derivations, which sums and the best can deal with, and lists
        of the k best cannot.
        """
        from palmette.grammars.synchronous.cycles import unary_cycle

        return unary_cycle(self.rules)

    # How it shows, compares and stays as it is

    def __str__(self) -> str:
        return synchronous_text(self.rules, self.start)

    def __repr__(self) -> str:
        return f"<SynchronousGrammar: start {self.start}, {len(self.rules):,} rules, rank {self.rank}>"

    def _repr_html_(self) -> str:
        from palmette.grammars.html import rules_html

        groups: dict[str, list[SynchronousRule]] = {}
        for rule in self.rules:
            groups.setdefault(rule.left, []).append(rule)
        return rules_html(
            repr(self)[1:-1], list(groups.items()), lambda rule: rule.arrow().partition("->")[2]
        )

    def __len__(self) -> int:
        return len(self.rules)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SynchronousGrammar):
            return NotImplemented
        return (self.start, self.rules, self.columns) == (other.start, other.rules, other.columns)

    def __hash__(self) -> int:
        return hash((self.start, self.rules))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Grammars cannot be changed: make a new one instead of setting {name!r}.")

    def __getstate__(self) -> dict[str, object]:
        return {"start": self.start, "rules": self.rules, "columns": self.columns}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)


def _merged(rules: Sequence[Rule], start: str) -> Grammar:
    totals: dict[tuple[str, tuple[object, ...]], float] = {}
    for rule in rules:
        totals[rule[:2]] = totals.get(rule[:2], 0.0) + rule.weight
    merged = [Rule(left, right, weight) for (left, right), weight in totals.items()]  # type: ignore[arg-type]
    return Grammar.of_good_rules(merged, start)


def _check_once(rules: Sequence[SynchronousRule], lines: Sequence[int] | None, path: str | None) -> None:
    """Raise ValueError unless every rule is there once."""
    first: dict[tuple[object, ...], int] = {}
    for n, rule in enumerate(rules):
        m = first.setdefault(rule[:3], n)
        if m == n:
            continue
        if lines is None:
            raise _error(
                f"the rule {rule.arrow()} is there twice: give it once, with the sum of the weights", path
            )
        raise FormatError(
            f"the rule {rule.arrow()} is in line {lines[m]} as well: write it once, weights added up",
            path=path or "grammar",
            line=lines[n],
        )


def _error(message: str, path: str | None) -> ValueError:
    if path is not None:
        return FormatError(message, path=path)
    return ValueError(message[0].upper() + message[1:] + ".")
