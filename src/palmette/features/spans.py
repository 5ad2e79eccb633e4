"""What a parser of phrases sees of words: the views of tokens from which features of spans and splits are made.

The word itself if it was seen often enough, else its class; its tag, as a tagger predicts it; endings, beginning
and shape. A few classes of tags are those that matter inside of a span, however long: verbs, conjunctions,
question words, commas, colons and quotation marks. The features themselves are
`native/features/span_features.hpp`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from palmette.features.token_views import TokenViews
from palmette.features.unknown_words import unknown_class
from palmette.formats.corpus import Corpus

# By the first letter of a tag, which the tags of English share with those of some other treebanks.
_INSIDE = {"V": "V", "M": "V", "C": "C", ",": ",", ":": ":", "`": "`", "W": "W"}
_NUMBER = "CD"
_NONE = "_"


class SpanViews:
    """How words are seen: counts, those of the training data; rare: words up to this count are seen as classes.

    >>> views = SpanViews({"the": 5, "fly": 1})
    >>> views.known("the", 0), views.known("fly", 1), views.inside("VBZ"), views.inside("NN")
    ('the', 'UNK-LC', 'V', '_')
    """

    def __init__(self, counts: Mapping[str, float], rare: int = 1) -> None:
        self.counts = counts
        self.rare = rare
        self._cache: dict[tuple[str, bool], str] = {}

    def known(self, word: str, position: int) -> str:
        """A word, or its class if it is rare."""
        key = word, position == 0
        found = self._cache.get(key)
        if found is None:
            names: Container[str] = self.counts
            rare = self.counts.get(word, 0) <= self.rare
            found = self._cache[key] = unknown_class(word, position, names) if rare else word
        return found

    @staticmethod
    def inside(tag: str) -> str:
        """The class of a tag that matters inside of a span; `_` if there is none."""
        return _NONE if tag == _NUMBER else _INSIDE.get(tag[:1], _NONE)

    def of(self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]] | None) -> TokenViews:
        """The views of sentences; tags: None for a parser that does without."""
        columns: dict[str, list[list[str]]] = {
            "form": [list(words) for words in sentences],
            "lemma": [[self.known(word, k) for k, word in enumerate(words)] for words in sentences],
        }
        if tags is not None:
            columns["xpos"] = [list(sentence) for sentence in tags]
            columns["upos"] = [[self.inside(tag) for tag in sentence] for sentence in tags]
        return TokenViews.of(Corpus.from_columns(columns))
