"""Several models in one model file, of kind "pipeline": a parser with the taggers that it needs.

A part can be used wherever a model of its kind can: `Tagger.load` takes the tagger out of a pipeline.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palmette.errors import FormatError
from palmette.formats.files import Source
from palmette.formats.model import ModelFile, with_article
from palmette.models import find_model

PIPELINE = "pipeline"
TEXT_PIPELINE = "text pipeline"  # with steps before and after the parser, see palmette.tools.pipeline


def join_models(
    parts: Mapping[str, ModelFile], *, options: Mapping[str, Any], fingerprint: str = ""
) -> ModelFile:
    """Return one model file of several, each with its name; `options` are those of the whole."""
    whole = ModelFile(PIPELINE, options, {}, {}, fingerprint)
    for name, part in parts.items():
        whole = whole.put(name, part)
    return whole


def parts_of(file: ModelFile) -> dict[str, ModelFile]:
    """Return the models in a pipeline by name, in the order of the file; FormatError if it is damaged."""
    parts = file.parts()
    if not parts:
        raise file.damaged("a pipeline without parts")
    return parts


def load_kind(path: Source, kind: str) -> ModelFile:
    """Return the model of that kind in a file, or that comes with Palmette: the file, or a part of a pipeline.

    The first of several parts of the kind is taken.
    """
    file = ModelFile.load(find_model(path))
    if file.kind in (PIPELINE, TEXT_PIPELINE):
        for part in parts_of(file).values():
            if part.kind == kind:
                return part
        raise FormatError(f"a pipeline without {with_article(kind)}", path=file.path)
    file.require_kind(kind)
    return file
