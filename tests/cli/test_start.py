"""What the most common command loads and builds: one sentence is answered at once, by no more than it takes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from palmette import DependencyParser
from samples.treebank import garden_trees

pytestmark = pytest.mark.native

# Runs a command line and writes what it loaded and built to standard error.
COUNTED = """
import json, sys
from palmette.features import attributes
from palmette.formats import corpus
from palmette.cli import main

counts = {"checks": 0, "types": 0}
check, types = corpus._check, attributes.TypeAttributes.__init__

def counted_check(made):
    counts["checks"] += 1
    check(made)

def counted_types(self, strings):
    counts["types"] += 1
    types(self, strings)

corpus._check, attributes.TypeAttributes.__init__ = counted_check, counted_types
assert main(sys.argv[1:]) == 0
counts["modules"] = sorted(sys.modules)
print(json.dumps(counts), file=sys.stderr)
"""
# Nothing of these has a part in tagging and parsing a sentence.
NEEDLESS = (
    "pydantic",
    "rich",
    "scipy",
    "numpy.ma",
    "hashlib",
    "html",
    "concurrent.futures",
    "palmette.drawing",
    "palmette.evaluation",
    "palmette.grammars",
    "palmette.inference",
    "palmette.structures.arborescence",
    "palmette.structures.chain",
    "palmette.structures.chart",
    "palmette.learning.loglinear",
    "palmette.learning.perceptron",
    "palmette.tools.explanation",
    "palmette.tools.sequence.span_tagger",
    "palmette.tools.dependency.graph.training",
    "palmette.tools.dependency.transition",
    "palmette.cli.tools.depparse.training",
    "palmette.cli.tools.depparse.report",
)


def run(*arguments: str, text: str = "") -> tuple[str, dict[str, list[str] | int]]:
    line = [sys.executable, "-c", COUNTED, *arguments]
    made = subprocess.run(line, input=text, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return made.stdout, json.loads(made.stderr)


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A parser with its taggers."""
    path = str(tmp_path_factory.mktemp("models") / "parser.palm")
    taught = DependencyParser(options={"bits": 16, "label_bits": 12}, taggers=True, jackknife=0)
    taught.fit(garden_trees()).save(path)
    return path


def test_a_sentence_is_one_corpus_and_loads_what_the_model_needs(parser: str) -> None:
    answer, counts = run("predict", parser, text="Time flies like an arrow.\n")
    assert "2\tflies\t" in answer
    assert counts["checks"] == 1  # columns and heads are added without checking all of it again
    assert counts["types"] == 1  # the taggers and the parser share what they see of words
    modules = counts["modules"]
    assert isinstance(modules, list)
    assert [name for name in NEEDLESS if name in modules] == []
    assert sum(name.startswith("palmette") for name in modules) <= 126


@pytest.mark.parametrize("options", [["--kbest", "2"], ["--probabilities"], ["--jsonl"]])
def test_options_check_few_corpora(options: list[str], parser: str) -> None:
    answer, counts = run("predict", parser, *options, text="Time flies like an arrow.\n")
    assert "flies" in answer
    assert counts["checks"] <= 3  # the k best trees are another corpus, with other comments


def test_a_pipeline_checks_a_corpus_for_each_unit_that_it_looks_at() -> None:
    answer, counts = run("predict", "en", text="Time flies like an arrow.\n")
    assert "2\tflies\tfly\t" in answer
    assert counts["checks"] <= 5  # characters, tokens, words of tokens, lemmas, notes
    modules = counts["modules"]
    assert isinstance(modules, list)
    assert {"rich", "scipy", "torch", "palmette.learning.loglinear"}.isdisjoint(modules)


def test_help_of_one_command_builds_no_model() -> None:
    modules = run("predict", "--help")[1]["modules"]
    assert isinstance(modules, list)
    assert [name for name in ("pydantic", "scipy", "palmette.learning.learner") if name in modules] == []
