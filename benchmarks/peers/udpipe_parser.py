"""UDPipe 1's parser by its own trainer with its own defaults but for the passes: a projective system with a
dynamic oracle, universal tags and morphology as they are in the file, no vectors from elsewhere.

All its ten passes take more than an hour here, so it gets two: a fifth of the time of a training, and a model that
parses as fast as any, if less accurately (after ten, as published for gold tags: UAS 88.1, LAS 86.2).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.peers import columns
from benchmarks.peers.dependencies import Tree, attachment, tree
from benchmarks.peers.process import Work
from benchmarks.peers.udpipe import sentence_of

PASSES = 2
ALL_PASSES = 10
OPTIONS = f"use_gold_tags=1;iterations={PASSES}"
DEFAULT_BEAM = 5


def train(corpus: str, dev: str, model: str) -> Work:
    """So many passes: it has no use for a dev set unless it is told to stop early."""
    from ufal import udpipe

    data = udpipe.Sentences()
    for read in columns.sentences(corpus):
        data.append(_sentence(read, with_tree=True))

    def run() -> None:
        error = udpipe.ProcessingError()
        made = udpipe.Trainer.train(
            "morphodita_parsito", data, udpipe.Sentences(), "none", "none", OPTIONS, error
        )
        if error.occurred():
            raise RuntimeError(error.message)
        Path(model).write_bytes(made)

    return Work(run)


def parse(corpus: str, model: str, beam: int = DEFAULT_BEAM) -> Work:
    """The trees of sentences that are there already with their tags; a beam of 1 is the greedy search."""
    from ufal import udpipe

    parser = udpipe.Model.load(model)
    read = list(columns.sentences(corpus))
    sentences = [_sentence(one, with_tree=False) for one in read]
    options = f"beam_search={beam}"

    def run() -> None:
        for sentence in sentences:
            if not parser.parse(sentence, options):
                raise RuntimeError("UDPipe has no tree")

    def judge(_: None) -> dict[str, float]:
        return attachment(map(tree, read), map(_tree, sentences))

    return Work(run, judge)


def _sentence(read: columns.Sentence, with_tree: bool) -> Any:
    _, words, lemmas, upos, xpos, feats, heads, relations, *_ = read
    sentence = sentence_of(words)
    rows = zip(lemmas, upos, xpos, feats, heads, relations, strict=True)
    for i, (lemma, universal, own, features, head, relation) in enumerate(rows, start=1):
        word = sentence.words[i]
        word.lemma, word.upostag, word.xpostag = lemma, universal, own
        word.feats = "" if features == "_" else features
        if with_tree:
            sentence.setHead(i, int(head), relation)
    return sentence


def _tree(sentence: Any) -> Tree:
    words = list(sentence.words)[1:]
    return [word.head for word in words], [word.deprel for word in words]
