"""The algorithms that can be looked into, by name, with what they read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from palmette.trace.inputs import MOST_CHARACTERS
from palmette.trace.steps import Trace


@dataclass(frozen=True)
class Field:
    """What an algorithm reads: a text of one line or several, with a default that works.

    choices: the only values, if there are few.
    """

    name: str
    default: str
    help: str
    lines: bool = False
    choices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The field as a JSON object."""
        return asdict(self)


@dataclass(frozen=True)
class Algorithm:
    """An algorithm: its name, a title, and the module that traces it, with FIELDS and run(**fields)."""

    name: str
    title: str
    module: str

    @property
    def fields(self) -> tuple[Field, ...]:
        """What it reads; the first one is the main input."""
        found: tuple[Field, ...] = import_module(self.module).FIELDS
        return found

    def run(self, **given: str) -> Trace:
        """Trace the algorithm; ValueError in one sentence for an input that cannot be."""
        known = {field.name: field.default for field in self.fields}
        for name, text in given.items():
            if name not in known:
                raise ValueError(f"{self.name} has no field {name!r}: it has {', '.join(known)}")
            if not isinstance(text, str):
                raise ValueError(f"the field {name} must be a string")
            if len(text) > MOST_CHARACTERS:
                raise ValueError(f"{name}: a trace reads at most {MOST_CHARACTERS:,} characters")
        function: Callable[..., Trace] = getattr(import_module(self.module), self.function)
        wanted = inspect.signature(function).parameters
        return function(**{name: value for name, value in {**known, **given}.items() if name in wanted})

    @property
    def function(self) -> str:
        """The function of the module that traces it."""
        return self.name.replace("-", "_")


def _of(name: str, title: str, module: str) -> tuple[str, Algorithm]:
    return name, Algorithm(name, title, f"palmette.trace.{module}")


ALGORITHMS: dict[str, Algorithm] = dict(
    [
        _of("viterbi", "Viterbi: the best labels of a hidden Markov model", "hidden_markov"),
        _of("forward-backward", "Forward-backward: how probable every label is", "hidden_markov"),
        _of("cky", "CKY: the best tree of a grammar", "cky"),
        _of("eisner", "Eisner: the best projective dependency tree", "eisner"),
        _of("shift-reduce", "Shift-reduce parsing with a beam", "shift_reduce"),
        _of("perceptron", "The structured perceptron learns a tagger", "perceptron"),
        _of("model1", "EM: IBM Model 1 learns to translate words", "model1"),
        _of("tree-kernel", "Tree kernels: what two trees share", "tree_kernel"),
        _of("phrases", "Phrase decoding with stacks", "phrases"),
        _of("mert", "MERT: the upper envelope of a line search", "mert"),
    ]
)


def trace(name: str, **fields: str) -> Trace:
    """Trace an algorithm over a small input; fields that are not given have their defaults."""
    if name not in ALGORITHMS:
        close = get_close_matches(name, ALGORITHMS, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(ALGORITHMS)}"
        raise ValueError(f"no algorithm has the name {name[:40]!r}: {hint}")
    return ALGORITHMS[name].run(**fields)
