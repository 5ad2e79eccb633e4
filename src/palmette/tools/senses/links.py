"""Link text as training data: `[[target|word]]` says what a word means (Mihalcea 2007; CSC 448, §24.2.4).

A line of text is a paragraph, cut into sentences and tokens by rules. A link becomes one token, the word as it is
written; its sense is that of the target, where the mapping has one. `[[target]]` stands for the target itself,
without what is in brackets: [[bank (river)]] is the word "bank".
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text
from palmette.tools.senses.corpus import SenseSentence, Tagged, Token
from palmette.tools.text.tokenizer import Tokenizer

_LINK = re.compile(r"\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]")
_BRACKETS = re.compile(r"[ _]*\([^)]*\)$")


def read_mapping(source: Source) -> dict[str, str]:
    """Return the senses of targets: target, tab, sense on each line. A space is as good as an underscore."""
    path, found = display_name(source), {}
    for number, line in enumerate(read_text(source).split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        target, tab, sense = line.partition("\t")
        if not tab or not target.strip() or not sense.strip():
            raise FormatError("expected the target of a link, a tab and a sense", path=path, line=number)
        found[_target(target)] = sense.strip()
    if not found:
        raise FormatError("expected targets and senses; the file has none", path=path)
    return found


def read_links(source: Source, mapping: Mapping[str, str], *, language: str = "en", pos: str = "n") -> Tagged:
    """Return the sentences of a text with links, and the senses of the words that are linked to known targets.

    pos: the part of speech of linked words. Words without a known link have no lemma and no part of speech.
    """
    path, tokenizer = display_name(source), Tokenizer(language)
    found = Tagged([], [])
    senses = {_target(target): sense for target, sense in mapping.items()}
    for number, line in enumerate(read_text(source).split("\n"), 1):
        plain, links, last = "", {}, 0
        for link in _LINK.finditer(line):
            plain += line[last : link.start()]
            target, last = link[1].strip(), link.end()
            word = (link[2] or _BRACKETS.sub("", target).replace("_", " ")).strip()
            links[len(plain)] = (len(plain) + len(word), word, senses.get(_target(target)))
            plain += word
        plain += line[last:]
        if "[[" in plain or "]]" in plain:
            raise FormatError("a link is not closed, or not opened: [[target|word]]", path=path, line=number)
        for sentence in tokenizer.sentences(plain):
            tokens: list[Token] = []
            own: list[tuple[str, ...]] = []
            until = 0
            for token in sentence:
                if token.begin < until:
                    continue  # inside a link of several tokens
                if token.begin in links:
                    until, word, sense = links[token.begin]
                    lemma = word.lower().replace(" ", "_")
                    tokens.append(Token(word.replace(" ", "_"), lemma, pos if sense else ""))
                    own.append((sense,) if sense else ())
                else:
                    tokens.append(Token(token.text))
                    own.append(())
            found.sentences.append(SenseSentence(tuple(tokens), f"line {number}"))
            found.senses.append(own)
    if not any(own for row in found.senses for own in row):
        raise FormatError("expected links to targets of the mapping; the text has none", path=path)
    return found


def _target(name: str) -> str:
    return name.strip().replace("_", " ").casefold()
