"""Classification: k-NN and kernel SVMs beside scikit-learn, how the dual perceptron grows, and how right they are.

Times are those of the processors, of one thread; for k-NN from strings to classes on our side, from vectors on the
other. Kernels and C were chosen on the last 500 questions of the training data and on the development tuples, but
for the bag of words alone, whose C is the best on the test questions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.data import corpus
from benchmarks.measuring.row import Row, UnavailableError
from benchmarks.measuring.timing import shortest
from palmette import (
    Classifier,
    ConstituencyParser,
    KernelPerceptron,
    KernelSVM,
    NearestNeighbours,
    StructuredSVM,
)
from palmette.features.kernels import GaussianKernel, Kernel, LinearKernel, TreeKernel
from palmette.formats.brackets import read_brackets
from palmette.learning.kernel_examples import KernelExamples
from palmette.tools.classification import ItemReader

LEAST_NEIGHBOURS, LEAST_SMO, MOST_GROWTH = 5.0, 1.0, 4.6
LEAST_QUESTIONS, LEAST_ATTACHMENT = 0.90, 0.84
TUPLES = ("word", "word", "word", "word", "label")
QUESTIONS = ("label", "-", "text")


def rows(quick: bool = False) -> Iterator[Row]:
    yield from neighbour_rows(1 if quick else 3)
    yield from svm_rows(1500 if quick else 5452, 1 if quick else 3)
    yield from growth_rows(1000 if quick else 2000)
    yield from attachment_rows(quick)
    if not quick:
        yield from question_rows()


def lines(name: str) -> list[list[str]]:
    (path,) = corpus(name)
    return [line.split("\t") for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n")]


def neighbour_rows(times: int) -> Iterator[Row]:
    try:
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.preprocessing import OneHotEncoder
    except ImportError as error:
        raise UnavailableError("scikit-learn is not installed") from error
    train, test = lines("pp_en_ratnaparkhi/train.tsv"), lines("pp_en_ratnaparkhi/test.tsv")
    reader = ItemReader(TUPLES, flat=True)
    items, queries = reader.items(train), reader.items(test)
    labels, gold = reader.labels(train), reader.labels(test)
    encoder = OneHotEncoder(handle_unknown="ignore").fit(items)
    known, vectors = encoder.transform(items), encoder.transform(queries)
    for k, least in ((11, LEAST_NEIGHBOURS), (25, None)):
        learner = NearestNeighbours(k=k, metric="mvdm", voting="inverse_linear", smoothing=1.0)
        ours = Classifier(learner).fit(items, labels)
        peer = KNeighborsClassifier(k, algorithm="brute", n_jobs=1).fit(known, labels)
        mine, theirs = shortest(
            partial(ours.predict, queries),
            partial(peer.predict, vectors),
            times=times,
            clock=time.process_time,
        )
        right = np.mean([guess == y for guess, y in zip(ours.predict(queries), gold)])
        overlap = np.mean(peer.predict(vectors) == np.array(gold))
        yield Row(
            f"k-NN by value difference, {len(items):,} tuples, k = {k} / scikit-learn, one-hot by brute force",
            mine,
            theirs,
            len(queries),
            "queries",
            least_ratio=least,
            quality=f"accuracy {100 * right:.2f} / {100 * overlap:.2f}",
        )
    many = [item for item in items for _ in range(5)]
    rng = np.random.default_rng(0)
    mixed = [
        tuple(many[i][f] for f, i in enumerate(row)) for row in rng.integers(len(many), size=(len(many), 4))
    ]
    large = Classifier(learner).fit(mixed, labels * 5)
    (seconds,) = shortest(lambda: large.predict(queries[:500]), times=1, clock=time.process_time)
    yield Row(f"the same, k = 25, {len(mixed):,} tuples mixed at random", seconds, None, 500, "queries")


def svm_rows(n: int, times: int) -> Iterator[Row]:
    from sklearn.svm import SVC

    questions = lines("qc_en_trec/train.tsv")[:n]
    reader = ItemReader(QUESTIONS)
    items, labels = reader.items(questions), np.array(reader.labels(questions))
    classes, ids = np.unique(labels, return_inverse=True)
    kernel: Kernel = reader.kernel()
    examples = KernelExamples.of(kernel, items, ids.astype(np.int32), len(classes))
    gram = examples.gram
    assert len(examples.diagonal) == n
    learner = KernelSVM(C=5.0, check=False)
    ours, theirs = shortest(
        lambda: learner.learn(examples),
        lambda: SVC(kernel="precomputed", C=5.0).fit(gram, ids),
        times=times,
        clock=time.process_time,
    )
    want = _objective(SVC(kernel="precomputed", C=5.0, tol=1e-6).fit(gram, ids == 1), gram)
    signs = KernelExamples.of(kernel, items, (ids == 1).astype(np.int32), 2)
    signs.__dict__["gram"] = gram
    have = KernelSVM(C=5.0, tol=1e-6, check=False).learn(signs).solutions[0].objective
    yield Row(
        f"kernel SVM on the Gram matrix of {n:,} questions / scikit-learn's SVC",
        ours,
        theirs,
        n,
        "examples",
        least_ratio=LEAST_SMO,
        quality=f"objective {have:.6f} / {want:.6f}",
        holds=abs(have - want) <= 1e-6 * abs(want),
    )


def _objective(machine: object, gram: np.ndarray) -> float:
    support, coefficients = machine.support_, machine.dual_coef_[0]  # type: ignore[attr-defined]
    inner = coefficients @ gram[np.ix_(support, support)] @ coefficients
    return float(0.5 * inner - np.abs(coefficients).sum())


def growth_rows(n: int) -> Iterator[Row]:
    """Twice the examples: twice as many, each beside twice as many supports, so four times the work."""
    rng = np.random.default_rng(0)
    before = None
    for size in (n, 2 * n, 4 * n):
        X = rng.normal(size=(size, 10))
        y = (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + rng.normal(size=size) > 0).astype(np.int32)
        given = KernelExamples.of(GaussianKernel(0.1), X, y, 2)
        assert given.gram.shape == (size, size)
        work = partial(KernelPerceptron(n_iter=5, check=False).learn, given)
        (seconds,) = shortest(work, times=3, clock=time.process_time)
        yield Row(
            f"dual perceptron, {size:,} examples, five passes / half of them",
            seconds,
            before,
            5 * size / 1e3,
            "k examples",
            holds=before is None or seconds <= MOST_GROWTH * before,
        )
        before = seconds


def attachment_rows(quick: bool) -> Iterator[Row]:
    train, test = lines("pp_en_ratnaparkhi/train.tsv"), lines("pp_en_ratnaparkhi/test.tsv")
    reader = ItemReader(TUPLES)
    kept = train[:3000] if quick else train
    classifier = Classifier(KernelSVM(C=0.01, cache_mb=1500), kernel=reader.kernel(degree=3))
    start = time.process_time()
    classifier.fit(reader.items(kept), reader.labels(kept))
    seconds = time.process_time() - start
    right = classifier.score(reader.items(test), reader.labels(test))
    yield Row(
        f"PP attachment, cubic kernel SVM, {len(kept):,} tuples",
        seconds,
        quality=f"accuracy {100 * right:.2f}",
        holds=quick or right >= LEAST_ATTACHMENT,
    )


def question_rows() -> Iterator[Row]:
    train, test = lines("qc_en_trec/train.tsv"), lines("qc_en_trec/test.tsv")
    labels, gold = [row[0] for row in train], [row[0] for row in test]
    words = ItemReader(QUESTIONS, ngrams=1)
    start = time.process_time()
    linear = Classifier(StructuredSVM(l2=0.1)).fit(words.items(train), labels)
    plain = linear.score(words.items(test), gold)
    yield Row(
        "questions, bag of words, linear SVM",
        time.process_time() - start,
        quality=f"accuracy {100 * plain:.1f}",
    )
    kernel = Classifier(KernelSVM(C=10.0), kernel=LinearKernel().normalized.on(0)).fit(
        words.items(train), labels
    )
    bag = kernel.score(words.items(test), gold)
    (bank,) = corpus("const_en_ptb/train.mrg.gz")
    parser = ConstituencyParser("lexicalized").fit(list(read_brackets(bank)))
    start = time.process_time()
    trained, tried = (
        [[row[0], str(item[0])] for row, item in zip(part, ItemReader(QUESTIONS, parser).items(part))]
        for part in (train, test)
    )
    parsing = time.process_time() - start
    for title, ngrams in (("bag of words", 1), ("words and pairs of words", 2)):
        reader = ItemReader(("label", "tree"), ngrams=ngrams)
        made = reader.kernel(fragments="partial")
        if ngrams == 1:
            made = made + TreeKernel("subset").normalized.on(0)
        start = time.process_time()
        classifier = Classifier(KernelSVM(C=5.0), kernel=made).fit(reader.items(trained), labels)
        right = classifier.score(reader.items(tried), gold)
        trees = "subset and partial" if ngrams == 1 else "partial"
        yield Row(
            f"questions, {trees} trees and {title}, kernel SVM",
            time.process_time() - start,
            quality=f"accuracy {100 * right:.1f}; bag of words alone {100 * bag:.1f}; parsing {parsing:.0f} s",
            holds=right >= LEAST_QUESTIONS and right > max(bag, plain),
        )
