"""Edit scripts: how one string becomes another, in a form that fits other strings as well.

A script turns *flies* into *fly*, and *cries* into *cry*: it removes three characters at the end and adds a y.
What two strings share longest is kept; what is before and after it is edited, and the case of letters is a rule of
its own.

    CASE|PREFIX|SUFFIX      "l||---+y": all in lower case, the last three characters removed, y added
    =TARGET                 a string that shares nothing with the form: "=be" for "was"

An edit of a prefix (from the first character) or suffix (up to the last) is a row of steps: "." keeps a
character, "-" removes one, "+c" adds the character c. CASE is "l" (lower), "t" (lower, the first character in
upper case), "k" (each kept character as in the form, each added one as the script has it), "u" (upper), or
"c0,3": lower but for the characters 0 and 3. The first rule that gives the right result is taken, so equal
changes have equal scripts.

`script_of` costs the product of the two lengths, `apply_script` their sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

KEEP, REMOVE, ADD = ".", "-", "+"
_LITERAL, _BORDER = "=", "|"
_CASES = "ltku"
_LARGEST = 1_000_000  # cells of a comparison: longer strings are replaced as a whole


def script_of(form: str, target: str) -> str:
    """Return the script that turns `form` into `target`; ValueError if the target is empty.

    >>> script_of("flies", "fly"), script_of("Häuser", "Haus"), script_of("was", "be")
    ('l||---+y', 't|.-+a|--', '=be')
    """
    if not target:
        raise ValueError("An edit script needs a target with at least one character.")
    edits = _edits(lower(form), lower(target))
    if edits is not None:
        for case in (*_CASES, _listed(target)):
            script = f"{case}{_BORDER}{edits}"
            if apply_script(script, form) == target:
                return script
    return _LITERAL + target


def apply_script(script: str, form: str) -> str | None:
    """Return what the script makes of `form`; None if it does not fit, or if nothing would be left.

    >>> apply_script("l||---+y", "Cries"), apply_script("l||---+y", "is")
    ('cry', None)
    """
    if script.startswith(_LITERAL):
        return script[1:] or None
    parsed = _parsed(script)
    if parsed is None or parsed.taken > len(form):
        return None
    case, prefix, suffix, begin, end = parsed[:5]
    last = len(form) - end
    if not prefix and not suffix:
        made = form
    else:
        made = _edited(prefix, form[:begin]) + form[begin:last] + _edited(suffix, form[last:])
    return _cased(case, made, parsed.places) or None


def edited(script: str, form: str) -> tuple[str, str]:
    """Return what the script edits of `form`, which it fits: the first characters and the last.

    >>> edited("l||---+y", "cries"), edited("=be", "was")
    (('', 'ies'), ('was', ''))
    """
    parsed = _parsed(script)
    if parsed is None:
        return form, ""
    return form[: parsed.begin], form[len(form) - parsed.end :]


def lower(text: str) -> str:
    """Return the text in lower case, character by character, so that its length stays.

    >>> lower("İZMİR"), lower("ẞ")
    ('izmir', 'ß')
    """
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(_lower_character(c) for c in text)


def _lower_character(c: str) -> str:
    lowered = c.lower()  # of the letters that become longer, as İ does, the first character
    return lowered if len(lowered) == 1 else lowered[0]


def upper(text: str) -> str:
    """Return the text in upper case, character by character; what would become longer stays."""
    raised = text.upper()
    if len(raised) == len(text):
        return raised
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in text)


class _Script(NamedTuple):
    """A script taken apart: `begin` and `end` characters of the form are edited at its two sides."""

    case: str
    prefix: tuple[str, ...]
    suffix: tuple[str, ...]
    begin: int
    end: int
    taken: int
    places: frozenset[int]


@lru_cache(maxsize=65536)
def _parsed(script: str) -> _Script | None:
    """The script taken apart, or None if it is not one."""
    case, border, rest = script.partition(_BORDER)
    places: frozenset[int] = frozenset()
    if case[:1] == "c":
        numbers = case[1:].split(",")
        if not all(number.isascii() and number.isdigit() and len(number) < 7 for number in numbers):
            return None
        places = frozenset(map(int, numbers))
    elif case not in set(_CASES):
        return None
    steps = list(_steps(rest))
    if not border or None in steps or steps.count(_BORDER) != 1:
        return None
    found = [step for step in steps if step is not None]
    at = found.index(_BORDER)
    prefix, suffix = tuple(found[:at]), tuple(found[at + 1 :])
    begin, end = _length(prefix), _length(suffix)
    return _Script(case[0], prefix, suffix, begin, end, begin + end, places)


def _steps(text: str) -> Iterator[str | None]:
    """The steps of two edits and the border between them; None for anything else."""
    at = 0
    while at < len(text):
        c = text[at]
        size = 2 if c == ADD else 1
        yield text[at : at + size] if c in (KEEP, REMOVE, ADD, _BORDER) and at + size <= len(text) else None
        at += size


def _length(steps: tuple[str, ...]) -> int:
    return sum(step in (KEEP, REMOVE) for step in steps)


def _edited(steps: tuple[str, ...], text: str) -> str:
    out, at = [], 0
    for step in steps:
        if step[0] == ADD:
            out.append(step[1])
            continue
        if step == KEEP:
            out.append(text[at])
        at += 1
    return "".join(out)


def _cased(case: str, text: str, places: frozenset[int]) -> str:
    if case == "k":
        return text
    if case == "u":
        return upper(text)
    lowered = lower(text)
    if case == "t":
        return upper(lowered[:1]) + lowered[1:]
    if case == "c":
        return "".join(upper(c) if k in places else c for k, c in enumerate(lowered))
    return lowered


def _listed(target: str) -> str:
    """The rule that names the characters in upper case."""
    return "c" + ",".join(str(k) for k, c in enumerate(target) if lower(c) != c)


def _edits(form: str, target: str) -> str | None:
    """Both edits around the longest string that the two share; None if they share nothing."""
    if len(form) * len(target) > _LARGEST:
        return None
    i, j, size = SequenceMatcher(None, form, target, autojunk=False).find_longest_match()
    if not size:
        return None
    return _edit(form[:i], target[:j]) + _BORDER + _edit(form[i + size :], target[j + size :])


def _edit(a: str, b: str) -> str:
    """The shortest row of steps from a to b; removals come before additions.

    costs[i][j], the steps from a[i:] to b[j:], is the least of costs[i+1][j] + 1, costs[i][j+1] + 1, and, where
    the characters agree, costs[i+1][j+1].
    """
    costs = [[len(a) - i + len(b) - j for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            least = 1 + min(costs[i + 1][j], costs[i][j + 1])
            costs[i][j] = min(least, costs[i + 1][j + 1]) if a[i] == b[j] else least
    i = j = 0
    steps = []
    while i < len(a) or j < len(b):
        if i < len(a) and j < len(b) and a[i] == b[j] and costs[i][j] == costs[i + 1][j + 1]:
            steps.append(KEEP)
            i, j = i + 1, j + 1
        elif i < len(a) and costs[i][j] == 1 + costs[i + 1][j]:
            steps.append(REMOVE)
            i += 1
        else:
            steps.append(ADD + b[j])
            j += 1
    return "".join(steps)
