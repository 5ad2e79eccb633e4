"""Why a translation was chosen: its phrases, the share of each feature, and the next different translation.

The margin is the difference of the two scores. It is the sum over features of weight · (value of the one − value
of the other), feature by feature.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from palmette.drawing.canvas import drawn_or_told, text_width
from palmette.drawing.phrases import Link, draw_phrases, draw_phrases_svg
from palmette.tools.explanation import Contribution, Decision, Explanation
from palmette.tools.translation.model import Floats
from palmette.tools.translation.translation import Translation


@dataclass(frozen=True)
class TranslationExplanation(Explanation):
    """One sentence, its translation, and why not another one.

    translations: the chosen one and its rival, if there is one. names, weights: of the features.
    """

    source: tuple[str, ...] = ()
    translations: tuple[Translation, ...] = ()
    names: tuple[str, ...] = ()
    weights: Floats | None = field(default=None, compare=False)
    ascii: bool = False
    width: int | None = None

    def draw(self) -> str:
        """Return the phrases as text; from a method with rules, both trees of the derivation."""
        chosen = self.translations[0]
        if chosen.derivation is not None:
            pair = drawn_or_told(
                lambda: chosen.derivation.draw(self.source, width=self.width, ascii=self.ascii) or ""
            )
            if pair:
                return pair
        return drawn_or_told(
            lambda: draw_phrases(
                self.source, chosen.words, phrase_links(chosen), width=self.width, ascii=self.ascii
            )
        )

    def svg(self) -> str:
        """Return the phrases as an SVG image; from a method with rules, both trees of the derivation."""
        tree = self.translations[0].derivation
        if tree is not None and (image := tree.svg(self.source)) is not None:
            return str(image)
        return draw_phrases_svg(self.source, self.translations[0].words, phrase_links(self.translations[0]))

    def _repr_html_(self) -> str:
        return f"<div>{drawn_or_told(self.svg)}</div>{super()._repr_html_()}"

    def plain(self) -> TranslationExplanation:
        """Return the same, drawn with plain characters."""
        return replace(self, ascii=True)

    def fitting(self, width: int) -> TranslationExplanation:
        """Return the same; a drawing that is wider becomes a list."""
        return replace(self, width=width)

    def table(self) -> str:
        """Return the features of the translation and of its rival: values, weights, shares."""
        assert self.weights is not None
        two = len(self.translations) > 1
        head = ["feature", "weight", "value", "share", *(["rival", "share", "difference"] if two else [])]
        rows = []
        for k, name in enumerate(self.names):
            w = float(self.weights[k])
            values = [float(one.features[k]) for one in self.translations]
            cells = [name, f"{w:.4f}"]
            for value in values:
                cells += [f"{value:.3f}", f"{w * value:+.3f}"]
            rows.append(cells + ([f"{w * (values[0] - values[1]):+.3f}"] if two else []))
        total = ["sum", "", "", f"{self.translations[0].score:+.3f}"]
        if two:
            total += ["", f"{self.translations[1].score:+.3f}", f"{self.decisions[0].margin:+.3f}"]
        lines = [head, *rows, total]
        widths = [max(text_width(line[k]) for line in lines) for k in range(len(head))]
        return "\n".join(
            "  ".join(
                cell + " " * (w - text_width(cell)) if k == 0 else " " * (w - text_width(cell)) + cell
                for k, (cell, w) in enumerate(zip(line, widths))
            ).rstrip()
            for line in lines
        )

    def __str__(self) -> str:
        told = "\n".join(map(str, self.decisions))
        return f"{self.draw()}\n\n{self.table()}\n\n{told}"


def phrase_links(translation: Translation) -> list[Link]:
    """Return the phrases of a translation by their places."""
    found, at = [], 0
    for phrase in translation.phrases:
        n = len(phrase.target)
        found.append(Link(phrase.begin, phrase.end, at, at + n))
        at += n
    return found


def explained(
    source: Sequence[str], ranked: Sequence[Translation], names: tuple[str, ...], weights: Floats
) -> TranslationExplanation:
    """Explain the first translation against the second, which has other words; alone, if it has no rival."""
    chosen = ranked[0]
    rival = ranked[1] if len(ranked) > 1 else None
    text = " ".join(chosen.words)
    amounts = weights * chosen.features if rival is None else weights * (chosen.features - rival.features)
    parts = sorted(
        (Contribution(name, float(amount)) for name, amount in zip(names, amounts) if amount),
        key=lambda part: (-abs(part.amount), part.feature),
    )
    margin = math.inf if rival is None else math.fsum(part.amount for part in parts)
    other = None if rival is None else " ".join(rival.words)
    told = (
        f"{text}\n  has no rival; its score is {chosen.score:+.3f}"
        if other is None
        else f"{text}\n  and not\n{other}\n  margin {margin:+.3f}"
    )
    extra: dict[str, Any] = {
        "score": chosen.score,
        "phrases": [
            {
                "source": " ".join(source[phrase.begin : phrase.end]),
                "target": " ".join(phrase.target),
                "words": [phrase.begin + 1, phrase.end],
            }
            for phrase in chosen.phrases
        ],
        "features": {
            name: {"weight": float(w), "value": float(value), "share": float(w * value)}
            for name, w, value in zip(names, weights, chosen.features)
        },
    }
    decision = Decision(" ".join(source), text, other, margin, tuple(parts), extra=extra, text=told)
    return TranslationExplanation(
        (decision,), "translations", tuple(source), tuple(ranked[:2]), names, weights
    )
