"""From what the native parsers hand over to a corpus, or to the error that says why there is none."""

from __future__ import annotations

from collections.abc import Sequence

from palmette._native import ParsedTokens
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus, SentenceLines
from palmette.formats.skipped import Skipped, strict_or_lenient


def to_corpus(
    parsed: ParsedTokens, names: Sequence[str], *, has_heads: bool, lenient: bool, path: str | None
) -> Corpus:
    """The corpus that was parsed.

    Raises FormatError for the first problem of a strict parse, and when there is not one sentence.
    """
    skipped = check_problems(parsed, lenient=lenient, path=path)
    return Corpus(
        {name: Column(ids, strings) for name, (ids, strings) in zip(names, parsed.columns, strict=True)},
        parsed.offsets,
        heads=parsed.heads if has_heads else None,
        comments=SentenceLines(parsed.comment_offsets, parsed.comments),
        extras=SentenceLines(parsed.extra_offsets, parsed.extras),
        extra_after=parsed.extra_after,
        lines=parsed.lines,
        skipped=skipped,
        n_skipped=parsed.n_skipped,
    )


def check_problems(parsed: ParsedTokens, *, lenient: bool, path: str | None) -> list[Skipped]:
    """What a lenient parse left out; FormatError for a strict one, and when there is not one sentence."""
    return strict_or_lenient(
        parsed.problems,
        parsed.n_skipped,
        len(parsed.lines),
        lenient=lenient,
        path=path,
        noun="sentences",
        nothing="no sentences: there is no line but empty ones",
    )
