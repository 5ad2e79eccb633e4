"""Dependency trees: GEN(x) = all trees over n words below an artificial root, scored by their arcs.

    score(heads) = Σ_m scores[heads[m], m]

| method                    | over all trees                         | projective | all trees |
|---------------------------|----------------------------------------|------------|-----------|
| `best`                    | max                                    | O(n³)      | O(n²)     |
| `kbest`                   | the k highest scores                   | O(n³), lazy| O(k n²)   |
| `log_z`, `marginals`      | log Σ e^score, P(arc)                  | O(n³)      | O(n³)     |
| `entropy`, `minimum_risk` | from the marginals                     | O(n³)      | O(n³)     |
| `sample`                  | trees drawn with probability e^score/Z | O(n³)      | O(n³)     |

Projective: Eisner 1996. All trees: Chu & Liu 1965, Edmonds 1967, Tarjan 1977; Camerini et al. 1980 for the
k best; the matrix-tree theorem for sums (Koo et al. 2007). The loops are in
`native/structures/arborescence/eisner_chart.hpp`, `native/structures/arborescence/contraction.hpp` and
`native/structures/arborescence/elimination.hpp`.

With `single_root`, as is usual, exactly one word hangs on the root. All methods take arc scores as `arc_scores`
says, and arcs that a tree must have (`required`) or must not have (`forbidden`), as pairs (head, word). Where no
tree is left, asking for one is a `ValueError`. 1000 words need 16 to 32 MB for the best projective tree and 130 MB
for projective marginals; other methods keep a few matrices. Scores may have any scale; where they exceed 1e13,
so that they are not known to one, sums over e^score say little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from palmette import _native
from palmette.errors import numbered
from palmette.inference.semiring import checked_count
from palmette.structures.arborescence.arc_scores import (
    Arcs,
    Floats,
    Heads,
    Reals,
    arc_scores,
    check_arc_values,
    flat_arc_scores,
)
from palmette.structures.arborescence.heads import checked_heads, is_tree
from palmette.threads import n_threads

_INT32, _FLOAT64 = np.dtype(np.int32), np.dtype(np.float64)


class ScoredTree(NamedTuple):
    """The head of every word, 0 for the root, and the tree's score."""

    heads: Heads
    score: float


@dataclass(frozen=True, eq=False)
class TreeBatch:
    """The trees of many sentences: heads of all words in one array, sentence k at offsets[k] .. offsets[k + 1]."""

    heads: Heads
    scores: Floats
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, sentence: int) -> ScoredTree:
        k = range(len(self))[sentence]
        return ScoredTree(self.heads[self.offsets[k] : self.offsets[k + 1]], float(self.scores[k]))


class DependencyTrees:
    """What `ProjectiveTrees` and `SpanningTrees` share: all of it but the set of trees."""

    projective: ClassVar[bool]

    def __init__(self, single_root: bool = True) -> None:
        self.single_root = bool(single_root)

    # Maxima

    def best(self, scores: npt.ArrayLike, *, required: Arcs = (), forbidden: Arcs = ()) -> ScoredTree:
        """The tree with the highest score."""
        matrix = arc_scores(scores, required, forbidden)
        heads: Heads = np.empty(len(matrix) - 1, _INT32)
        score = _best_tree(matrix.dtype)(matrix, heads, self.projective, self.single_root)
        if score == -math.inf:
            raise self._infeasible()
        return ScoredTree(heads, score)

    def kbest(
        self, scores: npt.ArrayLike, k: int, *, required: Arcs = (), forbidden: Arcs = ()
    ) -> list[ScoredTree]:
        """The k trees with the highest scores, best first; fewer if there are fewer."""
        matrix = self._wide(scores, required, forbidden)
        k = checked_count(k, "k", least=1)
        found, heads = _native.kbest_trees(matrix, self.projective, self.single_root, k)
        if not len(found):
            raise self._infeasible()
        return [ScoredTree(row, s) for row, s in zip(heads.reshape(len(found), -1), found.tolist())]

    # Sums

    def log_z(self, scores: npt.ArrayLike, *, required: Arcs = (), forbidden: Arcs = ()) -> float:
        """log Σ e^score over all trees; -inf if there is none."""
        return self._sums(arc_scores(scores, required, forbidden), False)[0]

    def marginals(self, scores: npt.ArrayLike, *, required: Arcs = (), forbidden: Arcs = ()) -> Reals:
        """P(arc) at [h, m], in the precision of the scores; columns 1 .. n sum to one."""
        log_z, marginals = self._sums(arc_scores(scores, required, forbidden), True)
        if log_z == -math.inf:
            raise self._infeasible()
        return marginals

    def entropy(self, scores: npt.ArrayLike, *, required: Arcs = (), forbidden: Arcs = ()) -> float:
        """The entropy of the distribution over trees, in nats: log Z − Σ P(arc) score(arc)."""
        matrix = self._wide(scores, required, forbidden)
        log_z, marginals = self._sums(matrix, True)
        if log_z == -math.inf:
            raise self._infeasible()
        used = marginals > 0
        # Scores count from the highest one of their word, so that large ones do not cancel.
        possible = np.where(used, matrix, -np.inf)
        highest = np.zeros(len(matrix)) if len(matrix) == 1 else possible.max(axis=0, initial=-np.inf)
        highest[0] = 0.0
        mean = float((marginals[used] * (possible - highest)[used]).sum())
        return max(log_z - float(highest.sum()) - mean, 0.0)

    def sample(
        self,
        scores: npt.ArrayLike,
        n: int = 1,
        random_state: int | np.random.Generator = 0,
        *,
        required: Arcs = (),
        forbidden: Arcs = (),
    ) -> Heads:
        """n independent trees as rows of heads, drawn with probability e^score / Z."""
        matrix = self._wide(scores, required, forbidden)
        count = checked_count(n, "n", least=0)
        seed = int(np.random.default_rng(random_state).integers(2**63))
        heads = _native.sample_trees(matrix, self.projective, self.single_root, count, seed)
        if count and len(matrix) > 1 and not len(heads):
            raise self._infeasible()
        return heads.reshape(count, len(matrix) - 1)

    # Risk

    def minimum_risk(self, scores: npt.ArrayLike, *, required: Arcs = (), forbidden: Arcs = ()) -> ScoredTree:
        """The tree with the most expected right heads, and as its score how many these are."""
        matrix = self._wide(scores, required, forbidden)
        return self.best(np.where(matrix > -np.inf, self.marginals(matrix), -np.inf))

    # One tree

    def score(
        self, scores: npt.ArrayLike, heads: npt.ArrayLike, *, required: Arcs = (), forbidden: Arcs = ()
    ) -> float:
        """The score of one tree; -inf if it is not one of these trees."""
        matrix = self._wide(scores, required, forbidden)
        given = checked_heads(heads, len(matrix) - 1)
        check_arc_values(matrix)
        words = np.arange(1, len(matrix))
        if not is_tree(given, projective=self.projective, single_root=self.single_root):
            return -math.inf
        return float(matrix[given, words].sum())

    def log_probability(
        self, scores: npt.ArrayLike, heads: npt.ArrayLike, *, required: Arcs = (), forbidden: Arcs = ()
    ) -> float:
        """log P(tree)."""
        matrix = self._wide(scores, required, forbidden)
        log_z = self.log_z(matrix)
        if log_z == -math.inf:
            raise self._infeasible()
        return self.score(matrix, heads) - log_z

    # Many sentences

    def best_batch(
        self,
        scores: Sequence[npt.ArrayLike] | Reals,
        lengths: npt.ArrayLike | None = None,
        *,
        required: Sequence[Arcs] | None = None,
        forbidden: Sequence[Arcs] | None = None,
        n_jobs: int = 1,
    ) -> TreeBatch:
        """The best trees of many sentences: a list of matrices, or one flat array and the sentences' lengths.

        Constraints are lists, one per sentence.
        """
        flat, counts = flat_arc_scores(scores, lengths, required, forbidden)
        heads, best = _best_trees(flat.dtype)(
            flat, counts, self.projective, self.single_root, n_threads(n_jobs)
        )
        self._refuse(best)
        return TreeBatch(heads, best, np.concatenate([[0], np.cumsum(counts)]))

    def log_z_batch(
        self,
        scores: Sequence[npt.ArrayLike] | Reals,
        lengths: npt.ArrayLike | None = None,
        *,
        required: Sequence[Arcs] | None = None,
        forbidden: Sequence[Arcs] | None = None,
        n_jobs: int = 1,
    ) -> Floats:
        """log Z of many sentences; -inf where there is no tree."""
        flat, counts = flat_arc_scores(scores, lengths, required, forbidden)
        log_z, _ = _tree_sums(flat.dtype)(
            flat, counts, self.projective, self.single_root, n_threads(n_jobs), False
        )
        return log_z  # type: ignore[no-any-return]

    def marginals_batch(
        self,
        scores: Sequence[npt.ArrayLike] | Reals,
        lengths: npt.ArrayLike | None = None,
        *,
        required: Sequence[Arcs] | None = None,
        forbidden: Sequence[Arcs] | None = None,
        n_jobs: int = 1,
    ) -> tuple[Floats, list[Reals]]:
        """log Z and P(arc) of many sentences; the matrices are views of one array."""
        flat, counts = flat_arc_scores(scores, lengths, required, forbidden)
        log_z, all_arcs = _tree_sums(flat.dtype)(
            flat, counts, self.projective, self.single_root, n_threads(n_jobs), True
        )
        self._refuse(log_z)
        ends = np.cumsum((counts + 1) ** 2).tolist()
        widths = (counts + 1).tolist()
        return log_z, [all_arcs[end - w * w : end].reshape(w, w) for end, w in zip(ends, widths)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(single_root={self.single_root})"

    # Helpers of the above

    def _wide(self, scores: npt.ArrayLike, required: Arcs, forbidden: Arcs) -> Floats:
        return np.asarray(arc_scores(scores, required, forbidden), dtype=np.float64)

    def _sums(self, matrix: Reals, with_marginals: bool) -> tuple[float, Reals]:
        lengths = np.array([len(matrix) - 1], dtype=np.int64)
        log_z, marginals = _tree_sums(matrix.dtype)(
            matrix.ravel(), lengths, self.projective, self.single_root, 1, with_marginals
        )
        return float(log_z[0]), marginals.reshape(matrix.shape) if with_marginals else marginals

    def _infeasible(self, sentence: int | None = None) -> ValueError:
        what = "projective dependency tree" if self.projective else "dependency tree"
        root = " with one root word" if self.single_root else ""
        where = "" if sentence is None else f"{numbered(sentence)}: "
        return ValueError(f"{where}no {what}{root} can be made of the arcs that are allowed")

    def _refuse(self, values: Floats) -> None:
        if len(values) and values.min() == -np.inf:
            raise self._infeasible(int(values.argmin()))


class ProjectiveTrees(DependencyTrees):
    """Trees in which the words below any word have no gap between them, the artificial root at the left end.

    >>> scores = np.log([[1, 8, 1, 1], [1, 1, 1, 6], [1, 1, 1, 3], [1, 1, 4, 1]])
    >>> ProjectiveTrees().best(scores).heads.tolist()
    [0, 3, 1]
    >>> ProjectiveTrees().marginals(scores)[:, 3].round(2).tolist()
    [0.03, 0.87, 0.1, 0.0]
    """

    projective = True


class SpanningTrees(DependencyTrees):
    """All dependency trees, with crossing arcs or without.

    >>> scores = np.log([[1, 8, 1, 1], [1, 1, 1, 6], [1, 1, 1, 3], [1, 1, 4, 1]])
    >>> SpanningTrees().best(scores, forbidden=[(3, 2)]).heads.tolist()
    [0, 1, 1]
    """

    projective = False


def _best_tree(dtype: np.dtype[Any]) -> Any:
    return _native.double_best_tree if dtype == _FLOAT64 else _native.float_best_tree


def _best_trees(dtype: np.dtype[Any]) -> Any:
    return _native.double_best_trees if dtype == _FLOAT64 else _native.float_best_trees


def _tree_sums(dtype: np.dtype[Any]) -> Any:
    return _native.double_tree_sums if dtype == _FLOAT64 else _native.float_tree_sums
