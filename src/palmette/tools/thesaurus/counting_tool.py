"""What tools that count sentences share: parser, WordNet and options, reading with a fingerprint, model files."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from palmette.formats.files import Source
from palmette.formats.model import ModelFile
from palmette.parameters import Options
from palmette.tools.estimator import Estimator
from palmette.tools.pipeline_file import load_kind


class CountingTool(Estimator):
    """A tool that counts what sentences have, and has no learner.

    parser: a `DependencyParser` with taggers, or the name or path of one ("en"), for text without trees. wordnet:
    a WordNet folder, whose antonyms are marked. options: those of the tool.
    """

    kind: ClassVar[str]
    noun: ClassVar[str]  # what it is, in messages
    model_: Any
    training_: dict[str, Any]
    fingerprint_: str

    def __init__(
        self,
        *,
        parser: Any = None,
        wordnet: Source | None = None,
        options: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.parser = parser
        self.wordnet = wordnet
        self.options = options
        self.n_jobs = n_jobs

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return self.noun

    def default_learner(self) -> Any:
        """Return None: it counts."""
        return None

    def check_learner(self) -> None:
        """Do nothing: it counts."""

    def _parser(self) -> Any:
        if hasattr(self.parser, "parse"):
            return self.parser
        from palmette.tools.dependency.parser import DependencyParser

        self._loaded: Any = getattr(self, "_loaded", None) or DependencyParser.load(self.parser)
        self._loaded.n_jobs = self.n_jobs
        return self._loaded

    # Files

    @abstractmethod
    def to_model(self, *, about: Mapping[str, Any] | None = None) -> ModelFile:
        """Return what `save` writes. about: further facts for its users."""

    @classmethod
    @abstractmethod
    def _restored(cls, file: ModelFile) -> tuple[Any, dict[str, Any]]:
        """The model of a file and its training; FormatError if it is damaged."""

    @abstractmethod
    def _with(self, options: Options) -> Any:
        """The model with other options."""

    def save(self, path: Source) -> None:
        """Write a model file."""
        self.to_model().save(path)

    @classmethod
    def load(cls, path: Source) -> Self:
        """What a model file has."""
        return cls.from_model(load_kind(path, cls.kind))

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """What a model file has that is open already; FormatError if it is damaged."""
        model, training = cls._restored(file)
        made = cls(options=model.options.to_dict())
        made.model_, made.training_, made.fingerprint_ = model, training, file.fingerprint
        return made

    def with_options(self, **options: Any) -> Self:
        """Return the same with another measure."""
        changed = self._model.options.changed(options, f"{self.noun[0].upper()}{self.noun[1:]}")
        made = type(self)(
            parser=self.parser, wordnet=self.wordnet, options=changed.to_dict(), n_jobs=self.n_jobs
        )
        made.model_, made.training_, made.fingerprint_ = (
            self._with(changed),
            self.training_,
            self.fingerprint_,
        )
        return made

    @property
    def _model(self) -> Any:
        if not hasattr(self, "model_"):
            raise ValueError(f"This {type(self).__name__} is not trained yet: call fit, or load a model.")
        return self.model_


class Followed:
    """Follows the pieces of files: a fingerprint of all of them, and progress by their bytes."""

    def __init__(self, progress: Callable[[int], object] | None) -> None:
        self._content = hashlib.sha256()
        self._progress = progress
        self._seen = 0

    def __call__(self, piece: bytes) -> None:
        self._content.update(piece)
        self._seen += len(piece)
        if self._progress is not None:
            self._progress(len(piece))

    @property
    def fingerprint(self) -> str:
        """The hash of what came; empty if nothing did."""
        return self._content.hexdigest() if self._seen else ""
