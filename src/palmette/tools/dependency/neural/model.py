"""Parsers that look for the best of all trees, with arcs and relations scored by a network.

    s(h → m) = H_h · (U D_m + u)            s(l | h → m) = [R_h, 1] · V_l [S_m, 1]      (Dozat and Manning 2017)

The network runs in the native core; trees are those of `ProjectiveTrees` or `SpanningTrees`, with all that they
offer: constraints, k best, probabilities, minimum risk. Relations are chosen after the tree. Torch is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.errors import SentenceError
from palmette.features.network.network import Network
from palmette.features.network.saving import network_arrays, network_settings, restore_network
from palmette.features.token_views import TokenViews
from palmette.formats.corpus import Corpus
from palmette.parameters import require_int
from palmette.structures.arborescence import ProjectiveTrees, SpanningTrees
from palmette.tools.dependency.model import (
    LEAST_PROBABILITY,
    Arrays,
    HeadChoice,
    Int32,
    Parses,
    ProbabilitySource,
    ScoredTree,
    root_labels,
)
from palmette.tools.dependency.neural.options import OWNER, NeuralTreeOptions
from palmette.tools.probabilities import no_probabilities

Floats = NDArray[np.float32]
_NETWORK = "network."
_AT_ONCE = 1 << 22  # scores of arcs or of relations that are computed together
MOST_WORDS = 4000  # of a sentence: its tree takes words² of memory, and if it is projective words³ of time


@dataclass(frozen=True, eq=False)
class NeuralModel:
    """A trained neural parser.

    products: U with u as its last column, V, and the vectors of the root. normalised: do the scores of trees mean
    probabilities (was the loss that of a CRF)?
    """

    labels: tuple[str, ...]
    options: NeuralTreeOptions
    network: Network
    products: Mapping[str, Floats]
    normalised: bool = True

    @cached_property
    def trees(self) -> ProjectiveTrees | SpanningTrees:
        """GEN: the trees that are looked for."""
        kind = SpanningTrees if self.options.projective is False else ProjectiveTrees
        return kind(single_root=self.options.single_root)

    @property
    def sizes(self) -> tuple[int, int]:
        """The widths of the vectors for arcs and for relations."""
        return len(self.products["root"]), len(self.products["relation_root"])

    # Parsing

    def parse(
        self,
        views: TokenViews,
        *,
        heads: Int32 | None = None,
        forbidden: Int32 | None = None,
        minimum_risk: bool = False,
        n_jobs: int = 1,
    ) -> Parses:
        """The best tree of every sentence; see `TreeModel.parse`."""
        check_lengths(views.offsets)
        if minimum_risk:
            self._require_probabilities()
        vectors = self.vectors(views, n_jobs)
        constraints = _constraints(views.offsets, heads, forbidden)
        heads_of, scores_of = [np.zeros(0, np.int32)], [np.zeros(0)]
        for first, matrices in self._tables(vectors, views.offsets):
            given = constraints[first : first + len(matrices)]
            if minimum_risk:
                for i, (m, c) in enumerate(zip(matrices, given), first):
                    tree = _numbered(i, lambda m=m, c=c: self.trees.minimum_risk(m, **c))
                    heads_of.append(np.asarray(tree.heads, np.int32))
                    scores_of.append(np.array([tree.score]))
                continue
            required, excluded = ([c[name] for c in given] for name in ("required", "forbidden"))
            batch = self.trees.best_batch(matrices, required=required, forbidden=excluded, n_jobs=n_jobs)
            heads_of.append(batch.heads.astype(np.int32))
            scores_of.append(batch.scores.astype(np.float64))
        chosen = np.concatenate(heads_of)
        return Parses(chosen, self._relations(vectors, views.offsets, chosen), np.concatenate(scores_of))

    @property
    def probabilities_from(self) -> ProbabilitySource | None:
        """Sums over trees, if the loss was that of a CRF."""
        return "trees" if self.normalised else None

    def arc_probabilities(self, views: TokenViews, parses: Parses, *, n_jobs: int = 1) -> Floats:
        """The probability of each token's arc over all trees; see `TreeModel.arc_probabilities`."""
        found = np.zeros(views.n_tokens, dtype=np.float32)
        for (begin, end), table in zip(pairwise(views.offsets.tolist()), self._marginals(views, n_jobs)):
            found[begin:end] = table[parses.heads[begin:end], np.arange(1, end - begin + 1)]
        return found

    def arc_marginals(self, views: TokenViews, *, n_jobs: int = 1) -> list[list[tuple[int, float]]]:
        """For every token its heads with their probabilities."""
        return [
            [(h, float(p)) for h, p in enumerate(column) if p > LEAST_PROBABILITY]
            for table in self._marginals(views, n_jobs)
            for column in table.T[1:].tolist()
        ]

    def kbest(
        self,
        views: TokenViews,
        k: int,
        *,
        heads: Int32 | None = None,
        forbidden: Int32 | None = None,
        n_jobs: int = 1,
    ) -> list[list[ScoredTree]]:
        """The k best trees of every sentence; see `TreeModel.kbest`."""
        require_int("k", k, 1)
        vectors, lists = self.vectors(views, n_jobs), []
        constraints = _constraints(views.offsets, heads, forbidden)
        for i, (matrix, given) in enumerate(zip(self.arc_scores(vectors, views.offsets), constraints)):
            found = _numbered(i, lambda m=matrix, c=given: self.trees.kbest(m, k, **c))
            log_z = self.trees.log_z(matrix, **given) if self.normalised else None
            begin, end = (int(x) for x in views.offsets[i : i + 2])
            own, bounds = vectors[begin:end], np.array([0, end - begin], dtype=np.int64)
            lists.append(
                [
                    ScoredTree(
                        tree.heads,
                        self._relations(own, bounds, tree.heads),
                        float(tree.score),
                        None if log_z is None else float(tree.score - log_z),
                    )
                    for tree in found
                ]
            )
        return lists

    def tree_label_scores(self, views: TokenViews, heads: Int32) -> Floats:
        """The scores of relations in given trees, minus infinity for one that does not fit its head."""
        return self._label_scores(self.vectors(views, 1), views.offsets, heads)

    def explain(
        self, views: TokenViews, sentence: int, token: int, rival_head: int | None = None
    ) -> HeadChoice:
        """Why a token has its head: the best tree against the best with another head there."""
        from palmette.tools.dependency.neural.explanation import explain_head

        return explain_head(self, views.select([sentence]), token, rival_head)

    # Scores

    def vectors(self, views: TokenViews, n_jobs: int = 1) -> Floats:
        """H, D, R and S of every word, side by side."""
        return self.network(corpus_of(views), n_jobs=n_jobs)

    def arc_scores(self, vectors: Floats, offsets: NDArray[np.int64]) -> Iterator[Floats]:
        """The scores of arcs of every sentence, [words + 1, words + 1], heads first."""
        check_lengths(offsets)
        a, table = self.sizes[0], self.products["arcs"]
        for begin, end in pairwise(offsets.tolist()):
            heads = np.concatenate([self.products["root"][None], vectors[begin:end, :a]])
            scores = np.zeros((len(heads), len(heads)), dtype=np.float32)
            scores[:, 1:] = heads @ (table[:, :-1] @ vectors[begin:end, a : 2 * a].T + table[:, -1:])
            yield scores

    def _tables(self, vectors: Floats, offsets: NDArray[np.int64]) -> Iterator[tuple[int, list[Floats]]]:
        """The scores of arcs of some sentences after the other, with the number of the first of them, from 0."""
        some: list[Floats] = []
        for number, scores in enumerate(self.arc_scores(vectors, offsets)):
            if some and sum(one.size for one in some) + scores.size > _AT_ONCE:
                yield number - len(some), some
                some = []
            some.append(scores)
        if some:
            yield len(offsets) - 1 - len(some), some

    def _marginals(self, views: TokenViews, n_jobs: int) -> Iterator[Any]:
        self._require_probabilities()
        for _, matrices in self._tables(self.vectors(views, n_jobs), views.offsets):
            yield from self.trees.marginals_batch(matrices, n_jobs=n_jobs)[1]

    def _relations(self, vectors: Floats, offsets: NDArray[np.int64], heads: Int32) -> Int32:
        found: Int32 = self._label_scores(vectors, offsets, heads).argmax(axis=1).astype(np.int32)
        return found

    def _label_scores(self, vectors: Floats, offsets: NDArray[np.int64], heads: Int32) -> Floats:
        a, r = self.sizes
        table = self.products["relations"]
        n, size = table.shape[0], r + 1
        flat = np.ascontiguousarray(table.transpose(1, 0, 2)).reshape(size, -1)
        above = np.concatenate([self.products["relation_root"][None], vectors[:, 2 * a : 2 * a + r]])
        begins = np.repeat(offsets[:-1], np.diff(offsets))
        rows = np.where(heads == 0, 0, begins + heads)
        scores = np.zeros((len(heads), n), dtype=np.float32)
        step = max(1, _AT_ONCE // (n * size))
        for k in range(0, len(heads), step):
            ones = np.ones((len(heads[k : k + step]), 1), dtype=np.float32)
            of_heads = np.concatenate([above[rows[k : k + step]], ones], axis=1)
            of_words = np.concatenate([vectors[k : k + step, 2 * a + r :], ones], axis=1)
            products = (of_heads @ flat).reshape(-1, n, size)
            scores[k : k + step] = np.matmul(products, of_words[:, :, None])[:, :, 0]
        at_root = root_labels(self.labels)
        if at_root is not None:
            scores[(heads == 0)[:, None] != (at_root == 1)] = -np.inf
        return scores

    def _require_probabilities(self) -> None:
        if not self.normalised:
            raise no_probabilities("This parser", frozenset({"best", "marginals", "risk"}))

    # Files

    def with_options(self, options: Mapping[str, Any]) -> NeuralModel:
        """The same network with other trees: projective or not, several roots."""
        return replace(self, options=self.options.changed(options, OWNER))

    def arrays(self, *, compact: bool = False) -> Arrays:
        """The weights; compact changes nothing: the option int8 of training does."""
        kept = network_arrays(self.network, int8=self.network.int8)
        return {**{_NETWORK + name: array for name, array in kept.items()}, **self.products}

    def settings(self) -> dict[str, Any]:
        """The options, the plan of the network, and whether scores mean probabilities."""
        return {
            **self.options.to_dict(),
            "network": {"int8": self.network.int8, **network_settings(self.network)},
            "normalised": self.normalised,
        }

    @classmethod
    def restore(
        cls, labels: tuple[str, ...], arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]
    ) -> NeuralModel:
        """The model of a file; ValueError if it does not fit together."""
        plan, normalised = settings.get("network"), settings.get("normalised")
        if not isinstance(plan, dict) or not isinstance(normalised, bool) or not labels:
            raise ValueError("the settings of a neural parser are damaged")
        try:
            options = NeuralTreeOptions.of(
                {name: settings[name] for name in NeuralTreeOptions.names()}, OWNER
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"a neural parser lacks something: {error}") from None
        inside = {name.removeprefix(_NETWORK): a for name, a in arrays.items() if name.startswith(_NETWORK)}
        network = replace(restore_network(inside, plan), int8=plan.get("int8") is True)
        products = {name: arrays.get(name) for name in ("arcs", "root", "relations", "relation_root")}
        sizes = [
            0 if array is None or array.ndim != 1 else len(array)
            for array in (products["root"], products["relation_root"])
        ]
        a, r = sizes
        shapes = {
            "arcs": (a, a + 1),
            "root": (a,),
            "relations": (len(labels), r + 1, r + 1),
            "relation_root": (r,),
        }
        checked: dict[str, Floats] = {}
        for name, array in products.items():
            if array is None or array.dtype != np.float32 or array.shape != shapes[name] or not array.size:
                raise ValueError(f"the array {name!r} of a neural parser is missing, or is of another kind")
            if not np.isfinite(array).all():
                raise ValueError(f"the array {name!r} of a neural parser has numbers that are not finite")
            checked[name] = np.ascontiguousarray(array)
        if network.n_outputs != 2 * (a + r):
            raise ValueError(
                f"the network of a parser has {network.n_outputs} outputs in place of {2 * (a + r)}"
            )
        return cls(labels, options, network, checked, normalised)


def check_lengths(offsets: NDArray[np.int64]) -> None:
    """SentenceError for a sentence that is too long."""
    for number in np.flatnonzero(np.diff(offsets) > MOST_WORDS).tolist():
        n = int(offsets[number + 1] - offsets[number])
        raise SentenceError(
            number + 1,
            f"it has {n:,} words, and a parser with a network, which scores every pair of words, takes at most "
            f"{MOST_WORDS:,}: cut it into sentences.",
        )


def corpus_of(views: TokenViews) -> Corpus:
    """The words and columns of sentences, which a network sees."""
    if views.corpus is None:
        raise ValueError("A neural parser needs words, and these sentences have only hashes of them.")
    return views.corpus


def _constraints(
    offsets: NDArray[np.int64], heads: Int32 | None, forbidden: Int32 | None
) -> list[dict[str, list[tuple[int, int]]]]:
    """For every sentence the arcs (head, word) that its tree must have, and those that it must not have."""
    found: list[dict[str, list[tuple[int, int]]]] = [{"required": [], "forbidden": []} for _ in offsets[1:]]
    if heads is not None:
        for i, (begin, end) in enumerate(pairwise(offsets.tolist())):
            own = heads[begin:end].tolist()
            found[i]["required"] = [(h, m) for m, h in enumerate(own, 1) if h >= 0]
    if forbidden is not None:
        for token, head in forbidden.tolist():
            i = int(np.searchsorted(offsets, token, side="right")) - 1
            found[i]["forbidden"].append((head, token - int(offsets[i]) + 1))
    return found


def _numbered(i: int, search: Any) -> Any:
    try:
        return search()
    except ValueError as error:
        raise ValueError(f"sentence {i + 1}: {error}") from None
