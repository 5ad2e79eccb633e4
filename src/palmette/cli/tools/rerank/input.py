"""Lists of candidates for a reranker: from a file of lists, or from sentences by its first model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from palmette.cli.tools.parse.input import PhraseReader
from palmette.cli.tools.parse.options import PhraseInput
from palmette.cli.tools.sequence.input import InputFormat, TokenReader, lines_from, read_tokens
from palmette.errors import UsageError
from palmette.formats.batches import Unit
from palmette.formats.candidates import Candidates
from palmette.formats.files import display_name, is_standard, opened
from palmette.formats.nbest import GOLD, NBestFile, parse_nbest, read_nbest
from palmette.formats.reading import Reading, decoded
from palmette.tools.constituency.input import gold_trees, read_trees
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.reranking.lists import FirstModel, candidate_lists, first_model
from palmette.tools.reranking.reranker import Reranker

_USUAL = 50  # candidates


def lists_of(
    reranker: Reranker,
    source: str,
    format: PhraseInput | None,
    language: str | None,
    reading: Reading | None = None,
) -> Iterator[Candidates]:
    """The lists of a file, or those that the first model makes of its sentences. reading: how bytes are read."""
    manner = Reading() if reading is None else reading
    base = _base(reranker)
    if base is None:
        if format is not None or language is not None:
            raise ValueError("expected lists of candidates: this model does not contain its first model")
        yield from _lists(source, manner)
        return
    if format is None and holds_lists(source):  # as does standard input, unless a format is named
        yield from _lists(source, manner)
        return
    k = _how_many(reranker)
    if isinstance(base, ConstituencyParser) or format is PhraseInput.tokens:
        for given in PhraseReader(source, format, language or "en", reading=manner):
            yield from candidate_lists(base, given.sentences, k)
        return
    if format is not None and format.value not in list(InputFormat):
        raise UsageError(
            f"expected {', '.join(InputFormat)} or tokens for the first model, a tagger; got {format}"
        )
    named = None if format is None else InputFormat(format.value)
    for batch in TokenReader(source, named, language=language or "en", reading=manner):
        yield from (own.with_gold(None) for own in candidate_lists(base, batch.corpus, k))


def _lists(source: str, reading: Reading) -> Iterator[Candidates]:
    """The lists of a file, some at a time."""
    path = display_name(source)
    for batch in reading.batches(source, unit=Unit.sentence):
        if batch.data.strip():
            with lines_from(batch.lines_before):
                yield from parse_nbest(decoded(batch.data, path), path)


def lists_with_gold(reranker: Reranker, source: str, gold: str | None) -> list[Candidates]:
    """Lists whose right outputs are known."""
    if gold is not None:
        return list(NBestFile(source, gold_trees(read_trees(gold)).trees))
    base = _base(reranker)
    if base is None or holds_lists(source):
        return list(read_nbest(source))
    k = _how_many(reranker)
    if isinstance(base, ConstituencyParser):
        return candidate_lists(base, gold_trees(read_trees(source)).trees, k)
    return candidate_lists(base, read_tokens(source)[0], k)


def holds_lists(source: str) -> bool:
    """Whether the first line of a file that is not a comment belongs to a list.

    It begins with a number or `gold`, and a tab.
    """
    if not Path(source).is_file():
        return is_standard(source)
    with opened(source) as file:
        start = file.read(100_000)
    for line in start.decode("utf-8", "replace").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        first, tab, rest = line.partition("\t")
        return bool(tab and "\t" not in rest.strip() and (first == GOLD or _is_number(first)))
    return False


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _base(reranker: Reranker) -> FirstModel | None:
    file = reranker.base_
    if file is None:
        return None
    try:
        base = first_model(file)
    except ValueError as error:
        raise ValueError(f"{display_name(file.path or '-')}: {error}") from error
    base.n_jobs = reranker.n_jobs
    return base


def _how_many(reranker: Reranker) -> int:
    k = reranker.training_.get("k")
    return k if isinstance(k, int) and k > 0 else _USUAL
