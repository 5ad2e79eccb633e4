"""Small analyses of a text in CoNLL-U, good ones and bad ones."""

from __future__ import annotations

from itertools import product


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


# Treebanks with their raw text


def treebank(*sentences: tuple[str, list[tuple[str, ...]]]) -> str:
    """Sentences as CoNLL-U: the text, and its tokens in order, those of several words as (token, word, word …)."""
    lines = []
    for text, tokens in sentences:
        lines.append(f"# text = {text}")
        number, place = 1, 0
        for token, *words in tokens:
            place = text.index(token[0], place) + len(token)
            misc = "_" if place >= len(text) or text[place].isspace() else "SpaceAfter=No"
            if words:
                lines.append(_line(f"{number}-{number + len(words) - 1}", token, misc))
            for word in words or [token]:
                lines.append(_line(str(number), word, "_" if words else misc))
                number += 1
        lines.append("")
    return "\n".join(lines) + "\n"


def _line(number: str, form: str, misc: str) -> str:
    return "\t".join([number, form, *["_"] * 7, misc])


ENGLISH = treebank(
    *(
        (f"{name} {verb}{end}", [(name,), (verb,), (end,)])
        for name, verb, end in product(["Anna", "Ben", "Cleo"], ["sleeps", "goes", "sings", "jumps"], ".!?")
    ),
    *(
        (f"{name} {verb}n't {other}.", [(name,), (f"{verb}n't", verb, "n't"), (other,), (".",)])
        for name, verb, other in product(["Anna", "Ben"], ["did", "does", "would"], ["go", "sleep", "sing"])
    ),
    *((f"{name}, go!", [(name,), (",",), ("go",), ("!",)]) for name in ("Anna", "Ben", "Cleo", "Dora")),
    *[("Go!", [("Go",), ("!",)])] * 4,
)
JAPANESE = treebank(
    *(
        (f"{noun}{particle}{verb}。", [(noun,), (particle,), (verb,), ("。",)])
        for noun, particle, verb in product(["犬", "猫", "鳥", "学生"], "がはも", ["寝る", "食べる", "走る"])
    )
).replace("\t。\t_\t_\t_\t_\t_\t_\t_\t_", "\t。\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No")
VIETNAMESE = treebank(
    *(
        (f"{noun} có {other}.", [(noun,), ("có",), (other,), (".",)])
        for noun, other in product(
            ["Việt Nam", "Hà Nội", "nhà", "sinh viên"], ["học sinh", "hoa", "sinh viên", "xe máy", "nhà"]
        )
    )
)
