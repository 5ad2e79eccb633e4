"""sklearn-crfsuite with dictionaries of features, which are made beforehand and stay in memory."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from benchmarks.peers.columns import sentences, span_f1
from benchmarks.peers.features import Features, entities
from benchmarks.peers.process import Work

OPTIONS: dict[str, Any] = {
    "algorithm": "lbfgs",
    "c1": 0.1,
    "c2": 0.1,
    "max_iterations": 100,
    "all_possible_transitions": True,
}


def fit(corpus: str, test: str, model: str) -> Work:
    """Elastic net, 100 iterations. Keeping the model takes no part in the time."""
    from sklearn_crfsuite import CRF

    X, y = read(corpus)

    def judge(crf: Any) -> dict[str, float]:
        Path(model).write_bytes(pickle.dumps(crf))  # it has no format of its own
        X, y = read(test)
        f1 = span_f1(y, map(list, crf.predict(X)))
        last = crf.training_log_.last_iteration
        return {"iterations": last["num"], "objective": last["loss"], "f1": f1}

    return Work(lambda: CRF(**OPTIONS).fit(X, y), judge)


def predict(corpus: str, model: str) -> Work:
    import sklearn_crfsuite  # noqa: F401  so that a missing one is told before the file is opened

    crf = pickle.loads(Path(model).read_bytes())
    X, y = read(corpus)
    return Work(
        lambda: crf.predict(X), lambda guess: {"tokens": sum(map(len, y)), "f1": span_f1(y, map(list, guess))}
    )


def read(corpus: str) -> tuple[list[list[Features]], list[list[str]]]:
    """Dictionaries and labels of all sentences."""
    read = list(sentences(corpus))
    return [entities(words, tags) for words, tags, _ in read], [labels for *_, labels in read]
