"""Stems of words that were never seen: which known lemma a form may come from, and by which ending.

From the training data come the lemmas with their parts of speech, and rules of endings: *fornisce* and *fornire*
share *forni*, so there is a rule that "sce" may be in the place of "re". A form is cut at the last place where
the rest, with its ending replaced by a rule, is a known lemma. Its parts of speech and the ending are features:
a suffix says more behind a verb that is known.

In training, a lemma that occurs once with a part of speech is not known for its own token, since it would not be
known for a new word either. O(length of the form · rules of an ending) for each distinct form.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile
from palmette.tools.morphology.edit_scripts import lower

NOTHING = "_"
UNKNOWN = "–"  # a form without a known lemma
_SHORTEST = 2  # characters of a stem
_RULES = 8  # of each ending, the most frequent
_RARE = 2  # forms that show a rule
_TAGS = 3  # parts of speech of a lemma


class Stem(NamedTuple):
    """The parts of speech of a known lemma, and the rule of its ending, as values of features."""

    tags: str
    ending: str


_NONE = Stem(UNKNOWN, UNKNOWN)


class Stems:
    """Known lemmas and the rules of endings."""

    def __init__(self, lemmas: Mapping[str, Mapping[str, int]], rules: Mapping[str, Sequence[str]]) -> None:
        """lemmas: in lower case, with how often each part of speech occurs; rules: what an ending replaces."""
        self.lemmas, self.rules = lemmas, rules
        self._tags = {lemma: _joined(tags) for lemma, tags in lemmas.items()}
        self._found: dict[str, Stem] = {}

    @classmethod
    def learn(cls, words: Iterable[tuple[str, str, str]]) -> Stems:
        """The stems of (form, lemma, upos) of every token."""
        lemmas: defaultdict[str, Counter[str]] = defaultdict(Counter)
        rules: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for (form, lemma, upos), count in Counter(words).items():
            if NOTHING in (lemma, upos):
                continue
            form, lemma = lower(form), lower(lemma)
            new = not lemmas[lemma][upos]
            lemmas[lemma][upos] += count
            shared = _shared(form, lemma)
            if new or shared >= _SHORTEST:
                rules[form[shared:]][lemma[shared:]] += shared >= _SHORTEST or form == lemma
        kept = {
            ending: tuple(made for made, n in counts.most_common(_RULES) if n >= _RARE)
            for ending, counts in rules.items()
        }
        kept[""] = tuple(dict.fromkeys(["", *kept.get("", ())]))
        return cls(dict(lemmas), {ending: made for ending, made in kept.items() if made})

    def find(self, form: str, without: tuple[str, str] | None = None) -> Stem:
        """The stem of a form in lower case; without: a lemma and a part of speech of it that are not known."""
        for cut in range(len(form), min(_SHORTEST, len(form)) - 1, -1):
            for made in self.rules.get(form[cut:], ()):
                lemma = form[:cut] + made
                tags = self._tags.get(lemma)
                if tags is None:
                    continue
                if without is not None and lemma == without[0]:
                    tags = _joined({tag: n for tag, n in self.lemmas[lemma].items() if tag != without[1]})
                    if not tags:
                        continue
                return Stem(tags, f"{form[cut:]}>{made}")
        return _NONE

    def annotate(self, corpus: Corpus, words: Column) -> Corpus:
        """The corpus with the columns `stem` and `ending` of its words."""
        found = [self._of(form) for form in words.strings]
        return corpus.with_columns(
            {
                "stem": mapped(words, [s.tags for s in found]),
                "ending": mapped(words, [s.ending for s in found]),
            }
        )

    def annotate_training(self, corpus: Corpus) -> Corpus:
        """The same for the corpus that this was learned from: a lemma does not know itself."""
        forms, lemmas, tags = (corpus.column(name).values() for name in ("form", "lemma", "upos"))
        found: dict[tuple[str, str, str], Stem] = {}
        rows = []
        for key in zip(forms, lemmas, tags):
            if key not in found:
                lemma = lower(key[1])
                once = self.lemmas.get(lemma, {}).get(key[2]) == 1
                found[key] = self.find(lower(key[0]), (lemma, key[2])) if once else self._of(key[0])
            rows.append(found[key])
        return corpus.with_columns(
            {"stem": Column.of(row.tags for row in rows), "ending": Column.of(row.ending for row in rows)}
        )

    def _of(self, form: str) -> Stem:
        if form not in self._found:
            if len(self._found) > 1 << 18:
                self._found.clear()  # a long stream of new words must not fill the memory
            self._found[form] = self.find(lower(form))
        return self._found[form]

    # Files

    def tables(self) -> dict[str, Sequence[str]]:
        """The tables of strings of a model file that keep it."""
        endings = [(ending, made) for ending, several in self.rules.items() for made in several]
        return {
            "stems.lemmas": list(self._tags),
            "stems.tags": list(self._tags.values()),
            "stems.endings": [ending for ending, _ in endings],
            "stems.replaced": [made for _, made in endings],
        }

    @classmethod
    def of_file(cls, file: ModelFile) -> Stems:
        """The stems of a model file; FormatError if it is damaged."""
        lemmas = file.table("stems.lemmas")
        tags = file.table("stems.tags", len(lemmas))
        endings = file.table("stems.endings")
        rules: defaultdict[str, list[str]] = defaultdict(list)
        for ending, made in zip(endings, file.table("stems.replaced", len(endings))):
            rules[ending].append(made)
        # Only the order of the parts of speech matters now, not how often they occur.
        known = {
            lemma: {tag: _TAGS - k for k, tag in enumerate(joined.split("+"))}
            for lemma, joined in zip(lemmas, tags)
        }
        return cls(known, dict(rules))


def _joined(tags: Mapping[str, int]) -> str:
    return "+".join(sorted(tags, key=lambda tag: (-tags[tag], tag))[:_TAGS])


def _shared(a: str, b: str) -> int:
    n = 0
    for x, y in zip(a, b):
        if x != y:
            break
        n += 1
    return n


def mapped(words: Column, values: Sequence[str]) -> Column:
    """The values of the strings of a column, for its rows."""
    place: dict[str, int] = {}
    table = np.array([place.setdefault(value, len(place)) for value in values], dtype=np.int32)
    return Column(table[words.ids] if len(words) else words.ids, list(place))
