"""What a model file says of its training: with what, on how much, how long, how well; and which words it saw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from palmette.features.word_hashes import KnownWords
from palmette.formats.model import ModelFile
from palmette.formats.model.safetensors import Array

if TYPE_CHECKING:
    from palmette.learning.learner import Report
    from palmette.parameters import Options

_WORDS = "known_words"


class Training(Protocol):
    """A training that has ended."""

    @property
    def history(self) -> tuple[Report, ...]: ...
    @property
    def interrupted(self) -> bool: ...


class Examples(Protocol):
    """Sentences in whatever form a learner saw them."""

    @property
    def n_tokens(self) -> int: ...
    def __len__(self) -> int: ...


def training_record(learner: Options | None, learned: Training, instances: Examples) -> dict[str, Any]:
    """The facts of one training, as plain data. Times are left out: the same data gives the same file.

    learner: None for a method that counts.
    """
    settings = {} if learner is None else learner.get_params()
    history = learned.history
    scores = [report.numbers["dev"] for report in history if "dev" in report.numbers]
    return {
        "learner": None if learner is None else type(learner).__name__,
        "settings": {name: _plain(value) for name, value in settings.items() if name != "n_jobs"},
        "sentences": len(instances),
        "tokens": instances.n_tokens,
        "passes": len(history),
        "loss": _finite(history[-1].numbers.get("loss")) if history else None,
        "dev_score": _finite(max(scores, default=None)),
        "interrupted": learned.interrupted,
    }


def save_known_words(words: KnownWords | None) -> dict[str, Array]:
    """The arrays of a model file that keep the training vocabulary."""
    return {} if words is None else {_WORDS: words.hashes.astype("<u4")}


def saved_training(file: ModelFile) -> dict[str, Any]:
    """The facts of the training in the file of a tagger; FormatError if its columns are not names."""
    training = file.options.get("training")
    if not isinstance(training, dict):
        return {}
    columns, column = training.get("columns"), training.get("column")
    names = columns if isinstance(columns, list) else []
    known = isinstance(columns, list | None) and isinstance(column, str | None)
    if not known or not all(isinstance(name, str) for name in names):
        raise file.damaged("the columns of its training are not names")
    return dict(training)


def load_known_words(file: ModelFile) -> KnownWords | None:
    """The training vocabulary of a model file, if it has one."""
    if _WORDS not in file.arrays:
        return None
    return KnownWords(np.asarray(file.array(_WORDS, np.dtype("<u4"), [None])))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None
