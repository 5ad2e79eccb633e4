"""Self-training and co-training: classifiers that add to their own examples (CSC 448, §24.2.3; Blum and
Mitchell 1998).

In every round the occurrences without a sense are classified, and for every sense of a word the surest few become
examples. In self-training one classifier sees all features; in co-training two see a view each, by default local
and topic, and what one is sure of is an example for both. A dev set keeps the best round, or the first one, before
anything was added. The result is a supervised model of the grown examples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palmette.learning.loop import Pass, run_passes
from palmette.parameters import option
from palmette.tools.senses.inventory import Word
from palmette.tools.senses.occurrences import Occurrence
from palmette.tools.senses.supervised import (
    SupervisedModel,
    SupervisedOptions,
    item_of,
    train_supervised,
    trained,
)
from palmette.tools.senses.task import Task

View = tuple[str, ...]  # the beginnings of the names of features
_KINDS: dict[str, View] = {
    "local": ("tag ", "form ", "word ", "words "),
    "tags": ("tag ",),
    "form": ("form ",),
    "collocations": ("word ", "words "),
    "topic": ("near ",),
}


@dataclass(frozen=True, kw_only=True)
class GrowingOptions(SupervisedOptions):
    """How examples are added."""

    rounds: int = option(10, "most rounds", low=1, fixed=True)
    grow: int = option(5, "occurrences of a sense that a classifier may add in a round", low=1, fixed=True)
    confidence: float = option(
        0.9, "least probability of an occurrence that is added", low=0, high=1, fixed=True
    )
    patience: int = option(
        3, "rounds without a better dev score before training stops; 0: never", low=0, fixed=True
    )


@dataclass(frozen=True, kw_only=True)
class CoTrainingOptions(GrowingOptions):
    """How two classifiers add examples for each other."""

    views: str = option(
        "local,topic",
        f"what each of two classifiers sees, kinds of features between +: {', '.join(_KINDS)}",
        fixed=True,
    )

    def check(self) -> None:
        """Check the views."""
        views_of(self.views)


def views_of(text: str) -> list[View]:
    """Return two views by the beginnings of their features; ValueError if there are not two of known kinds.

    >>> views_of("form+collocations,topic")
    [('form ', 'word ', 'words '), ('near ',)]
    """
    views = [[kind.strip() for kind in view.split("+")] for view in text.split(",")]
    unknown = [kind for view in views for kind in view if kind not in _KINDS]
    if unknown:
        raise ValueError(
            f"views must be of {', '.join(_KINDS)}, as in 'tags+form,topic'. Got {unknown[0]!r}."
        )
    if len(views) != 2:
        raise ValueError(f"views must be two, with a comma between them, as in 'local,topic'. Got {text!r}.")
    return [tuple(start for kind in view for start in _KINDS[kind]) for view in views]


def train_self(task: Task) -> SupervisedModel:
    """Train one classifier of each word, and let it add examples."""
    return _train(task, [("",)])


def train_co(task: Task) -> SupervisedModel:
    """Train two classifiers of each word, and let each add examples for both."""
    return _train(task, views_of(task.options.views))


def _train(task: Task, views: Sequence[View]) -> SupervisedModel:
    options: GrowingOptions = task.options
    if all(sense is None for sense in task.gold):
        raise ValueError("There are no examples to learn from: not one occurrence has a sense.")
    found = run_passes(
        _rounds(task, views),
        limit=options.rounds + 1,
        score=task.dev,
        patience=options.patience,
        callback=task.callback,
    )
    if found.result is None:
        raise KeyboardInterrupt
    return found.result


def _rounds(task: Task, views: Sequence[View]) -> Iterator[Pass[SupervisedModel]]:
    """Yield the model of the given examples, and then one after every round."""
    labels = list(task.gold)
    by_word: defaultdict[Word, list[int]] = defaultdict(list)
    for i, occurrence in enumerate(task.occurrences):
        by_word[occurrence.word].append(i)
    added = -1
    while added:
        grown = list(labels)

        def result(grown: list[str | None] = grown) -> SupervisedModel:
            known = Task(task.occurrences, grown, task.inventory, task.options, task.learner)
            return train_supervised(known)

        yield Pass({"labelled": sum(sense is not None for sense in labels)}, result)
        new: dict[int, str] = {}
        for own in by_word.values():
            for view in views:
                for i, sense in _surest(task, own, labels, view).items():
                    new.setdefault(i, sense)
        for i, sense in new.items():
            labels[i] = sense
        added = len(new)


def _surest(task: Task, own: Sequence[int], labels: Sequence[str | None], view: View) -> dict[int, str]:
    """Return the occurrences of a word without a sense that a classifier is surest of."""
    known = [i for i in own if labels[i] is not None]
    open_ones = [i for i in own if labels[i] is None]
    if not open_ones or len({labels[i] for i in known}) < 2:
        return {}
    seen = {i: _seen(task.occurrences[i], view) for i in own}
    model, senses = trained([seen[i] for i in known], [labels[i] or "" for i in known], task.learner)
    table = model.probabilities([item_of(seen[i]) for i in open_ones], 1)
    found: dict[int, str] = {}
    for column, sense in enumerate(senses):
        order = sorted(range(len(open_ones)), key=lambda r: -table[r, column])
        for r in order[: task.options.grow]:
            if table[r, column] >= task.options.confidence and int(table[r].argmax()) == column:
                found[open_ones[r]] = sense
    return found


def _seen(occurrence: Occurrence, view: View) -> frozenset[str]:
    return frozenset(name for name in occurrence.features if name.startswith(view))
