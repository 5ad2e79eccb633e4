"""Every tool is pickled and copied, trained or not, and answers as before."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import palmette
from palmette import (
    CRF,
    EM,
    HMM,
    MEMM,
    MIRA,
    Aligner,
    Classifier,
    ConstituencyParser,
    Corpus,
    DependencyParser,
    InferenceRules,
    KernelPerceptron,
    KernelSVM,
    LanguageModel,
    LatentCRF,
    NearestNeighbours,
    Perceptron,
    Pipeline,
    Reranker,
    SemanticParser,
    SenseTagger,
    Sentiment,
    SpanTagger,
    Tagger,
    TagInducer,
    Thesaurus,
    Translator,
)
from palmette.features import SequenceTemplates, TreeTemplates
from palmette.features.kernels import LinearKernel, SpectrumKernel, TreeKernel
from palmette.features.templates import Templates
from palmette.formats.conllu import parse_conllu
from palmette.formats.model import ModelFile
from palmette.tools.classification import ItemReader
from palmette.tools.estimator import Estimator
from palmette.tools.morphology import Lemmatizer, Morphology
from palmette.tools.registry import tools
from palmette.tools.semantics.database import Database
from palmette.tools.sequence.fitted import FittedTagger
from palmette.tools.sequence.history_tagger import HistoryTagger
from palmette.tools.thesaurus.counting_tool import CountingTool
from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer
from samples.aligned_text import made_pairs
from samples.phrase_treebank import SENTENCE, cats
from samples.ranking_lists import random_lists, tree_lists
from samples.raw_text import ENGLISH
from samples.sequences import random_sentences
from samples.treebank import garden_trees

pytestmark = pytest.mark.native

ROOT = Path(__file__).parents[2]

TEXTS = ["a good film", "good fun", "a fine good day", "a bad film", "bad and dull", "a dull bad day"]
SIGNS = ["+", "+", "+", "-", "-", "-"]
TREES = [f"(S (NP (N {n})) (VP (V {v})))" for n in ("dogs", "cats") for v in ("run", "sleep", "eat")]
ROWS = [("join", "of", 1.0), ("see", "with", 2.0), ("join", "of", 4.0), ("eat", "with", 3.0)]


class Case(NamedTuple):
    """A tool, what it is trained on, and what it is asked."""

    tool: Any
    data: Callable[[], tuple[Any, ...]]
    ask: Callable[[Any], Any]


def capitals(word: str) -> str:
    """A function of a user, which no model file can hold."""
    return str(word[:1].isupper())


def stem(word: str) -> str:
    """A stem by a function."""
    return word[:3]


def _sentences() -> tuple[Any, ...]:
    return random_sentences(30)


def _news() -> Corpus:
    """Sentences with trees."""
    rows = [("ann", "saw", "bob"), ("ann", "met", "bob"), ("eve", "saw", "tim"), ("eve", "met", "tim")]
    tags, relations = [["NOUN", "VERB", "NOUN"]] * 4, [["nsubj", "root", "obj"]] * 4
    return Corpus.from_columns({"form": rows, "upos": tags, "deprel": relations}, heads=[[2, 0, 2]] * 4)


def _spans() -> tuple[Any, ...]:
    X = [["Paris", "is", "old"], ["In", "New", "York"], ["Paul", "saw", "Rome"]] * 3
    y = [["B-L", "O", "O"], ["O", "B-L", "I-L"], ["B-P", "O", "B-L"]] * 3
    return X, y


def _answers_of_tagger(tagger: Any) -> Any:
    X = _sentences()[0]
    return tagger.predict(X), [np.round(p, 6).tolist() for p in tagger.predict_proba(X)], tagger.classes_


def _tagger(learner: Any, **options: Any) -> Case:
    return Case(Tagger(learner, **options), _sentences, _answers_of_tagger)


def _dependency(method: str, **options: Any) -> Case:
    return Case(
        DependencyParser(method, **options),
        lambda: (garden_trees(),),
        lambda parser: [tree.heads for tree in parser.predict(garden_trees("test"))],
    )


def _phrases(method: str, **options: Any) -> Case:
    return Case(
        ConstituencyParser(method, **options),
        lambda: (cats(),),
        # A file keeps the tagger of a parser of features in half precision.
        lambda parser: [(str(p.tree), round(p.score, 2)) for p in parser.kbest([SENTENCE], 3)[0]],
    )


def _classifier(classifier: Classifier, X: Any, y: Any) -> Case:
    return Case(classifier, lambda: (X, y), lambda made: made.decision_function(X).tolist())


def _reranker(reranker: Reranker, lists: Callable[[], Any]) -> Case:
    return Case(
        reranker,
        lambda: (lists(),),
        lambda made: [(made.choose(lists()), scores.tolist()) for scores in made.scores(lists())],
    )


def _lists() -> Any:
    return random_lists(20, 0)


WORDS_AND_TREES = ItemReader(("label", "tree"))
CASES = {
    "tagger": _tagger(CRF(n_iter=3)),
    "perceptron": _tagger(Perceptron(n_iter=2)),
    "hmm": _tagger(HMM()),
    "memm": _tagger(MEMM(n_iter=3)),
    "latent": _tagger(LatentCRF(n_iter=3)),
    "functions": _tagger(
        CRF(n_iter=3), templates=Templates("w[0]\ncapitals[0]\ny", functions={"capitals": capitals})
    ),
    "spans": Case(
        SpanTagger(CRF(n_iter=5)), _spans, lambda made: (made.predict(_spans()[0]), made.spans(_spans()[0]))
    ),
    "inducer": Case(
        TagInducer(EM(n_iter=5), n_states=3),
        lambda: (_sentences()[0],),
        lambda made: made.predict(_sentences()[0]),
    ),
    "graph": _dependency("graph"),
    "transition": _dependency("transition"),
    "with taggers": _dependency("graph", taggers=True),
    **{f"phrases, {method}": _phrases(method) for method in ("pcfg", "markov", "lexicalized", "latent")},
    "phrases, crf": _phrases("crf"),
    "phrases, perceptron": _phrases("perceptron"),
    "phrases, plcfrs": _phrases("plcfrs"),
    "phrases, combined": _phrases("combined", options={"methods": "pcfg,markov"}),
    "semantics": Case(
        SemanticParser(
            Database.of({"city": [("Rome", 3), ("Bonn", 1)]}, {"city": ["name", "size"]}),
            options={"rounds": 1},
        ),
        lambda: (["size of Rome", "size of Bonn"], ["3", "1"]),
        lambda parser: parser.kbest(["size of Rome", "Bonn"], 3),
    ),
    "senses": Case(
        SenseTagger(),
        lambda: ([[("bank", "", "N"), ("river", "", "N")], [("bank", "", "N")]], [["a", None], ["b"]]),
        lambda tagger: tagger.predict([[("river", "", "N"), ("bank", "", "N")]]),
    ),
    "sentiment": Case(
        Sentiment(subjectivity=(["good fun", "the cat sat"], ["subjective", "objective"])),
        lambda: (TEXTS, SIGNS),
        lambda sentiment: sentiment.kbest(TEXTS, 2),
    ),
    "inference rules": Case(
        InferenceRules(options={"min_count": 1}),
        lambda: (_news(),),
        lambda rules: rules.predict(["X saw Y", "X met Y"]),
    ),
    "thesaurus": Case(
        Thesaurus(options={"min_count": 1, "min_context": 1, "dimensions": 2}),
        lambda: (["the cat sat", "the dog sat", "a dog ran"],),
        lambda thesaurus: thesaurus.predict(["cat", "dog"]),
    ),
    "tokens": Case(
        LearnedTokenizer(),
        lambda: (parse_conllu(ENGLISH),),
        lambda tokenizer: [list(row) for row in tokenizer.sentences("Go there. Don't!")],
    ),
    "morphology": Case(
        Morphology(CRF(n_iter=2)),
        lambda: (_news(),),
        lambda made: made.kbest([["ann", "met", "tim"]], 2),
    ),
    "lemmas": Case(
        Lemmatizer(CRF(n_iter=2)),
        lambda: ([["dogs", "bark"], ["cats", "ran"]], [["dog", "bark"], ["cat", "run"]]),
        lambda made: made.predict([["dogs", "ran"]]),
    ),
    "pipeline": Case(
        Pipeline(jackknife=0, method="graph", language="es"),
        lambda: (ROOT / "examples" / "pipelines" / "train.conllu",),
        lambda nlp: nlp("Ana va al mercado.").to_conllu(),
    ),
    "linear": _classifier(Classifier(), TEXTS, SIGNS),
    "linear, rows": _classifier(Classifier(MIRA()), ROWS, list("NVNV")),
    "kernel svm": _classifier(Classifier(KernelSVM(), kernel=TreeKernel().normalized), TREES, list("ABCABC")),
    "kernel perceptron": _classifier(
        Classifier(KernelPerceptron(voted=True), kernel=SpectrumKernel(2)), TEXTS, SIGNS
    ),
    "kernel and reader": _classifier(
        Classifier(KernelSVM(), kernel=WORDS_AND_TREES.kernel(), reader=WORDS_AND_TREES),
        TREES,
        list("ABCABC"),
    ),
    "neighbours": _classifier(Classifier(NearestNeighbours()), ROWS, list("NVNV")),
    "reranker, sequences": _reranker(Reranker(), _lists),
    "reranker, trees": _reranker(Reranker(), tree_lists),
    "reranker, linear kernel": _reranker(Reranker(MIRA(), kernel=TreeKernel(decay=0.2)), tree_lists),
    "reranker, features": _reranker(Reranker(features=SequenceTemplates()), _lists),
    "reranker, features of trees": _reranker(Reranker(features=TreeTemplates(), min_count=1), tree_lists),
    "reranker, votes": _reranker(Reranker(Perceptron(voted=True), features=SequenceTemplates()), _lists),
    "aligner": Case(Aligner(), lambda: (made_pairs(),), lambda made: made.predict(made_pairs(9, seed=1))),
    "translator": Case(
        Translator(tuning="none", options={"models": "model1", "order": 2}),
        lambda: (made_pairs(),),
        lambda made: made.kbest([e for e, _ in made_pairs(9, seed=1)], 2),
    ),
    "raw translator": Case(
        Translator(tuning="none", raw=True, options={"models": "model1", "order": 2}),
        lambda: ([" ".join(e) for e, _ in made_pairs()], [" ".join(f) for _, f in made_pairs()]),
        lambda made: made.predict([" ".join(e) for e, _ in made_pairs(9, seed=1)]),
    ),
    "stems": Case(
        Aligner(["model1"], stem=stem),
        lambda: (made_pairs(),),
        lambda made: made.predict(made_pairs(9, seed=1)),
    ),
}


@pytest.fixture(scope="module", name="trained")
def _trained() -> Callable[[str], Any]:
    known: dict[str, Any] = {}

    def of(name: str) -> Any:
        if name not in known:
            case = CASES[name]
            made = type(case.tool)(**case.tool.get_params(deep=False))
            known[name] = made.fit(*case.data())
        return known[name]

    return of


@pytest.mark.parametrize("name", CASES)
def test_a_trained_tool(name: str, trained: Callable[[str], Any]) -> None:
    tool = trained(name)
    want = CASES[name].ask(tool)
    made = pickle.loads(pickle.dumps(tool))
    assert CASES[name].ask(made) == want
    assert type(made) is type(tool)
    assert made.__dict__.keys() == tool.__dict__.keys()
    assert CASES[name].ask(copy.deepcopy(made)) == want


@pytest.mark.parametrize("name", CASES)
def test_an_untrained_tool(name: str) -> None:
    tool = CASES[name].tool
    made = pickle.loads(pickle.dumps(tool))
    assert type(made) is type(tool)
    assert not hasattr(made, "model_")
    assert made.get_params(deep=False).keys() == tool.get_params(deep=False).keys()


def test_every_tool_is_tried() -> None:
    def below(kind: type[Any]) -> set[type[Any]]:
        return {kind, *(one for child in kind.__subclasses__() for one in below(child))}

    ours = {one for one in below(Estimator) if one.__module__.startswith("palmette")}
    ours -= {Estimator, FittedTagger, CountingTool}  # what tools share
    ours -= {HistoryTagger}  # training needs torch: its own tests pickle it
    assert {type(case.tool) for case in CASES.values()} == ours


# One case for each kind of model.
OF_EACH_KIND = {
    "aligner": "word aligner",
    "graph": "dependency parser",
    "inducer": "induced tagger",
    "inference rules": "inference rules",
    "lemmas": "lemmatizer",
    "linear": "classifier",
    "morphology": "morphology",
    "phrases, pcfg": "constituency parser",
    "pipeline": "text pipeline",
    "reranker, sequences": "reranker",
    "semantics": "semantic parser",
    "senses": "sense tagger",
    "sentiment": "sentiment model",
    "spans": "span tagger",
    "tagger": "tagger",
    "thesaurus": "thesaurus",
    "tokens": "tokenizer",
    "translator": "translator",
    "with taggers": "pipeline",
}


@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_a_file_of_each_kind(name: str, trained: Callable[[str], Any], tmp_path: Path) -> None:
    tool = trained(name)
    tool.save(tmp_path / "x.palm")
    assert ModelFile.load(tmp_path / "x.palm").kind == OF_EACH_KIND[name]
    loaded = palmette.load(tmp_path / "x.palm")
    assert type(loaded) is type(tool)
    loaded.save(tmp_path / "y.palm")
    assert CASES[name].ask(palmette.load(tmp_path / "y.palm")) == CASES[name].ask(loaded)


def test_these_are_all_kinds_of_the_registry() -> None:
    known = {kind for tool in tools() for kind in tool.kinds if tool.commands.startswith("palmette.")}
    elsewhere = {"language model", "history tagger"}  # the second needs torch: its own tests load it
    assert known == {*OF_EACH_KIND.values(), *elsewhere}


def test_a_kernel_of_ones_own() -> None:
    kernel = LinearKernel().on(_words)
    classifier = Classifier(KernelSVM(), kernel=kernel).fit(TEXTS, SIGNS)
    assert pickle.loads(pickle.dumps(classifier)).predict(TEXTS) == classifier.predict(TEXTS)


def _words(text: str) -> set[str]:
    return set(text.split())


def test_language_models(tmp_path: Path) -> None:
    model = LanguageModel.fit(["a b a", "b a"] * 5, order=2, smoothing="dirichlet")
    model.save(tmp_path / "x.palm")
    for made in (
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        palmette.load(tmp_path / "x.palm"),
    ):
        assert made.score("a b") == model.score("a b")


def test_another_process(trained: Callable[[str], Any]) -> None:
    parser = trained("phrases, pcfg")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (found,) = pool.map(parser.predict, [[SENTENCE]])
    assert list(map(str, found)) == list(map(str, parser.predict([SENTENCE])))
