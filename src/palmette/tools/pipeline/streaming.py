"""Texts through a pipeline: one, many in batches on threads, or one that never ends."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Unpack

import numpy as np

from palmette.formats.corpus import Corpus
from palmette.tools.pipeline.document import Document, Probabilities
from palmette.tools.pipeline.joining import join_corpora
from palmette.tools.pipeline.model import PipelineModel
from palmette.tools.pipeline.reading import Reading, told_of_text
from palmette.tools.text.segmented import Segmented

BATCH = 1 << 16  # characters of the texts of a batch


class Annotator:
    """A pipeline with what is asked of it."""

    def __init__(
        self,
        model: PipelineModel,
        *,
        probabilities: bool = False,
        keep: Collection[str] = (),
        **reading: Unpack[Reading],
    ) -> None:
        self.model = replace(model, tokenizer=told_of_text(model.tokenizer, **reading))
        self.wants_probabilities = probabilities
        self.keep = tuple(keep)

    def documents(self, texts: Sequence[str]) -> list[Document]:
        """A document for every text; the steps run over all of them at once."""
        found = [_whole(list(self._segmented([text]))) for text in texts]
        return self.placed(texts, found)

    def placed(self, texts: Sequence[str], found: Sequence[Segmented]) -> list[Document]:
        """The documents of texts that are cut into words already."""
        if not found:
            return []
        joined = self.model.annotate(join_corpora([one.corpus for one in found]), keep=self.keep)
        p = self._probabilities(joined, found) if self.wants_probabilities else {}
        made, sentence, row = [], 0, 0
        for text, one in zip(texts, found):
            n, words = len(one.corpus), one.corpus.n_words
            corpus = joined if len(found) == 1 else joined.select(range(sentence, sentence + n))
            own = {name: values[row : row + words] for name, values in p.items()}
            made.append(Document(text, corpus, one.begins, one.ends, own))
            sentence, row = sentence + n, row + words
        return made

    def _segmented(self, pieces: Iterable[str]) -> Iterator[Segmented]:
        return self.model.segmented(pieces, probabilities=self.wants_probabilities)

    def _probabilities(self, corpus: Corpus, found: Sequence[Segmented]) -> Probabilities:
        """Those of the tokens, if all texts have them, and of the layers that the steps fill."""
        filled = [one.probabilities for one in found if one.corpus.n_words]
        names = [name for name in filled[0] if all(name in one for one in filled)] if filled else []
        tokens = {name: np.concatenate([one[name] for one in filled]) for name in names}
        return {**tokens, **self.model.probabilities(corpus)}

    def pipe(self, texts: Iterable[str], n_jobs: int) -> Iterator[Document]:
        """The documents of texts, in their order; at most a few batches are in memory."""
        batches = _batches(texts)
        if n_jobs == 1:
            for batch in batches:
                yield from self.documents(batch)
            return
        with ThreadPoolExecutor(n_jobs) as pool:
            yield from _in_order(pool, self.documents, batches, 2 * n_jobs)

    def stream(self, pieces: Iterable[str]) -> Iterator[Document]:
        """A text that comes in pieces as documents of some sentences each, in bounded memory.

        The places of their tokens are those in the whole text: `document.base` is where its text begins.
        """
        kept = KeptText(pieces)
        for found in self._segmented(kept):
            if not found.corpus.n_words:
                continue
            begin, end = int(found.begins[0]), int(found.ends[-1])
            document = self.placed([kept.cut(begin, end)], [found])[0]
            document.base = begin
            yield document


def _whole(parts: Sequence[Segmented]) -> Segmented:
    """The parts of one text put together."""
    if len(parts) == 1:
        return parts[0]
    none = np.zeros(0, dtype=np.int64)
    if not parts:
        return Segmented(Corpus.from_columns({"form": [], "misc": []}), none, none)
    begins, ends = (
        np.concatenate([getattr(part, name) for part in parts]).astype(np.int64)
        for name in ("begins", "ends")
    )
    likely = {
        name: np.concatenate([part.probabilities[name] for part in parts]) for name in parts[0].probabilities
    }
    return Segmented(join_corpora([part.corpus for part in parts]), begins, ends, likely)


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise TypeError(f"A text must be a string. Got {text!r:.60} as number {number}.")
        batch.append(text)
        size += len(text) + 1
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _in_order(
    pool: ThreadPoolExecutor,
    work: Callable[[list[str]], list[Document]],
    batches: Iterator[list[str]],
    most: int,
) -> Iterator[Document]:
    """What the work gives for the batches, in their order; at most `most` of them are on their way."""
    waiting: deque[Future[list[Document]]] = deque()
    try:
        for batch in batches:
            waiting.append(pool.submit(work, batch))
            if len(waiting) >= most:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        for one in waiting:
            one.cancel()


class KeptText:
    """Pieces of a text, of which those that were read and not yet cut off are kept."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = pieces
        self._text, self._begin = "", 0

    def __iter__(self) -> Iterator[str]:
        for piece in self._pieces:
            self._text += piece
            yield piece

    def cut(self, begin: int, end: int) -> str:
        """The text between two places; what is before the end is forgotten."""
        found = self._text[begin - self._begin : end - self._begin]
        self._text, self._begin = self._text[end - self._begin :], end
        return found
