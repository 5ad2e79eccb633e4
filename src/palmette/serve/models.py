"""The models that are served, by name; each is read again when its file is replaced."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from palmette.cli.errors import sentence
from palmette.cli.run import forget, keep, restored
from palmette.formats.model import ModelFile
from palmette.models import find_model, shipped_models
from palmette.serve.limits import RequestError
from palmette.serve.options import parameters
from palmette.tools.registry import Tool, tool_for

_Stamp = tuple[int, int, int]
# Tools whose models have tables of all probabilities.
WITH_PROBABILITIES = (
    "tag",
    "induce",
    "spans",
    "depparse",
    "pipeline",
    "parse",
    "classify",
    "sentiment",
    "morphology",
    "lemmas",
    "lm",
    "align",
)


@dataclass(frozen=True)
class Served:
    """A model that is ready: its name in requests, its file, and the tool that works with it."""

    name: str
    path: str
    file: ModelFile
    tool: Tool
    stamp: _Stamp
    verbs: tuple[str, ...] = ()

    @property
    def object(self) -> Any:
        """The model as an object of the tool's class."""
        module, _, name = str(self.tool.loads).partition(":")
        return restored(getattr(import_module(module), name), self.file)


class Models:
    """All models of a server. A request keeps the `Served` that it got, and ends with the model it began with."""

    def __init__(self, given: Sequence[str], note: Callable[[str], None] = lambda text: None) -> None:
        self._note = note
        self._lock = threading.Lock()
        self._broken: dict[str, _Stamp] = {}
        self._served: dict[str, Served] = {}
        self.reloads = 0
        for one in given or list(shipped_models()):
            path = os.fspath(find_model(one))
            name = Path(path).name.removesuffix(".palm")
            if name in self._served:
                raise ValueError(f"two models have the name {name!r}: rename the file {one}")
            self._served[name] = _loaded(name, path)
        if not self._served:
            raise ValueError("expected a model to serve; this version comes without any")

    def __iter__(self) -> Any:
        return iter(list(self._served.values()))

    def find(self, name: str | None, tool: str | None = None) -> Served:
        """Return the model of that name, or the first one; tool: only models of this tool will do."""
        fitting = [one for one in self if tool is None or one.tool.name == tool]
        if name is None:
            if not fitting:
                raise RequestError(404, f"no model of the tool {tool} is served; GET /v1/models lists them")
            first: Served = fitting[0]
            return first
        found = self._served.get(name)
        if found is None:
            known = ", ".join(one.name for one in self)
            raise RequestError(404, f"no model has that name; served are {known}")
        if found not in fitting:
            raise RequestError(
                400, f"the model {name} holds a {found.file.kind}, and {tool} needs one of that tool"
            )
        return found

    def adopt(self, name: str, path: str) -> Served:
        """Serve another file under a name from now on; requests under way end with the model they began with."""
        with self._lock:
            old, new = self.find(name), _loaded(name, path)
            if new.tool is not old.tool:
                forget(new.file)
                raise ValueError(f"{path} holds a {new.file.kind}, and {name} is a {old.file.kind}")
            self._served[name] = new
            forget(old.file)
            self.reloads += 1
            self._note(f"the model {name} is now the file {Path(path).name}")
            return new

    def refresh(self) -> None:
        """Read models again whose files were replaced. One that cannot be read leaves the old one in place."""
        with self._lock:
            for old in self:
                try:
                    stamp = _stamp(old.path)
                    if stamp in (old.stamp, self._broken.get(old.name)):
                        continue
                    new = _loaded(old.name, old.path)
                except Exception as error:
                    self._tell_broken(old, error)
                    continue
                self._served[old.name] = new
                self._broken.pop(old.name, None)
                forget(old.file)
                self.reloads += 1
                self._note(f"the model {old.name} was replaced and is read again")

    def _tell_broken(self, old: Served, error: Exception) -> None:
        try:
            stamp = _stamp(old.path)
        except OSError:
            stamp = (0, 0, 0)
        if self._broken.get(old.name) != stamp:
            self._broken[old.name] = stamp
            self._note(
                f"the model {old.name} stays as it was, its new file cannot be read: {sentence(error)}"
            )


def _stamp(path: str) -> _Stamp:
    found = Path(path).stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


def _loaded(name: str, path: str) -> Served:
    """Load a model and make its tool, so that a damaged file is found now and not by a request."""
    stamp = _stamp(path)
    file = ModelFile.load(path)
    tool = tool_for(file.kind)
    if tool is None or tool.loads is None:
        raise ValueError(f"{path}: no tool is installed for a {file.kind}")
    keep(file)
    try:
        _ = Served(name, path, file, tool, stamp).object
    except BaseException:
        forget(file)
        raise
    predict = tool.command("predict")
    asked = [verb for verb in ("predict", "explain") if tool.command(verb) is not None]
    asked += ["kbest"] if predict is not None and "kbest" in parameters(predict) else []
    asked += ["probabilities"] if tool.name in WITH_PROBABILITIES else []
    return Served(name, path, file, tool, stamp, tuple(asked))
