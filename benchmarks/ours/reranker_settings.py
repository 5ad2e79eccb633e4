"""The settings of the rerankers in `benchmarks.reranking`, by nested cross-validation over their training data.

    PYTHONPATH=. python -m benchmarks.ours.reranker_settings

Each fifth of the sentences is reranked by what was learned from the others, whose lists come from first models
that have not seen that fifth either (`ListSource.folds`); F1 is that of all five together. Of trees the mean of
the perceptron's sums stands for their votes: it gains the same, in a tenth of the time. Neither dev nor test set
is looked at, and the number of passes is fixed; results are kept beside the peers.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, TypeVar

from benchmarks.ours.ranked_lists import Lists, ListSource
from benchmarks.peers.folder import kept
from palmette.evaluation.candidates import compare_choices
from palmette.features.kernels.tagged_sequences import TaggedSequenceKernel
from palmette.features.kernels.trees import TreeKernel
from palmette.learning.learner import Learner
from palmette.learning.loglinear import CRF
from palmette.learning.mira import MIRA
from palmette.learning.perceptron import Perceptron
from palmette.tools.reranking.reranker import Reranker


class TreeSetting(NamedTuple):
    """Of a voted perceptron over all subtrees, normalised; four passes."""

    decay: float
    margin: float
    beta: float
    prior: float

    def __str__(self) -> str:
        return f"λ {self.decay:g}, margin {self.margin:g}, β {self.beta:g}, prior {self.prior:g}"

    def reranker(self, *, voted: bool = False, n_jobs: int = 1) -> Reranker:
        """An untrained one."""
        learner = Perceptron(voted=voted, margin=self.margin, n_iter=4)
        kernel = TreeKernel(decay=self.decay).normalized
        return Reranker(learner, kernel=kernel, beta=self.beta, prior=self.prior, n_jobs=n_jobs)


class SequenceSetting(NamedTuple):
    """Of a learner over fragments of at most three states, not normalised, that begins with a prior; six passes.

    strength: l2 of a CRF, c of MIRA with the five best, the margin of an averaged perceptron.
    """

    learner: str
    strength: float
    decay: float
    prior: float = 1.0

    def __str__(self) -> str:
        return f"{self.learner} {self.strength:g}, λ {self.decay:g}, prior {self.prior:g}"

    def reranker(self, longest: int | None = 3, n_jobs: int = 1) -> Reranker:
        """An untrained one; longest: None for fragments of any length."""
        learners: dict[str, Learner] = {
            "CRF": CRF(l2=self.strength, n_iter=6),
            "MIRA": MIRA(c=self.strength, k=5, n_iter=6),
            "perceptron": Perceptron(margin=self.strength, n_iter=6),
        }
        kernel = TaggedSequenceKernel(decay=self.decay, longest=longest)
        learner = learners[self.learner]
        return Reranker(learner, kernel=kernel, beta=0.0, prior=self.prior, n_jobs=n_jobs)


Setting = TypeVar("Setting", TreeSetting, SequenceSetting)

TREES = [
    TreeSetting(decay, margin, beta, prior)
    for decay, margin, (beta, prior) in itertools.product(
        (0.15, 0.25, 0.35, 0.45), (0.5, 1.0), ((0.01, 0.0), (1e-4, 2.0), (1e-4, 3.0), (1e-4, 5.0))
    )
]
SEQUENCES = [
    *(SequenceSetting("CRF", l2, decay) for l2, decay in itertools.product((0.3, 1.0, 3.0), (0.3, 1.0))),
    *(SequenceSetting("MIRA", c, decay) for c, decay in itertools.product((0.02, 0.05, 0.1), (0.3, 1.0))),
    *(SequenceSetting("perceptron", 0.5, 0.3, prior) for prior in (10.0, 30.0)),
]


def best_setting(source: ListSource, settings: Sequence[Setting], tell: bool = False) -> Setting:
    """That whose choices of minimum risk, the usual ones, have the highest F1; the earlier of equals."""
    path = Path(kept(f"reranking-{source.name}-{source.k}-nested.json"))
    known: dict[str, list[float]] = json.loads(path.read_text()) if path.exists() else {}
    left = [setting for setting in settings if str(setting) not in known]
    if left:
        _FOLDS[source.name] = source.folds()  # read once, for both processes
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        for setting, gains in zip(left, pool.map(_gains, itertools.repeat(source.name), left)):
            known[str(setting)] = gains
            path.write_text(json.dumps(known, indent=1))
    if tell:
        for setting in settings:
            score, risk = known[str(setting)]
            print(f"{setting}: by score {100 * score:+.2f}, by risk {100 * risk:+.2f}")
    return max(settings, key=lambda setting: known[str(setting)][1])


_FOLDS: dict[str, list[tuple[Lists, Lists]]] = {}


def _gains(name: str, setting: TreeSetting | SequenceSetting) -> list[float]:
    """F1 above that of the first model, of the highest scores and of minimum risk."""
    lists: Lists = []
    chosen: tuple[list[int | None], list[int | None]] = ([], [])
    for rest, own in _FOLDS[name]:
        trained = setting.reranker().fit(rest)
        lists += own
        for minimum_risk in (False, True):
            chosen[minimum_risk].extend(trained.choose(own, minimum_risk=minimum_risk))
    found = [compare_choices(lists, some, n_resamples=1) for some in chosen]
    return [scores.f1 - scores.baseline for scores in found]


if __name__ == "__main__":
    from benchmarks.reranking import ENTITIES, PARSES

    print("The best for entities:", best_setting(ENTITIES, SEQUENCES, tell=True))
    print("The best for parses:", best_setting(PARSES, TREES, tell=True))
