"""Which reranker suits some lists: a few settings, compared by cross-validation over the training data.

For every fold the reranker learns from lists that were made without that fold, and chooses in its lists. Lists
that come from one cross-training are not enough: the first models of the other folds have seen the right outputs
of that fold, so they err elsewhere in another way than in it. `nested_lists` makes them again, as if the fold did
not exist.

The F1 of the best of several settings is too high by chance. So the gain that is told is that of the whole
procedure: in every fold that of the setting that is best in the *other* folds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from palmette.evaluation.candidates import ChoiceScores, compare_choices, joined_choices, measured
from palmette.features.sequence_templates import SequenceTemplates
from palmette.features.tree_templates import TreeTemplates
from palmette.formats.candidates import Candidates
from palmette.learning.learner import Learner
from palmette.learning.loglinear import CRF
from palmette.learning.mira import MIRA
from palmette.learning.perceptron import Perceptron
from palmette.tools.reranking.defaults import default_kernel, default_learner
from palmette.tools.reranking.lists import FirstModel, Note, candidate_lists, cross_lists, fold_bounds, select
from palmette.tools.reranking.reranker import Reranker

LEAST_LISTS = 30  # below, a comparison says nothing
FOLDS = 3


class Setting(NamedTuple):
    """One way to rerank: its name for people, and the parameters of `Reranker`."""

    name: str
    parameters: dict[str, Any]

    def reranker(self, **others: Any) -> Reranker:
        """Return an untrained one."""
        return Reranker(**self.parameters, **others)


class FoldLists(NamedTuple):
    """The lists of a fold, and lists of the other sentences that were made without it."""

    rest: list[Candidates]
    own: list[Candidates]


@dataclass(frozen=True, eq=False)
class Choice:
    """The setting that is best over all folds, the F1 of each, and what choosing gains (see above)."""

    setting: Setting
    f1: dict[str, float]
    scores: ChoiceScores

    def facts(self) -> dict[str, Any]:
        """Return what a model file keeps."""
        told = self.scores.to_dict()
        kept = ("f1", "baseline_f1", "oracle_f1", "gain", "p_value", "lists")
        return {"setting": self.setting.name, "tried": self.f1, **{name: told[name] for name in kept}}


def settings_for(measure: str) -> list[Setting]:
    """Return the settings to compare, the default first: with a kernel, and with all features."""
    trees = measure == "brackets"
    kernel: dict[str, Any] = {"kernel": default_kernel(measure)}
    features: dict[str, Any] = {"features": TreeTemplates() if trees else SequenceTemplates()}

    def made(name: str, form: dict[str, Any], learner: Learner, **more: Any) -> Setting:
        return Setting(name, {**form, "learner": learner, **more})

    usual = default_learner(measure, dual=True)
    found = [made("kernel, perceptron", kernel, usual)]
    if trees:
        later = Perceptron(voted=True, vectors=0, margin=0.5, n_iter=4)
        found += [
            made("kernel, perceptron, prior 3", kernel, later, beta=1e-4, prior=3.0),
            made("features, MIRA c 0.01", features, MIRA(c=0.01, k=10, n_iter=6), min_count=3),
        ]
    else:
        later = Perceptron(margin=0.5, n_iter=6)
        found += [
            made("kernel, perceptron, prior 10", kernel, later, beta=0.0, prior=10.0),
            made("features, MIRA c 0.01", features, MIRA(c=0.01, k=10, n_iter=6)),
            made("features, MIRA c 0.03", features, MIRA(c=0.03, k=5, n_iter=6)),
            made("features, CRF l2 3", features, CRF(l2=3.0)),
        ]
    return found


def nested_lists(
    make: Callable[[], FirstModel], data: Any, folds: int, k: int, note: Note | None = None
) -> list[FoldLists]:
    """Return for every fold of the data its lists, and lists of the rest by cross-training without it.

    folds · (folds + 1) trainings of the first model, most of (1 − 1/folds)² of the data.
    """
    n, found = len(data), []
    for number, (begin, end) in enumerate(fold_bounds(n, folds), 1):
        rest = select(data, [*range(begin), *range(end, n)])
        lists = cross_lists(make, rest, folds, k)
        own = candidate_lists(make().fit(rest), select(data, range(begin, end)), k)
        found.append(FoldLists(lists, own))
        if note is not None:
            note(f"lists to choose by, fold {number} of {folds}: {len(own):,} sentences")
    return found


def cut_lists(lists: Sequence[Candidates], folds: int) -> list[FoldLists]:
    """Return the folds of lists that are there already; the first models of the rest may have seen each fold."""
    bounds = fold_bounds(len(lists), folds)
    return [FoldLists([*lists[:a], *lists[b:]], list(lists[a:b])) for a, b in bounds]


def choose_setting(
    settings: Sequence[Setting],
    folds: Sequence[FoldLists],
    measure: str,
    *,
    max_size: int,
    n_jobs: int | None = None,
    note: Note | None = None,
) -> Choice:
    """Return the setting with the highest F1 over all folds, the first of equal ones."""
    own = [list(measured((one for one in fold.own if one.size <= max_size), measure)) for fold in folds]
    tried: list[list[ChoiceScores]] = []
    for setting in settings:
        made = [setting.reranker(measure=measure, max_size=max_size, n_jobs=n_jobs) for _ in folds]
        scores = []
        for reranker, fold, lists in zip(made, folds, own):
            reranker.fit(fold.rest)
            if reranker.interrupted_:
                raise KeyboardInterrupt
            scores.append(compare_choices(lists, reranker.choose(lists), n_resamples=1))
        tried.append(scores)
        if note is not None:
            total = joined_choices(scores, 1)
            note(f"{setting.name}: F1 {100 * total.f1:.2f}, first model {100 * total.baseline:.2f}")
    f1 = [joined_choices(scores, 1).f1 for scores in tried]
    procedure = []
    for number in range(len(folds)):
        others = [joined_choices([*scores[:number], *scores[number + 1 :]], 1).f1 for scores in tried]
        procedure.append(tried[others.index(max(others))][number])
    best = settings[f1.index(max(f1))]
    return Choice(best, {one.name: value for one, value in zip(settings, f1)}, joined_choices(procedure))
