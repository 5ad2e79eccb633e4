"""Dependency parsers in model files.

options    method, columns; settings of the model; the record of the training
relations  a table of strings
arrays     those of the model, under the names model.…

With taggers the file is a pipeline: the taggers are parts under the names of their columns, and "parser" is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from palmette.errors import FormatError
from palmette.formats.model import ModelFile, placed_under, taken_from
from palmette.tools.dependency.model import METHODS, SCORERS, TreeModel
from palmette.tools.dependency.tags import SEEN, TAGGED
from palmette.tools.pipeline_file import PIPELINE, TEXT_PIPELINE, join_models, parts_of

if TYPE_CHECKING:
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
    parser = ModelFile(
        KIND,
        {
            "method": saved.method,
            "columns": list(saved.columns),
            "settings": saved.model.settings(),
            "options": dict(saved.options),
            "training": dict(saved.training),
        },
        placed_under(_BEFORE, saved.model.arrays(compact=compact)),
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
    from palmette.tools.sequence.tagger import Tagger

    if file.kind == KIND:
        return _parser(file, {})
    if file.kind not in (PIPELINE, TEXT_PIPELINE):
        file.require_kind(KIND)
    parts = parts_of(file)
    found = [part for part in parts.values() if part.kind == KIND]
    if len(found) != 1:
        raise FormatError("a pipeline without a dependency parser", path=file.path)
    parser = _parser(found[0], {})
    taggers = {
        name: Tagger.from_model(part)
        for name, part in parts.items()
        if part.kind == Tagger.kind and name in TAGGED and name in parser.columns
    }
    return replace(parser, taggers=taggers)


def _parser(file: ModelFile, taggers: Mapping[str, Tagger]) -> SavedParser:
    method, columns, settings, options, training = (
        file.options.get(name) for name in ("method", "columns", "settings", "options", "training")
    )
    labels = tuple(file.table("relations"))
    if not labels or len(set(labels)) != len(labels):
        raise file.damaged("its relations are missing, or one comes twice")
    methods = {**METHODS, **SCORERS}
    if not isinstance(method, str) or method not in methods:
        raise file.damaged(f"{method!r} is not a method of parsing")
    if not isinstance(columns, list) or any(name not in SEEN for name in columns):
        raise file.damaged("the columns it looks at are not such")
    if not isinstance(settings, dict) or not isinstance(options, dict) or not isinstance(training, dict):
        raise file.damaged("its settings are not there")
    with file.restoring():
        model = methods[method].model_class.restore(labels, taken_from(_BEFORE, file.arrays), settings)
    return SavedParser(model, method, tuple(map(str, columns)), taggers, options, training)
