"""Make commands from plain functions, and import commands only when they are needed."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any, NoReturn, TypeVar, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from palmette.cli.values import with_plain_values

Work = TypeVar("Work", bound=Callable[..., Any])
# The plain command of the library below typer, wherever this version of typer keeps it.
_Command: Any = next(kind for kind in TyperGroup.__mro__ if kind.__name__ == "Command")
# What all commands have in common.
SETTINGS = {"help_option_names": ["-h", "--help"]}


class Command(TyperCommand):
    """A command that imports no more than it needs; `help_text` makes a help text that takes some work."""

    help_text: Callable[[], str] | None = None

    def get_params(self, ctx: Any) -> Any:
        return with_plain_values(super().get_params(ctx))

    def get_help(self, ctx: Any) -> str:
        if self.help_text is not None:
            self.help = inspect.cleandoc(self.help_text())
        return super().get_help(ctx)


def command(function: Callable[..., Any], examples: Sequence[str] = (), cls: type[Command] = Command) -> Any:
    """Return the command that calls a function; its docstring is the help, followed by `examples`."""
    app = typer.Typer(add_completion=False, context_settings=SETTINGS, rich_markup_mode=None)
    name = function.__name__.replace("_", "-")
    app.command(name, cls=cls, help=function.__doc__, epilog=epilog(examples))(function)
    built: Any = typer.main.get_command(app)
    built.help_text = getattr(function, "help_text", None)
    return built


def helped(text: Callable[[], str]) -> Callable[[Work], Work]:
    """Return a decorator that gives a command a help text, which is made only when it is asked for."""

    def decorate(function: Work) -> Work:
        function.help_text = text  # type: ignore[attr-defined]
        return function

    return decorate


def utf8(text: str | None) -> str | None:
    """A callback for an argument that is text: BadParameter if its bytes are not UTF-8."""
    if text is not None and any("\udc80" <= c <= "\udcff" for c in text):
        raise typer.BadParameter("the text is not UTF-8; write it to a file and give the file's name")
    return text


def epilog(examples: Sequence[str]) -> str | None:
    """Return the examples for the end of a help; \\b keeps the formatter from filling the lines."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in examples) if examples else None


class LazyGroup(TyperGroup, ABC):
    """Commands found by name when asked for. A subclass lists the names and builds the commands."""

    noun = "command"

    def get_params(self, ctx: Any) -> Any:
        return with_plain_values(super().get_params(ctx))

    @abstractmethod
    def names(self) -> list[str]:
        """Return the names of the commands."""

    @abstractmethod
    def build(self, name: str) -> Any:
        """Return the command of a name."""

    def list_commands(self, ctx: Any) -> list[str]:
        return self.names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return self.build(cmd_name) if cmd_name in self.names() else None

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """The names that can follow; no command is imported for them."""
        if incomplete.startswith("-"):
            return _Command.shell_complete(self, ctx, incomplete)
        parts = import_module(_Command.__module__.rpartition(".")[0] + ".shell_completion")
        return [parts.CompletionItem(name) for name in self.names() if name.startswith(incomplete)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as typer does, but say which name is missing where options come first, or nothing comes at all."""
        if not ctx.resilient_parsing and self.missing_name(args):
            word = self.noun.upper()
            ctx.fail(f"expected {ctx.command_path} {word}, where {word} is one of {', '.join(self.names())}")
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def missing_name(self, args: list[str]) -> bool:
        """Whether a command line of this group lacks the name of its command."""
        own = {"-h", "--help", "--install-completion", "--show-completion"}
        return self.noun != "command" and not own & set(args) and (not args or args[0].startswith("-"))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        if args and args[0] not in self.names() and not args[0].startswith("-"):
            self.unknown(ctx, args[0])
        return super().resolve_command(ctx, args)

    def unknown(self, ctx: Any, name: str) -> NoReturn:
        close = get_close_matches(name, self.names(), 1)
        hint = f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(self.names())}"
        ctx.fail(f"unknown {self.noun} {name!r}: {hint}")
        raise AssertionError  # fail() does not return


def joined(frame: Callable[..., Any], work: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """One function with the parameters of a frame and of a tool's function, for typer to read.

    frame(work, /, before, *, after, **own): what a verb does for every tool; it calls work(run, **own).
    work(run, own, ...): what one tool does. Its parameters but the first take the place of **own. On the
    command line `before` comes first, then the tool's own, then `after`. work.hidden: names of options of the
    frame that the tool refuses with a sentence of its own; the help leaves them out. Where both have an option
    of the same name, it is the tool's.
    """
    before: list[inspect.Parameter] = []
    after: list[inspect.Parameter] = []
    for parameter in _parameters(frame):
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            (after if parameter.kind is inspect.Parameter.KEYWORD_ONLY else before).append(parameter)
    hidden = getattr(work, "hidden", ())
    after = [_hidden(one) if one.name in hidden else one for one in after]
    own = [] if work is None else _parameters(work)
    taken = {option for one in own for option in _options_of(one)}
    after = [one for one in after if not taken & _options_of(one)]
    if any(map(_takes_all, own)):  # two arguments cannot both take all that is left
        after = [one for one in after if not _takes_all(one)]
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in [*before, *own, *after]]

    def function(**given: Any) -> Any:
        return frame(work, **given)

    function.__name__ = frame.__name__
    function.__doc__ = (work.__doc__ if work else None) or frame.__doc__
    if hasattr(work, "help_text"):
        function.help_text = work.help_text  # type: ignore[union-attr, attr-defined]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {p.name: p.annotation for p in parameters}
    return function


def _hidden(parameter: inspect.Parameter) -> inspect.Parameter:
    """The same parameter, which the help does not list."""
    kind, about = parameter.annotation.__origin__, copy(parameter.annotation.__metadata__[0])
    about.hidden = True
    return parameter.replace(annotation=Annotated[kind, about])


def _options_of(parameter: inspect.Parameter) -> set[str]:
    """The names of an option on the command line; none of an argument."""
    _, *about = get_args(parameter.annotation) or (None,)
    # What is written first in typer.Option(...) is a name, and typer keeps it as the default.
    given = [name for one in about for name in (one.default, *(getattr(one, "param_decls", None) or ()))]
    return {name for name in given if isinstance(name, str) and name.startswith("--")}


def _takes_all(parameter: inspect.Parameter) -> bool:
    """Whether a parameter is an argument that takes any number of words."""
    kind, *about = get_args(parameter.annotation) or (None,)
    return any(isinstance(one, typer.models.ArgumentInfo) for one in about) and "list[" in str(kind)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters after the first, with their annotations as objects.

    Other annotations are not looked at: what they name may be imported for type checkers only.
    """
    names = getattr(function, "func", function).__globals__  # a partial has its function
    found = list(inspect.signature(function).parameters.values())[1:]
    return [
        p.replace(annotation=eval(p.annotation, names)) if isinstance(p.annotation, str) else p for p in found
    ]
