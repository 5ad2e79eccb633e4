"""CoNLL-U with one column filled in place, against reading everything and writing it again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette import _native
from palmette.errors import FormatError
from palmette.formats.column import Column
from palmette.formats.conllu import NAMES, fill_conllu, format_conllu, parse_conllu, parse_words
from samples.sequences import EXAMPLES

pytestmark = pytest.mark.native

TEXT = (
    "# text = x-y.\n1-2\tx-y\t_\t_\t_\t_\t_\t_\t_\t_\n1\tx-y\tl\tU\tX\tF=1\t2\tdep\t_\tM=1\n"
    "2\t.é\t_\t_\t_\t_\t0\troot\t_\t_\n2.1\te\t_\t_\t_\t_\t_\t_\t0:x\t_\n\n"
    "1\t#\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
).encode()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + TEXT[:-1],
        b"\n\n" + TEXT.replace(b"\n\n", b"\n\n\n"),
        (EXAMPLES / "train.conllu").read_bytes(),
    ],
)
def test_the_same_as_writing_it_again(name: str, text: bytes) -> None:
    corpus = parse_conllu(text)
    values = Column(np.arange(corpus.n_words, dtype=np.int32) % 3, ["A", "long value", "ü"])
    assert fill_conllu(text, name, values) == format_conllu(corpus.with_column(name, values))


@given(st.sets(st.sampled_from(NAMES)))
def test_some_columns(names: set[str]) -> None:
    whole, part = parse_conllu(TEXT), parse_words(TEXT, names)
    assert set(part.names) == names | {"form"} or len(names | {"form"}) == len(NAMES)
    assert part.offsets.tolist() == whole.offsets.tolist()
    for name in part.names:
        assert part.column(name).values() == whole.column(name).values()


@pytest.mark.parametrize(
    "bad",
    [
        TEXT.replace(b"M=1", b"M=\xff"),
        TEXT.replace(b"M=1", b"M=\x00"),
        TEXT.replace(b"F=1", b"F=\r1"),
        TEXT.replace(b"\t2\tdep", b"\t9\tdep"),
        TEXT.replace(b"U\tX", b"U"),
        TEXT.replace(b"2.1\te", b"2.2\te"),
        b"\n",
    ],
)
def test_all_is_checked(bad: bytes) -> None:
    with pytest.raises(FormatError) as whole:
        parse_conllu(bad)
    with pytest.raises(FormatError) as part:
        parse_words(bad, ["form"])
    assert str(part.value) == str(whole.value)


def test_what_does_not_fit() -> None:
    for ids, strings, text in (
        ([0, 0], ["A"], TEXT),
        ([0, 0, 0, 0], ["A"], TEXT),
        ([0, 0, 1], ["A"], TEXT),
        ([0, 0, -1], ["A"], TEXT),
        ([0, 0, 0], ["A\tB"], TEXT),
        ([0, 0, 0], [""], TEXT),
        ([0], ["A"], b"1\tx\n"),
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            _native.fill_conllu(text, 3, np.array(ids, dtype=np.int32), strings)
    with pytest.raises(ValueError, match="field"):
        _native.fill_conllu(TEXT, 0, np.zeros(3, dtype=np.int32), ["A"])
