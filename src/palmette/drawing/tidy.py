"""Places for the nodes of a continuous tree on a page, each level of the tree on a row.

Subtrees are as close to each other as the gap between neighbours on a row allows, and a node in the middle above
its first and last child (Reingold and Tilford, "Tidier Drawings of Trees", 1981). Every line leads from a row to
the next and both ends are in the order of the words, so no two lines cross, and none touches a label.

Cost: linear in the nodes. A contour is kept from the lowest row to the highest, so that a node adds its own at the
end, and where two subtrees are joined, only the rows of the shallower one are touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class _Contour:
    """The left and right ends of a subtree on each of its rows, the lowest first; `shift` is still to be added."""

    left: list[float]
    right: list[float]
    shift: float = 0.0

    def beside(self, other: _Contour, gap: float) -> float:
        """How far the other has to move to be to the right of this."""
        rows = range(1, min(len(self.left), len(other.left)) + 1)
        between = max(self.right[-row] - other.left[-row] for row in rows)
        return between + self.shift - other.shift + gap

    def joined(self, other: _Contour) -> _Contour:
        """Both in one; the other is on the right."""
        deep, shallow = (self, other) if len(self.left) >= len(other.left) else (other, self)
        ends, wanted = (deep.right, shallow.right) if deep is self else (deep.left, shallow.left)
        for row in range(1, len(wanted) + 1):
            ends[-row] = wanted[-row] + shallow.shift - deep.shift
        return deep

    def under(self, width: float) -> _Contour:
        """With a node of some width above."""
        self.left.append(-width / 2 - self.shift)
        self.right.append(width / 2 - self.shift)
        return self


def tidy(children: Sequence[Sequence[int]], widths: Sequence[float], gap: float) -> list[float]:
    """The middle of every node, at least its half width from 0.

    children: the children of each node, from left to right, which come before it; the last node is the root.
    """
    contours: dict[int, _Contour] = {}
    offsets = [0.0] * len(children)  # from the middle of the parent
    for node, below in enumerate(children):
        whole: _Contour | None = None
        for child in below:
            contour = contours.pop(child)
            if whole is None:
                whole = contour
                continue
            offsets[child] = whole.beside(contour, gap)
            contour.shift += offsets[child]
            whole = whole.joined(contour)
        if whole is None:
            contours[node] = _Contour([], []).under(widths[node])
            continue
        middle = offsets[below[-1]] / 2
        for child in below:
            offsets[child] -= middle
        whole.shift -= middle
        contours[node] = whole.under(widths[node])
    (root,) = contours.values()
    places = [0.0] * len(children)
    places[-1] = -min(root.left) - root.shift
    for node in reversed(range(len(children))):
        for child in children[node]:
            places[child] = places[node] + offsets[child]
    return places
