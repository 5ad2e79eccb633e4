"""spaCy's tagger with the configuration that `spacy init config --pipeline tagger` writes for processors without
pretrained vectors; it ends after some epochs, or earlier by its own rule.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.peers.columns import accuracy, words_and_upos
from benchmarks.peers.process import Work

MAX_EPOCHS = 5


def train(corpus: str, dev: str, model: str) -> Work:
    """Keeps the best by the dev set."""
    import spacy
    from spacy.cli.init_config import init_config
    from spacy.cli.train import train
    from spacy.tokens import Doc, DocBin

    data = {"train": words_and_upos(corpus), "dev": words_and_upos(dev)}

    def run() -> None:
        vocabulary = spacy.blank("en").vocab
        with TemporaryDirectory() as folder:
            overrides: dict[str, str | int] = {"training.max_epochs": MAX_EPOCHS}
            for name, (sentences, labels) in data.items():
                docs = [Doc(vocabulary, words=words, tags=tags) for words, tags in zip(sentences, labels)]
                overrides[f"paths.{name}"] = f"{folder}/{name}.spacy"
                DocBin(attrs=["TAG"], docs=docs).to_disk(f"{folder}/{name}.spacy")
            config = Path(folder) / "config.cfg"
            init_config(lang="en", pipeline=["tagger"], optimize="efficiency", gpu=False).to_disk(config)
            train(config, Path(folder) / "out", overrides=overrides)
            spacy.load(Path(folder) / "out" / "model-best").to_disk(model)

    return Work(run)


def tag(corpus: str, model: str) -> Work:
    import spacy
    from spacy.tokens import Doc

    nlp = spacy.load(model)
    sentences, gold = words_and_upos(corpus)

    def run() -> list[list[str]]:
        docs = nlp.pipe(Doc(nlp.vocab, words=words) for words in sentences)
        return [[token.tag_ for token in doc] for doc in docs]

    return Work(run, lambda guess: {"tokens": sum(map(len, gold)), "accuracy": accuracy(gold, guess)})
