"""Sentences that are too long for a chart: cut into parts, parsed part by part, joined below one root.

A chart takes memory in the square of the number of words and time in its cube, so every model has a bound on the
words that it parses at once (`max_words`). A longer sentence is cut after punctuation where there is any, since
few phrases reach beyond it. Its tree has the phrases of all parts below the root, and a note that says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from palmette.tools.constituency.model import (
    Bracket,
    ConstituencyModel,
    Constraints,
    Marginals,
    Parse,
    Sentences,
)
from palmette.trees.tree import Child, Leaf, Tree

V = TypeVar("V")

_ENDS = frozenset((".", "?", "!", "...", "…", "。", "？", "！"))  # what ends a sentence
_BREAKS = frozenset((";", ":", "--", "–", "—", ",", "-RRB-", ")", "''", '"'))  # what ends a part of one


def parse_sentences(
    model: ConstituencyModel,
    sentences: Sentences,
    *,
    tags: Sentences | None = None,
    constraints: Sequence[Constraints] | None = None,
    minimum_risk: bool | None = None,
    n_jobs: int = 1,
) -> list[Parse]:
    """Return what `model.parse` gives, for sentences of any length.

    ValueError for constraints of a sentence that must be cut, since a bracket could lie on both sides of a cut.
    """
    cut = _Cut(sentences, model.max_words)
    if constraints is not None:
        for number, (words, own, at) in enumerate(zip(sentences, constraints, cut.slices, strict=True), 1):
            if len(at) > 1 and own != Constraints():
                raise ValueError(
                    f"Sentence {number} has {len(words):,} words and constraints, which hold for at most "
                    f"{model.max_words:,} words: raise the option 'max_words'."
                )

    def work(parts: Sentences, own: Sentences | None, first: bool) -> list[Parse]:
        known = constraints if first else None
        return model.parse(parts, tags=own, constraints=known, minimum_risk=minimum_risk, n_jobs=n_jobs)

    found = work(cut.firsts, cut.firsts_of(tags), True)
    if not cut.rest:
        return found
    parts = cut.together(found, work(cut.rest, cut.rest_of(tags), False))
    return [
        own[0] if len(own) == 1 else joined(own, at, too_many_words(at[-1].stop, model.max_words))
        for own, at in zip(parts, cut.slices)
    ]


def kbest_sentences(
    model: ConstituencyModel, sentences: Sentences, k: int, *, n_jobs: int = 1
) -> list[list[Parse]]:
    """Return what `model.kbest` gives; of a sentence that must be cut, one tree of the best of every part."""
    cut = _Cut(sentences, model.max_words)
    found = model.kbest(cut.firsts, k, n_jobs=n_jobs)
    if not cut.rest:
        return found
    parts = cut.together(found, model.kbest(cut.rest, 1, n_jobs=n_jobs))
    return [
        own[0]
        if len(own) == 1
        else [joined([ranked[0] for ranked in own], at, too_many_words(at[-1].stop, model.max_words))]
        for own, at in zip(parts, cut.slices)
    ]


def marginals_of_sentences(
    model: ConstituencyModel, sentences: Sentences, *, n_jobs: int = 1
) -> list[Marginals]:
    """Return what `model.marginals` gives; of a sentence that must be cut, those of its parts."""
    cut = _Cut(sentences, model.max_words)
    found = model.marginals(cut.firsts, n_jobs=n_jobs)
    if not cut.rest:
        return found
    parts = cut.together(found, model.marginals(cut.rest, n_jobs=n_jobs))
    return [own[0] if len(own) == 1 else joined_marginals(own, at) for own, at in zip(parts, cut.slices)]


def parse_in_halves(
    model: ConstituencyModel,
    words: Sequence[str],
    tags: Sequence[str] | None,
    why: str,
    *,
    minimum_risk: bool | None = None,
) -> Parse:
    """Parse the two halves of a sentence that takes too much memory as a whole; why: the note of the tree."""
    at = slices(words, -(-len(words) // 2))
    own = None if tags is None else [tags[part] for part in at]
    return joined(model.parse([words[part] for part in at], tags=own, minimum_risk=minimum_risk), at, why)


def marginals_in_halves(model: ConstituencyModel, words: Sequence[str]) -> Marginals:
    """Return the probabilities of brackets within the two halves of a sentence."""
    at = slices(words, -(-len(words) // 2))
    return joined_marginals(model.marginals([words[part] for part in at]), at)


def slices(words: Sequence[str], longest: int) -> list[slice]:
    """Cut a sentence into parts of at most `longest` words, after punctuation where there is any.

    >>> slices("a b . c d e f".split(), 4)
    [slice(0, 3, None), slice(3, 7, None)]
    """
    found, start, n = [], 0, len(words)
    while n - start > longest:
        even = start + -(-(n - start) // -(-(n - start) // longest))  # parts of the same length
        places = range(start + longest, start + longest // 2, -1)  # the later ones first
        end = next((i for marks in (_ENDS, _BREAKS) for i in places if words[i - 1] in marks), even)
        found.append(slice(start, end))
        start = end
    return [*found, slice(start, n)]


def joined(parts: Sequence[Parse], at: Sequence[slice], why: str) -> Parse:
    """Join the trees of parts below one root; why: what the note says first. The score is the sum of theirs."""
    children: list[Child] = []
    for parse, part in zip(parts, at, strict=True):
        children += [_moved(child, part.start) for child in parse.tree.children]
    notes = [why.format(n=len(parts))]
    notes += [each for parse in parts for each in re.split(r"(?<=\.) ", parse.note) if each]
    return Parse(
        Tree(parts[0].tree.label, children),
        sum(parse.score for parse in parts),
        None,
        " ".join(dict.fromkeys(notes)),
    )


def joined_marginals(parts: Sequence[Marginals], at: Sequence[slice]) -> Marginals:
    """Return the probabilities of the brackets of all parts."""
    return {
        Bracket(start + part.start, end + part.start, label): p
        for table, part in zip(parts, at, strict=True)
        for (start, end, label), p in table.items()
    }


def too_many_words(n: int, longest: int) -> str:
    """Return the note of a sentence that was cut, with a place for the number of parts."""
    return f"{n:,} words are more than the {longest:,} of max_words; they were parsed in {{n}} parts."


def too_much_memory(megabytes: float) -> str:
    """Return the note of a sentence whose search takes too much memory."""
    return f"A search takes more than the {megabytes:,g} MB of the option 'memory'; it was done in parts."


class _Cut:
    """Sentences in parts. Their first parts stay in their places, so that messages name the right sentence."""

    def __init__(self, sentences: Sentences, longest: int) -> None:
        self.slices = [slices(words, longest) for words in sentences]
        self.firsts: Sentences = sentences
        self.rest: Sentences = []
        if any(len(at) > 1 for at in self.slices):
            self.firsts = self._firsts(sentences)
            self.rest = self._rest(sentences)

    def firsts_of(self, values: Sentences | None) -> Sentences | None:
        return values if values is None or not self.rest else self._firsts(values)

    def rest_of(self, values: Sentences | None) -> Sentences | None:
        return None if values is None else self._rest(values)

    def together(self, firsts: Sequence[V], rest: Sequence[V]) -> list[list[V]]:
        """Return what was found for the parts, by sentence."""
        others = iter(rest)
        return [
            [first, *(next(others) for _ in at[1:])] for first, at in zip(firsts, self.slices, strict=True)
        ]

    def _firsts(self, values: Sentences) -> Sentences:
        return [own[at[0]] for own, at in zip(values, self.slices, strict=True)]

    def _rest(self, values: Sentences) -> Sentences:
        return [own[part] for own, at in zip(values, self.slices, strict=True) for part in at[1:]]


def _moved(child: Child, by: int) -> Child:
    """Return the same tree at later positions."""
    if not by:
        return child
    if isinstance(child, Leaf):
        return Leaf(child.word, child.position + by)

    def leaf(each: Leaf) -> Child:
        return Leaf(each.word, each.position + by)

    def node(each: Tree, below: list[Child]) -> Child:
        return Tree(each.label, below, each.note)

    return child.fold(leaf, node)
