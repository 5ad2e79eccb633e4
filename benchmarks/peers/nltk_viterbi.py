"""NLTK's ViterbiParser with a grammar and sentences that a file of JSON has."""

from __future__ import annotations

import json
from inspect import signature
from math import log
from pathlib import Path
from typing import Any

from benchmarks.peers.process import Work


def parse(problem: str) -> Work:
    """One call for every sentence; quality: the sum of the log-probabilities of the trees, and how many there are.

    The file has `root`, `rules` of [parent, children, probability] over numbers, `words` of
    [tag, word, probability] and `sentences`.
    """
    from nltk.grammar import PCFG, Nonterminal, ProbabilisticProduction
    from nltk.parse import ViterbiParser

    given = json.loads(Path(problem).read_text(encoding="utf-8"))
    productions = [
        ProbabilisticProduction(Nonterminal(parent), [Nonterminal(child) for child in children], prob=p)
        for parent, children, p in given["rules"]
    ]
    productions += [
        ProbabilisticProduction(Nonterminal(tag), [word], prob=p) for tag, word, p in given["words"]
    ]
    grammar = PCFG(Nonterminal(given["root"]), productions, calculate_leftcorners=False)
    patient = {"max_time": None} if "max_time" in signature(ViterbiParser).parameters else {}
    parser = ViterbiParser(grammar, **patient)  # newer versions give up after seconds

    def judge(made: Any) -> dict[str, float]:
        found = [tree for trees in made for tree in trees]
        return {"score": sum(log(tree.prob()) for tree in found), "trees": float(len(found))}

    return Work(lambda: [list(parser.parse(words)) for words in given["sentences"]], judge)
