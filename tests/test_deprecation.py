"""Names that will go warn with a sentence, at the line that uses them."""

from __future__ import annotations

import pytest

from palmette.deprecation import deprecated


def old_name() -> int:
    deprecated("old_name", "new_name", "0.4")
    return 1


def test_a_deprecated_name_warns_where_it_is_used() -> None:
    with pytest.warns(
        DeprecationWarning, match="old_name is deprecated .* version 0.4: use new_name"
    ) as caught:
        assert old_name() == 1
    assert caught[0].filename == __file__


def test_a_user_is_told_instead() -> None:
    told: list[str] = []
    deprecated("--old", "--new", "0.4", tell=told.append)
    assert told == ["--old is deprecated and goes in version 0.4: use --new"]
