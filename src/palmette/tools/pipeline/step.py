"""The steps of a pipeline: each fills columns of a corpus, and needs columns that earlier ones fill.

| step | fills | needs |
| --- | --- | --- |
| tokens | form, misc | text |
| words | form, the ranges of multiword tokens | form |
| morphology | upos, xpos, feats | form |
| lemmas | lemma | form, upos, feats |
| parser | head, deprel | what it was trained on |
| entities | entity | what it was trained on |

The first two make the corpus, and are the pipeline's tokenizer. A tagger that a user trained is a step named after
its column.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile

TOKENS, WORDS, MORPHOLOGY, LEMMAS, PARSER, ENTITIES = (
    "tokens",
    "words",
    "morphology",
    "lemmas",
    "parser",
    "entities",
)
STEPS = (TOKENS, WORDS, MORPHOLOGY, LEMMAS, PARSER, ENTITIES)


class Step(Protocol):
    """What a pipeline asks of a step. `tool` is the trained tool that does the work."""

    @property
    def name(self) -> str:
        """The step's name in the table above, or the column of a tagger."""

    @property
    def fills(self) -> tuple[str, ...]:
        """The columns that it fills."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that must be there before it."""

    @property
    def tool(self) -> Any:
        """The trained tool."""

    def annotate(self, corpus: Corpus, *, keep: Collection[str] = ()) -> Corpus:
        """The corpus with its columns filled; values that are there in columns of `keep` stay."""

    def probabilities(self, corpus: Corpus) -> Mapping[str, NDArray[np.float32]]:
        """The probability of what `annotate` filled in, by layer; none where the tool has none."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """What to know about these probabilities: why a layer has none, or that they are estimates."""

    def to_model(self, *, compact: bool = True) -> ModelFile:
        """The model file of the tool."""
