"""python-crfsuite, from files to files, its features made by Python while it reads.

Its L-BFGS minimises -log p(y | x) + c2 |w|²; it keeps features that were seen with their label.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.peers.columns import sentences, span_f1
from benchmarks.peers.features import chunking
from benchmarks.peers.process import Work

L2 = 1.0


def train_crf(corpus: str, test: str, model: str) -> Work:
    """Until its own test of convergence; quality: the objective, its first part, and F1 on the test set."""
    return _training(corpus, test, model, "lbfgs", {"c2": L2})


def train_perceptron(corpus: str, test: str, model: str, n_iter: int = 10) -> Work:
    """Averaged."""
    return _training(corpus, test, model, "ap", {"max_iterations": n_iter, "epsilon": 0.0})


def _training(corpus: str, test: str, model: str, algorithm: str, options: dict[str, Any]) -> Work:
    import pycrfsuite

    def run() -> Any:
        trainer = pycrfsuite.Trainer(algorithm=algorithm, params=options, verbose=False)
        for words, tags, labels in sentences(corpus):
            trainer.append(chunking(words, tags), labels)
        trainer.train(model)
        return trainer

    def judge(trainer: Any) -> dict[str, float]:
        log = trainer.logparser
        last = log.last_iteration
        quality = {"iterations": last["num"], "features": log.featgen_num_features}
        if algorithm == "lbfgs":
            penalty = L2 * last["feature_norm"] ** 2
            quality |= {"objective": last["loss"], "log_likelihood": penalty - last["loss"]}
        tagger, read = _open(model), list(sentences(test))
        guess = [tagger.tag(chunking(words, tags)) for words, tags, _ in read]
        return quality | {"f1": span_f1([labels for *_, labels in read], guess)}

    return Work(run, judge)


def tag(corpus: str, model: str) -> Work:
    """Writes the columns and the guessed label, beside the model, which is open before."""
    tagger, guesses = _open(model), f"{model}.guesses.txt"

    def run() -> None:
        with Path(guesses).open("w", encoding="utf-8") as out:
            for words, tags, labels in sentences(corpus):
                guess = tagger.tag(chunking(words, tags))
                out.writelines(f"{w} {t} {g} {h}\n" for w, t, g, h in zip(words, tags, labels, guess))
                out.write("\n")

    def judge(_: None) -> dict[str, float]:
        read = list(sentences(guesses))
        return {"tokens": sum(len(s[0]) for s in read), "f1": span_f1(*zip(*(s[2:] for s in read)))}

    return Work(run, judge)


def predict(corpus: str, model: str) -> Work:
    """The best labels from features that are there already."""
    tagger = _open(model)
    features = _features(corpus)
    return Work(lambda: [tagger.tag(sentence) for sentence in features], _count)


def marginals(corpus: str, model: str) -> Work:
    """The probability of every label at every word, from features that are there already."""
    tagger = _open(model)
    features, labels = _features(corpus), tagger.labels()

    def run() -> list[list[list[float]]]:
        found = []
        for sentence in features:
            tagger.set(sentence)
            found.append([[tagger.marginal(y, i) for y in labels] for i in range(len(sentence))])
        return found

    return Work(run, _count)


def tag_marginals(corpus: str, model: str) -> Work:
    """The same from the file on disk, features included."""
    tagger = _open(model)
    labels = tagger.labels()

    def run() -> list[list[list[float]]]:
        found = []
        for words, tags, _ in sentences(corpus):
            tagger.set(chunking(words, tags))
            found.append([[tagger.marginal(y, i) for y in labels] for i in range(len(words))])
        return found

    return Work(run, _count)


def _features(corpus: str) -> list[list[list[str]]]:
    return [chunking(words, tags) for words, tags, _ in sentences(corpus)]


def _count(made: list[list[Any]]) -> dict[str, float]:
    return {"tokens": sum(map(len, made))}


def _open(model: str) -> Any:
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    return tagger
