"""Palmette's side of `benchmarks.constituency`, each work in its own process."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.data import corpus
from benchmarks.peers.folder import kept
from benchmarks.peers.process import Measured, Work, measure

if TYPE_CHECKING:
    from palmette.tools.constituency.parser import ConstituencyParser
    from palmette.trees.tree import Tree

ENGLISH, ICELANDIC, DUTCH = "const_en_ptb", "const_is_icepahc", "disc_nl_alpino"
COMBINED = "combined"
RANKED = 50


def files(name: str) -> tuple[str, str, str]:
    """The paths of train, dev and test of a treebank."""
    kind = "discbracket" if name == DUTCH else "mrg"
    found = corpus(f"{name}/train.{kind}.gz", f"{name}/dev.{kind}", f"{name}/test.{kind}")
    train, dev, test = map(str, found)
    return train, dev, test


def train(method: str, options: str, train: str, dev: str, test: str, model: str, threads: int = 1) -> Work:
    """From the file on disk to the model on disk; quality: F1 on the test set in percent, by each decoder."""
    from palmette.tools.constituency.parser import ConstituencyParser

    parser = ConstituencyParser(method, options=json.loads(options) or None, n_jobs=threads)

    def run() -> ConstituencyParser:
        parser.fit(train, dev=dev or None)
        parser.save(model)
        return parser

    return Work(run, lambda made: quality(made, test))


def quality(parser: ConstituencyParser, test: str) -> dict[str, float]:
    """F1 of what the parser gives by itself, of its most probable trees, and of those of minimum risk."""
    from palmette.tools.constituency.input import gold_trees

    gold = gold_trees(test).trees
    scores = parser.evaluate(gold)
    found = {"F1": 100 * scores.f1, "exact": 100 * scores.exact_match, "tags": 100 * scores.tagging_accuracy}
    for name, risk in (("most probable", False), ("minimum risk", True)):
        try:
            found[name] = 100 * parser.evaluate(gold, minimum_risk=risk).f1
        except ValueError:
            continue  # the method has one kind of trees only
    return found


def parse(test: str, model: str, options: str, threads: int = 1) -> Work:
    """From words in memory to trees; the model is loaded before. Sentences are those of the test set."""
    parser, gold = _loaded(model, test, options, threads)
    sentences = [tree.words for tree in gold]

    def judge(made: Any) -> dict[str, float]:
        from palmette.evaluation.brackets import evaluate_brackets

        return {"F1": 100 * evaluate_brackets(gold, made).f1, "sentences": float(len(gold))}

    return Work(lambda: parser.predict(sentences), judge)


def ranked(test: str, model: str, options: str, threads: int = 1) -> Work:
    """The 50 best trees of every sentence; quality: F1 if the best of them were chosen each time."""
    parser, gold = _loaded(model, test, options, threads)
    sentences = [tree.words for tree in gold]
    return Work(lambda: parser.kbest(sentences, RANKED), lambda made: {"oracle F1": 100 * oracle(gold, made)})


def oracle(gold: Sequence[Tree], ranked: Sequence[Sequence[Any]]) -> float:
    """F1 of the best tree of every list, by its own F1."""
    from palmette.evaluation.brackets import best_of_ranked, evaluate_brackets

    best = best_of_ranked(gold, [[parse.tree for parse in parses] for parses in ranked])
    return evaluate_brackets(gold, best).f1


def one_by_one(test: str, model: str, longest: int) -> Work:
    """Discontinuous trees of sentences up to a length, each timed alone."""
    from palmette.evaluation.brackets import evaluate_brackets

    parser, gold = _loaded(model, test, "{}", 1)
    short = [tree for tree in gold if len(tree.leaves) <= longest]

    def run() -> list[tuple[float, Any]]:
        found = []
        for tree in short:
            words = [tree.words]
            began = time.perf_counter()
            (parse,) = parser.parse(words)
            found.append((time.perf_counter() - began, parse))
        return found

    def judge(found: list[tuple[float, Any]]) -> dict[str, float]:
        scores = evaluate_brackets(short, [parse.tree for _, parse in found], rules_of(model))
        return {
            "F1": 100 * scores.f1,
            "discontinuous F1": 100 * scores.discontinuous.f1,
            "median ms": 1000 * median(seconds for seconds, _ in found),
            "fragments": float(sum(bool(parse.note) for _, parse in found)),
        }

    return Work(run, judge)


def rules_of(model: str) -> Any:
    """What counts: in Dutch, punctuation has a tag of its own."""
    from palmette.evaluation.bracket_rules import COLLINS, DISCODOP

    return DISCODOP if DUTCH in model else COLLINS


def training(method: str, name: str = ENGLISH, threads: int = 1, **options: Any) -> Measured:
    """Training on a treebank; the model is kept."""
    paths = files(name)
    dev = paths[1] if method == COMBINED else ""  # the rest is tuned already
    model = model_of(method, name)
    return _ours(train, method, json.dumps(options), paths[0], dev, paths[2], model, threads, threads=threads)


def parsing(method: str, name: str = ENGLISH, threads: int = 1, times: int = 3, **options: Any) -> Measured:
    """Of the test set."""
    return _ours(
        parse,
        files(name)[2],
        _trained(method, name),
        json.dumps(options),
        threads,
        times=times,
        threads=threads,
    )


def ranking(method: str, name: str = ENGLISH, times: int = 3) -> Measured:
    """The 50 best of the test set."""
    return _ours(ranked, files(name)[2], _trained(method, name), "{}", times=times)


def discontinuous(longest: int = 25) -> Measured:
    """Of the Dutch test set, sentence by sentence."""
    return _ours(one_by_one, files(DUTCH)[2], _trained("plcfrs", DUTCH), longest)


def model_of(method: str, name: str = ENGLISH) -> str:
    """The path of the model."""
    return kept(f"constituency-{method}-{name}.palm")


def _trained(method: str, name: str) -> str:
    if not Path(model_of(method, name)).exists():
        training(method, name)
    return model_of(method, name)


def _loaded(model: str, test: str, options: str, threads: int) -> tuple[ConstituencyParser, list[Tree]]:
    from palmette.tools.constituency.input import gold_trees
    from palmette.tools.constituency.parser import ConstituencyParser

    parser = ConstituencyParser.load(model)
    chosen = json.loads(options)
    parser = parser.with_options(**chosen) if chosen else parser
    parser.n_jobs = threads
    return parser, gold_trees(test).trees


def _ours(prepare: Callable[..., Work], *arguments: str | int, **options: int) -> Measured:
    return measure(prepare, *arguments, python=sys.executable, **options)
