"""Which tools there are: what each is called, which models it makes, and where its commands are.

A tool's commands are functions of one module, imported when first needed:

    train(run, ...)            returns the trained model: a ModelFile, or anything with save(path)
    predict(model, run, ...)   returns the output piece by piece, as bytes
    evaluate(model, run, ...)  returns the measures by name, numbers as fractions of one
    inspect(model, run, ...)   returns what a person may want to know of the model, by name
    guesses(model, run, source, probabilities)   returns what it guesses on gold data, for `palmette plot`: one
                               `Guesses`, or several by layer
    explain(model, run, ...)   returns why the model says what it says: with to_dict(), and as a string for people

`model` is the ModelFile of the tool's kind, `run` a `palmette.cli.run.Run`; every parameter after them is
an option or argument of the command, described as typer describes them. All but `train` may be missing. Where a
model can be saved as something other than a model file, `train.check_target(path)` raises if it cannot be there.
EXAMPLES in the same module may hold lines for the help, by verb. Tools of other packages join as
`palmette/plugins.py` says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from palmette.plugins import load_plugins

if TYPE_CHECKING:
    from palmette.formats.model import ModelFile


@dataclass(frozen=True)
class Tool:
    """A tool: `name` on the command line, the `kind` of its models, a line of help, and a module.

    also: further kinds of models that it works with. loads: the class whose `from_model` loads its models, as
    "module:name".
    """

    name: str
    kind: str
    summary: str
    commands: str
    also: tuple[str, ...] = ()
    loads: str | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """All kinds of its models."""
        return (self.kind, *self.also)

    def command(self, verb: str) -> Callable[..., Any] | None:
        """The tool's function for a verb, or None if it has none."""
        found: Callable[..., Any] | None = getattr(import_module(self.commands), verb, None)
        return found

    def from_model(self, file: ModelFile) -> Any:
        """Return the model of a file of one of its kinds, as an object of the tool's class."""
        if self.loads is None:
            raise ValueError(f"{file.path}: {self.name!r} has no class in Python to load its models with.")
        module, _, name = self.loads.partition(":")
        return getattr(import_module(module), name).from_model(file)

    def examples(self, verb: str) -> Sequence[str]:
        """Command lines that show the verb at work, if the tool gives any."""
        found: Sequence[str] = getattr(import_module(self.commands), "EXAMPLES", {}).get(verb, ())
        return found


_TOOLS: dict[str, Tool] = {}


def register(tool: Tool) -> None:
    """Make a tool known; its name and its kind must be its own."""
    for other in _TOOLS.values():
        if tool.name == other.name or set(tool.kinds) & set(other.kinds):
            raise ValueError(f"{tool.name!r} ({tool.kind}) is taken by {other.name!r} ({other.kind})")
    _TOOLS[tool.name] = tool


def tools() -> list[Tool]:
    """All tools, in the order in which they were registered."""
    load_plugins()
    return list(_TOOLS.values())


def tool_named(name: str) -> Tool | None:
    """The tool of that name on the command line."""
    if name not in _TOOLS:
        load_plugins()
    return _TOOLS.get(name)


def tool_for(kind: str) -> Tool | None:
    """The tool whose models are of that kind."""
    if not any(kind in tool.kinds for tool in _TOOLS.values()):
        load_plugins()
    return next((tool for tool in _TOOLS.values() if kind in tool.kinds), None)
