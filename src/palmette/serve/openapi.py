"""The OpenAPI description, made from the models that are served and from the options of their commands."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from enum import Enum
from typing import Any, get_args, get_origin

from palmette.serve import options
from palmette.serve.asking import WORDS
from palmette.serve.limits import Limits
from palmette.serve.models import Models, Served
from palmette.trace.inputs import MOST_CHARACTERS
from palmette.trace.registry import ALGORITHMS

_ERRORS = {
    "400": "The request is wrong; the error says what.",
    "401": "A token is needed.",
    "403": "The request comes from a page of another site.",
    "404": "There is no such model.",
    "413": "The body is too large.",
    "415": "The Content-Type is not application/json.",
    "503": "Too many requests wait; Retry-After says when to come back.",
    "504": "The work took too long.",
}
_ABOUT = {
    "predict": "What a model says of new input: the objects of `palmette predict --jsonl`.",
    "kbest": "The k best outputs of every input.",
    "probabilities": "The probabilities of all labels, heads, brackets or classes.",
    "explain": "Why a model says what it says: the object of `palmette explain --json`.",
}
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}


def description(models: Models, limits: Limits, version: str) -> dict[str, Any]:
    """Return the description of all paths."""
    served = list(models)
    verbs = dict.fromkeys(["predict", "kbest", "probabilities", "explain"])
    aliases = dict.fromkeys(one.tool.name for one in served)
    paths: dict[str, Any] = {
        "/v1/models": {"get": _get("The models that are served, with what each may be asked.")},
        "/health": {"get": _get("Whether the server is ready.")},
        "/metrics": {"get": _get("Counts in the text format of Prometheus.", "text/plain")},
        "/openapi.json": {"get": _get("This description.")},
        "/v1/trace": {
            "get": _get("The algorithms that can be looked into, with the fields that they read."),
            "post": _trace(),
        },
    }
    for verb in verbs:
        names = {"explain": options.EXPLAIN, "probabilities": options.READ}.get(verb, options.PREDICT)
        command = "explain" if verb == "explain" else "predict"
        functions = [one.tool.command(command) for one in served]
        paths[f"/v1/{verb}"] = {"post": _post(_ABOUT[verb], _schema(functions, names, served, limits), verb)}
    for name in aliases:
        own = [one for one in served if one.tool.name == name]
        functions = [one.tool.command("predict") for one in own]
        about = f"The same as predict, for models of the tool {name}."
        paths[f"/v1/{name}"] = {"post": _post(about, _schema(functions, options.PREDICT, own, limits), name)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Palmette",
            "version": version,
            "description": "Structured prediction for language.",
        },
        "paths": paths,
        "components": {
            "schemas": {
                "Error": {
                    "type": "object",
                    "required": ["error"],
                    "properties": {"error": {"type": "string", "description": "One sentence."}},
                }
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _get(summary: str, kind: str = "application/json") -> dict[str, Any]:
    shape: dict[str, Any] = {"type": "object"} if kind == "application/json" else {"type": "string"}
    return {
        "summary": summary,
        "responses": {"200": {"description": summary, "content": {kind: {"schema": shape}}}},
    }


def _trace() -> dict[str, Any]:
    """The description of POST /v1/trace."""
    made = _post("An algorithm step by step: the object of `palmette trace --json`.", {}, "trace")
    names = dict.fromkeys(field.name for one in ALGORITHMS.values() for field in one.fields)
    schema = {
        "type": "object",
        "required": ["algorithm"],
        "properties": {
            "algorithm": {"type": "string", "enum": list(ALGORITHMS)},
            **{name: {"type": "string", "maxLength": MOST_CHARACTERS} for name in names},
        },
        "additionalProperties": False,
    }
    made["requestBody"]["content"]["application/json"]["schema"] = schema
    arrays = {name: {"type": "array", "items": {"type": "object"}} for name in ("figures", "steps")}
    texts = {name: {"type": "string"} for name in ("name", "title", "formula", "note")}
    result = {"type": "object", "properties": {**texts, **arrays, "result": {"type": "object"}}}
    result["required"] = list(result["properties"])
    made["responses"]["200"]["content"] = {"application/json": {"schema": result}}
    return made


def _post(summary: str, schema: dict[str, Any], name: str) -> dict[str, Any]:
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    result = {
        "type": "object",
        "required": ["model", "tool", "results" if name != "explain" else "explanation"],
        "properties": {
            "model": {"type": "string"},
            "tool": {"type": "string"},
            "results": {"type": "array", "items": {"type": "object"}},
            "explanation": {"type": "object"},
            "notes": {"type": "array", "items": {"type": "string"}},
        },
    }
    return {
        "summary": summary,
        "operationId": name,
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {
            "200": {
                "description": "The answer; with stream, one JSON object on each line.",
                "content": {
                    "application/json": {"schema": result},
                    "application/x-ndjson": {"schema": {"type": "object"}},
                },
            },
            **{status: {"description": text, "content": error} for status, text in _ERRORS.items()},
        },
    }


def _schema(
    functions: list[Any], names: frozenset[str], models: Sequence[Served], limits: Limits
) -> dict[str, Any]:
    token = {
        "type": "object",
        "properties": {
            name: {"type": "integer", "minimum": 0} if name == "head" else {"type": "string"}
            for name in ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "label")
        },
        "required": ["form"],
    }
    sentence = {
        "oneOf": [{"type": "string"}, {"type": "array", "items": {"oneOf": [{"type": "string"}, token]}}]
    }
    fields: dict[str, Any] = {
        "model": {
            "type": "string",
            "enum": [one.name for one in models],
            "description": "Default: the first.",
        },
        "text": {"type": "string", "description": "Running text, or a file of the named format."},
        "sentences": {
            "type": "array",
            "items": sentence,
            "description": "Sentences that are cut already. What a token says beside its form is kept.",
        },
        "pairs": {
            "type": "array",
            "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
            "description": "Sentences with their translations, for aligners.",
        },
        "words": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Words, for a thesaurus and for inference rules.",
        },
        "stream": {"type": "boolean", "description": "Answer with one JSON object on each line."},
    }
    if names is options.EXPLAIN:
        del fields["stream"]
        fields["sentence"] = {"type": "integer", "minimum": 1, "description": "Which sentence to explain."}
    for function in functions:
        if function is not None:
            for name, parameter in options.offered(function, names).items():
                if name != "words":
                    fields.setdefault(name, _option(name, parameter, limits))
    tools = {one.tool.name for one in models}
    unused = {"sentences": {"align", *WORDS}, "pairs": tools - {"align"}, "words": tools - set(WORDS)}
    for name, never in unused.items():
        if tools <= never:
            del fields[name]
    given = [{"required": [name]} for name in ("text", *unused) if name in fields]
    return {"type": "object", "properties": fields, "additionalProperties": False, "oneOf": given}


def _option(name: str, parameter: inspect.Parameter, limits: Limits) -> dict[str, Any]:
    kind, about = options.kind_of(parameter)
    shape: dict[str, Any] = {"description": getattr(about, "help", None) or name}
    if options.is_deprecated(parameter):
        shape["deprecated"] = True
    if inspect.isclass(kind) and issubclass(kind, Enum):
        return {"type": "string", "enum": [one.value for one in kind], **shape}
    if get_origin(kind) is list:
        return {"type": "array", "items": {"type": _TYPES.get(get_args(kind)[0], "string")}, **shape}
    shape = {"type": _TYPES.get(kind, "string"), **shape}
    for key, bound in (("minimum", getattr(about, "min", None)), ("maximum", getattr(about, "max", None))):
        if bound is not None:
            shape[key] = bound
    if kind is int and name == "kbest":
        shape |= {"minimum": 1, "maximum": limits.kbest}
    return shape
