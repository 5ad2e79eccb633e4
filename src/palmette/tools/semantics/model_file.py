"""Semantic parsers in model files.

options   language; options; triggers, learned: names of predicates by words; functors: types by the names of
terms;
          columns: the name of each table and those of its columns; training
strings   facts: a JSON list each, of the table and the cells; features: the names of the weights; words: those of
          the training questions
arrays    weights
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from palmette.formats.model import ModelFile
from palmette.formats.model.strict_json import dump_json, parse_json
from palmette.tools.semantics.database import Database
from palmette.tools.semantics.model import SemanticModel
from palmette.tools.semantics.options import SemanticOptions

KIND = "semantic parser"


def semantic_file(model: SemanticModel, training: Mapping[str, Any], fingerprint: str) -> ModelFile:
    """Return the content of a model file."""
    facts = [
        dump_json([table.name, *(list(cell) for cell in row)])
        for table in model.database.tables.values()
        for row in table.rows
    ]
    names = sorted(model.weights)
    options: dict[str, Any] = {
        "language": model.language,
        "options": {**model.options.to_dict(), "ties": model.denotations.ties},
        "triggers": {words: list(own) for words, own in model.lexicon.triggers.items()},
        "learned": {word: list(own) for word, own in model.lexicon.learned.items()},
        "functors": {name: list(types) for name, types in model.functors.items()},
        "columns": [[table.name, *table.columns] for table in model.database.tables.values()],
        "training": dict(training),
    }
    weights = np.array([model.weights[name] for name in names], dtype="<f4")
    strings = {"facts": facts, "features": names, "words": sorted(model.seen)}
    return ModelFile(KIND, options, {"weights": weights}, strings, fingerprint)


def load_semantic(file: ModelFile) -> tuple[SemanticModel, dict[str, Any]]:
    """Return the model of a file, and what it says of its training; FormatError if it is damaged."""
    file.require_kind(KIND)
    given = file.options
    names = file.table("features")
    weights = file.array("weights", "<f4", [len(names)])
    if not np.isfinite(weights).all():
        raise file.damaged("a weight is not a finite number")
    columns, training = given.get("columns"), given.get("training")
    if not isinstance(columns, list) or not isinstance(training, dict):
        raise file.damaged("its tables have no columns, or nothing is known of its training")
    with file.restoring():
        tables = {own[0]: own[1:] for own in map(_strings, columns) if own}
        rows: dict[str, list[list[Any]]] = {name: [] for name in tables}
        for text in file.table("facts"):
            fact = parse_json(text)
            if not isinstance(fact, list) or not fact or fact[0] not in rows:
                raise ValueError("a fact is not of one of its tables")
            rows[fact[0]].append(fact[1:])
        database = Database.of(rows, tables)
        options = SemanticOptions.of(_object(given.get("options")), "A semantic parser")
        model = SemanticModel(database, str(given.get("language")), _lists(given.get("triggers")), options)
        for word, own in _lists(given.get("learned")).items():
            for name in own:
                model.lexicon.learn(word, name)
        model.functors = {name: tuple(types) for name, types in _lists(given.get("functors")).items()}
        model.seen = frozenset(file.table("words"))
        model.weights = dict(zip(names, weights.astype(float).tolist()))
    return model, training


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("its options are not an object")
    return value


def _lists(value: Any) -> dict[str, list[str]]:
    return {key: _strings(own) for key, own in _object(value).items()}


def _strings(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError("expected a list of strings")
    return value
