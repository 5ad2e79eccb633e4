"""How a token becomes words: an expansion as a class, which fits other tokens as well.

One word of a multiword token, the stem, is made from the token by a script (`tools.morphology.edit_scripts`); the
words around it are the same for many tokens. So Italian *portarlo* is

    *k||--+e TAB =lo        the stem, from the token without its last two characters and with an e; then "lo"

`NONE` is the class of tokens that are one word.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache

from palmette.tools.morphology.edit_scripts import apply_script, edited, lower, script_of

NONE = "_"
_STEM, _WORD, _BETWEEN = "*", "=", "\t"
_LEAST = 2  # characters that a stem shares with its token


def class_of(token: str, words: tuple[str, ...] | None) -> str:
    """Return the class of a token with these words.

    >>> class_of("portarlo", ("portare", "lo")), class_of("im", ("in", "dem")), class_of("la", None)
    ('*k||--+e\\t=lo', '=in\\t=dem', '_')
    """
    if words is None:
        return NONE
    shared = [_shared(lower(token), lower(word)) for word in words]
    stem = max(range(len(words)), key=lambda k: (shared[k], len(words[k]))) if max(shared) >= _LEAST else -1
    return _BETWEEN.join(
        _STEM + _script(token, word) if k == stem else _WORD + word for k, word in enumerate(words)
    )


@lru_cache(maxsize=1 << 16)
def expanded(name: str, token: str) -> tuple[str, ...] | None:
    """Return the words of a token by its class; None if the class does not fit, or is that of one word.

    >>> expanded("*k||--+e\\t=lo", "cantarlo")
    ('cantare', 'lo')
    """
    if name == NONE:
        return None
    words = []
    for item in name.split(_BETWEEN):
        word = apply_script(item[1:], token) if item[0] == _STEM else item[1:]
        if not word:
            return None
        words.append(word)
    return tuple(words)


@lru_cache(maxsize=1 << 16)
def edges(name: str, token: str) -> tuple[str, str]:
    r"""Return the characters, in small letters, that a class with a stem takes from a token that it fits.

    >>> edges("*k||--+e\t=lo", "Cantarlo")
    ('', 'lo')
    """
    script = next(item[1:] for item in name.split(_BETWEEN) if item[0] == _STEM)
    before, after = edited(script, token)
    return lower(before), lower(after)


def has_stem(name: str) -> bool:
    """Whether the class can be that of other tokens than those it was seen with."""
    return any(item[0] == _STEM and not item.startswith("*=") for item in name.split(_BETWEEN))


def is_class(name: str) -> bool:
    """Whether a string from a file is a class."""
    items = name.split(_BETWEEN)
    return name == NONE or (len(items) > 1 and all(len(i) > 1 and i[0] in (_STEM, _WORD) for i in items))


def _script(token: str, word: str) -> str:
    """The script from a token to its stem; where the case of letters stays, it says no more about it."""
    script = script_of(token, word)
    kept = "k" + script[script.find("|") :]
    return kept if "|" in script and apply_script(kept, token) == word else script


def _shared(token: str, word: str) -> int:
    """How many characters in a row both have."""
    return SequenceMatcher(None, token, word, autojunk=False).find_longest_match().size
