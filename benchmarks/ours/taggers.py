"""Palmette's side of `benchmarks.sequences`: the same works as the peers', each in its own process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.data import corpus
from benchmarks.peers import batches
from benchmarks.peers.columns import accuracy, sentences, span_f1, words_and_upos
from benchmarks.peers.folder import kept
from benchmarks.peers.process import Measured, Work, measure
from benchmarks.peers.sklearn_crfsuite import OPTIONS, read
from benchmarks.peers.taggers import TREEBANK
from benchmarks.peers.works import CHUNKS, ENTITIES

# The nineteen attributes of CRF++'s example, as `benchmarks.peers.features.chunking` makes them.
CHUNKING = """
w[-2..2]
w[-1]|w[0]
w[0]|w[1]
c1[-2..2]
c1[-2]|c1[-1]
c1[-1]|c1[0]
c1[0]|c1[1]
c1[1]|c1[2]
c1[-2]|c1[-1]|c1[0]
c1[-1]|c1[0]|c1[1]
c1[0]|c1[1]|c1[2]
y
"""
MODEL = "chunks.palm"


def train_chunks(train: str, test: str, model: str, learner: str, threads: int = 1) -> Work:
    """From the file on disk to the model on disk. The scheme is that of the data, as the peer's is."""
    from palmette.formats.columns import read_columns
    from palmette.learning.loglinear import CRF
    from palmette.learning.perceptron import Perceptron
    from palmette.tools.sequence.span_tagger import SpanTagger
    from palmette.tools.sequence.tagger import Tagger

    learners = {
        "crf": CRF(n_iter=8),
        "lbfgs": CRF(method="lbfgs", l2=1.0, n_iter=1000, tol=0.35, n_jobs=threads),
        "perceptron": Perceptron(n_iter=10),
    }
    # The same objective is that of all label sequences, legal or not: a plain tagger.
    make: Any = Tagger if learner == "lbfgs" else partial(SpanTagger, scheme="IOB2")

    def run() -> Any:
        tagger = make(learners[learner], templates=CHUNKING).fit(read_columns(train))
        tagger.save(model)
        return tagger

    def judge(tagger: Any) -> dict[str, float]:
        gold = list(sentences(test))
        guess = tagger.predict([list(zip(words, tags)) for words, tags, _ in gold])
        quality = {"f1": span_f1([labels for *_, labels in gold], guess)}
        if learner == "lbfgs":
            quality["objective"] = tagger.history_[-1].numbers["objective"]
        return quality

    return Work(run, judge)


def tag_chunks(test: str, model: str) -> Work:
    """Writes the columns and the guessed label; the model is loaded before."""
    from palmette.formats.columns import format_columns, read_columns
    from palmette.tools.sequence.span_tagger import SpanTagger

    tagger, guesses = SpanTagger.load(model), f"{model}.guesses.txt"

    def run() -> None:
        read = read_columns(test)
        found = read.with_column("guess", tagger.predict_column(read))
        Path(guesses).write_bytes(format_columns(found, separator=" "))

    def judge(_: None) -> dict[str, float]:
        read = list(sentences(guesses))
        return {"tokens": sum(len(s[0]) for s in read), "f1": span_f1(*zip(*(s[2:] for s in read)))}

    return Work(run, judge)


def marginals_of_chunks(test: str, model: str) -> Work:
    """The probability of every label at every word, from the file on disk; the model is loaded before."""
    from palmette.formats.columns import read_columns
    from palmette.tools.sequence.span_tagger import SpanTagger

    tagger = SpanTagger.load(model)
    return Work(
        lambda: tagger.predict_proba(read_columns(test)), lambda made: {"tokens": sum(map(len, made))}
    )


def fit_dictionaries(train: str, test: str, model: str) -> Work:
    from palmette.compat.sklearn_crfsuite import CRF

    X, y = read(train)

    def judge(crf: Any) -> dict[str, float]:
        import pickle

        Path(model).write_bytes(pickle.dumps(crf))
        X, y = read(test)
        objective = crf.training_log_.last_iteration["loss"]
        return {"f1": span_f1(y, map(list, crf.predict(X))), "objective": objective}

    return Work(lambda: CRF(**OPTIONS).fit(X, y), judge)


def predict_dictionaries(test: str, model: str) -> Work:
    import pickle

    crf = pickle.loads(Path(model).read_bytes())
    X, y = read(test)
    return Work(
        lambda: crf.predict(X), lambda guess: {"tokens": sum(map(len, y)), "f1": span_f1(y, map(list, guess))}
    )


def tag_english(test: str) -> Work:
    """From lists of words to lists of tags by the model that comes with Palmette, which is loaded before."""
    from palmette.tools.sequence.tagger import Tagger

    tagger = Tagger.load("en")
    words, gold = words_and_upos(test)
    return Work(
        lambda: tagger.predict(words),
        lambda guess: {"tokens": sum(map(len, gold)), "accuracy": accuracy(gold, guess)},
    )


def batch_of_chains(dtype: str) -> Work:
    import numpy as np

    from palmette.structures.chain import Chain
    from palmette.structures.chain_scores import ChainScores

    emissions, transitions = (array.astype(dtype) for array in batches.random_batch())
    n, words, labels = emissions.shape
    chain, offsets = Chain(labels), np.arange(n + 1, dtype=np.int64) * words
    scores = ChainScores(emissions.reshape(-1, labels), transitions, offsets=offsets)

    def run() -> tuple[Any, Any]:
        log_z, found = chain.batch(scores).marginals()
        return log_z, found.reshape(n, words, labels)

    return batches.work(run)


def _ours(prepare: Callable[..., Work], *arguments: str | int, **options: int) -> Measured:
    return measure(prepare, *arguments, python=sys.executable, **options)


def _chunk_training(learner: str, threads: int = 1) -> Measured:
    train, test = map(str, corpus(*CHUNKS))
    model = kept(MODEL if learner == "crf" else f"chunks-{learner}.palm")
    return _ours(train_chunks, train, test, model, learner, threads, threads=threads)


def _chunk_tagging(work: Callable[..., Work]) -> Measured:
    if not Path(kept(MODEL)).exists():
        _chunk_training("crf")
    _, test = corpus(*CHUNKS)
    return _ours(work, str(test), kept(MODEL), times=20)


def _entities(fit: bool) -> Measured:
    train, test = map(str, corpus(*ENTITIES))
    model = kept("entities.palmette")
    if fit:
        return _ours(fit_dictionaries, train, test, model)
    if not Path(model).exists():
        _entities(True)
    return _ours(predict_dictionaries, test, model, times=20)


def _english() -> Measured:
    (test,) = corpus(f"{TREEBANK}/test.conllu.gz")
    return _ours(tag_english, str(test), times=20)


OURS: dict[str, Callable[[], Measured]] = {
    "crf": partial(_chunk_training, "crf"),
    "lbfgs": partial(_chunk_training, "lbfgs"),
    "lbfgs-2": partial(_chunk_training, "lbfgs", 2),
    "perceptron": partial(_chunk_training, "perceptron"),
    "tag": partial(_chunk_tagging, tag_chunks),
    "marginals": partial(_chunk_tagging, marginals_of_chunks),
    "fit": partial(_entities, True),
    "predict": partial(_entities, False),
    "english": _english,
    "batch": partial(_ours, batch_of_chains, "float32", times=200),
}
