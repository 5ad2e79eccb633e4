"""The views of tokens against strings, one by one."""

import itertools

import pytest

from palmette._native import hash_text
from palmette.features.token_views import VIEWS, TokenViews
from palmette.formats.corpus import Corpus

pytestmark = pytest.mark.native

FEATS = [["Case=Nom|Number=Sing", "_"], ["Number=Sing"]]
CORPUS = Corpus.from_columns(
    {"form": [["Walked-2", "a"], ["Cats"]], "upos": [["VERB", "_"], ["NOUN"]], "feats": FEATS}
)


def test_a_view_is_the_hash_of_its_text():
    views = TokenViews.of(CORPUS, clusters={"cats": "0110"})
    expected = {
        "word": ["walked-0", "a", "cats"],
        "lemma": [None, None, None],
        "upos": ["VERB", None, "NOUN"],
        "feats": ["Case=Nom|Number=Sing", None, "Number=Sing"],
        "end2": ["-2", None, "ts"],
        "start3": ["wal", None, "cat"],
        "shape": ["Xx-d", "x", "Xx"],
        "cluster": [None, None, "0110"],
    }
    for view, texts in expected.items():
        assert views.column(view).tolist() == [hash_text(t) if t else 0 for t in texts], view
    assert views.values.shape == (3 * len(VIEWS),)


def test_morphology_comes_in_pieces():
    views = TokenViews.of(CORPUS)
    rows = views.piece_rows.tolist()
    pieces = [views.pieces[a:b].tolist() for a, b in itertools.pairwise(rows)]
    assert pieces == [[hash_text("Case=Nom"), hash_text("Number=Sing")], [], [hash_text("Number=Sing")]]


def test_a_part_of_a_corpus_has_the_same_views():
    whole, part = TokenViews.of(CORPUS), TokenViews.of(CORPUS[1:])
    assert part.values.tolist() == whole.values[2 * len(VIEWS) :].tolist()
    assert part.pieces.tolist() == whole.pieces[2:].tolist()


def test_a_sentence_alone():
    whole, alone = TokenViews.of(CORPUS), TokenViews.of(CORPUS[1:])
    for got, want in zip(
        (
            whole.select([1]).offsets,
            whole.select([1]).values,
            whole.select([1]).piece_rows,
            whole.select([1]).pieces,
        ),
        (alone.offsets, alone.values, alone.piece_rows, alone.pieces),
    ):
        assert got.tolist() == want.tolist()
