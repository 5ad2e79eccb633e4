"""What counts when trees are compared, and the parameter files of EVALB and disco-dop that say so.

A parameter file has a name and values on each line; `#` begins a comment:

    DELETE_LABEL TOP              its brackets do not count; words with this tag are taken out
    DELETE_LABEL_FOR_LENGTH TAG   words with this tag do not count for the length of a sentence
    DELETE_WORD ,                 the word is taken out
    DELETE_ROOT_PRETERMS 1        words right below the root are taken out
    EQ_LABEL ADVP PRT             the two are the same label; EQ_WORD: the same word
    CUTOFF_LEN 40                 the limit of the class of short sentences
    LABELED 0                     brackets count without their labels
    DISC_ONLY 1                   only discontinuous brackets count
"""

from __future__ import annotations

from dataclasses import dataclass

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text
from palmette.formats.functions import PENN, Functions


@dataclass(frozen=True)
class BracketRules:
    """What is left out of the count, and what counts as the same.

    punctuation: tags whose words are taken out. empty: tags whose words do not count, as each tree has them.
    ignored: labels whose brackets do not count. same: pairs of labels. length: the limit of the class of short
    sentences; unmeasured: tags whose words do not count for it. words: words that are taken out. same_words: their
    pairs. root_words: words right below the root are taken out. labelled: labels must agree. labels: how they
    hold functions (`NP-SBJ`). functions: these count, indices apart. discontinuous: only brackets with gaps count.
    as_evalb: leave out, as EVALB does, sentences where gold and guess do not agree on which words are taken out;
    else gold decides.
    """

    punctuation: frozenset[str] = frozenset({",", ":", "``", "''", "."})
    empty: frozenset[str] = frozenset({"-NONE-"})
    ignored: frozenset[str] = frozenset({"TOP", "S1", "ROOT", "VROOT", ""})
    same: tuple[tuple[str, str], ...] = (("PRT", "ADVP"),)
    length: int = 40
    unmeasured: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    same_words: tuple[tuple[str, str], ...] = ()
    root_words: bool = False
    labelled: bool = True
    labels: Functions = PENN
    functions: bool = False
    discontinuous: bool = False
    as_evalb: bool = False


COLLINS = BracketRules()
EVERYTHING = BracketRules(punctuation=frozenset(), same=())
# What disco-dop counts by default: no punctuation of any treebank, by tag or by word, and no roots.
DISCODOP = BracketRules(
    punctuation=frozenset(
        [
            *",:.",
            "``",
            "''",
            "$,",
            "$(",
            "$[",
            "$.",
            "PUNCT",
            "punct",
            "LET",
            "let",
            "LET[]",
            "let[]",
            "LET()",
            "let()",
        ]
    ),
    ignored=frozenset({"TOP", "ROOT", "VROOT", "NOPARSE"}),
    words=frozenset(". , : ; ' ` \" `` '' - ( ) / & $ ! !!! ? ?? ??? .. ... « »".split()),
    same_words=(("-LRB-", "("), ("-RRB-", ")")),
)
RULES = {
    "collins": COLLINS,
    "discodop": DISCODOP,
    "everything": EVERYTHING,
}  # by the names that commands know

_NAMES = {
    "DELETE_LABEL": "labels",
    "DELETE_LABEL_FOR_LENGTH": "unmeasured",
    "DELETE_WORD": "words",
    "EQ_LABEL": "same",
    "EQ_WORD": "same_words",
}
_UNUSED = ("DEBUG", "MAX_ERROR", "QUOTE_LABEL", "TED", "DEP")  # they say what to print, or when to give up
_EMPTY = frozenset({"-NONE-"})


def read_rules(source: Source) -> BracketRules:
    """The rules of a parameter file (`.prm`); FormatError, with the line, for one that it cannot read."""
    return parse_rules(read_text(source), path=display_name(source))


def parse_rules(text: str, *, path: str | None = None) -> BracketRules:
    """The rules of the text of a parameter file.

    >>> parse_rules("DELETE_LABEL TOP\\nEQ_LABEL ADVP PRT\\nCUTOFF_LEN 10").length
    10
    """
    lists: dict[str, list[str]] = {name: [] for name in _NAMES.values()}
    numbers = {"CUTOFF_LEN": 40, "LABELED": 1, "DISC_ONLY": 0, "DELETE_ROOT_PRETERMS": 0}
    for number, line in enumerate(text.splitlines(), 1):
        name, *values = line.split()[:3] if line.strip() else ["#"]
        if name.startswith("#") or name in _UNUSED:
            continue
        wanted = 2 if name.startswith("EQ_") else 1
        if name not in _NAMES and name not in numbers:
            known = ", ".join([*_NAMES, *numbers])
            raise FormatError(f"no parameter {name!r}: there are {known}", path=path, line=number)
        if len(values) < wanted:
            raise FormatError(f"{name} needs {wanted} value{'s'[: wanted - 1]}", path=path, line=number)
        if name in _NAMES:
            lists[_NAMES[name]] += values[:wanted]
        elif values[0].isdecimal():
            numbers[name] = int(values[0])
        else:
            raise FormatError(f"{name} needs a number. Got {values[0]!r}", path=path, line=number)
    deleted = frozenset(lists["labels"])
    return BracketRules(
        punctuation=deleted - _EMPTY,
        empty=deleted & _EMPTY,
        ignored=deleted,
        same=_pairs(lists["same"]),
        length=numbers["CUTOFF_LEN"],
        unmeasured=frozenset(lists["unmeasured"]),
        words=frozenset(lists["words"]),
        same_words=_pairs(lists["same_words"]),
        root_words=bool(numbers["DELETE_ROOT_PRETERMS"]),
        labelled=bool(numbers["LABELED"]),
        discontinuous=bool(numbers["DISC_ONLY"]),
    )


def _pairs(values: list[str]) -> tuple[tuple[str, str], ...]:
    return tuple(zip(values[::2], values[1::2]))
