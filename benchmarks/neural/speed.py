"""Tagging with a network, from lists of words to lists of tags, beside spaCy's tagger and our linear model.

All on the test set of ud_en_ewt with one thread, each in its own process, the model being loaded. Ours has the
layers, features and label bigrams of `Tagger(scorer=Neural())`; it is trained once with few passes, which change
its accuracy and not its speed, and kept.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import treebank
from benchmarks.measuring.row import Row, UnavailableError
from benchmarks.neural import left_out
from benchmarks.ours.taggers import tag_english
from benchmarks.peers.columns import accuracy, words_and_upos
from benchmarks.peers.folder import kept
from benchmarks.peers.process import Measured, Work, measure
from benchmarks.peers.taggers import TAGGERS, TREEBANK, tagging

PASSES = 2


def tag(test: str, model: str) -> Work:
    """From lists of words to lists of tags."""
    from palmette.tools.sequence.tagger import Tagger

    tagger = Tagger.load(model)
    words, gold = words_and_upos(test)
    return Work(
        lambda: tagger.predict(words),
        lambda guess: {"tokens": sum(map(len, gold)), "accuracy": accuracy(gold, guess)},
    )


def rows(quick: bool = False) -> Iterator[Row]:
    test = str(treebank(TREEBANK, "test"))
    ours = measure(tag, test, _model(quick), times=5, python=sys.executable)
    tokens = ours.quality["tokens"]
    for name, work in {
        "our linear model": lambda: measure(tag_english, test, times=5, python=sys.executable),
        "spaCy": lambda: tagging(next(one for one in TAGGERS if one.name == "spacy")),
    }.items():
        try:
            peer: Measured = work()
        except UnavailableError as missing:
            left_out(f"tagging beside {name}", missing)
            continue
        yield Row(
            f"tagging by BiLSTM-CRF and features, words to tags, beside {name}",
            ours.cpu_seconds,
            peer.cpu_seconds,
            tokens,
            "tokens",
            quality=f"accuracy {ours.quality['accuracy']:.2f} (a few passes) / {peer.quality['accuracy']:.2f}",
        )


def _model(quick: bool) -> str:
    """The path of the network, trained if it is not there."""
    path = kept(f"neural-{TREEBANK}{'-quick' if quick else ''}.palm")
    if not Path(path).exists():
        try:
            import palmette.neural  # noqa: F401
        except ImportError as error:
            raise UnavailableError(str(error)) from error
        from palmette import Neural, Tagger
        from palmette.formats.conllu import parse_conllu
        from palmette.formats.files import read_bytes

        train = parse_conllu(read_bytes(treebank(TREEBANK, "train")))
        scorer = Neural(n_iter=1 if quick else PASSES, patience=0)
        Tagger(scorer=scorer).fit(train[:1000] if quick else train).save(path)
    return path
