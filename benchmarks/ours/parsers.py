"""Palmette's side of `benchmarks.parsing` and `benchmarks.treebanks`, each work in its own process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.data import treebank
from benchmarks.peers import columns
from benchmarks.peers.dependencies import Tree, attachment, tree
from benchmarks.peers.folder import kept
from benchmarks.peers.parsers import TREEBANK
from benchmarks.peers.process import Measured, Work, measure

if TYPE_CHECKING:
    from palmette.formats.corpus import Corpus

# The parser's method, the learner (none: its own) and its options, by the names that they have here.
METHODS: dict[str, tuple[str, str | None, dict[str, Any]]] = {
    "crf": ("graph", None, {"projective": True}),
    "projective": ("graph", "mira", {"projective": True}),
    "non-projective": ("graph", "mira", {"projective": False}),
    "greedy": ("transition", None, {"beam": 1}),
    "beam": ("transition", None, {"beam": 8}),
    "beam, swap": ("transition", None, {"system": "swap", "beam": 8}),
}
BEST = "beam"  # the most accurate on the English Web Treebank
GOLD = ("form", "lemma", "upos", "xpos", "feats")  # what a parser may see of the test set
CRF = "crf"  # with probabilities
PREDICTED = (
    "predicted-tags"  # trained on such tags as its own taggers will give it, and these are all it sees
)


def new_parser(method: str, threads: int) -> Any:
    """A parser by one of the names above, not yet trained."""
    from palmette.learning.mira import MIRA
    from palmette.tools.dependency.parser import DependencyParser

    predicted = method == PREDICTED
    name, learner, options = METHODS["projective" if predicted else method]
    return DependencyParser(
        name,
        MIRA(n_iter=8, k=1) if learner == "mira" else None,
        options=options,
        taggers=predicted,
        columns=("upos", "xpos") if predicted else None,
        n_jobs=threads,
    )


def trees_of(made: Corpus) -> list[Tree]:
    """What the parser found, as the peers' trees are."""
    heads, relations, offsets = made.heads, made.column("deprel").values(), made.offsets.tolist()
    assert heads is not None
    return [(heads[i:k].tolist(), relations[i:k]) for i, k in pairwise(offsets)]


def train(corpus: str, test: str, model: str, method: str, threads: int = 1) -> Work:
    """From the file on disk to the model on disk; quality: the scores on the test set."""
    parser = new_parser(method, threads)

    def run() -> Any:
        parser.fit(corpus)
        parser.save(model)
        return parser

    def judge(parser: Any) -> dict[str, float]:
        seen = ("form",) if method == PREDICTED else GOLD
        quality = attachment(_gold(test), trees_of(parser.parse(_seen(test, seen))))
        del quality["tokens"]  # those of the test set: they say nothing about how fast it trains
        return quality

    return Work(run, judge)


def parse(test: str, model: str, threads: int = 1) -> Work:
    """From a corpus in memory, tokens and gold tags, to one with trees; the model is loaded before."""
    from palmette.tools.dependency.parser import DependencyParser

    parser = DependencyParser.load(model)
    parser.n_jobs = threads
    read = _seen(test, GOLD)
    return Work(lambda: parser.parse(read), lambda made: attachment(_gold(test), trees_of(made)))


def calibration(test: str, model: str) -> Work:
    """The probability of every arc of the best trees; quality: the expected calibration error."""
    import numpy as np

    from palmette.tools.dependency.parser import DependencyParser

    parser = DependencyParser.load(model)
    read = _seen(test, GOLD)

    def judge(found: Any) -> dict[str, float]:
        probabilities = np.concatenate(found)
        right: Any = np.concatenate([heads for heads, _ in _gold(test)]) == parser.parse(read).heads
        return {
            "error": calibration_error(probabilities.tolist(), right.tolist()),
            "confidence": float(probabilities.mean()),
            "uas": 100 * float(right.mean()),
        }

    return Work(lambda: parser.arc_probabilities(read), judge)


def calibration_error(probabilities: Sequence[float], right: Sequence[bool], n_bins: int = 10) -> float:
    """Σ over bins of equal width: share of the bin · |how often right in it - mean probability in it|.

    >>> calibration_error([0.75, 0.75, 0.75, 0.75, 0.5, 0.5], [True, True, True, True, True, False])
    0.16666666666666666
    """
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(n_bins)]
    for p, is_right in zip(probabilities, right, strict=True):
        bins[min(int(p * n_bins), n_bins - 1)].append((p, is_right))
    return sum(abs(sum(r - p for p, r in one)) for one in bins) / len(right)


def training(method: str, name: str = TREEBANK, threads: int = 1) -> Measured:
    """On a treebank; the model is kept."""
    paths = map(str, (treebank(name, "train"), treebank(name, "test")))
    return _ours(train, *paths, model_of(method, name), method, threads, threads=threads)


def parsing(method: str, threads: int = 1) -> Measured:
    """Of the test set of the English Web Treebank."""
    if not Path(model_of(method)).exists():
        training(method)
    test = str(treebank(TREEBANK, "test"))
    return _ours(parse, test, model_of(method), threads, times=20, threads=threads)


def calibrating() -> Measured:
    """On the dev set of the English Web Treebank."""
    if not Path(model_of(CRF)).exists():
        training(CRF)
    return _ours(calibration, str(treebank(TREEBANK, "dev")), model_of(CRF))


def model_of(method: str, name: str = TREEBANK) -> str:
    """The path of the model."""
    return kept(f"parser-{method.replace(', ', '-')}-{name}.palm")


def _ours(prepare: Callable[..., Work], *arguments: str | int, **options: int) -> Measured:
    return measure(prepare, *arguments, python=sys.executable, **options)


def _gold(path: str) -> list[Tree]:
    return [tree(sentence) for sentence in columns.sentences(path)]


def _seen(path: str, names: Sequence[str]) -> Corpus:
    """The columns of a file that the parser may look at, and nothing else."""
    from palmette.formats.conllu import read_conllu
    from palmette.formats.corpus import Corpus

    read = read_conllu(path)
    return Corpus({name: read.column(name) for name in names}, read.offsets)


OURS: dict[str, Callable[[], Measured]] = {
    "train-greedy": partial(training, "greedy"),
    "train-best": partial(training, BEST),
    "train-crf": partial(training, CRF),
    "train-crf-2": partial(training, CRF, threads=2),
    "parse-greedy": partial(parsing, "greedy"),
    "parse-greedy-2": partial(parsing, "greedy", threads=2),
    "parse-best": partial(parsing, BEST),
    "parse-best-2": partial(parsing, BEST, threads=2),
}
