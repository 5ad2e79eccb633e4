"""spaCy's parser with the configuration that `spacy init config --pipeline parser` writes for processors without
pretrained vectors. It sees the words alone: tags are no part of its features.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.peers import columns
from benchmarks.peers.dependencies import Tree, attachment, tree
from benchmarks.peers.process import Work

MAX_EPOCHS = 8


def train(corpus: str, dev: str, model: str) -> Work:
    """Keeps the best by the dev set; each sentence is a document."""
    import spacy
    from spacy.cli.init_config import init_config
    from spacy.cli.train import train
    from spacy.tokens import Doc, DocBin

    data = {"train": list(columns.sentences(corpus)), "dev": list(columns.sentences(dev))}

    def run() -> None:
        vocabulary = spacy.blank("en").vocab
        with TemporaryDirectory() as folder:
            overrides: dict[str, str | int] = {"training.max_epochs": MAX_EPOCHS}
            for name, sentences in data.items():
                docs = []
                for sentence in sentences:
                    heads, relations = tree(sentence)
                    # A root is its own head there.
                    places = [i if head == 0 else head - 1 for i, head in enumerate(heads)]
                    docs.append(Doc(vocabulary, words=sentence[1], heads=places, deps=relations))
                overrides[f"paths.{name}"] = f"{folder}/{name}.spacy"
                DocBin(attrs=["HEAD", "DEP"], docs=docs).to_disk(f"{folder}/{name}.spacy")
            config = Path(folder) / "config.cfg"
            init_config(lang="en", pipeline=["parser"], optimize="efficiency", gpu=False).to_disk(config)
            train(config, Path(folder) / "out", overrides=overrides)
            spacy.load(Path(folder) / "out" / "model-best").to_disk(model)

    return Work(run)


def parse(corpus: str, model: str) -> Work:
    """From lists of words to documents with trees."""
    import spacy
    from spacy.tokens import Doc

    nlp = spacy.load(model)
    read = list(columns.sentences(corpus))

    def run() -> list[Doc]:
        return list(nlp.pipe(Doc(nlp.vocab, words=sentence[1]) for sentence in read))

    def tree_of(doc: Doc) -> Tree:
        heads = [0 if token.head.i == token.i else token.head.i + 1 for token in doc]
        return heads, ["root" if token.dep_ == "ROOT" else token.dep_ for token in doc]

    return Work(run, lambda docs: attachment(map(tree, read), map(tree_of, docs)))
