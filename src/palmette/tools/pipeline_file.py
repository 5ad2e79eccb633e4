"""Several models in one model file, of kind "pipeline": a parser with the taggers that it needs.

options.parts    a list: of every part its name, kind, options and fingerprint
arrays, strings  of part P under the names P/…

A part can stand wherever a model of its kind can: `Tagger.load` takes the tagger out of a pipeline.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palmette.errors import FormatError
from palmette.formats.files import Source
from palmette.formats.model import ModelFile, with_article
from palmette.formats.strict_json import Json
from palmette.models import find_model

PIPELINE = "pipeline"


def join_models(
    parts: Mapping[str, ModelFile], *, options: Mapping[str, Any], fingerprint: str = ""
) -> ModelFile:
    """One model file of several, each with its name; `options` are those of the whole."""
    described: list[Json] = [
        {"name": name, "kind": part.kind, "options": dict(part.options), "fingerprint": part.fingerprint}
        for name, part in parts.items()
    ]
    return ModelFile(
        PIPELINE,
        {**options, "parts": described},
        {f"{name}/{key}": array for name, part in parts.items() for key, array in part.arrays.items()},
        {f"{name}/{key}": table for name, part in parts.items() for key, table in part.strings.items()},
        fingerprint,
    )


def parts_of(file: ModelFile) -> dict[str, ModelFile]:
    """The models in a pipeline by name, in the order of the file; FormatError if it is damaged."""
    described = file.options.get("parts")
    if not isinstance(described, list) or not described:
        raise FormatError("damaged model: a pipeline without parts", path=file.path)
    return dict(_part(file, facts) for facts in described)


def load_kind(path: Source, kind: str) -> ModelFile:
    """The model of that kind in a file, or that comes with Palmette: the file itself, or a part of a pipeline.

    Of several parts of the kind the first is taken.
    """
    file = ModelFile.load(find_model(path))
    if file.kind == PIPELINE:
        for part in parts_of(file).values():
            if part.kind == kind:
                return part
        raise FormatError(f"a pipeline without {with_article(kind)}", path=file.path)
    if file.kind != kind:
        raise FormatError(f"holds {with_article(file.kind)}, not {with_article(kind)}", path=file.path)
    return file


def _part(file: ModelFile, facts: Json) -> tuple[str, ModelFile]:
    known = facts if isinstance(facts, dict) else {}
    name, kind, options, fingerprint = (known.get(key) for key in ("name", "kind", "options", "fingerprint"))
    described = isinstance(name, str) and isinstance(kind, str) and isinstance(options, dict)
    if not described or not isinstance(fingerprint, str) or not kind:
        raise FormatError("damaged model: a part of the pipeline is not described well", path=file.path)
    before = f"{name}/"
    return str(name), ModelFile(
        str(kind),
        options if isinstance(options, dict) else {},
        {key.removeprefix(before): a for key, a in file.arrays.items() if key.startswith(before)},
        {key.removeprefix(before): s for key, s in file.strings.items() if key.startswith(before)},
        fingerprint,
        file.palmette_version,
        file.format_version,
        file.path,
    )
