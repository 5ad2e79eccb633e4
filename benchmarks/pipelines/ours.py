"""Our pipelines from raw text, as `palmette train pipeline` trains them and `palmette predict` runs them."""

from __future__ import annotations

from pathlib import Path

from benchmarks.peers.process import Work
from palmette import Pipeline


def train(corpus: str, dev: str, model: str) -> Work:
    """All steps on one treebank; the dev set chooses among passes."""

    def run() -> None:
        Pipeline(language=Path(corpus).parent.name.split("_")[1]).fit(corpus, dev=dev).save(model)

    return Work(run)


def annotate(text: str, model: str, output: str, words: bool = False) -> Work:
    """The file `text` as CoNLL-U in the file `output`; words: it is CoNLL-U already, and its words stay."""
    from palmette.formats import read_conllu, write_conllu

    nlp = Pipeline.load(model)
    content = Path(text).read_text(encoding="utf-8")

    def run() -> None:
        if words:
            write_conllu(nlp.annotate(read_conllu(text)), output)
        else:
            Path(output).write_text(nlp(content).to_conllu(), encoding="utf-8")

    return Work(run)
