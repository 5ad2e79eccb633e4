"""Orders of search against the exhaustive one, and by hand on a small trellis. CSC 448, §7."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from palmette.inference.deduction import Deduction
from palmette.inference.facts import Columns, Item
from palmette.inference.forest import Forest
from palmette.inference.search import AStar, Beam, BestFirst, Exhaustive, Search

pytestmark = pytest.mark.native

TRELLIS = Deduction("""
    [0, t]   <- start(t)
    [i+1, t] <- [i, s] * arc(i, s, t)
    goal [n, t] <- ?length(n)
    bucket [i, t] = i
""")

Floats = npt.NDArray[np.float64]


def random_trellis(n: int, k: int, seed: int) -> tuple[Floats, Floats]:
    """start[t] and arc[i, s, t], logs of weights of at most one."""
    generator = np.random.default_rng(seed)
    return -generator.exponential(size=k), -generator.exponential(size=(n, k, k))


def run(start: Floats, arc: Floats, search: Search | None = None) -> Forest:
    n, k, _ = arc.shape
    i, s, t = np.indices(arc.shape)
    facts = {
        "start": Columns(np.arange(k), weights=start),
        "arc": Columns(i.ravel(), s.ravel(), t.ravel(), weights=arc.ravel()),
        "length": [n],
    }
    return TRELLIS.run(facts, search=search, log=True)


def viterbi(start: Floats, arc: Floats) -> float:
    for matrix in arc:
        start = (start[:, None] + matrix).max(axis=0)
    return float(start.max())


def column_bound(arc: Floats) -> Floats:
    """Eq. 65 as log-scores: the sum of the best arc of every column to come."""
    best = arc.max(axis=(1, 2))
    return np.append(np.cumsum(best[::-1])[::-1], 0.0)


def exact_bound(arc: Floats) -> Floats:
    """What is still to come, [i, t]."""
    after = [np.zeros(arc.shape[1])]
    for matrix in arc[::-1]:
        after.append((matrix + after[-1]).max(axis=1))
    return np.array(after[::-1])


def of_position(values: Floats) -> Callable[[Item], float]:
    return lambda item: float(values[item.arguments[0]])  # type: ignore[index]


@pytest.mark.parametrize("seed", range(5))
def test_dijkstra_and_a_star(seed: int) -> None:
    start, arc = random_trellis(6, 5, seed)
    best = viterbi(start, arc)
    everything = run(start, arc)
    dijkstra = run(start, arc, BestFirst())
    column = column_bound(arc)
    by_bucket = run(start, arc, AStar(column))
    by_function = run(start, arc, AStar(of_position(column)))
    exact = exact_bound(arc)
    perfect = run(start, arc, AStar(lambda item: exact[item.arguments]))  # type: ignore[index]
    zero = run(start, arc, AStar(lambda item: 0.0))
    for forest in (everything, dijkstra, by_bucket, by_function, perfect, zero):
        assert forest.best().score == pytest.approx(best)
    popped = [f.statistics.items_popped for f in (perfect, by_bucket, dijkstra, everything)]
    assert popped == sorted(popped)
    assert by_bucket.statistics == by_function.statistics
    assert zero.statistics == dijkstra.statistics
    assert perfect.statistics.items_popped == 6 + 1 + 1  # the best path and the goal


@pytest.mark.parametrize("seed", range(5))
def test_best_first_on_trees(seed: int) -> None:
    """Knuth's generalisation: CKY with random rules over a sentence of one word."""
    generator = np.random.default_rng(seed)
    rules = {(a, b, c): generator.uniform(0.01, 1) for a in "ABC" for b in "ABC" for c in "ABC"}
    words = {(a, i): generator.uniform(0.01, 1) for a in "ABC" for i in range(5)}
    cky = Deduction(
        "[A, i, k] <- rule(A, B, C) * [B, i, j] * [C, j, k]\n[A, i, i+1] <- tag(A, i)\ngoal ['A', 0, 5]"
    )
    everything = cky.run({"rule": rules, "tag": words})
    found = cky.run({"rule": rules, "tag": words}, search=BestFirst())
    assert found.best().score == pytest.approx(everything.best().score)
    assert found.statistics.items_popped <= everything.statistics.items_popped
    assert found.log_z() <= everything.log_z() + 1e-12


def test_an_inconsistent_heuristic_reopens() -> None:
    """h is a bound but not monotone: b is popped by its worse way first, and its better score is passed on."""
    rules = Deduction("at(y) <- at(x) * edge(x, y)\nat('s') <- 1\ngoal at('t')")
    cost = {("s", "a"): 1, ("a", "b"): 1, ("s", "b"): 4, ("b", "c"): 2, ("c", "t"): 6}
    facts = {"edge": {pair: math.exp(-c) for pair, c in cost.items()}}
    h = {"s": 0, "a": -8, "b": 0, "c": 0, "t": 0}
    forest = rules.run(facts, search=AStar(lambda item: h[item.arguments[0]]))
    assert forest.best().score == pytest.approx(-10)
    assert forest.statistics.items_popped == 6  # an item that comes again is not counted again


@pytest.mark.parametrize("seed", range(20))
def test_random_inconsistent_heuristics_are_exact(seed: int) -> None:
    start, arc = random_trellis(5, 4, seed)
    generator = np.random.default_rng(100 + seed)
    bound = exact_bound(arc)
    bound *= generator.uniform(0, 1, size=bound.shape)  # scores are negative: this is between the bound and 0
    forest = run(start, arc, AStar(lambda item: bound[item.arguments]))  # type: ignore[index]
    assert forest.best().score == pytest.approx(viterbi(start, arc))


@pytest.mark.parametrize("weight", [1.0, 1.5, 3.0])
def test_weighted_a_star_keeps_its_promise(weight: float) -> None:
    popped = []
    for seed in range(20):
        start, arc = random_trellis(6, 4, seed)
        forest = run(start, arc, AStar(column_bound(arc), weight=weight))
        assert -forest.best().score <= weight * -viterbi(start, arc) + 1e-9
        popped.append(
            forest.statistics.items_popped - run(start, arc, AStar(column_bound(arc))).statistics.items_popped
        )
    assert sum(popped) <= 0


def test_an_inadmissible_heuristic_may_fail() -> None:
    """h(i) = -c (n - i) with a large c looks only ahead."""
    missed = 0
    for seed in range(20):
        start, arc = random_trellis(6, 4, seed)
        forest = run(start, arc, AStar(-100.0 * np.arange(6, -1, -1)))
        assert forest.best().score <= viterbi(start, arc) + 1e-9
        missed += forest.best().score < viterbi(start, arc) - 1e-9
    assert missed > 0


def test_weights_above_one() -> None:
    """A* with a bound is exact there too; best-first refuses."""
    rules = Deduction("at(y) <- at(x) * edge(x, y)\nat('s') <- 0.5\ngoal at('t')")
    edges = {("s", "t"): 1.0, ("s", "a"): 0.1, ("a", "t"): 100.0}
    forest = rules.run({"edge": edges}, search=AStar(lambda item: math.log(100)))
    assert forest.best().score == pytest.approx(math.log(5))
    message = (
        r"^best-first search needs weights of at most one, but a fact of edge\(_, _\) has 100; "
        "search exhaustively, or use AStar with a heuristic$"
    )
    with pytest.raises(ValueError, match=message):
        rules.run({"edge": edges}, search=BestFirst())
    with pytest.raises(ValueError, match=r"but the rule of rules:1 has 2; search"):
        Deduction("a <- 2\ngoal a").run({}, search=BestFirst())


@pytest.mark.parametrize("search", [AStar(lambda item: 0.0), Beam(top=5)])
def test_a_cycle_that_grows_for_ever(search: Search) -> None:
    rules = Deduction(
        "a <- b * 3\nb <- a * 0.5\na <- 1\nc <- a\ngoal c <- ?d\nd <- e\nbucket a = 0\nbucket b = 0"
    )
    with pytest.raises(
        ValueError, match="no best derivation: going round a cycle of items adds to the score"
    ):
        rules.run({"e": []}, search=search)


@pytest.mark.parametrize("search", [BestFirst(), AStar(lambda item: 0.0), Beam(top=5)])
def test_a_cycle_that_does_not(search: Search) -> None:
    rules = Deduction("a <- b * 0.5\nb <- a\na <- 0.5\nb <- 0.1\ngoal b\nbucket a = 0\nbucket b = 0")
    assert rules.run({}, search=search).best().score == pytest.approx(math.log(0.5))


# Stacks


@pytest.mark.parametrize("search", [Beam(), Beam(top=1000), Beam(width=1e6), Beam(top=1000, width=1e6)])
def test_a_beam_of_everything(search: Beam) -> None:
    start, arc = random_trellis(5, 4, 0)
    everything, found = run(start, arc), run(start, arc, search)
    assert found.statistics == everything.statistics
    assert found.log_z() == pytest.approx(everything.log_z())
    assert found.count() == everything.count() == 4**6


@pytest.mark.parametrize("seed", range(3))
def test_the_top_one_is_greedy(seed: int) -> None:
    start, arc = random_trellis(6, 5, seed)
    state, score = int(start.argmax()), float(start.max())
    for matrix in arc:
        score += matrix[state].max()
        state = int(matrix[state].argmax())
    forest = run(start, arc, Beam(top=1))
    assert forest.best().score == pytest.approx(score)
    assert forest.statistics.items_popped == 7 + 1


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("top", "width"), [(2, math.inf), (None, 0.7), (3, 0.5), (None, 0.0)])
def test_algorithms_6_and_7(seed: int, top: int | None, width: float) -> None:
    """Position by position: only the best `top` states within `width` of the best are gone on from."""
    start, arc = random_trellis(6, 5, seed)
    scores, popped = start, 0
    for matrix in [*arc, None]:
        order = np.argsort(-scores)[:top]
        kept = order[scores[order] >= scores.max() - width]
        popped += len(kept)
        pruned = np.full_like(scores, -np.inf)
        pruned[kept] = scores[kept]
        scores = pruned if matrix is None else (pruned[:, None] + matrix).max(axis=0)
    forest = run(start, arc, Beam(top=top, width=width))
    assert forest.best().score == pytest.approx(scores.max())
    assert forest.statistics.items_popped == popped + 1  # the goal, which has no bucket, comes last


def test_a_small_trellis_by_hand() -> None:
    """Two states: the best first step leads away from the best path, so one item a stack is not enough.

    start a 0.6, b 0.4;  a→a 0.1, a→b 0.1, b→a 0.9, b→b 0.5
    """
    start = np.log([0.6, 0.4])
    arc = np.log([[[0.1, 0.1], [0.9, 0.5]]])
    assert run(start, arc, Beam(top=1)).best().score == pytest.approx(math.log(0.06))
    assert run(start, arc, Beam(width=math.log(1.4))).best().score == pytest.approx(math.log(0.06))
    assert run(start, arc, Beam(top=2)).best().score == pytest.approx(math.log(0.36))
    assert run(start, arc, Beam(width=math.log(1.6))).best().score == pytest.approx(math.log(0.36))


def test_an_item_for_an_earlier_bucket() -> None:
    rules = Deduction("[i+1] <- [i] * i < 3\n[0] <- [3]\n[1] <- f\ngoal [9]\nbucket [i] = i")
    with pytest.raises(
        ValueError, match="an item was derived for bucket 0 when bucket 3 had begun: a rule must not"
    ):
        rules.run({"f": [()]}, search=Beam(top=3))


def test_buckets_of_symbols() -> None:
    rules = Deduction("a(x) <- f(x)\ngoal a(_)\nbucket a(x) = x")
    with pytest.raises(ValueError, match=r"^rules:3: a bucket must be an integer, not a symbol$"):
        rules.run({"f": ["s"]}, search=Beam(top=1))
    rules = Deduction("a(x) <- f(x)\ngoal a(_)\nbucket a(x) = x+1")
    with pytest.raises(ValueError, match=r"^rules:3: arithmetic on a symbol, where an integer is needed$"):
        rules.run({"f": ["s"]}, search=Beam(top=1))


def test_statistics() -> None:
    start, arc = random_trellis(3, 2, 0)
    everything = run(start, arc).statistics
    # 4 × 2 items and the goal; an arc per step, a start per state, and the goal's edges
    assert (everything.items_made, everything.items_popped, everything.edges_built) == (9, 9, 3 * 4 + 2 + 2)
    for search in (BestFirst(), Beam(top=1)):
        found = run(start, arc, search).statistics
        assert found.items_popped <= found.items_made <= everything.items_made
        assert found.edges_built <= everything.edges_built


# What may be wrong


def test_heuristics_that_are_none() -> None:
    start, arc = random_trellis(4, 2, 0)

    def ends(item: Item) -> float:
        raise KeyError("no such item")

    with pytest.raises(KeyError, match="no such item"):
        run(start, arc, AStar(ends))
    with pytest.raises(TypeError):
        run(start, arc, AStar(lambda item: None))  # type: ignore[arg-type, return-value]
    for bad in (AStar(lambda item: math.nan), AStar([math.nan] * 5)):
        with pytest.raises(ValueError, match=r"^the heuristic is not a number$"):
            run(start, arc, bad)
    with pytest.raises(
        ValueError, match=r"^there is an item in bucket [12], but the heuristic has [12] entries$"
    ):
        run(start, arc, AStar([0.0, 0.0]))
    for shape in ((0,), (2, 2)):
        with pytest.raises(ValueError, match="a heuristic by bucket is a list of numbers, got shape"):
            run(start, arc, AStar(np.zeros(shape)))
    assert run(start, arc, AStar(lambda item: -math.inf, weight=0.0)).best().score == pytest.approx(
        viterbi(start, arc)
    )


@pytest.mark.parametrize("search", [Beam(top=1), AStar([0.0])])
def test_searches_that_need_buckets(search: Search) -> None:
    with pytest.raises(ValueError, match="needs rules that say 'bucket ITEM = EXPRESSION'"):
        Deduction("a <- f\ngoal a").run({"f": [()]}, search=search)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Beam(top=0), "The 'top' parameter must be an int in the range [1, inf). Got 0 instead."),
        (lambda: Beam(width=-1), "width must not be negative, got -1"),
        (lambda: Beam(width=math.nan), "width must not be negative, got nan"),
        (
            lambda: AStar(abs, weight=-1),
            "the weight of the heuristic must be a finite number of at least 0, got -1",
        ),
        (
            lambda: AStar(abs, weight=math.nan),
            "the weight of the heuristic must be a finite number of at least 0, got nan",
        ),
    ],
)
def test_options(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make()


@pytest.mark.parametrize("search", ["beam", BestFirst, 3])
def test_what_is_no_search(search: object) -> None:
    with pytest.raises(
        ValueError, match=r"^search must be Exhaustive\(\), BestFirst\(\), AStar\(...\) or Beam"
    ):
        Deduction("a <- f\ngoal a").run({"f": [()]}, search=search)  # type: ignore[arg-type]


@pytest.mark.parametrize("search", [Exhaustive(), BestFirst(), AStar(lambda item: 0.0), Beam(top=1)])
def test_no_goal_is_reached(search: Search) -> None:
    rules = Deduction("a(x) <- f(x)\ngoal a(2)\nbucket a(x) = x")
    for facts in ({"f": [1]}, {"f": []}, {"f": {2: 0.0}}):
        forest = rules.run(facts, search=search)
        assert (forest.best(), forest.log_z(), forest.kbest(2)) == (None, -math.inf, [])
