"""The engine on the hypergraph of CKY: 30 words, 50 labels, 2,000 random rules, 9 million edges.

Every program gets the same weights, and all must give the same log Z, inside and outside values; `benchmarks.cky`
has the recurrences. Programs written for CKY alone go through the same products that are the engine's edges, so
their times compare edge by edge, except where a row says what else it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec

import numpy as np

from benchmarks.cky import in_numpy, loop
from benchmarks.cky.in_graph import LevelPasses
from benchmarks.cky.problem import Floats, Problem, random_problem
from benchmarks.measuring.memory import peak_growth
from benchmarks.measuring.row import Row, UnavailableError
from benchmarks.measuring.timing import shortest
from palmette.inference.forest import Forest

Charts = tuple[Floats, Floats]


def rows(quick: bool = False) -> Iterator[Row]:
    n_words, times = (12, 1) if quick else (30, 5)
    problem = random_problem(n_words)
    yield instantiation_row(problem, times)
    forest = problem.instantiate()
    yield from sum_rows(problem, forest, times)
    yield from torch_rows(random_problem(12), times)
    yield from derivation_rows(forest, times)
    for n in (10, 20) if quick else (10, 20, 30, 40):
        yield from growth_rows(random_problem(n), times)


def instantiation_row(problem: Problem, times: int) -> Row:
    (ours,) = shortest(problem.instantiate, times=times)
    n_edges = problem.instantiate().graph.n_edges
    grown = peak_growth(instantiation, problem.n_words)
    memory = "" if grown is None else f"{grown / n_edges:.0f} bytes/edge"
    work = f"instantiate {n_edges / 1e6:.1f} M edges from rules as text"
    return Row(work, ours, amount=n_edges / 1e6, unit="M", least_rate=3, memory=memory)


def instantiation(n_words: int) -> Callable[[], Forest]:
    """The work whose memory is measured."""
    problem = random_problem(n_words)
    return problem.instantiate


def sum_rows(problem: Problem, forest: Forest, times: int) -> Iterator[Row]:
    graph, scores = forest.graph, forest.scores
    inside, outside = (problem.chart(forest, graph.core.log_values(scores, which)) for which in (False, True))
    millions = graph.n_edges / 1e6

    def ours() -> Floats:
        return graph.core.log_values(scores, True)

    levels, nodes = LevelPasses(graph), (graph.core.log_values(scores, False), ours())
    same("np.logaddexp", levels.inside_outside(scores, by_pairs=True), nodes)
    same("np.exp", levels.inside_outside(scores), nodes)
    have, pairs, sums = shortest(
        ours,
        lambda: levels.inside_outside(scores, by_pairs=True),
        lambda: levels.inside_outside(scores),
        times=times,
    )
    name = "inside + outside / NumPy on the hypergraph"
    yield Row(f"{name}, np.logaddexp", have, pairs, millions, "M", least_ratio=20)
    yield Row(f"{name}, np.exp", have, sums, millions, "M")

    peers: list[tuple[str, Callable[[Problem], Charts], float | None]] = [
        ("a NumPy program for CKY, in log space", in_numpy.log_space, None),
        ("a NumPy program for CKY, by matrix products", in_numpy.matrix_products, None),
        ("a C++ loop for CKY, in log space", loop.log_space, 1 / 3),
        ("a C++ loop for CKY, rescaled", loop.rescaled, 1 / 3),
    ]
    for name, program, least in peers:
        try:
            same(name, program(problem), (inside, outside))
        except UnavailableError:
            continue
        have, peer = shortest(ours, lambda: program(problem), times=times)  # noqa: B023
        yield Row(f"inside + outside / {name}", have, peer, millions, "M", least_ratio=least)
    (have,) = shortest(lambda: graph.marginals(scores), times=times)
    yield Row("marginals of all parts and nodes", have, amount=millions, unit="M")


def same(name: str, have: Charts, want: Charts) -> None:
    """All inside and outside values agree where something derives the goal through them."""
    useful = np.isfinite(want[1])
    for what, ours, theirs in zip(("inside", "outside"), want, have):
        difference = float(np.abs(ours[useful] - theirs[useful]).max())
        if not difference < 1e-6:
            raise AssertionError(f"{name}: {what} values differ by {difference}")


def torch_rows(problem: Problem, times: int) -> Iterator[Row]:
    """On a short sentence: torch-struct goes through all rules that the labels allow, and keeps them for later."""
    if find_spec("torch_struct") is None:
        return
    from benchmarks.cky.in_torch import TorchStruct

    peer, forest = TorchStruct(problem), problem.instantiate()
    if not abs(peer.log_z_and_gradient() - forest.log_z()) < 1e-6:
        raise AssertionError("torch-struct gives another log Z")
    have, theirs = shortest(forest.marginals, peer.log_z_and_gradient, times=min(times, 2))
    work = f"marginals, {problem.n_words} words / torch-struct"
    yield Row(work, have, theirs)
    share = len(problem.rules) / peer.rules_gone_through
    yield Row(f"{work}, per rule (it has {peer.rules_gone_through:,})", have, theirs * share)


def derivation_rows(forest: Forest, times: int) -> Iterator[Row]:
    graph, scores = forest.graph, forest.scores
    best, hundred = shortest(lambda: graph.best(scores), lambda: graph.kbest(scores, 100), times=2 * times)
    yield Row("lazy 100-best / 1-best", hundred, best, least_ratio=1 / 3)
    yield Row("best derivation", best, amount=graph.n_edges / 1e6, unit="M")
    (seconds,) = shortest(lambda: graph.samples(scores, 1000), times=times)
    yield Row("1,000 samples", seconds)
    (seconds,) = shortest(graph.count, times=min(times, 2))
    yield Row(f"exact count (a number of {len(str(graph.count()))} digits)", seconds)


def growth_rows(problem: Problem, times: int) -> Iterator[Row]:
    (make,) = shortest(problem.instantiate, times=min(times, 2))
    forest = problem.instantiate()
    n_edges = forest.graph.n_edges / 1e6
    (passes,) = shortest(lambda: forest.graph.core.log_values(forest.scores, True), times=times)
    yield Row(f"{problem.n_words} words: instantiate {n_edges:.1f} M edges", make, amount=n_edges, unit="M")
    yield Row(f"{problem.n_words} words: inside + outside", passes, amount=n_edges, unit="M")
