"""Stems of tokens: what a treebank knows of the words that a token may be made of.

Whether `gençti` is `genç ti` depends on `genç`: a form of a verb would stay whole. So the lemmas of the treebank
with their parts of speech, and the endings that come behind them, are features (`tools.morphology.stems`). The
rules of endings are learned from words, and from whole tokens with the lemma of their longest word.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.tools.morphology.edit_scripts import lower
from palmette.tools.morphology.stems import Stems
from palmette.tools.morphology.words import column_or_nothing, has_values

if TYPE_CHECKING:
    from palmette.tools.tokens.treebank_text import TreebankText

_NAMES = ("form", "lemma", "upos")
_Word = tuple[str, str, str]

STEM_TEMPLATES = """
stem[0]
ending[0]
stem[0]|ending[0]
stem[0]|suffix2[0]
stem[0]|suffix3[0]
stem[0]|whole[0]
stem[0]|ending[0]|whole[0]
""".rstrip()


def learned_stems(text: TreebankText, corpus: Corpus, tokens: Corpus) -> tuple[Stems, Corpus] | None:
    """The stems of a treebank, and its tokens with the columns `stem` and `ending`; None if it has no lemmas.

    corpus: the words of the text. A lemma that occurs once is not known for its own token.
    """
    if not has_values(corpus, "lemma") or not has_values(corpus, "upos"):
        return None
    words = list(zip(*(column_or_nothing(corpus, name).values() for name in _NAMES)))
    whole = _with_longest(text, words)
    several = (one for one, inside in zip(whole, text.words) if inside)
    stems = Stems.learn(chain(words, several))
    named = Corpus({name: Column.of(of) for name, of in zip(_NAMES, zip(*whole))}, tokens.offsets)
    found = stems.annotate_training(named)
    return stems, tokens.with_columns({name: found.column(name) for name in ("stem", "ending")})


def _with_longest(text: TreebankText, words: list[_Word]) -> list[_Word]:
    """Every token with the lemma and part of speech of its longest word, of those in it if there are such."""
    found, at = [], 0
    for token, inside in zip(text.tokens, text.words):
        n = 1 if inside is None else len(inside)
        small = lower(token)
        _, lemma, upos = max(words[at : at + n], key=lambda one: (lower(one[0]) in small, len(one[0])))
        found.append((token, lemma, upos))
        at += n
    return found
