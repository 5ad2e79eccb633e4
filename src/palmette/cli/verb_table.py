"""Which tool has which verb: the tables of docs/python.md, made from the classes.

python -m palmette.cli.verb_table docs/python.md
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Collection
from importlib import import_module
from pathlib import Path

from palmette.tools.registry import tools

# What every tool may be asked, and what a user may say with it.
VERBS = "fit predict predict_proba marginals kbest explain evaluate score save load".split()
ARGUMENTS = "dev sample_weight callback known forbidden minimum_risk compact n_jobs random_state".split()


def tool_classes() -> list[type]:
    """Return the classes of all tools, in the order of the registry."""
    paths = (tool.loads.partition(":") for tool in tools() if tool.loads)
    return [getattr(import_module(module), name) for module, _, name in paths]


def place_of(argument: str, tool: type) -> str:
    """Say where a tool takes an argument: in its constructor, in verbs, in its learner, or nowhere.

    >>> from palmette.tools.sequence.tagger import Tagger
    >>> [place_of(name, Tagger) for name in ("n_jobs", "known", "random_state", "forbidden")]
    ['constructor', '`predict`, `predict_proba`, `kbest`', 'learner', '–']
    """
    if argument in _arguments(tool):
        return "constructor"
    verbs = [verb for verb in VERBS if argument in _arguments(getattr(tool, verb, None))]
    if verbs:
        return ", ".join(f"`{verb}`" for verb in verbs)
    learner = tool().default_learner() if "learner" in _arguments(tool) else None
    return "learner" if hasattr(learner, argument) else "–"


def cell(verb: str, tool: type) -> str:
    """Say whether a tool has a verb."""
    return "✓" if hasattr(tool, verb) else "–"


def tables() -> str:
    """Return the two tables: tools with their verbs, and arguments with the verbs that take them."""
    classes = tool_classes()
    verbs = [["tool", *(f"`{verb}`" for verb in VERBS)], ["---"] * (len(VERBS) + 1)]
    verbs += [[f"`{tool.__name__}`", *(cell(verb, tool) for verb in VERBS)] for tool in classes]
    taken = [["tool", *(f"`{name}`" for name in ARGUMENTS)], ["---"] * (len(ARGUMENTS) + 1)]
    taken += [[f"`{tool.__name__}`", *(place_of(name, tool) for name in ARGUMENTS)] for tool in classes]
    return f"{_lines(verbs)}\n\nWhere an argument goes:\n\n{_lines(taken)}\n"


def with_tables(page: str) -> str:
    """Return the text of docs/python.md with the tables of today between its marks."""
    return re.sub(
        r"(<!-- verbs -->\n).*?(<!-- end -->)",
        lambda marks: marks[1] + tables() + marks[2],
        page,
        flags=re.DOTALL,
    )


def _arguments(call: object) -> Collection[str]:
    return inspect.signature(call).parameters if callable(call) else ()


def _lines(rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
