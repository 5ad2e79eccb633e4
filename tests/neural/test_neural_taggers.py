"""Taggers with networks: training, files, everything that taggers do, and what goes wrong."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import Corpus, SpanTagger, Tagger
from palmette.errors import FormatError, UsageError
from palmette.features.network import Neural
from palmette.features.network.vectors import read_vectors
from palmette.tools.sequence.history_tagger import HistoryTagger

torch = pytest.importorskip("torch")

SMALL: dict[str, Any] = {
    "size": 8,
    "words": 8,
    "width": 6,
    "letter_size": 6,
    "affixes": 3,
    "batch": 4,
    "learning_rate": 0.02,
    "n_iter": 6,
    "dropout": 0.1,
    "word_dropout": 0.0,
    "feature_dropout": 0.0,
    "min_count": 1,
}


def toy(n: int = 24, seed: int = 0) -> tuple[list[list[str]], list[list[str]]]:
    """Words whose label depends on the word before: what a linear model of single words cannot learn."""
    rng = np.random.default_rng(seed)
    X = [[str(w) for w in rng.choice(["up", "down", "see", "saw"], rng.integers(2, 8))] for _ in range(n)]
    y = [
        ["A" if t and s[t - 1] == "up" else "B" if w.startswith("s") else "C" for t, w in enumerate(s)]
        for s in X
    ]
    return X, y


def neural(**options: Any) -> Neural:
    return Neural(**{**SMALL, **options})


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger(scorer=neural(n_iter=12)).fit(*toy())


def test_it_learns_and_a_file_keeps_it(tagger: Tagger, tmp_path: Path) -> None:
    X, y = toy(seed=1)
    assert tagger.score(X, y) > 0.95
    tagger.save(tmp_path / "t.palm", compact=False)
    again = Tagger.load(tmp_path / "t.palm")
    assert again.predict(X) == tagger.predict(X)
    for have, want in zip(again.predict_proba(X), tagger.predict_proba(X)):
        np.testing.assert_array_equal(have, want)
    assert tagger.probabilities_from == again.probabilities_from == "model"


def test_prediction_needs_no_torch(tagger: Tagger, tmp_path: Path) -> None:
    tagger.save(tmp_path / "t.palm")
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import palmette\n"
        f"t = palmette.load({str(tmp_path / 't.palm')!r})\n"
        "print(t.predict([['up', 'see']]), len(t.kbest([['up', 'see']], 2)[0]))\n"
        "t.explain(['up', 'see']); t.marginals([['up']])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[['C', 'A']] 2"


def test_all_that_taggers_do(tagger: Tagger) -> None:
    X, _ = toy(4, seed=3)
    best, p = tagger.predict(X), tagger.predict_proba(X)
    assert all(np.allclose(table.sum(axis=1), 1, atol=1e-5) for table in p)
    for sentence, labels, ranked in zip(X, best, tagger.kbest(X, 3)):
        assert ranked[0].output == labels
        assert ranked[0].score >= ranked[1].score >= ranked[2].score
        assert sum(math.exp(one.log_probability or 0.0) for one in ranked) <= 1 + 1e-5
        assert tagger.search([sentence], "astar")[0].output == labels
    known = [["B", *([None] * (len(s) - 1))] for s in X]
    assert all(labels[0] == "B" for labels in tagger.predict(X, known=known))
    assert len(tagger.predict(X, minimum_risk=True)) == len(X)


def test_contributions_sum_to_the_margin(tagger: Tagger) -> None:
    sentence = ["up", "see", "down", "saw"]
    first, second = tagger.kbest([sentence], 2)[0]
    explained = tagger.explain(sentence)
    margins = [decision.margin for decision in explained.decisions]
    for decision in explained.decisions:
        total = math.fsum([*(part.amount for part in decision.contributions), decision.rest])
        assert total == pytest.approx(decision.margin, abs=1e-6)
        assert abs(decision.rest) < 0.01 * abs(decision.margin)
    assert min(margins) == pytest.approx(first.score - second.score, abs=1e-4)
    assert any(part.feature.startswith("network word=up") for part in explained.decisions[1].contributions)


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "perceptron"},
        {"loss": "svm"},
        {"cell": "gru", "letters": "lstm", "layers": 2, "dense": 1},
        {"network": "feedforward", "layers": 3},
        {
            "network": "feedforward",
            "layers": 1,
            "join": "concatenate",
            "linear": False,
            "feature_dropout": 0.0,
        },
        {"linear": False, "letters": "none", "letter_size": 64, "width": 32, "affixes": 0},
        {"loss": "risk"},
        {"schedule": "plateau"},
        {"schedule": "constant", "int8": True},
    ],
    ids=str,
)
def test_options_learn(options: dict[str, Any], tmp_path: Path) -> None:
    if options.get("network") == "feedforward":
        free = ("words", "letter_size", "affixes", "word_dropout", "min_count")
        scorer = Neural(**{k: v for k, v in SMALL.items() if k not in free} | options)
    else:
        scorer = neural(**options)
    templates = "w[-1..1]\ny"
    given = templates if scorer.looks_at_templates else None
    tagger = Tagger(scorer=scorer, templates=given).fit(*toy(), dev=toy(10, seed=5))
    X, y = toy(seed=6)
    assert tagger.score(X, y) > 0.85
    tagger.save(tmp_path / "t.palm")
    assert Tagger.load(tmp_path / "t.palm").predict(X) == tagger.predict(X)
    assert tagger.probabilities_from == ("model" if scorer.loss in ("crf", "risk") else "scores")
    explained = tagger.explain(X[0]).decisions[0]
    assert math.fsum([*(c.amount for c in explained.contributions), explained.rest]) == pytest.approx(
        explained.margin
    )


@pytest.mark.parametrize("order", [0, 1, 2])
def test_orders_and_automata(order: int) -> None:
    X, y = toy()
    tagger = Tagger(scorer=neural(), order=order).fit(X, y)
    assert tagger.score(X, y) > 0.85
    assert tagger.model_.structure.order == order
    fewer = Tagger(scorer=neural(n_iter=2), order=order, automaton="@count(1)").fit(X, y)
    assert len(fewer.predict(X)) == len(X)


def test_the_seed_decides_whatever_the_threads_and_torch_stays_as_it_was() -> None:
    X, y = toy()
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    threads = torch.get_num_threads()
    tables = [
        Tagger(scorer=neural(n_iter=2, dropout=0.3, random_state=seed), n_jobs=jobs)
        .fit(X, y)
        .predict_proba(X)[0]
        for seed, jobs in ((1, 1), (1, 3), (2, 1))
    ]
    np.testing.assert_array_equal(tables[0], tables[1])
    assert not np.allclose(tables[0], tables[2])
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.get_num_threads() == threads


def test_labels_that_are_not_known() -> None:
    X, y = toy(40)
    partly = [
        [None if t % 3 == 2 else {"A", label} if t % 3 == 1 else label for t, label in enumerate(s)]
        for s in y
    ]
    tagger = Tagger(scorer=neural(n_iter=10)).fit(X, partly)
    assert tagger.score(X, y) > 0.8
    with pytest.raises(UsageError, match="needs a label for every token"):
        Tagger(scorer=neural(loss="svm")).fit(X, partly)


def test_spans() -> None:
    X = [["Jack", "London", "went", "to", "Paris"], ["Paris", "Hilton", "went", "to", "London"]] * 4
    y = [["B-PER", "I-PER", "O", "O", "B-LOC"]] * 8
    tagger = SpanTagger(scorer=neural(n_iter=10)).fit(X, y, dev=(X, y))
    assert tagger.predict(X) == y
    assert [(s.begin, s.end, s.type) for s in tagger.spans(X[:1])[0]] == [(0, 2, "PER"), (4, 5, "LOC")]


def test_columns_and_the_loss_of_one() -> None:
    X, y = toy()
    corpus = Corpus.from_columns({"form": X, "tag": [[w[0] for w in s] for s in X], "label": y})
    tagger = Tagger(scorer=neural(columns="tag"), column="label").fit(corpus)
    assert tagger.score(corpus) > 0.85
    with pytest.raises(ValueError, match="looks at the column 'tag', and the columns here are form"):
        tagger.predict(X)
    with pytest.raises(ValueError, match="There is no column 'nothing'"):
        Tagger(scorer=neural(columns="nothing")).fit(X, y)


def test_vectors(tmp_path: Path) -> None:
    X, y = toy()
    words, table = ["up", "down", "see", "saw"], np.eye(4, dtype=np.float32)
    text = tmp_path / "v.txt"
    text.write_text("4 4\n" + "".join(f"{w} {' '.join(map(str, row))}\n" for w, row in zip(words, table)))
    np.savez(tmp_path / "v.npz", words=np.array(words), vectors=table)
    options = {"words": 0, "affixes": 0, "linear": False, "n_iter": 12}
    options |= {"letters": "none", "letter_size": 64, "width": 32}
    models = []
    for name in ("v.txt", "v.npz"):
        assert read_vectors(tmp_path / name)[0] == tuple(words)
        tagger = Tagger(scorer=neural(**options, vectors=str(tmp_path / name))).fit(X, y)
        assert tagger.score(X, y) > 0.9
        models.append(tagger)
        assert tagger.predict([["SEE", "nowhere"]])  # by lower case; not there
    network = models[0].model_.network
    assert network is not None
    np.testing.assert_array_equal(network.arrays["input.0.table"][1:], table)  # vectors stay as they are
    np.testing.assert_array_equal(models[0].predict_proba(X)[0], models[1].predict_proba(X)[0])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1 2\nb 1 2 3\n", r"v.txt:2: expected 2 numbers as on the lines before; got 3"),
        ("a 1 x\n", r"v.txt:1: expected a word and numbers"),
        ("a 1 nan\n", r"the vector of 'a' has a number that is not finite"),
        ("a 1 1e400\n", r"the vector of 'a' has a number that is not finite"),
        ("", r"expected words with vectors; the file has none"),
        ("2 7\na 1 2 3\nb 1 2 3\n", r"v.txt:2: expected 7 numbers as the first line says; got 3"),
        ("3 2\na 1 2\nb 1 2\n", r"v.txt:1: expected 3 words as the first line says; got 2"),
        ("1 2\n", r"v.txt:1: expected 1 word as the first line says; got 0"),
    ],
)
def test_bad_vectors(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "v.txt").write_text(content)
    with pytest.raises(FormatError, match=message):
        Tagger(scorer=neural(vectors=str(tmp_path / "v.txt"))).fit(*toy())


def test_bad_npz(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    path.write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(FormatError, match=r"not a \.npz file"):
        read_vectors(path)
    np.savez(path, words=np.array(["a"]), other=np.zeros((1, 2)))
    with pytest.raises(FormatError, match="expected an array 'vectors'; it has words, other"):
        read_vectors(path)
    np.savez(path, words=np.array(["a"]), vectors=np.zeros((2, 2)))
    with pytest.raises(FormatError, match="there are 1 words and 2 vectors"):
        read_vectors(path)


def test_a_very_long_sentence(tagger: Tagger) -> None:
    long = ["up", "see"] * 5000
    assert tagger.predict([long, ["up"]])[0][-1] == "A"
    X, y = toy(4)
    Tagger(scorer=neural(n_iter=1)).fit([["up"] * 10_000, *X], [["B"] * 10_000, *y])


def test_very_long_sentences_of_spans_and_histories() -> None:
    X, y = [["Jack", "London", "went"]] * 4, [["B-PER", "I-PER", "O"]] * 4
    long = ["Jack", "London", "went"] * 3333
    spans = SpanTagger(scorer=neural(n_iter=12)).fit(X, y)
    assert len(spans.spans([long])[0]) == 3333
    history = HistoryTagger({"size": 6, "words": 6, "letters": 4, "n_iter": 12}).fit(X, y)
    assert [len(one) for one in history.predict([long, X[0]])] == [9999, 3]
    SpanTagger(scorer=neural(n_iter=1)).fit([*X, long], [*y, y[0] * 3333])
    HistoryTagger({"size": 4, "words": 4, "letters": 2, "n_iter": 1}).fit([*X, long], [*y, y[0] * 3333])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_count": 3}, "A neural scorer takes no 'min_count'"),
        ({"hash_bits": 4}, "A neural scorer takes no 'hash_bits'"),
        ({"scorer": "neural"}, r"must be a Neural, such as Neural\(layers=2\), or None"),
        ({"scorer": neural(linear=False), "templates": "w[0]"}, "linear=false looks at no templates"),
        ({"scorer": neural(words=0, min_count=3)}, "The option 'min_count' does nothing for words=0"),
        (
            {"scorer": neural(letters="none", letter_size=64)},
            "'width' does nothing for a network without letters",
        ),
        ({"scorer": neural(arc_size=3)}, "The option 'arc_size' does nothing for sequences"),
    ],
)
def test_what_does_not_go_together(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Tagger(**{"scorer": neural(), **parameters}).fit(*toy())


def test_bad_options() -> None:
    with pytest.raises(UsageError, match="at most 3 hidden layers"):
        Neural(network="feedforward", layers=4)
    with pytest.raises(UsageError, match="'cell' does nothing for the network 'feedforward'"):
        Neural(network="feedforward", cell="gru")
    with pytest.raises(UsageError, match="nothing to look at"):
        Neural(words=0, letters="none", affixes=0)
    for options, message in (
        ({"linear": False, "feature_dropout": 0.1}, "'feature_dropout' does nothing for linear=false"),
        ({"letters": "none", "letter_size": 3}, "'letter_size' does nothing for letters=none"),
        ({"words": 0, "word_dropout": 0.1}, "'word_dropout' does nothing for words=0"),
    ):
        with pytest.raises(UsageError, match=message):
            Neural(**options)
    assert Neural(linear=False, feature_dropout=0.0)  # which is what it does


def test_patience_without_a_dev_set_is_told(caplog: pytest.LogCaptureFixture) -> None:
    Tagger(scorer=neural(n_iter=1)).fit(*toy(4))
    assert not caplog.text
    Tagger(scorer=neural(n_iter=1, patience=2)).fit(*toy(4))
    assert "patience=2 does nothing without a dev set" in caplog.text


def test_features_of_ones_own_are_refused(tagger: Tagger) -> None:
    with pytest.raises(ValueError, match="looks at words"):
        Tagger(scorer=neural()).fit([[{"a": 1.0}]], [["A"]])
    with pytest.raises(ValueError, match="trained on words"):
        tagger.predict([[{"a": 1.0}]])


def test_damaged_files_are_refused(tagger: Tagger, tmp_path: Path) -> None:
    file = tagger.to_model()
    for name in [key for key in file.arrays if key.startswith("network.")][:6]:
        arrays = {key: array for key, array in file.arrays.items() if key != name}
        broken = type(file)(file.kind, file.options, arrays, file.strings, "")
        with pytest.raises(FormatError, match="damaged"):
            Tagger.from_model(broken)
    for options in ({"network": 3}, {"network": {}}):
        broken = type(file)(file.kind, {**file.options, **options}, file.arrays, file.strings, "")
        with pytest.raises(FormatError, match="damaged"):
            Tagger.from_model(broken)
