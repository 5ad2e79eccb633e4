"""Trees for a question, by recursion on spans with a beam (CSC 448, eq. 127).

    C[i, j] = F(A(L(x[i..j]) ∪ ⋃ T1(a, b)))       a ∈ C[i, k], b ∈ C[k', j], i ≤ k ≤ k' < j

L are the triggers of the words, T1 the ways to join two trees, A inserts predicates that no word names (the
relation between cities and California), and F leaves out what does not fit in type. Words between k and k' are
passed over: at a price where they could mean something. The chart runs over the words that trigger something;
O(m³ · width²) steps for m of them, and a step only adds up scores: trees are made for what stays in the beam.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from palmette.tools.semantics.dcs import DCSTree
from palmette.tools.semantics.features import Names, Scorer
from palmette.tools.semantics.lexicon import Lexicon, Trigger
from palmette.tools.semantics.meanings import SET


class Item:
    """A partial derivation.

    kind: SET, a number that is final ("count"), or an operation, complete or waiting. features: own, and those
    of the items it was made from. anchor: the place of the word that names its root.
    """

    __slots__ = (
        "anchor", "column", "end", "extra", "features", "kind", "name", "open", "score", "start", "steps", "tree",
        "type", "word",
    )  # fmt: skip

    def __init__(
        self,
        kind: str,
        name: str,
        type: str,
        tree: DCSTree | None,
        column: int,
        open: tuple[int, str] | None,
        score: float,
        features: object,
        start: int,
        end: int,
        anchor: int,
        word: str = "",
        extra: object = None,
        steps: tuple[Trigger, ...] = (),
    ) -> None:
        self.kind = kind
        self.name = name
        self.type = type
        self.tree = tree
        self.column = column
        self.open = open
        self.score = score
        self.features = features
        self.start = start
        self.end = end
        self.anchor = anchor
        self.word = word
        self.extra = extra
        self.steps = steps

    @property
    def key(self) -> tuple[object, ...]:
        return (
            self.kind,
            self.name,
            self.type,
            self.column,
            self.open,
            self.tree and self.tree.key,
            str(self.extra),
            self.word,
        )


# A score, features, what makes the item (None: the first item as it is), and the items it is made from.
Step = tuple[float, Names, Callable[[], Item] | None, Item, Item | None]
_MOST_MEANINGS = 400  # of a word
_PAIRS = 3  # times the width: how many pairs of items of two spans are tried, about


def all_features(features: object) -> list[str]:
    """Return the features of a derivation, those of its steps joined."""
    found: list[str] = []
    stack = [features]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, tuple):
            stack.extend(one)
    return found


@dataclass(frozen=True)
class Question:
    """The words of a question, what they trigger, and the scores of steps."""

    words: list[str]
    triggers: list[Trigger]
    scorer: Scorer


def prepare(
    text_words: list[str], lexicon: Lexicon, weights: Mapping[str, float], more: list[Trigger]
) -> Question:
    """Find the triggers of a question. more: further ones, to try."""
    triggers = lexicon.triggers_of(text_words) + more
    active = {i for t in triggers for i in range(t.start, t.end)}
    return Question(text_words, triggers, Scorer(text_words, active, lexicon.general, weights))


def derivations(question: Question, grammar: Grammar, width: int) -> list[Item]:
    """Return the derivations of a question, best first."""
    scorer = question.scorer
    active = sorted({i for t in question.triggers for i in range(t.start, t.end)})
    if not active:
        return []
    place = {word: slot for slot, word in enumerate(active)}
    m = len(active)
    lexical: dict[tuple[int, int], list[Item]] = {}
    kinds: list[str] = ["set"] * m
    for t in question.triggers:
        s, e = place[t.start], place[t.end - 1] + 1
        lexical.setdefault((s, e), []).append(_leaf(scorer, t))
        for slot in range(s, e):
            if t.match == "name":
                kinds[slot] = "name"
            elif t.meaning.kind != SET and kinds[slot] != "name":
                kinds[slot] = "operation"
            elif t.match == "learned" and kinds[slot] == "set":
                kinds[slot] = "learned"
    for slot in range(m):  # a word that is only learned to mean something is passed over at its own price
        own = [t for t in question.triggers if place[t.start] <= slot < place[t.end - 1] + 1]
        if kinds[slot] == "learned" and any(t.match != "learned" for t in own):
            kinds[slot] = "set"
    skips = [scorer.skip(question.words[active[slot]], kinds[slot]) for slot in range(m)]
    cells: dict[tuple[int, int], list[Item]] = {}
    combine, pairs = grammar.combine, _PAIRS * width
    for length in range(1, m + 1):
        for s in range(m - length + 1):
            e = s + length
            steps: list[Step] = [(item.score, (), None, item, None) for item in lexical.get((s, e), ())]
            for k in range(s + 1, e):
                right = cells[k, e]
                for rank, a in enumerate(cells[s, k], 1):
                    # The best of one side meet many of the other, the worst few.
                    for b in right[: 1 + pairs // rank]:
                        both = a.score + b.score
                        for score, names, make in combine(scorer, a, b):
                            steps.append((both + score, names, make, a, b))
            if length > 1:
                for items, slot in ((cells[s, e - 1], e - 1), (cells[s + 1, e], s)):
                    cost, names = skips[slot]
                    steps += [(item.score + cost, names, None, item, None) for item in items]
            steps.sort(key=_by_score)
            cells[s, e] = _distinct(steps, width if length > 1 else _MOST_MEANINGS)
    return cells[0, m]


def _by_score(step: Step) -> float:
    return -step[0]


def _distinct(steps: list[Step], limit: int) -> list[Item]:
    """Make the items of the best steps; of those with equal trees, the best."""
    kept: dict[tuple[object, ...], Item] = {}
    for step in steps:
        item = _made(step)
        kept.setdefault(item.key, item)
        if len(kept) >= limit:
            break
    return list(kept.values())


def _made(step: Step) -> Item:
    total, names, make, a, b = step
    if make is None:
        if not names:
            return a
        return Item(
            a.kind, a.name, a.type, a.tree, a.column, a.open, total, (names, a.features),
            a.start, a.end, a.anchor, a.word, a.extra, a.steps,
        )  # fmt: skip
    assert b is not None
    item = make()
    item.score, item.features = total, (names, a.features, b.features)
    item.start, item.end = min(a.start, b.start), max(a.end, b.end)
    item.steps = (*a.steps, *b.steps)
    return item


def _leaf(scorer: Scorer, t: Trigger) -> Item:
    meaning = t.meaning
    score, names = scorer.lexical(t.start, t.end, meaning.name, meaning.kind, t.match, meaning.type)
    word = "_".join(scorer.words[t.start : t.end]) if meaning.kind != SET else ""
    return Item(
        meaning.kind, meaning.name, meaning.type, meaning.tree, meaning.column, meaning.open, score, names,
        t.start, t.end, t.start, word, steps=(t,),
    )  # fmt: skip


class Grammar(ABC):
    """T1 and A: how two items combine; see `rules`."""

    @abstractmethod
    def combine(self, scorer: Scorer, a: Item, b: Item) -> Iterator[tuple[float, Names, Callable[[], Item]]]:
        """Return the ways to combine an item with one to its right: a score, features, and what makes the
        result."""
