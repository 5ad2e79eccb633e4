"""Where the tokens of a chunk of text without white space begin and end: one regular expression and a few rules.

The expression takes, from left to right, the first that fits of: addresses, e-mails, emoticons, emoji, names with
@ and #, dates, telephone numbers, numbers, abbreviations with full stops, words, runs of one punctuation mark, any
character. Every part that may look ahead and fail is bounded, so that the time is linear whatever comes in. Then
words are cut where a language cuts them: `do|n't`, `l'|eau`, `well|-|known`.

Runs of characters of a script without spaces (Chinese, Japanese, Thai) stay one token between punctuation marks:
finding words in them is a task for a model, not for rules.
"""

from __future__ import annotations

import re

from palmette.tools.text.languages import Language

# letters, digits and the marks that combine with them, which \w leaves out; Indic and Southeast Asian blocks
# whole, without their full stops
_MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0963\u0966-\u0dff"
    "\u0e00-\u0e4e\u0e50-\u0e59\u0e81-\u0ece\u0ed0-\u0f03\u0f18-\u0fbc\u1000-\u1049\u1050-\u109f\u135d-\u135f"
    "\u1780-\u17d3\u17e0-\u17e9\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200d\u2060\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f"
    "\ufeff"
)
_WORD = rf"(?!_)[\w{_MARKS}]+(?<!_)"  # underscores inside, not around
_NOT_C = rf"(?![^\W_]|[{_MARKS}])"
_A = r"[^\W\d_]"  # a letter
_EMOJI = "[\u2600-\u27bf\u2b00-\u2bff\u2300-\u23ff\U0001f000-\U0001faff]"
_APOSTROPHES = "'’ʼ`´"
_ENDINGS = "com|org|net|edu|gov|mil|info|biz|html?|php|asp|doc|xls|pdf|ppt|txt|jpe?g|gif|png|zip|exe|mp3|csv"

_LONGEST = 64  # no word is longer: what is, is taken as it is, so that the time stays linear
_UNITS = "[ap]m|[ap]\\.m|hrs?|mins?|yrs?|[kmb]|[bm]n|mm|cm|km|kg|mg|ml|[mg]b|[mg]hz|mph|ft|lbs?|oz|in"

_EXPRESSION = rf"""
    (?:(?:https?|ftp|file|news)://|mailto:)[^\s<>"“”«»]*[^\s<>"“”«».,;:!?'’)\]}}*]      # addresses
  | www\d?\.[^\s<>"“”«»]*[^\s<>"“”«».,;:!?'’)\]}}*]
  | [\w.+%-]{{1,64}}@(?:[\w-]{{1,63}}\.){{1,8}}[^\W\d_]{{2,24}}                      # e-mails
  | (?i:(?:[\w-]{{1,63}}\.){{1,6}}(?:{_ENDINGS})\b)(?:/[^\s<>"“”«»),;]*[\w/])?         # hosts and files
  | (?:[:;=]['^o-]?(?:[()\[\]{{}}|*]+|[DPpOo3SsXx@$]+{_NOT_C}|[\\/]+(?![/\w]))
      |[(]{{1,3}}[:;=](?!\w)|[xX]D+{_NOT_C}|<3+(?!\d)|\^[_.]*\^|[-~>][_.]+[-~<](?!\w))     # emoticons
  | [\U0001f1e6-\U0001f1ff]{{2}}                                                     # flags
  | {_EMOJI}[\ufe0f\U0001f3fb-\U0001f3ff]*(?:\u200d{_EMOJI}[\ufe0f\U0001f3fb-\U0001f3ff]*)*
  | [^\W\d]\w{{0,62}}@[^\W\d]\w* | [@\#][^\W\d]\w*                                     # names
  | \.(?i:{_ENDINGS}){_NOT_C}
  | \d{{1,4}}[/]\d{{1,2}}[/]\d{{2,4}}{_NOT_C}                                        # dates
  | \d{{1,4}}-\d{{1,2}}-\d{{1,4}}{_NOT_C}
  | (?:\+?\d{{1,3}}[-./])?(?:\(\d{{3}}\)|\d{{3}})[-./]\d{{3}}[-.]\d{{4}}{_NOT_C}     # telephones
  | \d{{3}}-\d{{4}}{_NOT_C}
  | (?!(?:1/[2-9]|[2-7]/[2-8]){_NOT_C})(?<![\d/])(?:1[012]|0?[1-9])/(?:3[01]|[12]\d|0?[1-9])(?![\d/])    # 9/11
  | (?:\+?\d+(?:[.,:]\d+)*|(?<!\w)\.\d+)                                             # numbers
      (?:(?!(?i:{_UNITS}){_NOT_C}){_WORD})?
  | (?<!\w)['’]\d\ds?{_NOT_C} | (?i:['’](?:s|re|ve|ll|d|m|em|til|cause)){_NOT_C}     # '90s, 's
  | (?<![\w/])(?!(?i:c/o)){_A}/{_A}(?![\w/])                                         # w/o
  | [a-z]{{2,20}}(?:\.[a-z]{{2,20}}){{2,8}}{_NOT_C}                                    # news groups
  | (?:{_A}\.){{2,12}}(?:{_A}{_NOT_C})?(?!{_A}{{2}})                                 # U.S., p.m., e.g
  | [Cc]\+\+(?!\+)
  | {_WORD}(?:&{_WORD})*(?:['’ʼ`´]{_WORD})*                                            # words
  | \.{{2,}} | …+\.* | [!?]+[.!?]* | [。！？]+ | \.\?+ | -{{2,}} | ={{2,}} | _+ | \*+ | ~+
  | \#{{2,}} | \|+ | \+{{2,}} | <{{2,}} | >{{2,}} | \${{2,}} | /{{2,}} | \\{{2,}} | ''|``|,,|’’|‘’|‘‘
  | .
"""


class Rules:
    """The rules of one language: `pieces(chunk)` gives the tokens, whose concatenation is the chunk."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._expression = re.compile(_EXPRESSION, re.VERBOSE | re.DOTALL)
        self._abbreviations = language.abbreviations
        self._prefixes = language.joined_prefixes
        self._pronouns = re.compile(language.tied) if language.tied else None
        self._endings = [re.compile(ending) for ending in language.endings]
        self._beginnings = re.compile(language.beginnings) if language.beginnings else None

    def pieces(self, chunk: str) -> list[str]:
        """The tokens of a chunk without white space."""
        if chunk.isalpha():
            return self._words(chunk)
        if (
            chunk[-1] in ".,;:!?"
            and (word := chunk[:-1]).isalpha()
            and word.lower() not in self._abbreviations
        ):
            return [*self._words(word), chunk[-1]]
        found: list[str] = []
        for match in self._expression.finditer(chunk):
            piece = match.group()
            if len(piece) > 1 and (piece[0].isalpha() or piece[0] in _APOSTROPHES):
                found += self._words(piece)
            else:
                found.append(piece)
        return self._joined(found) if len(found) > 1 else found

    def _words(self, word: str) -> list[str]:
        """A word cut at its clitics."""
        cut = self.language.irregular.get(word.lower())
        if cut is not None:
            return _cut(word, cut)
        if len(word) > _LONGEST or "." in word or "@" in word:
            return [word]
        before: list[str] = []
        if self._beginnings is not None and (match := self._beginnings.match(word)):
            before, word = [match.group()], word[match.end() :]
        for ending in self._endings:
            if match := ending.search(word):
                if match.start():
                    return [*before, *self._words(word[: match.start()]), match.group()]
                break
        return [*before, word] if word else before

    def _joined(self, pieces: list[str]) -> list[str]:
        """Puts full stops to abbreviations and hyphens into words, where the language has them there."""
        joined = [pieces[0]]
        for i in range(1, len(pieces)):
            piece, last = pieces[i], joined[-1]
            following = pieces[i + 1] if i + 1 < len(pieces) else ""
            if len(last) <= _LONGEST and self._belongs(piece, last, following):
                joined[-1] += piece
            else:
                joined.append(piece)
        return self._without_pronouns(joined) if self._pronouns is not None else joined

    def _without_pronouns(self, words: list[str]) -> list[str]:
        """Cuts what a hyphen ties to a verb: `va|-t-il`, `donne|-moi`."""
        cut: list[str] = []
        for word in words:
            match = self._pronouns.search(word) if self._pronouns and len(word) <= _LONGEST else None
            if match and match.start() and word.lower() not in self.language.irregular:
                cut += [word[: match.start()], match.group()]
            else:
                cut.append(word)
        return cut

    def _belongs(self, piece: str, last: str, following: str) -> bool:
        if piece == ".":
            return last.lower() in self._abbreviations and not following[:1].isalnum()
        if piece == "-":
            return following != "" and self._takes_hyphen(last, following)
        if piece in _APOSTROPHES:
            return last.lower() in self.language.apocopes
        return last[-1] == "-" and len(last) > 1 and last[-2].isalnum()

    def _takes_hyphen(self, last: str, following: str) -> bool:
        if not (last[-1].isalnum() and following[0].isalnum()):
            return False
        if not self.language.hyphens_split:
            return True
        return last.lower() in self._prefixes or following.lower() in self.language.joined_suffixes


def _cut(word: str, lengths: tuple[int, ...]) -> list[str]:
    cut, begin = [], 0
    for length in lengths:
        cut.append(word[begin : begin + length])
        begin += length
    return cut
