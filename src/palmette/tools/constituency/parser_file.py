"""Constituency parsers in model files.

options   method; settings of the model; options; spelling; the record of the training
strings   the tables of the model, under the names model.…
arrays    those of the model, under the names model.…
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from palmette.formats.functions import PENN, Functions
from palmette.formats.model import ModelFile, placed_under, taken_from
from palmette.tools.constituency.model import METHODS, ConstituencyModel
from palmette.tools.constituency.spelling import Spelling

KIND = "constituency parser"
_BEFORE = "model."


@dataclass(frozen=True, eq=False)
class SavedParser:
    """What a file keeps of a parser."""

    model: ConstituencyModel
    method: str
    options: Mapping[str, Any]
    functions: Functions
    keep_functions: bool
    spelling: Spelling
    training: Mapping[str, Any]


def parser_file(saved: SavedParser, *, fingerprint: str = "") -> ModelFile:
    """The content of a model file."""
    return ModelFile(
        KIND,
        {
            "method": saved.method,
            "settings": saved.model.settings(),
            "options": dict(saved.options),
            "functions": saved.keep_functions,
            "labels": asdict(saved.functions),
            "spelling": asdict(saved.spelling),
            "training": dict(saved.training),
        },
        placed_under(_BEFORE, saved.model.arrays()),
        placed_under(_BEFORE, saved.model.strings()),
        fingerprint,
    )


def load_parser(file: ModelFile) -> SavedParser:
    """The parser of a file; FormatError if it is damaged, or holds none."""
    file.require_kind(KIND)
    method, settings, options, functions, training = (
        file.options.get(name) for name in ("method", "settings", "options", "functions", "training")
    )
    spelling = file.options.get("spelling")
    if not isinstance(method, str) or method not in METHODS:
        raise file.damaged(f"{method!r} is not a method of parsing")
    if not isinstance(settings, dict) or not isinstance(options, dict) or not isinstance(training, dict):
        raise file.damaged("its settings are not there")
    if not isinstance(spelling, dict):
        raise file.damaged("its spelling is not there")
    with file.restoring():
        model = METHODS[method].model_class.restore(
            taken_from(_BEFORE, file.arrays), taken_from(_BEFORE, file.strings), settings
        )
    spelt = Spelling(spelling.get("brackets") is True, spelling.get("quotes") is True)
    labels = _labels(file)
    return SavedParser(model, method, options, labels, functions is True, spelt, training)


def _labels(file: ModelFile) -> Functions:
    """How labels of the training treebank held functions; Penn's way in a file that does not say."""
    saved = file.options.get("labels", asdict(PENN))
    match saved:
        case {"separators": str(separators), "first": bool(first), "tags": bool(tags)}:
            return Functions(separators, first, tags)
    raise file.damaged("how its labels hold functions is not there")
