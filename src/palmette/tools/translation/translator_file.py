"""Translators in model files.

options   method; scale; the record of the training parts     model: that of the method, with its
language model inside; raw: how raw text is read and written, if it is
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palmette.formats.model import ModelFile
from palmette.tools.translation.model import METHODS, TranslationModel
from palmette.tools.translation.raw.text import RawText

KIND = "translator"


@dataclass(frozen=True, eq=False)
class SavedTranslator:
    """What a file keeps of a translator."""

    model: TranslationModel
    method: str
    scale: float
    raw: RawText | None
    training: Mapping[str, Any]


def translator_file(saved: SavedTranslator, *, fingerprint: str = "") -> ModelFile:
    """The content of a model file."""
    options = {"method": saved.method, "scale": saved.scale, "training": dict(saved.training)}
    file = ModelFile(KIND, options, {}, {}, fingerprint).put("model", saved.model.to_model())
    return file if saved.raw is None else file.put("raw", saved.raw.to_model())


def load_translator(file: ModelFile) -> SavedTranslator:
    """The translator of a file; FormatError if it is damaged, or holds none."""
    file.require_kind(KIND)
    method, scale, training = (file.options.get(name) for name in ("method", "scale", "training"))
    if not isinstance(method, str) or method not in METHODS:
        raise file.damaged(f"{str(method)[:40]!r} is not a method of translation")
    if not isinstance(scale, int | float) or not (math.isfinite(scale) and scale > 0):
        raise file.damaged("its scale is not a positive number")
    if not isinstance(training, dict):
        raise file.damaged("the record of its training is not there")
    parts = file.parts()
    if "model" not in parts:
        raise file.damaged("its model is not there")
    with file.restoring():
        model = METHODS[method].model_class.from_model(parts["model"])
        raw = RawText.from_model(parts["raw"]) if "raw" in parts else None
    return SavedTranslator(model, method, float(scale), raw, training)
