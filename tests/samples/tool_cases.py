"""Every tool on a little data: how it is made and trained, its input and right output, and what it can do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from palmette import (
    CRF,
    EM,
    Aligner,
    Classifier,
    ConstituencyParser,
    Corpus,
    DependencyParser,
    LanguageModel,
    Perceptron,
    Reranker,
    SemanticParser,
    SenseTagger,
    Sentiment,
    SpanTagger,
    Tagger,
    TagInducer,
    Translator,
    Tree,
)
from palmette.formats import Candidates, write_brackets, write_columns, write_conllu, write_nbest
from palmette.tools.morphology import Analysis, Lemmatizer, Morphology
from palmette.tools.semantics.database import Database

WORDS = [["Dogs", "bark"], ["Anna", "saw", "Paris"], ["Cats", "sleep"], ["They", "saw", "Anna"]]
TAGS = [["NOUN", "VERB"], ["PROPN", "VERB", "PROPN"], ["NOUN", "VERB"], ["PRON", "VERB", "PROPN"]]
ANALYSES = [[Analysis(tag, "_", f"Of={tag}") for tag in row] for row in TAGS]
LEMMAS = [["dog", "bark"], ["Anna", "see", "Paris"], ["cat", "sleep"], ["they", "see", "Anna"]]
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
BANKS = [[(word, "", "NOUN") for word in text.split()] for text in ("river bank", "money bank", "bank boat")]
SENSES = [[None, "shore"], [None, "money"], ["shore", None]]
QUESTIONS = ["population of Bonn", "cities in France", "largest city", "how many cities are there"]
ANSWERS = ["0.3", "Lyon|Paris", "Paris", "3"]
LINES = ["the cat sat", "the dog sat", "a dog ran", "a cat ran"]


def _candidates() -> list[Candidates]:
    lists = []
    for words, tags in zip(WORDS, TAGS):
        right = tuple(zip(words, tags))
        wrong = tuple((word, "X") for word in words)
        lists.append(Candidates([wrong, right], [-0.5, -0.9]))
    return lists


@cache
def _facts() -> Database:
    rows = [("Lyon", "France", 0.5), ("Paris", "France", 2.1), ("Bonn", "Germany", 0.3)]
    return Database.of({"city": rows}, {"city": ["name", "country", "population"]})


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


def _analysed() -> Corpus:
    feats = [[one.feats for one in row] for row in ANALYSES]
    return Corpus.from_columns({"form": WORDS, "upos": TAGS, "feats": feats})


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


def _sources(path: Path) -> Path:
    (path / "x.txt").write_text("".join(f"{source}\n" for source, _ in PAIRS))
    return path / "x.txt"


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
    "Morphology": Case(
        lambda: Morphology(CRF(n_iter=2)),
        _fit,
        WORDS,
        ANALYSES,
        {verb: SEQUENCE_VERBS[verb] for verb in ("predict", "predict_proba", "kbest")},
        MEASURES,
        _conllu(_analysed()),
        _analysed(),
    ),
    "Lemmatizer": Case(
        lambda: Lemmatizer(CRF(n_iter=2)),
        _fit,
        WORDS,
        LEMMAS,
        {verb: SEQUENCE_VERBS[verb] for verb in ("predict", "marginals", "kbest")},
        MEASURES,
        _conllu(_tagged("lemma", LEMMAS)),
        _tagged("lemma", LEMMAS),
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
            "marginals": lambda tool, X: tool.marginals(X),
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
            "kbest": lambda tool, X: tool.kbest(X, 2),
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
            "predict_proba": lambda tool, X: tool.predict_proba(X),
            "kbest": lambda tool, X: tool.kbest(X, 2),
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
            "kbest": lambda tool, X: tool.kbest(X, 2),
            "decision_function": lambda tool, X: tool.decision_function(X),
        },
        MEASURES,
        rows=False,
    ),
    "SemanticParser": Case(
        lambda: SemanticParser(_facts(), options={"rounds": 2}),
        _fit,
        QUESTIONS,
        ANSWERS,
        {"predict": lambda tool, X: tool.predict(X), "kbest": lambda tool, X: tool.kbest(X, 2)},
        MEASURES,
        rows=False,
    ),
    "Sentiment": Case(
        lambda: Sentiment(subjectivity=(["good fun", "the cat sat"], ["subjective", "objective"])),
        _fit,
        TEXTS,
        CLASSES,
        {
            "predict": lambda tool, X: tool.predict(X),
            "predict_proba": lambda tool, X: tool.predict_proba(X),
            "kbest": lambda tool, X: tool.kbest(X, 2),
            "extracts": lambda tool, X: [one.text for one in tool.extracts(X)],
        },
        MEASURES,
        rows=False,
    ),
    "SenseTagger": Case(
        lambda: SenseTagger(),
        _fit,
        BANKS,
        SENSES,
        {"predict": lambda tool, X: tool.predict(X), "kbest": lambda tool, X: tool.kbest(X, 2)},
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
            "marginals": lambda tool, X: tool.marginals(X),
            "kbest": lambda tool, X: tool.kbest(X, 2),
        },
        MEASURES,
        _pairs,
    ),
    "Translator": Case(
        lambda: Translator(tuning="none", options={"models": "model1", "order": 2}),
        _fit,
        [source.split() for source, _ in PAIRS],
        [target.split() for _, target in PAIRS],
        {
            "predict": lambda tool, X: tool.predict(X),
            "minimum_risk": lambda tool, X: tool.predict(X, minimum_risk="list"),
            "known": lambda tool, X: tool.predict(X, known=(None for _ in range(4))),
            "kbest": lambda tool, X: tool.kbest(X, 2),
            "translate": lambda tool, X: tool.translate(X, probabilities=True),
        },
        MEASURES,
        _sources,
    ),
    "LanguageModel": Case(
        lambda: LanguageModel,
        lambda tool, X, y: tool.fit(X, order=2, smoothing="dirichlet", concentration=1.0),
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


def assert_same(found: Any, want: Any) -> None:
    """The answers are the same, item by item."""
    for one, two in zip(found, want, strict=True):
        if isinstance(two, np.ndarray):
            np.testing.assert_array_equal(one, two)
        else:
            assert one == two
