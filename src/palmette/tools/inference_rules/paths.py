"""Paths between two nouns of a dependency tree.

A path is a chain of relations and the words between the nouns, "nsubj< solve >obj" for "X solves Y": "<" is a
step up to a head, ">" one down to a dependent. A preposition is part of the relation of its noun (">obl:for"), a
particle and a negation part of their verb. A path and its reverse are the same relation with the slots
exchanged: it is written from its subject on, or else the way that comes first in the alphabet. A sentence of n
words has O(n²) paths. CSC 448, §24.4; Lin and Pantel 2001.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palmette.formats.listed_corpus import RELATION
from palmette.formats.sentence import Sentence

NOUNS = frozenset({"NOUN", "PROPN"})
_INSIDE = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "AUX"})  # tags of the words between
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ"})
# Relations that do not say how two words belong together.
_LEFT_OUT = frozenset(
    "conj cc punct parataxis list discourse dislocated vocative orphan reparandum dep flat fixed compound "
    "goeswith name mwe foreign".split()
)
_PENN = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ"}  # how other tags begin
_NEGATIONS = frozenset("not n't never no nicht kein nie ne pas".split())
_SUBJECT = "nsubj"


@dataclass(frozen=True)
class Found:
    """A path, how it reads in its sentence, and the places of the words in its slots."""

    path: str
    wording: str
    x: int
    y: int


def find_paths(sentence: Sentence, words: Sequence[str], longest: int) -> Iterator[Found]:
    """Yield the paths between all nouns of a sentence. words: as they are counted; longest: most relations."""
    heads, relations = sentence.heads.tolist(), sentence[RELATION]
    tags = [_PENN.get(tag[:2], tag) for tag in sentence["upos"]]
    forms = sentence["form"]
    below: dict[int, list[int]] = {}
    for i, head in enumerate(heads):
        below.setdefault(head - 1, []).append(i)
    nouns = [i for i, tag in enumerate(tags) if tag in NOUNS and any(map(str.isalpha, words[i]))]
    ups = {i: _up(i, heads, longest) for i in nouns}
    nodes: dict[int, tuple[str, str]] = {}

    def node(i: int) -> tuple[str, str]:
        """A word between, as it is counted and as it reads, with its particle and its negation."""
        if i not in nodes:
            parts, before, after = [words[i]], [], []
            for j in below.get(i, ()):
                if relations[j] == "compound:prt":
                    parts.append(words[j])
                    after.append(forms[j].lower())
                elif relations[j].startswith(("advmod", "neg", "det")) and forms[j].lower() in _NEGATIONS:
                    parts.insert(0, "not")
                    before.append("not")
                elif relations[j] in ("cop", "aux:pass"):
                    before.append(forms[j].lower())
            nodes[i] = "_".join(parts), " ".join([*before, forms[i].lower(), *after])
        return nodes[i]

    def relation(i: int) -> tuple[str, list[int]]:
        """The relation of a word to its head, with its preposition, and the places of this one."""
        label = relations[i]
        label = label if label.endswith(":pass") else label.partition(":")[0]
        if label in ("obl", "nmod", "acl", "advcl"):
            cases = [j for j in below.get(i, ()) if relations[j] in ("case", "mark") and j < i]
            if cases:
                return f"{label}:{words[cases[0]]}", cases[:1]
        return label, []

    for a, i in enumerate(nouns):
        for j in nouns[a + 1 :]:
            steps = _between(ups[i], ups[j], longest)
            if steps is None:
                continue
            up, down = steps
            middle = [*up[1:], *down[1:-1]] if len(down) > 1 else up[1:-1]
            if not all(tags[k] in _INSIDE for k in middle) or not any(tags[k] in _CONTENT for k in middle):
                continue
            arcs = [relation(k) for k in (*up[:-1], *down[:-1])]
            if any(label in _LEFT_OUT or label.partition(":")[0] in _LEFT_OUT for label, _ in arcs):
                continue
            climbed, came = (
                [label for label, _ in arcs[: len(up) - 1]],
                [label for label, _ in arcs[len(up) - 1 :]],
            )
            there = [part for label, k in zip(climbed, up[1:]) for part in (f"{label}<", node(k)[0])]
            back = [part for label, k in zip(came, down[1:]) for part in (f"{label}<", node(k)[0])]
            forward, backward = _joined(there, back), _joined(back, there)
            swapped = _order(backward, came, climbed) < _order(forward, climbed, came)
            x, y = (j, i) if swapped else (i, j)
            reads = [(x, "X"), (y, "Y"), *((k, node(k)[1]) for k in middle)]
            reads += [(k, forms[k].lower()) for _, cases in arcs for k in cases]
            wording = " ".join(text for _, text in sorted(reads))
            yield Found(backward if swapped else forward, wording, x, y)


def _up(i: int, heads: Sequence[int], most: int) -> list[int]:
    """The word and the heads above it, at most this number of them."""
    found = [i]
    while len(found) <= most and heads[found[-1]] > 0:
        found.append(heads[found[-1]] - 1)
    return found


def _between(a: list[int], b: list[int], longest: int) -> tuple[list[int], list[int]] | None:
    """The ways of two words up to their lowest common head; None if too long, or if nothing is between them."""
    places = {k: n for n, k in enumerate(a)}
    for n, k in enumerate(b):
        if k in places:
            edges = places[k] + n
            return (a[: places[k] + 1], b[: n + 1]) if 2 <= edges <= longest else None
    return None


def _joined(there: Sequence[str], back: Sequence[str]) -> str:
    """One way up and the other way down, in one line; the word at the top is written once, a slot is not.

    >>> _joined(["nsubj<", "find"], ["nmod:for<", "solution", "obj<", "find"])
    'nsubj< find >obj solution >nmod:for'
    >>> _joined(["nmod:of<", "price", "nmod:in<", "(slot)"], [])
    'nmod:of< price nmod:in<'
    """
    down = [f">{part[:-1]}" if part.endswith("<") else part for part in reversed(back)]
    return " ".join([*there, *down[1:]] if back else there[:-1])


def _order(path: str, first: Sequence[str], last: Sequence[str]) -> tuple[bool, str]:
    """What decides between the two ways of writing a path: a subject comes first, then the alphabet."""
    begins, ends = (bool(side) and side[0].startswith(_SUBJECT) for side in (first, last))
    return not (begins and not ends), path
