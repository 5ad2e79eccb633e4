"""The paths of correcting in the OpenAPI description."""

from __future__ import annotations

from typing import Any

_FILE = {"type": "integer", "minimum": 0, "description": "The number of the file in GET /v1/edit."}
_SENTENCE = {"type": "integer", "minimum": 1, "default": 1, "description": "Which sentence, from 1."}
_MUST = {
    "type": ["boolean", "null"],
    "description": "Whether the bracket or link must be there, or must not; null sets it free.",
}
_TEXT = {"type": ["string", "null"], "description": "The value to fix; null sets it free."}
_CORRECT: dict[str, Any] = {
    "token": {
        "type": "integer",
        "minimum": 1,
        "description": "Which word, from 1, has the values that follow.",
    },
    "head": {
        "type": ["integer", "null"],
        "minimum": 0,
        "description": "Its head, 0 for the root; null sets it free.",
    },
    **dict.fromkeys(("label", "upos", "xpos", "feats", "lemma", "deprel"), _TEXT),
    "bracket": {
        "type": "string",
        "pattern": r"^[^\s():]+:\d+-\d+$",
        "description": "LABEL:first-last, words from 1.",
    },
    "to": {"type": "string", "description": "Another label for the bracket."},
    "link": {
        "type": "string",
        "pattern": r"^\d{1,6}-\d{1,6}$",
        "description": "SOURCE-TARGET, words from 0.",
    },
    "must": _MUST,
    "accept": {"type": "boolean", "description": "Fix the whole sentence as it is."},
    "keep": {"type": "boolean", "description": "Leave all other values as they are."},
}
_SHOWN = {"sentence": {"type": "integer"}, "fixed": {"type": "object"}}
_CHANGED = {
    "type": "integer",
    "description": "How many words have other values now, beside those that were fixed or empty.",
}
_TRAINING = {"training": {"type": "object"}}

# By action: what it does, the fields of the request beside `file`, and those of the answer beside `about`.
_ACTIONS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "show": (
        "A sentence with its values, what is fixed, and probabilities.",
        {"sentence": _SENTENCE},
        _SHOWN,
    ),
    "correct": (
        "Fix or free values; the model finds the best output that agrees with all that is fixed.",
        {"sentence": _SENTENCE, **_CORRECT},
        {**_SHOWN, "changed": _CHANGED},
    ),
    "undo": ("Undo the last correction.", {}, _SHOWN),
    "redo": ("Do an undone correction again.", {}, _SHOWN),
    "save": ("Write the file in one step.", {}, {}),
    "order": (
        "How sure the model is of every sentence, from 0 to 1.",
        {},
        {
            "confidence": {"type": "array", "items": {"type": ["number", "null"]}},
            "complete": {"type": "boolean", "description": "Whether all are known; if not, ask again."},
        },
    ),
    "train": (
        "Begin to train again from the corrected sentences, in the background.",
        {"every": {"type": "boolean", "description": "Learn from all sentences of the file."}},
        _TRAINING,
    ),
    "training": ("How far the training is, with its learning curve.", {}, _TRAINING),
    "stop": ("Stop the training; what it learnt is lost.", {}, _TRAINING),
    "use": (
        "Serve the new model, or the first one again.",
        {"new": {"type": "boolean", "description": "The new one."}},
        _TRAINING,
    ),
}
_ERRORS = {
    "400": "The request is wrong, or the model has no output that agrees; the error says what.",
    "404": "There is no such file or sentence.",
    "409": "There is nothing to undo, to learn from or to use, a training is running, or another program "
    "changed the file.",
}


def edit_paths() -> dict[str, Any]:
    """The descriptions of all paths of correcting."""
    files = {"files": {"type": "array", "items": {"type": "object"}}}
    found: dict[str, Any] = {
        "/v1/edit": {
            "get": {
                "summary": "The files that may be corrected.",
                "operationId": "edit",
                "responses": {"200": _answer("The files.", files)},
            }
        }
    }
    for action, (summary, fields, shown) in _ACTIONS.items():
        error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
        schema = {"type": "object", "required": ["file"], "properties": {"file": _FILE, **fields}}
        found[f"/v1/edit/{action}"] = {
            "post": {
                "summary": summary,
                "operationId": f"edit-{action}",
                "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
                "responses": {
                    "200": _answer(summary, {"about": {"type": "object"}, **shown}),
                    **{status: {"description": text, "content": error} for status, text in _ERRORS.items()},
                },
            }
        }
    return found


def _answer(text: str, fields: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "required": list(fields), "properties": fields}
    return {"description": text, "content": {"application/json": {"schema": schema}}}
