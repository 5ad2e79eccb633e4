"""Train a pipeline on 70 sentences, annotate a text with it, and measure it from raw text.

python examples/pipelines/annotate.py
"""

from __future__ import annotations

from pathlib import Path

from palmette import Pipeline
from palmette.formats import read_columns

HERE = Path(__file__).parent


def main() -> None:
    nlp = Pipeline(language="es").fit(
        HERE / "train.conllu",
        dev=HERE / "dev.conllu",
        entities=read_columns(HERE / "names.txt"),
        note=print,
    )
    document = nlp("Ana va al mercado. El perro de Luis corre a Lima!", probabilities=True)
    for sentence in document.sentences:
        for token in sentence:
            place = f"{token.start}-{token.end}"
            print(
                f"{place:>7} {token.text:10} {token.lemma or '':10} {token.upos:6} {token.head} {token.deprel}"
            )
    print(document.entities)
    least = min(document, key=lambda token: token.confidence or 0)
    print(f"least sure of {least.text!r}: {least.probabilities}")
    print(nlp.evaluate(HERE / "test.conllu"))


if __name__ == "__main__":
    main()
