"""Weighted deduction: rules over items, written as text, become a hypergraph. CSC 448, §11.

    cky = Deduction('''
        [A, i, k]   <- rule(A, B, C) * [B, i, j] * [C, j, k]
        [A, i, i+1] <- rule(A, w) * word(w, i)
    ''')
    forest = cky.run({"rule": {("S", "NP", "VP"): 0.9, ...}, "word": [("time", 0), ...]}, goal="['S', 0, 5]")
    forest.best(); forest.kbest(10); forest.log_z(); forest.marginals(); forest.samples(3)

The rules are instantiated bottom-up by a native agenda (semi-naive: every instance of a rule is built once), with
the atoms of a body joined by hash on their bound arguments; what no derivation of the goal uses is dropped. The
cost is that of the join: for CKY O(|rules| n³) edges, for the six-index rule of §12 O(n⁶). `palmette.inference.
rules` describes the language, `palmette.inference.search` the orders of search.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from palmette import _native
from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text
from palmette.inference.compilation import Compiler, Signature
from palmette.inference.facts import FactSource, FactTable, Item, Symbols, encode_facts
from palmette.inference.forest import Forest, SearchStatistics
from palmette.inference.functions import Function, checked_functions
from palmette.inference.hypergraph import Hypergraph
from palmette.inference.limits import MAX_EDGES, MAX_ITEMS
from palmette.inference.rules import GOAL, Atom, Rule, parse_goal, parse_rules, signature_text
from palmette.inference.search import AStar, Beam, BestFirst, Exhaustive, Search
from palmette.inference.semiring import checked_count

_EXHAUSTIVE, _BEST_FIRST, _STACKS = range(3)


class Deduction:
    """A weighted deduction system.

    >>> reach = Deduction("path(x, y) <- edge(x, y)\\npath(x, z) <- path(x, y) * edge(y, z)")
    >>> forest = reach.run({"edge": {("a", "b"): 0.5, ("b", "c"): 0.5, ("a", "c"): 0.1}}, goal="path('a', 'c')")
    >>> forest.count(), round(forest.best().score, 3)
    (2, -1.386)

    `functions` are Python functions of weights that rules may use by their names, beside `min`, `max`, `average`
    and `discounted`; `palmette.inference.functions` says what they must satisfy.
    """

    def __init__(
        self, rules: str, *, path: str = "rules", functions: Mapping[str, Function] | None = None
    ) -> None:
        self.text = rules
        self.path = path
        self._functions = checked_functions(functions)
        self._rules = parse_rules(rules, path, self._functions)
        if not self._rules.rules:
            raise FormatError("there is no rule", path=path)
        for rule in self._rules.rules:
            self._check_bound(rule)
        if self._rules.goal is not None:
            self._check_bound(self._rules.goal)
        self._derived = {rule.head.signature for rule in self._rules.rules}
        for signature, (_, _, line) in self._rules.buckets.items():
            if signature not in self._derived:
                raise FormatError(f"no rule derives {signature_text(signature)}", path=path, line=line)

    @classmethod
    def from_file(cls, source: Source) -> Deduction:
        """Reads the rules from a file, or from standard input for "-"."""
        return cls(read_text(source), path=display_name(source))

    def uses(self, name: str, goal: str | None = None) -> bool:
        """Whether the body of a rule, or the goal, asks for a predicate of this name."""
        rules = [*self._rules.rules, parse_goal(goal) if goal is not None else self._rules.goal]
        return any(atom.name == name for rule in rules if rule is not None for atom in rule.body)

    def derives(self, item: Item) -> bool:
        """Whether a rule has a head with this name and number of arguments."""
        return (item.name, len(item.arguments)) in self._derived

    def run(
        self,
        facts: Mapping[str, FactSource],
        goal: str | None = None,
        *,
        search: Search | None = None,
        log: bool = False,
        max_items: int = MAX_ITEMS,
        max_edges: int = MAX_EDGES,
        max_seconds: float = math.inf,
        max_memory: float = math.inf,
    ) -> Forest:
        """Derives the goal from the facts.

        `facts` has, by the name of the predicate ("" for `[...]`), a mapping from arguments to weights, an
        iterable of arguments (weight 1), or `Columns`. Weights are multiplied, as the rules' `*` says; with
        log=True they are scores and are added. `goal` is an item such as "['S', 0, 5]", in which variables may
        take any value; by default it is the goal that the rules state.

        `max_items`, `max_edges`, `max_seconds` and `max_memory` (in MB, of the tables of the search) end a search
        that grows too large, as where rules derive new items without end: ValueError says which rule made the
        most. An item takes about 100 bytes, an edge 60.
        """
        limits = checked_count(max_items, "max_items"), checked_count(max_edges, "max_edges")
        for name, value in (("max_seconds", max_seconds), ("max_memory", max_memory)):
            if not value > 0:
                raise ValueError(f"{name} must be above 0, got {value!r}")
        goal_rule = parse_goal(goal) if goal is not None else self._rules.goal
        if goal_rule is None:
            raise ValueError(
                "no goal: say which item to derive, such as ['S', 0, 5], or write in the rules: goal ['S', 0, 5]"
            )
        if goal is not None:
            self._check_bound(goal_rule, "goal")
        path = self.path if goal is None else "goal"
        symbols = Symbols()
        tables = encode_facts(facts, symbols, log=log)
        rules = [*self._rules.rules, goal_rule]
        self._check_predicates(rules, tables, facts)
        paths = [self.path] * (len(rules) - 1) + [path]
        program = Compiler(
            rules, paths, tables, self._derived, self._rules.buckets, symbols, log, self._functions
        )
        search = Exhaustive() if search is None else search
        program.check_functions(isinstance(search, BestFirst))
        if isinstance(search, BestFirst) and not program.combinations and (program.scores > 0).any():
            part = int(np.argmax(program.scores > 0))
            raise ValueError(
                f"best-first search needs weights of at most one, but {program.part_name(part)} has "
                f"{math.exp(program.scores[part]):g}; search exhaustively, or use AStar with a heuristic"
            )
        order, weight, by_bucket, heuristic, top, width = self._search_options(search, program)
        superior = isinstance(search, BestFirst)
        options = (order, weight, by_bucket, heuristic, top, width, superior, program.call)
        instance = program.native.run(program.scores, *options, *limits, max_seconds, max_memory * 1e6)
        return Forest(
            Hypergraph.from_core(instance.take_graph()),
            program.scores,
            SearchStatistics(instance.items_made, instance.items_popped, instance.edges_built),
            [(signature[0], signature in self._derived) for signature in program.signatures],
            (instance.predicate, instance.argument_start, instance.arguments),
            [(name, table.first_part, table.values) for (name, _), table in tables.items()],
            symbols.decode,
            program.combinations,
        )

    def _search_options(self, search: Search, program: Compiler) -> tuple[Any, ...]:
        """order, heuristic weight, heuristic by bucket, heuristic function, top, width."""
        none = np.zeros(0)
        if isinstance(search, Beam):
            if not self._rules.buckets:
                raise ValueError("multi-stack search needs rules that say 'bucket ITEM = EXPRESSION'")
            return (
                _STACKS,
                1.0,
                none,
                None,
                0 if search.top is None else checked_count(search.top, "top"),
                search.width,
            )
        if isinstance(search, AStar):
            if not callable(search.heuristic):
                if not self._rules.buckets:
                    raise ValueError("a heuristic by bucket needs rules that say 'bucket ITEM = EXPRESSION'")
                by_bucket = np.ascontiguousarray(search.heuristic, dtype=np.float64)
                if by_bucket.ndim != 1 or not by_bucket.size:
                    raise ValueError(
                        f"a heuristic by bucket is a list of numbers, got shape {by_bucket.shape}"
                    )
                return _BEST_FIRST, search.weight, by_bucket, None, 0, math.inf
            function, names, decode = search.heuristic, program.signatures, program.symbols.decode

            def heuristic(predicate: int, arguments: list[int]) -> float:
                if names[predicate] == GOAL.signature:
                    return 0.0
                return float(function(Item(names[predicate][0], tuple(map(decode, arguments)))))

            return _BEST_FIRST, search.weight, none, heuristic, 0, math.inf
        if not isinstance(search, BestFirst | Exhaustive):
            raise ValueError(
                f"search must be Exhaustive(), BestFirst(), AStar(...) or Beam(...), got {search!r}"
            )
        order = _BEST_FIRST if isinstance(search, BestFirst) else _EXHAUSTIVE
        return order, 1.0, none, None, 0, math.inf

    # What the front door checks

    def _check_bound(self, rule: Rule, path: str | None = None) -> None:
        """Every variable must get its value from an atom of the body or from an equation."""
        bound = {e.shift[0] for atom in rule.body for e in atom.arguments if e.shift is not None}
        equations = [c for c in rule.comparisons if c.operator == "=="]
        for _ in equations:
            for c in equations:
                for one, other in ((c.left, c.right), (c.right, c.left)):
                    if one.shift is not None and one.shift[1] == 0 and bound.issuperset(other.variables):
                        bound.add(one.shift[0])
        places = [("the head", rule.head)] if rule.head is not GOAL else []
        places += [("the body", atom) for atom in rule.body]
        used = [(where, name) for where, atom in places for e in atom.arguments for name in e.variables]
        used += [
            ("a comparison", name)
            for c in rule.comparisons
            for name in (*c.left.variables, *c.right.variables)
        ]
        for where, name in used:
            if name not in bound:
                shown = "_" if name.startswith("_") and name.endswith(" ") else name
                raise FormatError(
                    f"variable {shown} in {where} is not bound: no item or fact of the body gives its value",
                    path=path or self.path,
                    line=rule.line,
                )
        for atom in (rule.head, *rule.body):
            if len(atom.arguments) > _native.MAX_ARITY:
                raise FormatError(
                    f"more than {_native.MAX_ARITY} arguments", path=path or self.path, line=rule.line
                )

    def _check_predicates(
        self, rules: list[Rule], tables: Mapping[Signature, FactTable], facts: Mapping[str, FactSource]
    ) -> None:
        """Everything that a body asks for is derived or given, and everything given is asked for."""
        known = self._derived | set(tables)
        used: set[Signature] = set(self._derived)
        if self._rules.goal is not None:
            used.update(atom.signature for atom in self._rules.goal.body)
        for rule in rules:
            for atom in rule.body:
                used.add(atom.signature)
                # A name that is given may have no facts of this arity, as a grammar without unary rules.
                if atom.signature not in known and atom.name not in facts:
                    self._fail_unknown(rule, atom, known)
        for signature in tables:
            if signature not in used:
                hint = _nearest(signature, used)
                raise ValueError(f"facts are given for {signature_text(signature)}, which no rule uses{hint}")

    def _fail_unknown(self, rule: Rule, atom: Atom, known: set[Signature]) -> NoReturn:
        raise FormatError(
            f"nothing gives {signature_text(atom.signature)}: it is neither the head of a rule nor among the "
            f"facts{_nearest(atom.signature, known)}",
            path="goal" if rule.head is GOAL and rule is not self._rules.goal else self.path,
            line=rule.line,
        )


def _nearest(signature: Signature, others: set[Signature]) -> str:
    """A hint at what may have been meant."""
    same_name = sorted(other for other in others if other[0] == signature[0])
    names = difflib.get_close_matches(signature[0], [name for name, _ in others])
    close = same_name or sorted(other for other in others if other[0] in names[:1])
    return f"; did you mean {signature_text(close[0])}?" if close else ""
