"""Parsing a file, batch by batch: what `palmette predict` does with parsers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from palmette.cli.tools.sequence_input import InputFormat, TokenReader
from palmette.cli.tools.sequence_output import decimals, with_note
from palmette.cli.tools.sequence_prediction import repeated
from palmette.cli.tree_drawing import drawn, page
from palmette.formats.column import Column
from palmette.formats.conllu import format_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.listed_corpus import RELATION
from palmette.tools.dependency.parser import DependencyParser, RankedTree

PROBABILITY = "ArcProb"
ESTIMATE = "HeadProb"  # what MISC calls the probabilities of a head filter


@dataclass(frozen=True)
class Wanted:
    """What is asked of `predict`."""

    probabilities: bool = False
    kbest: int = 1
    minimum_risk: bool = False
    keep_heads: bool = False
    retag: bool = False
    draw: bool = False
    svg: bool = False
    unique: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.draw and self.svg:
            raise ValueError("--draw is for a terminal and --svg for a page: take one of them")
        if self.kbest > 1 and (self.probabilities or self.minimum_risk or self.unique):
            raise ValueError(
                "--kbest gives whole trees, and goes with none of --probabilities, --minimum-risk and --unique"
            )


def predictions(parser: DependencyParser, reader: TokenReader, wanted: Wanted) -> Iterator[bytes]:
    """The file again with trees, or drawings of them."""
    if wanted.probabilities and parser.probabilities_from == "head filter":
        _tell(
            f"{ESTIMATE} is an estimate by the parser's head filter, in which every word chooses by itself; "
            "probabilities over trees need a parser trained with --learner crf"
        )
    parsed = (_parsed(parser, corpus, wanted) for corpus in _sentences(reader))
    if wanted.svg:
        return page(parsed)
    if wanted.draw:
        return drawn(parsed)
    return map(format_conllu, parsed)


def _sentences(reader: TokenReader) -> Iterator[Corpus]:
    for batch in reader:
        if batch.format is InputFormat.columns:
            raise ValueError(
                f"{reader.path}: a parser reads CoNLL-U or text, and these are columns; "
                "palmette convert makes conllu of them, or name another --format"
            )
        yield batch.corpus


def _parsed(parser: DependencyParser, corpus: Corpus, wanted: Wanted) -> Corpus:
    known = corpus.heads if wanted.keep_heads else None
    if wanted.kbest > 1:
        return _ranked(parser, corpus, wanted)
    parsed = parser.parse(
        corpus,
        known=known,
        unique=wanted.unique,
        minimum_risk=wanted.minimum_risk,
        retag=wanted.retag,
        note=_tell,
    )
    if wanted.probabilities:
        likely = np.concatenate([np.zeros(0, np.float32), *parser.arc_probabilities(parsed, parsed)])
        estimated = parser.probabilities_from == "head filter"
        parsed = with_note(parsed, ESTIMATE if estimated else PROBABILITY, decimals(likely))
    return parsed


def _ranked(parser: DependencyParser, corpus: Corpus, wanted: Wanted) -> Corpus:
    tagged = parser.tag(corpus, retag=wanted.retag)
    known = None
    if wanted.keep_heads and corpus.heads is not None:
        known = [sentence.heads.tolist() for sentence in corpus]
    found = parser.kbest(tagged, wanted.kbest, known=known)
    notes = [[_value(one) for one in ranked] for ranked in found]
    trees = [one.tree for ranked in found for one in ranked]
    heads = [head for tree in trees for head in tree.heads]
    relations = Column.of([relation for tree in trees for relation in tree.labels or ()])
    return repeated(tagged, notes).with_heads(heads).with_column(RELATION, relations)


def _value(ranked: RankedTree) -> str:
    if ranked.log_probability is None:
        return f"# score = {ranked.score:.4f}"
    return f"# log_probability = {ranked.log_probability:.4f}"


def _tell(text: str) -> None:
    print(f"palmette: {text}", file=sys.stderr)
