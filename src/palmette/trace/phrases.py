"""Phrase decoding: the hypotheses that stacks keep, by the words they cover (CSC 448, §15.3 to §15.5)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from palmette.inference.semiring import MAX
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.phrases.search import PhraseSearch
from palmette.tools.translation.phrases.search_options import SearchOptions
from palmette.tools.translation.tables.phrase_table import PhraseTable
from palmette.trace.inputs import count_of, lines_of, number_of, words_of
from palmette.trace.registry import Field
from palmette.trace.steps import Change, Figure, Step, Trace, number

TABLE = """das ||| the ||| 0.6
das ||| that ||| 0.4
Haus ||| house ||| 0.8
Haus ||| home ||| 0.2
ist ||| is ||| 0.9
klein ||| small ||| 0.7
klein ||| little ||| 0.3
das Haus ||| the house ||| 0.5
ist klein ||| is small ||| 0.4"""
FIELDS = (
    Field("input", "das Haus ist klein", "the source words"),
    Field("table", TABLE, "phrase pairs, one on each line: source ||| target ||| P", lines=True),
    Field(
        "text",
        "the house is small\nthat is the house\nthe house is little\na small house",
        "what the language model learns from, a sentence on each line",
        lines=True,
    ),
    Field("stack", "6", "hypotheses that a stack keeps"),
    Field("distortion", "4", "the words that a jump may pass over"),
)
_MOST_WORDS, _MOST_STACK, _MOST_NODES = 7, 30, 250


def search_of(table: str, text: str, stack: int, distortion: int) -> PhraseSearch:
    """The decoder of a page: its table, its language model, and its limits."""
    pairs = []
    for at, line in enumerate(lines_of(table, "table"), 1):
        parts = [part.strip() for part in line.split("|||")]
        if len(parts) != 3 or not parts[0] or not parts[1]:
            raise ValueError(f"table, line {at}: expected source ||| target ||| P, got {line[:40]!r}")
        pairs.append((parts[0], parts[1], [math.log(number_of(parts[2], f"table, line {at}", 1e-9, 1))]))
    if not pairs:
        raise ValueError("table: expected at least one phrase pair")
    made = PhraseTable.from_pairs(pairs, columns=["phi_target"])
    sentences = [line.split() for line in lines_of(text, "text")]
    lm = (
        LanguageModel.fit(sentences, order=2, smoothing="dirichlet", concentration=1.0) if sentences else None
    )
    options = SearchOptions(stack=stack, pop_limit=None, distortion_limit=distortion)
    weights = {
        "lm": 1.0,
        "distortion": 0.2,
        "words": 0.0,
        "phrases": 0.0,
        "unknown": 100.0,
        "phi_target": 1.0,
    }
    search = PhraseSearch(made, lm, None, options)
    return search.with_weights([weights[name] for name in search.names])


def phrases(input: str, table: str, text: str, stack: str, distortion: str) -> Trace:
    """Show each stack as the decoder fills it, and follow the best translation back."""
    words = words_of(input, _MOST_WORDS)
    search = search_of(
        table, text, count_of(stack, "stack", _MOST_STACK), count_of(distortion, "distortion", 10, 0)
    )
    graph = search.graphs([words])[0]
    hypergraph, scores = graph.hypergraph, graph.scores()
    if hypergraph.n_nodes > _MOST_NODES:
        raise ValueError(
            f"a trace shows at most {_MOST_NODES} hypotheses; this search keeps {hypergraph.n_nodes}: "
            "take fewer words or smaller stacks"
        )
    values = np.asarray(hypergraph.inside(scores, MAX))
    heads, tails = graph.heads.tolist(), graph.tails.tolist()
    into: dict[int, list[int]] = {}
    for edge, head in enumerate(heads):
        into.setdefault(head, []).append(edge)
    best_edge = {
        node: max(edges, key=lambda e: scores[e] + (values[tails[e]] if tails[e] >= 0 else 0.0))
        for node, edges in into.items()
    }
    covered, root = graph.core.covered.tolist(), hypergraph.root

    def way(node: int) -> list[int]:
        """The edges of the best way to a node."""
        found: list[int] = []
        while node >= 0 and node in best_edge:
            found.append(best_edge[node])
            node = tails[best_edge[node]]
        return found[::-1]

    def shown(node: int, mark: str = "") -> Change:
        edges = way(node)
        target = " ".join(word for e in edges for word in graph.words[e])
        done = {i for e in edges for i in range(*graph.spans[e].tolist())}
        detail = " ".join(w if i in done else "·" for i, w in enumerate(words))
        place = (len(words) if node == root else covered[node] - 1, node)
        return Change(
            "stacks", place, target or "(nothing)", None, mark, f"{number(values[node])}   {detail}"
        )

    steps: list[Step] = []
    order = sorted(
        (node for node in range(hypergraph.n_nodes) if node != root), key=lambda v: (covered[v], -values[v])
    )
    for node in [*order, root]:
        edges = into.get(node, [])
        more = len(edges) - 1
        text_ = _told(graph, best_edge[node], words)
        if node == root:
            text_ = f"All words are covered: the best of {len(edges)} whole translations"
        elif more > 0:
            text_ += (
                f"; {more} more way{'' if more == 1 else 's'} to it {'is' if more == 1 else 'are'} recombined"
            )
        reads = tuple(("stacks", (covered[tails[e]] - 1, tails[e])) for e in edges if tails[e] >= 0)
        formula = _formula(graph, best_edge.get(node, -1), scores, values, tails)
        steps.append(Step(text_, (shown(node),), formula, reads))
    node = root
    while node >= 0:
        steps.append(Step("Back along the best translation", (shown(node, "best"),)))
        node = tails[best_edge[node]] if node in best_edge else -1
    found = graph.best()
    assert found is not None
    names = [*(f"{n} word{'' if n == 1 else 's'}" for n in range(1, len(words) + 1)), "end"]
    note = (
        "Nothing was pruned: this is exact."
        if graph.exact
        else "Stacks have dropped hypotheses: a wider one may find a better end."
    )
    return Trace(
        "phrases",
        "Phrase decoding with stacks",
        "score(h′) = score(h) + w · Φ(phrase, jump, language model);   hypotheses with one future are one",
        [
            Figure(
                "stacks", "stacks", "Stacks by the number of covered words", {"stacks": names, "words": words}
            )
        ],
        steps,
        {"translation": found.text, "score": found.score, "exact": bool(graph.exact)},
        f"{note} Only hypotheses that lead to a whole translation are shown.",
    )


def _told(graph: Any, edge: int, words: list[str]) -> str:
    begin, end = graph.spans[edge].tolist()
    return f'"{" ".join(words[begin:end])}" becomes "{" ".join(graph.words[edge])}"'


def _formula(graph: Any, edge: int, scores: Any, values: Any, tails: list[int]) -> str:
    if edge < 0:
        return ""
    parts = [
        f"{name} {number(w * f)}"
        for name, w, f in zip(graph.names, graph.weights.tolist(), graph.features[edge].tolist())
        if w * f
    ]
    before = values[tails[edge]] if tails[edge] >= 0 else 0.0
    return f"{number(before)} + ({' + '.join(parts) or '0'}) = {number(before + scores[edge])}"
