"""Alignments of many sentence pairs in arrays: links (source word, target word) from 0 on, with probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.formats.pharaoh import Link

MOST_GRIDS = 4  # in a notebook


@dataclass(frozen=True, eq=False)
class Alignments(Sequence[list[Link]]):
    """Links of sentence s from `offsets[s]` on, in order; `probability` is empty where it is not known.

    >>> found = Alignments.of([[(0, 0), (1, 2)], []])
    >>> found[0], len(found), found.pharaoh()
    ([(0, 0), (1, 2)], 2, '0-0 1-2\\n\\n')
    """

    offsets: NDArray[np.int64]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    probability: NDArray[np.float32]

    @classmethod
    def of(cls, alignments: Iterable[Iterable[Link]]) -> Alignments:
        """From sets of links."""
        rows = [sorted(links) for links in alignments]
        flat = np.array([link for row in rows for link in row], dtype=np.int32).reshape(-1, 2)
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]).astype(
            np.int64
        )
        source, target = np.ascontiguousarray(flat[:, 0]), np.ascontiguousarray(flat[:, 1])
        return cls(offsets, source, target, np.zeros(0, np.float32))

    @classmethod
    def joined(cls, parts: Sequence[Alignments]) -> Alignments:
        """Several, one after another."""
        if len(parts) == 1:
            return parts[0]
        ends = np.cumsum([0, *(len(part.source) for part in parts)])
        offsets = [part.offsets[1:] + end for part, end in zip(parts, ends)]
        columns = [
            np.concatenate([getattr(part, name) for part in parts] or [np.zeros(0, dtype)])
            for name, dtype in (("source", np.int32), ("target", np.int32), ("probability", np.float32))
        ]
        return cls(np.concatenate([np.zeros(1, np.int64), *offsets]), *columns)

    def part(self, begin: int, end: int) -> Alignments:
        """The links of some sentences."""
        low, high = self.offsets[begin], self.offsets[end]
        known = self.probability[low:high] if len(self.probability) else self.probability
        return Alignments(
            self.offsets[begin : end + 1] - low, self.source[low:high], self.target[low:high], known
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> list[Link]: ...
    @overload
    def __getitem__(self, index: slice) -> list[list[Link]]: ...
    def __getitem__(self, index: int | slice) -> list[Link] | list[list[Link]]:
        if isinstance(index, slice):
            return [self[s] for s in range(*index.indices(len(self)))]
        s = range(len(self))[index]
        at = slice(self.offsets[s], self.offsets[s + 1])
        return list(zip(self.source[at].tolist(), self.target[at].tolist()))

    def __iter__(self) -> Iterator[list[Link]]:
        links = list(zip(self.source.tolist(), self.target.tolist()))
        ends = self.offsets.tolist()
        return (links[begin:end] for begin, end in pairwise(ends))

    def outside(
        self, source_offsets: NDArray[np.int64], target_offsets: NDArray[np.int64]
    ) -> tuple[int, str] | None:
        """Return the first sentence with a link outside of it, and what is wrong; None if all lie inside.

        source_offsets, target_offsets: where the words of each sentence begin, as in a `ParallelText`.
        """
        sizes = np.diff(self.offsets)
        n, m = np.diff(source_offsets), np.diff(target_offsets)
        bad = (self.source < 0) | (self.target < 0)
        bad |= (self.source >= np.repeat(n, sizes)) | (self.target >= np.repeat(m, sizes))
        if not bad.any():
            return None
        link = int(bad.argmax())
        s = int(np.searchsorted(self.offsets, link, side="right")) - 1
        return s, (
            f"the link {self.source[link]}-{self.target[link]} lies outside of its sentence pair, which has "
            f"{n[s]} and {m[s]} words; words are counted from 0"
        )

    def probabilities(self, s: int) -> list[float]:
        """Those of the links of a sentence."""
        s = range(len(self))[s]
        found: list[float] = self.probability[self.offsets[s] : self.offsets[s + 1]].tolist()
        return found

    def _repr_html_(self) -> str:
        """The first sentence pairs as grids of the numbers of their words."""
        from palmette.drawing.alignments import draw_alignment_svg

        grids = []
        for links in self[:MOST_GRIDS]:
            source, target = (max((link[side] for link in links), default=-1) + 1 for side in (0, 1))
            grids.append(draw_alignment_svg([*map(str, range(source))], [*map(str, range(target))], links))
        more = (
            f"<p>… and {len(self) - MOST_GRIDS:,} more sentence pairs</p>" if len(self) > MOST_GRIDS else ""
        )
        return "".join(grids) + more

    def pharaoh(self, probabilities: bool = False) -> str:
        """One line for every sentence pair: `0-0 1-2`, or `0-0:0.9871 1-2:0.5012`."""
        return self.pharaoh_bytes(probabilities).decode()

    def pharaoh_bytes(self, probabilities: bool = False) -> bytes:
        """The same for a file."""
        if probabilities and len(self.probability) != len(self.source):
            raise ValueError("These links have no probabilities.")
        known = self.probability if probabilities else self.probability[:0]
        return _native.pharaoh_lines(self.offsets, self.source, self.target, known)
