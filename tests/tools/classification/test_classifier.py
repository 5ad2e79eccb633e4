"""The tool: what all learners have in common, files, scikit-learn, reasons that sum to margins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from palmette import (
    CRF,
    HMM,
    MIRA,
    Classifier,
    FormatError,
    KernelPerceptron,
    KernelSVM,
    NearestNeighbours,
    Perceptron,
    StructuredSVM,
    Tree,
)
from palmette.cli import main
from palmette.features.kernels import (
    GaussianKernel,
    LinearKernel,
    PolynomialKernel,
    SpectrumKernel,
    TreeKernel,
)
from palmette.features.kernels.saving import saved_kernel
from palmette.formats import ModelFile
from palmette.tools.classification import ItemReader
from palmette.tools.classification.families import FAMILIES, model_class
from samples.corpora import corpus_file

pytestmark = pytest.mark.native

TEXTS = ["a good film", "good fun", "a fine good day", "a bad film", "bad and dull", "a dull bad day"]
SIGNS = ["+", "+", "+", "-", "-", "-"]
WORDS = [set(text.split()) for text in TEXTS]
TREES = [
    (Tree.parse(tree), words)
    for tree, words in [
        ("(S (WH Who) (VP (V ran)))", {"who", "ran"}),
        ("(S (WH Where) (VP (V ran)))", {"where", "ran"}),
        ("(S (WH When) (VP (V ate)))", {"when", "ate"}),
        ("(S (WH Who) (VP (V ate) (N bread)))", {"who", "ate", "bread"}),
        ("(S (WH Where) (VP (V slept)))", {"where", "slept"}),
        ("(S (WH When) (VP (V slept)))", {"when", "slept"}),
    ]
]
KINDS = ["HUM", "LOC", "TIME", "HUM", "LOC", "TIME"]
TREE_AND_WORDS = TreeKernel().normalized.on(0) + 0.5 * LinearKernel().normalized.on(1)
ROWS = [
    ("join", "of", 1.0),
    ("see", "with", 2.0),
    ("join", "of", 4.0),
    ("eat", "with", 3.0),
    ("see", "of", 9.0),
]
SIDES = ["N", "V", "N", "V", "N"]

CASES = {
    "crf": (Classifier(CRF()), TEXTS, SIGNS),
    "perceptron": (Classifier(Perceptron()), WORDS, SIGNS),
    "mira": (Classifier(MIRA()), ROWS, SIDES),
    "svm": (Classifier(StructuredSVM()), WORDS, SIGNS),
    "kernel-svm": (Classifier(KernelSVM(C=10.0), kernel=TREE_AND_WORDS), TREES, KINDS),
    "ovr": (Classifier(KernelSVM(C=10.0, multiclass="ovr"), kernel=TREE_AND_WORDS), TREES, KINDS),
    "binary": (Classifier(KernelSVM(C=10.0), kernel=PolynomialKernel(2)), WORDS, SIGNS),
    "gaussian": (Classifier(kernel=GaussianKernel(0.5)), WORDS, SIGNS),
    "kernel-perceptron": (Classifier(KernelPerceptron(average=False), kernel=TREE_AND_WORDS), TREES, KINDS),
    "voted": (Classifier(KernelPerceptron(voted=True), kernel=TREE_AND_WORDS), TREES, KINDS),
    "knn": (Classifier(NearestNeighbours(k=2, metric="mvdm", voting="inverse_linear")), ROWS, SIDES),
    "euclidean": (Classifier(NearestNeighbours()), [[1.0, 2.0], [3.0, 1.0], [1.5, 2.5]], [0, 7, 0]),
}


@pytest.fixture(params=CASES, name="case")
def _case(request):
    classifier, X, y = CASES[request.param]
    return Classifier(**classifier.get_params(deep=False)).fit(X, y), X, y


def test_it_learns_and_comes_back_from_a_file(case, tmp_path) -> None:
    classifier, X, y = case
    assert classifier.predict(X) == y
    assert classifier.score(X, y) == 1.0
    scores = classifier.decision_function(X)
    assert scores.shape == (len(X), len(set(y)))
    path = tmp_path / "c.palm"
    classifier.save(path)
    again = Classifier.load(path)
    assert again.classes_.tolist() == classifier.classes_.tolist() == sorted(set(y))
    assert again.predict(X) == y
    np.testing.assert_allclose(again.decision_function(X), scores, atol=1e-6)
    assert ModelFile.load(path).kind == "classifier"


def test_reasons_sum_to_the_margin(case) -> None:
    classifier, X, _ = case
    (decision,) = classifier.explain(X[0]).decisions
    assert decision.chosen == classifier.predict(X[:1])[0]
    assert decision.margin == pytest.approx(sum(c.amount for c in decision.contributions) + decision.rest)
    assert decision.margin > 0
    assert decision.first(1).rest == pytest.approx(decision.margin - decision.contributions[0].amount)
    assert decision.rival in str(classifier.explain(X[0])) if isinstance(decision.rival, str) else True


def test_probabilities(case) -> None:
    classifier, X, _ = case
    if classifier.model_.noun == "kernel SVM" or (
        classifier.model_.noun == "kernel perceptron" and not classifier.learner.voted
    ):
        with pytest.raises(ValueError, match="no probabilities"):
            classifier.predict_proba(X)
        return
    p = classifier.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-5)
    assert (p >= 0).all()


def test_reasons_of_a_vote_say_the_votes() -> None:
    """The margin is that of the mean of all vectors, that of the averaged perceptron."""
    rng = np.random.default_rng(3)
    X = ["".join(row) for row in rng.choice(list("abcde"), size=(40, 6))]
    y = rng.choice(["A", "B", "C"], size=40).tolist()
    kernel = SpectrumKernel(2, least=1)
    voted = Classifier(KernelPerceptron(voted=True, n_iter=5), kernel=kernel).fit(X, y)
    means = Classifier(KernelPerceptron(average=True, n_iter=5), kernel=kernel).fit(X, y).decision_function(X)
    places = {label: i for i, label in enumerate(voted.classes_)}
    for x, votes, mean in zip(X, voted.predict_proba(X), means):
        (found,) = voted.explain(x).decisions
        best, other = places[found.chosen], places[found.rival]
        assert found.extra["scores"] == pytest.approx((votes[best], votes[other]))
        assert found.extra["scores"][0] == pytest.approx(votes.max())
        assert found.extra["margin_of"] == "mean"
        assert found.margin == pytest.approx(mean[best] - mean[other])
        total = sum(c.amount for c in found.contributions) + found.rest
        assert total == pytest.approx(found.margin)
    label = voted.predict(X[:1])[0]
    assert f"part of the votes: {label} {voted.predict_proba(X[:1]).max():.3f}, " in str(voted.explain(X[0]))
    below = [str(voted.explain(x)) for x in X if voted.explain(x).decisions[0].margin < 0]
    assert below
    assert all("below zero: the mean alone prefers" in text for text in below)


def test_margins_are_differences_of_scores(case) -> None:
    """Of a machine for every pair it is that machine's, and the pairs won are the scores."""
    classifier, X, _ = case
    places = {label: i for i, label in enumerate(classifier.classes_)}
    for x, scores in zip(X, classifier.decision_function(X)):
        (found,) = classifier.explain(x).decisions
        two = scores[places[found.chosen]], scores[places[found.rival]]
        assert found.extra["scores"] == pytest.approx(two)
        assert two[0] == scores.max()
        if found.extra["margin_of"] == "scores":
            assert found.margin == pytest.approx(two[0] - two[1], abs=1e-5)
        else:
            noun = classifier.model_.noun
            assert (found.extra["margin_of"], noun) in {("pair", "kernel SVM"), ("mean", "kernel perceptron")}


def test_a_machine_of_a_pair_may_prefer_the_runner_up() -> None:
    """Strings under a spectrum kernel: the class with most pairs won need not win that against the runner-up."""
    rng = np.random.default_rng(5)
    X = ["".join(row) for row in rng.choice(list("abcd"), size=(60, 5))]
    y = rng.choice(list("PQRST"), size=60).tolist()
    classifier = Classifier(KernelSVM(C=0.1), kernel=SpectrumKernel(2, least=1)).fit(X, y)
    queries = ["".join(row) for row in rng.choice(list("abcd"), size=(60, 5))]
    values = classifier.model_.sums.values(queries)
    decisions = [classifier.explain(x).decisions[0] for x in queries]
    for found, row in zip(decisions, values):
        m, sign = classifier.model_.machines.machine_of(
            classifier.classes_.tolist().index(found.chosen), classifier.classes_.tolist().index(found.rival)
        )[0]
        assert found.margin == pytest.approx(sign * row[m])
        assert found.extra["margin_of"] == "pair"
        assert f"pairs won: {found.chosen} {round(found.extra['scores'][0])}, " in str(found)
    below = [found for found in decisions if found.margin < 0]
    assert below
    assert all("below zero: that machine alone prefers" in str(found) for found in below)
    assert not any("below zero" in str(found) for found in decisions if found.margin > 0)


# What a classifier reads


@pytest.mark.parametrize("columns", [("label", "text"), ("label", "-", "text"), ("text", "label")])
@pytest.mark.parametrize("learner", [None, KernelSVM()])
def test_what_was_read_from_a_file_is_taken_in_python(columns, learner, tmp_path) -> None:
    reader = ItemReader(columns)
    fields = [{"label": y, "text": x, "-": "?"} for x, y in zip(TEXTS, SIGNS)]
    rows = [[row[column] for column in columns] for row in fields]
    kernel = None if learner is None else reader.kernel()
    trained = Classifier(learner, kernel=kernel, reader=reader).fit(reader.items(rows), SIGNS)
    trained.save(tmp_path / "x.palm")
    classifier = Classifier.load(tmp_path / "x.palm")
    want = trained.decision_function(reader.items(rows))
    assert np.ptp(want, axis=0).min() > 0.01  # not from the bias alone
    for given in (TEXTS, [x.split() for x in TEXTS], (x for x in TEXTS), reader.items(rows), np.array(TEXTS)):
        np.testing.assert_allclose(classifier.decision_function(given), want, atol=1e-6)
    assert classifier.score([x.split() for x in TEXTS], SIGNS) == 1.0
    for wrong in ({"good": 1.0}, {"good"}, 3, None, [1.0, 2.0], Tree.parse("(S (N film))")):
        with pytest.raises(ValueError, match=r"Item 2 must be a text or a list of words.*Got"):
            classifier.predict(["a film", wrong])


def test_rows_of_several_columns(tmp_path) -> None:
    reader = ItemReader(("symbol", "-", "number", "text", "label"))
    rows = [["of", "", "1", "a film", "N"], ["to", "", "2.5", "the day", "V"], ["of", "", "3", "a day", "N"]]
    trained = Classifier(reader=reader).fit(rows, reader.labels(rows))
    trained.save(tmp_path / "x.palm")
    classifier = Classifier.load(tmp_path / "x.palm")
    want = classifier.decision_function(reader.items(rows))
    short = [("of", 1, "a film"), ["to", 2.5, ["the", "day"]], ("of", "3", "a day")]
    np.testing.assert_allclose(classifier.decision_function(short), want)
    np.testing.assert_allclose(classifier.decision_function(rows), want)
    with pytest.raises(ValueError, match=r"Item 1 must be a row of 3 fields \(symbol, number, text\)"):
        classifier.predict(["of 1 film"])
    with pytest.raises(ValueError, match="Item 2: column 3 is 'much' and must be a number"):
        classifier.predict([short[0], ("of", "much", "a film")])
    said = str(classifier.explain(short[1]))
    assert said.startswith("to  2.5  the day\nV, runner-up N")
    for name in (
        'column 1 is "to"',
        "number in column 3",
        'word "the"',
        'words "the day"',
        'first word "the"',
    ):
        assert name in said


def test_neighbours_take_rows_of_a_file(tmp_path) -> None:
    reader = ItemReader(("symbol", "symbol", "number", "label"), flat=True)
    rows = [[*map(str, row), side] for row, side in zip(ROWS, SIDES)]
    Classifier(NearestNeighbours(), reader=reader).fit(rows, SIDES).save(tmp_path / "x.palm")
    classifier = Classifier.load(tmp_path / "x.palm")
    assert classifier.predict(ROWS) == classifier.predict(rows) == SIDES


def test_texts_are_read_as_on_the_command_line() -> None:
    classifier = Classifier().fit(TEXTS, SIGNS)
    assert classifier.reader_.columns == ("label", "text")
    assert classifier.predict([x.upper().split() for x in TEXTS]) == SIGNS
    (found,) = classifier.explain("A bad, GOOD film").decisions
    assert found.subject == "A bad, GOOD film"
    assert {'word "good"', 'words "good film"', "bias"} <= {c.feature for c in found.contributions}


@pytest.mark.parametrize(
    ("items", "wrong"),
    [
        ([{"a": 1.0}, {"b": 2.0}], "a film"),
        ([{"a"}, {"b"}], [1.0, 2.0]),
        ([[1.0, 0.0], [0.0, 1.0]], [1.0, 0.0, 0.0]),
        ([[1.0, 0.0], [0.0, 1.0]], {"a"}),
        ([("of", 1.0), ("to", 2.0)], ("of", "to")),
        ([("of", {"a"}), ("to", {"b"})], {"a"}),
        (["a film", "the day"], {"a"}),
    ],
)
def test_items_of_another_form_are_refused(items, wrong, tmp_path) -> None:
    classifier = Classifier().fit(items, ["A", "B"])
    classifier.save(tmp_path / "x.palm")
    for one in (classifier, Classifier.load(tmp_path / "x.palm")):
        assert one.predict(items) == ["A", "B"]
        with pytest.raises(ValueError, match=r"Item 1 (is|must be)"):
            one.predict([wrong])


def test_the_command_line_and_python_reach_the_same(tmp_path) -> None:
    train, test = corpus_file("qc_en_trec/train.tsv"), corpus_file("qc_en_trec/test.tsv")
    path = tmp_path / "trec.palm"
    options = ["--columns", "label,-,text", "-q", "-o", str(path)]
    assert main(["train", "classify", "--train", str(train), *options]) == 0
    (X, y), (others, gold) = (_questions(file) for file in (train, test))
    loaded, fitted = Classifier.load(path), Classifier().fit(X, y)
    assert loaded.score(others, gold) == loaded.score([x.split() for x in others], gold) > 0.86
    assert fitted.predict(others) == loaded.predict(others)


def test_rows_of_a_file_are_items_too(tmp_path) -> None:
    rows = [["NUM", "dist", "How far is it ?"], ["HUM", "ind", "Who ran ?"]] * 3
    (tmp_path / "train.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    path = tmp_path / "m.palm"
    options = ["--columns", "label,-,text", "-q", "-o", str(path)]
    assert main(["train", "classify", "--train", str(tmp_path / "train.tsv"), *options]) == 0
    loaded = Classifier.load(path)
    texts = [row[2] for row in rows]
    want = loaded.predict_proba(texts)
    np.testing.assert_array_equal(loaded.predict_proba(rows), want)
    np.testing.assert_array_equal(loaded.predict_proba([tuple(row) for row in rows]), want)
    np.testing.assert_array_equal(loaded.predict_proba([text.split() for text in texts]), want)
    assert loaded.predict([["HUM", "ind", "How far"]]) == ["NUM"]  # its own label is not looked at
    assert loaded.predict([["Who", "ran", "?"]]) == ["HUM"]  # as many words as columns
    with pytest.raises(
        ValueError, match=r"Item 2 must be a text or a list of words: the columns .* label,-,text"
    ):
        loaded.predict(["How far", ["NUM", 3]])


def _questions(path):
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    return [row[2] for row in rows], [row[0] for row in rows]


@pytest.mark.parametrize("form", ["csr_matrix", "csr_array", "csc_matrix", "coo_matrix", "lil_array"])
@pytest.mark.parametrize(
    "classifier",
    [
        Classifier(KernelSVM(), kernel=LinearKernel()),
        Classifier(KernelSVM(), kernel=LinearKernel().normalized + GaussianKernel(0.5)),
        Classifier(KernelPerceptron(voted=True), kernel=PolynomialKernel(2)),
        Classifier(CRF()),
    ],
    ids=["linear", "sum", "voted", "crf"],
)
def test_sparse_matrices(form, classifier, tmp_path) -> None:
    rng = np.random.default_rng(0)
    dense = rng.integers(-2, 3, size=(30, 6)) * (rng.random((30, 6)) < 0.5).astype(float)
    y = (dense @ rng.normal(size=6) > 0).astype(int).tolist()
    X = getattr(sparse, form)(dense)
    made = [Classifier(**classifier.get_params(deep=False)).fit(given, y) for given in (dense, X)]
    np.testing.assert_allclose(made[1].decision_function(X), made[0].decision_function(dense), atol=1e-6)
    assert made[1].predict(dense) == made[0].predict(X)
    assert made[1].score(X, y) == made[0].score(dense, y)
    assert made[1].evaluate(X, y).accuracy == made[0].score(dense, y)
    made[1].save(tmp_path / "c.palm")
    assert Classifier.load(tmp_path / "c.palm").predict(X) == made[1].predict(X)
    (decision,) = made[1].explain(X.tocsr()[0]).decisions
    assert decision.margin == pytest.approx(made[0].explain(dense[0]).decisions[0].margin, abs=1e-6)
    assert "\n" not in decision.subject


def test_sparse_matrices_of_other_shapes() -> None:
    X = sparse.csr_matrix(np.eye(3))
    with pytest.raises(ValueError, match=r"one class for every item\. Got 2 for 3"):
        Classifier(kernel=LinearKernel()).fit(X, [0, 1])
    with pytest.raises(TypeError, match="list of items"):
        Classifier(kernel=LinearKernel()).fit(sparse.coo_array([1.0, 2.0]), [0, 1])
    assert Classifier(kernel=LinearKernel()).fit(X, [7, 7, 7]).predict(X) == [7, 7, 7]
    twice = sparse.csr_matrix((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2, 2])), shape=(2, 1))
    once = Classifier(CRF()).fit([[3.0], [0.0]], ["+", "-"])
    assert once.decision_function(twice).tolist() == once.decision_function([[3.0], [0.0]]).tolist()
    assert twice.nnz == 2  # as it was given


def test_prepared_items() -> None:
    kernel = LinearKernel()
    classifier = Classifier(KernelSVM(), kernel=kernel).fit(kernel.prepare(WORDS), SIGNS)
    assert classifier.predict(kernel.prepare(WORDS)) == SIGNS


def test_fragments_are_recovered_exactly() -> None:
    """With all features of all supports written down, nothing is left for the rest but the bias."""
    classifier = Classifier(KernelSVM(C=10.0), kernel=TreeKernel(decay=0.5)).fit(
        [tree for tree, _ in TREES[:2]], ["a", "b"]
    )
    item = TREES[0][0]
    (decision,) = classifier.explain(item).decisions
    phi = TreeKernel(decay=0.5).features
    sums = classifier.model_.sums
    weights: dict[str, float] = {}
    for support, alpha in zip(sums.supports.items, sums.coefficients[:, 0]):
        for name, value in phi(support).items():
            weights[name] = weights.get(name, 0.0) + alpha * value
    small = {c.feature: c.amount for c in decision.contributions}
    for name, value in phi(item).items():
        if name.count("(") <= 3 and abs(weights[name]) > 1e-12:
            assert small[name] == pytest.approx(value * weights[name])
    assert decision.contributions[0].feature in phi(item)


def test_a_linear_kernel_is_the_primal() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = (X @ rng.normal(size=5) > 0).astype(int)
    svm = Classifier(KernelSVM(C=1.0, tol=1e-6), kernel=LinearKernel()).fit(X, y)
    sums = svm.model_.sums
    w = (
        sums.coefficients[:, 0]
        @ X[[int(np.flatnonzero(np.isclose(X, s).all(axis=1))[0]) for s in sums.supports.items]]
    )
    found = svm.decision_function(X)
    np.testing.assert_allclose(found[:, 0] - found[:, 1], X @ w + sums.biases[0], atol=1e-9)


def test_dev_chooses_a_pass_and_callbacks_are_told() -> None:
    seen = []
    classifier = Classifier(Perceptron(n_iter=3)).fit(WORDS, SIGNS, dev=(WORDS, SIGNS), callback=seen.append)
    assert len(seen) == len(classifier.history_)
    assert "dev" in seen[0].numbers
    with pytest.raises(ValueError, match="no items to measure by"):
        Classifier(Perceptron()).fit(WORDS, SIGNS, dev=([], []))
    dual = Classifier(KernelPerceptron(n_iter=3), kernel=LinearKernel())
    assert "dev" in dual.fit(WORDS, SIGNS, dev=(WORDS, SIGNS)).history_[0].numbers
    with pytest.raises(
        ValueError, match=r"NearestNeighbours takes no 'dev': .*learners crf, .*kernel-perceptron"
    ):
        Classifier(NearestNeighbours()).fit(ROWS, SIDES, dev=(ROWS, SIDES))


def test_a_reader_has_a_kernel() -> None:
    trees = [[item[0]] for item in TREES]
    reader = ItemReader(("label", "tree"))
    alone = Classifier(reader=reader).fit(trees, KINDS)
    given = Classifier(KernelSVM(), reader=reader, kernel=reader.kernel()).fit(trees, KINDS)
    np.testing.assert_array_equal(alone.decision_function(trees), given.decision_function(trees))
    texts = Classifier(KernelSVM(C=10.0)).fit(TEXTS, SIGNS)  # of their words
    assert texts.predict(TEXTS) == SIGNS
    rows = Classifier(NearestNeighbours(), reader=ItemReader(("symbol", "number", "label")))
    assert rows.fit([("a", 1.0), ("b", 9.0)], ["x", "y"]).reader_.flat


def test_the_models_of_all_families() -> None:
    for family in FAMILIES:
        assert model_class(family).method == family
        assert model_class(family).sees in ("features", "kernel", "rows")


def test_sample_weights() -> None:
    X, y = [{"a"}, {"a"}, {"a"}], ["x", "x", "y"]
    for classifier in (Classifier(CRF()), Classifier(KernelSVM(), kernel=LinearKernel())):
        assert classifier.fit(X, y, sample_weight=[1, 1, 5]).predict([{"a"}]) == ["y"]
        assert classifier.fit(X, y).predict([{"a"}]) == ["x"]
    with pytest.raises(ValueError, match=r"NearestNeighbours takes no 'sample_weight': .*svm, .*kernel-svm"):
        Classifier(NearestNeighbours()).fit(ROWS, SIDES, sample_weight=[1] * 5)


def test_evaluate() -> None:
    classifier = Classifier().fit(TEXTS, SIGNS)
    scores = classifier.evaluate(TEXTS, ["+", "+", "-", "-", "-", "-"])
    assert scores.accuracy == pytest.approx(5 / 6)
    assert scores.labels["+"].precision == pytest.approx(2 / 3)
    assert scores.most_confused(1) == [("-", "+", 1)]


def test_one_class() -> None:
    for classifier in (
        Classifier(),
        Classifier(KernelSVM(), kernel=LinearKernel()),
        Classifier(KernelPerceptron(), kernel=LinearKernel()),
    ):
        classifier.fit([{"a"}, {"b"}], ["x", "x"])
        assert classifier.predict([{"c"}]) == ["x"]
        assert "the only class" in str(classifier.explain({"c"}))


@pytest.mark.filterwarnings("default")
def test_scikit_learn() -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, cross_val_score

    search = GridSearchCV(
        Classifier(KernelSVM(), kernel=TREE_AND_WORDS), {"learner__C": [0.1, 10.0]}, cv=2
    ).fit(TREES, KINDS)
    assert search.predict(TREES) == KINDS
    assert clone(search.best_estimator_).get_params()["learner__C"] in (0.1, 10.0)
    assert len(cross_val_score(Classifier(), TEXTS, SIGNS, cv=3)) == 3


@pytest.mark.parametrize(
    ("classifier", "X", "y", "message"),
    [
        (Classifier(), TEXTS, SIGNS[:3], "one class for every item. Got 3 for 6"),
        (Classifier(), [], [], "no examples"),
        (Classifier(), TEXTS, [None] * 6, "must be a string or a whole number"),
        (Classifier(KernelSVM()), WORDS, SIGNS, "needs a kernel"),
        (Classifier(CRF(), kernel=LinearKernel()), TEXTS, SIGNS, "not for CRF"),
        (Classifier(HMM()), TEXTS, SIGNS, "HMM needs"),
        (Classifier("svm"), TEXTS, SIGNS, "must be an object, such as StructuredSVM"),
        (Classifier(), [TREES[0][0]] * 6, SIGNS, "trees want a kernel"),
        (Classifier(NearestNeighbours()), TEXTS, SIGNS, "rows of some columns"),
    ],
)
def test_bad_input(classifier, X, y, message) -> None:
    with pytest.raises(ValueError, match=message):
        classifier.fit(X, y)


@pytest.mark.parametrize("learner", [None, KernelSVM(), CRF()])
def test_a_kernel_is_a_kernel(learner) -> None:
    with pytest.raises(TypeError, match=r"'kernel' parameter must be a kernel\. Got 'linear'"):
        Classifier(learner, kernel="linear").fit(TEXTS, SIGNS)


def test_one_item_is_not_a_list() -> None:
    classifier = Classifier().fit(TEXTS, SIGNS)
    with pytest.raises(TypeError, match="list of items"):
        classifier.predict("a good film")
    with pytest.raises(ValueError, match="not trained yet"):
        Classifier().predict(TEXTS)


def damaged_files():
    for name in ("crf", "kernel-svm", "voted", "knn", "euclidean"):
        classifier, X, y = CASES[name]
        file = Classifier(**classifier.get_params(deep=False)).fit(X, y).to_model()
        for option in file.options:
            if option in ("training", "local", "scheme", "hidden"):
                continue
            for bad in (None, 7, {}, ["x"]):
                yield name, ModelFile(file.kind, {**file.options, option: bad}, file.arrays, file.strings)
        for array, values in file.arrays.items():
            for wrong in (values[:-1], values.astype(np.int8) if values.dtype.kind == "f" else values - 100):
                yield name, ModelFile(file.kind, file.options, {**file.arrays, array: wrong}, file.strings)
            rest = {key: value for key, value in file.arrays.items() if key != array}
            yield name, ModelFile(file.kind, file.options, rest, file.strings)
        for table, strings in file.strings.items():
            for wrong in (list(strings)[:-1], ["{"] * len(strings), []):
                yield name, ModelFile(file.kind, file.options, file.arrays, {**file.strings, table: wrong})


@pytest.mark.parametrize(
    ("support", "message"),
    [
        ('[{"tree": "(S (A"}, {"set": ["a"]}]', "damaged model: support 2: the bracket"),
        ('[{"tree": ""}, {"set": ["a"]}]', "damaged model: support 2: "),
        ('["(S (A", {"set": ["a"]}]', "damaged model: one of its supports: the bracket"),
        ('[{"tree": "(A a)"}, {"row": ["a"]}]', "damaged model: support 2: an item of the kernel is damaged"),
        ("{", "damaged model: support 2: "),
        ("[1, 2]", "damaged model: its supports are not items of its kernel"),
    ],
)
def test_a_damaged_support_is_told_with_the_file(support, message, tmp_path) -> None:
    file = Classifier(KernelSVM(), kernel=TREE_AND_WORDS).fit(TREES, KINDS).to_model()
    supports = [*file.strings["supports"]]
    supports[1] = support
    path = tmp_path / "c.palm"
    ModelFile(file.kind, file.options, file.arrays, {"supports": supports}).save(path)
    with pytest.raises(FormatError) as found:
        Classifier.load(path)
    assert str(found.value).startswith(f"{path}: {message}")


def test_votes_end_after_the_last_update() -> None:
    file = Classifier(KernelPerceptron(voted=True), kernel=TREE_AND_WORDS).fit(TREES, KINDS).to_model()
    for times in (file.arrays["votes.times"] + 2**40, file.arrays["votes.times"] - 2**40):
        arrays = {**file.arrays, "votes.times": times}
        with pytest.raises(FormatError, match="its votes do not follow each other"):
            Classifier.from_model(ModelFile(file.kind, file.options, arrays, file.strings))


def test_a_kernel_that_does_not_fit_its_columns_is_damage() -> None:
    reader = ItemReader(("label", "text"))
    for kernel in (LinearKernel().on(0), LinearKernel(), TreeKernel().on(0), LinearKernel().on(3)):
        file = Classifier(KernelSVM(), kernel=reader.kernel(), reader=reader).fit(TEXTS, SIGNS).to_model()
        options = {**file.options, "kernel": saved_kernel(kernel)}
        arrays = {**file.arrays, "coefficients": file.arrays["coefficients"][:0]}
        changed = ModelFile(file.kind, options, arrays, {"supports": []})
        if kernel == LinearKernel().on(0):
            assert len(Classifier.from_model(changed).predict(TEXTS)) == len(TEXTS)
            continue
        with pytest.raises(FormatError, match="damaged model: it does not fit its columns label,text"):
            Classifier.from_model(changed)


def test_damaged_files_are_refused_or_work() -> None:
    sentences: list[str] = []
    for name, file in damaged_files():
        _, X, _ = CASES[name]
        try:
            assert len(Classifier.from_model(file).predict(X[:1])) == 1
        except FormatError as error:
            sentences.append(str(error))
        except ValueError as error:
            if "Give it items of the same form" not in str(error):  # without its reader it takes no texts
                raise
    assert len(sentences) > 50
    assert not any("\n" in sentence for sentence in sentences)
