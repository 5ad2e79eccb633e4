"""How to make a shard: a small object that travels to a worker, and the contents that a worker keeps.

A shard is never sent in the form in which it is worked on. What is sent is its recipe, such as a path and a range
of sentences, and a worker that does not have the content makes it. So a worker that is lost takes nothing with it:
the next one follows the recipe again.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Recipe(Protocol):
    """How to make the content of a shard; it can be pickled.

    key: a name that no other recipe has. make: returns the content; the same whenever it is called.
    """

    @property
    def key(self) -> str: ...

    def make(self) -> Any: ...


_made: dict[str, Any] = {}
_locks: dict[str, threading.Lock] = {}
_guard = threading.Lock()


def content_of(shard: Any) -> Any:
    """Return what a function works on: the content of a recipe, made once in a process, or the shard itself."""
    if not isinstance(shard, Recipe):
        return shard.content if isinstance(shard, Content) else shard
    key = shard.key
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with lock:
        if key not in _made:
            _made[key] = shard.make()
        return _made[key]


def forget(keys: Iterable[str]) -> None:
    """Keep these contents no longer."""
    with _guard:
        for key in keys:
            _made.pop(key, None)
            _locks.pop(key, None)


@dataclass(frozen=True)
class Stored:
    """A recipe: read what is pickled in a file."""

    path: str

    @property
    def key(self) -> str:
        """A name that no other file has."""
        return self.path

    def make(self) -> Any:
        """Read it."""
        with Path(self.path).open("rb") as file:
            return pickle.load(file)


@dataclass(frozen=True)
class Content:
    """A content in the memory of a worker whose engine keeps it; it travels as its recipe."""

    recipe: Recipe
    content: Any

    @classmethod
    def made(cls, recipe: Recipe) -> Content:
        """Follow the recipe."""
        return cls(recipe, recipe.make())

    def __reduce__(self) -> tuple[Any, ...]:
        return Content.made, (self.recipe,)
