"""Aligned text, as the native extraction of rules takes it."""

from __future__ import annotations

from typing import Any

from palmette.messages import counted
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.phrases import word_logs
from palmette.tools.alignment.text import ParallelText


def text_arrays(text: ParallelText, alignments: Alignments) -> dict[str, Any]:
    """Return sentences, links, lexical weights, sizes of vocabularies; ValueError unless each pair has links."""
    if len(alignments) != len(text):
        raise ValueError(
            f"There must be {counted(len(text), 'alignment')}, one for each pair. Got {len(alignments):,}."
        )
    source, target = text.source, text.target
    source_logs, target_logs = word_logs(text, alignments)
    return {
        "source_offsets": source.offsets,
        "source": source.ids,
        "target_offsets": target.offsets,
        "target": target.ids,
        "links_at": alignments.offsets,
        "link_source": alignments.source,
        "link_target": alignments.target,
        "source_logs": source_logs,
        "target_logs": target_logs,
        "n_source_words": len(source.strings),
        "n_target_words": len(target.strings),
    }
