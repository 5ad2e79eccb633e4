"""Every learner trains a tagger that can be saved, loaded, asked for probabilities and explained."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from palmette.learning.capabilities import fitting_learners
from palmette.learning.registry import make_learner
from palmette.tools.sequence.hmm import HMM
from palmette.tools.sequence.memm import MEMM
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger
from samples.sequences import EXAMPLES, garden, random_sentences

pytestmark = pytest.mark.native


@pytest.mark.parametrize("name", fitting_learners(Tagger().offers))
def test_from_training_to_file(name: str, tmp_path: Path) -> None:
    tagger = Tagger(make_learner(name, {}, random_state=1)).fit(garden(), dev=garden("test"))
    assert tagger.score(garden("test")) > 0.6
    tagger.save(tmp_path / "small.palm")
    assert Tagger.load(tmp_path / "small.palm").predict(garden("test")) == tagger.predict(garden("test"))
    tagger.save(tmp_path / "t.palm", compact=False)
    loaded = Tagger.load(tmp_path / "t.palm")
    assert loaded.predict(garden("test")) == tagger.predict(garden("test"))
    for have, want in zip(loaded.predict_proba(garden("test")), tagger.predict_proba(garden("test"))):
        assert have == pytest.approx(want, abs=1e-5)
        assert have.sum(axis=1) == pytest.approx(np.ones(len(have)), abs=1e-4)
    for decision in loaded.explain("The cook leaves .".split()).decisions:
        assert sum(c.amount for c in decision.contributions) == pytest.approx(decision.margin, abs=1e-6)
        assert decision.margin > -1e-3


@pytest.mark.parametrize("name", fitting_learners(SpanTagger().offers))
def test_spans_too(name: str) -> None:
    X = [["Jack", "went", "to", "New", "York"], ["Anna", "saw", "Jack"], ["in", "New", "York"]] * 3
    y = [["B-PER", "O", "O", "B-LOC", "I-LOC"], ["B-PER", "O", "B-PER"], ["O", "B-LOC", "I-LOC"]] * 3
    tagger = SpanTagger(make_learner(name, {})).fit(X, y)
    assert tagger.score(X, y) > 0.8
    assert all(0 <= span.probability <= 1 + 1e-6 for row in tagger.spans(X) for span in row)


@pytest.mark.parametrize("learner", [MEMM(n_iter=10), HMM()])
@pytest.mark.parametrize("order", [1, 2])
def test_margins_are_differences_of_scores(learner, order: int) -> None:
    X, y = random_sentences(60)
    options = {} if isinstance(learner, HMM) else {"templates": "w[0]\ny"}
    tagger = Tagger(learner, order=order, **options).fit(X, y)
    words = ["a1", "x", "b2", "c0"]
    ((chain, scores),) = list(tagger.chains([words]))
    every = {y: chain.score(scores, y) for y in itertools.product(range(3), repeat=4)}
    best = max(every, key=lambda y: every[y])
    for t, decision in enumerate(tagger.explain(words).decisions):
        other = max((y for y in every if y[t] != best[t]), key=lambda y: every[y])
        assert decision.chosen == tagger.classes_[best[t]]
        assert decision.margin == pytest.approx(every[best] - every[other], abs=1e-3)
    if isinstance(learner, MEMM):
        assert np.exp(list(every.values())).sum() == pytest.approx(1.0, abs=1e-4)


def test_what_an_hmm_does_not_take() -> None:
    with pytest.raises(ValueError, match="takes no templates"):
        Tagger(HMM(), templates="pos").fit([["a"]], [["A"]])
    with pytest.raises(ValueError, match="counted from words"):
        Tagger(HMM()).fit([[{"w": "a"}]], [["A"]])
    with pytest.raises(ValueError, match="every token must have one label"):
        Tagger(HMM()).fit([["a", "b"]], [["A", None]])


@pytest.mark.parametrize("name", fitting_learners(Tagger().offers))
def test_on_the_command_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from palmette.cli import main

    out, test = str(tmp_path / "m.palm"), str(EXAMPLES / "test.conllu")
    train = ["train", "tag", "--train", str(EXAMPLES / "train.conllu"), "--learner", name, "-q", "-o", out]
    assert main(train) == 0
    for verb in (
        ["evaluate", out, test],
        ["predict", out, test],
        ["inspect", out],
        ["explain", out, "The cook."],
    ):
        assert main(verb) == 0
    assert capsys.readouterr().err == ""
