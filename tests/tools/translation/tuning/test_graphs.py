"""Envelopes of graphs against all their derivations, written out as lists."""

from __future__ import annotations

import numpy as np
import pytest

from palmette.inference.hypergraph import CycleError, Hypergraph
from palmette.tools.translation.tuning.curve import metric_curve
from palmette.tools.translation.tuning.graphs import GraphSet, TranslationGraph
from palmette.tools.translation.tuning.metric import TuningMetric
from palmette.tools.translation.tuning.references import References
from palmette.tools.translation.tuning.tuner import tune

pytestmark = pytest.mark.native

WORDS = ["a", "b", "c", "d"]


def random_graph(rng: np.random.Generator, n_features: int, most_tails: int, named: bool) -> TranslationGraph:
    """An acyclic graph of some nodes; edges with up to `most_tails` tails, whose places are named or not."""
    edges, targets = [], []
    for node in range(6):
        for _ in range(int(rng.integers(1, 4))):
            n = int(rng.integers(0, most_tails + 1)) if node else 0
            tails = rng.integers(0, node, n).tolist() if n else []
            items = rng.integers(0, len(WORDS), int(rng.integers(0, 3))).tolist()
            if named and tails:
                items += [-1 - t for t in range(n)]
                rng.shuffle(items)
            edges.append((node, tails))
            targets.append(items)
    graph = Hypergraph.from_edges(edges, root=5)
    if graph.count() > 2000:  # too many to write out
        return random_graph(rng, n_features, most_tails, named)
    features = rng.normal(size=(len(edges), n_features))
    return TranslationGraph.of(graph, features, targets)


def random_set(seed: int, n: int = 4, most_tails: int = 1, named: bool = False) -> GraphSet:
    rng = np.random.default_rng(seed)
    graphs = [random_graph(rng, 3, most_tails, named) for _ in range(n)]
    right = [" ".join(rng.choice(WORDS, size=rng.integers(3, 9))) for _ in range(n)]
    return GraphSet(graphs, References(right, vocabulary=WORDS), ["x", "y", "z"])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("most_tails", "named"), [(1, False), (1, True), (2, True), (4, True), (3, False)])
def test_the_curve_of_graphs_is_that_of_all_derivations(seed: int, most_tails: int, named: bool) -> None:
    graphs = random_set(seed, 3, most_tails, named)
    counts = [graph.hypergraph.count() for graph in graphs.graphs]
    rng = np.random.default_rng(seed)
    lists = graphs.kbest(rng.normal(size=3), max(counts))
    assert np.diff(lists.lists).tolist() == counts
    w, d = rng.normal(size=(2, 3))
    have, want = (metric_curve(data, graphs.names, w, d) for data in (graphs, lists))
    for x in rng.normal(scale=3, size=200):
        assert have(x) == pytest.approx(want(x), abs=1e-12)
        assert graphs.score(w + x * d) == pytest.approx(lists.score(w + x * d), abs=1e-12)
    assert graphs.core.line_search(w, d)[1] == pytest.approx(lists.core.line_search(w, d)[1], abs=1e-12)


@pytest.mark.parametrize("method", ["mert", "pro", "mira", "risk", "perceptron"])
def test_graphs_are_tuned(method: str) -> None:
    graphs = random_set(3, 12)
    start = [-1.0, 1.0, 0.5]
    found = tune(graphs, start, method, random_state=1)
    assert found.after == pytest.approx(graphs.score(found.weights))
    assert found.after > found.before
    again = tune(graphs, start, method, random_state=1, n_jobs=2)
    np.testing.assert_array_equal(again.weights, found.weights)


def test_words_of_tails_go_where_an_edge_names_them() -> None:
    """x → <b X1 a X0>, with two tails."""
    graph = Hypergraph.from_edges([(0, []), (1, []), (2, [0, 1])], root=2)
    own = TranslationGraph.of(graph, np.zeros((3, 1)), [[2], [3, 3], [1, -2, 0, -1]])
    graphs = GraphSet([own], References(["b d d a c"], vocabulary=WORDS), ["x"])
    assert graphs.score([1.0]) == pytest.approx(1.0)
    assert own.words(graph.kbest(np.zeros(3), 1)[0].edges) == [1, 3, 3, 0, 2]


def test_deep_graphs_do_not_overflow() -> None:
    n = 20_000
    graph = Hypergraph.from_edges([(0, []), *((i, [i - 1]) for i in range(1, n))], root=n - 1)
    own = TranslationGraph.of(graph, np.ones((n, 1)), [[0]] * n)
    graphs = GraphSet([own], References([" ".join(["a"] * n)], vocabulary=WORDS), ["x"])
    assert graphs.score([1.0]) == pytest.approx(1.0)


def test_bad_graphs() -> None:
    good = random_set(0, 1)
    one = good.graphs[0]
    right = References(["a"], vocabulary=WORDS)
    with pytest.raises(ValueError, match="graphs of 2 sentences, but references of 1"):
        GraphSet([one, one], right, good.names)
    with pytest.raises(ValueError, match="needs a row of 2 features"):
        GraphSet([one], right, ["x", "y"])
    bad = TranslationGraph(one.hypergraph, one.features * np.nan, one.begin, one.items)
    with pytest.raises(ValueError, match="A feature of graph 1 is not a finite number"):
        GraphSet([bad], right, good.names)
    with pytest.raises(ValueError, match="Graphs are tuned for BLEU"):
        GraphSet([one], References(["a"], TuningMetric("ter")), good.names)
    cycle = Hypergraph.from_edges([(0, []), (1, [0]), (1, [2]), (2, [1])], root=2)
    with pytest.raises(CycleError, match="graph 1 needs an acyclic"):
        GraphSet([TranslationGraph.of(cycle, np.zeros((4, 1)), [[]] * 4)], right, ["x"]).score([1.0])
    dead = Hypergraph.from_edges([(1, [0])], root=1)
    with pytest.raises(ValueError, match="graph 1 has no derivation"):
        GraphSet([TranslationGraph.of(dead, np.zeros((1, 1)), [[0]])], right, ["x"]).score([1.0])
    lost = Hypergraph.from_edges([(0, [])], root=0)
    with pytest.raises(ValueError, match="names a tail that it does not have"):
        GraphSet([TranslationGraph.of(lost, np.zeros((1, 1)), [[-1]])], right, ["x"]).score([1.0])
