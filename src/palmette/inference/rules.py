"""The language in which deduction rules are written, and its parser.

    [A, i, k] <- rule(A, B, C) * [B, i, j] * [C, j, k]      # CKY
    [A, i, i+1] <- rule(A, w) * word(w, i)
    goal ['S', 0, n] <- length(n)
    bucket [A, i, k] = k - i

- A rule is `head <- body`; the body joins its factors with `*` (or `,`). A factor is an atom, a comparison
  (`i < k`, `A != B`, `k == i + 1`) or a number, the rule's own weight.
- An atom is `[a, b]`, `name[a, b]`, `name(a, b)` or a bare `name`. Atoms with the same name and the same number
  of arguments speak of the same thing, whichever brackets they have.
- `min(...)`, `max(...)`, `average(...)`, `discounted(0.9, ...)` and functions that the user gives combine weights
  in other ways than the product; their arguments are atoms, numbers, products and functions of these.
- `?atom` is a condition: it must hold, in whichever way and however often, but has no share in the derivation and
  its weight, as the predictions of Earley's algorithm.
- A bare word in an argument is a variable, `_` a variable of its own each time; constants are integers and
  quoted symbols (`'NP'`). Integers, below 2^30, can be added and subtracted: `i+1`, `k-i`, `i+j-2`. An argument
  `i+1` in a body matches integers only.
- `goal atom` says what is to be derived; its variables may take any value, and conditions may follow after `<-`.
- `bucket atom = expression` says which stack an item belongs to in multi-stack search.
- `#` begins a comment. A rule ends with its line, unless a bracket is open or the line ends in `*`, `,` or `<-`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from palmette.inference.functions import NATIVE_FUNCTIONS, Application, Operand, Premise
from palmette.inference.rule_tokens import Token, TokenReader

Constant: TypeAlias = int | str


@dataclass(frozen=True)
class Expression:
    """constant + Σ factor · variable; a symbol is a constant without variables."""

    constant: Constant
    terms: tuple[tuple[int, str], ...] = ()

    @property
    def variables(self) -> Iterator[str]:
        return (name for _, name in self.terms)

    @property
    def shift(self) -> tuple[str, int] | None:
        """(variable, offset) where the expression is one variable plus an integer, which a match can invert."""
        if len(self.terms) == 1 and self.terms[0][0] == 1 and isinstance(self.constant, int):
            return self.terms[0][1], self.constant
        return None


@dataclass(frozen=True)
class Atom:
    """A predicate applied to arguments; its name is empty for `[...]`."""

    name: str
    arguments: tuple[Expression, ...]
    is_condition: bool = False

    @property
    def signature(self) -> tuple[str, int]:
        return self.name, len(self.arguments)


@dataclass(frozen=True)
class Comparison:
    """left operator right, with one of == != < <= > >=."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Rule:
    """head <- body, where the comparisons hold; `weights` are the numbers among the factors.

    `combination` is F_R without these numbers, where it is not the product of the premises.
    """

    line: int
    head: Atom
    body: tuple[Atom, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    weights: tuple[float, ...] = ()
    combination: Application | None = None

    @property
    def premises(self) -> list[Atom]:
        return [atom for atom in self.body if not atom.is_condition]


@dataclass
class Rules:
    """What a text of rules says."""

    rules: list[Rule] = field(default_factory=list)
    goal: Rule | None = None  # its head is GOAL, the goal item the first of its body
    buckets: dict[tuple[str, int], tuple[Atom, Expression, int]] = field(default_factory=dict)


GOAL = Atom("the goal", ())  # a name that no rule can write


def parse_rules(text: str, path: str = "rules", functions: Collection[str] = ()) -> Rules:
    """Reads a text of rules; raises FormatError with the line where it is not well formed.

    `functions` are the names of functions beside those that are always there.
    """
    result = Rules()
    parser = _Parser(text, path, functions)
    while parser.skip_newlines():
        if parser.accepts_keyword("goal"):
            if result.goal is not None:
                parser.fail("a second goal; one is enough", parser.line)
            result.goal = parser.goal()
        elif parser.accepts_keyword("bucket"):
            line = parser.line
            atom, expression = parser.bucket()
            if atom.signature in result.buckets:
                parser.fail(f"a second bucket for {signature_text(atom.signature)}", line)
            result.buckets[atom.signature] = atom, expression, line
        else:
            result.rules.append(parser.rule())
    return result


def parse_goal(text: str) -> Rule:
    """Reads a goal such as "['S', 0, 5]" on its own."""
    parser = _Parser(text, "goal")
    parser.skip_newlines()
    goal = parser.goal()
    if parser.skip_newlines():
        parser.fail("something follows the goal")
    return goal


def signature_text(signature: tuple[str, int]) -> str:
    """How messages call a predicate: `rule(_, _, _)` or `[_, _]`."""
    name, arity = signature
    inner = ", ".join("_" * arity)
    if not name:
        return f"[{inner}]"
    return f"{name}({inner})" if arity else name


class _Parser(TokenReader):
    def __init__(self, text: str, path: str, functions: Collection[str] = ()) -> None:
        super().__init__(text, path)
        self._functions = NATIVE_FUNCTIONS.union(functions)
        self._anonymous = 0

    # Statements

    def rule(self) -> Rule:
        first = self._peek()
        if first.text in self._functions and self._peek(1).text == "(":
            self.fail(f"{first.text} is a function; an item needs another name")
        head = self._atom()
        self._expect("arrow", "'<-' after the head of a rule")
        return self._body(head, first)

    def goal(self) -> Rule:
        first = self._peek()
        item = self._atom()
        rule = self._body(GOAL, first) if self._accept("arrow") else Rule(first.line, GOAL)
        self._end_statement()
        if rule.combination is not None:
            self.fail("a goal has no function; write a rule with it and make its head the goal", first.line)
        return replace(rule, body=(item, *rule.body))

    def bucket(self) -> tuple[Atom, Expression]:
        line = self.line
        atom = self._atom()
        if not self._accept_mark("="):
            self.fail("expected '=' and an expression after the item of a bucket")
        expression = self._expression()
        self._end_statement()
        names = [argument.shift for argument in atom.arguments]
        if any(shift is None or shift[1] != 0 for shift in names) or len(set(names)) < len(names):
            self.fail("the arguments of a bucket's item must be different variables", line)
        unknown = set(expression.variables) - {shift[0] for shift in names if shift}
        if unknown:
            self.fail(f"the bucket uses {', '.join(sorted(unknown))}, which its item does not have", line)
        return atom, expression

    def _body(self, head: Atom, first: Token) -> Rule:
        atoms: list[Atom] = []
        comparisons: list[Comparison] = []
        weights: list[float] = []
        factors: list[Operand] = []
        while True:
            self._skip_line_breaks()
            if self._at_function():
                factors.append(self._application(atoms))
            else:
                factor = self._factor()
                if isinstance(factor, Comparison):
                    comparisons.append(factor)
                elif isinstance(factor, float):
                    weights.append(factor)
                else:
                    factors += self._premise(factor, atoms)
            if not (self._accept_mark("*") or self._accept_mark(",")):
                break
        self._end_statement()
        is_product = not any(isinstance(factor, Application) for factor in factors)
        combination = None if is_product else Application("*", tuple(factors))
        return Rule(first.line, head, tuple(atoms), tuple(comparisons), tuple(weights), combination)

    @staticmethod
    def _premise(atom: Atom, atoms: list[Atom]) -> list[Operand]:
        """Adds an atom to the body; what it adds to the weight, unless it is a condition."""
        number = sum(not other.is_condition for other in atoms)
        atoms.append(atom)
        return [] if atom.is_condition else [Premise(number)]

    def _at_function(self) -> bool:
        return self._peek().text in self._functions and self._peek(1).text == "("

    def _application(self, atoms: list[Atom]) -> Application:
        """A function with its arguments, each a product; the atoms in it join the body."""
        name = self._take()
        self._next += 1
        arguments: list[Operand] = []
        self._skip_line_breaks()
        while not self._accept_mark(")"):
            comma = not arguments or self._accept_mark(",")
            self._skip_line_breaks()
            if self._at_end():
                self.fail("the bracket is never closed with ')'", name.line)
            if not comma:
                self.fail(f"expected ',' or ')' but found {self._describe()}")
            arguments.append(self._argument(name, atoms))
            self._skip_line_breaks()
        if not arguments:
            self.fail(f"{name.text} has no argument", name.line)
        if name.text == "discounted" and not (
            len(arguments) > 1 and isinstance(arguments[0], float) and arguments[0] > 0
        ):
            self.fail(
                "the first argument of discounted is its exponent, a number above 0, such as 0.9", name.line
            )
        return Application(name.text, tuple(arguments))

    def _argument(self, function: Token, atoms: list[Atom]) -> Operand:
        factors: list[Operand] = []
        while not factors or self._accept_mark("*"):
            self._skip_line_breaks()
            if self._at_function():
                factors.append(self._application(atoms))
                continue
            factor = self._factor()
            if isinstance(factor, Comparison) or (isinstance(factor, Atom) and factor.is_condition):
                what = "a comparison" if isinstance(factor, Comparison) else "a condition"
                self.fail(f"{what} has no weight; write it outside of {function.text}(...)", function.line)
            factors += [factor] if isinstance(factor, float) else self._premise(factor, atoms)
        return factors[0] if len(factors) == 1 else Application("*", tuple(factors))

    def _factor(self) -> Atom | Comparison | float:
        if self._accept_mark("?"):
            return replace(self._atom(), is_condition=True)
        token = self._peek()
        following = self._peek(1)
        is_atom = token.text == "[" or (token.kind == "word" and following.text in ("(", "["))
        if is_atom:
            return self._atom()
        if token.kind not in ("word", "number", "symbol") and token.text != "-":
            self.fail(f"expected an atom, a comparison or a number but found {self._describe()}")
        number = self._number()
        if number is not None:
            return number
        left = self._expression()
        operator = self._accept("compare")
        if operator is None:
            if left.shift is not None and left.shift[1] == 0:
                return Atom(left.shift[0], ())
            self.fail("expected an atom, a comparison or a number", token.line)
        return Comparison(operator.text, left, self._expression())

    def _number(self) -> float | None:
        """The weight that comes next, unless it is the beginning of a comparison."""
        sign = self._peek().text == "-"
        token, following = self._peek(sign), self._peek(sign + 1)
        if token.kind != "number" or following.kind == "compare" or following.text in ("+", "-"):
            return None
        self._next += 1 + sign
        return -float(token.text) if sign else float(token.text)

    # Atoms and expressions

    def _atom(self) -> Atom:
        name = self._accept("word")
        text = name.text if name else ""
        if self._accept_mark("["):
            closing = "]"
        elif name and self._accept_mark("("):
            closing = ")"
        elif name:
            return Atom(text, ())
        else:
            self.fail("expected an item such as [A, i, k] or name(A, i)")
        opened = self._tokens[self._next - 1].line
        arguments: list[Expression] = []
        self._skip_line_breaks()
        while not self._accept_mark(closing):
            comma = not arguments or self._accept_mark(",")
            self._skip_line_breaks()
            if self._at_end():
                self.fail(f"the bracket is never closed with '{closing}'", opened)
            if not comma:
                where = f"; the bracket was opened in line {opened}" if opened != self.line else ""
                self.fail(f"expected ',' or '{closing}' but found {self._describe()}{where}")
            arguments.append(self._expression())
            self._skip_line_breaks()
        return Atom(text, tuple(arguments))

    def _expression(self) -> Expression:
        constant: Constant = 0
        factors: dict[str, int] = {}
        sign = -1 if self._accept_mark("-") else 1
        first = True
        while True:
            token = self._take()
            if token.kind == "symbol":
                if not first or sign < 0 or self._peek().text in ("+", "-"):
                    self.fail(f"{token.text} is a symbol; only integers can be added", token.line)
                return Expression(re.sub(r"\\(.)", r"\1", token.text[1:-1]))
            if token.kind == "number":
                if not token.text.isdecimal():
                    self.fail(f"{token.text} is not an integer", token.line)
                assert isinstance(constant, int)
                constant += sign * int(token.text)
            elif token.kind == "word":
                factors[self._variable(token.text)] = factors.get(token.text, 0) + sign
            else:
                self._next -= 1
                self.fail(f"expected a variable, an integer or a quoted symbol but found {self._describe()}")
            first = False
            if self._accept_mark("+"):
                sign = 1
            elif self._accept_mark("-"):
                sign = -1
            else:
                return Expression(constant, tuple((f, name) for name, f in factors.items() if f))

    def _variable(self, name: str) -> str:
        if name != "_":
            return name
        self._anonymous += 1
        return f"_{self._anonymous} "  # the blank keeps it apart from what can be written
