"""Classifiers in model files.

options   method; classes; training; reader: how texts and rows become items, if there is a reader; and those
          of the model
arrays    of the model; of the reader's parser under parser/…
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palmette.formats.model import ModelFile
from palmette.tools.classification.families import FAMILIES, model_class
from palmette.tools.classification.item_reader import ItemReader
from palmette.tools.classification.model import KIND, ClassModel
from palmette.tools.constituency.parser import ConstituencyParser

_PARSER = "parser"


@dataclass(frozen=True, eq=False)
class SavedClassifier:
    """What a file keeps of a classifier."""

    model: ClassModel
    classes: list[Any]
    reader: ItemReader | None
    training: Mapping[str, Any]


def classifier_file(
    model: ClassModel,
    classes: Sequence[Any],
    reader: ItemReader | None,
    training: Mapping[str, Any],
    fingerprint: str = "",
    *,
    compact: bool = False,
) -> ModelFile:
    """Return the content of a model file; compact: without the weights that hardly matter."""
    options: dict[str, Any] = {"method": model.method, "classes": list(classes), "training": dict(training)}
    if reader is not None:
        options["reader"] = reader.options()
    file = model.to_file(options, fingerprint, compact=compact)
    if reader is None or reader.parser is None:
        return file
    return file.put(_PARSER, reader.parser.to_model())


def load_classifier(file: ModelFile) -> SavedClassifier:
    """The classifier of a file; FormatError if it is damaged, or holds none."""
    file.require_kind(KIND)
    method, classes, training = (file.options.get(name) for name in ("method", "classes", "training"))
    if not isinstance(method, str) or method not in FAMILIES:
        raise file.damaged(f"{method!r} is not a kind of classifier")
    if not isinstance(classes, list) or not classes or len(set(map(repr, classes))) != len(classes):
        raise file.damaged("its classes are missing, or one comes twice")
    if not all(isinstance(one, str | int) for one in classes) or not isinstance(training, dict):
        raise file.damaged("its classes are not names, or nothing is known of its training")
    with file.restoring():
        model = model_class(method).of_file(file, len(classes))
        reader = _reader(file)
        if reader is not None:
            _check_fit(model, reader)
    return SavedClassifier(model, classes, reader, training)


def _reader(file: ModelFile) -> ItemReader | None:
    options = file.options.get("reader")
    if options is None:
        return None
    part = file.part(_PARSER)
    described = file.options.get(_PARSER)
    if part is None and isinstance(described, dict):  # files of earlier versions do not list their parts
        part = file.inner(ConstituencyParser.kind, f"{_PARSER}/", described)
    parser = None if part is None else ConstituencyParser.from_model(part)
    return ItemReader.of_options(options, parser)


def _check_fit(model: ClassModel, reader: ItemReader) -> None:
    """ValueError where the model cannot take the items that its reader makes."""
    try:
        model.scores([reader.example()], 1)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise ValueError(f"it does not fit its columns {','.join(reader.columns)} ({error})") from error
