"""The options of sentiment, and the cuts that a dev set chooses from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from palmette.parameters import Options, option
from palmette.structures.minimum_cut import SHAPES, MinimumCut

_REACHES, _STRENGTHS = (1, 3), (0.1, 0.2, 0.5)


@dataclass(frozen=True, kw_only=True)
class SentimentOptions(Options):
    """How documents are read, and how their sentences are chosen. None: chosen on the dev set, if there is one."""

    reach: int | None = option(None, "distance of the farthest sentences that like to go together: T", low=1)
    strength: float | None = option(None, "cost of cutting neighbours apart: c; 0 for none", low=0)
    shape: str | None = option(None, "how the cost falls with the distance", choices=tuple(SHAPES))
    sentences: int | None = option(
        None, "keep this number of sentences of a document, not the cheapest", low=1
    )
    stays: str = option("subjective", "label of the sentences that stay", fixed=True)
    ngrams: int = option(2, "length of the longest word n-grams", low=1, fixed=True)
    lower: bool = option(True, "convert words to lower case", fixed=True)
    language: str = option("en", "language of documents that are not cut into sentences", fixed=True)
    folds: int = option(5, "parts of the sentences that calibrate their probabilities", low=2, fixed=True)

    def cuts(self, *, dev: bool) -> Iterator[MinimumCut]:
        """Return the cuts to try, the simplest first; without a dev set the usual one.

        >>> [cut.strength for cut in SentimentOptions(reach=1).cuts(dev=True)]
        [0.0, 0.1, 0.2, 0.5]
        """
        usual = MinimumCut()
        reaches = (self.reach,) if self.reach else _REACHES if dev else (usual.reach,)
        shapes = (self.shape,) if self.shape else tuple(SHAPES) if dev else (usual.shape,)
        strengths = (0.0, *_STRENGTHS) if dev else (usual.strength,)
        strengths = strengths if self.strength is None else (self.strength,)
        for reach in reaches:
            for shape in shapes[: 1 if reach == 1 else None]:  # at distance 1 all shapes are equal
                for strength in strengths:
                    if strength or (reach == reaches[0] and shape == shapes[0]):
                        yield MinimumCut(reach=reach, strength=strength, shape=shape)
