"""The labels of a chain by number and name, and which of them may begin, follow each other and end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from palmette.inference.semiring import checked_count
from palmette.structures.chain_scores import Bools, Labels, checked_bools
from palmette.structures.schemes import transitions
from palmette.structures.span_marginals import Boundaries


class LabelSet:
    """Labels and constraints. `labels` are names, or how many there are; `scheme` derives from the names what may
    follow what; or, and in addition, `start[y]`, `pairs[x, y]` for y right after x, and `end[y]` say it.
    """

    def __init__(
        self,
        labels: Sequence[str] | int,
        scheme: str | None = None,
        *,
        start: npt.ArrayLike | None = None,
        pairs: npt.ArrayLike | None = None,
        end: npt.ArrayLike | None = None,
    ) -> None:
        self.labels = tuple(map(str, range(labels))) if isinstance(labels, int) else tuple(labels)
        if not self.labels:
            raise ValueError("a chain needs at least one label")
        if len(set(self.labels)) < len(self.labels):
            twice = next(y for y in self.labels if self.labels.count(y) > 1)
            raise ValueError(f"labels must differ from each other; {twice!r} appears twice")
        self.scheme = scheme
        L = len(self.labels)
        self.start = None if start is None else checked_bools(start, "start", (L,))
        self.pairs = None if pairs is None else checked_bools(pairs, "pairs", (L, L))
        self.end = None if end is None else checked_bools(end, "end", (L,))
        if scheme is not None:
            first, follow, last = transitions(self.labels, scheme)
            self.start = first if self.start is None else self.start & first
            self.pairs = follow if self.pairs is None else self.pairs & follow
            self.end = last if self.end is None else self.end & last

    @property
    def n_labels(self) -> int:
        return len(self.labels)

    @cached_property
    def _id_of(self) -> dict[str, int]:
        return {label: y for y, label in enumerate(self.labels)}

    @cached_property
    def boundaries(self) -> Boundaries:
        """Where spans begin and go on, by the names of the labels."""
        return Boundaries(self.labels)

    def names(self, y: Iterable[int]) -> list[str]:
        """The names of labels."""
        return [self.labels[label] for label in y]

    def ids(self, names: Iterable[str]) -> Labels:
        """The numbers of labels."""
        try:
            return np.array([self._id_of[name] for name in names], dtype=np.int32)
        except KeyError as missing:
            raise ValueError(f"{missing.args[0]!r} is not a label of this chain") from None

    def allow(
        self,
        n: int,
        known: Mapping[int, str | Iterable[str]] | None = None,
        forbidden: Mapping[int, str | Iterable[str]] | None = None,
    ) -> Bools:
        """The table `allowed` for n tokens, some with known labels (one, or one of several) or forbidden ones."""
        allowed = np.ones((checked_count(n, "n"), self.n_labels), dtype=bool)
        for given, is_known in ((known, True), (forbidden, False)):
            for i, names in (given or {}).items():
                if not 0 <= i < n:
                    raise ValueError(f"position {i} in a sentence of {n} tokens")
                those = np.zeros(self.n_labels, dtype=bool)
                those[self.ids([names] if isinstance(names, str) else names)] = True
                allowed[i] &= those if is_known else ~those
        return allowed
