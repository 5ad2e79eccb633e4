"""Commands that take a model: the kind of the model determines the tool and its options.

`palmette evaluate en.palm ...` reads the kind of en.palm, finds the tool that is registered for it, and
becomes the command with that tool's options, so `palmette evaluate en.palm --help` shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from palmette.cli.commands import Command, command, joined
from palmette.formats.guess import format_of_file
from palmette.tools.registry import Tool, tool_for, tools


def model_command(frame: Callable[..., Any], examples: Sequence[str], any_kind: bool = False) -> Any:
    """The command of a verb, from its frame (see `joined`).

    `any_kind`: it also works without a tool, and on a file of tokens or trees.
    """
    built = command(joined(frame), examples, ModelCommand)
    built.frame, built.examples, built.any_kind = frame, examples, any_kind
    return built


class ModelCommand(Command):
    """The verb while no model is named yet: it shows help, and becomes a tool's command when one is."""

    frame: Callable[..., Any]
    examples: Sequence[str]
    any_kind: bool

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        path = self._model_among(args)
        chosen = None if path is None else self._for_model(path)
        if chosen is None:
            return super().make_context(info_name, args, parent, **extra)
        return chosen.make_context(info_name, args, parent, **extra)

    def _model_among(self, args: Sequence[str]) -> str | None:
        """The first argument that is neither an option nor the value of one; None if that cannot be told."""
        takes_value = {
            name: not getattr(option, "is_flag", False)
            for option in self.params
            if option.param_type_name == "option"
            for name in option.opts
        }
        rest = iter(args)
        for argument in rest:
            if argument == "--":
                return next(rest, None)
            if not argument.startswith("-") or argument == "-":
                return argument
            name, equals, _ = argument.partition("=")
            if name not in takes_value:
                return None
            if takes_value[name] and not equals:
                next(rest, None)
        return None

    def _for_model(self, path: str) -> Any:
        from palmette.formats.model import ModelFile
        from palmette.models import find_model

        if self.any_kind and format_of_file(path) is not None:
            return None  # its name or content speaks for a text format
        verb = self.frame.__name__
        model = ModelFile.load(find_model(path))
        tool = tool_for(model.kind)
        function = tool.command(verb) if tool else None
        if tool is None or function is None:
            if self.any_kind:
                return None
            raise ValueError(
                f"{path}: {_no_tool(model.kind, verb, tool)}; palmette inspect shows what it holds"
            )
        work = partial(function, model)
        work.__doc__ = function.__doc__
        return command(joined(self.frame, work), tool.examples(verb) or self.examples)


def _no_tool(kind: str, verb: str, tool: Tool | None) -> str:
    from palmette.formats.model import with_article

    if tool is not None:
        return f"holds {with_article(kind)}, but the tool {tool.name!r} does not {verb}"
    known = ", ".join(tool.kind for tool in tools()) or "none yet"
    return f"holds {with_article(kind)}, but no tool for that is installed (installed: {known})"
