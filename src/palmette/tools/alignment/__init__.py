"""Word alignment: which words of a sentence are which of its translation."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.alignment.aligner import Aligner as Aligner
    from palmette.tools.alignment.phrases import PhraseTable as PhraseTable
    from palmette.tools.alignment.phrases import extract_phrases as extract_phrases
    from palmette.tools.alignment.symmetrization import symmetrize as symmetrize
    from palmette.tools.alignment.text import ParallelText as ParallelText
    from palmette.tools.alignment.text import read_pairs as read_pairs
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "aligner": "Aligner",
            "phrases": "PhraseTable extract_phrases",
            "symmetrization": "symmetrize",
            "text": "ParallelText read_pairs",
        },
    )
