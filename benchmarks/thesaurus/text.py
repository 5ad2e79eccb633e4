"""The text of the thesaurus: 4.8 million words, parsed once."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path

from benchmarks.data import DATA, corpus
from palmette import DependencyParser, Tokenizer
from palmette.formats import write_conllu
from palmette.tools.thesaurus.reading import corpora

PARTS = ("train", "dev", "test")
PARSED = Path(__file__).resolve().parents[2] / "build" / "benchmarks" / "thesaurus.conllu"


def plain_sentences(text: Path) -> Iterator[list[str]]:
    """The words of every sentence in lower case, without punctuation."""
    for piece in corpora(text, "en", None):
        column = piece.column("form")
        lower = [form.lower() for form in column.strings]
        is_word = [any(map(str.isalnum, form)) for form in lower]
        ids = column.ids.tolist()
        for a, b in pairwise(piece.offsets.tolist()):
            yield [lower[i] for i in ids[a:b] if is_word[i]]


def parsed_text(most: int | None) -> Path:
    """The text with trees; it is parsed once. most: the number of sentences for a quick run."""
    path = PARSED if most is None else PARSED.with_suffix(".quick.conllu")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [line for i, line in enumerate(text_lines()) if most is None or i < most]
        parser = DependencyParser.load("en")
        write_conllu(parser.parse(Tokenizer("en", lines=True).corpus("\n".join(lines))), path)
    return path


def text_lines() -> Iterator[str]:
    """The sentences of the text."""
    for part in PARTS:
        yield from token_lines(f"pos_en_brown/{part}.tsv", 0)
    for name, column in (("sent_en_polarity2", 3), ("subj_en_v1", 1)):
        for part in PARTS:
            yield from (line.split("\t")[column] for line in lines_of(f"{name}/{part}.tsv"))
    for part in PARTS:
        yield from token_lines(f"ud_en_ewt/{part}.conllu", 1)
    for part in PARTS:
        yield from (line.strip() for line in lines_of(f"lm_en_ptb/{part}.txt"))
    seen = set()
    for part in PARTS:
        for line in lines_of(f"wsd_en_lexsample/{part}.tsv")[1:]:
            sentence = line.split("\t")[4]
            if sentence not in seen:
                seen.add(sentence)
                yield sentence


def token_lines(name: str, column: int) -> Iterator[str]:
    """The sentences of a file with a token on each line."""
    words: list[str] = []
    for line in chain(lines_of(name), [""]):
        if line and not line.startswith("# ") and (column == 0 or line.split("\t")[0].isdigit()):
            words.append(line.split("\t")[column])
        elif not line and words:
            yield " ".join(words)
            words = []


def lines_of(name: str) -> list[str]:
    plain = DATA / name
    if plain.exists():
        return plain.read_text(encoding="utf-8").split("\n")[:-1]
    (path,) = corpus(f"{name}.gz")
    return gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]
