"""From a question to trees with their answers: the chart, the root, and the denotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from palmette.tools.semantics.chart import Item, all_features, derivations, prepare
from palmette.tools.semantics.dcs import DCSTree
from palmette.tools.semantics.denotation import Denotations
from palmette.tools.semantics.lexicon import Lexicon, Trigger
from palmette.tools.semantics.meanings import SET
from palmette.tools.semantics.rules import FINAL, Rules
from palmette.tools.semantics.world import EMPTY, Ids


@dataclass(frozen=True)
class Candidate:
    """A tree for a question, its answer, its score and features, and the triggers that it uses with their
    words."""

    tree: DCSTree
    answer: Ids
    score: float
    features: tuple[str, ...]
    triggers: tuple[Trigger, ...]
    words: tuple[str, ...] = ()


class Engine:
    """Makes the candidates of questions.

    width: trees kept for a span; keep: trees whose answers are computed.
    """

    def __init__(
        self, lexicon: Lexicon, rules: Rules, denotations: Denotations, width: int, keep: int
    ) -> None:
        self.lexicon = lexicon
        self.rules = rules
        self.denotations = denotations
        self.width = width
        self.keep = keep

    def candidates(
        self,
        words: list[str],
        weights: Mapping[str, float],
        more: list[Trigger] | None = None,
        width: int = 0,
        keep: int = 0,
    ) -> list[Candidate]:
        """Return the candidates of a question, best first."""
        question = prepare(words, self.lexicon, weights, more or [])
        items = derivations(question, self.rules, width or self.width)
        rooted = []
        first = min((item.anchor for item in items), default=0)
        for item in items:
            if item.kind not in (SET, FINAL) or item.tree is None:
                continue
            score, names = question.scorer.root(item.kind, item.name, item.type, item.anchor == first)
            rooted.append((item.score + score, names, item))
        rooted.sort(key=lambda one: -one[0])
        found = [
            self._candidate(score, names, item, weights, words)
            for score, names, item in rooted[: keep or self.keep]
        ]
        best: dict[str, Candidate] = {}
        for one in sorted(found, key=lambda one: -one.score):
            best.setdefault(one.tree.text, one)
        return list(best.values())

    def _candidate(
        self, score: float, names: tuple[str, ...], item: Item, weights: Mapping[str, float], words: list[str]
    ) -> Candidate:
        assert item.tree is not None
        tree = item.tree if item.tree.column == item.column else _extracted(item.tree, item.column)
        answer = self.denotations.answer(tree)
        more = self._answer_features(item, answer)
        triggers = item.steps
        features = all_features(((names, more), item.features))
        total = score + sum(weights.get(n, 0.0) for n in more)
        said = tuple(" ".join(words[t.start : t.end]) for t in triggers)
        return Candidate(tree, answer, total, tuple(features), triggers, said)

    def _answer_features(self, item: Item, answer: Ids) -> tuple[str, ...]:
        size = "empty" if not answer else "one" if len(answer) == 1 else "several"
        names = [f"answer {size}", f"answer {size} {item.type}"]
        named = [t.meaning.tree for t in item.steps if t.match in ("name", "number")]
        if item.kind == SET and answer and any(tree and answer <= (tree.values or EMPTY) for tree in named):
            names.append("answer given")
        if item.kind == FINAL and item.tree is not None and _is_constant(item.tree):
            names.append("answer counts given")
        return tuple(names)


def _is_constant(tree: DCSTree) -> bool:
    """Whether an aggregate is of what the question names: the number of Boulder."""
    return all(edge.child.values is not None for edge in tree.edges)


def _extracted(tree: DCSTree, column: int) -> DCSTree:
    return DCSTree(tree.predicate, tree.edges, tree.values, tree.mark, column)
