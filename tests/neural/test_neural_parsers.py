"""Dependency parsers with networks: training, trees against enumeration, files, and what goes wrong."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import Corpus, DependencyParser, Neural
from palmette.errors import FormatError, SentenceError, UsageError
from palmette.structures.arborescence import ProjectiveTrees, SpanningTrees

torch = pytest.importorskip("torch")

SMALL: dict[str, Any] = {
    "layers": 1,
    "size": 10,
    "words": 8,
    "width": 6,
    "letter_size": 6,
    "affixes": 3,
    "arc_size": 9,
    "relation_size": 7,
    "batch": 4,
    "learning_rate": 0.02,
    "n_iter": 12,
    "dropout": 0.0,
    "word_dropout": 0.0,
    "min_count": 1,
}
Tagged = list[list[tuple[str, str]]]
Trees = list[list[tuple[int, str]]]


def toy(n: int = 24, seed: int = 0) -> tuple[Tagged, Trees]:
    """Nouns hang on the verb, determiners on the next noun."""
    rng = np.random.default_rng(seed)
    nouns, verbs = ["dog", "cat", "bird"], ["sees", "bites"]
    X: Tagged = []
    y: Trees = []
    for _ in range(n):
        first, second, verb = (str(rng.choice(words)) for words in (nouns, nouns, verbs))
        X.append([("the", "DET"), (first, "NOUN"), (verb, "VERB"), ("a", "DET"), (second, "NOUN")])
        y.append([(2, "det"), (3, "nsubj"), (0, "root"), (5, "det"), (3, "obj")])
    return X, y


def neural(**options: Any) -> Neural:
    return Neural(**{**SMALL, **options})


@pytest.fixture(scope="module")
def parser() -> DependencyParser:
    return DependencyParser(scorer=neural()).fit(*toy())


def test_it_learns_and_a_file_keeps_it(parser: DependencyParser, tmp_path: Path) -> None:
    X, y = toy(seed=1)
    assert parser.score(X, y) > 0.95
    parser.save(tmp_path / "p.palm")
    again = DependencyParser.load(tmp_path / "p.palm")
    assert [t.heads for t in again.predict(X)] == [t.heads for t in parser.predict(X)]
    assert again.score(X, y) == parser.score(X, y)
    again.save(tmp_path / "q.palm")
    assert (tmp_path / "q.palm").stat().st_size == (tmp_path / "p.palm").stat().st_size


def test_prediction_needs_no_torch(parser: DependencyParser, tmp_path: Path) -> None:
    parser.save(tmp_path / "p.palm")
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import palmette\n"
        f"p = palmette.load({str(tmp_path / 'p.palm')!r})\n"
        "X = [[('the', 'DET'), ('dog', 'NOUN'), ('sees', 'VERB')]]\n"
        "print(p.predict(X)[0].heads); p.explain(X[0]); p.kbest(X, 2); p.marginals(X)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(2, 3, 0)"


@pytest.mark.parametrize("projective", [True, False])
def test_trees_as_enumeration(parser: DependencyParser, projective: bool) -> None:
    """All trees of four words by brute force: best, k best, probabilities, constraints."""
    chosen = parser.with_options(projective=projective)
    X = [[("the", "DET"), ("cat", "NOUN"), ("bites", "VERB"), ("bird", "NOUN")]]
    _, views = chosen._given(X, False)
    model = chosen.model_
    (scores,) = model.arc_scores(model.vectors(views), views.offsets)  # type: ignore[attr-defined]
    structure = ProjectiveTrees() if projective else SpanningTrees()
    every = [
        (structure.score(scores, heads), heads)
        for heads in product(range(5), repeat=4)
        if structure.score(scores, heads) > -math.inf
    ]
    every.sort(reverse=True)
    log_z = math.log(sum(math.exp(s) for s, _ in every))
    ranked = chosen.kbest(X, 5)[0]
    assert [one.output.heads for one in ranked] == [heads for _, heads in every[:5]]
    for one, (score, _) in zip(ranked, every):
        assert one.score == pytest.approx(score, abs=1e-4)
        assert one.log_probability == pytest.approx(score - log_z, abs=1e-4)
    table = chosen.marginals(X)[0]
    for (word, head), p in table.items():
        want = sum(math.exp(s - log_z) for s, heads in every if heads[word - 1] == head)
        assert p == pytest.approx(want, abs=1e-4)
    best = next(heads for _, heads in every if heads[0] == 4 and heads[1] != 3)
    found = chosen.predict(X, known=[[4, None, None, None]], forbidden=[[(2, 3)]])
    assert found[0].heads == best
    assert chosen.predict(X, minimum_risk=True)[0].heads
    with pytest.raises(ValueError, match="entence 1"):
        chosen.predict(X, known=[[2, 1, None, None]])


def test_contributions_sum_to_the_margin(parser: DependencyParser) -> None:
    X = toy(1, seed=4)[0]
    first, second = parser.kbest(X, 2)[0]
    explained = parser.explain(X[0]).decisions
    for decision in explained:
        total = math.fsum([*(part.amount for part in decision.contributions), decision.rest])
        assert total == pytest.approx(decision.margin, abs=1e-6)
        missed = [p.amount for p in decision.contributions if p.feature == "missed by the integral"]
        assert abs(sum(missed)) < 0.01 * abs(decision.margin)
    assert min(one.margin for one in explained) == pytest.approx(first.score - second.score, abs=1e-3)
    asked = parser.explain(X[0], against=(2, 5)).decisions[0]
    assert asked.rival == 5


def test_the_loss_risk_has_probabilities() -> None:
    """They are those of the distribution whose expected number of wrong arcs was made small."""
    X, y = toy()
    parser = DependencyParser(scorer=neural(loss="risk", n_iter=25)).fit(X, y, dev=toy(5, seed=7))
    assert parser.score(X, y) > 0.9
    assert parser.probabilities_from == "trees"
    expected = float((1 - np.asarray(parser.arc_probabilities(X))).sum()) / sum(map(len, X))
    assert expected < 0.1
    assert parser.predict(X[:1], minimum_risk=True)[0].heads


@pytest.mark.parametrize("loss", ["perceptron", "svm"])
def test_losses_without_probabilities(loss: str) -> None:
    X, y = toy()
    parser = DependencyParser(scorer=neural(loss=loss)).fit(X, y, dev=toy(5, seed=7))
    assert parser.score(X, y) > 0.9
    assert parser.probabilities_from is None
    with pytest.raises(ValueError, match=r"has no probabilities: .* estimates them \(crf, risk\)"):
        parser.arc_probabilities(X)


def test_trees_with_crossing_arcs() -> None:
    X = [[("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")]] * 6
    y = [[(3, "x"), (4, "y"), (0, "root"), (3, "z")]] * 6
    parser = DependencyParser(scorer=neural(n_iter=20)).fit(X, y)
    assert parser.model_.settings()["projective"] is False
    assert parser.predict(X)[0].heads == (3, 4, 0, 3)
    forced = DependencyParser(scorer=neural(n_iter=2), options={"projective": True}).fit(X, y)
    assert forced.predict(X)[0].heads != (3, 4, 0, 3)


def test_the_seed_decides_and_taggers_may_come_along(tmp_path: Path) -> None:
    X, y = toy(8)
    fits = [
        DependencyParser(scorer=neural(n_iter=2, random_state=s), n_jobs=j).fit(X, y)
        for s, j in ((1, 1), (1, 2), (2, 1))
    ]
    scores = [fit.kbest(X[:1], 1)[0][0].score for fit in fits]
    assert scores[0] == scores[1] != scores[2]
    corpus = Corpus.from_columns(
        {
            "form": [[w for w, _ in s] for s in X],
            "upos": [[t for _, t in s] for s in X],
            "deprel": [[r for _, r in s] for s in y],
        },
        heads=[[h for h, _ in s] for s in y],
    )
    pipeline = DependencyParser(scorer=neural(n_iter=4), taggers=True, jackknife=2).fit(corpus)
    pipeline.save(tmp_path / "p.palm")
    assert DependencyParser.load(tmp_path / "p.palm").predict([["the", "dog", "sees"]])[0].heads


def test_int8_and_a_long_sentence(tmp_path: Path) -> None:
    X, y = toy()
    parser = DependencyParser(scorer=neural(int8=True)).fit(X, y)
    parser.save(tmp_path / "p.palm")
    again = DependencyParser.load(tmp_path / "p.palm")
    assert again.kbest(X[:1], 1)[0][0].score == parser.kbest(X[:1], 1)[0][0].score
    long = [("dog", "NOUN")] * 1000
    assert len(again.predict([long])[0].heads) == 1000


def test_a_sentence_that_is_too_long_is_one_sentence(parser: DependencyParser) -> None:
    X, y = toy(2)
    long = [("dog", "NOUN")] * 10_000
    message = (
        r"Sentence 3: it has 10,000 words, and a parser with a network, .* takes at most 4,000: cut it into"
    )
    for ask in (
        parser.predict,
        parser.marginals,
        parser.arc_probabilities,
        lambda given: parser.kbest(given, 2),
        lambda given: parser.predict(given, minimum_risk=True),
    ):
        with pytest.raises(SentenceError, match=message):
            ask([*X, long])
    heads = [(0, "root"), *[(1, "x")] * 9999]
    with pytest.raises(SentenceError, match=message):
        DependencyParser(scorer=neural(n_iter=1)).fit([*X, long], [*y, heads])


def test_many_sentences_are_parsed_in_groups(
    parser: DependencyParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, _ = toy(30, seed=9)
    X = [sentence[: 1 + k % 5] for k, sentence in enumerate(X)]
    want, sure, p = parser.predict(X), parser.predict(X, minimum_risk=True), parser.marginals(X)
    monkeypatch.setattr("palmette.tools.dependency.neural.model._AT_ONCE", 50)
    assert parser.predict(X) == want
    assert parser.predict(X, minimum_risk=True) == sure
    assert parser.marginals(X) == p


def test_what_does_not_go_together() -> None:
    for parameters, message in [
        ({"method": "transition"}, "for the method 'graph', and not for 'transition'"),
        ({"scorer": neural(columns="upos")}, "'columns' does nothing for dependency trees"),
        ({"scorer": 3}, "must be a Neural"),
        ({"options": {"bits": 3}}, "A neural parser has no option 'bits'"),
    ]:
        with pytest.raises(UsageError, match=message):
            DependencyParser(**{"scorer": neural(), **parameters}).fit(*toy())


def test_damaged_files_are_refused(parser: DependencyParser) -> None:
    file = parser.to_model()
    names = [name for name in file.arrays if name.startswith("model.")]
    for name in (*names[:4], "model.arcs", "model.root", "model.relations", "model.relation_root"):
        arrays = {key: array for key, array in file.arrays.items() if key != name}
        for changed in (arrays, {**arrays, name: file.arrays[name][:-1]}):
            with pytest.raises(FormatError, match="damaged"):
                DependencyParser.from_model(type(file)(file.kind, file.options, changed, file.strings, ""))
    settings: Any = file.options["settings"]
    for change in ({"network": None}, {"normalised": 3}, {"projective": "x"}):
        options = {**file.options, "settings": {**settings, **change}}
        with pytest.raises(FormatError, match="damaged"):
            DependencyParser.from_model(type(file)(file.kind, options, file.arrays, file.strings, ""))
