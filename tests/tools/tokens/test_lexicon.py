"""The lexicon against all windows of a text, one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.tools.tokens.characters import characters
from palmette.tools.tokens.lexicon import Lexicon, hash_of

texts = st.text(alphabet="abc \n", max_size=30)
tokens = st.lists(st.text(alphabet="abc ", min_size=1, max_size=6).map(str.strip).filter(bool), max_size=8)


@given(texts, tokens, st.data())
@settings(deadline=None, max_examples=300)
def test_matches_are_those_of_all_windows(text, tokens, data):
    ends = data.draw(
        st.lists(st.sampled_from([k + 1 for k, c in enumerate(text) if c == "\n"] or [0]), max_size=3)
    )
    lexicon = Lexicon.of(tokens)
    found = characters(text, lexicon, sorted(set(ends)))
    places, bounds = found.places.tolist(), set(found.corpus.offsets.tolist())
    known = {" ".join(token.split()) for token in tokens if len(" ".join(token.split())) >= 2}
    n = len(places)
    want = np.zeros((3, n), dtype=int)
    for i in range(n):
        for j in range(i + 1, n):
            if any(k in bounds for k in range(i + 1, j + 1)):
                break
            length = j - i + 1
            if length <= lexicon.longest and " ".join(text[places[i] : places[j] + 1].split()) in known:
                want[0, j] = max(want[0, j], length)
                if i and i not in bounds:
                    want[1, i - 1] = max(want[1, i - 1], length)
                want[2, i:j] = np.maximum(want[2, i:j], length)
    for row, name in zip(want, ("ends", "begins", "spans")):
        assert [int(value) for value in found.corpus.column(name).values()] == row.tolist()


def test_hashes_take_runs_of_white_space_for_one_space():
    assert hash_of("a \n b") == hash_of("a b") != hash_of("ab")


def test_profiles():
    lexicon = Lexicon.of(["x"], ["the", "The", "Mary", "go"])
    chunks = ["The", "Go", "Mary", "NATO", "(The", "«", "7", "no", "漢"]
    assert [lexicon.profile(chunk) for chunk in chunks] == [
        "U.b",
        "U.l",
        "U.u",
        "A",
        "(U.b",
        "«",
        "0",
        "l",
        "o",
    ]
