"""Kernels and their items as JSON, so that what a learner in dual form has learned can be kept in a model file.

    saved_kernel(k), kernel_of(saved)     {"type": "TreeKernel", "decay": 0.4, ...}
    saved_item(x), item_of(saved)         {"tree": "(NP (DT a) (NN dog))"}, {"vector": [["w", 1.0]]}, "abc", 1.5

A file holds no code, so a kernel with your own function in it cannot be saved.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from palmette.features.kernels.composition import Normalized, On, Product, Scaled, Sum
from palmette.features.kernels.kernel import Kernel
from palmette.features.kernels.strings import MismatchKernel, SpectrumKernel, SubsequenceKernel
from palmette.features.kernels.tagged_sequences import TaggedSequenceKernel, capitalization
from palmette.features.kernels.trees import TreeKernel
from palmette.features.kernels.vectors import GaussianKernel, LinearKernel, PolynomialKernel
from palmette.trees.tree import Tree

_KERNELS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        *(TreeKernel, TaggedSequenceKernel, SpectrumKernel, SubsequenceKernel, MismatchKernel),
        *(LinearKernel, PolynomialKernel, GaussianKernel, Sum, Product, Scaled, Normalized, On),
    )
}
_FUNCTIONS = {"capitalization": capitalization}
_LATER = {"longest"}  # parameters that older files lack
_INNER = {"kernel", "one", "two", "of"}  # parameters that are kernels themselves
_DEEPEST = 50  # kernels within kernels


def saved_kernel(kernel: Kernel) -> dict[str, Any]:
    """The kernel as JSON has it.

    >>> saved_kernel(TreeKernel(decay=0.5).normalized)["type"]
    'Normalized'
    """
    if _KERNELS.get(type(kernel).__name__) is not type(kernel):
        raise ValueError(f"{kernel} cannot be saved: a model file holds no code.")
    assert dataclasses.is_dataclass(kernel)
    parameters = {field.name: getattr(kernel, field.name) for field in dataclasses.fields(kernel)}
    return {"type": type(kernel).__name__} | {
        name: _saved_parameter(kernel, value) for name, value in parameters.items()
    }


def is_built_in(kernel: Kernel) -> bool:
    """Whether a kernel is made of those that come with the library alone, and so is an inner product."""
    try:
        saved_kernel(kernel)
    except ValueError:
        return False
    return True


def kernel_of(saved: object, depth: int = 0) -> Kernel:
    """The kernel that was saved; ValueError, in a sentence, where there is none."""
    if not isinstance(saved, dict) or depth > _DEEPEST:
        raise ValueError("the kernel is not there, or too deep")
    kind = _KERNELS.get(str(saved.get("type")))
    if kind is None:
        raise ValueError(f"{saved.get('type')!r} is not a kernel")
    known, names = {field.name for field in dataclasses.fields(kind)}, set(saved) - {"type"}
    if not known - _LATER <= names <= known:
        raise ValueError(f"{kind.__name__} has the parameters {', '.join(sorted(known)) or 'none'}")
    if not all(isinstance(saved[name], dict) for name in names & _INNER):
        raise ValueError(f"{kind.__name__} must have a kernel in it")
    try:
        made: Kernel = kind(**{name: _parameter(saved[name], depth) for name in names})
    except (TypeError, AttributeError) as error:
        raise ValueError(f"{kind.__name__} has a parameter of another kind") from error
    return made


def saved_item(item: Any) -> Any:
    """An item of a kernel as JSON has it."""
    if isinstance(item, Tree):
        return {"crossing" if item.is_discontinuous else "tree": str(item)}
    if isinstance(item, Mapping):
        return {"vector": [[name, float(value)] for name, value in item.items()]}
    if isinstance(item, set | frozenset):
        return {"set": sorted(item, key=lambda name: (isinstance(name, str), name))}
    if isinstance(item, np.ndarray):
        return {"row": item.tolist()}
    if isinstance(item, list | tuple):
        return [saved_item(part) for part in item]
    if isinstance(item, np.generic):
        return item.item()
    if item is None or isinstance(item, str | int | float):
        return item
    raise ValueError(f"An item of the type {type(item).__name__} cannot be saved.")


def item_of(saved: Any, depth: int = 0) -> Any:
    """The item that was saved; ValueError where it is damaged. Lists and tuples come back as tuples."""
    if isinstance(saved, list) and depth <= _DEEPEST:
        return tuple(item_of(part, depth + 1) for part in saved)
    if isinstance(saved, dict) and len(saved) == 1:
        ((kind, content),) = saved.items()
        if kind in ("tree", "crossing") and isinstance(content, str):
            return Tree.parse(content, positions=kind == "crossing")
        if isinstance(content, list) and kind in ("vector", "set", "row"):
            try:
                if kind == "row":
                    return np.array(content, dtype=np.float64)
                if kind == "vector":
                    return {_name(name): float(value) for name, value in content}
                return {_name(name) for name in content}
            except (TypeError, ValueError):
                pass
    elif saved is None or isinstance(saved, str | int | float):
        return saved
    raise ValueError("an item of the kernel is damaged")


def _saved_parameter(kernel: Kernel, value: Any) -> Any:
    if isinstance(value, Kernel):
        return saved_kernel(value)
    for name, function in _FUNCTIONS.items():
        if value is function:
            return {"function": name}
    if callable(value):
        raise ValueError(
            f"{kernel} cannot be saved: it has a function in it, and a model file holds no code."
        )
    if isinstance(value, set | frozenset | list | tuple):
        return sorted(value)
    return value.item() if isinstance(value, np.generic) else value


def _parameter(saved: Any, depth: int) -> Any:
    if isinstance(saved, dict):
        if set(saved) == {"function"}:
            found = _FUNCTIONS.get(str(saved["function"]))
            if found is None:
                raise ValueError(f"{saved['function']!r} is not a function of a kernel")
            return found
        return kernel_of(saved, depth + 1)
    return tuple(saved) if isinstance(saved, list) else saved


def _name(name: Any) -> Any:
    if not isinstance(name, str | int):
        raise TypeError
    return name
