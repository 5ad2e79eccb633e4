"""A row of the table: a piece of work, how long it took us and a peer, and what is required of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Times are seconds. The ratio says how many times faster we are than the peer; below one we are slower.

    `amount` of `unit` is how much was done, so that the row has a rate. `least_ratio` and `least_rate` are
    required of the row, or None. `quality` says how good the results are; `holds`, if not None, whether they and
    the memory are as good as required.
    """

    work: str
    ours: float
    peer: float | None = None
    amount: float | None = None
    unit: str = ""
    least_ratio: float | None = None
    least_rate: float | None = None
    memory: str = ""
    quality: str = ""
    holds: bool | None = None

    @property
    def ratio(self) -> float | None:
        return None if self.peer is None else self.peer / self.ours

    @property
    def rate(self) -> float | None:
        return None if self.amount is None else self.amount / self.ours

    @property
    def required(self) -> str:
        parts = []
        if self.least_rate is not None:
            parts.append(f"{self.least_rate:g} {self.unit}/s")
        if self.least_ratio is not None:
            parts.append(times_text(self.least_ratio))
        return ", ".join(parts)

    @property
    def met(self) -> bool | None:
        """Whether everything required is reached; None where nothing is."""
        checks = [
            have is not None and have >= want
            for have, want in ((self.rate, self.least_rate), (self.ratio, self.least_ratio))
            if want is not None
        ]
        if self.holds is not None:
            checks.append(self.holds)
        return all(checks) if checks else None

    def as_dict(self) -> dict[str, object]:
        """The row for `--json`."""
        return {
            "work": self.work,
            "ours": self.ours,
            "peer": self.peer,
            "ratio": self.ratio,
            "rate": self.rate,
            "unit": self.unit and f"{self.unit}/s",
            "required": self.required,
            "met": self.met,
            "memory": self.memory,
            "quality": self.quality,
        }


class UnavailableError(Exception):
    """A benchmark, or what is left of it, cannot run here; the message says what is missing."""


def times_text(ratio: float) -> str:
    """
    >>> times_text(20), times_text(1 / 3), times_text(2.345), times_text(0.42)
    ('20x', '1/3x', '2.3x', '1/2.4x')
    """
    if ratio < 1:
        return f"1/{number_text(1 / ratio)}x"
    return f"{number_text(ratio)}x"


def number_text(value: float) -> str:
    """Two or three digits that count."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}".removesuffix(".0")


def seconds_text(seconds: float) -> str:
    """
    >>> seconds_text(1.234), seconds_text(0.0123), seconds_text(0.0000045)
    ('1.23 s', '12.3 ms', '4.5 µs')
    """
    for scale, unit in ((1.0, "s"), (1e3, "ms")):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
