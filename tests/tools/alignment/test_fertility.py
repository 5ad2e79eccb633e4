"""Directions with fertilities: what they keep, aligning what is new, and what a file may not say."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.fertility import FertilityDirection
from palmette.tools.alignment.model import AlignmentModel
from palmette.tools.alignment.stages import METHODS, from_arrays
from palmette.tools.alignment.text import ParallelText
from samples.aligned_text import made_pairs

pytestmark = pytest.mark.native
KINDS = ("fertility", "model3", "model4")
TABLE = "model3 with a table"


@pytest.fixture(scope="module", params=[*KINDS, TABLE])
def model(request) -> AlignmentModel:
    options = {"model3": {"table": 5.0}} if request.param == TABLE else None
    return Aligner(("model1", "hmm", request.param.split()[0]), options=options).fit(made_pairs()).model_


@pytest.fixture(scope="module")
def direction(model: AlignmentModel) -> FertilityDirection:
    assert isinstance(model.forth, FertilityDirection)
    return model.forth


def test_it_comes_back_from_its_arrays(model: AlignmentModel, direction: FertilityDirection) -> None:
    again = from_arrays(direction.kind, direction.arrays())
    assert isinstance(again, FertilityDirection)
    assert again.trained is None
    assert again.sampling == direction.sampling
    bitext, _ = model.bitexts(ParallelText.of(made_pairs()), 1)
    a, b = again.posteriors(bitext)[1], from_arrays(direction.kind, again.arrays()).posteriors(bitext)[1]
    assert np.array_equal(a, b)
    # Aligned again with its own counts, the text is aligned nearly as before.
    assert np.mean(again.best(bitext) == direction.trained.best(climb=False)) > 0.95


def test_counts_of_words_sum_to_the_text(direction: FertilityDirection) -> None:
    lengths = direction.trained.lengths
    assert direction.totals.sum() == pytest.approx(lengths[1].sum(), rel=0.01)
    assert direction.fertilities.sum() == lengths[0].sum()
    first = direction.table.first_of
    sums = np.add.reduceat(direction.table.weights, first[:-1][np.diff(first) > 0])
    assert (sums < 1.001).all()


def test_the_table_of_model_3() -> None:
    pairs = made_pairs()
    found = Aligner(("model1", "hmm", "model3"), options={"model3": {"table": 5.0}}).fit(pairs).model_.forth
    links = found.trained.alignment
    assert found.places.sum() == (links > 0).sum() == found.displacements.sum()
    shapes = [tuple(shape) for shape in found.shapes.tolist()]
    lengths = {(len(source), len(target)) for source, target in pairs}
    assert set(shapes) == lengths
    # A text with none of these lengths is aligned by distances.
    text = Aligner(("model1",)).fit([("a b c d e f g h i j k l m", "a")]).model_
    bitext, _ = text.bitexts(ParallelText.of([("a b c d e f g h i j k l m", "a")]), 1)
    assert not found._places_on(bitext).any()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("place_at", lambda a: a - 10**6),
        ("place_at", lambda a: a[:-1]),
        ("place_counts", lambda a: -a),
        ("shapes", lambda a: a[:-1]),
    ],
)
def test_tables_that_cannot_be(name: str, change) -> None:
    options = {"model3": {"table": 5.0}}
    arrays = Aligner(("model3",), options=options).fit(made_pairs()).model_.forth.arrays()
    with pytest.raises(ValueError, match="places of an alignment model"):
        from_arrays("model3", {**arrays, name: change(arrays[name])})


def test_files_from_before_there_was_a_table(direction: FertilityDirection) -> None:
    if direction.kind != "model3" or direction.sampling.table:
        pytest.skip("Model 3 without a table")
    arrays = direction.arrays()
    again = from_arrays("model3", {**arrays, "numbers": arrays["numbers"][:-1]})
    assert again.sampling == direction.sampling


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("totals", lambda a: a[:-1]),
        ("fertilities", lambda a: -1 - a),
        ("displacements", lambda a: np.full_like(a, np.nan)),
        ("source_classes", lambda a: a - 1),
        ("numbers", lambda a: a[:-2]),
        ("numbers", lambda a: a + 1e20),
    ],
)
def test_arrays_that_cannot_be(direction: FertilityDirection, name: str, change) -> None:
    arrays = direction.arrays()
    with pytest.raises(ValueError, match="alignment model"):
        from_arrays(direction.kind, arrays | {name: change(arrays[name])})


def test_new_words_are_aligned_by_spelling_and_by_what_is_around_them() -> None:
    aligner = Aligner().fit(made_pairs(200))
    source, target = made_pairs(200)[0]
    found = aligner.predict([([*source, "Zanzibar"], [*target, "Zanzibar"])] * 3)
    assert all((len(source), len(target)) in links for links in found)
    plain = Aligner(spelling=False).fit(made_pairs(200))
    assert plain.model_.forth.sampling.spelling == 0


def test_climbing_gives_the_best_alignment() -> None:
    pairs = ParallelText.of(made_pairs())
    climbed = Aligner(("model1", "hmm", "model3"), options={"model3": {"climb": True}}).fit(pairs).model_
    _, piece = next(climbed._pieces(pairs, 1))
    assert np.array_equal(piece.best(1)[0], climbed.forth.trained.alignment)


def test_the_text_of_the_training_is_not_sampled_again() -> None:
    text = ParallelText.of(made_pairs(50))
    aligner = Aligner()
    links = aligner.fit_align(text)
    trained = aligner.model_.forth.trained
    for ends in ((0, 50), (0, 0), (7, 20)):
        part = trained.part(*ends)
        found = [p.ravel() for p, _ in list(aligner.posteriors(text))[slice(*ends)]]
        assert np.array_equal(part.posteriors(), np.concatenate([np.zeros(0, np.float32), *found]))
        assert len(part.best(climb=False)) == sum(len(target) for _, target in made_pairs(50)[slice(*ends)])
    assert list(aligner.align(text)) == list(links)


def test_nothing_holds_on_to_a_text_that_was_sampled(model: AlignmentModel) -> None:
    """Bitexts are the largest things there are."""
    bitext, _ = model.bitexts(ParallelText.of(made_pairs()), 1)
    before = sys.getrefcount(bitext)
    model.forth.posteriors(bitext)
    direction = METHODS[model.forth.kind].train_function(bitext)
    assert direction.trained is not None
    assert sys.getrefcount(bitext) == before
