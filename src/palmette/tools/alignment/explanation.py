"""Why words are linked: the grid of a sentence pair, and the numbers of both directions behind every link."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.drawing.alignments import draw_alignment, draw_alignment_svg
from palmette.drawing.canvas import text_width
from palmette.formats.pharaoh import GoldAlignment, Link
from palmette.tools.alignment.model import AlignmentModel
from palmette.tools.alignment.text import ParallelText
from palmette.tools.explanation import Contribution, Decision, Explanation


@dataclass(frozen=True, eq=False)
class AlignmentExplanation(Explanation):
    """One sentence pair with its links, why they are there, and the likeliest links of words without any.

    The decisions are about links that were taken, and then about the likeliest links of words without any. A
    margin is how much the mean posterior of the two directions is above the threshold: half of each posterior,
    minus the threshold. It decides where links are symmetrized by "posterior"; other ways look at the best links
    of both directions, and the margin shows how sure these are.
    """

    source: list[str] = field(default_factory=list)
    target: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    posteriors: tuple[NDArray[np.float32], NDArray[np.float32]] = field(
        default_factory=lambda: (np.zeros((0, 0), np.float32), np.zeros((0, 0), np.float32))
    )
    gold: GoldAlignment | None = None
    ascii: bool = False

    @property
    def reasons(self) -> tuple[Decision, ...]:
        """The decisions about links that were taken."""
        return tuple(one for one in self.decisions if one.chosen == "link")

    @property
    def rejected(self) -> tuple[Decision, ...]:
        """The decisions about links that were not taken."""
        return tuple(one for one in self.decisions if one.chosen != "link")

    @property
    def probabilities(self) -> NDArray[np.float32]:
        """The mean of both directions, [source][target]."""
        p, q = self.posteriors
        mean: NDArray[np.float32] = ((p + q) / 2).astype(np.float32)
        return mean

    def draw(self) -> str:
        """Return the grid as text."""
        grid = self.source, self.target, self.links, self.probabilities
        return draw_alignment(*grid, gold=self.gold, ascii=self.ascii)

    def plain(self) -> AlignmentExplanation:
        """Return the same, drawn with plain characters."""
        return replace(self, ascii=True)

    def svg(self) -> str:
        """Return the grid as an SVG image."""
        return draw_alignment_svg(self.source, self.target, self.links, self.probabilities, gold=self.gold)

    def _repr_html_(self) -> str:
        return self.svg()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "source": self.source,
            "target": self.target,
            "links": [reason.to_dict() for reason in self.reasons],
            "rejected": [reason.to_dict() for reason in self.rejected],
            "probabilities": [[round(p, 6) for p in row] for row in self.probabilities.tolist()],
        }

    def table(self) -> str:
        """Return the numbers behind the links, a link on each line."""
        rows = [_cells(reason, self.ascii) for reason in self.reasons]
        others = [_cells(reason, self.ascii) for reason in self.rejected]
        head = ["link", "words", "p", "forth", "back", "t(target|source)", "t(source|target)"]
        widths = [max(map(text_width, column)) for column in zip(head, *rows, *others)]
        lines = [_line(head, widths), *(_line(row, widths) for row in rows)]
        if others:
            lines += ["", "words without a link, and the likeliest that was not taken", _line(head, widths)]
            lines += [_line(row, widths) for row in others]
        return "\n".join(lines)

    def __str__(self) -> str:
        return f"{self.draw()}\n\n{self.table()}"


def _cells(reason: Decision, ascii: bool) -> list[str]:
    facts = reason.extra
    words = (" - " if ascii else " – ").join(facts["words"])
    return [
        f"{facts['source']}-{facts['target']}",
        words,
        *(f"{facts[name]:.3f}" for name in ("probability", "forth", "back")),
        *(f"{facts[name]:.2g}" for name in ("target_given_source", "source_given_target")),
    ]


def _line(cells: list[str], widths: list[int]) -> str:
    padded = [cell + " " * (width - text_width(cell)) for cell, width in zip(cells, widths)]
    return "  ".join(padded).rstrip()


def explained(
    model: AlignmentModel,
    text: ParallelText,
    links: list[Link],
    gold: GoldAlignment | None,
    threshold: float,
) -> AlignmentExplanation:
    """Return the explanation of the first pair of a text, with these links."""
    source, target = text[0]
    p, q = next(model.posteriors(text.part(0, 1)))
    mean = (p + q) / 2

    def decision(i: int, j: int, taken: bool) -> Decision:
        e, f = source[i], target[j]
        forth, back = float(p[i, j]), float(q[i, j])
        parts = [
            Contribution("source to target", forth / 2, (j + 1,)),
            Contribution("target to source", back / 2, (i + 1,)),
            Contribution("threshold", -threshold),
        ]
        sign = 1 if taken else -1
        found = tuple(
            sorted((replace(c, amount=sign * c.amount) for c in parts), key=lambda c: -abs(c.amount))
        )
        facts = {
            "source": i,
            "target": j,
            "words": (e, f),
            "probability": float(mean[i, j]),
            "forth": forth,
            "back": back,
            "target_given_source": model.probability(e, f, back=False),
            "source_given_target": model.probability(f, e, back=True),
        }
        margin = math.fsum(c.amount for c in found)
        named = "link", "no link"
        chosen, rival = named if taken else named[::-1]
        told = f"{i}-{j}  {e} – {f}, {chosen}, margin {margin:+.3f}"
        return Decision(f"{e} – {f}", chosen, rival, margin, found, extra=facts, text=told)

    missed: set[Link] = set()
    if len(source) and len(target):
        alone = set(range(len(source))) - {i for i, _ in links}
        missed = {(i, int(mean[i].argmax())) for i in alone}
        alone = set(range(len(target))) - {j for _, j in links}
        missed |= {(int(mean[:, j].argmax()), j) for j in alone}
    made = [decision(i, j, True) for i, j in links] + [decision(i, j, False) for i, j in sorted(missed)]
    return AlignmentExplanation(tuple(made), "links", source, target, links, (p, q), gold)
