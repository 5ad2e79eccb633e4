"""The interface of scikit-learn, which all tools have: parameters by name, clones, a short repr."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import io
from abc import ABC, abstractmethod
from typing import Any, Self

from palmette.formats.model import ModelFile
from palmette.learning.capabilities import Capabilities, check_fit
from palmette.threads import n_threads

# The attributes of a trained tool that its model file holds, and the name of the file among those of a pickle.
_IN_FILES = {"model_", "taggers_", "base_", "reader_"}
_FILE = "model file"


class Estimator(ABC):
    """A tool whose parameters are those of its constructor, kept unchanged under their names.

    A parameter that has parameters itself, as a learner has, gives and takes them as `learner__l2`.
    """

    n_jobs: int | None
    one_label_per_item = False  # whether y is a row of labels, so that scikit-learn can score them

    def __init_subclass__(cls, **more: Any) -> None:
        """Make the constructor say which parameters there are, should one be given that is not among them."""
        super().__init_subclass__(**more)
        constructor = cls.__dict__.get("__init__")
        if constructor is None:
            return

        @functools.wraps(constructor)
        def checked(self: Estimator, *args: Any, **params: Any) -> None:
            own = list(inspect.signature(constructor).parameters)[1:] if params else []
            for name in params:
                if name not in own:
                    raise TypeError(f"{cls.__name__} has no parameter {name!r}: {cls._instead(name, own)}.")
            constructor(self, *args, **params)

        cls.__init__ = checked  # type: ignore[method-assign, assignment]

    @classmethod
    def _instead(cls, name: str, own: list[str]) -> str:
        """What to write in the place of a parameter that the constructor does not have."""
        return f"it has {', '.join(own)}"

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return "this tool"

    @property
    def offers(self) -> Capabilities:
        """What this tool, as it is set up, offers learners: see `palmette.learning.capabilities`."""
        return frozenset()

    @classmethod
    def _parameters(cls) -> dict[str, Any]:
        """The constructor's parameters with their defaults."""
        found = list(inspect.signature(cls).parameters.values())
        return {parameter.name: parameter.default for parameter in found}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's parameters by name; with `deep` also those of the learner, as `learner__l2`."""
        params = {name: getattr(self, name) for name in self._parameters()}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params"):
                    params |= {f"{name}__{inner}": v for inner, v in value.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Change parameters, those of the learner as `learner__l2`."""
        own = self._parameters()
        nested: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            outer, _, inner = name.partition("__")
            if outer not in own or (inner and not self._has_parameters(outer)):
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}: it has {', '.join(own)}.")
            if inner:
                nested.setdefault(outer, {})[inner] = value
            else:
                setattr(self, name, value)
        for outer, inside in nested.items():
            setattr(self, outer, self._changed(outer, inside))
        return self

    def _has_parameters(self, name: str) -> bool:
        """Whether a parameter has parameters of its own."""
        return name == "learner"

    def _changed(self, name: str, inside: dict[str, Any]) -> Any:
        """A parameter with some of its own parameters changed."""
        value = getattr(self, name)
        value = self.default_learner() if value is None else value
        if value is None:
            raise ValueError(f"{type(self).__name__} has no {name} to change: this method counts.")
        return dataclasses.replace(value, **inside)

    @abstractmethod
    def default_learner(self) -> Any:
        """The learner that is used where none is given."""

    def check_learner(self) -> None:
        """Raise a LearnerError if the learner cannot train this tool as it is set up."""
        self._learner()

    def _learner(self) -> Any:
        """The learner to train with, on the threads of this tool; LearnerError if it does not fit."""
        learner = getattr(self, "learner", None)
        learner = self.default_learner() if learner is None else learner
        check_fit(learner, self.offers, self.where)
        if self.n_jobs is None or "n_jobs" not in learner.names():
            return learner
        return dataclasses.replace(learner, n_jobs=self._jobs)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        # For the others, "classifier" would make scikit-learn look for classes in y, and y is made of sentences.
        classifies = self.one_label_per_item
        return Tags(
            estimator_type="classifier" if classifies else None,
            target_tags=TargetTags(required=classifies),
            transformer_tags=None,
            classifier_tags=ClassifierTags() if classifies else None,
            regressor_tags=None,
            input_tags=InputTags(two_d_array=False, string=True),
        )

    # Pickling and copying

    def _whole_file(self) -> ModelFile | None:
        """Return the model file, or None where a file cannot hold all of the model: it holds no code."""
        tool: Any = self
        try:
            found: ModelFile = tool.to_model()
        except ValueError:
            return None
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes, and the model as the bytes of its file: native objects are made again from it.

        A model that no file can hold, with functions of its user, goes attribute by attribute.
        """
        file = self._whole_file() if self.__sklearn_is_fitted__() else None
        if file is None:
            return dict(self.__dict__)
        content = io.BytesIO()
        file.write(content)
        kept = {name: value for name, value in self.__dict__.items() if name not in _IN_FILES}
        return {**kept, _FILE: (content.getvalue(), _IN_FILES & self.__dict__.keys())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if _FILE in state:
            content, names = state[_FILE]
            tool: Any = type(self)
            made = tool.from_model(ModelFile.from_buffer(content, path="<pickle>"))
            self.__dict__.update({name: getattr(made, name) for name in names})
        self.__dict__.update({name: value for name, value in state.items() if name != _FILE})

    def __repr__(self) -> str:
        changed = {
            name: getattr(self, name)
            for name, default in self._parameters().items()
            if getattr(self, name) is not default and getattr(self, name) != default
        }
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    @property
    def _jobs(self) -> int:
        return 1 if self.n_jobs is None else n_threads(self.n_jobs)
