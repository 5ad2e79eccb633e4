"""Labels for tokens: taggers, span taggers, induced taggers."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.sequence.hmm import HMM as HMM
    from palmette.tools.sequence.memm import MEMM as MEMM
    from palmette.tools.sequence.span_tagger import Span as Span
    from palmette.tools.sequence.span_tagger import SpanTagger as SpanTagger
    from palmette.tools.sequence.tag_inducer import TagInducer as TagInducer
    from palmette.tools.sequence.tagger import Tagger as Tagger
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "hmm": "HMM",
            "memm": "MEMM",
            "span_tagger": "Span SpanTagger",
            "tag_inducer": "TagInducer",
            "tagger": "Tagger",
        },
    )
