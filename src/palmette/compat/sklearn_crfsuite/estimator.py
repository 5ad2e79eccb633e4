"""The class `CRF`: CRFsuite's parameters, scikit-learn's methods, Palmette's core."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette.compat.sklearn_crfsuite.fitted import FittedTagger, instances_of
from palmette.compat.sklearn_crfsuite.log import TrainingLog
from palmette.compat.sklearn_crfsuite.metrics import flat_accuracy_score
from palmette.compat.sklearn_crfsuite.parameters import chosen
from palmette.compat.sklearn_crfsuite.training import Sentences, train
from palmette.formats.given import listed_rows
from palmette.formats.model import ModelFile
from palmette.threads import n_threads
from palmette.tools.sequence.file import load_sequence_model, sequence_model_file
from palmette.tools.sequence.model import SequenceModel
from palmette.tools.sequence.tagger import Tagger
from palmette.tools.sequence.tokens import cut


class CRF:
    """The interface of `sklearn_crfsuite.CRF`; the package says what becomes of each parameter.

    X is a list of sentences, each a list of mappings (or lists) of features, one per token; y a list of lists of
    labels.

    >>> crf = CRF(c2=0.1).fit([[{"w": "Time"}, {"w": "flies"}]], [["NOUN", "VERB"]])
    >>> list(crf.predict([[{"w": "Time"}, {"w": "flies"}]]))
    [['NOUN', 'VERB']]
    """

    def __init__(
        self,
        algorithm: str | None = None,
        min_freq: float | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float | None = None,
        c2: float | None = None,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        calibration_eta: float | None = None,
        calibration_rate: float | None = None,
        calibration_samples: int | None = None,
        calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        pa_type: int | None = None,
        c: float | None = None,
        error_sensitive: bool | None = None,
        averaging: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
        verbose: bool = False,
        model_filename: str | os.PathLike[str] | None = None,
        keep_tempfiles: bool = False,
        trainer_cls: type | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.min_freq = min_freq
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.num_memories = num_memories
        self.epsilon = epsilon
        self.period = period
        self.delta = delta
        self.linesearch = linesearch
        self.max_linesearch = max_linesearch
        self.calibration_eta = calibration_eta
        self.calibration_rate = calibration_rate
        self.calibration_samples = calibration_samples
        self.calibration_candidates = calibration_candidates
        self.calibration_max_trials = calibration_max_trials
        self.pa_type = pa_type
        self.c = c
        self.error_sensitive = error_sensitive
        self.averaging = averaging
        self.variance = variance
        self.gamma = gamma
        self.verbose = verbose
        self.model_filename = model_filename
        self.keep_tempfiles = keep_tempfiles
        self.trainer_cls = trainer_cls
        self.n_jobs = n_jobs
        self.training_log_: TrainingLog | None = None
        self._model: SequenceModel | None = None
        self._tagger: FittedTagger | None = None

    def fit(
        self,
        X: Sentences,
        y: Sequence[Sequence[str]],
        X_dev: Sentences | None = None,
        y_dev: Sequence[Sequence[str]] | None = None,
    ) -> Self:
        """Train on sentences and labels; those of the dev set, if there is one, are scored in `training_log_`."""
        options = chosen(self.get_params())
        if self.keep_tempfiles:
            raise ValueError("There are no temporary files to keep: give 'model_filename' to keep the model.")
        if self.trainer_cls is not None:
            raise ValueError("There are no CRFsuite trainers here: 'trainer_cls' must be None.")
        if (X_dev is None) != (y_dev is None):
            raise ValueError("A dev set needs both X_dev and y_dev.")
        dev = None
        if X_dev is not None and y_dev is not None:
            dev = listed_rows(X_dev, "Sentences"), listed_rows(y_dev, "Labels")
        X, y = listed_rows(X, "Sentences"), listed_rows(y, "Labels")
        self._model, self.training_log_ = train(options, X, y, dev, self._jobs, bool(self.verbose))
        self._tagger = None
        if self.model_filename is not None:
            file = sequence_model_file(self._model, kind=Tagger.kind, options={"column": None}, arrays={})
            file.save(self.model_filename)
        return self

    def predict(self, X: Sentences) -> NDArray[np.object_]:
        """The best labels: an array with one list of strings per sentence."""
        model = self._fitted
        instances = instances_of(model, X)
        names = np.array(model.structure.labels, dtype=object)
        labels = names[model.decode(instances, self._jobs)].tolist()
        return _array_of(cut(labels, instances.offsets))

    def predict_single(self, xseq: Sequence[Any]) -> list[str]:
        """The best labels of one sentence."""
        found: list[str] = self.predict([xseq])[0]
        return found

    def predict_marginals(self, X: Sentences) -> NDArray[np.object_]:
        """The probabilities of labels: an array with one list per sentence, with one mapping per token."""
        model = self._fitted
        instances = instances_of(model, X)
        labels = model.structure.labels
        rows = model.probabilities(instances, self._jobs).tolist()
        return _array_of(cut([dict(zip(labels, row)) for row in rows], instances.offsets))

    def predict_marginals_single(self, xseq: Sequence[Any]) -> list[dict[str, float]]:
        """The probabilities of the labels of one sentence: one mapping per token."""
        found: list[dict[str, float]] = self.predict_marginals([xseq])[0]
        return found

    def score(self, X: Sentences, y: Iterable[Sequence[str]]) -> float:
        """The share of tokens with the right label."""
        return flat_accuracy_score(y, self.predict(X))

    @property
    def tagger_(self) -> FittedTagger | None:
        """The trained model by itself, with the methods of `pycrfsuite.Tagger`; None before training."""
        if self._tagger is None and self._trained is not None:
            self._tagger = FittedTagger(self._trained, self._jobs)
        return self._tagger

    @property
    def classes_(self) -> list[str] | None:
        """The labels, in the order in which they first came; None before training, as the others here."""
        return None if self._trained is None else list(self._trained.structure.labels)

    @property
    def size_(self) -> int | None:
        """How many bytes the model's weights and the names of its attributes take."""
        model = self._trained
        if model is None:
            return None
        return int(model.weights.nbytes) + sum(len(name.encode()) for name in model.features.names())

    @property
    def num_attributes_(self) -> int | None:
        """How many attributes have a weight that is not zero."""
        return None if self._trained is None else self._trained.features.n_attributes

    @property
    def attributes_(self) -> list[str] | None:
        """Their names."""
        return None if self._trained is None else self._trained.features.names()

    @property
    def state_features_(self) -> dict[tuple[str, str], float] | None:
        """The weights that are not zero: {(attribute, label): weight}."""
        return None if self.tagger_ is None else self.tagger_.state_features

    @property
    def transition_features_(self) -> dict[tuple[str, str], float] | None:
        """The same of pairs of labels: {(from, to): weight}."""
        return None if self.tagger_ is None else self.tagger_.transitions

    # scikit-learn

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's parameters by name."""
        return {name: getattr(self, name) for name in PARAMETERS}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; they count from the next `fit` on."""
        for name, value in params.items():
            if name not in PARAMETERS:
                raise ValueError(f"CRF has no parameter {name!r}: it has {', '.join(PARAMETERS)}.")
            setattr(self, name, value)
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_tagger": None}

    def __sklearn_is_fitted__(self) -> bool:
        return self._trained is not None

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        # No classifier to scikit-learn, as the original: its y are lists, of which no strata can be made.
        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            input_tags=InputTags(two_d_array=False, string=True),
        )

    def __repr__(self) -> str:
        given = {k: v for k, v in self.get_params().items() if v is not None and v is not False}
        return f"CRF({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    # Inside

    @property
    def _trained(self) -> SequenceModel | None:
        if self._model is None and self.model_filename is not None and Path(self.model_filename).exists():
            _refuse_crfsuite(self.model_filename)
            self._model = load_sequence_model(ModelFile.load(self.model_filename, Tagger.kind))
        return self._model

    @property
    def _fitted(self) -> SequenceModel:
        model = self._trained
        if model is None:
            raise ValueError("This CRF is not trained yet: call fit first.")
        return model

    @property
    def _jobs(self) -> int:
        return 1 if self.n_jobs is None else n_threads(self.n_jobs)


PARAMETERS = tuple(inspect.signature(CRF).parameters)


def _array_of(rows: list[list[Any]]) -> NDArray[np.object_]:
    """One list per entry, even if all are of one length."""
    array = np.empty(len(rows), dtype=object)
    for i, row in enumerate(rows):
        array[i] = row
    return array


def _refuse_crfsuite(path: str | os.PathLike[str]) -> None:
    with Path(path).open("rb") as file:
        if file.read(4) == b"lCRF":
            raise ValueError(f"{os.fspath(path)} is a model of CRFsuite, which only CRFsuite reads.")
