"""Every object that draws itself in a notebook gives valid XML with its texts escaped."""

from __future__ import annotations

import itertools
import pkgutil
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import palmette
from palmette import Classifier, Corpus, Deduction, DependencyTree, Grammar, Hypergraph, Tagger, Tree
from palmette.drawing import Panels, Plot, draw_labels_svg
from palmette.drawing.canvas import TooLargeError
from palmette.drawing.confusion import draw_confusion_svg
from palmette.drawing.graphs import Arrow, Hyperedge, draw_hypergraph_svg, draw_states_svg
from palmette.drawing.layers import layered
from palmette.drawing.tables import report_html
from palmette.evaluation import evaluate_tags, reliability
from palmette.evaluation.alignments import evaluate_alignments
from palmette.evaluation.bootstrap import compare
from palmette.evaluation.brackets import evaluate_brackets
from palmette.evaluation.dependencies import evaluate_dependencies
from palmette.evaluation.guesses import Guesses
from palmette.evaluation.linguistic import linguistic_overlap
from palmette.evaluation.spans import evaluate_spans
from palmette.formats.pharaoh import GoldAlignment
from palmette.grammars.synchronous.grammar import SynchronousGrammar
from palmette.learning.loop import History, Report
from palmette.learning.perceptron import Perceptron
from palmette.structures.automaton import Automaton
from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.links import Alignments
from palmette.tools.experiments.cross_validation import CrossValidation
from palmette.tools.experiments.learning_curve import LearningCurve
from palmette.tools.experiments.search import Difference, Search
from palmette.tools.experiments.trials import Trial
from palmette.tools.explanation import Contribution, Decision, Explanation
from palmette.trace import trace
from palmette.trees.tree import Leaf

ODD = "<b>&\"'"  # what must be escaped
GOLD, GUESS = [["B-" + ODD, "O"]], [["B-" + ODD, "B-X"]]
COLUMNS = {"form": [[ODD, "fly"]], "upos": [["NOUN", "VERB"]], "deprel": [["nsubj", "root"]]}


def parsed() -> Corpus:
    return Corpus.from_columns(COLUMNS, heads=[[2, 0]])


def tagged() -> Tagger:
    corpus = Corpus.from_columns({"form": [[ODD, "flies"], ["a", "dog"]], "upos": [["N", "V"], ["D", "N"]]})
    return Tagger(Perceptron(n_iter=3)).fit(corpus, dev=corpus)


def grammar() -> Grammar:
    return Grammar(f"S -> S S [0.4] | '{'<b>&'}' [0.6]")


def synchronous() -> SynchronousGrammar:
    return SynchronousGrammar("0.4: S -> S1 S2 , S2 S1\n0.6: S -> '<b>&' , x")


def proof() -> Deduction:
    return Deduction("reached(B) <- reached(A) * road(A, B)\nreached(A) <- start(A)\ngoal reached('<b>&')")


def aligner() -> Aligner:
    return Aligner(models=["model1"]).fit([(["<b>&", "house"], ["das", "Haus"]), (["house"], ["Haus"])])


def trial(fold: int, size: int = 10, **settings: float) -> Trial:
    return Trial(fold, settings, size, 5, {ODD: 0.5 + 0.1 * fold}, 0.1)


L2 = [{"l2": 1.0}, {"l2": 2.0}]
PICTURES: dict[str, Callable[[], Any]] = {
    "tree": lambda: Tree("S", [Tree("<b>&", [Leaf("time", 0)]), Tree("VP", [Leaf(ODD, 1)])]),
    "dependency tree": lambda: DependencyTree([2, 0], ["<b>&", "root"], [ODD, "fly"]),
    "sentence with heads": lambda: parsed()[0],
    "sentence with labels": lambda: Corpus.from_columns({"form": [[ODD, "x"]], "ner": GOLD})[0],
    "automaton": lambda: Automaton.of_table({"<b>&": {"O": "<b>&", "<i>": "q"}, "q": {"O": "<b>&"}}),
    "hypergraph": lambda: Hypergraph.from_edges([(2, [0, 1]), (0, []), (0, []), (1, [])], root=2),
    "hypergraph without a root": lambda: Hypergraph.from_edges([], n_nodes=0, root=-1),
    "forest": lambda: proof().run({"start": ["a"], "road": [("a", "<b>&")]}),
    "proof": lambda: proof().run({"start": ["a"], "road": [("a", "<b>&")]}).best(),
    "grammar": grammar,
    "grammar of two languages": synchronous,
    "forest of a grammar": lambda: grammar().parse(["<b>&"] * 3),
    "derivation": lambda: grammar().parse(["<b>&"] * 3).best(),
    "forest of a pair": lambda: synchronous().parse(["<b>&"] * 2),
    "explanation": lambda: tagged().explain([ODD, "flies"]),
    "explanation without rivals": lambda: Explanation(
        (Decision(ODD, "x", None, np.inf, (Contribution("<b>&", np.inf),)),) * 20
    ),
    "alignment": lambda: aligner().explain(["<b>&", "house"], ["das", "Haus"]),
    "alignments": lambda: Alignments.of([[(0, 0), (1, 2)], []] * 4),
    "scores of tags": lambda: evaluate_tags(GOLD, GUESS),
    "scores of spans": lambda: evaluate_spans(GOLD, GUESS),
    "scores of dependencies": lambda: evaluate_dependencies(parsed(), parsed()),
    "scores of brackets": lambda: evaluate_brackets([Tree.parse("(S (A b))")], [Tree.parse("(S (A b))")]),
    "scores of alignments": lambda: evaluate_alignments(
        [GoldAlignment(frozenset({(0, 0)}), frozenset({(0, 0)}))], [[(0, 0)]]
    ),
    "reliability": lambda: reliability([0.9, 0.4, 1.0], [1, 0, 1]),
    "history": lambda: tagged().history_,
    "history of several": lambda: History(
        Report(i, 0.1, {"loss": 3.0 / i, "bad": np.inf}, True, {"model": "<b>&"}) for i in (1, 2, 3)
    ),
    "learning curve": lambda: LearningCurve([trial(k, size) for k in (1, 2) for size in (5, 10)], [ODD]),
    "learning curve of one fold": lambda: LearningCurve([trial(1, 5)], [ODD]),
    "learning curve of nothing": lambda: LearningCurve([], [ODD]),
    "cross-validation": lambda: CrossValidation([trial(1), trial(2)], [ODD]),
    "search": lambda: Search([trial(k, l2=l2) for k in (1, 2) for l2 in (1.0, 2.0)], L2, [ODD]),
    "search of nothing": lambda: Search([], L2, [ODD]),
    "difference": lambda: Difference.of([0.1, 0.2, 0.1], 10, 5),
    "comparison of two systems": lambda: compare([[1, 2], [2, 2]], [[0, 2], [2, 2]]),
    "linguistic overlap": lambda: linguistic_overlap([["the", ODD]], [["a", ODD]]),
    "precision and recall": lambda: Guesses(["A", "B"], ["A", "A"], np.array([0.5, 0.7])).precision_recall(),
    "scores of a classifier": lambda: (
        Classifier(Perceptron(n_iter=2))
        .fit([{"a": 1.0}, {"b": 1.0}], ["<b>&", "x"])
        .evaluate([{"a": 1.0}], ["x"])
    ),
    "trace": lambda: trace("cky", input="<b>& <b>&", grammar="S -> S S [0.4]\nS -> '<b>&' [0.6]"),
    "plot": lambda: Plot({"<b>&": [(1, 2), (3, 4)]}, "<x>", "y&", "t<", "n<"),
    "panels": lambda: Panels((Plot({"": [(1, 2)]}, "x", "y"),) * 3, "<b>"),
}


def picture(thing: Any) -> str:
    """Return what a notebook shows: SVG if there is an image, otherwise HTML."""
    for name in ("_repr_svg_", "_repr_html_"):
        if hasattr(thing, name):
            image = getattr(thing, name)()
            assert isinstance(image, str)
            return image
    raise AssertionError(f"{thing!r} has no picture")


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_valid_and_escaped(name: str) -> None:
    image = picture(PICTURES[name]())
    root = ElementTree.fromstring(f"<all>{image}</all>")
    assert len(list(root.iter())) > 1
    assert not list(root.iter("b")) or all(one.text for one in root.iter("b"))
    assert "<b>&" not in image
    for size in re.findall(r'(?:width|height|x|y|cx|cy|x1|d)="([^"]*)"', image):
        assert "nan" not in size
        assert "inf" not in size


def test_whatever_can_be_plotted_draws_itself() -> None:
    found = 0
    for module in pkgutil.walk_packages(palmette.__path__, "palmette."):
        if module.name.startswith(
            ("palmette.evaluation.", "palmette.tools.experiments.", "palmette.learning.")
        ):
            for thing in vars(import_module(module.name)).values():
                if isinstance(thing, type) and hasattr(thing, "plot"):
                    found += 1
                    assert hasattr(thing, "_repr_svg_") or hasattr(thing, "_repr_html_"), thing
    assert found >= 6


def test_a_trace_shows_its_figures_and_their_tables() -> None:
    html = trace("viterbi")._repr_html_()
    made = ElementTree.fromstring(f"<all>{html}</all>")
    figures = trace("viterbi").figures
    assert len([one for one in made.iter() if one.tag.endswith("svg")]) == len(figures)
    assert [one.text for one in made.iter("caption")] == [one.title for one in figures]


def test_too_large_graphs_have_no_picture() -> None:
    chain = Hypergraph.from_edges([(i + 1, [i]) for i in range(500)], root=500)
    assert chain._repr_svg_() is None
    with pytest.raises(TooLargeError, match="at most 80"):
        chain.svg()
    table = {f"q{i}": {"x": f"q{i + 1}"} for i in range(200)}
    assert Automaton.of_table(table)._repr_svg_() is None


def test_likelier_edges_are_darker() -> None:
    graph = Hypergraph.from_edges([(0, []), (0, [])], n_nodes=1, root=0)
    shades = re.findall(r'<circle[^>]*fill-opacity="([0-9.]+)"', graph.svg(np.log([0.75, 0.25])))
    assert sorted(map(float, shades)) == pytest.approx([0.3 + 0.7 * 0.25, 0.3 + 0.7 * 0.75], abs=0.006)


def test_a_tree_of_proofs_does_not_cross() -> None:
    edges = [(0, 1), (0, 2), (1, 3), (2, 4), (2, 5), (1, 6), (5, 7), (6, 8)]
    found = layered([10.0] * 9, edges, 5)
    assert found.layer == [0, 1, 1, 2, 2, 2, 2, 3, 3]
    for a, b in ((3, 4), (6, 5), (8, 7)):
        assert found.place[a] < found.place[b]
    for level in range(4):
        row = sorted(p for p, at in zip(found.place, found.layer) if at == level)
        assert all(b - a >= 15 - 1e-6 for a, b in itertools.pairwise(row))


def test_cycles_and_long_edges_have_bends() -> None:
    found = layered([10.0] * 4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 3)], 5)
    assert found.layer == [0, 1, 2, 3]
    assert [[layer for layer, _ in bends] for bends in found.bends] == [[], [], [], [2, 1], [1, 2]]


def test_states_and_edges_are_all_drawn() -> None:
    arrows = [Arrow(0, 1, "a"), Arrow(1, 0, "b"), Arrow(1, 1, "c"), Arrow(0, 1, "d")]
    image = draw_states_svg(["0", "1"], arrows, ends=[1])
    assert image.count("marker-end") == 4  # two steps, a loop, the start; a and d are on one
    assert "a, d" in image
    edges = [Hyperedge(0, [1, 2], "r"), Hyperedge(2, [1])]
    assert draw_hypergraph_svg(["A", "B", "C"], edges).count("<circle") == 2


def test_confusions_of_many_labels_are_joined() -> None:
    counts = np.arange(900).reshape(30, 30)
    image = draw_confusion_svg([f"L{i}" for i in range(30)], counts.tolist(), most=10)
    root = ElementTree.fromstring(image)
    cells = [
        one.text.split(": ") for one in root.iter() if one.tag.endswith("title") and ": " in str(one.text)
    ]
    drawn = {name: int(count.split(" ")[0].replace(",", "")) for name, count in cells}
    assert drawn["21 others as 21 others"] == counts[9:, 9:].sum()
    assert drawn["L1 as 21 others"] == counts[1, 9:].sum()
    assert sum(drawn.values()) == counts.sum()
    with pytest.raises(ValueError, match="as many rows"):
        draw_confusion_svg(["A"], [[1, 2]])


def test_spans_are_one_box_on_each_row() -> None:
    words = ["word"] * 30
    image = draw_labels_svg(words, {"names": ["B-X", *["I-X"] * 29]}, width=400)
    rows = {float(y) for y in re.findall(r'<text x="[0-9.]+" y="([0-9]+)">', image)}
    assert image.count("<rect") == len(rows) > 1
    with pytest.raises(ValueError, match="30 words and 1 label"):
        draw_labels_svg(words, {"names": ["O"]})


def test_reports_have_a_table_for_each_table() -> None:
    html = report_html("title <", {"a": 0.5, "none": None, "t": {"x": {"f1": 1.0}}, "rows": [["x", 1]]})
    assert html.count("<table>") == 3
    assert "none" not in html
    inside = {"confused": {"upos": [{"gold": "A", "guess": "B", "count": 2}], "none": []}}
    html = report_html("", inside)
    assert "<details><summary>confused: upos</summary>" in html
    assert "<th>gold</th><th>guess</th>" in html
    assert "{" not in html  # no table is written as the text of a dict
    assert "none" not in html
    many = report_html("", {"t": {f"k{i}": i for i in range(100)}})
    assert "30 of 100" in many
