"""Every tool takes its input in every form that can be looped over, and answers once for every item."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import (
    CRF,
    EM,
    Aligner,
    Candidates,
    Classifier,
    ConstituencyParser,
    Corpus,
    DependencyParser,
    LanguageModel,
    Perceptron,
    Reranker,
    SpanTagger,
    Tagger,
    TagInducer,
    Tree,
    write_brackets,
    write_columns,
    write_conllu,
    write_nbest,
)

pytestmark = pytest.mark.native

WORDS = [["Dogs", "bark"], ["Anna", "saw", "Paris"], ["Cats", "sleep"], ["They", "saw", "Anna"]]
TAGS = [["NOUN", "VERB"], ["PROPN", "VERB", "PROPN"], ["NOUN", "VERB"], ["PRON", "VERB", "PROPN"]]
SPANS = [["O", "O"], ["B-PER", "O", "B-LOC"], ["O", "O"], ["O", "O", "B-PER"]]
ARCS = [
    [(2, "nsubj"), (0, "root")],
    [(2, "nsubj"), (0, "root"), (2, "obj")],
    [(2, "nsubj"), (0, "root")],
    [(2, "nsubj"), (0, "root"), (2, "obj")],
]
TREES = [
    Tree.parse(text)
    for text in (
        "(S (NP (NNS Dogs)) (VP (VBP bark)))",
        "(S (NP (NNP Anna)) (VP (VBD saw) (NP (NNP Paris))))",
        "(S (NP (NNS Cats)) (VP (VBP sleep)))",
        "(S (NP (PRP They)) (VP (VBD saw) (NP (NNP Anna))))",
    )
]
PAIRS = [("the house", "das Haus"), ("the book", "das Buch"), ("a book", "ein Buch"), ("a house", "ein Haus")]
LINKS = [[(0, 0), (1, 1)]] * 4
TEXTS, CLASSES = ["a good film", "a bad film", "good fun", "bad luck"], ["+", "-", "+", "-"]
LINES = ["the cat sat", "the dog sat", "a dog ran", "a cat ran"]


def _candidates() -> list[Candidates]:
    lists = []
    for words, tags in zip(WORDS, TAGS):
        right = tuple(zip(words, tags))
        wrong = tuple((word, "X") for word in words)
        lists.append(Candidates([wrong, right], [-0.5, -0.9]))
    return lists


@dataclasses.dataclass
class Case:
    """A tool: how it is made, its input and right output, what it can do, and its input as a file."""

    make: Callable[[], Any]
    fit: Callable[[Any, Any, Any], Any]
    X: Sequence[Any]
    y: Sequence[Any]
    verbs: dict[str, Callable[[Any, Any], Any]]
    measures: dict[str, Callable[[Any, Any, Any], Any]]
    write: Callable[[Path], Path] | None = None
    corpus: Corpus | None = None
    rows: bool = True  # the items are rows, which may be iterators themselves


def _fit(tool: Any, X: Any, y: Any) -> Any:
    return tool.fit(X, y)


def _fit_alone(tool: Any, X: Any, y: Any) -> Any:
    return tool.fit(X)


def _tagged(name: str, labels: Sequence[Any]) -> Corpus:
    return Corpus.from_columns({"form": WORDS, name: labels})


def _columns(path: Path) -> Path:
    write_columns([list(zip(words, labels)) for words, labels in zip(WORDS, SPANS)], path / "x.tsv")
    return path / "x.tsv"


def _conllu(corpus: Corpus) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        write_conllu(corpus, path / "x.conllu")
        return path / "x.conllu"

    return write


def _brackets(path: Path) -> Path:
    write_brackets(iter(TREES), path / "x.mrg")
    return path / "x.mrg"


def _nbest(path: Path) -> Path:
    lists = [
        given.with_gold(tuple(zip(words, tags))) for given, words, tags in zip(_candidates(), WORDS, TAGS)
    ]
    write_nbest(lists, path / "x.nbest")
    return path / "x.nbest"


def _pairs(path: Path) -> Path:
    (path / "x.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS))
    return path / "x.tsv"


def _lines(path: Path) -> Path:
    (path / "x.txt").write_text("\n".join(LINES) + "\n")
    return path / "x.txt"


TREEBANK = Corpus.from_columns(
    {"form": WORDS, "upos": TAGS, "deprel": [[relation for _, relation in row] for row in ARCS]},
    heads=[[head for head, _ in row] for row in ARCS],
)
SEQUENCE_VERBS = {
    "predict": lambda tool, X: tool.predict(X),
    "minimum_risk": lambda tool, X: tool.predict(X, minimum_risk=True),
    "known": lambda tool, X: tool.predict(X, known=([None] * n for n in (2, 3, 2, 3))),
    "predict_proba": lambda tool, X: tool.predict_proba(X),
    "marginals": lambda tool, X: tool.marginals(X),
    "kbest": lambda tool, X: tool.kbest(X, 3),
    "chains": lambda tool, X: [scores.unary for _, scores in tool.chains(X)],
}
MEASURES = {
    "score": lambda tool, X, y: tool.score(X, y),
    "evaluate": lambda tool, X, y: str(tool.evaluate(X, y)),
}
CASES = {
    "Tagger": Case(
        lambda: Tagger(CRF(n_iter=2), templates="w[0]\ny"),
        _fit,
        WORDS,
        TAGS,
        SEQUENCE_VERBS,
        MEASURES,
        _conllu(_tagged("upos", TAGS)),
        _tagged("upos", TAGS),
    ),
    "SpanTagger": Case(
        lambda: SpanTagger(CRF(n_iter=2), templates="w[0]\ny"),
        _fit,
        WORDS,
        SPANS,
        SEQUENCE_VERBS | {"spans": lambda tool, X: tool.spans(X)},
        MEASURES,
        _columns,
        _tagged("ner", SPANS),
    ),
    "TagInducer": Case(
        lambda: TagInducer(EM(n_iter=2), n_states=5),
        _fit,
        WORDS,
        TAGS,
        SEQUENCE_VERBS,
        MEASURES,
        corpus=_tagged("upos", TAGS),
    ),
    "DependencyParser": Case(
        lambda: DependencyParser("graph", CRF(n_iter=2)),
        _fit,
        WORDS,
        ARCS,
        {
            "predict": lambda tool, X: tool.predict(X),
            "parse": lambda tool, X: [list(sentence) for sentence in tool.parse(X)],
            "kbest": lambda tool, X: tool.kbest(X, 2),
            "arc_probabilities": lambda tool, X: tool.arc_probabilities(X),
        },
        MEASURES,
    ),
    "DependencyParser of treebanks": Case(
        lambda: DependencyParser("transition", Perceptron(n_iter=2)),
        _fit_alone,
        list(TREEBANK),
        ARCS,
        {"predict": lambda tool, X: tool.predict(X)},
        {"score": lambda tool, X, y: tool.score(X), "evaluate": lambda tool, X, y: str(tool.evaluate(X))},
        _conllu(TREEBANK),
        TREEBANK,
        rows=False,
    ),
    "ConstituencyParser": Case(
        lambda: ConstituencyParser("pcfg"),
        _fit,
        WORDS,
        TREES,
        {
            "predict": lambda tool, X: tool.predict(X),
            "tags": lambda tool, X: tool.predict(X, tags=iter([[""] * n for n in (2, 3, 2, 3)])),
            "kbest": lambda tool, X: [
                [(parse.tree, parse.score) for parse in parses] for parses in tool.kbest(X, 2)
            ],
            "marginals": lambda tool, X: tool.marginals(X),
        },
        MEASURES,
    ),
    "ConstituencyParser of treebanks": Case(
        lambda: ConstituencyParser("pcfg"),
        _fit_alone,
        TREES,
        TREES,
        {"predict": lambda tool, X: tool.predict(X)},
        {"score": lambda tool, X, y: tool.score(X), "evaluate": lambda tool, X, y: str(tool.evaluate(X))},
        _brackets,
        rows=False,
    ),
    "Reranker": Case(
        lambda: Reranker(Perceptron(n_iter=2)),
        _fit,
        _candidates(),
        [tuple(zip(words, tags)) for words, tags in zip(WORDS, TAGS)],
        {
            "predict": lambda tool, X: tool.predict(X),
            "choose": lambda tool, X: tool.choose(X),
            "scores": lambda tool, X: tool.scores(X),
            "probabilities": lambda tool, X: tool.probabilities(X),
            "rank": lambda tool, X: [given.outputs for given in tool.rank(X)],
        },
        MEASURES,
        _nbest,
        rows=False,
    ),
    "Classifier": Case(
        lambda: Classifier(CRF(n_iter=2)),
        _fit,
        TEXTS,
        CLASSES,
        {
            "predict": lambda tool, X: tool.predict(X),
            "predict_proba": lambda tool, X: tool.predict_proba(X),
            "decision_function": lambda tool, X: tool.decision_function(X),
        },
        MEASURES,
        rows=False,
    ),
    "Aligner": Case(
        lambda: Aligner(models=("model1",)),
        _fit_alone,
        PAIRS,
        LINKS,
        {
            "predict": lambda tool, X: tool.predict(X),
            "align": lambda tool, X: list(tool.align(X)),
            "posteriors": lambda tool, X: [p for p, _ in tool.posteriors(X)],
            "kbest": lambda tool, X: tool.kbest(X, 2),
        },
        MEASURES,
        _pairs,
    ),
    "LanguageModel": Case(
        lambda: LanguageModel,
        lambda tool, X, y: tool.train(X, order=2, smoothing="dirichlet", concentration=1.0),
        LINES,
        LINES,
        {"score_batch": lambda tool, X: tool.score_batch(X)},
        {
            "evaluate": lambda tool, X, y: str(tool.evaluate(X)),
            "perplexity": lambda tool, X, y: tool.perplexity(X),
            "word_scores": lambda tool, X, y: tool.word_scores(X).log_probs.sum(),
        },
        _lines,
        rows=False,
    ),
}


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
        _assert_same(found, want)
    for measure in case.measures.values():
        labels = given(case.y, False) if form in FORMS or tool != "Reranker" else case.y
        assert measure(model, given(case.X), labels) == measure(model, case.X, case.y)
    again = case.fit(case.make(), given(case.X), given(case.y, False) if form in FORMS else case.y)
    for verb in case.verbs.values():
        _assert_same(verb(again, case.X), verb(model, case.X))


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


@pytest.mark.parametrize("tool", [name for name in CASES if name not in ("Classifier", "LanguageModel")])
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


def _assert_same(found: Any, want: Any) -> None:
    for one, two in zip(found, want, strict=True):
        if isinstance(two, np.ndarray):
            np.testing.assert_array_equal(one, two)
        else:
            assert one == two
