"""Words that mean the same whatever the database is about: superlatives, counting, negation, comparison.

A list for each language. `max` and `min` are superlatives, `most` and `fewest` compare numbers of things, and
words that end as superlatives or comparatives do are found by `superlative` and `comparative`. Function words
never name a predicate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class GeneralWords:
    """The general words of a language; a phrase has its words in order."""

    phrases: Mapping[str, tuple[str, ...]]  # by meaning
    function: frozenset[str]
    superlative: tuple[str, ...]  # endings
    comparative: tuple[str, ...]
    time: frozenset[str]  # comparatives that compare years


_ENGLISH = GeneralWords(
    {
        "argmax": ("largest", "biggest", "highest", "greatest", "maximum", "longest", "tallest", "most"),
        "argmin": ("smallest", "lowest", "least", "minimum", "shortest", "fewest"),
        "most": ("most", "the most number of", "the largest number of"),
        "fewest": ("fewest", "least", "the fewest number of", "the smallest number of"),
        "where": ("where",),
        "count": ("how many", "number of", "count", "how much"),
        "sum": ("total", "combined", "sum", "altogether"),
        "average": ("average", "mean"),
        "no": ("no", "not", "without", "excluding", "except", "t", "never", "cannot", "none"),
        "every": ("every",),
        "at least": ("at least",),
        "at most": ("at most",),
        "exactly": ("exactly",),
        "greater": ("more than", "greater than", "over", "above", "more", "greater", "after", "later than"),
        "less": ("less than", "fewer than", "under", "below", "less", "fewer", "before", "earlier than"),
    },
    frozenset(
        """a all also am an and any are as at be been being but by can could did do does each exist for from get
        give go got had has have having he her him his how i if in into is it its just let like list may me my
        name of on one only or other our out s say shall she should show so some tell than that the their them
        then there these they this those through to up us was we were what whether which whom
        whose why will with would you your please kind one ones much many""".split()
    ),
    ("est",),
    ("er",),
    frozenset({"after", "before", "later_than", "earlier_than"}),
)
_GERMAN = GeneralWords(
    {
        "argmax": (
            "grosste",
            "grossten",
            "grosster",
            "hochste",
            "hochsten",
            "langste",
            "langsten",
            "meisten",
        ),
        "argmin": ("kleinste", "kleinsten", "niedrigste", "tiefste", "kurzeste", "wenigsten", "geringste"),
        "most": ("meisten", "die meisten", "am meisten"),
        "fewest": ("wenigsten", "die wenigsten", "am wenigsten"),
        "where": ("wo", "worin"),
        "count": ("wie viele", "wieviele", "anzahl", "anzahl der", "wie viel"),
        "sum": ("insgesamt", "gesamte", "summe", "zusammen"),
        "average": ("durchschnitt", "durchschnittliche", "mittlere", "im durchschnitt"),
        "no": ("nicht", "kein", "keine", "keinen", "keinem", "ohne", "ausser", "nie", "niemals"),
        "every": ("jede", "jeder", "jedes", "jeden", "jedem"),
        "at least": ("mindestens",),
        "at most": ("hochstens",),
        "exactly": ("genau",),
        "greater": ("mehr als", "uber", "mehr", "nach", "spater als"),
        "less": ("weniger als", "unter", "weniger", "vor", "fruher als"),
    },
    frozenset(
        """ab aber alle allen aller alles als am an auch auf aus bei bin bis bist da das dass dein dem den denn
        der des die dies diese diesem diesen dieser dir doch du durch ein eine einem einen einer eines er es
        etwas fur gibt haben hat hatte ich ihm ihn ihr ihre im in ins ist ja kann konnen man mein mich mir mit
        nach nenne noch nun nur ob oder sein seine sich sie sind so um und uns vom von vor war waren warum was
        weil welche welchem welchen welcher welches wenn wer werden wessen wie wir wird wo wohin worin zeige zu
        zum zur bitte""".split()
    ),
    ("ste", "sten", "ster", "stes"),
    ("er", "ere", "eren", "erer", "eres"),
    frozenset({"nach", "vor", "spater_als", "fruher_als"}),
)
LANGUAGES: Mapping[str, GeneralWords] = {"en": _ENGLISH, "de": _GERMAN}


def general_words(language: str) -> GeneralWords:
    """Return the general words of a language; ValueError for a language without a list."""
    if language not in LANGUAGES:
        raise ValueError(f"The 'language' parameter must be one of {', '.join(LANGUAGES)}. Got {language!r}.")
    return LANGUAGES[language]
