"""Pages of the Python interface: every public name with its signature and docstring, by package.

A package lists its names in `__all__`. A name that several packages offer is described on the page of the one with
the shortest path; the others link to it.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from docstrings import first_sentence, markdown

from palmette.exports import OFFERED

# Packages beside those that `palmette` offers, and what they need that may not be installed.
BESIDE = {
    "palmette.cluster": None,
    "palmette.trace": None,
    "palmette.neural": "torch",
    "palmette.compat.kenlm": None,
    "palmette.compat.sklearn_crfsuite": None,
    "palmette.compat.torchcrf": "torch",
}
SPECIAL = ("__call__", "__getitem__", "__iter__", "__len__", "__contains__")


class Package(NamedTuple):
    """A package or module, and what its page describes: names that are not on the page of another one."""

    name: str
    module: ModuleType
    names: list[str]

    @property
    def title(self) -> str:
        return self.name

    @property
    def page(self) -> str:
        return f"{self.name}.md"


def packages() -> list[Package]:
    """Return all packages with public names, `palmette` first."""
    wanted = [name for name, needs in BESIDE.items() if needs is None or find_spec(needs)]
    modules = [import_module(name) for name in [*_inside("palmette"), *wanted]]
    found = [Package(module.__name__, module, sorted(getattr(module, "__all__", ()))) for module in modules]
    return [package for package in found if package.names]


def _inside(package: str) -> Iterator[str]:
    import_module(package)
    yield package
    for inside in OFFERED.get(package, ({}, []))[1]:
        yield from _inside(f"{package}.{inside}")


class Reference:
    """The names of all packages: where each is described, and what the pages say."""

    def __init__(self) -> None:
        self.packages = packages()
        self.home: dict[int, str] = {}
        for package in sorted(self.packages, key=lambda one: one.name.count(".")):
            for name in package.names:
                self.home.setdefault(id(getattr(package.module, name)), f"{package.name}.{name}")

    @cached_property
    def links(self) -> dict[str, str]:
        """Full names of classes and functions by the names that docstrings use, where these are unambiguous."""
        found: dict[str, set[str]] = {}
        for full in self.home.values():
            found.setdefault(full.rpartition(".")[2], set()).add(full)
        return {name: full.pop() for name, full in found.items() if len(full) == 1 and len(name) > 3}

    def full(self, module: str, name: str) -> str:
        """Return the full name of a type that a module names."""
        value = getattr(sys.modules.get(module), name, None) or _imported(module).get(name)
        if value is None or id(value) in self.home:
            return self.home.get(id(value)) or self.links.get(name, name)
        if inspect.isclass(value):
            return f"{value.__module__}.{name}" if value.__module__.startswith("palmette") else name
        return inspect.formatannotation(value).replace("collections.abc.", "").replace("typing.", "")

    def write(self, folder: Path) -> list[str]:
        """Write a page for every package, and return the names of the files."""
        folder.mkdir(parents=True, exist_ok=True)
        for package in self.packages:
            (folder / package.page).write_text(self.text(package), encoding="utf-8")
        return [package.page for package in self.packages]

    def text(self, package: Package) -> str:
        """Return the page of a package."""
        parts = [f"# {package.title}", markdown(package.module.__doc__ or "", self.links)]
        values = [(name, getattr(package.module, name)) for name in package.names]
        rows = [
            f"| {{py:obj}}`{name} <{self.home[id(value)]}>` | {self._summary(value)} |"
            for name, value in values
        ]
        parts.append("\n".join(["| name | what it is |", "| --- | --- |", *rows]))
        for name, value in values:
            if self.home[id(value)] == f"{package.name}.{name}":
                parts.append("\n".join(self.entry(package.name, name, value)))
        return "\n\n".join(parts) + "\n"

    def _summary(self, value: Any) -> str:
        if _is_plain(value):
            return f"a constant: {_kind(value)}"
        return first_sentence(inspect.getdoc(value) or "", self.links).replace("|", "\\|")

    def entry(self, package: str, name: str, value: Any) -> Iterator[str]:
        """Return the description of a name: a directive of Sphinx's Python domain."""
        full = f"{package}.{name}"
        if inspect.isclass(value):
            kind = "exception" if issubclass(value, BaseException) else "class"
            yield f"``````{{py:{kind}}} {full}{signature(value, self.full)}"
            yield ""
            yield markdown(_own_doc(value), self.links)
            yield from self.members(value)
            yield "``````\n"
        elif _is_plain(value):
            yield f"``````{{py:data}} {full}\n\n{_shown(value)}\n``````\n"
        elif callable(value):
            yield f"``````{{py:function}} {full}{signature(value, self.full)}\n"
            yield markdown(inspect.getdoc(value) or "", self.links)
            yield "``````\n"
        else:
            yield f"``````{{py:data}} {full}\n"
            yield markdown(inspect.getdoc(value) or "", self.links)
            yield "``````\n"

    def members(self, kind: type) -> Iterator[str]:
        """Return the methods and properties of a class: its own, and those of base classes without an entry."""
        others: dict[str, list[str]] = {}
        for name, (owner, value) in _members(kind).items():
            if owner is not kind and id(owner) in self.home:
                others.setdefault(self.home[id(owner)], []).append(name)
                continue
            text = markdown(_doc_of(kind, name, value), self.links)
            if isinstance(value, property) or not callable(getattr(kind, name, None)):
                yield f"\n`````{{py:property}} {name}\n\n{text}\n`````"
            else:
                note = (
                    "   :classmethod:"
                    if isinstance(value, classmethod)
                    else "   :staticmethod:"
                    if isinstance(value, staticmethod)
                    else ""
                ).strip()
                yield f"\n`````{{py:method}} {name}{self._method(kind, name, value)}"
                yield f"{note}\n\n{text}\n`````" if note else f"\n{text}\n`````"
        for owner, names in others.items():
            listed = ", ".join(f"{{py:obj}}`{name} <{owner}.{name}>`" for name in names)
            yield f"\nAs in {{py:obj}}`{owner.rpartition('.')[2]} <{owner}>`: {listed}."

    def _method(self, kind: type, name: str, value: Any) -> str:
        """The parameters of a method, without the object itself."""
        shown = signature(getattr(kind, name), self.full)
        is_bound = isinstance(value, classmethod | staticmethod)
        return shown if is_bound else re.sub(r"^\(self(, /)?(, )?", "(", shown)


def _members(kind: type) -> dict[str, tuple[type, Any]]:
    """The public methods and properties of a class with the classes of ours that define them, in their order."""
    found: dict[str, tuple[type, Any]] = {}
    fields = {one.name for one in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    fields |= set(getattr(kind, "_fields", ()))
    for owner in kind.__mro__:
        if not owner.__module__.startswith("palmette"):
            continue
        for name, value in vars(owner).items():
            wanted = not name.startswith("_") or (name in SPECIAL and getattr(value, "__doc__", None))
            is_member = isinstance(value, property | classmethod | staticmethod) or callable(value)
            is_member = is_member or hasattr(value, "func") or inspect.isgetsetdescriptor(value)
            if wanted and is_member and name not in fields and not inspect.isclass(value):
                found.setdefault(name, (owner, value))
    return dict(sorted(found.items(), key=lambda item: item[0].startswith("_")))


def _own_doc(kind: type) -> str:
    """The docstring of a class, without those that Python writes itself."""
    text = inspect.cleandoc(kind.__doc__ or "")
    return "" if text.startswith(f"{kind.__name__}(") else text


def _doc_of(kind: type, name: str, value: Any) -> str:
    """The docstring of a member, or that of the method which it overrides."""
    if isinstance(value, property) or hasattr(value, "func"):
        return inspect.cleandoc(value.__doc__ or "")
    return inspect.getdoc(getattr(kind, name)) or ""


@cache
def _imported(module: str) -> dict[str, Any]:
    """The names that a module imports for type checkers only, too, with what they are."""
    found: dict[str, Any] = {}
    try:
        lines = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError, KeyError):
        return found
    for node in ast.walk(lines):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("palmette"):
            for one in node.names:
                try:
                    found[one.asname or one.name] = getattr(import_module(node.module), one.name)
                except (AttributeError, ImportError):
                    continue
    return found


def signature(value: Any, full: Callable[[str, str], str]) -> str:
    """Return the parameters of a callable as its source has them; empty if it has none to see.

    full: the full name of a type, from the module that names it and its short name
    """
    module = getattr(inspect.unwrap(value), "__module__", "") or ""

    def typed(annotation: Any) -> Any:
        if annotation is inspect.Parameter.empty:
            return annotation
        text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
        return _Plain(re.sub(r"(?<![\w.'])[A-Z]\w+\b", lambda name: full(module, name[0]), text.strip("'\"")))

    try:
        found = inspect.signature(value)
    except (ValueError, TypeError):
        return "()"
    parameters = [one.replace(annotation=typed(one.annotation)) for one in found.parameters.values()]
    returned = typed(found.return_annotation)
    if inspect.isclass(value):
        returned = inspect.Signature.empty
    shown = str(
        found.replace(parameters=[_with_short_default(one) for one in parameters], return_annotation=returned)
    )
    return re.sub(r" at 0x[0-9a-f]+", "", shown).replace("\n", " ")


class _Plain:
    """Something that a signature prints without quotes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _with_short_default(parameter: inspect.Parameter) -> inspect.Parameter:
    default = parameter.default
    if default is inspect.Parameter.empty:
        return parameter
    text = repr(default)
    if inspect.isclass(default) or inspect.isroutine(default):
        text = default.__qualname__
    if text.startswith("<") or len(text) > 60:
        text = "…"
    return parameter.replace(default=_Plain(text))


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float | tuple | list | dict | set | frozenset | Path | re.Pattern)


def _kind(value: Any) -> str:
    return {"str": "a text", "dict": "a table", "tuple": "a tuple", "list": "a list"}.get(
        type(value).__name__, f"`{type(value).__name__}`"
    )


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "A table with the keys " + ", ".join(f"`{key}`" for key in value) + "."
    text = repr(value)
    return f"`{text}`" if len(text) < 200 else ""
