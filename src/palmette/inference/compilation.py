"""Rules and facts as a program of the native engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from palmette import _native
from palmette.errors import FormatError
from palmette.inference.facts import FactTable, Symbols, scores_of
from palmette.inference.functions import Application, Combination, Function, Operand, Range
from palmette.inference.rules import GOAL, Atom, Comparison, Expression, Rule, signature_text

_COMPARISONS = {"==": 0, "!=": 1, "<": 2, "<=": 3}
_SWAPPED = {">": "<", ">=": "<="}

Signature = tuple[str, int]
Place = tuple[str, int]  # path and line


class Compiler:
    """Rules and facts as the native program: predicates and variables by number, and one score per part."""

    def __init__(
        self,
        rules: list[Rule],
        paths: list[str],
        tables: dict[Signature, FactTable],
        derived: set[Signature],
        buckets: Mapping[Signature, tuple[Atom, Expression, int]],
        symbols: Symbols,
        log: bool,
        functions: Mapping[str, Function],
    ) -> None:
        self.symbols = symbols
        self.combinations: dict[int, Combination] = {}  # by the part of the rule
        self._rules, self._functions, self._derived = rules, functions, derived
        self._where = [(path, rule.line) for path, rule in zip(paths, rules)]
        self._tables, self._log = tables, log
        derived = derived | {GOAL.signature}
        atoms = [atom for rule in rules for atom in (rule.head, *rule.body)]
        self.signatures = sorted({atom.signature for atom in atoms})
        self._numbers = {signature: i for i, signature in enumerate(self.signatures)}
        self._n_facts = sum(table.n for table in tables.values())
        own = np.array([self._own_score(rule, where) for rule, where in zip(rules, self._where)])
        self.scores: npt.NDArray[np.float64] = np.concatenate([*(t.scores for t in tables.values()), own])
        self.native = _native.Program(len(self.scores), self._numbers[GOAL.signature])
        nothing = FactTable(np.zeros((0, 0), np.int32), np.zeros(0))
        for signature in self.signatures:
            table = tables.get(signature, nothing)
            bucket, where = self._bucket(buckets.get(signature), paths[0])
            self.native.add_predicate(
                signature[1],
                signature in derived,
                table.values.reshape(-1),
                table.n,
                table.first_part,
                bucket,
                where,
            )
        for i, rule in enumerate(rules):
            if rule.combination is not None:
                operand = self._checked(rule.combination, self._where[i])
                self.combinations[self._n_facts + i] = Combination(
                    _place(self._where[i]), operand, functions, log
                )
            self._add_rule(rule, self._n_facts + i, self._where[i], derived)

    def call(self, function: int, scores: Sequence[float]) -> float:
        """A user's function, for the native search."""
        return next(iter(self.combinations.values())).call(function, scores)

    def check_functions(self, superior: bool) -> None:
        """Every F_R must be monotone, for best-first search also superior."""
        finite = self.scores[np.isfinite(self.scores)]
        for part, combination in self.combinations.items():
            premises = self._rules[part - self._n_facts].premises
            ranges = [self._range(finite)] * len(premises)
            for i, atom in enumerate(premises):
                if atom.signature not in self._derived and atom.signature in self._tables:
                    ranges[i] = self._range(self._tables[atom.signature].scores)
            items = [atom.signature in self._derived for atom in premises]
            combination.check(ranges, items, superior)

    @staticmethod
    def _range(scores: npt.NDArray[np.float64]) -> Range:
        """Scores to try for a premise that has these: at most their highest, and down to e⁻³ below the lowest."""
        finite = scores[np.isfinite(scores)]
        return (float(finite.min()) - 3.0, float(finite.max())) if len(finite) else (-3.0, 0.0)

    def _checked(self, operand: Operand, where: Place) -> Operand:
        """An F_R whose numbers may be weights."""
        if isinstance(operand, Application):
            for argument in operand.arguments:
                self._checked(argument, where)
        elif isinstance(operand, float):
            self._score([operand], "a number in the rule", where)
        return operand

    def part_name(self, part: int) -> str:
        """How messages call a part."""
        if part >= self._n_facts:
            return f"the rule of {_place(self._where[part - self._n_facts])}"
        return next(
            f"a fact of {signature_text(signature)}"
            for signature, table in self._tables.items()
            if table.first_part <= part < table.first_part + table.n
        )

    def _own_score(self, rule: Rule, where: Place) -> float:
        return self._score(rule.weights, "the weight of the rule", where)

    def _score(self, weights: Sequence[float], what: str, where: Place) -> float:
        try:
            return float(scores_of(weights, self._log, what).sum())
        except ValueError as error:
            raise FormatError(str(error), path=where[0], line=where[1]) from None

    def _bucket(self, bucket: tuple[Atom, Expression, int] | None, path: str) -> tuple[Any, str]:
        if bucket is None:
            return None, ""
        atom, expression, line = bucket
        numbers = {argument.shift[0]: i for i, argument in enumerate(atom.arguments) if argument.shift}
        return self._expression(expression, numbers, (path, line)), _place((path, line))

    def _add_rule(self, rule: Rule, part: int, where: Place, derived: set[Signature]) -> None:
        variables: dict[str, int] = {}
        comparisons = list(rule.comparisons)
        body = []
        for atom in rule.body:
            slots = []
            for argument in atom.arguments:
                if argument.terms and argument.shift is None:
                    # What a match cannot invert becomes a variable of its own and an equation.
                    name = f"={len(comparisons)}"
                    comparisons.append(Comparison("==", Expression(0, ((1, name),)), argument))
                    argument = Expression(0, ((1, name),))
                if argument.shift is not None:
                    name, offset = argument.shift
                    slots.append((variables.setdefault(name, len(variables)), self._constant(offset, where)))
                else:
                    slots.append((-1, self._constant(argument.constant, where)))
            body.append((self._numbers[atom.signature], atom.is_condition, slots))
        for comparison in comparisons:
            for name in (*comparison.left.variables, *comparison.right.variables):
                variables.setdefault(name, len(variables))
        # The first fact labels the edge; a goal that is a fact stays the premise that a proof begins with.
        labels = [
            i
            for i, atom in enumerate(rule.body)
            if atom.signature not in derived and not atom.is_condition and not (rule.head is GOAL and i == 0)
        ]
        combination = self.combinations.get(part)
        if combination is not None:
            labels = []  # a function takes its facts in their places among the premises
        self.native.add_rule(
            _place(where),
            len(variables),
            part,
            labels[0] if labels else -1,
            bool(rule.weights),
            self._numbers[rule.head.signature],
            [self._expression(argument, variables, where) for argument in rule.head.arguments],
            body,
            [self._comparison(c, variables, where) for c in comparisons],
            _native.Combination([]) if combination is None else combination.native,
        )

    def _comparison(self, c: Comparison, variables: Mapping[str, int], where: Place) -> Any:
        left, right = (c.right, c.left) if c.operator in _SWAPPED else (c.left, c.right)
        operator = _COMPARISONS[_SWAPPED.get(c.operator, c.operator)]
        return operator, self._expression(left, variables, where), self._expression(right, variables, where)

    def _expression(self, expression: Expression, variables: Mapping[str, int], where: Place) -> Any:
        terms = [(factor, variables[name]) for factor, name in expression.terms]
        return self._constant(expression.constant, where), terms

    def _constant(self, value: int | str, where: Place) -> int:
        try:
            return self.symbols.encode(value)
        except ValueError as error:
            raise FormatError(str(error), path=where[0], line=where[1]) from None


def _place(where: Place) -> str:
    return f"{where[0]}:{where[1]}"
