"""A fitted tagger: its model, and the file that holds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from palmette.features.saving import has_functions
from palmette.features.word_hashes import KnownWords
from palmette.formats.files import Source
from palmette.formats.model import ModelFile
from palmette.tools.estimator import Estimator
from palmette.tools.sequence.file import sequence_model_file
from palmette.tools.sequence.model import SequenceModel
from palmette.tools.training_record import Training, save_known_words


class FittedTagger(Estimator):
    """What all taggers share once they are trained or loaded."""

    kind: ClassVar[str]
    column: str | int | None
    known_words_: KnownWords | None
    training_: dict[str, Any]

    def save(self, path: Source, *, compact: bool = True) -> None:
        """Write a model file. compact=False keeps every weight in full and the names of all features."""
        self.to_model(compact=compact).save(path)

    def to_model(
        self,
        *,
        compact: bool = False,
        names: bool | None = None,
        fingerprint: str = "",
        about: Mapping[str, Any] | None = None,
    ) -> ModelFile:
        """Return what `save` writes. names: of all features; None: unless compact. fingerprint: of the training
        data; about: further facts for its users.
        """
        training = {**getattr(self, "training_", {}), **(about or {})}
        options = {**self._saved_options(), "training": training}
        arrays = save_known_words(getattr(self, "known_words_", None))
        return sequence_model_file(
            self._fitted,
            kind=self.kind,
            options=options,
            arrays=arrays,
            compact=compact,
            names=names,
            fingerprint=fingerprint,
        )

    def _whole_file(self) -> ModelFile | None:
        file = super()._whole_file()
        return None if file is None or has_functions(file) else file

    @property
    def _fitted(self) -> SequenceModel:
        try:
            return self.model_
        except AttributeError:
            raise ValueError(f"This {type(self).__name__} is not trained yet: call fit first.") from None

    def _set_model(self, model: SequenceModel, learned: Training | None) -> None:
        self.model_ = model
        self.history_ = () if learned is None else learned.history
        self.interrupted_ = learned is not None and learned.interrupted

    def _saved_options(self) -> dict[str, Any]:
        return {"column": self.column}
