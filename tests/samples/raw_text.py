"""Small analyses of a text in CoNLL-U, good ones and bad ones."""

from __future__ import annotations


def row(number: object, form: str, head: object = "_", relation: str = "_", **columns: str) -> str:
    values = [columns.get(name, "_") for name in ("lemma", "upos", "xpos", "feats")]
    return "\t".join([str(number), form, *values, str(head), relation, "_", "_"]) + "\n"


GOLD = (
    row(1, "can", 3, "aux", upos="AUX", lemma="can")
    + row(2, "not", 3, "advmod", upos="PART", lemma="not", feats="Polarity=Neg")
    + row(3, "go", 0, "root", upos="VERB", lemma="go", feats="VerbForm=Inf|Odd=Yes")
    + row(4, "home", 3, "obl:to", upos="ADV", lemma="_")
    + "\n"
)
GUESS = (
    row(1, "cannot", 2, "aux", upos="AUX", lemma="can")
    + row(2, "go", 0, "root", upos="VERB", lemma="go", feats="VerbForm=Inf")
    + "\n"
    + row(1, "home", 0, "root", upos="NOUN", lemma="home")
    + "\n"
)


TREE = row(1, "a", 0, "root") + row(2, "b", 1, "dep") + "\n"
BAD = {
    "other text": ("# one\n" + row(1, "a", 0) + row("2-3", "cd") + row(2, "c", 1) + row(3, "d", 1) + "\n", 3,
                   "the text is 'cd' here, but 'b' at {gold}:2: both files must have the same text"),
    "too short": (row(1, "a", 0) + "\n", 1, "the text ends here, but goes on with 'b' at {gold}:2"),
    "too long": (TREE + row(1, "c", 0) + "\n", 4, "the text goes on with 'c', but ends at {gold}:2"),
    "cycle": (row(1, "a", 2) + row(2, "b", 1) + "\n", 1, "the heads go round in a circle, 1 → 2 → 1"),
    "roots": (row(1, "a", 0) + row(2, "b", 0) + "\n", 2, "a second root, word 2 after word 1"),
    "no head": (row(1, "a", 0) + row(2, "b") + "\n", 2, "a word without a head"),
    "range": (row("1-3", "ab") + TREE, 1, "the range ends at 3 in a sentence of 2 tokens"),
    "spaces": (row(1, "\u3000", 0) + row(2, "ab", 1) + "\n", 1, "a FORM of nothing but spaces"),
    "empty": ("", None, "no sentences"),
}  # fmt: skip
