"""The methods of trained tools on small input, for `leaks.py`: what verbs do, with a model that is read once."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import palmette
from palmette.formats.conllu import parse_conllu

Call = Callable[[], object]
TOKENS = ["The", "dog", "sleeps", "."]
CONLLU = b"".join(
    b"%d\t%s\t%s\t%s\t_\t_\t%d\t%s\t_\t_\n" % row
    for row in (
        (1, b"The", b"the", b"DET", 2, b"det"),
        (2, b"dog", b"dog", b"NOUN", 3, b"nsubj"),
        (3, b"sleeps", b"sleep", b"VERB", 0, b"root"),
        (4, b".", b".", b"PUNCT", 3, b"punct"),
    )
)
TREE = "(S (NP (DT the) (NN dog)) (VP (VBZ sleeps)))"


def methods(path: Path) -> Iterator[tuple[str, Call]]:
    """The verbs of a model file, by name: from loading to explanation."""
    tool = palmette.load(path)
    yield "load", lambda: palmette.load(path)
    yield "save", lambda: tool.to_model().write(io.BytesIO())
    yield from _OF[type(tool).__name__](tool)


def _tagger(tool: Any) -> Iterator[tuple[str, Call]]:
    gold = parse_conllu(CONLLU + b"\n")
    yield "predict", lambda: tool.predict([TOKENS])
    yield "probabilities", lambda: tool.predict_proba([TOKENS])
    yield "kbest", lambda: tool.kbest([TOKENS], 3)
    yield "evaluate", lambda: tool.evaluate(gold)
    yield "explain", lambda: tool.explain(TOKENS)


def _lm(tool: Any) -> Iterator[tuple[str, Call]]:
    yield "score", lambda: tool.score("the dog sleeps")
    yield "evaluate", lambda: tool.evaluate(["the dog sleeps"])
    yield "sample", lambda: tool.sample(1, random_state=0)
    yield "explain", lambda: tool.explain("the dog sleeps")


def _dependencies(tool: Any) -> Iterator[tuple[str, Call]]:
    gold = parse_conllu(CONLLU + b"\n")
    yield "predict", lambda: tool.predict(gold)
    yield "kbest", lambda: tool.kbest(gold, 2)
    yield "evaluate", lambda: tool.evaluate(gold)
    yield "explain", lambda: tool.explain(gold)


def _constituents(tool: Any) -> Iterator[tuple[str, Call]]:
    words, gold = ["the dog sleeps".split()], [palmette.Tree.parse(TREE)]
    yield "predict", lambda: tool.predict(words)
    yield "kbest", lambda: tool.kbest(words, 3)
    yield "probabilities", lambda: tool.marginals(words)
    yield "evaluate", lambda: tool.evaluate(gold)
    yield "explain", lambda: tool.explain(words[0])


def _aligner(tool: Any) -> Iterator[tuple[str, Call]]:
    pair = ("the house".split(), "das Haus".split())
    yield "predict", lambda: tool.predict([pair])
    yield "kbest", lambda: tool.kbest([pair], 2)
    yield "probabilities", lambda: tool.marginals([pair])
    yield "evaluate", lambda: tool.evaluate([pair], [[(0, 0), (1, 1)]])
    yield "explain", lambda: tool.explain(*pair)


def _classifier(tool: Any) -> Iterator[tuple[str, Call]]:
    item, label = "Who wrote Hamlet", tool.classes_[0]
    yield "predict", lambda: tool.predict([item])
    yield "probabilities", lambda: tool.predict_proba([item])
    yield "evaluate", lambda: tool.evaluate([item], [label])
    yield "explain", lambda: tool.explain(item)


def _pipeline(tool: Any) -> Iterator[tuple[str, Call]]:
    gold = parse_conllu(b"# text = The dog sleeps .\n" + CONLLU + b"\n")
    yield "predict", lambda: tool("The dog sleeps.")
    yield "probabilities", lambda: tool("The dog sleeps.", probabilities=True)
    yield "evaluate", lambda: tool.evaluate(gold)
    yield "explain", lambda: tool.explain("The dog sleeps.")


_OF: dict[str, Callable[[Any], Iterator[tuple[str, Call]]]] = {
    "Tagger": _tagger,
    "LanguageModel": _lm,
    "DependencyParser": _dependencies,
    "ConstituencyParser": _constituents,
    "Aligner": _aligner,
    "Classifier": _classifier,
    "Pipeline": _pipeline,
}
# Of every kind one, by its name in `models.trained`.
KINDS = ("tag 2", "lm 1", "depparse 1", "depparse 2", "parse 5", "align 1", "classify 6", "pipeline 1")
