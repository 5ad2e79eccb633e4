"""UDPipe 1 from raw text: tokenizer, tagger and parser by its own trainer in its default settings."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

from benchmarks.peers.process import Work


def train(corpus: str, dev: str, model: str) -> Work:
    """All three on one treebank; the dev set chooses among passes where UDPipe does that."""
    from ufal import udpipe

    data, heldout = _sentences(corpus), _sentences(dev)

    def run() -> None:
        error = udpipe.ProcessingError()
        made = udpipe.Trainer.train("morphodita_parsito", data, heldout, "", "", "", error)
        if error.occurred():
            raise RuntimeError(error.message)
        Path(model).write_bytes(made)

    return Work(run)


def annotate(text: str, model: str, output: str, words: bool = False) -> Work:
    """The file `text` as CoNLL-U in the file `output`; words: it is CoNLL-U already, and its words stay."""
    from ufal import udpipe

    loaded = udpipe.Model.load(model)
    start = "conllu" if words else "tokenize"
    line = udpipe.Pipeline(loaded, start, udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")
    content = Path(text).read_text(encoding="utf-8")

    def run(model: Any = loaded) -> None:  # the pipeline of UDPipe does not keep its model alive
        error = udpipe.ProcessingError()
        found = line.process(content, error)
        if error.occurred():
            raise RuntimeError(error.message)
        Path(output).write_text(found, encoding="utf-8")

    return Work(run)


def _sentences(path: str) -> Any:
    from ufal import udpipe

    data = gzip.decompress(Path(path).read_bytes()) if path.endswith(".gz") else Path(path).read_bytes()
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(data.decode())
    error, found, sentence = udpipe.ProcessingError(), udpipe.Sentences(), udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise RuntimeError(error.message)
    return found
