"""The model of a `Morphology`: scores of the parts of analyses, and of pairs of their classes.

The part scores are those of a `SequenceModel` whose labels are the parts, so files, compact weights, names of
features and fast sums of rows are the same as a tagger's. `FactoredProblem` searches the analyses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import FactoredProblem
from palmette.features import FeatureMap, Instances, Templates
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile
from palmette.learning.learner import Callback, Learned, Learner
from palmette.tools.morphology.analyses import Analysis, AnalysisTable
from palmette.tools.morphology.votes import VotedParts, Votes, with_votes
from palmette.tools.packed_rows import loses_nothing
from palmette.tools.sequence.file import load_sequence_model, sequence_model_file
from palmette.tools.sequence.model import SequenceModel, SequenceStructure, SparseWeights, stride

# The part of the weights that a compact file leaves out. On the development sets of Italian and Turkish this
# changes the share of right analyses by less than 0.1 points, and the files are half as large.
_DROPPED = 0.7

Floats = NDArray[np.float32]
Labels = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Allowed:
    """The labels that tokens may have: those of token t are labels[rows[t]] …; none listed: any."""

    rows: NDArray[np.int64]
    labels: Labels


@dataclass(frozen=True, eq=False)
class Analyser:
    """Scores of parts, and of pairs of classes, [classes + 1, classes], whose last row is the beginning."""

    parts: SequenceModel
    table: AnalysisTable
    transitions: Floats

    @classmethod
    def train(
        cls,
        learner: Learner,
        templates: Templates,
        corpus: Corpus,
        table: AnalysisTable,
        labels: Labels,
        *,
        dev: Any = None,
        callback: Callback | None = None,
    ) -> tuple[Analyser, Learned, Instances]:
        """The analyser that a learner finds; labels: of all tokens, -1 where not known.

        dev: a function from an analyser to its score on other sentences.
        """
        features, instances = FeatureMap.fit(templates, corpus)

        def made(weights: Floats) -> Analyser:
            rest = stride(len(table.parts)) * features.n_attributes
            n = len(table.class_names)
            model = SequenceModel(SequenceStructure(table.parts, 0), features, weights[:rest])
            return cls(model, table, weights[rest:].reshape(n + 1, n))

        problem = FactoredProblem(
            instances.offsets,
            instances.rows,
            instances.attributes,
            None,
            labels,
            None,
            None,
            None,
            table.label_rows,
            table.label_parts,
            table.classes,
            instances.n_attributes,
            len(table.parts),
            len(table.class_names),
        )
        score = None if dev is None else lambda weights: dev(made(weights))
        learned = learner.learn(problem, dev=score, callback=callback)
        return made(learned.weights), learned, instances

    def problem(
        self, corpus: Corpus, allowed: Allowed | None = None, n_jobs: int = 1, votes: Votes | None = None
    ) -> FactoredProblem:
        """Sentences to analyse, by the scores of their parts; votes: of taggers, which are added."""
        given = self.parts.encode(corpus, n_jobs)
        n, table = corpus.n_words, self.table
        unary = np.ascontiguousarray(given.unary)  # type: ignore[union-attr]
        made = VotedParts(unary, table.label_rows, table.label_parts, len(table.parts))
        if votes is not None:
            made = with_votes(table, unary, votes)
        return FactoredProblem(
            np.ascontiguousarray(corpus.offsets),
            np.zeros(n + 1, dtype=np.int64),
            np.zeros(0, dtype=np.int32),
            made.unary,
            np.full(n, -1, dtype=np.int32),
            None,
            None if allowed is None else allowed.rows,
            None if allowed is None else allowed.labels,
            made.label_rows,
            made.label_parts,
            table.classes,
            0,
            made.n_parts,
            len(table.class_names),
        )

    @property
    def weights(self) -> Floats:
        """What a problem of scores still has to add: the transitions."""
        return np.ascontiguousarray(self.transitions.reshape(-1))

    def decode(
        self, corpus: Corpus, allowed: Allowed | None = None, n_jobs: int = 1, votes: Votes | None = None
    ) -> Labels:
        """The best label of every token."""
        return self.problem(corpus, allowed, n_jobs, votes).decode(self.weights, n_jobs)[0]

    def probabilities(
        self, corpus: Corpus, allowed: Allowed | None = None, n_jobs: int = 1, votes: Votes | None = None
    ) -> Floats:
        """The probability of every label, [tokens, labels]."""
        found, _ = self.problem(corpus, allowed, n_jobs, votes).probabilities(self.weights, n_jobs)
        return found.reshape(-1, len(self.table))

    def scaled(self, by: float) -> Analyser:
        """The same analyser with all scores multiplied: what is best stays, and probabilities change."""
        held = self.parts.held
        assert not isinstance(held, SparseWeights)
        return replace(
            self,
            parts=replace(self.parts, held=held * np.float32(by)),
            transitions=self.transitions * np.float32(by),
        )

    # Files

    def to_file(self, *, kind: str, options: Any, arrays: Any, compact: bool, fingerprint: str) -> ModelFile:
        """Return the analyser as the content of a file, beside a tool's own options and arrays."""
        file = sequence_model_file(
            _pruned(self.parts) if compact else self.parts,
            kind=kind,
            options=options,
            arrays={**arrays, "transitions": np.ascontiguousarray(self.transitions, dtype="<f4")},
            compact=compact,
            fingerprint=fingerprint,
        )
        columns = zip(*self.table.analyses)
        tables = {f"analyses.{name}": list(column) for name, column in zip(Analysis._fields, columns)}
        return ModelFile(file.kind, file.options, file.arrays, {**file.strings, **tables}, fingerprint)

    @classmethod
    def of_file(cls, file: ModelFile) -> Analyser:
        """The analyser of a file; FormatError if it is damaged."""
        parts = load_sequence_model(file)
        n = len(file.table("analyses.upos"))
        columns = [file.table(f"analyses.{name}", n) for name in Analysis._fields]
        table = AnalysisTable(tuple(map(Analysis, *columns)))
        if not n or len(table.index) != n or table.parts != parts.structure.labels:
            raise file.damaged("its analyses are not made of its parts")
        if parts.structure.order or parts.structure.hidden != 1 or not isinstance(parts.features, FeatureMap):
            raise file.damaged("it is not one of words")
        if (
            parts.features.n_pair_attributes
            or parts.features.hash_bits is not None
            or parts.votes is not None
        ):
            raise file.damaged("it is not one of words")
        c = len(table.class_names)
        transitions = np.asarray(file.array("transitions", np.dtype("<f4"), [c + 1, c]), dtype=np.float32)
        if not np.isfinite(transitions).all():
            raise file.damaged("its transitions are not finite")
        return cls(parts, table, transitions)


def _pruned(model: SequenceModel) -> SequenceModel:
    """The model without the smallest weights, `_DROPPED` of all that are not zero."""
    held = model.held
    if isinstance(held, SparseWeights) or loses_nothing(held):
        return model
    sizes = np.abs(held[held != 0])
    least = np.partition(sizes, int(_DROPPED * len(sizes)))[int(_DROPPED * len(sizes))]
    return replace(model, held=np.where(np.abs(held) >= least, held, np.float32(0)))
