"""Every trace ends where the native code ends, and says so in all its forms."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from palmette.cli import main
from palmette.features.kernels.trees import TreeKernel
from palmette.learning.em import EM
from palmette.learning.perceptron import Perceptron
from palmette.structures.arborescence.trees import ProjectiveTrees
from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores
from palmette.structures.chart.chart import Chart
from palmette.tools.alignment.model1 import train_model1
from palmette.tools.translation.tuning.lists import NBestLists
from palmette.tools.translation.tuning.metric import TuningMetric
from palmette.tools.translation.tuning.references import References
from palmette.trace import ALGORITHMS, Trace, trace
from palmette.trace import mert as mert_trace
from palmette.trace import phrases as phrases_trace
from palmette.trace.arc_table import read_arcs
from palmette.trace.hidden_markov import MODEL, read
from palmette.trace.model1 import FIELDS as MODEL1
from palmette.trace.model1 import Pairs
from palmette.trace.perceptron import FIELDS as PERCEPTRON
from palmette.trace.perceptron import Sentences
from palmette.trace.shift_reduce import TREEBANK, beam_of, trained
from palmette.trees.tree import Tree

SENTENCES = ["time flies like an arrow", "flies like time", "arrow", "time time flies flies like an arrow"]


@pytest.fixture(params=ALGORITHMS)
def every(request: pytest.FixtureRequest) -> Trace:
    return trace(request.param)


def test_a_trace_in_all_forms(every: Trace) -> None:
    data = json.loads(json.dumps(every.to_json(), allow_nan=False))
    figures = {figure["name"]: figure for figure in data["figures"]}
    assert data["steps"]
    for step in data["steps"]:
        assert step["text"]
        for change in step["changes"]:
            assert change["figure"] in figures
            assert change.get("mark", "") in ("", "best", "dropped", "right", "wrong")
            if figures[change["figure"]]["kind"] == "table":
                row, column = change["place"]
                assert row in figures[change["figure"]]["rows"]
                assert column in figures[change["figure"]]["columns"]
    text = every.to_text()
    assert text.count("\n") > len(data["steps"])
    assert all(step["text"] in text for step in data["steps"])
    html = every._repr_html_()
    assert html.count("<li>") == len(data["steps"])
    assert "<script" not in html


def test_what_is_read_was_written_before(every: Trace) -> None:
    seen = set()
    for step in every.steps:
        for figure, place in step.reads:
            assert (figure, place) in seen, step.text
        seen |= {(change.figure, change.place) for change in step.changes}


def chain(text: str) -> tuple[Chain, ChainScores, list[str]]:
    """The same model as a native chain."""
    hmm = read(text, MODEL)
    n, labels = len(hmm.words), hmm.labels
    with np.errstate(divide="ignore"):
        emit = np.log([[hmm.facts["emit"].get((y, w), 0.0) for y in labels] for w in hmm.words])
        start = np.log([hmm.facts["start"].get((y,), 0.0) for y in labels])
        pairs = np.log([[hmm.facts["next"].get((x, y), 0.0) for y in labels] for x in labels])
    emit[0] += start
    assert len(emit) == n
    return Chain(labels), ChainScores(emit, pairs), labels


@pytest.mark.parametrize("text", SENTENCES)
def test_viterbi_ends_where_the_native_chain_does(text: str) -> None:
    found = trace("viterbi", input=text).result
    structure, scores, labels = chain(text)
    best = structure.best(scores)
    assert found["labels"] == [labels[y] for y in best.labels]
    assert found["log_probability"] == pytest.approx(best.score)


@pytest.mark.parametrize("text", SENTENCES)
def test_forward_backward_has_the_native_marginals(text: str) -> None:
    found = trace("forward-backward", input=text).result
    structure, scores, _ = chain(text)
    np.testing.assert_allclose(found["marginals"], structure.marginals(scores), atol=1e-6)
    assert found["log_probability"] == pytest.approx(structure.log_z(scores))


@pytest.mark.parametrize("text", SENTENCES)
def test_cky_finds_the_native_tree(text: str) -> None:
    from palmette.grammars.rule import Terminal
    from palmette.trace.cky import GRAMMAR, read_grammar

    found = trace("cky", input=text).result
    grammar = read_grammar(GRAMMAR)
    rules = [
        (
            rule.left,
            tuple(f"'{s.word}'" if isinstance(s, Terminal) else str(s) for s in rule.right),
            math.log(rule.weight),
        )
        for rule in grammar.rules
    ]
    chart = Chart(rules)([f"'{word}'" for word in text.split()])
    if found["tree"] is None:
        with pytest.raises(ValueError, match="tree"):
            chart.best()
        return
    best = chart.best()
    assert found["log_probability"] == pytest.approx(best.score, rel=1e-5)
    assert found["tree"] == str(best.tree).replace("'", "")


@pytest.mark.parametrize("seed", range(5))
def test_eisner_finds_the_native_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = list("abcde")[: rng.integers(1, 6)]
    pairs = itertools.product(["root", *words], words)
    scores = "; ".join(f"{h} {d} {rng.normal():.6f}" for h, d in pairs if h != d)
    found = trace("eisner", input=" ".join(words), scores=scores).result
    _, table = read_arcs(" ".join(words), scores, 8)
    best = ProjectiveTrees().best(table)
    assert found["heads"] == best.heads.tolist()
    assert found["score"] == pytest.approx(best.score)


@pytest.mark.parametrize("system", ["arc-standard", "arc-hybrid", "arc-eager", "swap"])
@pytest.mark.parametrize("beam", [1, 2, 5])
def test_shift_reduce_ends_with_the_tree_of_the_parser(system: str, beam: int) -> None:
    sentence = [("she", "N"), ("saw", "V"), ("a", "D"), ("dog", "N"), ("in", "P"), ("the", "D"), ("hat", "N")]
    text = " ".join(f"{word}/{tag}" for word, tag in sentence)
    found = trace("shift-reduce", input=text, beam=str(beam), system=system).result
    parser = trained(TREEBANK, beam, system)
    tree = parser.predict([sentence])[0]
    assert found["heads"] == list(tree.heads)
    assert found["labels"] == list(tree.labels)
    for row in beam_of(parser, sentence, beam):
        kept = [one for one in row if one[4]]
        assert 1 <= len(kept) <= beam
        assert [one[3] for one in row] == sorted((one[3] for one in row), reverse=True)


@pytest.mark.parametrize("system", ["arc-standard", "arc-eager"])
def test_no_two_rows_of_a_beam_are_the_same_move(system: str) -> None:
    for step in trace("shift-reduce", system=system).steps:
        rows: dict[str, dict[str, str | None]] = {}
        for change in step.changes:
            if change.figure == "beam":
                rows.setdefault(change.place[0], {})[change.place[1]] = change.text
        moves = [(row["move"], row["before"]) for row in rows.values() if row["move"] is not None]
        assert len(set(moves)) == len(moves)


@pytest.mark.parametrize("seed", ["0", "3"])
def test_the_perceptron_ends_with_the_weights_of_the_learner(seed: str) -> None:
    found = trace("perceptron", seed=seed).result
    data = Sentences(PERCEPTRON[0].default)
    learned = Perceptron(n_iter=5, random_state=int(seed)).learn(data.problem)
    np.testing.assert_array_equal(found["weights"], learned.weights)
    assert found["passes"] == len(learned.history)


@pytest.mark.parametrize("p0", ["0", "0.1"])
def test_model_1_ends_with_the_table_of_the_aligner(p0: str) -> None:
    result = trace("model1", passes="4", p0=p0).result
    data = Pairs(MODEL1[0].default)
    direction = train_model1(data.bitext(), learner=EM(n_iter=4, tolerance=None), p0=float(p0))
    rows = {e: direction.table.row(k) for k, e in enumerate(["NULL", *data.source], -1)}
    want = {
        f"{e} {data.target[f]}": w
        for e, (words, weights) in rows.items()
        for f, w in zip(words.tolist(), weights.tolist())
        if e != "NULL" or p0 != "0"
    }
    assert result["table"] == {pair: pytest.approx(w, rel=1e-5) for pair, w in want.items()}
    likelihoods = result["log_likelihoods"]
    assert likelihoods == sorted(likelihoods)


@pytest.mark.parametrize("decay", ["1", "0.4"])
def test_the_tree_kernel_is_the_sum_of_delta_and_of_fragments(decay: str) -> None:
    one = "(S (NP (D the) (N cat)) (VP (V saw) (NP (D a) (N cat))))"
    two = "(S (NP (D the) (N cat)) (VP (V saw) (NP (D the) (N cat))))"
    found = trace("tree-kernel", input=one, other=two, decay=decay)
    want = TreeKernel(decay=float(decay))(one, two)
    assert found.result["kernel"] == pytest.approx(want)
    assert sum(found.result["fragments"].values()) == pytest.approx(want)
    table = found.state("table").values()
    assert sum(float(change.text or "nan") for change in table) == pytest.approx(
        want, rel=0.02
    )  # three digits
    assert Tree.parse(one).label == "S"


@pytest.mark.parametrize("stack", [1, 3, 30])
def test_phrases_end_with_the_translation_of_the_decoder(stack: int) -> None:
    fields = {field.name: field.default for field in phrases_trace.FIELDS}
    found = trace("phrases", stack=str(stack)).result
    search = phrases_trace.search_of(fields["table"], fields["text"], stack, 4)
    best = search.translate([fields["input"]])[0]
    assert found["translation"] == best.text
    assert found["score"] == pytest.approx(best.score)
    assert found["exact"] == (stack == 30)


@pytest.mark.parametrize("metric", ["ter", "bleu", "chrf"])
def test_mert_finds_the_best_weights_on_the_line(metric: str) -> None:
    fields = {field.name: field.default for field in mert_trace.FIELDS}
    found = trace("mert", metric=metric).result
    data = mert_trace.Candidates.read(fields["input"])
    right = References(fields["references"].split("\n"), TuningMetric(metric))
    lists = NBestLists.from_texts(data.texts, data.features, right)
    assert lists.score(found["weights"]) == pytest.approx(found["score"])
    line = [lists.score([1.0, x]) for x in np.linspace(-10, 10, 2001)]
    assert max(line) == pytest.approx(found["score"])


@pytest.mark.parametrize("seed", range(5))
def test_the_envelope_is_the_upper_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(6, 2)).tolist()
    found = mert_trace.envelope(rows, [1.0, 0.0], [0.0, 1.0])
    for x in rng.normal(size=50) * 4:
        k = [k for begin, k in found if begin <= x][-1]
        values = [a + b * x for a, b in rows]
        assert values[k] == pytest.approx(max(values))


@pytest.mark.parametrize(
    ("name", "fields", "sentence"),
    [
        ("viterbi", {"input": " "}, "at least one word"),
        ("viterbi", {"input": "time " * 13}, "at most 12 words"),
        ("viterbi", {"input": "cats"}, "knows an, arrow"),
        ("viterbi", {"model": "start N"}, "line 1"),
        ("viterbi", {"model": "start N 2"}, "from 0 to 1"),
        ("viterbi", {"model": "start N 1; emit N time 1", "input": "time time"}, "no sequence"),
        ("forward-backward", {"model": "start N 1; emit N time 1", "input": "time time"}, "no sequence"),
        ("viterbi", {"words": "a"}, "no field"),
        ("viterbi", {"input": "x" * 6000}, "at most 5,000 characters"),
        ("cky", {"input": "cats"}, "no rule"),
        ("cky", {"grammar": "S -> A B C; A -> 'a'"}, "one or two symbols"),
        ("cky", {"grammar": "S ->"}, "one or two symbols"),
        ("cky", {"grammar": "what"}, "expected a rule"),
        ("eisner", {"scores": "a b 1"}, "not in the sentence"),
        ("eisner", {"input": "a a", "scores": "root a 1"}, "comes twice"),
        ("eisner", {"scores": "0 9 1"}, "no word 9"),
        ("eisner", {"scores": "saw saw 1"}, "another word"),
        ("eisner", {"scores": "root saw nan"}, "expected a number"),
        ("shift-reduce", {"input": "she"}, "with its tag"),
        ("shift-reduce", {"beam": "99"}, "from 1 to 8"),
        ("shift-reduce", {"beam": "1.5"}, "whole number"),
        ("shift-reduce", {"system": "x"}, "expected one of arc-standard"),
        ("shift-reduce", {"treebank": "a/N/1"}, "line 1"),
        ("shift-reduce", {"treebank": "a/N/9/x"}, "Head 9"),
        ("perceptron", {"input": "dog"}, "word/LABEL"),
        ("perceptron", {"passes": "0"}, "from 1 to 20"),
        ("model1", {"input": "das Haus"}, "source ||| target"),
        ("model1", {"p0": "1"}, "from 0 to 0.9"),
        ("tree-kernel", {"input": "(NP"}, "expected a tree"),
        ("tree-kernel", {"input": "(" * 3000}, "expected a tree"),
        ("tree-kernel", {"input": "(A " + "(B b) " * 20 + ")"}, "at most 20 nodes"),
        ("phrases", {"table": "a"}, "line 1"),
        ("phrases", {"table": "a ||| b ||| 0"}, "line 1"),
        ("phrases", {"input": "a b c d e f g h"}, "at most 7 words"),
        ("mert", {"input": "1 ||| a"}, "line 1"),
        ("mert", {"input": "1 ||| a ||| 1; 1 ||| b ||| 1 2"}, "as many features"),
        ("mert", {"direction": "0 0"}, "other than 0"),
        ("mert", {"weights": "1"}, "expected 2 numbers"),
        ("mert", {"references": "a"}, "but 1 reference"),
        ("mert", {"metric": "x"}, "expected one of bleu"),
        ("viterby", {}, "did you mean 'viterbi'"),
    ],
)
def test_bad_input_is_one_sentence(name: str, fields: dict[str, str], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as error:
        trace(name, **fields)
    assert "\n" not in str(error.value)


def test_odd_but_good_inputs() -> None:
    assert trace("cky", input="like like").result["tree"] is None
    assert trace("phrases", input="foo das", distortion="0").result["translation"] == "foo the"
    assert trace("phrases", text="").result["translation"]
    assert trace("model1", input="a ||| b").result["table"] == {"a b": pytest.approx(1.0)}
    assert trace("eisner", input="<b> &amp;", scores="").result["heads"] in ([0, 1], [2, 0])
    assert (
        trace("mert", input="1 ||| a ||| 1", references="a", weights="1", direction="1").result["score"] == 1
    )
    assert "&lt;b&gt;" in trace("eisner", input="<b> c", scores="")._repr_html_()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["trace", *arguments])
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


def test_the_command(run: Callable[..., Any]) -> None:
    code, out, _ = run()
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(ALGORITHMS)
    code, out, _ = run("viterbi", "--input", "time flies", "--json")
    assert json.loads(out)["result"]["labels"] == ["N", "V"]
    code, out, _ = run("shift-reduce", "--set", "beam=1", "--set", "system=arc-eager")
    assert "Arcs of the best state" in out
    code, out, _ = run("cky", "--fields")
    assert "0.9: S -> NP VP" in out
    for bad in (
        ["nothing"],
        ["viterbi", "--input", "cats"],
        ["viterbi", "--set", "x"],
        ["cky", "--set", "a=b"],
    ):
        code, out, err = run(*bad)
        assert code != 0
        assert out == ""
        assert err.count("\n") <= 3
        assert "Traceback" not in err


@pytest.mark.parametrize("name", ALGORITHMS)
def test_figures_as_images(name: str, run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    code, out, err = run(name, "--svg")
    assert (code, err) == (0, "")
    titles = {one.text for one in ElementTree.fromstring(out).iter() if one.tag.endswith("text")}
    made = trace(name)
    assert {one.title for one in made.figures if made.state(one.name) and one.kind != "arcs"} <= titles
    assert run(name, "-o", str(tmp_path / "a.svg")) == (0, "", "")
    assert (tmp_path / "a.svg").read_text() == out
    first = next(one.name for one in made.figures if made.state(one.name))
    assert run(name, "--svg", "--figure", first)[1] == made.svg(first)


def test_images_after_some_steps_and_files_of_text(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    assert run("viterbi", "--svg", "--after", "3")[1] != run("viterbi", "--svg")[1]
    assert run("viterbi", "-o", str(tmp_path / "a.txt")) == (0, "", "")
    assert (tmp_path / "a.txt").read_text() == trace("viterbi").to_text()
    assert run("viterbi", "--json", "-o", str(tmp_path / "a.json")) == (0, "", "")
    assert json.loads((tmp_path / "a.json").read_text()) == json.loads(run("viterbi", "--json")[1])
    for arguments, message in (
        (["viterbi", "--svg", "--json"], "choose one"),
        (["viterbi", "--after", "3"], "add --svg"),
        (["viterbi", "--svg", "--after", "3000"], "there is no step 3000"),
        (["viterbi", "--svg", "--figure", "x"], "has no figure 'x'"),
        (["--svg"], "for the trace of an algorithm"),
        (["viterbi", "--fields", "-o", "a.txt"], "for the trace of an algorithm"),
    ):
        code, out, err = run(*arguments)
        assert (code != 0, out) == (True, "")
        assert message in err
