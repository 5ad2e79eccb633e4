"""German sentences and their English translations, made by a small grammar: `python sentences.py`.

The two sides differ as the languages do: German verbs come second, or last in clauses and after modal verbs and
"hat", an adverb in front moves the subject behind the verb, articles and adjectives have gender and case.
"""

from __future__ import annotations

import random
from pathlib import Path

NOUNS = {  # German noun: gender, English noun
    "Hund": ("m", "dog"),
    "Mann": ("m", "man"),
    "Garten": ("m", "garden"),
    "Tisch": ("m", "table"),
    "Brief": ("m", "letter"),
    "Apfel": ("m", "apple"),
    "Katze": ("f", "cat"),
    "Frau": ("f", "woman"),
    "Blume": ("f", "flower"),
    "Zeitung": ("f", "newspaper"),
    "Lampe": ("f", "lamp"),
    "Brücke": ("f", "bridge"),
    "Kind": ("n", "child"),
    "Haus": ("n", "house"),
    "Buch": ("n", "book"),
    "Fenster": ("n", "window"),
    "Bild": ("n", "picture"),
    "Boot": ("n", "boat"),
}
PEOPLE = ("Hund", "Mann", "Katze", "Frau", "Kind")
ADJECTIVES = {
    "alt": "old",
    "klein": "small",
    "groß": "big",
    "neu": "new",
    "rot": "red",
    "schön": "beautiful",
}
ARTICLES = {  # definite: gender and case to the article and the ending of an adjective
    ("m", "nom"): ("der", "e"),
    ("m", "acc"): ("den", "en"),
    ("f", "nom"): ("die", "e"),
    ("f", "acc"): ("die", "e"),
    ("n", "nom"): ("das", "e"),
    ("n", "acc"): ("das", "e"),
}
INDEFINITE = {
    ("m", "nom"): ("ein", "er"),
    ("m", "acc"): ("einen", "en"),
    ("f", "nom"): ("eine", "e"),
    ("f", "acc"): ("eine", "e"),
    ("n", "nom"): ("ein", "es"),
    ("n", "acc"): ("ein", "es"),
}
VERBS = (  # third person, participle and infinitive, German and English
    ("sieht", "gesehen", "sehen", "sees", "seen", "see"),
    ("kauft", "gekauft", "kaufen", "buys", "bought", "buy"),
    ("findet", "gefunden", "finden", "finds", "found", "find"),
    ("sucht", "gesucht", "suchen", "looks for", "looked for", "look for"),
    ("malt", "gemalt", "malen", "paints", "painted", "paint"),
    ("holt", "geholt", "holen", "fetches", "fetched", "fetch"),
)
MODALS = {"will": "wants to", "muss": "has to", "kann": "can", "darf": "may"}
ADVERBS = {"heute": "today", "morgen": "tomorrow", "jetzt": "now", "oft": "often"}


def noun_phrase(draw: random.Random, case: str) -> tuple[str, str]:
    """A noun with an article and, sometimes, an adjective."""
    noun = draw.choice(PEOPLE if case == "nom" else tuple(NOUNS))
    gender, english = NOUNS[noun]
    definite = draw.random() < 0.6
    article, ending = (ARTICLES if definite else INDEFINITE)[gender, case]
    adjective = draw.choice([*ADJECTIVES, "", "", ""])
    words = [ADJECTIVES[adjective]] if adjective else []
    first = "the" if definite else "an" if [*words, english][0][0] in "aeiou" else "a"
    german = [article, *([adjective + ending] if adjective else []), noun]
    return " ".join(german), " ".join([first, *words, english])


def clause(draw: random.Random, *, last: bool) -> tuple[str, str]:
    """A clause with its verb second, or last as after "weil"."""
    (de_subject, en_subject), (de_object, en_object) = noun_phrase(draw, "nom"), noun_phrase(draw, "acc")
    now, done, base, en_now, en_done, en_base = draw.choice(VERBS)
    negated = draw.random() < 0.15
    adverb = draw.choice([*ADVERBS, "", "", ""])
    kind = draw.choice(("present", "perfect", "modal"))
    if kind == "present":
        finite, rest = now, ""
        english = f"does not {en_base}" if negated else en_now
    elif kind == "perfect":
        finite, rest = "hat", done
        english = f"has not {en_done}" if negated else f"has {en_done}"
    else:
        finite = draw.choice([*MODALS])
        rest, modal = base, MODALS[finite]
        no = {"wants to": "does not want to", "has to": "does not have to", "can": "cannot", "may": "may not"}
        english = f"{no[modal] if negated else modal} {en_base}"
    middle = " ".join(filter(None, [de_object, "nicht" if negated else ""]))
    if last:
        german = [de_subject, adverb, middle, rest, finite]
    elif adverb and draw.random() < 0.5:
        german = [adverb, finite, de_subject, middle, rest]
    else:
        german = [de_subject, finite, adverb, middle, rest]
    return " ".join(filter(None, german)), " ".join(
        filter(None, [en_subject, english, en_object, ADVERBS.get(adverb, "")])
    )


def sentence(draw: random.Random) -> tuple[str, str]:
    """A sentence and its translation."""
    german, english = clause(draw, last=False)
    kind = draw.random()
    if kind < 0.2:
        more = clause(draw, last=True)
        return f"{german} , weil {more[0]} .", f"{english} , because {more[1]} ."
    if kind < 0.3:
        more = clause(draw, last=False)
        return f"{german} , und {more[0]} .", f"{english} , and {more[1]} ."
    return f"{german} .", f"{english} ."


def main() -> None:
    """Write the files of this folder: distinct sentences for training, tuning and testing."""
    draw, seen = random.Random(1), dict[str, str]()
    while len(seen) < 600:
        german, english = sentence(draw)
        seen.setdefault(german, english)
    lines = [f"{german}\t{english}\n" for german, english in seen.items()]
    here = Path(__file__).parent
    for name, part in {"train": lines[:500], "dev": lines[500:550], "test": lines[550:]}.items():
        (here / f"{name}.tsv").write_text("".join(part), encoding="utf-8")


if __name__ == "__main__":
    main()
