"""Regular expressions over the letters of a word: the attribute `/[A-Z].*/` is 1 if the whole word matches.

A letter matches itself, `.` any letter; `[a-z]` and `[^a-z]` are classes, `\\d \\w \\s` those of Python; there are
`|`, `*`, `+`, `?`, `{m,n}` and parentheses. `(?i)` at the beginning ignores case. A backslash takes what follows
as it is. Back references and looking around are refused: so a word takes time in proportion to its length,
whatever the expression. Every word type is matched once.
"""

from __future__ import annotations

import re
from functools import lru_cache

from palmette._native import FeatureValues
from palmette.expressions import Nfa, Parser, Token

_TOKEN = re.compile(
    r"""(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<escape>\\.)|(?P<count>\{\d*(?:,\d*)?\})
    |(?P<group>\(\?:)|(?P<special>\(\?|\[|\\)|(?P<operator>[|*+?()])|(?P<letter>.)""",
    re.VERBOSE | re.DOTALL,
)
_FOLD = "(?i)"
_MOST_SETS = 10_000  # states that are remembered


def is_expression(name: str) -> bool:
    """Tell whether the name of an attribute is an expression between slashes."""
    return len(name) > 2 and name[0] == name[-1] == "/"


def expression_values(name: str, strings: list[str]) -> FeatureValues:
    """Return `1` for every string that the expression of a name matches as a whole; the others have no value."""
    expression = compiled(name)
    return FeatureValues.of(["1" if expression.matches(string) else None for string in strings])


@lru_cache(maxsize=1000)
def compiled(name: str) -> WordExpression:
    """Return the expression of a name; ValueError if it is not well formed.

    >>> [compiled("/[A-Z]+|\\\\d{4}/").matches(word) for word in ("USA", "1984", "Usa")]
    [True, True, False]
    """
    return WordExpression(name[1:-1])


class WordExpression:
    """An expression, as an automaton whose states are sets of nodes; those that words lead to are remembered."""

    def __init__(self, text: str) -> None:
        self._text = text
        fold = text.startswith(_FOLD)
        self._tokens = [
            _plain(Token(str(found.lastgroup), found.group(), found.start()))
            for found in _TOKEN.finditer(text, len(_FOLD) if fold else 0)
        ]
        self._tests: dict[str, int] = {}  # the number of every class of letters
        self._nfa, self._end = Nfa.of(Parser(self._tokens, self._wanted, self._error).whole())
        flags = re.DOTALL | (re.IGNORECASE if fold else 0)
        self._classes = [re.compile(test, flags).fullmatch for test in self._tests]
        self._letters: dict[str, frozenset[int]] = {}
        self._start = self._nfa.closure([0])
        self._steps: dict[tuple[frozenset[int], frozenset[int]], frozenset[int]] = {}

    def matches(self, word: str) -> bool:
        """Tell whether the whole word matches; in time that is linear in its length."""
        state = self._start
        for letter in word:
            kinds = self._letters.get(letter)
            if kinds is None:
                kinds = frozenset(k for k, test in enumerate(self._classes) if test(letter))
                self._letters[letter] = kinds
            following = self._steps.get((state, kinds))
            if following is None:
                following = self._after(state, kinds)
                if len(self._steps) >= _MOST_SETS:
                    self._steps.clear()
                self._steps[state, kinds] = following
            if not following:
                return False
            state = following
        return self._end in state

    def _after(self, state: frozenset[int], kinds: frozenset[int]) -> frozenset[int]:
        steps = (step for node in state if (step := self._nfa.reading[node]) is not None)
        return self._nfa.closure([to for wanted, to in steps if wanted & kinds])

    def _wanted(self, at: int) -> frozenset[int]:
        kind, text, _ = self._tokens[at]
        if kind == "special":
            raise self._error(at, f"{text!r} has no meaning there")
        if kind == "escape" and text[1].isalnum() and text[1] not in "dDwWsS":
            raise self._error(
                at, f"{text!r} has no meaning; there are \\d, \\w, \\s and, in capitals, what is not"
            )
        test = re.escape(text) if kind == "letter" and text != "." else text
        try:
            re.compile(test)
        except re.error as error:
            raise self._error(at, f"{text!r} is not a class of letters: {error.msg}") from None
        return frozenset([self._tests.setdefault(test, len(self._tests))])

    def _error(self, at: int, what: str) -> ValueError:
        place = self._tokens[at].place if at < len(self._tokens) else len(self._text)
        return ValueError(f"in the expression /{self._text}/, character {place + 1}: {what}")


def _plain(token: Token) -> Token:
    """The token with an opening parenthesis in place of `(?:`."""
    return Token("operator", "(", token.place) if token.kind == "group" else token
