"""spaCy behind the same starlette and uvicorn: `python -m benchmarks.peers.spacy_server PORT MODEL`.

A tagger and a parser of the usual configuration for processors. How fast they are does not depend on how well they
were trained, so they are trained for some steps only.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.peers import columns
from benchmarks.peers.dependencies import tree
from benchmarks.peers.process import Work

SENTENCES, STEPS = 2000, 60


def train(corpus: str, model: str) -> Work:
    """Train on the first sentences of a treebank for some steps."""
    import spacy
    from spacy.cli.init_config import init_config
    from spacy.cli.train import train
    from spacy.tokens import Doc, DocBin

    data = list(columns.sentences(corpus))[:SENTENCES]

    def run() -> None:
        vocabulary, docs = spacy.blank("en").vocab, []
        for sentence in data:
            heads, relations = tree(sentence)
            places = [i if head == 0 else head - 1 for i, head in enumerate(heads)]
            docs.append(Doc(vocabulary, words=sentence[1], tags=sentence[3], heads=places, deps=relations))
        with TemporaryDirectory() as folder:
            DocBin(attrs=["TAG", "HEAD", "DEP"], docs=docs).to_disk(f"{folder}/train.spacy")
            DocBin(attrs=["TAG", "HEAD", "DEP"], docs=docs[:100]).to_disk(f"{folder}/dev.spacy")
            config = Path(folder) / "config.cfg"
            init_config(lang="en", pipeline=["tagger", "parser"], optimize="efficiency", gpu=False).to_disk(
                config
            )
            overrides: dict[str, str | int] = {
                "training.max_steps": STEPS,
                "training.eval_frequency": STEPS,
                "paths.train": f"{folder}/train.spacy",
                "paths.dev": f"{folder}/dev.spacy",
            }
            train(config, Path(folder) / "out", overrides=overrides)
            spacy.load(Path(folder) / "out" / "model-last").to_disk(model)

    return Work(run)


def application(model: str) -> Any:
    """An application that answers as `palmette serve` does: tags and trees of sentences."""
    import spacy
    from spacy.tokens import Doc
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    nlp = spacy.load(model)

    def predicted(sentences: list[list[str]]) -> list[dict[str, Any]]:
        docs = nlp.pipe(Doc(nlp.vocab, words=words) for words in sentences)
        return [
            {
                "tokens": [
                    {
                        "number": token.i + 1,
                        "form": token.text,
                        "xpos": token.tag_,
                        "head": 0 if token.head.i == token.i else token.head.i + 1,
                        "deprel": token.dep_,
                    }
                    for token in doc
                ]
            }
            for doc in docs
        ]

    async def predict(request: Request) -> Response:
        body = await request.json()
        return JSONResponse({"results": await run_in_threadpool(predicted, body["sentences"])})

    async def health(request: Request) -> Response:
        return JSONResponse({"ready": True})

    return Starlette(routes=[Route("/v1/predict", predict, methods=["POST"]), Route("/health", health)])


def main(port: str, model: str) -> None:
    """Serve until the process ends."""
    import uvicorn

    uvicorn.run(application(model), host="127.0.0.1", port=int(port), log_level="error", access_log=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
