"""Aligned text, as the native extraction of rules takes it."""

from __future__ import annotations

from typing import Any

import numpy as np

from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.phrases import word_logs
from palmette.tools.alignment.text import ParallelText


def text_arrays(text: ParallelText, alignments: Alignments) -> tuple[Any, ...]:
    """Return sentences, links, lexical weights, sizes of vocabularies; ValueError unless each pair has links."""
    if len(alignments) != len(text):
        raise ValueError(
            f"There must be {len(text):,} alignments, one for each pair. Got {len(alignments):,}."
        )
    source, target = text.source, text.target
    return (
        source.offsets,
        source.ids,
        target.offsets,
        target.ids,
        alignments.offsets,
        alignments.source,
        alignments.target,
        *map(np.ascontiguousarray, word_logs(text, alignments)),
        len(source.strings),
        len(target.strings),
    )
