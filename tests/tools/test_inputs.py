"""Every tool takes its input in every form that can be looped over, and answers once for every item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import DependencyTree, SpanTagger, Tagger, Tree
from palmette.compat import sklearn_crfsuite
from palmette.evaluation import evaluate_brackets, evaluate_dependencies, evaluate_spans, evaluate_tags
from samples.tool_cases import CASES, SPANS, TAGS, TREEBANK, TREES, WORDS, assert_same

pytestmark = pytest.mark.native


class Series:
    """What matters of a column of a data frame: it is no sequence, and has an index of its own."""

    iloc = None

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = list(items)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Any:
        return iter(self._items)

    def __getitem__(self, key: object) -> Any:
        raise KeyError(key)


def _objects(items: Sequence[Any]) -> Any:
    row = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        row[i] = item
    return row


def _same(item: Any) -> Any:
    return item


FORMS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "tuple": tuple,
    "generator": lambda items: (item for item in items),
    "iterator": iter,
    "map": lambda items: map(_same, items),
    "values": lambda items: dict(enumerate(items)).values(),
    "array": _objects,
    "Series": Series,
}
ROW_FORMS: dict[str, Callable[[Any], Any]] = {
    "rows are tuples": tuple,
    "rows are iterators": iter,
    "rows are arrays": _objects,
}


@pytest.fixture(scope="module")
def fitted() -> dict[str, Any]:
    return {name: case.fit(case.make(), case.X, case.y) for name, case in CASES.items()}


@pytest.mark.parametrize("form", [*FORMS, *ROW_FORMS, "corpus", "path", "name of a file"])
@pytest.mark.parametrize("tool", CASES)
def test_every_form_is_read_whole(tool: str, form: str, fitted: dict[str, Any], tmp_path: Path) -> None:
    case, model = CASES[tool], fitted[tool]

    def given(items: Sequence[Any], is_input: bool = True) -> Any:
        if form in FORMS:
            return FORMS[form](items)
        if form in ROW_FORMS:
            return [row if isinstance(row, Tree) else ROW_FORMS[form](row) for row in items]
        if not is_input:
            return items
        if form == "corpus":
            return case.corpus
        path = None if case.write is None else case.write(tmp_path)
        return str(path) if form == "name of a file" else path

    if form in ROW_FORMS and not case.rows:
        pytest.skip("the items are no rows")
    if form == "corpus" and case.corpus is None:
        pytest.skip("no corpus has this input")
    if form in ("path", "name of a file") and case.write is None:
        pytest.skip("no file has this input")
    if tool == "LanguageModel" and form == "name of a file":
        pytest.skip("a string is one sentence")
    for name, verb in case.verbs.items():
        want, found = verb(model, case.X), verb(model, given(case.X))
        assert len(found) == len(case.X), name
        assert_same(found, want)
    for measure in case.measures.values():
        labels = given(case.y, False) if form in FORMS or tool != "Reranker" else case.y
        assert measure(model, given(case.X), labels) == measure(model, case.X, case.y)
    again = case.fit(case.make(), given(case.X), given(case.y, False) if form in FORMS else case.y)
    for verb in case.verbs.values():
        assert_same(verb(again, case.X), verb(model, case.X))


@pytest.mark.parametrize(
    "given",
    [{"a": 1}, {"a", "b"}, 5, None, np.array(3), b"Dogs bark"],
    ids=["mapping", "set", "number", "None", "array", "bytes"],
)
@pytest.mark.parametrize("tool", CASES)
def test_what_is_not_many_items_is_refused(tool: str, given: Any, fitted: dict[str, Any]) -> None:
    case, model = CASES[tool], fitted[tool]
    for verb in case.verbs.values():
        with pytest.raises(TypeError, match=r"must be .*Got|made of|takes lists"):
            verb(model, given)
    with pytest.raises(TypeError, match=r"must be .*Got"):
        case.fit(case.make(), given, given)


@pytest.mark.parametrize(
    "tool",
    [name for name in CASES if name not in ("Classifier", "LanguageModel", "SemanticParser", "Sentiment")],
)
def test_a_string_that_names_no_file_says_what_is_expected(tool: str, fitted: dict[str, Any]) -> None:
    with pytest.raises(FileNotFoundError, match="a string names a file"):
        fitted[tool].predict("Dogs bark")


def test_empty_sentences_are_answered_too(fitted: dict[str, Any]) -> None:
    X = [[], ["Dogs", "bark"], []]
    for tool in ("Tagger", "SpanTagger", "TagInducer", "DependencyParser", "ConstituencyParser"):
        for verb in ("predict", "kbest", "predict_proba", "marginals"):
            if verb in CASES[tool].verbs:
                assert len(CASES[tool].verbs[verb](fitted[tool], iter(X))) == 3, (tool, verb)


def test_a_data_frame_is_refused_whole() -> None:
    class Frame(Series):
        columns = ("text", "label")

    with pytest.raises(TypeError, match="one column of a data frame"):
        Tagger().fit(Frame(WORDS), TAGS)


def test_labels_that_break_their_scheme_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text("Anna\tB-PER\nsaw\tI-LOC\n\n")
    with pytest.raises(ValueError, match=r"bad\.tsv:2: "):
        SpanTagger().fit(path)


def test_measures_read_iterators_too() -> None:
    assert evaluate_tags(iter(TAGS), map(iter, TAGS)).accuracy == 1.0
    assert evaluate_spans(iter(SPANS), iter(SPANS)).f1 == 1.0
    assert evaluate_brackets(iter(TREES), (tree for tree in TREES)).f1 == 1.0
    trees = [DependencyTree.of(sentence) for sentence in TREEBANK]
    assert evaluate_dependencies(iter(TREEBANK), iter(trees)).las == 1.0
    for measure in (evaluate_tags, evaluate_spans):
        with pytest.raises(TypeError, match="must be a list or another iterable"):
            measure("NOUN", TAGS)


def test_the_estimator_of_sklearn_crfsuite_reads_iterators_too() -> None:
    X = [[{"w": word} for word in words] for words in WORDS]
    want = sklearn_crfsuite.CRF(max_iterations=3).fit(X, TAGS).predict(X)
    found = sklearn_crfsuite.CRF(max_iterations=3).fit(iter(X), iter(TAGS)).predict(iter(X))
    assert found.tolist() == want.tolist()
