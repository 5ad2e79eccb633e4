"""Documents as users give them: sentences with their words, and the features of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from palmette.formats.given import listed_rows
from palmette.tools.classification.item_reader import Item, ItemReader
from palmette.tools.text.tokenizer import Tokenizer


@dataclass(frozen=True, eq=False)
class Document:
    """The sentences of a document as text, and as items with their features."""

    sentences: list[str]
    items: list[Item]

    @cached_property
    def lengths(self) -> list[int]:
        """The number of words of every sentence."""
        return [len(sentence.split()) for sentence in self.sentences]

    def item(self, stays: Sequence[bool]) -> Item:
        """Return the sentences that stay as one item: the features of all of them."""
        chosen = [item[0] for item, stay in zip(self.items, stays) if stay]
        text = " ".join(sentence for sentence, stay in zip(self.sentences, stays) if stay)
        if any(isinstance(features, dict) for features in chosen):
            return Item([dict(sum(map(Counter, chosen), Counter()))], text)
        return Item([set().union(*chosen)], text)


@dataclass(frozen=True, eq=False)
class DocumentReader:
    """Makes documents of texts, lists of sentences, and lists of lists of words."""

    reader: ItemReader

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer(self.reader.language)

    def documents(self, X: Any) -> list[Document]:
        """Return the documents; TypeError or ValueError for other input."""
        cut = [self._sentences(given, i) for i, given in enumerate(listed_rows(X, "Documents"), 1)]
        items = iter(self.reader.read(sentence for sentences in cut for sentence in sentences))
        return [Document(sentences, [next(items) for _ in sentences]) for sentences in cut]

    def sentences(self, X: Iterable[Any]) -> list[Item]:
        """Return single sentences as items."""
        return self.reader.read(X)

    def _sentences(self, given: Any, number: int) -> list[str]:
        if isinstance(given, str):
            return [
                " ".join(token.text for token in sentence) for sentence in self._tokenizer.sentences(given)
            ]
        if isinstance(given, list | tuple):
            if all(isinstance(one, str) for one in given):
                return list(given)
            if all(isinstance(one, list | tuple) and all(isinstance(w, str) for w in one) for one in given):
                return [" ".join(one) for one in given]
        raise TypeError(
            f"Document {number} must be a text or a list of its sentences. "
            f"Got {type(given).__name__} {given!r:.60}."
        )
