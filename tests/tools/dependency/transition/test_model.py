"""Transition-based parsers: search against enumeration, constraints, files, explanations, odd sentences."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from palmette import CRF, Perceptron
from palmette.features.token_views import TokenViews
from palmette.formats import read_conllu
from palmette.formats.corpus import Corpus
from palmette.structures.token_arrays import arrays_of
from palmette.structures.transitions import SYSTEMS, State, TransitionSystem
from palmette.tools.dependency.transition.model import TransitionModel
from palmette.tools.dependency.transition.options import TransitionOptions, label_stride, move_stride
from palmette.tools.dependency.transition.training import LEARNERS, group_labels, train_transition
from samples.corpora import real_file
from samples.transitions import LABELS, random_heads, random_sentences, random_trees

pytestmark = pytest.mark.native

NAMES = tuple(f"r{k}" for k in range(LABELS))


def random_model(system: str, *, beam: int = 1, groups: int = 2, seed: int = 0) -> TransitionModel:
    options = TransitionOptions(system=system, beam=beam, bits=8, label_bits=7)
    group = np.minimum(np.arange(LABELS), groups - 1).astype(np.int32)
    size = (1 << 8) * move_stride(group) + (1 << 7) * label_stride(group)
    weights = np.random.default_rng(seed).normal(0, 1, size).astype(np.float32)
    return TransitionModel.of_weights(NAMES, options, group, weights, False)


def random_views(seed: int, lengths: list[int]) -> TokenViews:
    return TokenViews.of(random_sentences(np.random.default_rng(seed), lengths))


def is_tree(heads: list[int]) -> bool:
    if heads.count(0) != 1:
        return False
    above = np.concatenate([[0], heads])
    at = np.arange(len(above))
    for _ in range(len(heads).bit_length() + 1):
        above, at = above[above], above[at]
    return not above.any()


def sequences(state: State) -> list[list[str]]:
    if state.finished:
        return [[]]
    return [[action, *rest] for action in state.legal for rest in sequences(state.apply(action))]


@pytest.mark.parametrize("groups", [1, 2, LABELS])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_wide_beam_is_exhaustive_and_a_narrow_one_greedy(system: str, groups: int) -> None:
    views = random_views(1, [3, 3])
    model = random_model(system, groups=groups)
    names = TransitionSystem(system)
    for i in range(2):
        arrays = (views.offsets, views.values, views.piece_rows, views.pieces, i)
        scores = []
        for actions in sequences(names.start(3)):
            kinds = [names.kind_of(action) for action in actions]
            scores.append(model.core.trace(*arrays, 1, None, kinds)[2])
        # The groups of arcs are free in a beam, and so are their consequences: no worse than the best of each.
        found = model.core.parse(*arrays[:-1], 1 << 14, None, 1, False)[2][i]
        assert found >= max(scores) - 1e-3
        if groups == 1:
            assert found == pytest.approx(max(scores), abs=1e-3)
        heads, labels, one = model.core.kbest(*arrays, 1, 1, None)
        greedy = model.parse(views)
        own = slice(int(views.offsets[i]), int(views.offsets[i + 1]))
        assert one[0] == pytest.approx(greedy.scores[i], abs=1e-4)
        assert (heads == greedy.heads[own]).all()
        assert (labels == greedy.labels[own]).all()


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("system", SYSTEMS)
def test_all_outputs_are_trees_whatever_the_weights(system: str, beam: int) -> None:
    lengths = [1, 0, 1000 if system != "swap" else 200, 2, 3, 0, *range(4, 20), 1]
    views = random_views(2, lengths)
    for seed in range(3):
        model = random_model(system, beam=beam, seed=seed)
        parses = model.parse(views)
        for begin, end in zip(views.offsets[:-1].tolist(), views.offsets[1:].tolist()):
            assert begin == end or is_tree(parses.heads[begin:end].tolist())
        assert parses.labels.min() >= 0
        again = model.parse(views, n_jobs=3)
        assert (again.heads == parses.heads).all()
        assert (again.labels == parses.labels).all()
        assert (again.scores == parses.scores).all()


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("system", ["arc-hybrid", "arc-eager"])
def test_known_heads_are_kept(system: str, beam: int) -> None:
    rng = np.random.default_rng(3)
    lengths = rng.integers(1, 15, 60).tolist()
    views = random_views(3, lengths)
    trees = np.array([h for n in lengths for h in random_heads(rng, n, True)], dtype=np.int32)
    model = random_model(system, beam=beam)
    assert (model.parse(views, heads=trees).heads == trees).all()
    if system == "arc-hybrid":
        known = np.where(rng.random(len(trees)) < 0.4, trees, -1).astype(np.int32)
        found = model.parse(views, heads=known).heads
        assert (found == known)[known >= 0].all()
        best = model.kbest(views, 3, heads=known)
        assert all(
            (tree.heads == own)[own >= 0].all()
            for i, own in enumerate(np.split(known, views.offsets[1:-1]))
            for tree in best[i]
        )


def test_impossible_wishes_are_refused() -> None:
    views = random_views(4, [4])
    model = random_model("arc-hybrid")
    with pytest.raises(ValueError, match="Sentence 1: the known heads cannot all be kept"):
        model.parse(views, heads=np.array([3, 4, 0, 3], dtype=np.int32))
    with pytest.raises(ValueError, match="swap cannot keep known heads"):
        random_model("swap").parse(views, heads=np.array([3, -1, -1, -1], dtype=np.int32))
    with pytest.raises(ValueError, match="which arcs to avoid"):
        model.parse(views, forbidden=np.array([[0, 2]], dtype=np.int32))
    with pytest.raises(ValueError, match="no risk"):
        model.parse(views, minimum_risk=True)
    with pytest.raises(ValueError, match="no probabilities"):
        model.arc_probabilities(views, model.parse(views))
    with pytest.raises(ValueError, match="after training: it can change beam"):
        model.with_options({"system": "swap"})
    for bad in (
        {"wings": 2},
        {"system": "x"},
        {"beam": 0},
        {"oracle": "dynamic", "system": "swap"},
        {"oracle": "dynamic", "beam": 2},
    ):
        with pytest.raises(ValueError, match=r"transition|must be|oracle"):
            TransitionOptions.of(bad, "The method 'transition'")


def test_the_best_trees_differ_and_descend() -> None:
    views = random_views(5, [5, 0, 1, 3])
    found = random_model("arc-eager").kbest(views, 6)
    assert [len(trees) for trees in found][1:3] == [1, len(found[2])]
    for trees in found:
        assert len({(tuple(t.heads), tuple(t.labels)) for t in trees}) == len(trees)
        assert all(a.score >= b.score for a, b in pairwise(trees))


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_first_of_the_best_is_the_tree_of_parse(system: str, beam: int) -> None:
    views = random_views(7, [2, 9, 14, 20, 0, 1, 25])
    model = random_model(system, beam=beam)
    parses = model.parse(views)
    for k in (1, 2, 4, 9):
        for i, trees in enumerate(model.kbest(views, k)):
            assert 1 <= len(trees) <= k
            assert len(trees) == k or beam > 1 or np.diff(views.offsets)[i] < 3
            own = slice(views.offsets[i], views.offsets[i + 1])
            assert (trees[0].heads == parses.heads[own]).all()
            assert (trees[0].labels == parses.labels[own]).all()
            assert trees[0].score == (0 if beam == 1 else pytest.approx(parses.scores[i], abs=1e-4))
            assert all(a.score >= b.score for a, b in pairwise(trees))


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_greedy_parser_ranks_trees_by_what_their_moves_lose(system: str) -> None:
    views = random_views(1, [3])
    model = random_model(system, groups=1)
    names, arrays = TransitionSystem(system), (*arrays_of(views), 0)
    losses: dict[tuple[int, ...], float] = {}
    for actions in sequences(names.start(3)):
        kinds = [names.kind_of(action) for action in actions]
        heads, _, loss, steps = model.core.trace(*arrays, 1, None, kinds, True)
        assert loss == pytest.approx(
            sum(_move_score(model, step, 0) - _move_score(model, step, 1) for step in steps), abs=1e-3
        )
        losses[tuple(heads.tolist())] = max(loss, losses.get(tuple(heads.tolist()), -math.inf))
    found = {tuple(tree.heads.tolist()): tree.score for tree in reversed(model.kbest(views, 500)[0])}
    assert found == {heads: pytest.approx(loss, abs=1e-3) for heads, loss in losses.items()}


def _move_score(model: TransitionModel, step: Sequence[Any], which: int) -> float:
    table = model.move_table.reshape(-1, move_stride(model.groups))
    return float(table[step[2], step[which]].sum()) * model.move_unit


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("system", SYSTEMS)
def test_explanations_sum_to_the_margin(system: str, beam: int) -> None:
    views = random_views(6, [6, 1])
    model = random_model(system, beam=beam)
    heads = model.parse(views).heads
    best = model.kbest(views, 1000)[0]
    for token in range(1, 7):
        choice = model.explain(views, 0, token)
        assert choice.head == heads[token - 1]
        assert choice.rival_head not in (choice.head, token)
        if choice.rival_head is not None:
            assert math.fsum(part.amount for part in choice.contributions) == pytest.approx(choice.margin)
            assert beam > 1 or choice.margin >= -1e-6
            if beam == 1:
                rival = [tree for tree in best if tree.heads[token - 1] == choice.rival_head]
                assert rival  # all trees are in the list
                assert choice.margin >= best[0].score - rival[0].score - 1e-3
    alone = model.explain(views, 1, 1)
    assert (alone.rival_head, alone.margin) == (None, math.inf)
    with pytest.raises(ValueError, match="has 6 words"):
        model.explain(views, 0, 7)


@pytest.mark.parametrize("compact", [False, True])
def test_models_in_files(compact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palmette.tools.dependency.short_rows.SMALL", 0)
    data = random_trees(10, 40)
    trained = train_transition(
        data.views, data.heads, data.labels, NAMES, options={"bits": 10, "label_bits": 9}
    )
    model: Any = trained.model
    arrays, settings = model.arrays(compact=compact), model.settings()
    again = TransitionModel.restore(NAMES, arrays, settings)
    have, want = again.parse(data.views), model.parse(data.views)
    assert (have.heads == want.heads).mean() >= (0.95 if compact else 1)
    for name, array in arrays.items():
        with pytest.raises(ValueError, match=r"missing|lacks|damaged"):
            TransitionModel.restore(NAMES, {k: v for k, v in arrays.items() if k != name}, settings)
        for bad in (array[:-1], array.astype(np.float64), np.full_like(array, 127)):
            if (
                name.endswith((".values", ".unit", ".columns", ".levels"))
                and bad.dtype == array.dtype
                and bad.shape == array.shape
            ):
                continue  # other numbers, not a damaged file
            with pytest.raises(ValueError, match="damaged"):
                TransitionModel.restore(NAMES, {**arrays, name: bad}, settings)
    with pytest.raises(ValueError, match="another version"):
        TransitionModel.restore(NAMES, arrays, {**settings, "templates": [1, 2]})
    with pytest.raises(ValueError, match="lacks"):
        TransitionModel.restore(NAMES, arrays, {})


def test_probabilities_of_a_log_linear_parser() -> None:
    data = random_trees(11, 40)
    options = {"bits": 10, "label_bits": 9}
    model: Any = train_transition(
        data.views, data.heads, data.labels, NAMES, options=options, learner=CRF(n_iter=5)
    ).model
    parses = model.parse(data.views)
    p = model.arc_probabilities(data.views, parses)
    assert ((p > 0) & (p <= 1)).all()
    assert p.mean() > 0.6
    other = np.where(parses.heads == 1, 0, 1).astype(np.int32)
    rival = model.arc_probabilities(data.views, type(parses)(other, parses.labels, parses.scores))
    assert (rival < p).mean() > 0.8


def test_one_model_in_many_threads() -> None:
    views, model = random_views(7, list(range(1, 30))), random_model("arc-eager")
    want = model.parse(views).heads
    with ThreadPoolExecutor(4) as pool:
        assert all((heads == want).all() for heads in pool.map(lambda _: model.parse(views).heads, range(8)))


def test_groups_of_labels() -> None:
    labels = np.array([2, 2, 2, 0, 0, 1, 3], dtype=np.int32)
    assert group_labels(labels, 4, 3).tolist() == [1, 2, 0, 2]
    assert group_labels(labels, 4, 1).tolist() == [0, 0, 0, 0]
    assert sorted(group_labels(labels, 4, 99).tolist()) == [0, 1, 2, 3]


EWT = [({"system": system}, floor) for system, floor in zip(SYSTEMS, (0.60, 0.66, 0.66, 0.60))] + [
    ({"beam": 4}, 0.68),
    ({"oracle": "static"}, 0.64),
    ({"beam": 4, "update": "early"}, 0.67),
]


@pytest.fixture(scope="module")
def english() -> tuple[Corpus, Corpus]:
    return (
        read_conllu(real_file("ud_en_ewt/train.conllu.gz"))[:600],
        read_conllu(real_file("ud_en_ewt/dev.conllu.gz"))[:300],
    )


@pytest.mark.parametrize(("options", "floor"), EWT)
def test_english(english: tuple[Corpus, Corpus], options: dict[str, Any], floor: float) -> None:
    """Six hundred sentences are enough for two thirds of the arcs, and chosen by a dev set no fewer."""
    train, test = english
    names = tuple(sorted(set(train.column("deprel").strings)))

    def labels_of(corpus: Any) -> Any:
        column = corpus.column("deprel")
        places = [names.index(name) if name in names else -1 for name in column.strings]
        return np.array(places, dtype=np.int32)[column.ids]

    views, gold = TokenViews.of(test), labels_of(test)

    def las(model: Any) -> float:
        parses = model.parse(views)
        return float(((parses.heads == test.heads) & (parses.labels == gold)).mean())

    reports: list[Any] = []
    trained = train_transition(
        TokenViews.of(train),
        train.heads,
        labels_of(train),
        names,
        options={**options, "bits": 17, "label_bits": 14},
        learner=Perceptron(n_iter=4),
        dev=las,
        callback=reports.append,
    )
    assert las(trained.model) == max(report.numbers["dev"] for report in reports)
    assert las(trained.model) >= floor


def test_the_default_learner() -> None:
    assert isinstance(LEARNERS[0], Perceptron)


def test_a_model_can_be_pickled_after_use() -> None:
    views = random_views(8, [4, 6])
    model = random_model("arc-eager")
    heads = model.parse(views).heads
    assert (pickle.loads(pickle.dumps(model)).parse(views).heads == heads).all()


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("groups", [1, 2, LABELS])
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_relation_of_the_root_is_for_the_root_alone(system: str, groups: int, beam: int) -> None:
    views = random_views(7, [2, 9, 1, 14, 20])
    names = ("nsubj", "root", "obj", "det")
    for seed in range(3):
        model = replace(random_model(system, beam=beam, groups=groups, seed=seed), labels=names)
        found = [model.parse(views), *(tree for trees in model.kbest(views, 5) for tree in trees)]
        if system in ("arc-eager", "arc-hybrid"):
            known = np.full(views.n_tokens, -1, dtype=np.int32)
            known[3] = 0
            found.append(model.parse(views, heads=known))
        assert all(((tree.labels == 1) == (tree.heads == 0)).all() for tree in found)
        choice = model.explain(views, 1, 4)
        assert (choice.label == 1) == (choice.head == 0)
        assert (choice.rival_label == 1) == (choice.rival_head == 0)


def test_very_long_sentences_get_a_narrower_beam() -> None:
    views = random_views(3, [2, 1500])
    model = random_model("arc-eager", beam=100)
    assert model.parse(views).notes == ("Sentence 2 has 1,500 words: a beam of 88 instead of 100.",)
    assert random_model("arc-eager", beam=8).parse(views).notes == ()


def test_swaps_have_an_end() -> None:
    model = random_model("swap", groups=1)
    table = model.move_table.reshape(-1, move_stride(model.groups)).copy()
    table[:, 1] = 1000  # swap as often as it may
    table[:, 2:] = -1000
    model = replace(model, move_table=table.reshape(-1))
    views = random_views(3, [1000])
    heads, _, _, steps = model.core.trace(*arrays_of(views), 0, 1, None, None)
    assert is_tree(heads.tolist())
    assert len(steps) <= 2 * 1000 + 2 * (10 * 1000 + 100)


def test_a_file_cannot_ask_for_gigabytes_or_hours() -> None:
    model = random_model("arc-eager")
    for group in (-1, LABELS, 1 << 30):
        groups = model.groups.copy()
        groups[0] = group
        with pytest.raises(ValueError, match="groups of labels are damaged"):
            TransitionModel.restore(model.labels, {**model.arrays(), "groups": groups}, model.settings())
    for more, message in [
        ({"bits": 26}, "at most"),
        ({"label_bits": 26}, "at most"),
        ({"beam": 4096}, "beam"),
    ]:
        with pytest.raises(ValueError, match=message):
            TransitionModel.restore(model.labels, model.arrays(), {**model.settings(), **more})
