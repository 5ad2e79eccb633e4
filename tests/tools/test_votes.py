"""Voted perceptrons of every structure: the winner is that of a count over all vectors, one after the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from palmette.cli import main
from palmette.cli.learner_table import KINDS
from palmette.learning.perceptron import Perceptron
from palmette.learning.votes import VotedWeights
from palmette.tools.classification.linear_model import LinearModel
from palmette.tools.constituency.features.model import FeatureModel
from palmette.tools.dependency.graph.model import GraphModel
from palmette.tools.dependency.transition.model import TransitionModel
from palmette.tools.reranking.model import PrimalModel
from palmette.tools.sequence.model import SequenceModel
from palmette.tools.sequence.tagger import Tagger
from palmette.trees.dependency_tree import DependencyTree
from samples.treebank import TRAIN
from tools.test_every_learner import tool_and_data

pytestmark = pytest.mark.native

VOTING = [kind for kind in KINDS if kind not in ("`rerank`, kernel", "`align`", "`induce`")]


def votes_in(model: Any) -> VotedWeights:
    found = model.model.votes if isinstance(model, LinearModel) else model.votes
    assert isinstance(found, VotedWeights)
    return found


def with_weights(model: Any, w: Any) -> Any:
    """The model with one weight vector."""
    w = w.copy()
    if isinstance(model, SequenceModel):
        return replace(model, held=w, votes=None)
    if isinstance(model, LinearModel):
        return LinearModel(replace(model.model, held=w, votes=None), model.forms)
    if isinstance(model, GraphModel):
        return replace(model, tree_weights=w, votes=None)
    if isinstance(model, TransitionModel):
        return TransitionModel.of_weights(model.labels, model.options, model.groups, w, False)
    assert isinstance(model, FeatureModel | PrimalModel)
    return replace(model, weights=w, votes=None)


def shown(outputs: list[Any]) -> list[str]:
    """Outputs to compare; of a dependency tree, what a parser predicts."""
    return [str((one.heads, one.labels)) if isinstance(one, DependencyTree) else str(one) for one in outputs]


def trained(kind: str, **options: Any) -> tuple[Any, tuple[Any, ...]]:
    tool, data = tool_and_data(kind)
    learner = Perceptron(voted=True, **{"n_iter": 2, "vectors": 0, **options})
    return tool.set_params(learner=learner).fit(*data), data


@pytest.mark.parametrize("kind", VOTING)
def test_the_winner_has_most_votes(kind: str, tmp_path: Path) -> None:
    tool, data = trained(kind)
    model, X = tool.model_, data[0]
    tallies: list[Counter[str]] = [Counter() for _ in X]
    for w, share in votes_in(model).vectors():
        tool.model_ = with_weights(model, w)
        for tally, output in zip(tallies, shown(tool.predict(X))):
            tally[output] += share  # type: ignore[assignment]
    tool.model_ = model
    assert len(votes_in(model)) > 1 or "rerank" in kind  # lists are learnt by one update
    for tally, output in zip(tallies, shown(tool.predict(X))):
        assert tally[output] == pytest.approx(max(tally.values()))
    tool.save(tmp_path / "m.palm")
    again = type(tool).load(tmp_path / "m.palm")
    assert shown(again.predict(X)) == shown(tool.predict(X))
    assert len(votes_in(again.model_)) == len(votes_in(model))


@pytest.mark.parametrize("kind", VOTING)
def test_the_k_best_are_those_with_most_votes(kind: str) -> None:
    tool, data = trained(kind, vectors=7)
    assert len(votes_in(tool.model_)) <= 7
    if "rerank" in kind:
        for scores in tool.scores(data[0]):
            assert scores.sum() == pytest.approx(1.0)
        return
    for output, ranked in zip(shown(tool.predict(data[0])), tool.kbest(data[0], 10)):
        assert shown([one.output for one in ranked])[0] == output
        shares = [one.score for one in ranked]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", [kind for kind in VOTING if "rerank" not in kind and "classify" not in kind])
def test_explanations_are_refused(kind: str) -> None:
    tool, data = trained(kind)
    sentence = data[0][0]
    with pytest.raises(ValueError, match="this model votes with many: train it with voted=false"):
        tool.explain(sentence.words if "`parse`" in kind else sentence)


def test_classes_are_explained_by_the_mean() -> None:
    tool, data = trained("`classify`")
    decision = tool.explain(data[0][0]).decisions[0]
    assert decision.extra["margin_of"] == "mean"
    assert tool.probabilities_from == "votes"
    assert tool.predict_proba(data[0]).sum(axis=1) == pytest.approx(1.0)


def test_labels_of_a_tagger_have_shares_of_the_votes() -> None:
    tool, data = trained("`tag`")
    assert tool.probabilities_from == "votes"
    for rows, ranked in zip(tool.predict_proba(data[0]), tool.kbest(data[0], 1000)):
        assert rows.sum(axis=1) == pytest.approx(1.0)
        for t, row in enumerate(rows):
            for label, share in zip(tool.classes_, row.tolist()):
                assert share == pytest.approx(
                    sum(one.score for one in ranked if one.output[t] == label), abs=1e-5
                )
    with pytest.raises(ValueError, match="known labels"):
        tool.predict(data[0], known=[[None] * len(one) for one in tool.predict(data[0])])


def test_an_automaton_and_votes() -> None:
    X, y = [["a", "b", "c"], ["b", "c"], ["c", "a"]] * 3, [["X", "Y", "X"], ["X", "Y"], ["Y", "X"]] * 3
    tagger = Tagger(Perceptron(voted=True, n_iter=3), automaton="(X|Y X?)*").fit(X, y)
    assert all(share > 0 for _, share in tagger.model_.votes.vectors())  # type: ignore[union-attr]
    plain = Counter[str]()
    for w, share in tagger.model_.votes.vectors():  # type: ignore[union-attr]
        labels = replace(tagger.model_, held=w, votes=None).decode(tagger._encoded([["b", "a", "c"]]))
        plain[str([tagger.classes_[k] for k in labels])] += share  # type: ignore[assignment]
    (predicted,) = tagger.predict([["b", "a", "c"]])
    assert plain[str(predicted)] == pytest.approx(max(plain.values()))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_do_not_change_a_vote(n_jobs: int) -> None:
    tool, data = trained("`tag`", n_jobs=n_jobs)
    other, _ = trained("`tag`")
    assert tool.set_params(n_jobs=n_jobs).predict(data[0]) == other.predict(data[0])


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train, model = TRAIN, str(tmp_path / "m.palm")
    options = ["--learner", "perceptron", "--set", "voted=true", "--set", "vectors=5", "-o", model, "-q"]
    assert main(["train", "tag", "--train", str(train), *options]) == 0
    assert main(["evaluate", model, str(train), "--json"]) == 0
    assert main(["inspect", model]) == 0
    capsys.readouterr()
    assert main(["explain", model, "the dog"]) != 0
    assert "voted=false" in capsys.readouterr().err
