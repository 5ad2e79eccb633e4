"""Strict JSON: one meaning per text, nothing that another reader would refuse, bounded depth.

Python's parser takes duplicate keys (the last wins), NaN, 1e999 and lone surrogates; a file from
elsewhere may hold any of them, so they are refused here, in time linear in the text.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn, TypeAlias

Json: TypeAlias = Any  # None, bool, int, float, str, list of Json, dict of str to Json

MAX_DEPTH = 32

_SHOWN = 60  # characters of a string that a message repeats


def parse_json(text: str) -> Json:
    """The value of a JSON text; ValueError says what is wrong with it.

    >>> parse_json('{"l2": 1.0, "l2": 2.0}')
    Traceback (most recent call last):
    ...
    ValueError: key 'l2' appears twice in one object
    """
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from error
    check_json(value)
    return value


def dump_json(value: Json) -> str:
    """The canonical text: sorted keys, no spaces; ValueError if the value would not come back the same.

    >>> dump_json({"order": 2, "l2": 0.5})
    '{"l2":0.5,"order":2}'
    """
    check_json(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def check_json(value: Json, where: str = "", depth: int = 0) -> None:
    """Raise ValueError unless the value is made of what JSON has, and so survives being written and read."""
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise ValueError(
                    f"{where or 'an object'} has a key of type {type(key).__name__}, not a string"
                )
            _check_text(key)
            check_json(item, f"{where}.{key}"[-_SHOWN:] if where else key[:_SHOWN], depth + 1)
    elif isinstance(value, list):
        for item in value:
            check_json(item, where, depth + 1)
    elif isinstance(value, str):
        _check_text(value)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{where or 'a number'} is {value}, which JSON cannot hold")
    elif value is not None and not isinstance(value, int):
        raise ValueError(
            f"{where or 'a value'} is of type {type(value).__name__}; JSON has only null, booleans, "
            "numbers, strings, lists and objects"
        )


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"the string {text[:_SHOWN]!r} is not valid Unicode") from error


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    result: dict[str, Json] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"key {key[:_SHOWN]!r} appears twice in one object")
        result[key] = value
    return result


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
