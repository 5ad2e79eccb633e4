"""The columns that a `Morphology` adds to words before it looks at them: stems, and what a user's lexicon says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palmette.features.default_templates import POS_WORDS
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile
from palmette.tools.morphology.lexicon import Lexicon, tags_of
from palmette.tools.morphology.stems import Stems, mapped
from palmette.tools.morphology.words import column_or_nothing, has_values

# Affixes of the neighbours, which help here. What was tried and left out: longer endings, pairs of endings of
# neighbours, a second stem, stems of the neighbours.
_NEIGHBOURS = """
end2[-1]
end3[-1]
end2[1]
end3[1]
"""
_STEMS = """
stem[0]
ending[0]
stem[0]|ending[0]
"""
_LEXICON = """
lexicon[-1..1]
lexicon_feats[0]
lexicon[-1]|lexicon[0]
lexicon[0]|lexicon[1]
"""
_NONE = "–"
_MOST = 4  # analyses of a form that make one value


@dataclass(frozen=True, eq=False)
class Preparation:
    """Stems and a lexicon; either may be missing."""

    stems: Stems | None
    lexicon: Lexicon | None

    @classmethod
    def learn(cls, corpus: Corpus, lexicon: Lexicon | None) -> Preparation:
        """What the training data and a lexicon know of lemmas."""
        words = []
        if has_values(corpus, "lemma"):
            names = ("form", "lemma", "upos")
            words += list(zip(*(column_or_nothing(corpus, name).values() for name in names)))
        words += [] if lexicon is None else [(entry.form, entry.lemma, entry.upos) for entry in lexicon]
        return cls(Stems.learn(words) if words else None, lexicon)

    @property
    def templates(self) -> str:
        """The templates for the available columns."""
        return (
            POS_WORDS
            + _NEIGHBOURS
            + (_STEMS if self.stems is not None else "")
            + (_LEXICON if self.lexicon is not None else "")
        )

    def annotate(self, corpus: Corpus) -> Corpus:
        """The words with the columns."""
        made = corpus.only({"form": "form"})
        if self.stems is not None:
            made = self.stems.annotate(made, made.column("form"))
        return self._with_lexicon(made)

    def training(self, corpus: Corpus) -> Corpus:
        """The same for the training data: no lemma knows itself."""
        if self.stems is None or not has_values(corpus, "lemma"):
            return self.annotate(corpus)
        names = ("form", "lemma", "upos")
        words = Corpus({name: column_or_nothing(corpus, name) for name in names}, corpus.offsets)
        return self._with_lexicon(self.stems.annotate_training(words))

    def _with_lexicon(self, corpus: Corpus) -> Corpus:
        if self.lexicon is None:
            return corpus
        words = corpus.column("form")
        found = [self.lexicon.of(form) for form in words.strings]
        tags = [tags_of(entries) or _NONE for entries in found]
        feats = [
            "+".join(sorted({f"{entry.upos} {entry.feats}" for entry in entries}))
            if len(entries) <= _MOST
            else _NONE
            for entries in found
        ]
        return corpus.with_columns(
            {"lexicon": mapped(words, tags), "lexicon_feats": mapped(words, [one or _NONE for one in feats])}
        )

    # Files

    def tables(self) -> dict[str, Sequence[str]]:
        """The tables of strings of a model file that keep it."""
        stems = {} if self.stems is None else self.stems.tables()
        return {**stems, **({} if self.lexicon is None else self.lexicon.tables())}

    @classmethod
    def of_file(cls, file: ModelFile) -> Preparation:
        """The preparation of a model file; FormatError if it is damaged."""
        stems = Stems.of_file(file) if "stems.lemmas" in file.strings else None
        return cls(stems, Lexicon.of_file(file))
