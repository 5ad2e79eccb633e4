"""Why an item has its class: the class against the runner-up, and the features that make up the margin."""

from __future__ import annotations

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
    one class only there is no runner-up. `votes`: the parts of the votes of the two, where all vectors of a
    perceptron vote; the margin is then that of their mean, and may be below zero where the votes are close.
    """

    item: str
    label: Any
    runner_up: Any
    margin: float | None
    contributions: tuple[Amount, ...] = ()
    others: float = 0.0
    votes: tuple[float, float] | None = None

    @classmethod
    def of(cls, item: str, label: Any, runner_up: Any, reasons: Reasons) -> ClassDecision:
        """The decision with all its contributions."""
        ranked = sorted(reasons.amounts.items(), key=lambda pair: (-abs(pair[1]), pair[0]))
        amounts = tuple(Amount(name, amount) for name, amount in ranked)
        return cls(item, label, runner_up, reasons.margin, amounts, reasons.rest, reasons.votes)

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
        if self.votes is not None:
            head += " of the mean vector\n  {:.3f} of the votes, not {:.3f}".format(*self.votes)
        lines = [f"   {c.amount:+8.3f}  {c.feature}" for c in self.contributions]
        if abs(self.others) > 1e-9:
            lines.append(f"   {self.others:+8.3f}  all others")
        return "\n".join([self.item, head, *lines])
