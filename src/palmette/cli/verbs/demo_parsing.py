"""The part of `palmette demo` about dependency trees: a parser is trained, draws a tree, and says why."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from palmette.cli.report import shows

if TYPE_CHECKING:
    from palmette.formats.corpus import Corpus
    from palmette.tools.dependency.parser import DependencyParser

SENTENCE = "The old cook leaves the light on in the kitchen ."


def parse_with_shipped_model(sentence: str, name: str = "en") -> None:
    """Parse a sentence with a pipeline that comes with Palmette, if it is there."""
    from palmette.formats.model import ModelFile
    from palmette.models import shipped_models
    from palmette.tools.dependency.parser import DependencyParser
    from palmette.tools.pipeline_file import PIPELINE, TEXT_PIPELINE

    path = shipped_models().get(name)
    if path is None or ModelFile.load(path).kind not in (PIPELINE, TEXT_PIPELINE):
        return
    print(f"\nThe same sentence by the parser in {name!r}:\n")
    _show(DependencyParser.load(path), sentence.split(), explained=1)


def train_a_parser(where: Path) -> None:
    """Train a parser with its tagger on the trees of the examples, and use it."""
    from palmette.formats.conllu import read_conllu
    from palmette.tools.dependency.parser import DependencyParser

    train, test = read_conllu(where / "train.conllu"), read_conllu(where / "test.conllu")
    began = time.perf_counter()
    parser = DependencyParser(options={"bits": 18}, taggers=True, jackknife=0).fit(train)
    seconds = time.perf_counter() - began
    scores = parser.evaluate(test, retag=False)
    print(
        f"\nA parser learnt from the trees of {len(train)} sentences in {seconds:.2f} s: {scores.uas:.1%} of the "
        f"heads of {test.n_words} other words are right, {scores.las:.1%} with their relations.\n"
    )
    _show(parser, SENTENCE.split(), explained=3)


def _show(parser: DependencyParser, words: list[str], explained: int) -> None:
    from palmette.drawing.arcs import draw_arcs
    from palmette.trees.dependency_tree import DependencyTree

    parsed = parser.parse([words])
    print(_indented(draw_arcs(DependencyTree.of(parsed[0]), ascii=not shows("┌─▼"))))
    print("\nThe probability of each head:\n")
    print(_indented("  ".join(_probabilities(parser, parsed))))
    print(f"\nWhy {words[explained - 1]!r} has its head (palmette explain):\n")
    print(_indented(str(parser.explain(words).of(token=explained, top=4))))


def _probabilities(parser: DependencyParser, parsed: Corpus) -> list[str]:
    found = parser.arc_probabilities(parsed, parsed)[0]
    return [f"{word} {p:.2f}" for word, p in zip(parsed[0]["form"], np.asarray(found).tolist())]


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
