"""The dependency parsers, trained once on the same data and kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from benchmarks.data import corpus
from benchmarks.peers import spacy_parser, udpipe_parser
from benchmarks.peers.folder import kept
from benchmarks.peers.process import Measured, Work, measure

TREEBANK = "ud_en_ewt"


class Parser(NamedTuple):
    name: str
    train: Callable[..., Work]
    parse: Callable[..., Work]


UDPIPE = Parser("udpipe", udpipe_parser.train, udpipe_parser.parse)
SPACY = Parser("spacy", spacy_parser.train, spacy_parser.parse)
PARSERS = (UDPIPE, SPACY)


def training(parser: Parser) -> Measured:
    """What its training takes, or took when it was trained."""
    record = Path(kept(f"{parser.name}-parser-{TREEBANK}.json"))
    if not record.exists():
        print(f"training the parser of {parser.name}, once; UDPipe's takes ten minutes ...", file=sys.stderr)
        train, dev = corpus(f"{TREEBANK}/train.conllu.gz", f"{TREEBANK}/dev.conllu.gz")
        record.write_text(json.dumps(asdict(measure(parser.train, str(train), str(dev), model_of(parser)))))
    return Measured(**json.loads(record.read_text()))


def parsing(parser: Parser, *options: int, times: int = 3) -> Measured:
    """From the tokens of the test set with their gold tags to trees, the model being loaded."""
    (test,) = corpus(f"{TREEBANK}/test.conllu.gz")
    training(parser)
    return measure(parser.parse, str(test), model_of(parser), *options, times=times)


def model_of(parser: Parser) -> str:
    """The path of its model."""
    return kept(f"{parser.name}-parser-{TREEBANK}.model")
