"""How good each candidate of a list is, and what choosing among them gains.

    measured(lists)               lists with counts (gold, guessed, right) for every candidate
    expected_losses(given, p)     how much of each candidate is expected to be wrong or missing
    compare_choices(lists, ks)    F1 of the first model, of the choices, of the best possible choices; bootstrap

| measure      | what is counted                                                     |
| ------------ | ------------------------------------------------------------------- |
| `"brackets"` | labelled brackets of trees, as EVALB counts them                    |
| `"spans"`    | spans of labels such as B-PER, as conlleval counts them             |
| `"labels"`   | tokens: F1 is then the accuracy                                     |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from palmette.drawing.tables import ReportPicture
from palmette.evaluation.bootstrap import Comparison, compare
from palmette.evaluation.bracket_rules import COLLINS, BracketRules
from palmette.evaluation.brackets import brackets_of, ranked_counts
from palmette.evaluation.counts import ratio
from palmette.formats.candidates import Candidates, Output, Reals, spans_of
from palmette.trees.tree import Tree

MEASURES = ("brackets", "spans", "labels")
_COMMON: WeakKeyDictionary[Candidates, dict[tuple[str, BracketRules], Reals]] = WeakKeyDictionary()


def guess_measure(lists: Iterable[Candidates]) -> str:
    """What to count: brackets for trees, spans where all labels look like those of spans, else labels."""
    marked = False
    for given in lists:
        for output in (given.gold, *given.outputs[:1]):
            if isinstance(output, Tree):
                return "brackets"
            for _, label in output or ():
                if label != "O" and not (label[1:2] == "-" and label[0] in "BIESLU"):
                    return "labels"
                marked |= label != "O"
    return "spans" if marked else "labels"


def measured(
    lists: Iterable[Candidates], measure: str, *, rules: BracketRules = COLLINS
) -> Iterator[Candidates]:
    """The lists with the counts of their candidates; those without a right output stay as they are."""
    if measure not in MEASURES:
        raise ValueError(f"The 'measure' must be one of {', '.join(MEASURES)}. Got {measure!r} instead.")
    for number, given in enumerate(lists, 1):
        if given.gold is None or given.counts is not None:
            yield given
        else:
            yield given.with_counts(_counts(given.gold, given.outputs, measure, number, rules))


def expected_losses(
    given: Candidates, probabilities: Reals, measure: str, *, rules: BracketRules = COLLINS
) -> Reals:
    """Return how many things of every candidate are expected to be wrong or missing, by the probabilities of all.

    Σ_z p_z (|y| + |z| − 2 |y ∩ z|).
    """
    common = _common(given, measure, rules)
    sizes = common.diagonal()
    # Rows are added up one by one, so that candidates with the same things get the same number.
    found: Reals = sizes + sizes @ probabilities - 2 * (common * probabilities).sum(axis=1)
    return found


def _common(given: Candidates, measure: str, rules: BracketRules) -> Reals:
    """Return how many things every two candidates have in common; kept as long as the list is."""
    known = _COMMON.setdefault(given, {})
    if (measure, rules) not in known:
        numbers: dict[Any, int] = {}  # of every thing, the second of equal ones being another
        rows = [
            [
                numbers.setdefault((thing, time), len(numbers))
                for thing, times in _things(output, measure, rules).items()
                for time in range(times)
            ]
            for output in given.outputs
        ]
        table = np.zeros((len(rows), len(numbers)), dtype=np.float32)
        for row, places in zip(table, rows):
            row[places] = 1.0
        known[measure, rules] = (table @ table.T).astype(np.float64)
    return known[measure, rules]


def _counts(
    gold: Output, outputs: Sequence[Output], measure: str, number: int, rules: BracketRules
) -> NDArray[np.int64]:
    trees = [output for output in outputs if isinstance(output, Tree)]
    if isinstance(gold, Tree) != (measure == "brackets") or len(trees) != len(outputs) * isinstance(
        gold, Tree
    ):
        raise ValueError(f"List {number}: {measure} cannot be counted in what it holds.")
    if isinstance(gold, Tree):
        return ranked_counts(gold, trees, rules, number)
    right = _things(gold, measure, rules)
    rows = []
    for output in outputs:
        assert not isinstance(output, Tree)
        if [word for word, _ in output] != [word for word, _ in gold]:
            raise ValueError(f"List {number}: a candidate has other words than the right output.")
        found = _things(output, measure, rules)
        rows.append((right.total(), found.total(), (right & found).total()))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _things(output: Output, measure: str, rules: BracketRules) -> Counter[Any]:
    """What is counted of an output, each with how often it occurs."""
    if isinstance(output, Tree):
        return brackets_of(output, rules)
    return Counter(enumerate(label for _, label in output) if measure == "labels" else spans_of(output))


@dataclass(frozen=True)
class ChoiceScores(ReportPicture):
    """F1 of the first model, of the choices and of the best possible ones, with what the bootstrap says.

    per_list: of every list (gold, guessed, right) of the three, one after another: [n, 9]. with_gold: the lists
    that have a candidate without mistakes. significance: the choices against the first model; None without lists.
    """

    per_list: NDArray[np.int64]
    with_gold: int
    mean_length: float
    significance: Comparison | None

    @property
    def lists(self) -> int:
        """How many were compared."""
        return len(self.per_list)

    @property
    def baseline(self) -> float:
        """F1 of what the first model likes best."""
        return self._f1(0)

    @property
    def f1(self) -> float:
        """F1 of the choices."""
        return self._f1(1)

    @property
    def oracle(self) -> float:
        """F1 if the best candidate were chosen each time."""
        return self._f1(2)

    @property
    def precision(self) -> float:
        """Precision of the choices."""
        return ratio(int(self.per_list[:, 5].sum()), int(self.per_list[:, 4].sum()))

    @property
    def recall(self) -> float:
        """Recall of the choices."""
        return ratio(int(self.per_list[:, 5].sum()), int(self.per_list[:, 3].sum()))

    def to_dict(self) -> dict[str, Any]:
        """Numbers by name, rates as fractions of one."""
        return {
            "f1": self.f1,
            "precision": self.precision,
            "recall": self.recall,
            "baseline_f1": self.baseline,
            "oracle_f1": self.oracle,
            "gain": self.f1 - self.baseline,
            "p_value": None if self.significance is None else self.significance.p_value,
            "lists": self.lists,
            "lists_with_gold": self.with_gold,
            "mean_length": self.mean_length,
        }

    def __str__(self) -> str:
        p = "" if self.significance is None else f", p = {self.significance.p_value:.4f}"
        return (
            f"F1 {100 * self.f1:.2f}, of the first model {100 * self.baseline:.2f}{p}; "
            f"the best candidates have {100 * self.oracle:.2f}"
        )

    def _f1(self, which: int) -> float:
        gold, guessed, right = self.per_list[:, 3 * which : 3 * which + 3].sum(axis=0).tolist()
        return ratio(2 * right, gold + guessed)


def compare_choices(
    lists: Iterable[Candidates], choices: Iterable[int | None], n_resamples: int = 10_000
) -> ChoiceScores:
    """What the choices are worth beside the first model's own; lists without candidates are left out."""
    rows, with_gold, candidates = [], 0, 0
    for given, chosen in zip(lists, choices, strict=True):
        if chosen is None or not len(given):
            continue
        assert given.losses is not None  # or it says that the right output is not known
        assert given.counts is not None
        rows.append(given.counts[[given.baseline, chosen, given.oracle]].reshape(-1))
        with_gold += given.has_gold
        candidates += len(given)
    table = np.array(rows, dtype=np.int64).reshape(-1, 9)
    length = candidates / max(1, len(table))
    return ChoiceScores(table, with_gold, length, _significance(table, n_resamples))


def joined_choices(scores: Sequence[ChoiceScores], n_resamples: int = 10_000) -> ChoiceScores:
    """The scores of all lists together."""
    table = np.concatenate([np.zeros((0, 9), dtype=np.int64), *(one.per_list for one in scores)])
    candidates = sum(one.mean_length * one.lists for one in scores)
    with_gold = sum(one.with_gold for one in scores)
    length = candidates / max(1, len(table))
    return ChoiceScores(table, with_gold, length, _significance(table, n_resamples))


def _significance(table: NDArray[np.int64], n_resamples: int) -> Comparison | None:
    """The choices against those of the first model."""
    if not len(table):
        return None
    first, second = (np.stack([2 * table[:, k + 2], table[:, k] + table[:, k + 1]], axis=1) for k in (0, 3))
    return compare(second, first, n_resamples=n_resamples)
