"""Rerankers: fitting, choosing, files, explanations, and bad input."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from palmette import CRF, MIRA, FormatError, Perceptron, Reranker, StructuredSVM, Tree
from palmette.features import SequenceTemplates, TreeTemplates
from palmette.features.kernels import FunctionKernel, TreeKernel
from palmette.formats import Candidates, ModelFile, NBestFile, write_nbest
from samples.ranking_lists import random_lists, tree_lists

pytestmark = pytest.mark.native

FORMS = [
    Reranker(),
    Reranker(Perceptron(n_iter=5)),
    Reranker(
        Perceptron(n_iter=20, voted=True), kernel=TreeKernel(decay=0.25).normalized, beta=0.0, prior=0.5
    ),
    Reranker(MIRA(), kernel=TreeKernel("partial", decay=0.5)),
    Reranker(StructuredSVM(), kernel=TreeKernel(decay=0.4).normalized),
    Reranker(CRF()),
    Reranker(features=TreeTemplates(), min_count=1, prior=1.0),
    Reranker(CRF(l2=0.01), features=TreeTemplates(("rules", "heads")), min_count=1),
]


@pytest.mark.parametrize("form", FORMS, ids=range(len(FORMS)))
def test_learning_and_files(form: Reranker, tmp_path: Path) -> None:
    lists = tree_lists()
    reranker = clone(form).fit(lists)
    assert reranker.predict(lists) == [given.gold for given in lists]
    scores = reranker.evaluate(lists)
    assert scores.f1 == scores.oracle == 1.0 > scores.baseline
    assert reranker.score(lists) == 1.0
    reranker.save(tmp_path / "x.palm")
    again = Reranker.load(tmp_path / "x.palm")
    for one, two in zip(reranker.scores(lists), again.scores(lists)):
        np.testing.assert_allclose(one, two, rtol=1e-6)
    assert again.evaluate(lists).to_dict() == scores.to_dict()
    found = again.explain(lists[0])
    (choice,) = found.decisions
    assert (choice.chosen, choice.rival) == (2, 1)
    assert choice.margin == pytest.approx(sum(c.amount for c in choice.contributions) + choice.rest)
    assert choice.margin > 0
    assert any("log-probability" in c.feature for c in choice.contributions)
    short = found.of(top=1)
    assert short.decisions[0].margin == pytest.approx(
        short.decisions[0].contributions[0].amount + short.decisions[0].rest
    )
    assert "candidate 2" in str(found)


def test_explanations_of_primal_form_are_whole() -> None:
    lists = tree_lists()
    reranker = Reranker(features=TreeTemplates(), min_count=1).fit(lists)
    (choice,) = reranker.explain(lists[0]).decisions
    assert choice.rest == 0.0
    scores = reranker.scores(lists)[0]
    assert choice.margin == pytest.approx(scores[1] - scores[0], abs=1e-4)


def test_explanations_of_dual_form_name_fragments_of_the_supports() -> None:
    lists = tree_lists()
    reranker = Reranker(Perceptron(n_iter=5), kernel=TreeKernel(decay=0.5)).fit(lists)
    amounts = {c.feature: c.amount for c in reranker.explain(lists[0]).decisions[0].contributions}
    assert amounts["(NP NP PP)"] > 0
    assert amounts["(VP VBP NP PP)"] > 0  # the rival has it, and its weight is negative


def test_votes_of_features_have_their_pass_chosen_on_the_dev_set() -> None:
    train, dev = random_lists(40, 1), random_lists(20, 2)
    voted, mean = (
        Reranker(Perceptron(voted=voted, n_iter=8), features=SequenceTemplates()).fit(train, dev=dev)
        for voted in (True, False)
    )
    scores = [report.numbers["dev"] for report in voted.history_]
    assert scores == [report.numbers["dev"] for report in mean.history_]
    chosen = int(np.argmax(scores)) + 1
    assert chosen < len(scores)  # or the test says nothing
    fewer = Reranker(Perceptron(voted=True, n_iter=chosen), features=SequenceTemplates()).fit(train)
    assert voted.choose(dev) == fewer.choose(dev)


def test_rank_and_tagged_sequences(tmp_path: Path) -> None:
    lists = random_lists(25, 3)
    reranker = Reranker(Perceptron(n_iter=10)).fit(lists, dev=lists)
    assert reranker.measure_ == "labels"
    assert reranker.evaluate(lists).f1 > reranker.evaluate(lists).baseline
    for given, ranked, scores in zip(lists, reranker.rank(lists), reranker.scores(lists)):
        assert ranked.log_probabilities.tolist() == sorted(scores, reverse=True)
        assert set(ranked.outputs) == set(given.outputs)
    other = Reranker(features=SequenceTemplates()).fit(lists)
    other.save(tmp_path / "x.palm")
    assert Reranker.load(tmp_path / "x.palm").choose(lists) == other.choose(lists)


def test_streamed_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x.nbest.gz"
    write_nbest(tree_lists(), path)
    streamed = Reranker(Perceptron(n_iter=4)).fit(NBestFile(path))
    assert streamed.score(path) == 1.0
    assert streamed.training_["lists"] == 2
    assert Reranker(Perceptron(n_iter=4)).fit(path).score(path) == 1.0


def test_a_right_output_that_is_not_there() -> None:
    lists = tree_lists()
    gold = Tree.parse(str(lists[0].gold).replace("(NP (NNS cats))", "(NP (NX (NNS cats)))"))
    lists[0] = lists[0].with_gold(gold)
    reranker = Reranker(Perceptron(n_iter=5)).fit(lists)
    assert reranker.training_["without_gold"] == 1
    assert reranker.predict(lists) == [given.outputs[1] for given in lists]


def test_empty_lists() -> None:
    lists, empty = tree_lists(), Candidates([], [], gold=tree_lists()[0].gold)
    reranker = Reranker(Perceptron(n_iter=5)).fit([empty, *lists])
    assert reranker.training_["without_candidates"] == 1
    assert reranker.predict([empty, lists[0]]) == [None, lists[0].gold]
    assert reranker.evaluate([empty, *lists]).lists == 2
    for form in (Reranker(), Reranker(features=TreeTemplates())):
        for nothing in ([], [empty]):
            with pytest.raises(ValueError, match="no list of candidates to learn from"):
                form.fit(nothing)


def test_one_candidate_of_one_node() -> None:
    leaf = Tree.parse("(TOP (A a))")
    only = Candidates([leaf], [0.0], gold=leaf)
    reranker = Reranker().fit([only])
    assert reranker.predict([only]) == [leaf]
    assert "the only one" in str(reranker.explain(only))


def test_bad_input(tmp_path: Path) -> None:
    lists = tree_lists()
    with pytest.raises(ValueError, match="not trained yet"):
        Reranker().predict(lists)
    with pytest.raises(ValueError, match="List 1 has no right output to learn from"):
        Reranker().fit([lists[0].with_gold(None)])
    with pytest.raises(ValueError, match="List 1 has no right output to compare with"):
        Reranker().fit(lists).evaluate([lists[0].with_gold(None)])
    with pytest.raises(ValueError, match="one right output for each list; got 1 for 2"):
        Reranker().fit(lists, [lists[0].gold])
    with pytest.raises(ValueError, match="not both"):
        Reranker(kernel=TreeKernel(), features=TreeTemplates()).fit(lists)
    with pytest.raises(ValueError, match="'beta'"):
        Reranker(beta=-1).fit(lists)
    with pytest.raises(TypeError, match="'kernel' parameter"):
        Reranker(kernel=3).fit(lists)
    with pytest.raises(TypeError, match="'features' parameter"):
        Reranker(features=3).fit(lists)
    with pytest.raises(TypeError, match="Put it into a list"):
        Reranker().fit(lists[0])
    with pytest.raises(ValueError, match="dev set must have lists"):
        Reranker().fit(lists, dev=[])
    with pytest.raises(ValueError, match="features of this reranker are those of words with labels"):
        Reranker(features=SequenceTemplates()).fit(lists)
    with pytest.raises(ValueError, match="one of the 2 candidates"):
        Reranker().fit(lists).explain(lists[0], rival=2)
    with pytest.raises(ValueError, match="chosen itself"):
        Reranker().fit(lists).explain(lists[0], rival=1)
    with pytest.raises(ValueError, match="beta=0 takes away"):
        Reranker(features=TreeTemplates(), beta=0.0, prior=1.0).fit(lists)


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    lists = tree_lists()
    function = Reranker(kernel=FunctionKernel(lambda a, b: float(a == b))).fit(lists)
    with pytest.raises(ValueError, match="holds no code"):
        function.save(tmp_path / "x.palm")
    own = Reranker(features=lambda trees: [[t.label] for t in trees], min_count=1).fit(lists)
    with pytest.raises(ValueError, match="holds no code"):
        own.save(tmp_path / "x.palm")
    assert not list(tmp_path.iterdir())


def test_damaged_files(tmp_path: Path) -> None:
    file = Reranker().fit(tree_lists()).to_model()
    for changed in (
        {"kernel": {"type": "X"}},
        {"form": "other"},
        {"measure": "bleu"},
        {"training": 3},
    ):
        ModelFile(file.kind, {**file.options, **changed}, file.arrays, file.strings).save(tmp_path / "x.palm")
        with pytest.raises(FormatError, match="damaged model"):
            Reranker.load(tmp_path / "x.palm")
    wrong = {**file.arrays, "updates": np.full_like(file.arrays["updates"], 99)}
    ModelFile(file.kind, file.options, wrong, file.strings).save(tmp_path / "x.palm")
    with pytest.raises(FormatError, match="an item that does not exist"):
        Reranker.load(tmp_path / "x.palm")
    many = {**file.arrays, "survived": np.full_like(file.arrays["survived"], 2**62)}
    ModelFile(file.kind, file.options, many, file.strings).save(tmp_path / "x.palm")
    with pytest.raises(FormatError, match="too many"):
        Reranker.load(tmp_path / "x.palm")


@pytest.mark.parametrize(
    "item",
    [
        *("[", "3", '["a", -0.9]', '[{"tree": "(A"}, -0.9]', '[{"tree": "(A a)"}, null]', "[[], 1.0]"),
        *('[{"set": ["a"]}, 1.0]', '[{"tree": "(A a)"}, [1, 2]]', '[{"tree": "(A a)"}, 1e999]'),
    ],
)
def test_damaged_items(tmp_path: Path, item: str) -> None:
    file = Reranker().fit(tree_lists()).to_model()
    ModelFile(file.kind, file.options, file.arrays, {"items": [item, *file.strings["items"][1:]]}).save(
        tmp_path / "x.palm"
    )
    with pytest.raises(FormatError, match=r"x\.palm: damaged model"):
        Reranker.load(tmp_path / "x.palm")


@pytest.mark.parametrize("part", [3, "x", None, 0, 1.5])
def test_a_kernel_of_a_part_that_there_is_not(tmp_path: Path, part: object) -> None:
    file = Reranker().fit(tree_lists()).to_model()
    options = json.loads(json.dumps(file.options))
    options["kernel"]["two"]["kernel"]["part"] = part
    ModelFile(file.kind, options, file.arrays, file.strings).save(tmp_path / "x.palm")
    with pytest.raises(FormatError, match="damaged model"):
        Reranker.load(tmp_path / "x.palm")


def test_candidates_of_another_kind() -> None:
    trees, sequences = tree_lists(), random_lists(4, 0)
    with pytest.raises(ValueError, match="List 1 has words with labels; this reranker chooses among trees"):
        Reranker().fit(trees).predict(sequences)
    with pytest.raises(ValueError, match="List 2 has trees; this reranker chooses among words with labels"):
        Reranker().fit(sequences).scores([sequences[0], trees[0]])


def test_a_kernel_that_is_no_inner_product() -> None:
    wrong = FunctionKernel(lambda a, b: -1.0 if a == b else 1.0)
    for kernel in (wrong, TreeKernel() + wrong):
        with pytest.raises(ValueError, match="not positive semi-definite"):
            Reranker(kernel=kernel).fit(tree_lists())


def test_explanations_of_normalised_kernels_are_whole_where_trees_are_small() -> None:
    trees = [Tree.parse("(S (A (B b)))"), Tree.parse("(S (C (B b)))")]
    lists = [Candidates(trees, [-1.0, -2.0], gold=trees[1])]
    reranker = Reranker(Perceptron(n_iter=5), kernel=TreeKernel(decay=0.5).normalized).fit(lists)
    (choice,) = reranker.explain(lists[0], rival=0).decisions
    assert choice.chosen == 2
    scores = reranker.scores(lists)[0]
    assert choice.margin == pytest.approx(scores[1] - scores[0])
    assert choice.rest == pytest.approx(0.0, abs=1e-9)  # no fragment has more than three productions


# Margins


@pytest.mark.parametrize("form", FORMS, ids=range(len(FORMS)))
@pytest.mark.parametrize("minimum_risk", [False, True])
def test_a_margin_is_a_difference_of_scores(form: Reranker, minimum_risk: bool) -> None:
    lists = tree_lists()
    reranker = clone(form).fit(lists)
    for given, scores in zip(lists, reranker.scores(lists)):
        (choice,) = reranker.explain(given, minimum_risk=minimum_risk).decisions
        two = scores[choice.chosen - 1], scores[choice.rival - 1]
        if choice.extra["votes"] is None:
            assert choice.margin == pytest.approx(two[0] - two[1], abs=1e-5)
        else:
            assert choice.extra["votes"] == pytest.approx(two)
        ranked = reranker.rank([given], minimum_risk=minimum_risk)[0]
        assert ranked.outputs[0] == given.outputs[choice.chosen - 1]


@pytest.mark.parametrize(
    "form",
    [
        Reranker(MIRA(n_iter=2), features=SequenceTemplates()),
        Reranker(Perceptron(n_iter=2)),
        Reranker(Perceptron(n_iter=2, voted=True)),
        Reranker(Perceptron(n_iter=2, voted=True), features=SequenceTemplates()),
    ],
    ids=["features", "kernel", "votes", "votes of features"],
)
def test_a_margin_below_zero_is_explained(form: Reranker) -> None:
    train, test = random_lists(40, 0), random_lists(60, 1)
    reranker = clone(form).fit(train)
    risks = (False, True) if reranker.model_.has_probabilities else (False,)
    below = 0
    for minimum_risk in risks:
        for given, scores in zip(test, reranker.scores(test)):
            (choice,) = reranker.explain(given, minimum_risk=minimum_risk).decisions
            two = scores[choice.chosen - 1], scores[choice.rival - 1]
            votes = bool(form.learner.get_params().get("voted"))
            assert votes == (choice.extra["votes"] is not None)
            assert minimum_risk == (choice.extra["mistakes"] is not None)
            if not votes:
                assert choice.margin == pytest.approx(two[0] - two[1], abs=1e-4)
            assert ("the margin is below zero" in str(choice)) == (choice.margin < 0)
            assert choice.margin >= 0 or votes or minimum_risk
            below += choice.margin < 0
    assert below or not votes


# Odd lists


def test_candidates_of_other_words_are_refused() -> None:
    """Features at the edges of nodes look at the words of the sentence."""
    reranker = Reranker(features=TreeTemplates(), min_count=1).fit(tree_lists())
    good = tree_lists()[0]
    other = Candidates([Tree.parse("(TOP (N a))"), Tree.parse("(TOP (X (N a) (N b)))")], [-1.0, -2.0])
    for ask in (reranker.predict, reranker.choose, reranker.rank):
        with pytest.raises(ValueError, match="List 2: Candidate 2 has other words than the first"):
            ask([good, other])
    with pytest.raises(ValueError, match="List 12: Candidate 2 has other words"):
        reranker.predict([good, other], first=11)
    with pytest.raises(ValueError, match="Candidate 2 has other words"):
        reranker.explain(other)


def chain(depth: int, label: str = "X") -> Tree:
    return Tree.parse(f"({label} " * depth + "(N a)" + " (M b))" * depth)


@pytest.mark.parametrize(
    "form", [Reranker(), Reranker(features=TreeTemplates(), min_count=1)], ids=["dual", "primal"]
)
def test_large_outputs_keep_the_first_models_order(form: Reranker) -> None:
    lists = tree_lists()
    large = Candidates([chain(60), chain(60, "Y")], [-2.0, -1.0], gold=chain(60))
    reranker = clone(form).set_params(max_size=100).fit([large, *lists])
    assert large.size == 121
    assert reranker.training_["lists"] == 2
    assert reranker.training_["too_large"] == 1
    with pytest.warns(UserWarning, match="1 of 3 lists have outputs of more than 100 nodes or words"):
        assert reranker.choose([lists[0], large, lists[1]]) == [1, 1, 1]
    for ask in (reranker.scores, reranker.predict_proba, reranker.evaluate):
        with pytest.raises(
            ValueError, match="List 1 has an output of 121 nodes or words, and the bound is 100"
        ):
            ask([large])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert reranker.set_params(max_size=121).choose([large]) in ([0], [1])
    with pytest.raises(ValueError, match="'max_size'"):
        clone(form).set_params(max_size=0).fit(lists)


def test_features_of_a_deep_tree_take_no_more_for_a_node() -> None:
    """The labels down an edge are bounded, or the features of a chain of n nodes would have n² letters."""
    for depth in (20, 40, 400):
        tree = Tree.parse("(S " + "(X " * depth + "(N a)" + ")" * depth + " (M b))")
        (path, *_), _ = TreeTemplates(("paths",)).counts([tree])
        whole = f"path S ({'X ' * depth}N) (M)"
        assert path == whole if depth < 50 else len(path) < 120
