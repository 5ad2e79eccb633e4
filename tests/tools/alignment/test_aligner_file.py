"""Aligners in files: the same results again, and one sentence for what is damaged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from palmette.errors import FormatError
from palmette.formats.model import ModelFile
from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.aligner_file import KIND, load_aligner
from palmette.tools.alignment.stages import METHODS
from palmette.tools.alignment.text import ParallelText
from samples.aligned_text import made_pairs

pytestmark = pytest.mark.native


@pytest.mark.parametrize("kind", METHODS)
def test_the_same_again(kind: str, tmp_path: Path) -> None:
    first = Aligner((kind,), symmetrization="union", threshold=0.4, prefix=(3, 0), stem=str.upper).fit(
        made_pairs()
    )
    first.save(tmp_path / "a.palm")
    first.save(tmp_path / "b.palm")
    assert (tmp_path / "a.palm").read_bytes() == (tmp_path / "b.palm").read_bytes()
    second = Aligner.load(tmp_path / "a.palm")
    assert (second.symmetrization, second.threshold, second.prefix) == ("union", 0.4, (3, 0))
    pairs = made_pairs(30, seed=9)
    for name in ("posterior", "union"):
        a, b = first.align(pairs, symmetrization=name), second.align(pairs, symmetrization=name)
        assert list(a) == list(b)
        assert np.array_equal(a.probability, b.probability)
    assert first.translations("house") == second.translations("house")
    second.save(tmp_path / "c.palm")
    assert (tmp_path / "c.palm").read_bytes() == (tmp_path / "a.palm").read_bytes()


@pytest.fixture(scope="module")
def model() -> ModelFile:
    return Aligner(("model1", "hmm")).fit(made_pairs()).to_model()


def changed(model: ModelFile, **parts) -> ModelFile:
    return replace(
        model,
        options={**model.options, **parts.get("options", {})},
        arrays={**model.arrays, **parts.get("arrays", {})},
        strings={**model.strings, **parts.get("strings", {})},
        path="x.palm",
    )


def test_damage(model: ModelFile) -> None:
    table, words = model.arrays["forth/weights"], list(model.strings["source_words"])
    rows, ids = model.arrays["forth/first_of"], model.arrays["forth/target_of"]
    bad = [
        {"options": {"symmetrization": "none"}},
        {"options": {"threshold": "high"}},
        {"options": {"training": []}},
        {"options": {"kinds": ["hmm"]}},
        {"options": {"kinds": ["hmm", 3]}},
        {"options": {"kinds": ["hmm", "model9"]}},
        {"options": {"kinds": ["model1", "hmm"]}},
        {"options": {"lower": True}},
        {"options": {"prefix": [-1, 0]}},
        {"strings": {"source_words": words[:-1]}},
        {"strings": {"source_words": [*words[:-1], words[0]]}},
        {"strings": {"target_stems": ["a"]}},
        {"strings": {"target_shown": ["a"]}},
        {"arrays": {"forth/weights": table[:-1]}},
        {"arrays": {"forth/weights": table * np.float32(np.nan)}},
        {"arrays": {"forth/weights": -table}},
        {"arrays": {"forth/weights": table.astype(np.float64)}},
        {"arrays": {"forth/weights": table.reshape(1, -1)}},
        {"arrays": {"forth/first_of": rows[::-1].copy()}},
        {"arrays": {"forth/first_of": rows.astype(np.int32)}},
        {"arrays": {"forth/first_of": np.zeros(0, np.int64)}},
        {"arrays": {"forth/target_of": ids + 100}},
        {"arrays": {"forth/target_of": ids - 100}},
        {"arrays": {"forth/target_of": ids.astype(np.float32)}},
        {"arrays": {"forth/jump": model.arrays["forth/jump"][:-1]}},
        {"arrays": {"forth/jump": model.arrays["forth/jump"].astype(np.float64)}},
        {"arrays": {"forth/jump": -model.arrays["forth/jump"]}},
        {"arrays": {"back/numbers": np.array([2.0])}},
        {"arrays": {"back/numbers": np.zeros(0)}},
    ]
    for parts in bad:
        with pytest.raises(FormatError, match=r"x\.palm: ") as caught:
            load_aligner(changed(model, **parts))
        assert "\n" not in str(caught.value), parts
    for name in model.arrays:
        arrays = {key: array for key, array in model.arrays.items() if key != name}
        with pytest.raises(FormatError):
            load_aligner(replace(model, arrays=arrays))
    load_aligner(changed(model))


@pytest.mark.parametrize("kind", METHODS)
def test_any_array_may_be_damaged(kind: str) -> None:
    """Nothing worse than one sentence, or an aligner that still works."""
    model = Aligner((kind,)).fit(made_pairs(20)).to_model()
    for name, array in model.arrays.items():
        worse = [array[:-1], array[:0], array.reshape(1, -1), np.concatenate([array, array])]
        worse += [array.astype(np.float64), array.astype(np.int16)]
        worse += [np.full_like(array, number) for number in (-1, 0, 10**6)]
        if array.dtype.kind == "f":
            worse += [np.full_like(array, number) for number in (np.nan, np.inf, 1e-40, 1e30)]
        for one in worse:
            try:
                saved = load_aligner(changed(model, arrays={name: one}))
            except FormatError as error:
                message = str(error)
            else:
                saved.model.align(ParallelText.of(made_pairs(3)), "posterior", 0.5, True, 1)
                message = ""
            assert "\n" not in message


def test_other_models(model: ModelFile, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds a tagger, not a word aligner"):
        load_aligner(replace(model, kind="tagger"))
    (tmp_path / "x.palm").write_bytes(b"nothing")
    with pytest.raises(FormatError):
        Aligner.load(tmp_path / "x.palm")
    assert model.kind == KIND
