"""What the model looks at in a derivation: words and what they trigger, joins and the words around them, the root.

Features are strings; a derivation has the sum of those of its steps. A step asks for its features once for each
question: `Scorer` remembers their score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from palmette.tools.semantics.general_words import GeneralWords
from palmette.tools.semantics.words import alike
from palmette.tools.semantics.world import Predicate

Names = tuple[str, ...]
Scored = tuple[float, Names]

# What a derivation is worth before anything is learned, by the beginning of a feature.
PRIOR: Mapping[str, float] = {
    "match exact": 1.5,
    "match ending": 1.5,
    "match name": 1.0,
    "match user": 2.0,
    "match general": 1.0,
    "match superlative": 0.5,
    "match comparative": 1.0,
    "match beginning": 0.5,
    "match part": 0.5,
    "skip name": -2.0,
    "skip set": -1.0,
    "skip operation": -1.5,
    "cue": 1.0,
    "join": -0.3,
    "same": -0.2,
    "join @none": -3.0,
    "answer empty": -1.0,
    "answer given": -3.0,
    "answer counts given": -3.0,
}


class Scorer:
    """Features and scores of the steps of one question."""

    def __init__(
        self, words: list[str], active: set[int], general: GeneralWords, weights: Mapping[str, float]
    ) -> None:
        self.words = words
        self.general = general
        self.weights = weights
        self.free = [w for i, w in enumerate(words) if i not in active]
        self.content = [w for w in self.free if w not in general.function]
        self._active = active
        self._known: dict[object, Scored] = {}
        self._cues: dict[str, bool] = {}

    def of(self, key: object, make: Callable[[], Iterable[str]]) -> Scored:
        """Return the score and the features of a step, from memory if it was asked for."""
        found = self._known.get(key)
        if found is None:
            names = tuple(make())
            weights = self.weights
            found = self._known[key] = sum(weights.get(name, 0.0) for name in names), names
        return found

    def lexical(self, start: int, end: int, name: str, kind: str, match: str, type: str) -> Scored:
        """A word and its meaning."""
        words = "_".join(self.words[start:end])
        before = self.words[start - 1] if start else "^"
        after = self.words[end] if end < len(self.words) else "$"

        def make() -> Iterable[str]:
            yield f"match {match}"
            if match == "name":
                yield f"name {type}"
                yield f"name {type} after {before}"
                yield f"name {type} before {after}"
                yield f"name {words} {type}"
            else:
                yield f"word {words} {name}"
                yield f"word {words} {name} after {before}"
                yield f"match {match} {kind}"

        return self.of(("lexical", start, end, name, match), make)

    def skip(self, word: str, kind: str) -> Scored:
        """A word that could mean something, and is passed over."""
        return self.of(("skip", word, kind), lambda: (f"skip {kind}", f"skip {kind} {word}"))

    def gap(self, left: int, right: int) -> list[str]:
        """The words between two spans that trigger nothing in this question."""
        return [self.words[i] for i in range(left, right) if i not in self._active]

    def bare(self, word: str) -> bool:
        """Whether a superlative only says how much, as "most" does."""
        phrases = self.general.phrases
        return word in phrases["most"] or word in phrases["fewest"]

    def cue(self, predicate: Predicate) -> bool:
        """Whether a free word of the question is a word of a predicate."""
        found = self._cues.get(predicate.name)
        if found is None:
            own = [w for w in predicate.words if w not in self.general.function]
            found = any(alike(word, other) for word in self.content for other in own)
            self._cues[predicate.name] = found
        return found

    def join(
        self,
        relation: str,
        predicate: Predicate | None,
        head: str,
        child: str,
        head_left: bool,
        left: int,
        right: int,
        operator: str = "",
        far: bool = False,
    ) -> Scored:
        """A join of two trees by a relation; words left … right - 1 are between them.

        far: words of the head's own children lie between them: "states bordering states | that border Texas".
        """
        side = "L" if head_left else "R"

        def make() -> Iterable[str]:
            yield "same" if relation == "=" else "join"
            yield f"join {relation}"
            yield f"join {relation} {side}"
            yield f"join {relation} head {head}"
            yield f"join {relation} child {child}"
            yield f"join {head} {relation} {child}"
            between = self.gap(left, right)
            yield f"join {relation} gap {min(right - left, 4)}"
            yield f"join {side} gap {min(right - left, 4)}"
            for word in between:
                yield f"join {relation} {side} between {word}"
                yield f"join {side} between {word}"
            for word in self.content:
                yield f"join {relation} beside {word}"
            if predicate is not None and self.cue(predicate):
                yield "cue"
            if operator:
                yield f"{operator} {relation} {side}"
            if far:
                yield f"far {side}"
                yield f"far {relation} {side}"
                for word in between:
                    yield f"far {side} between {word}"

        return self.of(("join", relation, head, child, head_left, left, right, operator, far), make)

    def operation(self, operator: str, word: str, what: str, type: str, left: bool) -> Scored:
        """An operation on a set: a superlative by an attribute, a count."""
        side = "L" if left else "R"

        def make() -> Iterable[str]:
            yield f"{operator} {side}"
            yield f"{operator} {what}"
            yield f"by {word} {operator}"
            yield f"by {word} {what}"
            yield f"by {word} {operator} {what} {type}"

        return self.of(("operation", operator, word, what, type, left), make)

    def root(self, kind: str, name: str, type: str, first: bool) -> Scored:
        """The root of a tree: what the question asks for."""
        one = self.words[0] if self.words else ""
        two = "_".join(self.words[:2])

        def make() -> Iterable[str]:
            yield f"root {kind} {type}"
            yield f"root {name}"
            yield f"root {type} {one}"
            yield f"root {type} {two}"
            yield f"root {kind} {two}"
            yield f"root {name} {two}"
            yield f"root first {first}"
            yield f"root first {first} {one}"

        return self.of(("root", kind, name, type, first), make)
