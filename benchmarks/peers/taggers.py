"""The part-of-speech taggers, trained once on the same data and kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from benchmarks.data import corpus
from benchmarks.peers import nltk_tagger, spacy_tagger, udpipe
from benchmarks.peers.folder import kept
from benchmarks.peers.process import Measured, Work, measure

TREEBANK = "ud_en_ewt"


class Tagger(NamedTuple):
    name: str
    train: Callable[..., Work]
    tag: Callable[..., Work]


TAGGERS = (
    Tagger("nltk", nltk_tagger.train, nltk_tagger.tag),
    Tagger("udpipe", udpipe.train, udpipe.tag),
    Tagger("spacy", spacy_tagger.train, spacy_tagger.tag),
)


def training(tagger: Tagger) -> Measured:
    """What its training takes, or took when it was trained."""
    record = Path(kept(f"{tagger.name}-{TREEBANK}.json"))
    if not record.exists():
        print(f"training {tagger.name}, once, for some minutes ...", file=sys.stderr)
        train, dev = corpus(f"{TREEBANK}/train.conllu.gz", f"{TREEBANK}/dev.conllu.gz")
        record.write_text(json.dumps(asdict(measure(tagger.train, str(train), str(dev), model_of(tagger)))))
    return Measured(**json.loads(record.read_text()))


def tagging(tagger: Tagger, times: int = 3) -> Measured:
    """From lists of words of the test set to lists of tags, the model being loaded."""
    (test,) = corpus(f"{TREEBANK}/test.conllu.gz")
    training(tagger)
    return measure(tagger.tag, str(test), model_of(tagger), times=times)


def model_of(tagger: Tagger) -> str:
    """The path of its model."""
    return kept(f"{tagger.name}-{TREEBANK}.model")
