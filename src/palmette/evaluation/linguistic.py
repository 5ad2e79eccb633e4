"""Linguistic overlap: what a translation shares with a reference, seen with tags, synonyms and constituents.

CSC 448, §21.1 names three ways to see more than equal words, and each is a score of its own here:

    words          clipped n-grams of one to four words, as BLEU has them
    synonyms       the same, after words that the reference lacks became synonyms that it has
    tagged         n-grams of words with their tags: a word in another role is another word
    constituents   F1 of constituents: label and words are the same on both sides

A score of n-grams is the geometric mean of the precisions, smoothed and with the penalty for short translations
as in BLEU. `overlap` is the mean of the scores. It is not BLEU, and it depends on the
tagger, the parser and the synonyms, so that only systems scored with the same ones can be compared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from palmette.drawing.tables import ReportPicture
from palmette.errors import FormatError
from palmette.evaluation.counts import ratio
from palmette.formats.files import Source, display_name, read_lines
from palmette.trees.tree import Tree

_ORDER = 4
Classes = Mapping[str, frozenset[int]]  # of a word: the classes of synonyms that it is in


@dataclass(frozen=True)
class LinguisticOverlap(ReportPicture):
    """Scores between 0 and 1 by name, those with data, and their mean."""

    scores: Mapping[str, float]

    @property
    def overlap(self) -> float:
        """The mean of all scores."""
        return sum(self.scores.values()) / len(self.scores)

    def to_dict(self) -> dict[str, Any]:
        """The scores by name, and `overlap`."""
        return {"overlap": self.overlap, **self.scores}


def linguistic_overlap(
    guess: Sequence[Sequence[str]],
    reference: Sequence[Sequence[str]],
    *,
    synonyms: Classes | None = None,
    guess_tags: Sequence[Sequence[str]] | None = None,
    reference_tags: Sequence[Sequence[str]] | None = None,
    guess_trees: Sequence[Tree | None] | None = None,
    reference_trees: Sequence[Tree | None] | None = None,
) -> LinguisticOverlap:
    """Compare translations, as lists of words, with one reference each.

    >>> classes = synonym_classes([["big", "large"]])
    >>> found = linguistic_overlap([["a", "big", "dog"]], [["a", "large", "dog"]], synonyms=classes)
    >>> found.scores["synonyms"], found.scores["words"] < 0.5
    (1.0, True)
    """
    _check_number(guess, reference, "references")
    scores = {"words": ngram_score(guess, reference)}
    if synonyms is not None:
        seen = [with_synonyms(own, right, synonyms) for own, right in zip(guess, reference)]
        scores["synonyms"] = ngram_score(seen, reference)
    if guess_tags is not None or reference_tags is not None:
        pairs = _tagged(guess, guess_tags, "translation"), _tagged(reference, reference_tags, "reference")
        scores["tagged"] = ngram_score(*pairs)
    if guess_trees is not None or reference_trees is not None:
        if guess_trees is None or reference_trees is None:
            raise ValueError("Constituents need the trees of translations and of references.")
        _check_number(guess_trees, guess, "translations")
        _check_number(reference_trees, reference, "references")
        scores["constituents"] = constituent_f1(guess_trees, reference_trees)
    return LinguisticOverlap(scores)


def ngram_score(guess: Iterable[Sequence[Hashable]], reference: Iterable[Sequence[Hashable]]) -> float:
    """Return the geometric mean of clipped precisions of one to four items, times the penalty for brevity.

    An order without a match counts as half a match, the next such order as a quarter (sacrebleu's default); orders
    that are longer than all translations are left out.
    """
    right, total = [0] * _ORDER, [0] * _ORDER
    length = wanted = 0
    for own, other in zip(guess, reference, strict=True):
        length, wanted = length + len(own), wanted + len(other)
        for n in range(_ORDER):
            have = Counter(tuple(own[i : i + n + 1]) for i in range(len(own) - n))
            want = Counter(tuple(other[i : i + n + 1]) for i in range(len(other) - n))
            total[n] += sum(have.values())
            right[n] += sum((have & want).values())
    if not right[0]:
        return 0.0
    logs, halved, orders = 0.0, 1.0, [n for n in range(_ORDER) if total[n]]
    for n in orders:
        halved *= 1 if right[n] else 2
        logs += math.log(right[n] / total[n] if right[n] else 1 / (halved * total[n]))
    return math.exp(logs / len(orders) + min(0.0, 1 - wanted / length))


def with_synonyms(words: Sequence[str], reference: Sequence[str], synonyms: Classes) -> list[str]:
    """Return the words, of which those that the reference lacks became synonyms that it has.

    Equal words are matched first. The others are matched with what is left of the reference, as many as possible
    (a bipartite matching), each word of the reference once.

    >>> with_synonyms(["large", "car"], ["big", "big", "auto"], synonym_classes([["big", "large"]]))
    ['big', 'car']
    """
    left = Counter(reference) - Counter(words)
    spare = Counter(words) - Counter(reference)
    places = [word for word, n in left.items() if word in synonyms for _ in range(n)]
    unmatched = []
    for i in range(len(words) - 1, -1, -1):  # of equal words, the last ones are too many
        if spare[words[i]] > 0 and words[i] in synonyms:
            spare[words[i]] -= 1
            unmatched.append(i)
    found = list(words)
    if places and unmatched:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

        shared = [[bool(synonyms[words[i]] & synonyms[other]) for other in places] for i in unmatched]
        matches = maximum_bipartite_matching(csr_array(np.array(shared, dtype=np.int8)), perm_type="column")
        for i, k in zip(unmatched, matches.tolist()):
            if k >= 0:
                found[i] = places[k]
    return found


def constituent_f1(guess: Iterable[Tree | None], reference: Iterable[Tree | None]) -> float:
    """Return F1 of the constituents above words. Equal are those of one label and the same words, anywhere."""
    right = have_all = want_all = 0
    for own, other in zip(guess, reference, strict=True):
        have, want = _constituents(own), _constituents(other)
        right += sum((have & want).values())
        have_all, want_all = have_all + sum(have.values()), want_all + sum(want.values())
    return ratio(2 * right, have_all + want_all)


def synonym_classes(classes: Iterable[Iterable[str]]) -> dict[str, frozenset[int]]:
    """Return the classes of each word. A word may be in several; synonyms share one of them."""
    found: dict[str, set[int]] = {}
    for number, words in enumerate(classes):
        for word in words:
            found.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def read_synonyms(source: Source) -> dict[str, frozenset[int]]:
    """Read classes of synonyms: words between white space, a class on each line; `#` begins a comment."""
    classes = []
    for number, line in enumerate(read_lines(source), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) < 2:
            raise FormatError(
                f"expected two synonyms or more on a line; got {words[0]!r}",
                path=display_name(source),
                line=number,
            )
        classes.append(words)
    if not classes:
        raise FormatError("there are no synonyms in this file", path=display_name(source))
    return synonym_classes(classes)


def _constituents(tree: Tree | None) -> Counter[tuple[str, tuple[str, ...]]]:
    if tree is None:  # a sentence without words
        return Counter()
    return Counter((node.label, tuple(node.words)) for node in tree.preorder() if not node.is_preterminal)


def _tagged(
    sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]] | None, what: str
) -> list[list[tuple[str, str]]]:
    if tags is None:
        raise ValueError("Tagged words need the tags of translations and of references.")
    _check_number(tags, sentences, f"{what}s")
    found = []
    for number, (words, own) in enumerate(zip(sentences, tags), 1):
        if len(words) != len(own):
            raise ValueError(f"{what.capitalize()} {number} has {len(words)} words, but {len(own)} tags.")
        found.append(list(zip(words, own)))
    return found


def _check_number(given: Sequence[Any], wanted: Sequence[Any], what: str) -> None:
    if len(given) != len(wanted):
        raise ValueError(f"There are {len(wanted):,} {what}, but {len(given):,} to compare.")
