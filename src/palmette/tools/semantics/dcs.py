"""DCS trees: nodes are predicates, edges are relations (CSC 448, §23; Liang, Jordan and Klein 2011).

    ⟨city; 1/1: ⟨major⟩; 1/1: ⟨loc; 2/1: ⟨'CA'⟩⟩⟩                          (eq. 124)

- A join j/k: component j of the parent's tuples equals component k of the child's.
- Σ: the child's tuples become one set, of which an aggregate (count, sum, …) is computed.
- C: a comparison. The child has a marked component; the superlative, quantifier or comparative is executed at the
  parent, once all else is known of it (mark and execute).
- E: the component of the root that is the answer, where it is not the first one (extract).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

JOIN, AGGREGATE, COMPARE = "join", "Σ", "C"
AGGREGATES = ("count", "sum", "average", "largest", "smallest")
SUPERLATIVES = ("argmax", "argmin", "most", "fewest")
QUANTIFIERS = ("no", "every", "at least", "at most", "exactly")
COMPARATIVES = ("greater", "less")


@dataclass(frozen=True)
class Edge:
    """An edge to a child.

    parent, child_column: the joined components, from 1. operator: of a comparison; than: what a comparative
    compares with; amount: the number of a quantifier such as "at least".
    """

    relation: str
    child: DCSTree
    parent: int = 1
    child_column: int = 1
    operator: str = ""
    than: DCSTree | None = None
    amount: float | None = None

    @property
    def text(self) -> str:
        """The label of the edge."""
        if self.relation == AGGREGATE:
            return "Σ"
        joined = f"{self.parent}/{self.child_column}"
        if self.relation == JOIN:
            return joined
        amount = "" if self.amount is None else f" {self.amount:g}"
        return f"C {self.operator}{amount} {joined}"

    def __str__(self) -> str:
        than = "" if self.than is None else f" than {self.than}"
        return f"{self.text}: {self.child}{than}"


@dataclass(frozen=True)
class DCSTree:
    """A node with everything below it.

    values: of a node that is a constant, the ids of its values, and `predicate` is how it is written. mark: the
    component that a comparison above looks at. column: the component that is the answer.
    """

    predicate: str
    edges: tuple[Edge, ...] = ()
    values: frozenset[int] | None = None
    mark: int | None = None
    column: int = 1
    key: str = field(init=False, compare=False, repr=False, default="")

    def __post_init__(self) -> None:
        # Joins commute, so trees that differ in their order are equal; comparisons are executed in their order.
        joins = sorted(str(edge) for edge in self.edges if edge.relation == JOIN)
        others = [str(edge) for edge in self.edges if edge.relation != JOIN]
        mark = "" if self.mark is None else f"*{self.mark}"
        object.__setattr__(self, "key", f"⟨{'; '.join([self.predicate + mark, *joins, *others])}⟩")

    def with_edge(self, edge: Edge) -> DCSTree:
        """Return the tree with a further child."""
        return DCSTree(self.predicate, (*self.edges, edge), self.values, self.mark, self.column)

    def renamed(self, old: str, new: str) -> DCSTree:
        """Return the tree with another predicate in the place of one."""
        edges = tuple(
            replace(
                e, child=e.child.renamed(old, new), than=None if e.than is None else e.than.renamed(old, new)
            )
            for e in self.edges
        )
        name = new if self.predicate == old else self.predicate
        return DCSTree(name, edges, self.values, self.mark, self.column)

    def __str__(self) -> str:
        """Return the tree in one line; the extracted component is shown at the root alone."""
        return self.key

    @property
    def text(self) -> str:
        """The tree in one line, with the component that is the answer."""
        return self.key if self.column == 1 else f"E{self.column} {self.key}"

    def nodes(self) -> Iterator[DCSTree]:
        """All nodes, this one first."""
        yield self
        for edge in self.edges:
            yield from edge.child.nodes()
            if edge.than is not None:
                yield from edge.than.nodes()

    @property
    def marked(self) -> bool:
        """Whether there is a mark in this tree that no comparison in it executes."""
        return self.mark is not None or any(e.child.marked for e in self.edges if e.relation == JOIN)


def constant(text: str, type: str, values: frozenset[int]) -> DCSTree:
    """Return a node that denotes given values of a type; a number has none."""
    return DCSTree(f"{type}:'{text}'" if type else text, (), values)
