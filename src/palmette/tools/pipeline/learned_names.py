"""How a pipeline learns names, from sentences of their own.

The tagger of names looks at the tags that the steps before it find. Names are rare, so the most probable labels
leave many of them out: the weight of O is lowered by what gives the best F1 on a dev set of names. WNUT-17 (dev):
F1 25.4 from words alone, 31.1 with tags, 38.2 with both.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from palmette.features.default_templates import name_templates
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.learning.loglinear import CRF
from palmette.tools.pipeline.model import PipelineModel, in_order
from palmette.tools.pipeline.notes import ENTITY
from palmette.tools.pipeline.step import ENTITIES
from palmette.tools.pipeline.steps import EntityStep
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from palmette.tools.pipeline.training import _Training

TAGS = ("upos", "xpos")
LOWERED = tuple(k / 8 for k in range(17))  # what is taken from the weight of O, in the order of trial


def entities(training: _Training, labelled: Any) -> None:
    """Learn names after the steps so far; labelled: a corpus, or one to train on and one to choose by."""
    train, dev = labelled if isinstance(labelled, tuple) else (labelled, None)
    tags = [name for name in TAGS if name in training.filled]
    steps = [step for step in training.steps if set(step.fills) & set(tags)]
    model = PipelineModel(Tokenizer("generic"), in_order(steps))
    tagger = SpanTagger(
        CRF(l2=1.0, random_state=training.pipeline.random_state),
        templates=name_templates(tags),
        column=ENTITY,
        n_jobs=training.pipeline.n_jobs,
    )
    tagger.fit(_unseen(_tagged(model, train, tags), training.seen, tags))
    kinds = sorted({label.partition("-")[2] for label in tagger.classes_} - {""})
    told = f"{len(kinds)} types: {', '.join(kinds)}"
    if dev is not None:
        lowered, f1 = prefer_names(tagger, _tagged(model, dev, tags))
        training.figures[ENTITIES] = {"f1": round(f1, 5)}
        told += f"; dev: F1 {100 * f1:.2f}, with O lowered by {lowered:g}"
    training.steps.append(EntityStep(tagger))
    training.note(f"{ENTITIES:<10}  {told}")


def prefer_names(tagger: SpanTagger, dev: Corpus) -> tuple[float, float]:
    """Lower the weight of O in a trained tagger, and return by how much, and F1; its first template is `bias`."""
    learned = tagger.model_
    assert isinstance(learned.held, np.ndarray)
    outside = learned.structure.visible.index("O")
    found = (0.0, -1.0)
    best = learned
    for lowered in LOWERED:
        weights = learned.held.copy()
        weights[outside] -= lowered
        tagger.model_ = replace(learned, held=weights)
        f1 = tagger.score(dev)
        if f1 > found[1]:
            found, best = (lowered, f1), tagger.model_
    tagger.model_ = best
    return found


def words_and_labels(corpus: Corpus) -> Corpus:
    """The first column of a corpus and its last one, which has the labels of entities."""
    last = corpus.names[-1]
    if len(corpus.names) < 2:
        raise ValueError("The file of entities needs two columns at least: words, and labels such as B-PER.")
    return Corpus(
        {"form": corpus.column("form" if "form" in corpus.names else 0), ENTITY: corpus.column(last)},
        corpus.offsets,
    )


def _tagged(model: PipelineModel, labelled: Corpus, tags: list[str]) -> Corpus:
    """Words and labels with the tags that a pipeline finds."""
    given = words_and_labels(labelled)
    found = model.annotate(given.only({"form": "form"}))
    return given.with_columns({name: found.column(name) for name in tags})


def _unseen(labelled: Corpus, treebank: Corpus | None, tags: list[str]) -> Corpus:
    """The same, but sentences that are in the treebank have the tags that later steps are trained on."""
    if treebank is None or not tags:
        return labelled
    places = {tuple(words): i for i, words in enumerate(_sentences(treebank, "form"))}
    there = [places.get(tuple(words)) for words in _sentences(labelled, "form")]
    if not any(place is not None for place in there):
        return labelled
    columns = {}
    for name in tags:
        known, found = _sentences(treebank, name), _sentences(labelled, name)
        columns[name] = Column.of(
            tag for own, place in zip(found, there) for tag in (own if place is None else known[place])
        )
    return labelled.with_columns(columns)


def _sentences(corpus: Corpus, name: str) -> list[list[str]]:
    values = corpus.column(name).values()
    return [values[begin:end] for begin, end in pairwise(corpus.offsets.tolist())]
