"""Pages of the command line, made from the commands: every option with what it takes and its default."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import typer
from docstrings import inline

from palmette.cli.app import VERBS, app
from palmette.cli.commands import LazyGroup, command, joined
from palmette.cli.experiments import Experiments
from palmette.learning.registry import LEARNERS, learner_class
from palmette.parameters import shown
from palmette.tools import registry
from palmette.tools.registry import Tool

# Verbs whose options depend on the model.
OF_MODELS = ("predict", "evaluate", "inspect", "explain")


class Page(NamedTuple):
    """A command: its words after `palmette`, and the command of the library for command lines."""

    words: str
    command: Any

    @property
    def file(self) -> str:
        return file_of(self.words)


def file_of(words: str) -> str:
    """Return the name of the page of a command."""
    return f"{words.replace(' ', '-')}.md"


@cache
def tools() -> list[Tool]:
    """Return all tools."""
    return registry.tools()


@cache
def _program() -> Any:
    return typer.main.get_command(app)


def _context(found: Any, words: str) -> Any:
    return found.context_class(found, info_name=f"palmette {words}")


@cache
def verb(name: str) -> Any:
    """Return the command of a verb."""
    return _program().get_command(_context(_program(), ""), name)


@cache
def of_tool(name: str, tool: Tool) -> Any:
    """Return the command of a verb for a tool, or None if the tool does not have it."""
    if name == "train":
        return verb("train").get_command(_context(verb("train"), "train"), tool.name)
    work = tool.command(name)
    if work is None:
        return None

    bound = partial(work, None)  # the place of the model
    bound.__doc__ = work.__doc__
    for mark in ("help_text", "hidden"):
        if hasattr(work, mark):
            setattr(bound, mark, getattr(work, mark))
    found = verb(name)
    return command(joined(found.frame, bound), tool.examples(name) or found.examples)


def of_tool_named(name: str, tool: str) -> Any:
    """Return the command of a verb for a tool by its name, or None."""
    return of_tool(name, next(one for one in tools() if one.name == tool))


def pages() -> Iterator[Page]:
    """Return all commands that have a page of their own."""
    for name in VERBS:
        yield Page(name, verb(name))
        if name == "train" or name in OF_MODELS:
            for tool in tools():
                found = of_tool(name, tool)
                if found is not None:
                    yield Page(f"{name} {tool.name}", found)


def every() -> Iterator[Page]:
    """Return all commands that can be run: those of `pages`, and those in groups, such as `plot confusion`."""
    for page in pages():
        if not inside(page.command):
            yield page
        elif page.words != "train":  # whose commands have pages
            for name in page.command.names():
                yield Page(f"{page.words} {name}", member(page, name))


def inside(found: Any) -> list[str]:
    """Return the names of the commands in a group; none for others."""
    return found.names() if isinstance(found, LazyGroup) else []


def member(page: Page, name: str) -> Any:
    """Return a command of a group."""
    return page.command.get_command(_context(page.command, page.words), name)


def option_names(page: Page) -> set[str]:
    """Return the names of the options of a command, as they are typed; help texts hide some."""
    found = page.command.get_params(_context(page.command, page.words))
    options = [one for one in found if one.param_type_name == "option"]
    return {name for one in options for name in (*one.opts, *one.secondary_opts)}


def write(folder: Path) -> dict[str, str]:
    """Write the page of every command and of all learners; return the titles by the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    titles = {}
    for page in pages():
        (folder / page.file).write_text(text(page), encoding="utf-8")
        titles[page.file] = title(page.words)
    (folder / "learners.md").write_text(learners(), encoding="utf-8")
    return {**titles, "learners.md": "Options of learners"}


@cache
def title(words: str) -> str:
    """Return a command line as a heading: what follows `predict` and others is the kind of a model."""
    first, _, tool = words.partition(" ")
    if tool and first in OF_MODELS:
        kind = next(one.kind for one in tools() if one.name == tool)
        return f"palmette {first} MODEL: {kind}"
    return f"palmette {words}"


def text(page: Page, heading: str = "#") -> str:
    """Return the page of a command."""
    within = [*members(page, f"{heading}#")]
    shared = any(part.startswith(heading) for part in within)  # whose examples are the same
    parts = [f"{heading} {title(page.words)}", *explained(page, [] if shared else examples(page)), *within]
    return "\n\n".join(parts) + "\n"


def explained(page: Page, shown: Iterable[str] = ()) -> Iterator[str]:
    """What a command is for, its examples and its options; then the tables of its help text, as of learners."""
    blocks = [*description(page)]
    tables = [number for number, block in enumerate(blocks) if re.search(r"^(\||```)", block, re.MULTILINE)]
    end = tables[0] if tables else len(blocks)
    yield from [*blocks[:end], *shown, *parameters(page), *blocks[end:]]


def members(page: Page, heading: str = "##") -> Iterator[str]:
    """Return what a page says of the commands in a group: what all experiments share, or each kind of plot."""
    if isinstance(page.command, Experiments):
        shared = Page(f"{page.words} TOOL", command(joined(page.command.frame)))
        yield from explained(shared)
        links = ", ".join(f"[`{name}`]({file_of(f'train {name}')})" for name in inside(page.command))
        yield f"Options of `palmette train` that say what to learn from, and how, are the same here: {links}."
    elif page.words != "train":
        for name in inside(page.command):
            yield text(Page(f"{page.words} {name}", member(page, name)), heading).rstrip()


def description(page: Page) -> Iterator[str]:
    """Return the help text of a command, with tables for what it lists."""
    found = page.command
    words = found.help_text() if getattr(found, "help_text", None) is not None else found.help or ""
    for block in re.split(r"\n\s*\n", inspect.cleandoc(words).replace("\b\n", "")):
        yield "\n\n".join(_block(block))


def _block(block: str) -> Iterator[str]:
    """A paragraph; or a line that ends with a colon, and the indented lines below it as a table."""
    held: list[str] = []
    listed: list[str] = []
    for line in [*block.split("\n"), ""]:
        if line.startswith("  ") or (line.startswith("- ") and held):
            listed.append(line)
            continue
        if listed:
            yield inline("\n".join(held), {})
            yield table_of(listed)
            held, listed = [], []
        if line:
            held.append(line)
    if held:
        yield inline("\n".join(held), {})


def table_of(lines: list[str]) -> str:
    """Return lines "name  meaning" or "name: meaning (takes, default x)" as a table; others as they are."""
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    rows: list[list[str]] = []
    for line in lines:
        if len(line) - len(line.lstrip()) > indent and rows:
            rows[-1][-1] += " " + line.strip()
            continue
        option = re.fullmatch(r"([\w-]+): (.*) \(([a-z].*), default (.*)\)", line.strip())
        pair = re.fullmatch(r"(\S.*?)(?:  +|: )(\S.*)", line.strip())
        if option:
            rows.append([f"`{option[1]}`", inline(option[2], {}), inline(option[3], {}), f"`{option[4]}`"])
        elif pair:
            rows.append([f"`{pair[1]}`", inline(pair[2], {})])
        else:
            return "```text\n" + "\n".join(line[indent:] for line in lines) + "\n```"
    if len({len(row) for row in rows}) != 1:
        return "```text\n" + "\n".join(line[indent:] for line in lines) + "\n```"
    heads = ["option", "what it does", "values", "default"] if len(rows[0]) == 4 else ["name", "what it is"]
    return table([heads, *rows])


def table(rows: list[list[str]]) -> str:
    """Return rows as a table; the first is its head."""
    escaped = [[re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in row] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in escaped]
    return "\n".join([lines[0], f"|{' --- |' * len(rows[0])}", *lines[1:]])


def parameters(page: Page) -> Iterator[str]:
    """Return a table of arguments and options: name, meaning, default."""
    context = _context(page.command, page.words)
    rows = []
    for one in page.command.get_params(context):
        record = one.get_help_record(context)
        if record is None or one.name in ("help", "help_learner"):
            continue
        name, words = record
        words, default = _split_default(words)
        rows.append([f"`{name}`", inline(words, {}), default])
    if rows:
        yield table([["option", "what it does", "default"], *rows])


def _split_default(words: str) -> tuple[str, str]:
    """The help of an option, and its default or "required"; other notes stay with the help."""
    found = re.search(r"\s*\[([^\[\]]*(?:\[[^\[\]]*\])?[^\[\]]*)\]$", words)
    default, kept = "", []
    while found:
        for note in found[1].split("; "):
            if note.startswith("default: "):
                value = note.removeprefix("default: ")
                default = value if " " in value and not value.startswith(("(", '"')) else f"`{value}`"
            elif note == "required":
                default = "required"
            else:
                kept.append(note)
        words = words[: found.start()]
        found = re.search(r"\s*\[([^\[\]]*(?:\[[^\[\]]*\])?[^\[\]]*)\]$", words)
    return words + (f" [{'; '.join(kept)}]" if kept else ""), default


def examples(page: Page) -> Iterator[str]:
    """Return the examples at the end of the help; remarks become comments, so lines can be copied."""
    lines = (page.command.epilog or "").replace("\b\n", "").split("\n")[1:]
    if lines:
        said = (re.sub(r"(?<=\S) {3,}(?=\S)", "    # ", line.strip()) for line in lines)
        yield "```sh\n" + "\n".join(said) + "\n```"


def learners() -> str:
    """Return a page with the options of every learner."""
    parts = [
        "# Options of learners",
        "Set them with `--set NAME=VALUE`, or as arguments in Python. A tool or a method may set other defaults.",
    ]
    for name, entry in LEARNERS.items():
        parts += [f"## {name}", inline(f"{entry.summary[0].upper()}{entry.summary[1:]}.", {})]
        rows = [
            [f"`{one.name}`", inline(one.help, {}), inline(one.takes, {}), f"`{shown(one.default)}`"]
            for one in learner_class(name).describe()
        ]
        parts.append(table([["option", "what it does", "values", "default"], *rows]))
    return "\n\n".join(parts) + "\n"


def options(words: str) -> str:
    """Return what a guide includes for a command: its help text and its options, without a heading."""
    name, _, tool = words.partition(" ")
    found = of_tool_named(name, tool) if tool else verb(name)
    page = Page(words, found)
    within = [re.sub(r"^#+ (.*)$", r"**\1**", part, flags=re.MULTILINE) for part in members(page)]
    within = [
        re.sub(r"\[(`[^`]+`)\]\([\w-]+\.md\)", r"\1", part) for part in within
    ]  # the links are of its own page
    return "\n\n".join([*explained(page), *within])
