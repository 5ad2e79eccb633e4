"""What a pipeline says of a text: sentences of tokens, each with its place in the text and its annotation.

A `Document` holds a `Corpus` and, for every word, where its token begins and ends in the text. Sentences and
tokens are views, which hold nothing but their place. The words of a multiword token (`au` = `à` + `le`) are
tokens of their own, which share one place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.formats.column import Column
from palmette.formats.conllu import format_conllu
from palmette.formats.corpus import Corpus
from palmette.tools.pipeline.notes import ENTITY, for_conllu
from palmette.trees.dependency_tree import DependencyTree

Probabilities = Mapping[str, NDArray[np.float32]]
NOTHING = "_"
OUTSIDE = "O"


class Entity(NamedTuple):
    """A name: its type, its text, and its place in the text of the document."""

    type: str
    text: str
    start: int
    end: int


class Token:
    """A word: `text[start:end]` of the document is its token.

    `lemma`, `upos`, `xpos`, `feats`, `deprel` and `entity` are None where nothing is known, `head` is the head's
    number in the sentence, 0 for the root, or None.
    """

    __slots__ = ("row", "sentence")

    def __init__(self, sentence: Sentence, row: int) -> None:
        self.sentence = sentence
        self.row = row

    @property
    def id(self) -> int:
        """The number of the word in its sentence, from 1."""
        return self.row - self.sentence.first + 1

    @property
    def text(self) -> str:
        """The form of the word."""
        return self._document.corpus.column("form")[self.row]

    @property
    def start(self) -> int:
        """Where the token begins in the text of the document."""
        return int(self._document.begins[self.row])

    @property
    def end(self) -> int:
        """Where the token ends in the text of the document; this character is not part of it."""
        return int(self._document.ends[self.row])

    @property
    def lemma(self) -> str | None:
        """The form that a dictionary lists."""
        return self._value("lemma")

    @property
    def upos(self) -> str | None:
        """The universal part of speech."""
        return self._value("upos")

    @property
    def xpos(self) -> str | None:
        """The tag of the treebank's own."""
        return self._value("xpos")

    @property
    def feats(self) -> str | None:
        """The morphological features, such as `Case=Nom|Number=Sing`."""
        return self._value("feats")

    @property
    def head(self) -> int | None:
        """The number of the head, 0 for the root."""
        heads = self._document.corpus.heads
        return None if heads is None or heads[self.row] < 0 else int(heads[self.row])

    @property
    def deprel(self) -> str | None:
        """The relation to the head."""
        return self._value("deprel")

    @property
    def entity(self) -> str | None:
        """The label of an entity, such as `B-PER`; None outside of entities."""
        found = self._value(ENTITY)
        return None if found == OUTSIDE else found

    @property
    def multiword(self) -> str | None:
        """The multiword token that the word is in, such as `au`; None for a word that is a token itself."""
        return next((form for a, b, form in self.sentence.multiword_tokens if a <= self.id <= b), None)

    @property
    def probabilities(self) -> dict[str, float]:
        """The probability of each layer, if they were asked for: `nlp(text, probabilities=True)`."""
        return {name: float(p[self.row]) for name, p in self._document.probabilities.items()}

    @property
    def confidence(self) -> float | None:
        """The least of the probabilities; None if they were not asked for."""
        return min(self.probabilities.values(), default=None)

    def to_dict(self) -> dict[str, Any]:
        """The fields that are known, by name."""
        return self.sentence.token_dicts(self.row, self.row + 1)[0]

    def __repr__(self) -> str:
        return f"<Token {self.id}: {self.text}>"

    @property
    def _document(self) -> Document:
        return self.sentence.document

    def _value(self, name: str) -> str | None:
        column = self._document.corpus.columns.get(name)
        value = NOTHING if column is None else column[self.row]
        return None if value == NOTHING and (name != "lemma" or self.text != NOTHING) else value


class Sentence:
    """A sentence of a document: its tokens, counted from 0; `sentence.tree` is its dependency tree."""

    __slots__ = ("document", "first", "index", "stop")

    def __init__(self, document: Document, index: int) -> None:
        self.document = document
        self.index = index
        self.first = int(document.corpus.offsets[index])
        self.stop = int(document.corpus.offsets[index + 1])

    @property
    def text(self) -> str:
        """The text of the sentence as it is in the document."""
        return self.document.part(self.start, self.end)

    @property
    def start(self) -> int:
        """Where the sentence begins in the text of the document."""
        return int(self.document.begins[self.first]) if len(self) else 0

    @property
    def end(self) -> int:
        """Where it ends."""
        return int(self.document.ends[self.stop - 1]) if len(self) else 0

    @property
    def tokens(self) -> list[Token]:
        """Its words."""
        return [Token(self, row) for row in range(self.first, self.stop)]

    @property
    def multiword_tokens(self) -> list[tuple[int, int, str]]:
        """Its multiword tokens: the numbers of the first and of the last word, and the form."""
        return self.document.corpus[self.index].ranges

    @property
    def entities(self) -> list[Entity]:
        """The entities in it."""
        if not self.document.has_entities:
            return []
        from palmette.structures.schemes import spans

        document = self.document
        column = document.corpus.column(ENTITY)
        labels = [
            OUTSIDE if label == NOTHING else label for label in _values(column, slice(self.first, self.stop))
        ]
        found = []
        for a, b, kind in spans(labels) if any(label != OUTSIDE for label in labels) else ():
            start, end = int(document.begins[self.first + a]), int(document.ends[self.first + b - 1])
            found.append(Entity(kind, document.part(start, end), start, end))
        return found

    def to_dict(self) -> dict[str, Any]:
        """The sentence with its tokens, for JSON; its name and text are those of its comments, if it has such."""
        data = self.document.corpus[self.index].metadata
        named: dict[str, Any] = {name: data[name] for name in ("sent_id", "text") if name in data}
        places = {"start": self.start, "end": self.end}
        return {"text": self.text} | named | places | {"tokens": self.token_dicts(self.first, self.stop)}

    def token_dicts(self, first: int, stop: int) -> list[dict[str, Any]]:
        """`Token.to_dict` of the words in some rows of the document, column by column, which is faster."""
        document, rows = self.document, slice(first, stop)
        columns, heads = document.corpus.columns, document.corpus.heads
        forms = _values(columns["form"], rows)
        known: dict[str, Sequence[Any]] = {
            "id": range(first - self.first + 1, stop - self.first + 1),
            "text": forms,
            "start": document.begins[rows].tolist(),
            "end": document.ends[rows].tolist(),
        }
        for name in ("lemma", "upos", "xpos", "feats", "head", "deprel", ENTITY):
            if name == "head":
                known[name] = [] if heads is None else [None if k < 0 else k for k in heads[rows].tolist()]
                continue
            values = _values(columns[name], rows) if name in columns else []
            known[name] = [
                None if value == NOTHING and (name != "lemma" or form != NOTHING) else value
                for value, form in zip(values, forms)
            ]
        known[ENTITY] = [None if value == OUTSIDE else value for value in known[ENTITY]]
        if several := self.multiword_tokens:
            known["multiword"] = [
                next((form for a, b, form in several if a <= number <= b), None) for number in known["id"]
            ]
        if document.probabilities:
            likely = {name: p[rows].tolist() for name, p in document.probabilities.items()}
            known["probabilities"] = [
                {name: round(p, 4) for name, p in zip(likely, row)} for row in zip(*likely.values())
            ]
        there = {name: values for name, values in known.items() if values}
        return [
            {name: value for name, value in zip(there, row) if value is not None}
            for row in zip(*there.values())
        ]

    @property
    def tree(self) -> DependencyTree | None:
        """The dependency tree; None if the pipeline has no parser."""
        corpus = self.document.corpus
        return None if corpus.heads is None else DependencyTree.of(corpus[self.index])

    def __len__(self) -> int:
        return self.stop - self.first

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def __getitem__(self, index: int) -> Token:
        return self.tokens[index]

    def __repr__(self) -> str:
        return f"<Sentence {self.index + 1}: {self.text}>"

    def _repr_html_(self) -> str:
        from palmette.drawing.canvas import drawn_or_told

        return drawn_or_told(self.document.corpus[self.index].svg)


def _values(column: Column, rows: slice) -> list[str]:
    strings = column.strings
    return [strings[k] for k in column.ids[rows].tolist()]


class Document:
    """A text with what a pipeline found in it.

    `text` is the text, `corpus` its sentences by columns; `begins` and `ends` have one entry per word.
    probabilities: of every layer, one number per word, if they were asked for.
    """

    def __init__(
        self,
        text: str,
        corpus: Corpus,
        begins: NDArray[np.int64],
        ends: NDArray[np.int64],
        probabilities: Probabilities | None = None,
    ) -> None:
        if len(begins) != corpus.n_words or len(ends) != corpus.n_words:
            raise ValueError(f"A document of {corpus.n_words} words needs a place for each of them.")
        self.text = text
        self.base = 0  # where the text begins in that of which it is a part
        self.corpus = corpus
        self.begins = begins
        self.ends = ends
        self.probabilities: Probabilities = probabilities or {}

    @cached_property
    def sentences(self) -> list[Sentence]:
        """The sentences."""
        return [Sentence(self, i) for i in range(len(self.corpus))]

    @property
    def tokens(self) -> list[Token]:
        """The words of all sentences."""
        return [token for sentence in self.sentences for token in sentence]

    @property
    def has_entities(self) -> bool:
        """Whether entities were looked for."""
        return ENTITY in self.corpus.names

    @property
    def entities(self) -> list[Entity]:
        """The entities in the order of the text."""
        return [entity for sentence in self.sentences for entity in sentence.entities]

    def part(self, start: int, end: int) -> str:
        """The text between two places."""
        return self.text[start - self.base : end - self.base]

    def to_conllu(self) -> str:
        """The document as CoNLL-U; entities and probabilities are in MISC."""
        return format_conllu(for_conllu(self.corpus, self.probabilities)).decode()

    def to_dict(self) -> dict[str, Any]:
        """The document as lists and mappings, for JSON."""
        return {
            "text": self.text,
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            "entities": [entity._asdict() for entity in self.entities],
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """The same as text."""
        import json

        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def __len__(self) -> int:
        return self.corpus.n_words

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def __getitem__(self, index: int) -> Token:
        return self.tokens[index]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        shown = self.text if len(self.text) <= 60 else self.text[:57] + "..."
        return f"<Document: {len(self.corpus)} sentences, {len(self)} tokens: {shown!r}>"

    def _repr_html_(self) -> str:
        return "\n".join(sentence._repr_html_() for sentence in self.sentences)
