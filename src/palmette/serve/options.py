"""Options of a request: those of the command that read no file, with the values that the command allows."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from palmette.serve.limits import Limits, RequestError

# Names of options that a request may set; whatever else a command has may name a file, or start a long search.
PREDICT = frozenset(
    "format language lines keep_labels keep_heads keep_tags keep_brackets keep probabilities kbest minimum_risk "
    "unique retag append words next sample seed symmetrization threshold distinct alignment markup inclusive "
    "unknown raw ranked extract confidence top measure".split()
)
EXPLAIN = frozenset(
    "format language token top against tags step bracket symmetrization unknown raw markup rival minimum_risk "
    "keep drop measure".split()
)
READ = frozenset({"format"})  # of /v1/probabilities: how the input is read
_COUNTS = ("kbest", "next", "sample", "top")


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The options of a command by name, with annotations as objects."""
    found = list(inspect.signature(function).parameters.values())[2:]
    names = function.__globals__
    return {
        p.name.rstrip("_"): p.replace(
            annotation=eval(p.annotation, names) if isinstance(p.annotation, str) else p.annotation
        )
        for p in found
    }


@lru_cache(maxsize=256)
def offered(function: Callable[..., Any], names: frozenset[str]) -> Mapping[str, inspect.Parameter]:
    """The options that a request may set."""
    found = {("format" if name == "from" else name): p for name, p in parameters(function).items()}
    return {name: p for name, p in found.items() if name in names and not _holds_path(p)}


def checked(
    function: Callable[..., Any], names: frozenset[str], given: Mapping[str, Any], limits: Limits
) -> dict[str, Any]:
    """The options of a request as the command takes them; RequestError for one that is unknown or wrong."""
    known = offered(function, names)
    found = {}
    for name, value in given.items():
        if name not in known:
            there = ", ".join(sorted(name for name, p in known.items() if not is_deprecated(p))) or "none"
            raise RequestError(400, f"unknown option {name[:40]!r}; this model has {there}")
        found[known[name].name] = _value(name, known[name].annotation, value, limits)
    return found


def kind_of(parameter: inspect.Parameter) -> tuple[Any, Any]:
    """The plain type of an option without None, and what typer knows of it."""
    annotation, about = parameter.annotation, None
    if hasattr(annotation, "__metadata__"):
        annotation, about = annotation.__origin__, annotation.__metadata__[0]
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(one for one in get_args(annotation) if one is not NoneType)
    return annotation, about


def is_deprecated(parameter: inspect.Parameter) -> bool:
    """Whether an option still works, and no help shows it."""
    return bool(getattr(kind_of(parameter)[1], "hidden", False))


def _holds_path(parameter: inspect.Parameter) -> bool:
    """Whether the help of an option says that it is a file or a folder."""
    _, about = kind_of(parameter)
    shown = str(getattr(about, "metavar", None) or "")
    return any(word in shown.upper() for word in ("FILE", "DIR", "FOLDER", "PATH"))


def _value(name: str, annotation: Any, value: Any, limits: Limits) -> Any:
    kind, about = kind_of(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation))
    if kind is bool:
        wanted, fits = "true or false", isinstance(value, bool)
    elif kind is int:
        low, high = getattr(about, "min", None), getattr(about, "max", None)
        high = limits.kbest if high is None and name in _COUNTS else high
        fits = isinstance(value, int) and not isinstance(value, bool)
        fits = fits and (low is None or value >= low) and (high is None or value <= high)
        wanted = "a number" + (f" from {low}" if low is not None else "") + (f" to {high}" if high else "")
    elif kind is float:
        fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        wanted = "a number"
    elif inspect.isclass(kind) and issubclass(kind, Enum):
        names = [str(one.value) for one in kind]
        if isinstance(value, str) and value in names:
            return kind(value)
        wanted, fits = f"one of {', '.join(names)}", False
    elif get_origin(kind) is list:
        inner = get_args(kind)[0]
        fits = isinstance(value, list) and all(type(one) is inner for one in value)
        wanted = "a list of numbers" if inner is int else "a list of strings"
    else:
        wanted, fits = "a string", isinstance(value, str) and len(value) <= 200
    if not fits:
        raise RequestError(400, f"the option {name} must be {wanted}")
    return value
