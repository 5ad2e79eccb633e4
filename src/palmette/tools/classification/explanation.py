"""Why an item has its class: the class against the runner-up, and the features that make up the margin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from palmette.tools.classification.model import Reasons


@dataclass(frozen=True)
class Amount:
    """A feature, a fragment of a tree or an example like this one, and what it adds to the margin."""

    feature: str
    amount: float


@dataclass(frozen=True)
class ClassDecision:
    """An item: its class, the runner-up, the margin and what it is made of.

    `contributions` come largest first; with `others`, what is left out of them, they sum to `margin`. With
    one class only there is no runner-up. `scores` are those of `decision_function` for the two classes, and
    `margin_of` says what the margin is the difference of:

    - "scores": these scores.
    - "pair": the two sides of the machine that tells the two classes apart. Scores count the pairs that a class
      wins, so this machine may prefer the runner-up: the margin is then below zero.
    - "mean": the scores of the mean of all vectors that vote. Scores are parts of the votes; where they are close,
      the mean may prefer the runner-up: the margin is then below zero.
    """

    item: str
    label: Any
    runner_up: Any
    margin: float | None
    contributions: tuple[Amount, ...] = ()
    others: float = 0.0
    scores: tuple[float, float] | None = None
    margin_of: str = "scores"

    @classmethod
    def of(
        cls, item: str, label: Any, runner_up: Any, reasons: Reasons, scores: tuple[float, float]
    ) -> ClassDecision:
        """The decision with all its contributions."""
        ranked = sorted(reasons.amounts.items(), key=lambda pair: (-abs(pair[1]), pair[0]))
        amounts = tuple(Amount(name, amount) for name, amount in ranked)
        return cls(item, label, runner_up, reasons.margin, amounts, reasons.rest, scores, reasons.margin_of)

    def first(self, top: int) -> ClassDecision:
        """The decision with its largest contributions only, and what the others add in one number."""
        rest = sum(c.amount for c in self.contributions[top:])
        return replace(self, contributions=self.contributions[:top], others=self.others + rest)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    def __str__(self) -> str:
        if self.runner_up is None:
            return f"{self.item}\n{self.label}, the only class there is"
        head = f"{self.label}, runner-up {self.runner_up}, margin {self.margin:+.3f}"
        lines = [f"   {c.amount:+8.3f}  {c.feature}" for c in self.contributions]
        if abs(self.others) > 1e-9:
            lines.append(f"   {self.others:+8.3f}  all others")
        return "\n".join([self.item, head, *self._notes(), *lines])

    def _notes(self) -> Iterator[str]:
        """What decided, where the margin is not the difference of the scores."""
        if self.scores is None or self.margin is None or self.margin_of == "scores":
            return
        one, two = self.scores
        if self.margin_of == "pair":
            yield f"  pairs won: {self.label} {round(one)}, {self.runner_up} {round(two)}"
            yield f"  the margin is that of the machine {self.label} against {self.runner_up}"
            alone = "that machine alone"
        else:
            yield f"  part of the votes: {self.label} {one:.3f}, {self.runner_up} {two:.3f}"
            yield "  the margin is that of the mean of all vectors that vote"
            alone = "the mean alone"
        if self.margin < 0:
            decided = "the other pairs" if self.margin_of == "pair" else "the votes"
            yield f"  it is below zero: {alone} prefers {self.runner_up}, and {decided} decided for {self.label}"
