"""Every learner with every tool: it trains a model that survives its file, or is refused with one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from palmette.cli import main
from palmette.cli.learner_table import KINDS, page, trains
from palmette.formats.nbest import write_nbest
from palmette.learning.capabilities import AnyLearner, LearnerError, fitting_learners
from palmette.learning.em import EM, VB
from palmette.learning.kernel_svm import KernelSVM
from palmette.learning.loglinear import CRF
from palmette.learning.mira import MIRA
from palmette.learning.registry import LEARNERS, learner_class, learner_names, make_learner
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.estimator import Estimator
from samples.phrase_treebank import GARDEN, cats
from samples.ranking_lists import tree_lists
from samples.sequences import NER
from samples.treebank import TRAIN, garden_trees

pytestmark = pytest.mark.native

SPANS = (
    [["Jack", "went", "to", "New", "York"], ["Anna", "saw", "Jack"]],
    [["B-PER", "O", "O", "B-LOC", "I-LOC"], ["B-PER", "O", "B-PER"]],
)
CLASSES = ["the cat sat", "a dog ran", "the cat ran", "a dog sat"], ["cat", "dog", "cat", "dog"]
ROWS = [("the", "cat"), ("a", "dog"), ("the", "dog"), ("a", "cat")], ["cat", "dog", "dog", "cat"]
PAIRS = [("the house".split(), "das Haus".split()), ("the book".split(), "das Buch".split())] * 2
SMALL = {"bits": 12, "label_bits": 8}


def tool_and_data(kind: str, learner: str = "") -> tuple[Any, tuple[Any, ...]]:
    """A tool with small tables, and what it is trained on."""
    tool: Any = KINDS[kind]()
    if "depparse" in kind:
        return tool.set_params(options={**(tool.options or {}), **SMALL}), (garden_trees()[:12],)
    if "`parse`" in kind:
        return tool.set_params(options={"bits": 12, "folds": 2}), (cats(),)
    if "rerank" in kind:
        return tool, (tree_lists(),)
    if "spans" in kind:
        return tool, SPANS
    if "align" in kind:
        return tool, (PAIRS,)
    if "induce" in kind:
        return tool.set_params(n_states=3), ([list(source) for source, _ in PAIRS],)
    if "classify" in kind:
        return tool, ROWS if learner == "knn" else CLASSES
    return tool, (garden_trees()[:12],)


def few_passes(name: str) -> dict[str, int]:
    """The settings of a quick training; minimum risk starts with passes of a CRF."""
    return {"n_iter": 2} if "n_iter" in learner_class(name).names() and name != "risk" else {}


@pytest.mark.parametrize("name", learner_names())
@pytest.mark.parametrize("kind", KINDS)
def test_trains_and_survives_its_file_or_is_refused(kind: str, name: str, tmp_path: Path) -> None:
    tool, data = tool_and_data(kind, name)
    tool.set_params(learner=make_learner(name, few_passes(name)))
    if not trains(kind, name):
        with pytest.raises(LearnerError, match=learner_class(name).__name__ + " needs .*, which a") as caught:
            tool.fit(*data)
        assert ", ".join(fitting_learners(tool.offers)) in str(caught.value)
        return
    tool.fit(*data)
    before = tool.predict(data[0])
    tool.save(tmp_path / "m.palm")
    assert type(tool).load(tmp_path / "m.palm").predict(data[0]) == before


@pytest.mark.parametrize("name", learner_names())
@pytest.mark.parametrize("kind", ["`depparse`, graph, projective", "`depparse`, transition, static oracle"])
def test_arcs_have_probabilities_if_the_learner_has(kind: str, name: str) -> None:
    tool, data = tool_and_data(kind)
    if not trains(kind, name):
        return
    tool.set_params(learner=make_learner(name, few_passes(name))).fit(*data)
    if learner_class(name)().probabilistic:
        assert tool.probabilities_from in ("trees", "steps")
        assert len(tool.arc_probabilities(data[0])) == len(data[0])
    elif "graph" in kind:
        assert tool.probabilities_from == "head filter"
    else:
        with pytest.raises(ValueError, match="no probabilities"):
            tool.arc_probabilities(data[0])


@pytest.mark.parametrize("name", learner_names())
def test_brackets_have_probabilities_if_the_learner_has(name: str) -> None:
    tool, data = tool_and_data("`parse`, features")
    if not trains("`parse`, features", name):
        return
    tool.set_params(learner=make_learner(name, few_passes(name))).fit(*data)
    if learner_class(name)().probabilistic:
        assert all(tool.marginals(data[0]))
    else:
        with pytest.raises(ValueError, match="no probabilities"):
            tool.marginals(data[0])


@pytest.mark.parametrize("kind", KINDS)
def test_what_tools_promise_their_problems_offer(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check by options, before any data is read, says the same as one of the problem itself."""
    seen: list[frozenset[str]] = []

    def learn(self: Any, problem: Any, **_: Any) -> Any:
        seen.append(problem.offers)
        raise KeyboardInterrupt

    tool, data = tool_and_data(kind)
    if kind in ("`rerank`, kernel", "`align`", "`induce`"):
        return  # there are lists and counts, and no problem
    name = "latent" if kind == "`tag`" else "mira"  # which no tool uses for a part of its own
    monkeypatch.setattr(learner_class(name), "learn", learn)
    tool.set_params(learner=make_learner(name, {}))
    with pytest.raises(KeyboardInterrupt):
        tool.fit(*data)
    others = {"counts", "votes", "pairs", *(entry.family for entry in LEARNERS.values())}
    assert tool.offers - others == seen[-1] - {"votes"} - ({"latent"} - tool.offers)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [EM(), VB(), KernelSVM(), "crf", "CRF", CRF, 3, {"l2": 1.0}])
def test_what_is_no_learner(kind: str, given: object) -> None:
    tool, data = tool_and_data(kind)
    tool.learner = given
    if isinstance(given, AnyLearner) and given.needs <= tool.offers:
        return
    with pytest.raises(LearnerError) as caught:
        tool.fit(*data)
    assert (
        "CRF()" in str(caught.value) if given in ("crf", "CRF", CRF) else "take one of" in str(caught.value)
    )
    assert isinstance(caught.value, TypeError)


def test_options_may_ask_for_more() -> None:
    with pytest.raises(
        LearnerError, match=r"MIRA needs the k best outputs .* does not offer: take its default"
    ):
        DependencyParser("transition", MIRA(k=5)).fit(garden_trees())
    with pytest.raises(LearnerError, match="CRF needs the same parts"):
        DependencyParser("transition", CRF(method="sag")).fit(garden_trees())


def test_refused_before_anything_is_read() -> None:
    for tool in (
        DependencyParser(learner=make_learner("hmm", {})),
        ConstituencyParser("crf", make_learner("memm", {})),
    ):
        with pytest.raises(LearnerError):
            tool.fit("no such file")


def test_the_page_is_up_to_date() -> None:
    """If this fails: python -m palmette.cli.learner_table > docs/learners.md"""
    path = Path(__file__).parents[2] / "docs" / "learners.md"
    assert path.read_text(encoding="utf-8") == page()


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What follows `palmette train`, by the kinds of problems."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "ner.tsv").write_text(NER)
    (folder / "classes.tsv").write_text("".join(f"{y}\t{x}\n" for x, y in zip(*CLASSES)))
    (folder / "rows.tsv").write_text("".join("\t".join([*x, y]) + "\n" for x, y in zip(*ROWS)))
    pairs = [f"{' '.join(source)} ||| {' '.join(target)}\n" for source, target in PAIRS]
    (folder / "pairs.txt").write_text("".join(pairs))
    (folder / "text.txt").write_text("".join(f"{' '.join(source)}\n" for source, _ in PAIRS))
    write_nbest(tree_lists(), folder / "cats.nbest")
    small = [f"--set={key}={value}" for key, value in SMALL.items()]
    parse = ["depparse", "--train", str(TRAIN), *small]
    rerank = ["rerank", "--train", str(folder / "cats.nbest")]
    return {
        "`tag`": ["tag", "--train", str(TRAIN)],
        "`spans`": ["spans", "--train", str(folder / "ner.tsv")],
        "`depparse`, graph, projective": [*parse, "--set=projective=true"],
        "`depparse`, graph, crossing arcs": [*parse, "--set=projective=false"],
        "`depparse`, transition, dynamic oracle": [*parse, "--method", "transition"],
        "`depparse`, transition, beam": [*parse, "--method", "transition", "--set=beam=4"],
        "`parse`, features": ["parse", "--train", str(GARDEN / "train.mrg"), "--method=crf", "--set=bits=12"],
        "`rerank`, features": [*rerank, "--features", "rules"],
        "`rerank`, kernel": rerank,
        "`classify`": ["classify", "--train", str(folder / "classes.tsv")],
        "rows": ["classify", "--train", str(folder / "rows.tsv"), "--columns", "symbol,symbol,label"],
        "`align`": ["align", "--train", str(folder / "pairs.txt")],
        "`induce`": ["induce", "--train", str(folder / "text.txt"), "--states", "3"],
    }


@pytest.mark.parametrize("name", learner_names())
@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if "first order" not in kind and "static" not in kind]
)
def test_on_the_command_line(
    kind: str, name: str, commands: dict[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = [f"--set={key}={value}" for key, value in few_passes(name).items()]
    out = tmp_path / "m.palm"
    command = commands["rows" if kind == "`classify`" and name == "knn" else kind]
    code = main(["train", *command, "--learner", name, *few, "-q", "-o", str(out)])
    err = capsys.readouterr().err
    assert "internal error" not in err
    assert (code == 0) == trains(kind, name) == out.exists()
    assert code == 0 or (" needs " in err and ", ".join(fitting_learners(KINDS[kind]().offers)) in err)


def test_every_tool_is_an_estimator() -> None:
    assert all(isinstance(make(), Estimator) for make in KINDS.values())
