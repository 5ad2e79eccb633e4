"""The sets of templates to begin with, by task."""

from __future__ import annotations

from collections.abc import Callable, Iterable

# Starts and ends in lower case, whole words among them, help in every language, most in Turkish; the first and the
# last sign together are for Chinese. What was tried and left out: flags (digit, title, ...), affixes of the
# neighbours, the set of tags that a word had in training, a second previous label.
POS_WORDS = """
bias
w[-2..2]
lower[0]
w[-1]|w[0]
w[0]|w[1]
start1[0]
start2[0]
start3[0]
start4[0]
start5[0]
start6[0]
start7[0]
end1[0]
end2[0]
end3[0]
end4[0]
end5[0]
end6[0]
end7[0]
start1[0]|end1[0]
shape[0]
shortshape[-1..1]
"""

_CHUNK = """
bias
w[-2..2]
w[-1]|w[0]
w[0]|w[1]
start3[0]
end2[0]
end3[0]
end4[0]
shortshape[0]
y
"""

_CHUNK_TAGS = """
{c}[-2..2]
{c}[-2]|{c}[-1]
{c}[-1]|{c}[0]
{c}[0]|{c}[1]
{c}[1]|{c}[2]
{c}[-2]|{c}[-1]|{c}[0]
{c}[-1]|{c}[0]|{c}[1]
{c}[0]|{c}[1]|{c}[2]
w[-1]|{c}[0]
{c}[0]|w[1]
"""

_NER = """
bias
w[-2..2]
lower[-1..1]
w[-1]|w[0]
w[0]|w[1]
start1[0]
start2[0]
start3[0]
start4[0]
end1[0]
end2[0]
end3[0]
end4[0]
shape[0]
shortshape[-2..2]
shortshape[-1]|shortshape[0]
shortshape[0]|shortshape[1]
shortshape[-1]|shortshape[0]|shortshape[1]
y
"""

_NER_TAGS = """
{c}[-2..2]
{c}[-1]|{c}[0]
{c}[0]|{c}[1]
{c}[-1]|{c}[0]|{c}[1]
{c}[0]|shortshape[0]
"""

_GENERIC = """
bias
w[-2..2]
lower[-1..1]
w[-1]|w[0]
w[0]|w[1]
start1[0]
start2[0]
start3[0]
end1[0]
end2[0]
end3[0]
end4[0]
shortshape[-1..1]
y
"""

# The second column of a file without names is that of the tags in the data of CoNLL-2000, 2002 and 2003.
_TAG_COLUMNS = ("pos", "upos", "xpos", "tag", "column2")
_GENERIC_TAGS = "{c}[-1..1]\n{c}[-1]|{c}[0]\n{c}[0]|{c}[1]\n"


def _with_tags(words: str, tags: str) -> Callable[[list[str]], str]:
    """The templates of words, and those of tags for the first column that has them."""

    def text(columns: list[str]) -> str:
        found = [column for column in columns if column in _TAG_COLUMNS]
        return words + "".join(tags.format(c=column) for column in found[:1])

    return text


def name_templates(columns: Iterable[str]) -> str:
    """The templates of names, with those of tags for every column."""
    return _NER + "".join(_NER_TAGS.format(c=column) for column in columns)


DEFAULTS: dict[str, Callable[[list[str]], str]] = {
    "pos": lambda columns: POS_WORDS + "y\n",
    "ner": _with_tags(_NER, _NER_TAGS),
    "chunk": _with_tags(_CHUNK, _CHUNK_TAGS),
    "generic": _with_tags(_GENERIC, _GENERIC_TAGS),
}
