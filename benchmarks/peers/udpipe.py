"""UDPipe 1's tagger by its own trainer, UPOS alone.

Its search is cubic in the analyses of a word. By default a word of the dictionary gets 6 more by its ending, and
the 20 passes over the English Web Treebank take more than 8 minutes; 1 more and 5 passes keep training and
tagging short.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.peers import columns
from benchmarks.peers.columns import accuracy, words_and_upos
from benchmarks.peers.process import Work

OPTIONS = (
    "models=1;iterations=5;guesser_suffix_rules=3;guesser_enrich_dictionary=1;"
    "provide_lemma=0;use_xpostag=0;provide_xpostag=0;use_feats=0;provide_feats=0"
)


def train(corpus: str, dev: str, model: str) -> Work:
    """5 passes; keeps the best by the dev set."""
    from ufal import udpipe

    def sentences(path: str) -> Any:
        made = udpipe.Sentences()
        for _, words, lemmas, tags, *_ in columns.sentences(path):
            sentence = sentence_of(words)
            for i, (lemma, tag) in enumerate(zip(lemmas, tags), start=1):
                sentence.words[i].lemma, sentence.words[i].upostag = lemma, tag
            made.append(sentence)
        return made

    data, heldout = sentences(corpus), sentences(dev)

    def run() -> None:
        error = udpipe.ProcessingError()
        made = udpipe.Trainer.train("morphodita_parsito", data, heldout, "none", OPTIONS, "none", error)
        if error.occurred():
            raise RuntimeError(error.message)
        Path(model).write_bytes(made)

    return Work(run)


def tag(corpus: str, model: str) -> Work:
    from ufal import udpipe

    tagger = udpipe.Model.load(model)
    sentences, gold = words_and_upos(corpus)

    def tags(words: list[str]) -> list[str]:
        sentence = sentence_of(words)
        tagger.tag(sentence, udpipe.Model.DEFAULT)
        return [word.upostag for word in sentence.words][1:]

    return Work(
        lambda: [tags(words) for words in sentences],
        lambda guess: {"tokens": sum(map(len, gold)), "accuracy": accuracy(gold, guess)},
    )


def sentence_of(words: list[str]) -> Any:
    from ufal.udpipe import Sentence

    sentence = Sentence()
    for word in words:
        sentence.addWord(word)
    return sentence
