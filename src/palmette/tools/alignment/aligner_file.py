"""Aligners in model files.

options   symmetrization, threshold, lower, prefix; kinds: of the two directions; training
strings   source_words: forms; source_shown: a word of each, if forms are not words; source_stems: word and stem in
          turn; and those of the target
arrays    of the directions, forth/… and back/…
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from palmette._native import Bitext
from palmette.errors import FormatError
from palmette.formats.model import ModelFile
from palmette.formats.model.safetensors import Array
from palmette.tools.alignment.direction import Direction
from palmette.tools.alignment.fertility import FertilityDirection
from palmette.tools.alignment.model import AlignmentModel
from palmette.tools.alignment.stages import from_arrays
from palmette.tools.alignment.symmetrization import METHODS
from palmette.tools.alignment.word_forms import WordForms, WordNumbers

KIND = "word aligner"
_WAYS = ("forth", "back")
_SIDES = ("source", "target")


@dataclass(frozen=True, eq=False)
class SavedAligner:
    """What a file keeps of an aligner."""

    model: AlignmentModel
    symmetrization: str
    threshold: float
    training: Mapping[str, Any]


def aligner_file(saved: SavedAligner, fingerprint: str = "") -> ModelFile:
    """The content of a model file."""
    model = saved.model
    sides = {"source": model.source, "target": model.target}
    ways = {"forth": model.forth, "back": model.back}
    options: dict[str, Any] = {
        "symmetrization": saved.symmetrization,
        "threshold": saved.threshold,
        "lower": [side.forms.lower for side in sides.values()],
        "prefix": [side.forms.prefix for side in sides.values()],
        "kinds": [way.kind for way in ways.values()],
        "training": dict(saved.training),
    }
    arrays = {f"{name}/{key}": array for name, way in ways.items() for key, array in way.arrays().items()}
    strings: dict[str, list[str]] = {}
    for name, side in sides.items():
        strings[f"{name}_words"] = side.words
        strings[f"{name}_shown"] = side.shown
        strings[f"{name}_stems"] = [text for pair in side.stems().items() for text in pair]
    return ModelFile(KIND, options, arrays, strings, fingerprint)


def load_aligner(file: ModelFile) -> SavedAligner:
    """The aligner of a file; FormatError if it is damaged, or holds none."""
    file.require_kind(KIND)
    options = file.options
    method, threshold, training = (options.get(name) for name in ("symmetrization", "threshold", "training"))
    if method not in METHODS or not isinstance(threshold, int | float) or not isinstance(training, dict):
        raise file.damaged("how its directions become one is not said")
    try:
        source, target = (_numbers(file, k) for k in range(2))
        sizes = len(source), len(target)
        if not all(sizes):
            raise file.damaged("a language has no words")
        forth, back = _direction(file, 0, *sizes), _direction(file, 1, *sizes[::-1])
    except FormatError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, MemoryError) as error:
        raise file.damaged(" ".join(str(error).split()) or type(error).__name__) from error
    return SavedAligner(AlignmentModel(source, target, forth, back), str(method), float(threshold), training)


def _numbers(file: ModelFile, k: int) -> WordNumbers:
    words, stems = file.table(f"{_SIDES[k]}_words"), list(file.table(f"{_SIDES[k]}_stems"))
    if len(stems) % 2:
        raise file.damaged("a word has no stem")
    lower, prefix = _pair(file, "lower")[k], _pair(file, "prefix")[k]
    forms = WordForms(lower, prefix, dict(zip(stems[::2], stems[1::2])) or None)
    shown = file.table(f"{_SIDES[k]}_shown")
    if len(shown) not in (0, len(words)):
        raise file.damaged("its words cannot be shown")
    numbers = WordNumbers(forms, words, shown)
    if len(numbers) != len(words):
        raise file.damaged("a word appears twice in its vocabulary")
    return numbers


def _direction(file: ModelFile, k: int, n_given: int, n_words: int) -> Direction:
    kind, name = _pair(file, "kinds")[k], _WAYS[k]
    if not isinstance(kind, str):
        raise file.damaged("the kinds of its directions are not names")
    file.array(f"{name}/first_of", np.int64, [n_given + 2])
    file.indices(f"{name}/target_of", np.int32, [None], n_words)
    for part, size in (("weights", None), ("unseen", n_given + 2)):
        weights = file.array(f"{name}/{part}", np.float32, [size])
        if not ((weights >= 0) & (weights < 1.001)).all():
            raise file.damaged(f"the table {name!r} has a weight that is not a probability")
    own: dict[str, Array] = {
        key.removeprefix(f"{name}/"): array
        for key, array in file.arrays.items()
        if key.startswith(f"{name}/")
    }
    direction = from_arrays(kind, own)
    try:
        _try_out(direction, n_given, n_words)
    except TypeError:  # of which the message is long, and for programmers
        raise file.damaged(f"the arrays {name!r} are not those of a {kind!r}") from None
    return direction


def _try_out(direction: Direction, n_given: int, n_words: int) -> None:
    """Align a word with a word, so that what does not fit is found now; one sweep will do."""
    if isinstance(direction, FertilityDirection):
        direction = replace(direction, sampling=replace(direction.sampling, sweeps=1, kept=1))
    at, words = np.array([0, 1]), np.zeros(1, np.int32)
    pair = Bitext(at, words, at, words, n_given, n_words)
    direction.posteriors(pair)
    direction.best(pair)


def _pair(file: ModelFile, name: str) -> list[Any]:
    value = file.options.get(name)
    if not isinstance(value, list) or len(value) != 2:
        raise file.damaged(f"its {name!r} is not one for each side")
    return value
