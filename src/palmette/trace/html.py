"""A trace as HTML for notebooks: the formula, the steps, and the figures as they are in the end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from palmette.drawing.canvas import TooLargeError
from palmette.drawing.tables import table_html
from palmette.trace.steps import Change, Figure, Place, Trace
from palmette.trace.svg import figure_svg
from palmette.trace.text import figure_rows

_TAGS = {"_": "sub", "^": "sup"}


def formula_html(formula: str) -> str:
    """A formula with what is below and above the line.

    >>> formula_html("δ_{i} < 1")
    'δ<sub>i</sub> &lt; 1'
    """
    return re.sub(r"([_^])\{([^{}]*)\}", lambda m: f"<{_TAGS[m[1]]}>{m[2]}</{_TAGS[m[1]]}>", escape(formula))


def html_of(trace: Trace) -> str:
    """The whole trace."""
    steps = "".join(
        f"<li>{escape(step.text)}"
        + (f"<br/><small>{formula_html(step.formula)}</small>" if step.formula else "")
        + "</li>"
        for step in trace.steps
    )
    figures = [_figure(figure, state) for figure in trace.figures if (state := trace.state(figure.name))]
    return (
        f"<h3>{escape(trace.title)}</h3><p><i>{formula_html(trace.formula)}</i></p>"
        f"<details><summary>{len(trace.steps)} steps</summary><ol>{steps}</ol></details>{''.join(figures)}"
        + (f"<p>{escape(trace.note)}</p>" if trace.note else "")
    )


def _figure(figure: Figure, state: Mapping[Place, Change]) -> str:
    """The image of a figure, with a table that opens; the table alone where the image would be too large."""
    rows = figure_rows(figure, state)
    table = table_html(rows[0], rows[1:], figure.title) if rows else ""
    try:
        image = figure_svg(figure, state)
    except TooLargeError:
        return table
    more = f"<details><summary>as a table</summary>{table}</details>" if table else ""
    return f"<div>{image}{more}</div>"
