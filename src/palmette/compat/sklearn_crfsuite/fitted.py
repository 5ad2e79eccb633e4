"""A trained model by itself, with the methods that programs call on `pycrfsuite.Tagger`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from palmette.features import Instances, MappingMap
from palmette.tools.sequence.model import SequenceModel


def instances_of(model: SequenceModel, X: Sequence[Sequence[Any]]) -> Instances:
    """Sentences in the features of the model; ValueError if it was made from something else than features."""
    if not isinstance(model.features, MappingMap) or model.structure.order != 1:
        raise ValueError("This model was trained on words by templates: load it with Tagger.load.")
    return model.features.transform(X)


class FittedTagger:
    """Labels, probabilities and weights of one model; `set` chooses the sentence that the others speak of."""

    def __init__(self, model: SequenceModel, n_jobs: int = 1) -> None:
        self._model = model
        self._n_jobs = n_jobs
        self._xseq: Sequence[Any] | None = None

    def labels(self) -> list[str]:
        """The labels of the model."""
        return list(self._model.structure.labels)

    def set(self, xseq: Sequence[Any]) -> None:
        """Choose a sentence."""
        self._xseq = xseq
        instances = instances_of(self._model, [xseq])
        self._problem = self._model.structure.problem(instances)
        self._marginals, self._log_z = self._problem.probabilities(self._model.weights, self._n_jobs)

    def tag(self, xseq: Sequence[Any] | None = None) -> list[str]:
        """The best labels of this sentence, or of the chosen one."""
        if xseq is not None:
            self.set(xseq)
        self._require_sentence()
        ids, _ = self._problem.decode(self._model.weights, self._n_jobs)
        return [self._model.structure.labels[k] for k in ids.tolist()]

    def probability(self, yseq: Sequence[str]) -> float:
        """The probability of these labels of the chosen sentence."""
        self._require_sentence()
        unary, _, table = self._problem.scores(self._model.weights, 0)
        n = len(self._model.structure.labels)
        ids = np.array([self._place(label) for label in yseq], dtype=np.int64)
        if len(ids) * n != len(unary):
            raise ValueError(f"The sentence has {len(unary) // n} tokens and there are {len(ids)} labels.")
        score = unary.reshape(-1, n)[np.arange(len(ids)), ids].sum(dtype=np.float64)
        score += table.reshape(n, n)[ids[:-1], ids[1:]].sum(dtype=np.float64)
        return float(np.exp(score - self._log_z[0]))

    def marginal(self, y: str, pos: int) -> float:
        """The probability of a label at a position of the chosen sentence."""
        self._require_sentence()
        rows = self._marginals.reshape(-1, len(self._model.structure.labels))
        if not 0 <= pos < len(rows):
            raise ValueError(f"The sentence has {len(rows)} tokens: there is no position {pos}.")
        return float(rows[pos, self._place(y)])

    @cached_property
    def state_features(self) -> dict[tuple[str, str], float]:
        """{(attribute, label): weight} where the weight is not zero."""
        names, labels, rows = self._model.features.names(), self._model.structure.labels, self._model.rows
        at, y = np.nonzero(rows)
        keys = zip(at.tolist(), y.tolist(), rows[at, y].tolist())
        return {(names[a], labels[k]): weight for a, k, weight in keys}

    @cached_property
    def transitions(self) -> dict[tuple[str, str], float]:
        """{(from, to): weight} where the weight is not zero."""
        labels, table = self._model.structure.labels, self._model.ngrams(1)
        before, y = np.nonzero(table)
        keys = zip(before.tolist(), y.tolist(), table[before, y].tolist())
        return {(labels[p], labels[k]): weight for p, k, weight in keys}

    def info(self) -> SimpleNamespace:
        """All of the model: header, labels, attributes, state_features, transitions."""
        names, labels = self._model.features.names(), self.labels()
        return SimpleNamespace(
            header={"num_labels": str(len(labels)), "num_attrs": str(len(names))},
            labels={label: str(k) for k, label in enumerate(labels)},
            attributes={name: str(k) for k, name in enumerate(names)},
            state_features=self.state_features,
            transitions=self.transitions,
        )

    def _place(self, label: str) -> int:
        if label not in self._model.structure.labels:
            raise ValueError(f"The model has no label {label!r}.")
        return self._model.structure.labels.index(label)

    def _require_sentence(self) -> None:
        if self._xseq is None:
            raise ValueError("There is no sentence yet: call set or tag with one first.")
