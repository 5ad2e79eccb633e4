"""Options as data: a frozen dataclass whose fields carry their default, their bounds and a line of help.

    @dataclass(frozen=True, kw_only=True)
    class SearchOptions(Options):
        beam: int = option(8, "width of the beam", low=1)
        labels: str = option("after", "when relations are chosen", choices=("after", "jointly"), fixed=True)

One table serves everyone: the constructor checks it, `--help` prints it, `--set` is read by it, scikit-learn gets
and sets it, a model file keeps it.

>>> @dataclass(frozen=True, kw_only=True)
... class SearchOptions(Options):
...     beam: int = option(8, "width of the beam", low=1)
>>> SearchOptions(beam=0)
Traceback (most recent call last):
palmette.errors.UsageError: The 'beam' parameter must be an int in the range [1, inf). Got 0 instead.
>>> SearchOptions.of({"beem": 2}, "The method 'graph'")
Traceback (most recent call last):
palmette.errors.UsageError: The method 'graph' has no option 'beem': did you mean 'beam'?
>>> print(*SearchOptions.help_lines())
beam: width of the beam (int >= 1, default 8)
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Any, NamedTuple, Self, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from palmette.errors import UsageError

_NOUNS = {int: "an int", float: "a number", bool: "True or False", str: "a string", Sequence: "a list"}


@dataclass(frozen=True)
class Rule:
    """What a value must be beside its type, and a line of help.

    low, high: inclusive bounds; above, below: exclusive ones. choices: the only values. fixed: whether the option
    belongs to training, and cannot change for a trained model. checked_by: a function of the value and the name
    that raises ValueError for a wrong value, in place of the type and the bounds.
    """

    help: str
    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None
    choices: tuple[str, ...] = ()
    fixed: bool = False
    checked_by: Callable[[object, str], object] | None = None

    @property
    def interval(self) -> str:
        """The bounds in mathematical notation, or an empty string."""
        if self.low is None and self.above is None and self.high is None and self.below is None:
            return ""
        left = (
            f"[{_number(self.low)}"
            if self.low is not None
            else f"({_number(self.above)}"
            if self.above is not None
            else "(-inf"
        )
        right = (
            f"{_number(self.high)}]"
            if self.high is not None
            else f"{_number(self.below)})"
            if self.below is not None
            else "inf)"
        )
        return f"{left}, {right}"

    def holds(self, value: float) -> bool:
        """Whether a number lies within the bounds."""
        return (
            (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )


class Described(NamedTuple):
    """One option for a help text: its name, what it takes, its default and its meaning."""

    name: str
    takes: str
    default: object
    help: str
    fixed: bool


def option(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: Iterable[str] = (),
    fixed: bool = False,
    checked_by: Callable[[object, str], object] | None = None,
) -> Any:
    """Return a dataclass field with a default, a line of help, and the values it takes (see `Rule`)."""
    rule = Rule(help, low, high, above, below, tuple(choices), fixed, checked_by)
    return dataclasses.field(default=default, metadata={"option": rule})


OtherOptions = TypeVar("OtherOptions", bound="Options")


class Options:
    """The base of option tables: a frozen dataclass whose fields are made by `option`."""

    def __post_init__(self) -> None:
        self.check_each()
        self.check()

    def check_each(self) -> None:
        """Check every option by its type and its rule; ValueError with a sentence."""
        for name, (types, rule) in rules(type(self)).items():
            check_value(name, getattr(self, name), types, rule)

    def check(self) -> None:
        """Check what concerns several options; ValueError with a sentence."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the options by name, as scikit-learn asks for them."""
        return {one.name: getattr(self, one.name) for one in dataclasses.fields(cast(Any, self))}

    def set_params(self, **params: Any) -> Self:
        """Change options in place, as scikit-learn does, and check them."""
        refuse_unknown(params, self.get_params(), type(self).__name__, "parameter")
        before = self.get_params()
        try:
            for name, value in params.items():
                object.__setattr__(self, name, value)
            self.__post_init__()
        except ValueError:
            for name, value in before.items():
                object.__setattr__(self, name, value)
            raise
        return self

    @classmethod
    def of(cls, values: Mapping[str, Any], owner: str) -> Self:
        """Return the options of a mapping; ValueError for an unknown one. `owner` begins the sentence."""
        refuse_unknown(values, cls.names(), owner)
        return cls(**values)

    def changed(self, values: Mapping[str, Any], owner: str) -> Self:
        """Return these options with others changed; ValueError for those that training has fixed."""
        refuse_unknown(values, self.names(), owner)
        free = [name for name in self.names() if not self._fixed(name)]
        for name in values:
            if self._fixed(name):
                raise UsageError(
                    f"{owner} cannot change the option {name!r} after training: it can change {', '.join(free)}."
                )
        return cast(Self, dataclasses.replace(cast(Any, self), **values))

    def part(self, table: type[OtherOptions]) -> OtherOptions:
        """Return the options of another table that these have, too."""
        return table(**{name: getattr(self, name) for name in table.names() if hasattr(self, name)})

    def to_dict(self) -> dict[str, Any]:
        """Return the options by name, as JSON has them."""
        return self.get_params()

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of all options, in their order."""
        return [one.name for one in dataclasses.fields(cast(Any, cls))]

    @classmethod
    def describe(cls) -> list[Described]:
        """Return a description of each option, for help texts."""
        found = rules(cls)
        defaults = {one.name: one.default for one in dataclasses.fields(cast(Any, cls))}
        return [
            Described(name, _takes(types, rule), defaults[name], rule.help, rule.fixed)
            for name, (types, rule) in found.items()
        ]

    @classmethod
    def help_lines(cls, preset: Mapping[str, Any] | None = None) -> list[str]:
        """Return a line of help for each option. preset: other defaults."""
        return [
            f"{one.name}: {one.help} ({one.takes}, default {shown((preset or {}).get(one.name, one.default))})"
            for one in cls.describe()
        ]

    @classmethod
    def _fixed(cls, name: str) -> bool:
        return rules(cls)[name][1].fixed


_RULES: dict[type, dict[str, tuple[tuple[type, ...], Rule]]] = {}


def rules(table: type) -> dict[str, tuple[tuple[type, ...], Rule]]:
    """Return the types and the rule of every field of a table; a field without `option` has an empty rule."""
    if table in _RULES:
        return _RULES[table]
    hints = get_type_hints(table)
    found = {}
    for one in dataclasses.fields(table):
        hint = hints[one.name]
        types = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        found[one.name] = (
            tuple(get_origin(kind) or kind for kind in types),
            one.metadata.get("option", Rule("")),
        )
    _RULES[table] = found
    return found


def check_value(name: str, value: object, types: tuple[type, ...], rule: Rule) -> None:
    """Raise ValueError unless a value has one of the types and obeys the rule."""
    if rule.checked_by is not None:
        rule.checked_by(value, name)
        return
    if value is None and NoneType in types:
        return
    if rule.choices:
        if value not in rule.choices:
            raise UsageError(_wanted(name, f"one of {', '.join(map(repr, rule.choices))}", value))
        return
    for kind in types:
        if kind in _NOUNS and _is(value, kind):
            if kind in (int, float) and not rule.holds(cast(float, value)):
                break
            return
    if any(kind in _NOUNS for kind in types):
        raise UsageError(_wanted(name, _noun(types, rule), value))


def require_int(name: str, value: object, least: int) -> None:
    """Raise ValueError unless a parameter is a whole number of at least `least`."""
    check_value(name, value, (int,), Rule("", low=least))


def require_number(name: str, value: object, least: float, *, strict: bool = False) -> None:
    """Raise ValueError unless a parameter is a finite number of at least `least`; strict: above it."""
    check_value(name, value, (float,), Rule("", above=least) if strict else Rule("", low=least))


def require_bool(name: str, value: object) -> None:
    """Raise ValueError unless a parameter is true or false."""
    check_value(name, value, (bool,), Rule(""))


def require_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise ValueError unless a parameter is one of the words."""
    check_value(name, value, (str,), Rule("", choices=choices))


def refuse_unknown(values: Iterable[str], known: Iterable[str], owner: str, noun: str = "option") -> None:
    """Raise ValueError for a name that is not known, with the nearest one or all of them."""
    names = list(known)
    for name in values:
        if name not in names:
            close = get_close_matches(name, names, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(names) or 'none'}."
            raise UsageError(f"{owner} has no {noun} {name!r}: {hint}")


def shown(value: object) -> str:
    """Return a value as `--set` takes it."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if value == "":
        return "empty"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is(value: object, kind: type) -> bool:
    if isinstance(value, bool | np.bool_):
        return kind is bool
    if kind is int:
        return isinstance(value, int | np.integer)
    if kind is float:
        if isinstance(value, np.number):
            return bool(np.isfinite(value))
        # An int may be beyond a double.
        return isinstance(value, int | float) and -sys.float_info.max <= value <= sys.float_info.max
    return isinstance(value, kind)


def _noun(types: tuple[type, ...], rule: Rule) -> str:
    nouns = [
        _NOUNS[kind] + (f" in the range {rule.interval}" if kind in (int, float) and rule.interval else "")
        for kind in types
        if kind in _NOUNS
    ]
    return " or ".join(nouns + (["None"] if NoneType in types else []))


def _takes(types: tuple[type, ...], rule: Rule) -> str:
    if rule.choices:
        names = ", ".join(rule.choices)
        return names + (", none" if NoneType in types else "")
    words = []
    for kind in types:
        if kind in (int, float):
            words.append(("int" if kind is int else "number") + _bounds(rule))
        elif kind is bool:
            words.append("true or false")
        elif kind is str:
            words.append("string")
        elif kind is Sequence:
            words.append("list")
    return " or ".join(words + (["none"] if NoneType in types else []))


def _bounds(rule: Rule) -> str:
    if rule.interval.endswith("inf)") and not rule.interval.startswith("(-inf"):
        return f" >= {_number(rule.low)}" if rule.low is not None else f" > {_number(rule.above or 0)}"
    return f" in {rule.interval}" if rule.interval else ""


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:g}"


def _wanted(name: str, what: str, value: object) -> str:
    return f"The {name!r} parameter must be {what}. Got {value!r:.60} instead."
