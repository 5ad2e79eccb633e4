"""A trace as data: figures, and steps that change places in them.

What a figure shows after step t is the last change of each of its places up to t. The page draws it so, and so do
`to_text` and `_repr_html_`.

| kind     | a place is                        | what it shows                                             |
|----------|-----------------------------------|-----------------------------------------------------------|
| `table`  | (row, column), names              | `text`, and `value` as shading; in columns of `lists` words |
| `chart`  | (first, last, name), of words     | `text` in the cell of the words from first to last        |
| `arcs`   | (head, dependent), root 0         | an arc with `text`                                        |
| `links`  | (source, target), from 0          | a line as strong as `value`                               |
| `stacks` | (stack, number)                   | a card with `text` and `detail`                           |
| `plot`   | (series, number)                  | a line through `points`                                   |
| `trees`  | (tree, node), in preorder from 0  | a node with a mark                                        |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Place = tuple[str | int, ...]
MARKS = ("", "best", "dropped", "right", "wrong")


@dataclass(frozen=True)
class Change:
    """What a step puts into a place of a figure; text None takes away what is there.

    value: from 0 to 1, how strongly it is drawn. mark: one of MARKS. points: of a line in a plot.
    """

    figure: str
    place: Place
    text: str | None
    value: float | None = None
    mark: str = ""
    detail: str = ""
    points: tuple[tuple[float, float], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The change as a JSON object, without what is empty."""
        found: dict[str, Any] = {"figure": self.figure, "place": list(self.place), "text": self.text}
        if self.value is not None:
            found["value"] = self.value
        if self.points:
            found["points"] = [list(point) for point in self.points]
        found |= {name: getattr(self, name) for name in ("mark", "detail") if getattr(self, name)}
        return found


@dataclass(frozen=True)
class Step:
    """A step: what happens, the formula with its numbers, what changes, and which places are read."""

    text: str
    changes: tuple[Change, ...] = ()
    formula: str = ""
    reads: tuple[tuple[str, Place], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The step as a JSON object."""
        return {
            "text": self.text,
            "formula": self.formula,
            "changes": [change.to_json() for change in self.changes],
            "reads": [[figure, *place] for figure, place in self.reads],
        }


@dataclass(frozen=True)
class Figure:
    """Where steps show what they do. data: what never changes: rows and columns, words, trees, axes."""

    name: str
    kind: str
    title: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The figure as a JSON object."""
        return {"name": self.name, "kind": self.kind, "title": self.title, **self.data}


@dataclass(frozen=True)
class Trace:
    """An algorithm step by step.

    formula: with _{…} and ^{…} for what is below and above the line. result: what the algorithm finds in the end.
    """

    name: str
    title: str
    formula: str
    figures: Sequence[Figure]
    steps: Sequence[Step]
    result: Mapping[str, Any]
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The whole trace as a JSON object."""
        return {
            "name": self.name,
            "title": self.title,
            "formula": self.formula,
            "note": self.note,
            "figures": [figure.to_json() for figure in self.figures],
            "steps": [step.to_json() for step in self.steps],
            "result": dict(self.result),
        }

    def state(self, figure: str, after: int | None = None) -> dict[Place, Change]:
        """What a figure shows after this number of steps, by place; after None: in the end."""
        found: dict[Place, Change] = {}
        for step in self.steps[:after]:
            for change in step.changes:
                if change.figure == figure:
                    found.pop(change.place, None)
                    if change.text is not None:
                        found[change.place] = change
        return found

    def to_text(self) -> str:
        """All steps as text, and the figures as they are in the end."""
        from palmette.trace.text import text_of

        return text_of(self)

    def svg(self, figure: str, after: int | None = None) -> str:
        """A figure as an SVG image, after this number of steps; after None: in the end."""
        from palmette.trace.svg import figure_svg

        found = next((one for one in self.figures if one.name == figure), None)
        if found is None:
            names = ", ".join(one.name for one in self.figures)
            raise ValueError(f"{self.name} has no figure {figure!r}: there are {names}")
        return figure_svg(found, self.state(figure, after))

    def _repr_html_(self) -> str:
        from palmette.trace.html import html_of

        return html_of(self)


def number(x: float) -> str:
    """A number in three digits.

    >>> number(0.123456), number(12.0), number(float("-inf")), number(1e-7)
    ('0.123', '12', '−∞', '1e−07')
    """
    if x in (float("inf"), float("-inf")):
        return "∞" if x > 0 else "−∞"
    return f"{x:.3g}".replace("-", "−")
