"""The models of a combination: trained together or read from files, and kept in one file under their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeVar

from numpy.typing import NDArray

from palmette.formats.model import ModelFile, placed_under, taken_from
from palmette.learning.learner import Callback, Learner
from palmette.parameters import refuse_unknown
from palmette.tools.constituency.model import (
    METHODS,
    Arrays,
    ConstituencyModel,
    default_learner,
)
from palmette.trees.tree import Tree

COMBINED = "combined"
V = TypeVar("V")
OWNER = f"The method {COMBINED!r}"


class Member(NamedTuple):
    """A model, and the method that it is of."""

    method: str
    model: ConstituencyModel


def trained_members(
    trees: Sequence[Tree],
    own: Mapping[str, Any],
    rest: Mapping[str, Any],
    *,
    dev: Callable[[ConstituencyModel], float] | None,
    callback: Callback | None,
    n_jobs: int,
    seed: int,
    learner: Learner | None = None,
) -> tuple[tuple[Member, ...], tuple[str, ...]]:
    """The members that the options name, and notes on what was done differently in their training."""
    methods, files = (_listed(own.get(name, "")) for name in ("methods", "models"))
    if len(methods) + len(files) < 2:
        raise ValueError(
            "A combination needs two parsers at least: name methods (methods=lexicalized,latent) or model files "
            f"(models=a.palm,b.palm). Got {', '.join([*methods, *files]) or 'none'}."
        )
    given = member_options(rest, methods)
    members: list[Member] = [_loaded(path) for path in files]
    notes: list[str] = []
    for method in methods:
        _check(method)
        trained = METHODS.named(method).train_function(
            trees,
            options={**METHODS.named(method).preset, **given.get(method, {})},
            learner=learner
            if learner is not None and METHODS.named(method).learners
            else default_learner(method),
            dev=dev,
            callback=callback,
            n_jobs=n_jobs,
            seed=seed,
        )
        members.append(Member(method, trained.model))
        notes += [f"{method}: {note}" for note in trained.notes]
    return tuple(members), tuple(notes)


def member_options(options: Mapping[str, Any], methods: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the options of each method, out of those named METHOD.NAME; `max_words` is for all of them."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in options.items():
        if name == "max_words":
            for method in methods if value is not None else ():
                found.setdefault(method, {}).setdefault(name, value)
            continue
        method, dot, option = name.partition(".")
        if not dot or method not in methods:
            known = ["methods", "models", "weights", "offset", "max_words"]
            if get_close_matches(name, known, 1):
                refuse_unknown([name], known, OWNER)
            raise ValueError(
                f"{OWNER} has no option {name!r}: it has {', '.join(known)}, and METHOD.NAME for "
                f"the options of its methods ({', '.join(methods) or 'none'})."
            )
        found.setdefault(method, {})[option] = value
    return found


def joined_arrays(members: Sequence[Member]) -> Arrays:
    """Return the arrays of all models, each under its number."""
    return _joined(member.model.arrays() for member in members)


def joined_strings(members: Sequence[Member]) -> dict[str, Sequence[str]]:
    """Return the tables of all models, each under its number."""
    return _joined(member.model.strings() for member in members)


def _joined(contents: Iterable[Mapping[str, V]]) -> dict[str, V]:
    found: dict[str, V] = {}
    for i, content in enumerate(contents):
        found |= placed_under(f"{i}.", content)
    return found


def restored_members(
    arrays: Mapping[str, NDArray[Any]], strings: Mapping[str, Sequence[str]], members: Any
) -> tuple[Member, ...]:
    """The models of a file; ValueError if something does not fit."""
    if not isinstance(members, list) or not 1 <= len(members) <= 100:
        raise ValueError("its parsers are not listed")
    found = []
    for i, member in enumerate(members):
        method = member.get("method") if isinstance(member, dict) else None
        settings = member.get("settings") if isinstance(member, dict) else None
        if not isinstance(method, str) or not isinstance(settings, dict):
            raise ValueError(f"its parser {i + 1} has no method and settings")
        _check(method)
        model = METHODS.named(method).model_class.restore(
            taken_from(f"{i}.", arrays), taken_from(f"{i}.", strings), settings
        )
        found.append(Member(method, model))
    return tuple(found)


def _loaded(path: str) -> Member:
    from palmette.tools.constituency.parser_file import load_parser

    saved = load_parser(ModelFile.load(path))
    _check(saved.method)
    return Member(saved.method, saved.model)


def _check(method: str) -> None:
    """ValueError for a method that cannot be a member."""
    if method == COMBINED:
        raise ValueError("A combination of combinations: name their methods or models themselves.")
    if METHODS.named(method).gaps:
        fit = [name for name, other in METHODS.items() if not other.gaps and name != COMBINED]
        raise ValueError(f"The method {method!r} has no brackets without gaps: take {', '.join(fit)}.")


def _listed(names: Any) -> list[str]:
    parts = names.split(",") if isinstance(names, str) else [str(name) for name in names]
    return [part.strip() for part in parts if part.strip()]
