"""Dependency parsers in model files.

options    method, columns; settings of the model; of the training what there is to know
relations  a table of strings
arrays     those of the model, under the names model.…

With taggers the file is a pipeline: the taggers are parts under the names of their columns, and "parser" is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palmette.errors import FormatError
from palmette.formats.model import ModelFile, with_article
from palmette.tools.dependency.model import METHODS, TreeModel, model_class
from palmette.tools.dependency.tags import SEEN, TAGGED
from palmette.tools.pipeline_file import PIPELINE, join_models, parts_of
from palmette.tools.sequence.tagger import Tagger

KIND = "dependency parser"
_PART = "parser"
_BEFORE = "model."


@dataclass(frozen=True, eq=False)
class SavedParser:
    """What a file keeps of a parser: the model, the method it is of, the columns it looks at, and taggers for
    these.
    """

    model: TreeModel
    method: str
    columns: tuple[str, ...]
    taggers: Mapping[str, Tagger]
    options: Mapping[str, Any]
    training: Mapping[str, Any]


def parser_file(
    saved: SavedParser, *, compact: bool = False, names: bool | None = None, fingerprint: str = ""
) -> ModelFile:
    """The content of a model file; compact: as small as does no great harm; names: of the taggers' features."""
    arrays = saved.model.arrays(compact=compact)
    parser = ModelFile(
        KIND,
        {
            "method": saved.method,
            "columns": list(saved.columns),
            "settings": saved.model.settings(),
            "options": dict(saved.options),
            "training": dict(saved.training),
        },
        {f"{_BEFORE}{name}": array for name, array in arrays.items()},
        {"relations": saved.model.labels},
        fingerprint,
    )
    if not saved.taggers:
        return parser
    parts = {
        name: tagger.to_model(compact=compact, names=names, fingerprint=fingerprint)
        for name, tagger in saved.taggers.items()
    }
    about = {"training": dict(saved.training)}
    return join_models({**parts, _PART: parser}, options=about, fingerprint=fingerprint)


def load_parser(file: ModelFile) -> SavedParser:
    """The parser of a file; FormatError if it is damaged, or holds none."""
    if file.kind == KIND:
        return _parser(file, {})
    if file.kind != PIPELINE:
        raise FormatError(f"holds {with_article(file.kind)}, not {with_article(KIND)}", path=file.path)
    parts = parts_of(file)
    found = [part for part in parts.values() if part.kind == KIND]
    if len(found) != 1:
        raise FormatError("a pipeline without a dependency parser", path=file.path)
    taggers = {
        name: Tagger.from_model(part)
        for name, part in parts.items()
        if part.kind == Tagger.kind and name in TAGGED
    }
    return _parser(found[0], taggers)


def _parser(file: ModelFile, taggers: Mapping[str, Tagger]) -> SavedParser:
    method, columns, settings, options, training = (
        file.options.get(name) for name in ("method", "columns", "settings", "options", "training")
    )
    labels = tuple(file.table("relations"))
    if not labels or len(set(labels)) != len(labels):
        raise _damaged(file, "its relations are missing, or one comes twice")
    if not isinstance(method, str) or method not in METHODS:
        raise _damaged(file, f"{method!r} is no method of parsing")
    if not isinstance(columns, list) or any(name not in SEEN for name in columns):
        raise _damaged(file, "the columns it looks at are not such")
    if not isinstance(settings, dict) or not isinstance(options, dict) or not isinstance(training, dict):
        raise _damaged(file, "its settings are not there")
    arrays = {
        name.removeprefix(_BEFORE): array for name, array in file.arrays.items() if name.startswith(_BEFORE)
    }
    try:
        model = model_class(method).restore(labels, arrays, settings)
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(file, str(error)) from error
    except MemoryError:
        raise _damaged(file, "its tables are larger than the memory") from None
    return SavedParser(model, method, tuple(map(str, columns)), taggers, options, training)


def _damaged(file: ModelFile, what: str) -> FormatError:
    return FormatError(f"damaged model: {what}", path=file.path)
