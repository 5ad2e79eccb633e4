"""Why words are linked: the grid of a sentence pair, and the numbers of both directions behind every link."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.drawing.canvas import text_width
from palmette.formats.pharaoh import GoldAlignment, Link
from palmette.tools.alignment.drawing import draw_alignment, draw_alignment_svg
from palmette.tools.alignment.model import AlignmentModel
from palmette.tools.alignment.text import ParallelText


@dataclass(frozen=True)
class LinkReason:
    """A link: its probability, its posteriors in both directions, and the lexical tables' p(word | word)."""

    source: int
    target: int
    words: tuple[str, str]
    probability: float
    forth: float
    back: float
    target_given_source: float
    source_given_target: float


@dataclass(frozen=True, eq=False)
class AlignmentExplanation:
    """One sentence pair with its links, their reasons, and for words without a link the likeliest one they had."""

    source: list[str]
    target: list[str]
    links: list[Link]
    posteriors: tuple[NDArray[np.float32], NDArray[np.float32]]
    reasons: list[LinkReason]
    rejected: list[LinkReason]
    gold: GoldAlignment | None = None
    ascii: bool = False

    @property
    def probabilities(self) -> NDArray[np.float32]:
        """The mean of both directions, [source][target]."""
        p, q = self.posteriors
        mean: NDArray[np.float32] = ((p + q) / 2).astype(np.float32)
        return mean

    def draw(self) -> str:
        """The grid as text."""
        grid = self.source, self.target, self.links, self.probabilities
        return draw_alignment(*grid, gold=self.gold, ascii=self.ascii)

    def plain(self) -> AlignmentExplanation:
        """The same, drawn with plain characters."""
        return replace(self, ascii=True)

    def svg(self) -> str:
        """The grid as an SVG image."""
        return draw_alignment_svg(self.source, self.target, self.links, self.probabilities, gold=self.gold)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "source": self.source,
            "target": self.target,
            "links": [asdict(reason) for reason in self.reasons],
            "rejected": [asdict(reason) for reason in self.rejected],
            "probabilities": [[round(p, 6) for p in row] for row in self.probabilities.tolist()],
        }

    def table(self) -> str:
        """The reasons, a link on each line."""
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


def _cells(reason: LinkReason, ascii: bool) -> list[str]:
    numbers = reason.probability, reason.forth, reason.back
    given = reason.target_given_source, reason.source_given_target
    words = (" - " if ascii else " – ").join(reason.words)
    return [
        f"{reason.source}-{reason.target}",
        words,
        *(f"{x:.3f}" for x in numbers),
        *(f"{x:.2g}" for x in given),
    ]


def _line(cells: list[str], widths: list[int]) -> str:
    padded = [cell + " " * (width - text_width(cell)) for cell, width in zip(cells, widths)]
    return "  ".join(padded).rstrip()


def explained(
    model: AlignmentModel, text: ParallelText, links: list[Link], gold: GoldAlignment | None
) -> AlignmentExplanation:
    """The explanation of the first pair of a text, with these links."""
    source, target = text[0]
    p, q = next(model.posteriors(text.part(0, 1)))
    mean = (p + q) / 2

    def reason(i: int, j: int) -> LinkReason:
        e, f = source[i], target[j]
        given = model.probability(e, f, back=False), model.probability(f, e, back=True)
        return LinkReason(i, j, (e, f), float(mean[i, j]), float(p[i, j]), float(q[i, j]), *given)

    rejected = []
    if len(source) and len(target):
        alone = set(range(len(source))) - {i for i, _ in links}
        missed = {(i, int(mean[i].argmax())) for i in alone}
        alone = set(range(len(target))) - {j for _, j in links}
        missed |= {(int(mean[:, j].argmax()), j) for j in alone}
        rejected = [reason(i, j) for i, j in sorted(missed)]
    reasons = [reason(i, j) for i, j in links]
    return AlignmentExplanation(source, target, links, (p, q), reasons, rejected, gold)
