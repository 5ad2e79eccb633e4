"""Occurrences: a word in its sentence, as the models of senses see it.

Two views (Blum and Mitchell 1998; Zhong and Ng 2010). Local: the forms and tags around the word, and eleven
collocations of up to three words. Topic: the content words of the sentence and of its neighbours in the same
document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palmette.tools.senses.corpus import SenseSentence
from palmette.tools.senses.inventory import Inventory, Word, part_of_speech

_COLLOCATIONS = (
    (-2, -2), (-1, -1), (1, 1), (2, 2), (-2, -1), (-1, 1), (1, 2), (-3, -1), (-2, 1), (-1, 2), (1, 3),
)  # fmt: skip
_AROUND = 3
_NONE = "-"
STOP_WORDS = frozenset(
    "the a an of to in and or that is was were be been are it its he she his her they their i you we us him them "
    "for on with as at by this from have has had not but which who will would can could may there so if no do did "
    "does".split()
)


@dataclass(frozen=True, eq=False)
class Occurrence:
    """A word at a place, with its features. words: the content words around, in their order, for definitions."""

    sentence: int
    place: int
    word: Word
    senses: tuple[str, ...]
    document: str
    local: frozenset[str]
    topic: frozenset[str]
    words: tuple[str, ...]

    @property
    def features(self) -> frozenset[str]:
        """The features of both views."""
        return self.local | self.topic


@dataclass(frozen=True, eq=False)
class Reader:
    """Finds the words of sentences that have senses, and their features. window: sentences on each side."""

    inventory: Inventory
    window: int = 1

    def occurrences(
        self,
        sentences: Sequence[SenseSentence],
        tags: Sequence[Sequence[str]] | None = None,
        wanted: Sequence[Sequence[object]] | None = None,
    ) -> list[Occurrence]:
        """Return the words that have senses; wanted: only those tokens whose entry is true."""
        found: list[Occurrence] = []
        if tags is None:
            tags = [[token.pos for token in sentence.tokens] for sentence in sentences]
        lemmas = [
            [self._lemma(form, tag) for (form, *_), tag in zip(sentence.tokens, row)]
            for sentence, row in zip(sentences, tags)
        ]
        content = [[lemma for lemma in row if is_content(lemma)] for row in lemmas]
        for i, sentence in enumerate(sentences):
            around: list[str] | None = None
            forms = [_NONE] * _AROUND + [token.form.lower() for token in sentence.tokens] + [_NONE] * _AROUND
            parts = [_NONE] * _AROUND + list(tags[i]) + [_NONE] * _AROUND
            for k, token in enumerate(sentence.tokens):
                if wanted is not None and not wanted[i][k]:
                    continue
                word = token.word(self.inventory.lemma(token.form, part_of_speech(token.pos)))
                senses = tuple(self.inventory.senses(word))
                if not senses and token.pos in ("", "_"):
                    tagged = token._replace(pos=tags[i][k])
                    tagged_word = tagged.word(self.inventory.lemma(token.form, part_of_speech(tagged.pos)))
                    if found_senses := tuple(self.inventory.senses(tagged_word)):
                        word, senses = tagged_word, found_senses
                if not senses and wanted is None:
                    continue
                if around is None:
                    around = self._around(sentences, content, i)
                near = [lemma for m, lemma in enumerate(lemmas[i]) if m != k and is_content(lemma)]
                topic = frozenset(f"near {lemma}" for lemma in (*near, *around))
                local = local_features(forms, parts, k + _AROUND)
                words = (*near, *around)
                found.append(Occurrence(i, k, word, senses, sentence.document, local, topic, words))
        return found

    def _lemma(self, form: str, tag: str) -> str:
        part = part_of_speech(tag)
        return self.inventory.lemma(form, part) if part in ("n", "v", "a", "r") else form.lower()

    def _around(self, sentences: Sequence[SenseSentence], content: Sequence[list[str]], i: int) -> list[str]:
        """The content words of the neighbours in the same document."""
        document = sentences[i].document
        reach = min(self.window, len(sentences) - 1)
        near = [j for d in range(1, reach + 1) for j in (i - d, i + d)]
        inside = [
            j for j in near if 0 <= j < len(sentences) and document and sentences[j].document == document
        ]
        return [lemma for j in inside for lemma in content[j]]


def local_features(forms: Sequence[str], tags: Sequence[str], at: int) -> frozenset[str]:
    """Return the tags, the form and the collocations around a place; both sides have three more items.

    >>> sorted(local_features(["-"] * 3 + ["the", "bank"] + ["-"] * 3, ["-"] * 8, 4))[-3:]
    ['words -3 to -1 - - the', 'words 1 to 2 - -', 'words 1 to 3 - - -']
    """
    found = [f"tag {d} {tags[at + d]}" for d in range(-_AROUND, _AROUND + 1)]
    found.append(f"form {forms[at]}")
    for low, high in _COLLOCATIONS:
        run = " ".join(forms[at + d] for d in range(low, high + 1) if d)
        found.append(f"word {low} {run}" if low == high else f"words {low} to {high} {run}")
    return frozenset(found)


def is_content(lemma: str) -> bool:
    """Whether a lemma says something of the topic."""
    return lemma[:1].isalpha() and lemma not in STOP_WORDS
