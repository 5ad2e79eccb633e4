"""Values of options that are what they should be, without a library that converts them.

Newer versions of typer convert every value with pydantic, defaults too. Its import takes longer than tagging
and parsing a sentence, so it is left to values that need it: numbers and choices on the command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

_SLOT = "_runtime_param"  # where typer keeps what converts the values of a parameter, once it is made


class PlainValues:
    """What converts the values of one parameter: nothing as long as they are None, text, paths or defaults."""

    def __init__(self, parameter: Any) -> None:
        self.wanted = parameter.type_descriptor.annotation
        about = parameter.type_descriptor.parameter_info
        special = ("parser", "click_type", "exists", "writable", "resolve_path", "path_type")
        self.is_special = any(getattr(about, name, None) for name in special)

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value in the type of its parameter, as typer asks for it."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        if not several and not self.is_special and isinstance(self.wanted, type):
            if self.wanted is Path and isinstance(value, str):
                return Path(value)
            if isinstance(value, self.wanted):
                return value
        maker = import_module("typer._coercion")
        setattr(param, _SLOT, maker.build_runtime_param(param.type_descriptor))
        return getattr(param, _SLOT).coerce(value, param=param, ctx=ctx)


def with_plain_values(parameters: Sequence[Any]) -> Sequence[Any]:
    """Return the parameters of a command, which now take values that need no conversion as they are."""
    for parameter in parameters:
        if getattr(parameter, _SLOT, ...) is None:
            setattr(parameter, _SLOT, PlainValues(parameter))
    return parameters
