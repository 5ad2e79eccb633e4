"""What all tools promise alike: the same verbs, with the same kinds of answers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette.cli.verb_table import tables, with_tables
from palmette.learning.perceptron import Perceptron
from palmette.tools.explanation import Decision, Explanation
from palmette.tools.ranked import Ranked
from samples.tool_cases import CASES

pytestmark = pytest.mark.native
RANKING = [name for name, case in CASES.items() if "kbest" in case.verbs]


@cache
def fitted(name: str) -> Any:
    """The tool of a case, trained once."""
    case = CASES[name]
    return case.fit(case.make(), case.X, case.y)


def same(one: Any, other: Any) -> bool:
    """Whether two outputs are equal."""
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)


@pytest.mark.parametrize("name", RANKING)
def test_kbest_gives_ranked_outputs(name: str) -> None:
    tool, case = fitted(name), CASES[name]
    best = tool.predict(case.X, **({"minimum_risk": False} if name == "Reranker" else {}))
    more = {"minimum_risk": False} if name == "Reranker" else {}
    answers = tool.kbest(case.X, 3, **more)
    assert len(answers) == len(case.X)
    for ranked, first in zip(answers, best):
        assert 1 <= len(ranked) <= 3
        assert all(isinstance(one, Ranked) for one in ranked)
        assert same(ranked[0].output, first)
        scores = [one.score for one in ranked]
        assert scores == sorted(scores, reverse=True)
        output, score, log_probability = ranked[0]
        assert (output, score, log_probability) == (
            ranked[0].output,
            ranked[0].score,
            ranked[0].log_probability,
        )
        if log_probability is not None:
            assert sum(np.exp(one.log_probability) for one in ranked) <= 1 + 1e-5
            assert ranked[0].probability == pytest.approx(np.exp(log_probability))
    assert [ranked[:1] for ranked in answers] == tool.kbest(case.X, 1, **more)


@pytest.mark.parametrize("name", RANKING)
@pytest.mark.parametrize("k", [0, -1, 2.5, True, "3"])
def test_a_bad_k_gets_the_same_sentence_everywhere(name: str, k: Any) -> None:
    with pytest.raises(ValueError, match=r"The 'k' parameter must be an int in the range \[1, inf\)\. Got"):
        fitted(name).kbest(CASES[name].X, k)


def _explained(name: str) -> Iterator[Explanation]:
    tool, case = fitted(name), CASES[name]
    for x in case.X:
        yield tool.explain(*x) if name == "Aligner" else tool.explain(x)


@pytest.mark.parametrize("name", CASES)
def test_contributions_and_the_rest_sum_to_the_margin(name: str) -> None:
    compared = 0
    for explanation in _explained(name):
        assert isinstance(explanation, Explanation)
        for decision in explanation.decisions:
            assert type(decision) is Decision
            assert decision.subject
            assert decision.chosen is not None
            total = math.fsum(part.amount for part in decision.contributions) + decision.rest
            if math.isfinite(decision.margin):
                assert total == pytest.approx(decision.margin, abs=1e-6)
                compared += 1
            else:
                assert decision.rival is None
            short = decision.first(1)
            assert len(short.contributions) <= 1
            left = math.fsum(part.amount for part in short.contributions) + short.rest
            assert left == pytest.approx(total, abs=1e-9)
        told = json.loads(json.dumps(explanation.to_dict()))
        rows = [row for rows in told.values() for row in rows if isinstance(row, dict)]
        assert len(rows) == len(explanation.decisions)
        assert all(
            {"subject", "chosen", "rival", "margin", "contributions", "rest"} <= set(row) for row in rows
        )
        for row in rows:
            assert all({"feature", "amount", "where", "detail"} == set(part) for part in row["contributions"])
        assert str(explanation)
    assert compared or name.startswith("ConstituencyParser")  # whose grammar gives each sentence one tree


PROBABLE = [name for name, case in CASES.items() if {"predict_proba", "marginals"} & set(case.verbs)]


@pytest.mark.parametrize("name", PROBABLE)
def test_probabilities(name: str) -> None:
    """Distributions sum to one, and marginals of parts are probabilities of sets of outputs."""
    tool, case = fitted(name), CASES[name]
    assert tool.probabilities_from in ("model", "scores", "votes", "trees", "head filter")
    if "predict_proba" in case.verbs:
        answers = tool.predict_proba(case.X)
        assert len(answers) == len(case.X)
        for p in answers:
            np.testing.assert_allclose(np.sum(p, axis=-1), 1.0, atol=1e-5)
    if "marginals" in case.verbs:
        tables = tool.marginals(case.X)
        assert len(tables) == len(case.X)
        for table in tables:
            flat = table if isinstance(table, list) else [table]
            assert all(0 <= p <= 1 + 1e-5 for row in flat for p in row.values())
    if name == "DependencyParser":
        for tree, table in zip(tool.predict(case.X), tables):
            heads = {word: sum(p for (m, _), p in table.items() if m == word) for word, _ in table}
            assert heads == pytest.approx(dict.fromkeys(range(1, len(tree.heads) + 1), 1.0), abs=1e-4)


@pytest.mark.parametrize("name", [name for name in PROBABLE if name not in ("TagInducer", "Aligner")])
def test_what_probabilities_are_made_of(name: str) -> None:
    """A learner that estimates no probabilities leaves softmaxes of scores, a filter, or a refusal."""
    case = CASES[name]
    tool = case.make()
    if name.startswith("ConstituencyParser"):
        tool.set_params(method="perceptron", options={"bits": 12, "folds": 2})
    else:
        tool.set_params(learner=Perceptron(n_iter=1))
    case.fit(tool, case.X, case.y)
    if tool.probabilities_from is None:
        with pytest.raises(ValueError, match=r"has no probabilities: train it with .*\(crf.*eg.*\)"):
            tool.marginals(case.X)
    else:
        assert tool.probabilities_from in ("scores", "head filter")
        assert (tool.predict_proba if hasattr(tool, "predict_proba") else tool.marginals)(case.X)[
            0
        ] is not None


def test_the_tables_of_verbs_are_those_of_the_classes() -> None:
    """If this fails: python -m palmette.cli.verb_table docs/python.md"""
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
    assert with_tables(page) == page
    assert tables() in page
