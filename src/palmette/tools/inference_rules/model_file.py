"""Inference rules in model files.

options   options: see `RuleOptions`; training
strings   paths, wordings, words; readings: those of a path, separated by tabs;
          opposites: two words and what tells, separated by tabs
arrays    instances: path, word of X, word of Y, count; starts, columns, values: the table of slots and words
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from palmette.formats.model import ModelFile
from palmette.tools.inference_rules.model import RuleModel
from palmette.tools.inference_rules.options import RuleOptions

KIND = "inference rules"


def rules_file(model: RuleModel, training: Mapping[str, Any], fingerprint: str) -> ModelFile:
    """Return the content of a model file."""
    opposites = sorted("\t".join([*sorted(pair), teller]) for pair, teller in model.opposites.items())
    strings = {
        "paths": list(model.paths),
        "wordings": list(model.wordings),
        "readings": ["\t".join(more) for more in model.readings],
        "words": list(model.words),
        "opposites": opposites,
    }
    arrays = {
        "instances": model.instances.astype("<i4"),
        "starts": model.starts.astype("<i8"),
        "columns": model.columns.astype("<i4"),
        "values": model.values.astype("<f4"),
    }
    options: dict[str, Any] = {"options": model.options.to_dict(), "training": dict(training)}
    return ModelFile(KIND, options, arrays, strings, fingerprint)


def load_rules(file: ModelFile) -> tuple[RuleModel, dict[str, Any]]:
    """Return the model of a file, and what it says of its training; FormatError if it is damaged."""
    file.require_kind(KIND)
    given, training = file.options.get("options"), file.options.get("training")
    if not isinstance(given, dict) or not isinstance(training, dict):
        raise file.damaged("it has no options, or nothing is known of its training")
    paths, wordings, words = (list(file.table(name)) for name in ("paths", "wordings", "words"))
    readings = [[text for text in line.split("\t") if text] for line in file.table("readings")]
    if len(wordings) != len(paths) or len(readings) != len(paths):
        raise file.damaged("not every path has a wording")
    instances = file.array("instances", "<i4", [None, 4])
    limits = np.array([[len(paths), len(words), len(words), 1 << 31]])
    if len(instances) and not ((instances >= 0) & (instances < limits)).all():
        raise file.damaged("an instance has a path or a word that is not there")
    if (np.diff(instances[:, 0]) < 0).any():
        raise file.damaged("its instances are not sorted")
    starts = file.array("starts", "<i8", [2 * len(paths) + 1])
    columns = file.array("columns", "<i4", [None])
    values = file.array("values", "<f4", [len(columns)])
    with file.restoring():
        opposites = {}
        for line in file.table("opposites"):
            one, two, teller = line.split("\t")
            opposites[frozenset((one, two))] = teller
        options = RuleOptions.of(given, "Inference rules")
        model = RuleModel(
            paths, wordings, readings, words, instances, starts, columns, values, opposites, options
        )
        _ = model.index  # the native index checks the table
    return model, training
