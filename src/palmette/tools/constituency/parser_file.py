"""Constituency parsers in model files.

options   method; settings of the model; options; spelling; of the training what there is to know
strings   the tables of the model, under the names model.…
arrays    those of the model, under the names model.…
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from palmette.errors import FormatError
from palmette.formats.model import ModelFile, with_article
from palmette.tools.constituency.model import METHODS, ConstituencyModel, model_class
from palmette.tools.constituency.spelling import Spelling

KIND = "constituency parser"
_BEFORE = "model."


@dataclass(frozen=True, eq=False)
class SavedParser:
    """What a file keeps of a parser."""

    model: ConstituencyModel
    method: str
    options: Mapping[str, Any]
    functions: bool
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
            "functions": saved.functions,
            "spelling": asdict(saved.spelling),
            "training": dict(saved.training),
        },
        {f"{_BEFORE}{name}": array for name, array in saved.model.arrays().items()},
        {f"{_BEFORE}{name}": table for name, table in saved.model.strings().items()},
        fingerprint,
    )


def load_parser(file: ModelFile) -> SavedParser:
    """The parser of a file; FormatError if it is damaged, or holds none."""
    if file.kind != KIND:
        raise FormatError(f"holds {with_article(file.kind)}, not {with_article(KIND)}", path=file.path)
    method, settings, options, functions, training = (
        file.options.get(name) for name in ("method", "settings", "options", "functions", "training")
    )
    spelling = file.options.get("spelling")
    if not isinstance(method, str) or method not in METHODS:
        raise _damaged(file, f"{method!r} is no method of parsing")
    if not isinstance(settings, dict) or not isinstance(options, dict) or not isinstance(training, dict):
        raise _damaged(file, "its settings are not there")
    if not isinstance(spelling, dict):
        raise _damaged(file, "its spelling is not there")
    try:
        model = model_class(method).restore(_own(file.arrays), _own(file.strings), settings)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise _damaged(file, _sentence(error)) from error
    except (MemoryError, OverflowError):
        raise _damaged(file, "its tables are larger than the memory") from None
    spelt = Spelling(spelling.get("brackets") is True, spelling.get("quotes") is True)
    return SavedParser(model, method, options, functions is True, spelt, training)


def _own(content: Mapping[str, Any]) -> dict[str, Any]:
    """What stands under the names of the model."""
    return {name.removeprefix(_BEFORE): value for name, value in content.items() if name.startswith(_BEFORE)}


def _sentence(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def _damaged(file: ModelFile, what: str) -> FormatError:
    return FormatError(f"damaged model: {what}", path=file.path)
