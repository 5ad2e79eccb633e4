"""NLTK's averaged perceptron tagger with its own features and 5 passes, its default."""

from __future__ import annotations

import json
import random
from pathlib import Path

from benchmarks.peers.columns import accuracy, words_and_upos
from benchmarks.peers.process import Work


def train(corpus: str, dev: str, model: str) -> Work:
    """It does not use the dev set."""
    from nltk.tag.perceptron import PerceptronTagger

    sentences = [list(zip(words, tags)) for words, tags in zip(*words_and_upos(corpus))]

    def run() -> None:
        random.seed(1)
        tagger = PerceptronTagger(load=False)
        tagger.train(sentences)
        Path(model).write_text(json.dumps(tagger.encode_json_obj()), encoding="utf-8")

    return Work(run)


def tag(corpus: str, model: str) -> Work:
    from nltk.tag.perceptron import PerceptronTagger

    tagger = PerceptronTagger(load=False)
    tagger.decode_json_params(json.loads(Path(model).read_text(encoding="utf-8")))
    sentences, gold = words_and_upos(corpus)
    return Work(
        lambda: [[tag for _, tag in tagger.tag(words)] for words in sentences],
        lambda guess: {"tokens": sum(map(len, gold)), "accuracy": accuracy(gold, guess)},
    )
