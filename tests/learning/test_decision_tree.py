"""Decision trees: the arrays answer as scikit-learn does, explain their path, and survive files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learning.test_naive_bayes import items
from palmette.cli import main
from palmette.errors import FormatError
from palmette.formats.model import ModelFile
from palmette.learning.decision_tree import DecisionTree
from palmette.tools.classification.classifier import Classifier


@pytest.mark.parametrize(
    "options", [{}, {"depth": 2}, {"criterion": "entropy", "min_leaf": 5}, {"pruning": 0.02}]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_as_scikit_learn(options: dict[str, object], weighted: bool) -> None:
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.tree import DecisionTreeClassifier

    X, y = items(120)
    new, _ = items(60, seed=3)
    weights = np.random.default_rng(1).random(len(y)) if weighted else None
    names = {"depth": "max_depth", "min_leaf": "min_samples_leaf", "pruning": "ccp_alpha"}
    theirs = DecisionTreeClassifier(
        **{"min_samples_leaf": 2, "random_state": 0} | {names.get(k, k): v for k, v in options.items()}
    )
    # columns in the order in which features come, so that equal questions are chosen alike
    vectors = DictVectorizer(sparse=True, sort=False, dtype=np.float32)
    vectors.fit(X)

    def table(some: list[dict[str, float]]) -> Any:
        found = vectors.transform(some).tocsc()
        found.indices, found.indptr = found.indices.astype(np.int32), found.indptr.astype(np.int32)
        return found

    theirs.fit(table(X), y, sample_weight=weights)
    ours = Classifier(DecisionTree(**options)).fit(X, y, sample_weight=weights)  # type: ignore[arg-type]
    for some in (X, new, [{}]):
        want = theirs.predict_proba(table(some).toarray())
        np.testing.assert_allclose(ours.predict_proba(some), want, atol=1e-9)
        assert ours.predict(some) == theirs.predict(table(some).toarray()).tolist()
    assert ours.model_.tree.depth == theirs.get_depth()  # type: ignore[attr-defined]


def test_reasons_follow_the_path() -> None:
    classifier = Classifier(DecisionTree(min_leaf=1)).fit(
        ["a good film", "good fun", "a bad film", "bad and dull"], ["+", "+", "-", "-"]
    )
    (decision,) = classifier.explain("a good day").decisions
    named = {one.feature: one.amount for one in decision.contributions}
    assert decision.margin == pytest.approx(sum(named.values()) + decision.rest) == 1.0
    assert any(name.startswith('word "') and (" > 0.5" in name or " ≤ 0.5" in name) for name in named)


def test_files_hold_no_code_and_damage_is_found(tmp_path: Path) -> None:
    X, y = items(80)
    classifier = Classifier(DecisionTree()).fit(X, y)
    classifier.save(tmp_path / "m.palm")
    again = Classifier.load(tmp_path / "m.palm")
    np.testing.assert_array_equal(again.predict_proba(X), classifier.predict_proba(X))
    with pytest.raises(ValueError, match="trained on named values"):
        again.predict([[1.0, 2.0]])
    file = classifier.to_model()
    left = np.array(file.arrays["left"])
    inner = int(np.flatnonzero(left >= 0)[-1])
    for name, value in {
        "left": 0,
        "right": len(left),
        "feature": 999,
        "threshold": np.nan,
        "shares": -1.0,
    }.items():
        array = np.array(file.arrays[name])
        array[inner] = value
        damaged = ModelFile(file.kind, file.options, {**file.arrays, name: array}, file.strings)
        with pytest.raises(FormatError, match="tree"):
            Classifier.from_model(damaged)


def test_one_class_and_no_features() -> None:
    assert Classifier(DecisionTree()).fit([{"a"}, {"b"}], ["x", "x"]).predict([{"c"}]) == ["x"]
    assert Classifier(DecisionTree()).fit([set(), set()], ["x", "y"]).predict_proba([set()]).tolist() == [
        [0.5, 0.5]
    ]


def test_without_scikit_learn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, model = tmp_path / "t.tsv", tmp_path / "m.palm"
    data.write_text("+\ta good film\n-\ta bad film\n+\tgood\n-\tbad\n", encoding="utf-8")
    command = ["train", "classify", "--train", str(data), "--learner", "tree", "-q", "-o", str(model)]
    assert main(command) == 0
    for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    assert main(["predict", str(model), str(data)]) == 0
    assert capsys.readouterr().out.split() == ["+", "-", "+", "-"]
    assert main([*command[:-1], str(tmp_path / "n.palm")]) != 0
    assert "pip install 'palmette[sklearn]'" in capsys.readouterr().err
