"""A small and slow model of trees for tests of parsers: arc-factored, averaged perceptron, all in NumPy.

score(h → m, label) sums the weights of eight hashed features of the arc, each with and without the label. Trees
are found by Chu-Liu-Edmonds with contraction, one root by a large cost of root arcs; the k best by splitting the
set of trees at each head of the last one; probabilities by the matrix-tree theorem (one root).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from palmette.features.token_views import TokenViews
from palmette.learning.learner import Callback, Learner, Report
from palmette.learning.perceptron import Perceptron
from palmette.parameters import Options, option
from palmette.tools.dependency.model import (
    FeatureUse,
    HeadChoice,
    Int32,
    Parses,
    Plan,
    ScoredTree,
    Trained,
)
from palmette.tools.methods import Method

BITS = 12
LONG = 200  # words; longer sentences become chains


@dataclass(frozen=True, kw_only=True)
class ToyOptions(Options):
    """The options of the toy."""

    single_root: bool = option(True, "whether exactly one word is at the root")
    swing: int = option(0, "an option of the search that does nothing")


METHOD = Method(
    summary="a toy",
    train="samples.toy_tree_model:train_toy",
    model="samples.toy_tree_model:ToyModel",
    plan="samples.toy_tree_model:plan_toy",
    learners="samples.toy_tree_model:LEARNERS",
    options="samples.toy_tree_model:ToyOptions",
)
NAMES = (
    "h.word m.word",
    "h.upos m.upos",
    "h.word m.upos",
    "h.upos m.word",
    "h.upos m.upos distance",
    "m.upos direction",
    "h.xpos m.xpos",
    "h.end3 m.feats",
)


LEARNERS = (Perceptron(n_iter=8),)


def plan_toy(
    heads: Int32, offsets: np.ndarray, n_labels: int, options: Mapping[str, Any], learner: Learner | None
) -> Plan:
    return Plan(check_options(options), learner or LEARNERS[0])


def check_options(options: Mapping[str, Any]) -> dict[str, Any]:
    ToyOptions.of(options, "The method 'toy'")
    return dict(options)


def arc_rows(views: TokenViews, i: int) -> np.ndarray:
    """The features of all arcs of a sentence: [heads, words, features], places in the table."""
    tokens = slice(int(views.offsets[i]), int(views.offsets[i + 1]))
    n = tokens.stop - tokens.start
    with np.errstate(over="ignore"):

        def of(view: str, head: bool) -> np.ndarray:
            values = np.concatenate([[np.uint64(7)], views.column(view)[tokens]])
            return values[:, None] * np.uint64(3) if head else values[None, :]

        place = np.arange(n + 1)
        distance = np.clip(place[None, :] - place[:, None], -5, 5).astype(np.int64).astype(np.uint64)
        direction = (place[None, :] > place[:, None]).astype(np.uint64)
        parts = [
            of("word", True) + of("word", False),
            of("upos", True) + of("upos", False),
            of("word", True) + of("upos", False),
            of("upos", True) + of("word", False),
            of("upos", True) + of("upos", False) + distance * np.uint64(77),
            of("upos", False) + direction * np.uint64(5) + np.zeros((n + 1, n + 1), np.uint64),
            of("xpos", True) + of("xpos", False),
            of("end3", True) + of("feats", False),
        ]
        rows = np.stack(
            [(part + np.uint64(k)) * np.uint64(0x9E3779B97F4A7C15) for k, part in enumerate(parts)], 2
        )
    return (rows >> np.uint64(64 - BITS)).astype(np.int64)


def arborescence(scores: np.ndarray) -> np.ndarray | None:
    """Chu-Liu-Edmonds: the heads of the best tree over scores[h, m], node 0 the root; None if there is none."""
    n = len(scores)
    scores = scores.copy()
    np.fill_diagonal(scores, -np.inf)
    scores[:, 0] = -np.inf
    heads = scores.argmax(axis=0)
    if n > 1 and not np.isfinite(scores.max(axis=0)[1:]).all():
        return None
    heads[0] = 0
    for start in range(1, n):
        seen, at = [], start
        while at != 0 and at not in seen:
            seen.append(at)
            at = int(heads[at])
        if at == 0:
            continue
        cycle = seen[seen.index(at) :]
        outside = [v for v in range(n) if v not in cycle]
        small = np.full((len(outside) + 1, len(outside) + 1), -np.inf)
        small[:-1, :-1] = scores[np.ix_(outside, outside)]
        inside = scores[heads[cycle], cycle]
        entering = scores[np.ix_(outside, cycle)] - inside[None, :]
        small[:-1, -1] = entering.max(axis=1) + inside.sum()
        leaving = scores[np.ix_(cycle, outside)]
        small[-1, :-1] = leaving.max(axis=0)
        found = arborescence(small)
        if found is None:
            return None
        for place, v in enumerate(outside):
            if v:
                h = int(found[place])
                heads[v] = cycle[int(leaving[:, place].argmax())] if h == len(outside) else outside[h]
        enters = int(found[-1])
        broken = cycle[int(entering[enters].argmax())]
        heads[broken] = outside[enters]
        return heads
    return heads


@dataclass(frozen=True, eq=False)
class ToyModel:
    labels: tuple[str, ...]
    weights: np.ndarray  # [1 + labels, table]: of arcs, and of arcs with a label
    options: Mapping[str, Any]

    # Scores

    def label_scores(self, views: TokenViews, i: int) -> np.ndarray:
        rows = arc_rows(views, i)
        found = self.weights[:, rows].sum(axis=3)
        return np.moveaxis(found[1:] + found[0], 0, 2)

    def arc_scores(self, views: TokenViews, i: int) -> np.ndarray:
        return self.label_scores(views, i).max(axis=2).astype(np.float64)

    def _constrained(self, views: TokenViews, i: int, heads: Any, forbidden: Any) -> np.ndarray:
        scores, base = self.arc_scores(views, i), int(views.offsets[i])
        for m in range(1, len(scores)):
            if heads is not None and heads[base + m - 1] >= 0:
                keep = heads[base + m - 1]
                others = np.arange(len(scores)) != keep
                scores[others, m] = -np.inf
        if forbidden is not None:
            for token, head in forbidden.tolist():
                if base <= token < int(views.offsets[i + 1]):
                    scores[head, token - base + 1] = -np.inf
        return scores

    def _best(self, scores: np.ndarray) -> np.ndarray | None:
        single = self.options.get("single_root", True)
        cost = 1e6 if single else 0.0
        changed = scores.copy()
        changed[0] -= cost
        heads = arborescence(changed)
        if heads is None or (single and len(scores) > 1 and (heads[1:] == 0).sum() != 1):
            return None
        return heads[1:].astype(np.int32)

    # The protocol

    def parse(self, views, *, heads=None, forbidden=None, minimum_risk=False, n_jobs=1) -> Parses:
        found, labels, scores, notes = [], [], [], []
        for i in range(len(views)):
            n = int(views.offsets[i + 1] - views.offsets[i])
            if n > LONG:
                notes.append(f"sentence {i + 1} has {n:,} words, too many for this model: a chain")
                found.append(np.arange(n, dtype=np.int32))
                labels.append(np.zeros(n, np.int32))
                scores.append(0.0)
                continue
            s = self._constrained(views, i, heads, forbidden)
            if minimum_risk:
                s = np.where(np.isfinite(s), self._marginals(self.arc_scores(views, i)), -np.inf)
            tree = self._best(s) if n else np.zeros(0, np.int32)
            if tree is None:
                raise ValueError(f"Sentence {i + 1}: no tree agrees with what is known.")
            found.append(tree)
            labels.append(self._labels(views, i, tree))
            scores.append(self._score(views, i, tree))
        none = np.zeros(0, np.int32)
        return Parses(
            np.concatenate([none, *found]), np.concatenate([none, *labels]), np.array(scores), tuple(notes)
        )

    probabilities_from = "trees"

    def arc_probabilities(self, views, parses, *, n_jobs=1) -> np.ndarray:
        out = []
        for i in range(len(views)):
            begin, end = int(views.offsets[i]), int(views.offsets[i + 1])
            if begin < end:
                p = self._marginals(self.arc_scores(views, i))
                out += [p[h, m] for m, h in enumerate(parses.heads[begin:end].tolist(), 1)]
        return np.array(out, dtype=np.float32)

    def arc_marginals(self, views, *, n_jobs=1) -> list[list[tuple[int, float]]]:
        full = np.flatnonzero(np.diff(views.offsets)).tolist()
        tables = [self._marginals(self.arc_scores(views, i)) for i in full]
        return [list(enumerate(column)) for table in tables for column in table.T[1:].tolist()]

    def kbest(self, views, k, *, heads=None, forbidden=None, n_jobs=1) -> list[list[ScoredTree]]:
        ranked = []
        for i in range(len(views)):
            start = self._constrained(views, i, heads, forbidden)
            trees = self._ranked(start, k) if len(start) > 1 else [np.zeros(0, np.int32)]
            ranked.append([ScoredTree(t, self._labels(views, i, t), self._score(views, i, t)) for t in trees])
        return ranked

    def tree_label_scores(self, views: TokenViews, heads: np.ndarray) -> None:
        """Labels come with the arcs."""

    def explain(self, views, sentence, token, rival_head=None) -> HeadChoice:
        one = views.select([sentence])
        best = self.parse(one)
        head = int(best.heads[token - 1])
        try:
            if rival_head is None:
                rival = self.parse(one, forbidden=np.array([[token - 1, head]], np.int32))
            else:
                known = np.full(one.n_tokens, -1, np.int32)
                known[token - 1] = rival_head
                rival = self.parse(one, heads=known)
        except ValueError:
            return HeadChoice(head, int(best.labels[token - 1]), None, None, np.inf)
        rows, parts = arc_rows(one, 0), []
        for m in range(1, one.n_tokens + 1):
            for sign, parses in ((1.0, best), (-1.0, rival)):
                h, y = int(parses.heads[m - 1]), int(parses.labels[m - 1])
                for name, row in zip(NAMES, rows[h, m]):
                    amount = float(self.weights[0, row]) + float(self.weights[1 + y, row])
                    parts.append(FeatureUse(f"{name} {self.labels[y]}", sign * amount, {"h": h, "m": m}))
        margin = float(best.scores[0] - rival.scores[0])
        return HeadChoice(
            head,
            int(best.labels[token - 1]),
            int(rival.heads[token - 1]),
            int(rival.labels[token - 1]),
            margin,
            tuple(parts),
        )

    def with_options(self, options):
        return replace(self, options={**self.options, **check_options(options)})

    def arrays(self, *, compact=False):
        return {"weights": self.weights.astype(np.float16 if compact else np.float32)}

    def settings(self):
        return {"options": dict(self.options)}

    @classmethod
    def restore(cls, labels, arrays, settings):
        weights = arrays.get("weights")
        if weights is None or weights.shape != (1 + len(labels), 1 << BITS) or weights.dtype.kind != "f":
            raise ValueError("its weights are not there")
        if not np.isfinite(weights).all():
            raise ValueError("its weights are not all numbers")
        return cls(labels, weights.astype(np.float32), check_options(settings["options"]))

    # Inside

    def _labels(self, views, i, tree) -> np.ndarray:
        if not len(tree):
            return np.zeros(0, np.int32)
        scores = self.label_scores(views, i)
        return scores[tree, np.arange(1, len(tree) + 1)].argmax(axis=1).astype(np.int32)

    def _score(self, views, i, tree) -> float:
        return float(self.arc_scores(views, i)[tree, np.arange(1, len(tree) + 1)].sum()) if len(tree) else 0.0

    def _ranked(self, scores: np.ndarray, k: int) -> list[np.ndarray]:
        words = np.arange(1, len(scores))

        def entry(s):
            tree = self._best(s)
            return [] if tree is None else [(float(scores[tree, words].sum()), tree, s)]

        waiting, found = entry(scores), []
        while waiting and len(found) < k:
            waiting.sort(key=lambda one: -one[0])
            _, tree, space = waiting.pop(0)
            found.append(tree)
            rest = space.copy()
            for m, h in enumerate(tree.tolist(), 1):
                other = rest.copy()
                other[h, m] = -np.inf
                waiting += entry(other)
                rest[np.arange(len(rest)) != h, m] = -np.inf
        return found

    def _marginals(self, scores: np.ndarray) -> np.ndarray:
        """Koo et al. 2007, one root: P(h → m) from the inverse of the changed Laplacian."""
        a = np.exp(scores - scores[np.isfinite(scores)].max())
        np.fill_diagonal(a, 0.0)
        root, arcs = a[0, 1:], a[1:, 1:]
        laplacian = np.diag(arcs.sum(axis=0)) - arcs
        laplacian[0] = root
        inverse = np.linalg.inv(laplacian)
        p = np.zeros_like(scores)
        p[0, 1:] = root * inverse[:, 0]
        keep = np.ones(len(arcs))
        keep[0] = 0.0
        into = keep[None, :] * arcs * np.diag(inverse)[None, :]
        out = keep[:, None] * arcs * inverse.T
        p[1:, 1:] = into - out
        return p


def train_toy(
    views: TokenViews,
    heads: np.ndarray,
    labels: np.ndarray,
    names: tuple[str, ...],
    *,
    options: Mapping[str, Any],
    learner: Learner | None = None,
    dev: Callable[[Any], float] | None = None,
    callback: Callback | None = None,
    n_jobs: int = 1,
) -> Trained:
    learner = learner or LEARNERS[0]
    checked = check_options(options)
    total = np.zeros((1 + len(names), 1 << BITS), np.float64)
    model = ToyModel(names, np.zeros_like(total, dtype=np.float32), checked)
    history, best, best_score = [], model, -np.inf
    for epoch in range(1, learner.passes + 1):
        wrong = 0
        for i in range(len(views)):
            words = slice(int(views.offsets[i]), int(views.offsets[i + 1]))
            guess = model.parse(views.select([i]))
            rows = arc_rows(views, i)
            for m, (h, y, g, z) in enumerate(zip(heads[words], labels[words], guess.heads, guess.labels), 1):
                if (h, y) != (g, z):
                    wrong += 1
                    for which, place, step in ((1 + y, h, 1.0), (1 + z, g, -1.0)):
                        np.add.at(model.weights[0], rows[place, m], step)
                        np.add.at(model.weights[which], rows[place, m], step)
            total += model.weights
        average = ToyModel(names, (total / (epoch * len(views))).astype(np.float32), checked)
        numbers = {"loss": float(wrong)}
        if dev is not None:
            numbers["dev"] = dev(average)
        better = dev is None or numbers["dev"] > best_score
        if better:
            best, best_score = average, numbers.get("dev", 0.0)
        history.append(Report(epoch, 0.0, numbers, better))
        if callback is not None:
            callback(history[-1])
    return Trained(best, learner, tuple(history))
