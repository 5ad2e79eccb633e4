"""Classifiers in model files.

options   method; classes; training; reader: how texts and rows become items, if there is a reader; and those
          of the model
arrays    of the model; of the reader's parser under parser/…
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palmette.errors import FormatError
from palmette.formats.model import ModelFile, with_article
from palmette.tools.classification.item_reader import ItemReader
from palmette.tools.classification.kernel_model import KernelModel
from palmette.tools.classification.linear_model import LinearModel
from palmette.tools.classification.memory_model import MemoryModel
from palmette.tools.classification.model import KIND, ClassModel
from palmette.tools.constituency.parser import ConstituencyParser

_PARSER = "parser/"
_MODELS: dict[str, type[ClassModel]] = {
    model.method: model for model in (LinearModel, KernelModel, MemoryModel)
}


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
    parser = reader.parser.to_model()
    return ModelFile(
        file.kind,
        {**file.options, "parser": dict(parser.options)},
        {**file.arrays, **{_PARSER + name: array for name, array in parser.arrays.items()}},
        {**file.strings, **{_PARSER + name: table for name, table in parser.strings.items()}},
        fingerprint,
    )


def load_classifier(file: ModelFile) -> SavedClassifier:
    """The classifier of a file; FormatError if it is damaged, or holds none."""
    if file.kind != KIND:
        raise FormatError(f"holds {with_article(file.kind)}, not {with_article(KIND)}", path=file.path)
    method, classes, training = (file.options.get(name) for name in ("method", "classes", "training"))
    if not isinstance(method, str) or method not in _MODELS:
        raise _damaged(file, f"{method!r} is no kind of classifier")
    if not isinstance(classes, list) or not classes or len(set(map(repr, classes))) != len(classes):
        raise _damaged(file, "its classes are missing, or one comes twice")
    if not all(isinstance(one, str | int) for one in classes) or not isinstance(training, dict):
        raise _damaged(file, "its classes are not names, or nothing is known of its training")
    try:
        model = _MODELS[method].of_file(file, len(classes))
        reader = _reader(file)
        if reader is not None:
            _check_fit(model, reader)
    except FormatError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise _damaged(file, str(error)) from error
    except (MemoryError, OverflowError):
        raise _damaged(file, "its tables are larger than the memory") from None
    return SavedClassifier(model, classes, reader, training)


def _reader(file: ModelFile) -> ItemReader | None:
    options = file.options.get("reader")
    if options is None:
        return None
    parser = None
    described = file.options.get("parser")
    if isinstance(described, dict):
        parser = ConstituencyParser.from_model(
            ModelFile(
                "constituency parser",
                described,
                _own(file.arrays),
                _own(file.strings),
                "",
                file.palmette_version,
                file.format_version,
                file.path,
            )
        )
    return ItemReader.of_options(options, parser)


def _check_fit(model: ClassModel, reader: ItemReader) -> None:
    """ValueError where the model cannot take the items that its reader makes."""
    try:
        model.scores([reader.example()], 1)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise ValueError(f"it does not fit its columns {','.join(reader.columns)} ({error})") from error


def _own(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(_PARSER): value for name, value in content.items() if name.startswith(_PARSER)}


def _damaged(file: ModelFile, what: str) -> FormatError:
    return FormatError(f"damaged model: {what}", path=file.path)
