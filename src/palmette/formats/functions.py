"""Functions in the labels of phrases: how a treebank writes them, and labels without them.

`NP-SBJ-1` has the category NP, the function SBJ and the index 1; in other treebanks the same is `SUBJ+np` or
`NP=SBJ`. A pattern says it in words: `label-function`, `function+label`, `label-=function` for either of two
separators, `none` for labels without functions.

`detect_functions` finds the pattern from trees. It splits labels at each possible separator and asks:

- Are there two sides at all? A function occurs with several categories and a category with several functions, or
  alone. `N-bar` fails: N occurs only with bar.
- Is one side something else than a category? In the label `S+VP` of a unary chain both parts also occur alone.
- Which side is the category? The one that occurs alone. If every label has a function, the category is the side
  that says more about what is in a phrase than about where it is: the higher I(part; children) / I(part; parent).

Penn's pattern is what labels have until many of them say otherwise.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from palmette.errors import UsageError
from palmette.trees.tree import Child, Tree

SEPARATORS = "-=+:/|#@~^_"
_MOST_TREES = 5_000  # that are read to detect a pattern
_FEWEST = 50  # labels with a separator: fewer prove nothing
_FEWEST_FUNCTIONS = 3
_SHARED, _MOST, _SOME, _RARE = 0.7, 0.5, 0.3, 0.1  # shares of these labels
_PATTERN = re.compile(r"label(?P<after>\W+|_)function|function(?P<before>\W+|_)label")


@dataclass(frozen=True)
class Functions:
    """How labels hold functions: the separators, and whether the function comes first (`SUBJ+np`).

    tags: the tags of words have functions too. Without separators a label has no function.

    >>> Functions().bare("NP-SBJ-1"), Functions("+", first=True).bare("SUBJ+np")
    ('NP', 'np')
    """

    separators: str = "-="
    first: bool = False
    tags: bool = False

    def bare(self, label: str) -> str:
        """Return the label without functions and indices; one that begins with a separator (`-LRB-`) stays."""
        if not self.separators:
            return label
        parts = re.split(self._any, self.without_indices(label))
        return parts[-1 if self.first else 0] or label

    def without_indices(self, label: str) -> str:
        """Return the label with functions but without indices, the parts that are numbers.

        >>> Functions().without_indices("NP-SBJ-1=2")
        'NP-SBJ'
        """
        return self._index.sub("", label) if self.separators else label

    @cached_property
    def _any(self) -> str:
        return f"[{re.escape(self.separators)}]"

    @cached_property
    def _index(self) -> re.Pattern[str]:
        ends = f"[-={re.escape(self.separators)}]"
        return re.compile(rf"(?<=.){ends}\d+(?={ends}|$)" + (rf"|^\d+{ends}" if self.first else ""))

    def __str__(self) -> str:
        if not self.separators:
            return "none"
        return f"function{self.separators}label" if self.first else f"label{self.separators}function"


PENN = Functions()
NO_FUNCTIONS = Functions("")


def functions_named(pattern: str) -> Functions:
    """Return the functions of a pattern; ValueError for text that is not a pattern.

    >>> functions_named("function+label")
    Functions(separators='+', first=True, tags=False)
    """
    if pattern == "none":
        return NO_FUNCTIONS
    found = _PATTERN.fullmatch(pattern)
    if found is None:
        raise UsageError(
            "The pattern of functions must be the words label and function with the separator between them, such "
            f"as label-function or function+label, or none. Got {pattern!r}."
        )
    return Functions(found["after"] or found["before"], first=found["before"] is not None)


def functions_of(trees: Iterable[Tree], pattern: str | None = None) -> Functions:
    """Return how the labels of trees hold functions: as the pattern says, or as detected.

    Tags lose their functions if nearly all of them have one that phrases have too.
    """
    nodes = _Nodes(islice(trees, _MOST_TREES))
    found = detect_functions(nodes) if pattern is None else functions_named(pattern)
    return replace(found, tags=_in_tags(found, nodes))


class _Nodes:
    """The labels of phrases below the root, of tags, and of phrases with what is around them."""

    def __init__(self, trees: Iterable[Tree]) -> None:
        self.phrases: Counter[str] = Counter()
        self.tags: Counter[str] = Counter()
        self.around: Counter[tuple[str, str, tuple[str, str]]] = (
            Counter()
        )  # label, parent, first and last child
        for tree in trees:
            stack: list[tuple[Tree, str]] = [(tree, "")]
            while stack:
                node, parent = stack.pop()
                if node.is_preterminal:
                    self.tags[node.label] += 1
                    continue
                stack += [(child, node.label) for child in node.children if isinstance(child, Tree)]
                if parent:
                    ends = (_label(node.children[0]), _label(node.children[-1]))
                    self.phrases[node.label] += 1
                    self.around[node.label, parent, ends] += 1


def _label(child: Child) -> str:
    return child.label if isinstance(child, Tree) else ""


class _Split(NamedTuple):
    """Labels cut at a separator: how often each pair of parts occurs, and each label without a function."""

    pairs: Counter[tuple[str, str]]
    alone: Counter[str]

    @property
    def total(self) -> int:
        return self.pairs.total()

    def share(self, chosen: Iterable[tuple[str, str]]) -> float:
        """The share of the labels with a separator that have these parts."""
        return sum(self.pairs[pair] for pair in chosen) / self.total

    def alone_on(self, side: int) -> float:
        """The share of labels whose part on a side also occurs alone."""
        return self.share(pair for pair in self.pairs if pair[side] in self.alone)

    def fits(self, side: int) -> float:
        """The share of labels whose part on a side also occurs alone or with another part."""
        several = Counter(pair[side] for pair in self.pairs)
        return self.share(pair for pair in self.pairs if pair[side] in self.alone or several[pair[side]] > 1)

    def different(self, side: int) -> int:
        """How many different parts there are on a side."""
        return len({pair[side] for pair in self.pairs})


def detect_functions(nodes: _Nodes) -> Functions:
    """Return the pattern of the separator that most labels have; Penn's if none has enough evidence."""
    usual = PENN
    found: list[tuple[int, Functions]] = []
    for separator in SEPARATORS:
        split = _split(nodes.phrases, separator)
        if split.total < _FEWEST:
            continue
        first = _side(split, separator, nodes)
        if first is not None:
            found.append((split.total, Functions(separator, first)))
        elif separator in usual.separators and not _as_penn(split):
            usual = Functions(usual.separators.replace(separator, ""))
    if not found:
        return usual
    best = max(found, key=lambda one: one[0])[1]
    return usual if not best.first and best.separators in usual.separators else best


def _split(labels: Counter[str], separator: str) -> _Split:
    """Cut labels at a separator, indices apart; of several functions the farthest from the category counts."""
    pairs: Counter[tuple[str, str]] = Counter()
    alone: Counter[str] = Counter()
    for label, times in labels.items():
        left, right = _ends(label, separator)
        if left != right:
            pairs[left, right] += times
        else:
            alone[left] += times
    return _Split(pairs, alone)


def _ends(label: str, separator: str) -> tuple[str, str]:
    """Return the first and the last part of a label; the label twice if it has only one."""
    whole = PENN.without_indices(label)
    parts = whole.split(separator)
    return (parts[0], parts[-1]) if len(parts) > 1 and all(parts) else (whole, whole)


def _side(split: _Split, separator: str, nodes: _Nodes) -> bool | None:
    """Return whether the function comes first; None if the separator does not separate functions."""
    left, right = split.alone_on(0), split.alone_on(1)
    if min(left, right) > _RARE:
        return None
    if max(left, right) > _RARE:
        category = int(right > left)
        enough = split.fits(category) >= _SHARED
    else:
        category = int(_inside_out(nodes, separator, 1) > _inside_out(nodes, separator, 0))
        enough = split.fits(category) >= _SHARED and split.fits(1 - category) >= _SOME
    enough &= split.different(category) > 1 and split.different(1 - category) >= _FEWEST_FUNCTIONS
    return bool(category) if enough else None


def _as_penn(split: _Split) -> bool:
    """Whether the labels may be Penn's: most categories also occur alone or with several functions."""
    return split.fits(0) >= _MOST >= split.alone_on(1)


def _inside_out(nodes: _Nodes, separator: str, side: int) -> float:
    """Return how much a part of the label says about the children, for each bit that it says about the parent."""
    inside: Counter[tuple[str, object]] = Counter()
    outside: Counter[tuple[str, object]] = Counter()
    for (label, parent, children), times in nodes.around.items():
        ends = _ends(label, separator)
        if ends[0] != ends[1]:
            inside[ends[side], children] += times
            outside[ends[side], parent] += times
    return _information(inside) / max(_information(outside), 1e-9)


def _information(pairs: Counter[tuple[str, object]]) -> float:
    """Return the mutual information of two variables, corrected for small counts (Miller and Madow)."""
    total = pairs.total()
    one: Counter[str] = Counter()
    two: Counter[object] = Counter()
    for (x, y), times in pairs.items():
        one[x] += times
        two[y] += times
    found = sum(n / total * math.log(n * total / (one[x] * two[y])) for (x, y), n in pairs.items())
    return max(found - max(len(pairs) - len(one) - len(two) + 1, 0) / (2 * total), 0.0)


def _in_tags(functions: Functions, nodes: _Nodes) -> bool:
    """Whether nearly all tags have a function of phrases."""
    if not functions.separators:
        return False

    def of(label: str) -> str:
        bare = functions.bare(label)
        rest = label.removesuffix(bare) if functions.first else label.removeprefix(bare)
        return functions.without_indices(rest).strip(functions.separators)

    known: set[str] = {of(label) for label in nodes.phrases} - {""}
    with_function = sum(times for tag, times in nodes.tags.items() if of(tag) in known)
    return with_function >= _SHARED * nodes.tags.total() > 0


def told_of_functions(trees: Iterable[Tree], functions: Functions) -> str:
    """Return how many labels of phrases hold functions, for people; empty if none does."""
    labels = _Nodes(islice(trees, _MOST_TREES)).phrases
    held = [label for label, _ in labels.most_common() if functions.bare(label) != label]
    if not held:
        return ""
    bare = len({functions.bare(label) for label in labels})
    return f"{len(labels):,} labels hold functions, such as {held[0]} ({functions}), {bare} without"
