"""The settings of the voted perceptron in `benchmarks.reranking`, by cross-validation over its training lists.

    PYTHONPATH=. python -m benchmarks.reranker_settings

Each fifth of the lists is reranked by what was learned from the others; F1 is that of all five together. The mean
of the sums stands for their votes here: it gains the same, in a tenth of the time. Neither dev nor test set
is looked at; results are kept beside the peers.
"""

from __future__ import annotations

import itertools
import json
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from benchmarks.peers.folder import kept
from benchmarks.ranked_lists import FOLDS, parses
from palmette.evaluation.candidates import compare_choices
from palmette.features.kernels.trees import TreeKernel
from palmette.learning.perceptron import Perceptron
from palmette.structures.candidates import Candidates
from palmette.tools.reranking.reranker import Reranker

PASSES = 4
DECAYS = (0.15, 0.25, 0.35, 0.45)
MARGINS = (0.5, 1.0)
STARTS = ((0.01, 0.0), (1e-4, 2.0), (1e-4, 3.0), (1e-4, 5.0))  # β and the prior


class Setting(NamedTuple):
    """Of a voted perceptron over all subtrees, normalised."""

    decay: float
    margin: float
    beta: float
    prior: float

    def __str__(self) -> str:
        return f"λ {self.decay:g}, margin {self.margin:g}, β {self.beta:g}, prior {self.prior:g}"

    def reranker(self, *, voted: bool, n_jobs: int = 1) -> Reranker:
        """An untrained one."""
        learner = Perceptron(voted=voted, margin=self.margin, n_iter=PASSES)
        kernel = TreeKernel(decay=self.decay).normalized
        return Reranker(learner, kernel=kernel, beta=self.beta, prior=self.prior, n_jobs=n_jobs)


SETTINGS = [
    Setting(decay, margin, beta, prior)
    for decay, margin, (beta, prior) in itertools.product(DECAYS, MARGINS, STARTS)
]


def best_setting(method: str, k: int, tell: bool = False) -> Setting:
    """That whose choices of minimum risk, the usual ones, have the highest F1; the earlier of equals."""
    path = Path(kept(f"reranking-{method}-{k}-settings.json"))
    known: dict[str, list[float]] = json.loads(path.read_text()) if path.exists() else {}
    left = [setting for setting in SETTINGS if str(setting) not in known]
    if left:
        _lists(method, k)  # read once, for both processes
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        for setting, gains in zip(left, pool.map(_gains, itertools.repeat((method, k)), left)):
            known[str(setting)] = gains
            path.write_text(json.dumps(known, indent=1))
    if tell:
        for name, (score, risk) in known.items():
            print(f"{name}: by score {100 * score:+.2f}, by risk {100 * risk:+.2f}")
    return max(SETTINGS, key=lambda setting: known[str(setting)][1])


def _gains(of: tuple[str, int], setting: Setting) -> list[float]:
    """F1 above that of the first model, of the highest scores and of minimum risk."""
    lists = _lists(*of)
    chosen: list[list[int | None]] = [[], []]
    for fold in range(FOLDS):
        begin, end = (len(lists) * part // FOLDS for part in (fold, fold + 1))
        trained = setting.reranker(voted=False).fit(lists[:begin] + lists[end:])
        for minimum_risk in (False, True):
            chosen[minimum_risk] += trained.choose(lists[begin:end], minimum_risk=minimum_risk)
    found = [compare_choices(lists, some, n_resamples=1) for some in chosen]
    return [scores.f1 - scores.baseline for scores in found]


@cache
def _lists(method: str, k: int) -> list[Candidates]:
    return parses(method, k)[0]


if __name__ == "__main__":
    from benchmarks.reranking import BEST

    print("The best:", best_setting(BEST, 50, tell=True))
