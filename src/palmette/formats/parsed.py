"""From what the native parsers hand over to a corpus, or to the error that says why there is none."""

from __future__ import annotations

from collections.abc import Sequence

from palmette._native import ParsedTokens
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus, SentenceLines
from palmette.formats.errors import FormatError


def as_bytes(text: str | bytes) -> bytes:
    """Text as the parsers take it; what is no character in it they find, and name its line."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def to_corpus(
    parsed: ParsedTokens, names: Sequence[str], *, has_heads: bool, lenient: bool, path: str | None
) -> Corpus:
    """The corpus that was parsed.

    Raises FormatError for the first problem of a strict parse, and when there is not one sentence.
    """
    problems = parsed.problems
    if problems and not lenient:
        line, message = problems[0]
        raise FormatError(message, path=path, line=line)
    if len(parsed.offsets) == 1:
        if not problems:
            raise FormatError("no sentences: there is no line but empty ones", path=path)
        line, message = problems[0]
        raise FormatError(
            f"no sentences left, {parsed.n_skipped} skipped, the first here: {message}", path=path, line=line
        )
    return Corpus(
        {name: Column(ids, strings) for name, (ids, strings) in zip(names, parsed.columns, strict=True)},
        parsed.offsets,
        heads=parsed.heads if has_heads else None,
        comments=SentenceLines(parsed.comment_offsets, parsed.comments),
        extras=SentenceLines(parsed.extra_offsets, parsed.extras),
        extra_after=parsed.extra_after,
        skipped=problems,
        n_skipped=parsed.n_skipped,
    )
