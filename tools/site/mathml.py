"""Formulas as MathML, which browsers show without a script: `$...$` in lines, `$$...$$` on their own."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml


def _mathml(text: str, *, block: bool) -> str:
    tree = latex2mathml.tex2mathml(text, as_block=block)
    return tree if isinstance(tree, str) else tree.toprettyxml()


def visit_inline(self: Any, node: nodes.Element) -> None:
    """Write a formula inside of a line."""
    self.body.append(_mathml(node.astext(), block=False))
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.Element) -> None:
    """Write a formula on lines of its own."""
    self.body.append(
        self.starttag(node, "div", CLASS="math") + _mathml(node.astext(), block=True) + "</div>\n"
    )
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Make it a renderer for formulas that conf.py can name."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
