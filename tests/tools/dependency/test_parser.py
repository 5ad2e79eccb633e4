"""Dependency parsers: training, prediction, constraints, explanations, files, and the manners of scikit-learn."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from oracles.enumeration import dependency_trees
from palmette.evaluation.dependencies import evaluate_dependencies
from palmette.formats.corpus import Corpus
from palmette.learning.latent import LatentCRF
from palmette.learning.learner import Learner
from palmette.learning.perceptron import Perceptron
from palmette.tools.dependency import model as models
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.tags import views_of
from palmette.tools.sequence.hmm import HMM
from palmette.tools.sequence.memm import MEMM
from palmette.tools.sequence.tagger import Tagger
from palmette.trees.dependency_tree import DependencyTree
from samples import toy_tree_model
from samples.treebank import COOK, TEST, TRAIN, garden_trees

pytestmark = pytest.mark.native


@pytest.fixture(scope="module", autouse=True)
def toy():
    """The method "toy" is there."""
    models.METHODS["toy"] = toy_tree_model.METHOD
    yield
    del models.METHODS["toy"]


@pytest.fixture(scope="module")
def parser(toy) -> DependencyParser:
    return DependencyParser("toy").fit(garden_trees())


@pytest.fixture(scope="module")
def pipeline(toy) -> DependencyParser:
    return DependencyParser("toy", Perceptron(n_iter=4), taggers=True, jackknife=2).fit(garden_trees())


# Training


def test_it_learns(parser: DependencyParser) -> None:
    assert parser.score(garden_trees()) == 1.0
    assert parser.score(garden_trees("test")) > 0.8
    training = parser.training_
    assert (training["sentences"], training["tokens"], training["passes"]) == (50, 391, 8)
    assert (training["jackknife"], training["skipped"], training["learner"]) == (0, 0, "Perceptron")
    assert parser.columns_ == ("upos",)
    assert set(parser.relations_) == set(garden_trees().column("deprel").strings)


def test_the_score_is_that_of_the_evaluation(parser: DependencyParser) -> None:
    test = garden_trees("test")
    scores = evaluate_dependencies(test, parser.parse(test))
    assert parser.score(TEST) == parser.evaluate(str(TEST)).las == scores.las


def test_sentences_in_every_form(parser: DependencyParser) -> None:
    test = garden_trees("test")
    want = parser.predict(test)
    rows = [list(zip(s["form"], s["upos"])) for s in test]
    assert parser.predict(list(test)) == want
    assert [tree.heads for tree in parser.predict(rows)] == [tree.heads for tree in want]
    mappings = [[{"form": form, "upos": tag} for form, tag in row] for row in rows]
    assert parser.predict(mappings) == parser.predict(rows)
    assert parser.predict(TEST) == want
    assert parser.predict([DependencyTree.of(sentence) for sentence in test]) == want
    with pytest.raises(ValueError, match="Tree 1 has no words"):
        parser.predict([DependencyTree([0])])
    assert all(isinstance(tree, DependencyTree) and tree.check() for tree in want)


def test_trees_beside_sentences(toy) -> None:
    train = garden_trees()[:10]
    X = [list(zip(s["form"], s["upos"])) for s in train]
    y = [list(zip(s.heads.tolist(), s["deprel"])) for s in train]
    one = DependencyParser("toy", Perceptron(n_iter=2)).fit(X, y, dev=(X, y))
    other = DependencyParser("toy", Perceptron(n_iter=2)).fit(train, dev=train)
    assert np.array_equal(one.model_.weights, other.model_.weights)
    assert one.score(X, [DependencyTree.of(sentence) for sentence in train]) == one.score(X, y)
    assert one.score(X, y) == other.score(train) == one.history_[-1].numbers["dev"]
    both = [garden_trees()[3], garden_trees("test")[0]]  # of two corpora
    assert DependencyParser("toy", Perceptron(n_iter=1)).fit(both).training_["sentences"] == 2


def test_a_dev_set_and_a_callback(toy) -> None:
    seen = []
    parser = DependencyParser("toy", Perceptron(n_iter=3)).fit(TRAIN, dev=TEST, callback=seen.append)
    assert [report.epoch for report in seen] == [1, 2, 3]
    best = max(report.numbers["dev"] for report in seen)
    assert parser.training_["dev_score"] == best == parser.score(TEST)


def test_relations_of_the_dev_set_that_were_never_seen(toy) -> None:
    dev = garden_trees("test")
    strange = dev.with_column("deprel", [["strange" for _ in s["form"]] for s in dev])
    parser = DependencyParser("toy", Perceptron(n_iter=2)).fit(garden_trees(), dev=strange)
    assert parser.training_["dev_score"] == 0.0
    assert parser.evaluate(strange).uas > 0.5


def test_the_same_training_gives_the_same_file(toy, tmp_path: Path) -> None:
    for name in ("a", "b"):
        DependencyParser("toy", Perceptron(n_iter=2), taggers=True, jackknife=2).fit(TRAIN).save(
            tmp_path / name
        )
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


# Prediction


def test_known_heads_and_forbidden_arcs_against_all_trees(parser: DependencyParser) -> None:
    sentences = [COOK[:3], COOK[2:6], COOK[:1], COOK[:4]]
    known = [[None, 1, None], [2, None, -1, None], [None], [None, None, None, 2]]
    forbidden = [[(1, 3)], [(3, 2), (4, 2)], [], [(1, 2), (2, 3)]]
    corpus = parser.tag(sentences)
    views = views_of(corpus, parser.columns_)
    found = parser.predict(sentences, known=known, forbidden=forbidden)
    for i, tree in enumerate(found):
        scores = parser.model_.arc_scores(views, i)
        agreeing = [
            heads
            for heads in dependency_trees(len(sentences[i]))
            if heads.count(0) == 1
            and all(k in (None, -1, h) for k, h in zip(known[i], heads))
            and all(heads[m - 1] != h for m, h in forbidden[i])
        ]
        best = max(agreeing, key=lambda heads: sum(scores[h, m] for m, h in enumerate(heads, 1)))
        assert tree.heads == tuple(best)
    ranked = parser.kbest(sentences, 10_000, known=known, forbidden=forbidden)
    for i, trees in enumerate(ranked):
        assert len({one.output.heads for one in trees}) == len(trees)
        assert trees[0].output.heads == found[i].heads
        assert [one.score for one in trees] == sorted((one.score for one in trees), reverse=True)


def test_all_trees_are_among_the_k_best(parser: DependencyParser) -> None:
    ranked = parser.kbest([COOK[:4]], 10_000)[0]
    assert {one.output.heads for one in ranked} == {
        tuple(heads) for heads in dependency_trees(4) if heads.count(0) == 1
    }
    assert all(tree.labels for tree, _, _ in ranked)


def test_known_heads_that_leave_the_best_tree_alone(parser: DependencyParser) -> None:
    test = garden_trees("test")
    want = parser.predict(test)
    known = [[head if m % 2 else None for m, head in enumerate(tree.heads)] for tree in want]
    assert parser.predict(test, known=known) == want


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ([[1, None, None]], "Sentence 1, word 1: no word can have the head 1 there"),
        ([[None, 4, None]], "Sentence 1, word 2: no word can have the head 4 there"),
        ([[None, -3, None]], "word 2: no word can have the head -"),
        ([[None, 10**30, None]], "word 2: no word can have the head"),
        ([[2, 1, None]], "Sentence 1, word 1: the known heads go round in a circle"),
        ([[0, None, 0]], "Sentence 1, word 1: 2 words are known to be roots, and a tree has one"),
        ([[None, None]], "Sentence 1 has 3 words and 2 known heads"),
        ([], "There are 1 sentences and known heads for 0"),
        ([["2", None, None]], "Sentence 1, word 1: a head is a number or None. Got '2'"),
        ([[True, None, None]], "a head is a number or None. Got True"),
    ],
)
def test_known_heads_that_no_tree_has(parser: DependencyParser, known, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parser.predict([COOK[:3]], known=known)


@pytest.mark.parametrize(
    ("forbidden", "message"),
    [
        ([[(4, 1)]], "Sentence 1 has 3 words, and no arc of word 4 to head 1"),
        ([[(1, 1)]], "no arc of word 1 to head 1"),
        ([[(1, -1)]], "no arc of word 1 to head -1"),
        ([[1]], "a forbidden arc is a pair"),
        ([], "There are 1 sentences and forbidden arcs for 0"),
        ([[(1, 0), (1, 2), (1, 3)]], "Sentence 1: no tree"),
    ],
)
def test_arcs_that_cannot_be_forbidden(parser: DependencyParser, forbidden, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parser.predict([COOK[:3]], forbidden=forbidden)


def test_phrases_against_all_trees(parser: DependencyParser) -> None:
    words = [COOK[:5], COOK[1:4], COOK]
    phrases = [[(2, 4), (3, 4)], [], [(1, 3), (5, 6)]]
    known = [[None] * 5, [None] * 3, [None, None, None, None, None, 4]]
    with pytest.raises(ValueError, match="Sentence 3: no tree has these phrases"):
        parser.predict(words, phrases=phrases, known=[*known[:2], [None, None, None, 3, None, 4]])
    found = parser.predict(words, phrases=phrases, known=known, forbidden=[[(1, 0)], [], []])
    corpus = parser.tag(words)
    views = views_of(corpus, parser.columns_)

    def agrees(i: int, tree: DependencyTree) -> bool:
        spans = (tuple(range(first, last + 1)) for first, last in phrases[i])
        yields = {tree.subtree(m) for m in range(1, len(tree) + 1)}
        return all(span in yields for span in spans)

    for i, tree in enumerate(found):
        scores = parser.model_.arc_scores(views, i)
        best = max(
            sum(scores[h, m] for m, h in enumerate(heads, 1))
            for heads in dependency_trees(len(words[i]))
            if heads.count(0) == 1
            and agrees(i, DependencyTree(heads))
            and (i or heads[0] != 0)
            and (i != 2 or heads[5] == 4)
        )
        assert agrees(i, tree)
        assert sum(scores[h, m] for m, h in enumerate(tree.heads, 1)) == pytest.approx(best)
    assert found[1] == parser.predict(words)[1]


@pytest.mark.parametrize(
    ("phrases", "message"),
    [
        ([[(0, 2)]], r"Sentence 1 has 3 words: a phrase is a pair \(first, last\) of them. Got \(0, 2\)"),
        ([[(3, 2)]], "a phrase is a pair"),
        ([[(2, 4)]], "a phrase is a pair"),
        ([["ab"]], "a phrase is a pair"),
        ([[(1, 2), (2, 3)]], "Sentence 1: the phrases 1-2 and 2-3 cross each other"),
        ([], "There are 1 sentences and phrases for 0"),
    ],
)
def test_what_are_no_phrases(parser: DependencyParser, phrases, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parser.predict([COOK[:3]], phrases=phrases)
    with pytest.raises(ValueError, match="not for that of minimum risk"):
        parser.predict([COOK[:3]], phrases=[[]], minimum_risk=True)


def test_the_probabilities_of_a_words_heads_sum_to_one(parser: DependencyParser) -> None:
    n = len(COOK)
    total = np.zeros(n)
    for shift in range(n + 1):
        heads = [(m + shift) % (n + 1) for m in range(1, n + 1)]  # no tree, and none is asked for
        corpus = parser.tag([COOK]).with_heads(heads)
        total += parser.arc_probabilities([COOK], corpus)[0]
    assert total == pytest.approx(np.ones(n), abs=1e-4)
    best = parser.predict([COOK])
    assert parser.arc_probabilities([COOK], [list(zip(best[0].heads, best[0].labels))])[0] == pytest.approx(
        parser.arc_probabilities([COOK])[0]
    )
    with pytest.raises(ValueError, match="not those of the sentences"):
        parser.arc_probabilities([COOK], garden_trees("test"))


def test_minimum_risk(parser: DependencyParser) -> None:
    trees = parser.predict(garden_trees("test"), minimum_risk=True)
    assert all(tree.check() for tree in trees)


def test_explanations_sum_to_the_margin(parser: DependencyParser) -> None:
    decisions = parser.explain(COOK).decisions
    tree = parser.predict([COOK])[0]
    best = parser.kbest([COOK], 1)[0][0].score
    for m, decision in enumerate(decisions, 1):
        assert (decision.subject, decision.chosen) == (COOK[m - 1][0], tree.heads[m - 1])
        assert decision.extra["relation"] == tree.labels[m - 1]
        rival = parser.kbest([COOK], 1, forbidden=[[(m, tree.heads[m - 1])]])[0][0]
        assert decision.rival == rival.output.heads[m - 1] != decision.chosen
        assert decision.margin == pytest.approx(best - rival.score)
        assert math.fsum(part.amount for part in decision.contributions) == pytest.approx(decision.margin)
        assert decision.extra["probability"] >= decision.extra["rival_probability"] >= 0
    assert "m.upos=NOUN" in str(parser.explain(COOK).of(2))
    short = parser.explain(COOK).of(token=2, top=1).decisions[0]
    assert len(short.contributions) == 1
    assert short.contributions[0].amount + short.rest == pytest.approx(decisions[1].margin)
    assert "all others" in str(short)


@pytest.mark.parametrize("method", ["graph", "transition"])
def test_a_feature_is_listed_once(method: str) -> None:
    trained = DependencyParser(method, Perceptron(n_iter=2)).fit(TRAIN)
    for decision in trained.explain(COOK).decisions:
        names = [part.feature for part in decision.contributions]
        assert len(set(names)) == len(names)
        assert math.fsum(part.amount for part in decision.contributions) == pytest.approx(decision.margin)


def test_why_not_that_head(parser: DependencyParser) -> None:
    tree = parser.predict([COOK])[0]
    best = parser.kbest([COOK], 1)[0][0].score
    for head in {0, 1, 3, 4, 6} - {tree.heads[4]}:
        (decision,) = parser.explain(COOK, against=(5, head)).decisions
        assert (decision.extra["number"], decision.chosen, decision.rival) == (5, tree.heads[4], head)
        known = [None, None, None, None, head, None]
        rival = parser.kbest([COOK], 1, known=[known])[0][0]
        assert decision.margin == pytest.approx(best - rival.score)
    for against in ((5, 5), (7, 1), (1, 7), (0, 1)):
        with pytest.raises(ValueError, match="cannot have the head"):
            parser.explain(COOK, against=against)


def test_one_word(parser: DependencyParser) -> None:
    assert parser.predict([[("Go", "VERB")]])[0].heads == (0,)
    (decision,) = parser.explain([("Go", "VERB")]).decisions
    assert decision.rival is None
    assert "the only head that it can have" in str(decision)
    assert decision.to_dict()["margin"] is None


def test_empty_sentences(parser: DependencyParser, pipeline: DependencyParser) -> None:
    assert parser.predict([]) == []
    assert [len(tree) for tree in parser.predict([[], COOK, []])] == [0, 6, 0]
    assert [len(tree) for tree in pipeline.predict([[], ["Go"], []])] == [0, 1, 0]
    assert [len(p) for p in parser.arc_probabilities([[], COOK, []])] == [0, 6, 0]
    assert parser.arc_probabilities([]) == []


def test_a_thousand_words(parser: DependencyParser) -> None:
    notes: list[str] = []
    parsed = parser.parse([COOK * 167], note=notes.append)
    assert parsed.n_words == 1002
    assert DependencyTree.of(parsed[0]).problem() is None
    assert notes == ["sentence 1 has 1,002 words, too many for this model: a chain"]


def test_threads_share_a_model(parser: DependencyParser) -> None:
    test = garden_trees("test")
    want = parser.predict(test)
    with ThreadPoolExecutor(4) as pool:
        assert all(got == want for got in pool.map(lambda _: parser.predict(test), range(8)))


def test_other_options_of_search(parser: DependencyParser) -> None:
    many = parser.with_options(single_root=False)
    assert many.model_.options["single_root"] is False
    assert "single_root" not in parser.model_.options
    assert many.predict([COOK[:3]], known=[[0, 0, 0]])[0].heads == (0, 0, 0)
    with pytest.raises(ValueError, match="no option 'width'"):
        parser.with_options(width=3)


# Tags


def test_columns_that_are_missing(parser: DependencyParser) -> None:
    with pytest.raises(
        ValueError, match="looks at upos, and the sentences have no upos: give them, or train"
    ):
        parser.predict([["Go", "home"]])
    assert parser.parse([]).n_words == 0


def test_a_pipeline_fills_what_is_missing(pipeline: DependencyParser) -> None:
    words = [word for word, _ in COOK]
    parsed = pipeline.parse([words])
    tags = pipeline.taggers_["upos"].predict([words])
    assert parsed[0]["upos"] == tags[0]
    assert pipeline.parse([[(word, "X") for word in words]])[0]["upos"] == ["X"] * len(words)
    assert pipeline.parse([[(word, "X") for word in words]], retag=True)[0]["upos"] == tags[0]
    assert pipeline.training_["jackknife"] == 2


def test_a_pipeline_fills_words_without_a_tag_among_others(pipeline: DependencyParser) -> None:
    words = [word for word, _ in COOK]
    tags = pipeline.taggers_["upos"].predict([words])[0]
    given = [(word, "X" if i % 2 else "_") for i, word in enumerate(words)]
    wanted = ["X" if i % 2 else tag for i, tag in enumerate(tags)]
    assert pipeline.parse([given])[0]["upos"] == wanted
    assert pipeline.tag([given])[0]["upos"] == wanted


def test_only_what_is_predicted_is_scored(parser: DependencyParser, pipeline: DependencyParser) -> None:
    test = garden_trees("test")
    test = test.with_column("lemma", [[form.lower() for form in s["form"]] for s in test])
    given = test.with_column("feats", [["A=1"] * len(s) for s in test])
    assert evaluate_dependencies(test, pipeline.parse(test)).blex is not None
    assert pipeline.evaluate(test).blex is None
    assert pipeline.evaluate(test).mlas is not None  # there are no features
    assert pipeline.evaluate(given).mlas is None
    assert pipeline.evaluate(test, retag=False).mlas is None
    assert parser.evaluate(test).mlas is None


def test_jackknifing_has_quick_taggers_and_a_pipeline_accurate_ones(
    pipeline: DependencyParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    from palmette.tools.sequence import jackknifing

    assert pipeline.taggers_["upos"].training_["learner"] == "CRF"
    learners: list[Learner | None] = []
    fit = Tagger.fit

    def noting(self, *given, **named):
        learners.append(self.learner)
        return fit(self, *given, **named)

    monkeypatch.setattr(Tagger, "fit", noting)
    jackknifing.jackknifed(garden_trees(), ["upos"], 2, None)
    jackknifing.jackknifed(garden_trees(), ["upos"], 2, Perceptron(n_iter=1))
    assert [type(learner) for learner in learners] == [Perceptron] * 4
    assert learners[-1] == Perceptron(n_iter=1)


def test_few_sentences_are_cut_into_few_parts(toy) -> None:
    train = garden_trees()
    for n, folds in [(1, 0), (2, 2), (7, 5)]:
        parser = DependencyParser("toy", Perceptron(n_iter=1), taggers=True).fit(train[:n])
        assert parser.training_["jackknife"] == folds
    with pytest.raises(ValueError, match="2 sentences cannot be cut into 3 parts"):
        DependencyParser("toy", Perceptron(n_iter=1), taggers=True, jackknife=3).fit(train[:2])


def test_a_dev_set_without_columns_is_refused_before_training(toy, monkeypatch: pytest.MonkeyPatch) -> None:
    train = garden_trees()
    words = Corpus({"form": train.column("form"), "deprel": train.column("deprel")}, train.offsets)
    assert train.heads is not None
    monkeypatch.setattr("palmette.tools.sequence.jackknifing.jackknifed", None)
    with pytest.raises(ValueError, match="the sentences have no upos"):
        DependencyParser("toy", jackknife=2).fit(train, dev=words.with_heads(train.heads))


def test_a_pipeline_is_measured_on_words_alone(pipeline: DependencyParser) -> None:
    test = garden_trees("test")
    words = Corpus({"form": test.column("form")}, test.offsets)
    assert pipeline.score(test) == evaluate_dependencies(test, pipeline.parse(words)).las
    given = evaluate_dependencies(test, pipeline.parse(test)).las
    assert pipeline.evaluate(test, retag=False).las == given


def test_jackknifed_tags_come_from_taggers_that_have_not_seen_the_sentence(
    toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    from palmette.tools.sequence import jackknifing

    trained: list[tuple[tuple[str, ...], ...]] = []
    tagged: list[tuple[int, tuple[tuple[str, ...], ...]]] = []
    train, fill = jackknifing.train_taggers, jackknifing.fill

    def sentences(corpus: Corpus) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(s["form"]) for s in corpus)

    def noting_train(corpus, *rest, **named):
        trained.append(sentences(corpus))
        return train(corpus, *rest, **named)

    def noting_fill(corpus, taggers):
        tagged.append((len(trained) - 1, sentences(corpus)))
        return fill(corpus, taggers)

    ordinary = jackknifing.jackknifed(garden_trees(), ["upos"], 4, None, n_jobs=3)  # on threads
    monkeypatch.setattr(jackknifing, "train_taggers", noting_train)
    monkeypatch.setattr(jackknifing, "fill", noting_fill)
    corpus = garden_trees()
    result = jackknifing.jackknifed(corpus, ["upos"], 4, None)
    assert result.column("upos").values() == ordinary.column("upos").values()
    assert [s for _, part in tagged for s in part] == list(sentences(corpus))
    for k, part in tagged:
        assert not set(part) & set(trained[k])
        assert set(part) | set(trained[k]) == set(sentences(corpus))
    right = np.mean([a == b for a, b in zip(result.column("upos").values(), corpus.column("upos").values())])
    assert 0.4 < right < 1.0  # predicted, and not those of the file
    assert np.array_equal(result.heads, corpus.heads)


def test_empty_features_are_a_value(toy) -> None:
    train = garden_trees()
    feats = [["Number=Plur" if f.endswith("s") else "_" for f in s["form"]] for s in train]
    parser = DependencyParser("toy", Perceptron(n_iter=1), taggers=True, jackknife=0).fit(
        train.with_column("feats", feats)
    )
    assert parser.columns_ == ("upos", "feats")
    got = parser.parse([["The", "dogs", "bark"]])[0]["feats"]
    assert set(got) == {"_", "Number=Plur"}


def test_which_columns_are_looked_at(toy) -> None:
    train = garden_trees().with_column("lemma", [[f.lower() for f in s["form"]] for s in garden_trees()])

    def fitted(**options) -> DependencyParser:
        return DependencyParser("toy", Perceptron(n_iter=1), **options).fit(train)

    assert fitted().columns_ == ("lemma", "upos")
    assert fitted(columns=["upos"]).columns_ == ("upos",)
    assert fitted(columns=[]).predict([["Go"]])[0].heads == (0,)
    assert fitted(taggers=True, jackknife=0).columns_ == ("upos",)
    for options, message in [
        ({"columns": ["lemma"], "taggers": True}, "No tagger can fill 'lemma'"),
        ({"columns": ["xpos"]}, "The column 'xpos' of the treebank is empty: it has lemma, upos"),
        ({"columns": ["colour"]}, "can look at lemma, upos, xpos, feats, and not at 'colour'"),
        ({"jackknife": 1}, "'jackknife' parameter must be 0 or a number of parts from 2 on. Got 1"),
        ({"jackknife": 51}, "50 sentences cannot be cut into 51 parts"),
    ]:
        with pytest.raises(ValueError, match=message):
            fitted(**options)


def test_taggers_can_be_attached(parser: DependencyParser) -> None:
    tagger = Tagger(column="upos").fit(garden_trees())
    whole = parser.with_taggers({"upos": tagger})
    assert whole.predict([["The", "cook", "leaves"]])[0].heads == (2, 3, 0)
    assert not parser.taggers_
    with pytest.raises(ValueError, match="looks at upos, not at xpos"):
        parser.with_taggers({"xpos": tagger})


# scikit-learn


def test_parameters() -> None:
    parser = DependencyParser("transition", Perceptron(n_iter=3), columns=["upos"])
    assert parser.get_params()["learner__n_iter"] == 3
    assert parser.set_params(learner__n_iter=5, taggers=True).learner.n_iter == 5
    assert repr(parser) == (
        "DependencyParser(method='transition', learner=" + repr(Perceptron(n_iter=5)) + ", "
        "columns=['upos'], taggers=True)"
    )
    with pytest.raises(ValueError, match="no parameter 'beam'"):
        parser.set_params(beam=3)
    with pytest.raises(ValueError, match="not trained yet"):
        parser.predict([["a"]])
    with pytest.raises(
        ValueError, match=r"no method 'grap': did you mean 'graph'\? There are graph, transition"
    ):
        DependencyParser("grap").fit(garden_trees())


@pytest.mark.filterwarnings("default")
def test_clone_and_cross_validation(toy) -> None:
    base = pytest.importorskip("sklearn.base")
    selection = pytest.importorskip("sklearn.model_selection")
    parser = DependencyParser("toy", Perceptron(n_iter=2), options={"swing": 1}, columns=["upos"])
    copy = base.clone(parser)
    assert copy.get_params() == parser.get_params()
    train = garden_trees()[:20]
    X = [list(zip(s["form"], s["upos"])) for s in train]
    y = [list(zip(s.heads.tolist(), s["deprel"])) for s in train]
    assert len(selection.cross_val_score(parser, X, y, cv=2)) == 2


@pytest.mark.parametrize("learner", [MEMM(), HMM(), LatentCRF()])
def test_learners_of_sequences_are_refused(learner: Learner) -> None:
    with pytest.raises(ValueError, match=r"does not offer: take one of the learners crf, perceptron"):
        DependencyParser("graph", learner).fit(garden_trees())


def test_wrong_arguments_are_named(parser: DependencyParser) -> None:
    X, y = [[("a", "X"), ("b", "X")]], [[(0, "root"), (1, "dep")]]
    with pytest.raises(TypeError, match=r"must be an object, such as CRF\(\)"):
        DependencyParser("toy", "crf").fit(X, y)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'columns' parameter must be a list"):
        DependencyParser("toy", columns="upos").fit(X, y)
    with pytest.raises(ValueError, match="have no upos"):
        DependencyParser("toy").fit(X, y, dev=([["a", "b"]], y))
    for tree in (["ab", "cd"], [(None, "root"), (1, "dep")], [(0, "root"), (1, 2)]):
        with pytest.raises(ValueError, match=r"Sentence 1: a tree has a pair \(head, relation\)"):
            DependencyParser("toy").fit(X, [tree])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="The head of a word must be a number"):
        DependencyParser("toy").fit([[{"form": "a", "head": "x", "deprel": "root"}]])
    with pytest.raises(ValueError, match="a whole number for each of 2 words"):
        parser.parse(X, known=np.zeros(3, np.int32))
    with pytest.raises(ValueError, match="a whole number for each of 2 words"):
        parser.parse(X, known=np.zeros(2))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="known heads must be a list"):
        parser.predict(X, known=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Sentence 1: known heads are a list"):
        parser.predict(X, known=[None])  # type: ignore[list-item]
