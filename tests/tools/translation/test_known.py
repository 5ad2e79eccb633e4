"""What is known of a translation: records, their checks, and how two are joined."""

from __future__ import annotations

import pytest

from palmette.tools.translation.known import Fixed, Known, checked_known


def test_words_may_be_given_as_text() -> None:
    known = Known(fixed=[(0, 2, "the house", False), (3, 4, ["a"])], forbidden=["x y"], target="the house")
    assert known.fixed == (Fixed(0, 2, ("the", "house"), False), Fixed(3, 4, ("a",), True))
    assert known.forbidden == (("x", "y"),)
    assert known.target == ("the", "house")
    assert known
    assert not Known()
    assert Known(target="").target == ()
    assert Known(target="")


@pytest.mark.parametrize("given", [(0, 1, "", True), (0, 1, ["a b"], True), (0, 1), ("x", 1, "a"), 5])
def test_a_fixed_translation_has_a_place_and_words(given: object) -> None:
    with pytest.raises(ValueError, match="fixed translation"):
        Known(fixed=[given])  # type: ignore[list-item]


@pytest.mark.parametrize("span", [(-1, 1), (2, 2), (2, 1), (1, 4)])
def test_a_span_must_lie_in_its_sentence(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="Sentence 2 has 3 words, and no span"):
        checked_known([None, Known(fixed=[(*span, "a")])], [3, 3])


def test_exclusive_spans_do_not_overlap() -> None:
    with pytest.raises(ValueError, match=r"words 0 to 2 and 1 to 3 cannot both be placed"):
        checked_known([Known(fixed=[(1, 3, "a"), (0, 2, "b")])], [3])
    alternatives = Known(fixed=[(0, 2, "a"), (0, 2, "b"), (1, 3, "c", False)])
    assert checked_known([alternatives], [3]) == [alternatives]


def test_one_for_every_sentence() -> None:
    assert checked_known(None, [1]) is None
    assert checked_known([None, Known()], [1, 2]) is None
    with pytest.raises(ValueError, match="There are 2 sentences, and what is known is given for 1"):
        checked_known([None], [1, 2])
    with pytest.raises(TypeError, match="Sentence 1: what is known must be a Known"):
        checked_known(["a"], [1])  # type: ignore[list-item]


def test_joined() -> None:
    markup = Known(fixed=[(0, 2, "a")], forbidden=["x"])
    glossary = Known(fixed=[(1, 3, "b"), (4, 5, "c")], forbidden=["y"], target="t")
    assert markup.joined(glossary) == Known(
        fixed=[(0, 2, "a"), (4, 5, "c")], forbidden=["x", "y"], target="t"
    )


def test_a_fixed_translation_is_not_forbidden() -> None:
    bad = Known(fixed=[(0, 1, "the old house")], forbidden=["old house"])
    with pytest.raises(ValueError, match="'the old house' cannot be placed, since 'old house' is forbidden"):
        checked_known([bad], [1])
    fine = Known(fixed=[(0, 1, "the old house"), (0, 1, "the house")], forbidden=["old house"])
    assert checked_known([fine], [1]) == [fine]
