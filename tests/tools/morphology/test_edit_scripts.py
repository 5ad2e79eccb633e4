"""Edit scripts: round trips, what generalises, and what does not fit."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.tools.morphology.edit_scripts import _edit, apply_script, lower, script_of, upper

LETTERS = st.text(alphabet="abcABCİIıiẞß.+-|=,0 ", max_size=8)


@given(form=LETTERS, target=LETTERS.filter(bool))
def test_round_trip(form: str, target: str) -> None:
    assert apply_script(script_of(form, target), form) == target


@given(form=st.text(max_size=12), target=st.text(min_size=1, max_size=12))
def test_round_trip_of_any_characters(form: str, target: str) -> None:
    assert apply_script(script_of(form, target), form) == target


@given(script=st.text(alphabet="ltkuc012,|.-+=ab", max_size=12), form=LETTERS)
def test_any_script_gives_a_string_or_none(script: str, form: str) -> None:
    made = apply_script(script, form)
    assert made is None or made


@pytest.mark.parametrize(
    ("form", "target", "other", "expected"),
    [
        ("flies", "fly", "Cries", "cry"),
        ("Häuser", "Haus", "Bäume", None),  # another part is shared, but …
        ("Häuser", "Haus", "Mäuler", "Maul"),  # … the umlaut is the same step
        ("gegangen", "gehen", "gegangen", "gehen"),
        ("Apples", "apple", "TREES", "tree"),
        ("Ali'nin", "Ali", "Ayşe'nin", "Ayşe"),
        ("PARIS", "Paris", "Rome", "Rome"),
        ("McDonald's", "McDonald", "iPhone's", "iPhone"),
        ("NATO", "NATO", "eBay", "eBay"),
        ("della", "di la", "nella", "ni la"),
        ("יהודים", "יהודי", "עברים", "עברי"),
    ],
)
def test_scripts_fit_other_words(form: str, target: str, other: str, expected: str | None) -> None:
    script = script_of(form, target)
    assert apply_script(script, form) == target
    if expected is not None:
        assert apply_script(script, other) == expected


def test_equal_changes_have_equal_scripts() -> None:
    assert script_of("flies", "fly") == script_of("Tries", "try") == "l||---+y"
    assert script_of("Paris", "Paris") == script_of("PARIS", "Paris") == "t||"
    assert script_of("went", "go") == "=go"


def test_a_script_that_does_not_fit() -> None:
    assert apply_script("l||---+y", "is") is None
    assert apply_script("l||--", "is") is None  # nothing would be left
    for damaged in ("", "l", "l|", "x||", "l||+", "l||a", "l|||", "c||", "cx||", "="):
        assert apply_script(damaged, "words") is None


def test_an_empty_target_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one character"):
        script_of("a", "")


def test_case_keeps_lengths() -> None:
    for text in ("İZMİR", "straße", "ﬁne", "ΣΑΣ"):
        assert len(lower(text)) == len(upper(text)) == len(text)


def test_edits_are_the_shortest() -> None:
    """Compare with all rows of steps that are not longer than the one found."""
    words = ["".join(w) for n in range(4) for w in itertools.product("ab", repeat=n)]
    for a, b in itertools.product(words, repeat=2):
        common = max(
            len(x) for x in _subsequences(a) & _subsequences(b)
        )  # |a| + |b| - 2 · longest common subsequence
        found = _edit(a, b)
        assert found.count("-") + found.count("+") == len(a) + len(b) - 2 * common
        assert apply_script(f"k|{found}|", a) == (b or None)


def _subsequences(text: str) -> set[str]:
    return {"".join(x) for n in range(len(text) + 1) for x in itertools.combinations(text, n)}


def test_long_strings_are_replaced_as_a_whole() -> None:
    form = "a" * 100_000
    assert script_of(form, form + "b") == f"={form}b"
