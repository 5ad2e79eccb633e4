"""Traces of algorithms over HTTP: a list of them, and one over an input."""

from __future__ import annotations

from typing import Any

from palmette.serve.limits import RequestError
from palmette.trace.registry import ALGORITHMS, trace


def algorithms() -> list[dict[str, Any]]:
    """All algorithms with the fields that they read."""
    return [
        {"name": one.name, "title": one.title, "fields": [field.to_json() for field in one.fields]}
        for one in ALGORITHMS.values()
    ]


def traced(body: dict[str, Any]) -> dict[str, Any]:
    """The trace that a request asks for; RequestError if it does not say which."""
    fields = dict(body)
    name = fields.pop("algorithm", None)
    if not isinstance(name, str) or name not in ALGORITHMS:
        raise RequestError(400, f"algorithm must be one of {', '.join(ALGORITHMS)}")
    return trace(name, **fields).to_json()
