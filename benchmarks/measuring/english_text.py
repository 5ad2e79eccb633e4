"""All English text of the data, a sentence on each line: what language models are estimated from."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import DATA
from benchmarks.measuring.row import UnavailableError

# Folder, pattern of files, column of the text; -1 is the whole line.
_LINES: tuple[tuple[str, str, int], ...] = (
    ("lm_en_ptb", "*.txt*", -1),
    ("mt_en_de_multi30k", "train.tok.lc.en*", -1),
    ("mt_ja_en_tanaka", "*.en*", -1),
    ("align_en_fr_hansards", "*.en", -1),
    ("align_en_cs_czenali", "*.en", -1),
    ("nbest_mt_moses", "reference.txt", -1),
    ("sent_en_polarity2", "*.tsv*", 3),
    ("subj_en_v1", "*.tsv*", 1),
    ("qc_en_trec", "*.tsv", 2),
    ("wsd_en_lexsample", "*.tsv*", 4),
)
# The same, with one word on a line.
_TOKENS: tuple[tuple[str, str, int], ...] = (
    ("pos_en_brown", "*.tsv*", 0),
    ("pos_en_ptb", "*.tsv", 0),
    ("wsd_en_allwords", "*.tsv*", 0),
    ("ner_en_wnut17", "*.txt", 0),
    ("chunk_en_conll2000", "*.txt*", 0),
    ("ud_en_ewt", "*.conllu*", 1),
)


def english_sentences() -> Iterator[str]:
    """The sentences, in an order that is always the same."""
    if not DATA.is_dir():
        raise UnavailableError(f"there is no {DATA}; say where the corpora lie with PALMETTE_DATA")
    for folder, pattern, column in _LINES:
        for line in _lines(folder, pattern):
            text = line if column < 0 else (line.split("\t") + [""] * 5)[column]
            if text.strip():
                yield " ".join(text.replace("<unk>", "UNK").split())
    for folder, pattern, column in _TOKENS:
        words: list[str] = []
        for line in _lines(folder, pattern):
            if not line.strip():
                if words:
                    yield " ".join(words)
                words = []
            elif not line.startswith("# "):
                words.append(line.split()[column].replace("\u00a0", "_"))
        if words:
            yield " ".join(words)


def _lines(folder: str, pattern: str) -> Iterator[str]:
    for path in sorted((DATA / folder).glob(pattern)):
        yield from _text(path).split("\n")


def _text(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
