"""`n_jobs` means the same everywhere: 1 to 4096 threads, or -1 for all processors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palmette.cli import main
from palmette.features.kernels.strings import SpectrumKernel
from palmette.learning.loglinear import CRF
from palmette.learning.registry import learner_class, learner_names
from palmette.structures.chain import Chain
from palmette.threads import n_threads, processors
from palmette.tools.alignment.aligner import Aligner
from palmette.tools.classification.classifier import Classifier
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.lm.model import LanguageModel
from palmette.tools.reranking.reranker import Reranker
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tag_inducer import TagInducer
from palmette.tools.sequence.tagger import Tagger
from palmette.tools.translation.translator import Translator
from samples.phrase_treebank import cats
from samples.ranking_lists import tree_lists
from samples.treebank import garden_trees

pytestmark = pytest.mark.native

WRONG = (0, -3, 2**31, True, 1.5, "2")
MESSAGE = r"'n_jobs' parameter must be an int in the range \[1, 4096\], or -1 for all processors. Got"


@pytest.mark.parametrize("wrong", WRONG)
def test_one_rule(wrong: Any) -> None:
    with pytest.raises(ValueError, match=MESSAGE):
        n_threads(wrong)


def test_all_processors() -> None:
    assert n_threads(-1) == processors() >= 1
    assert n_threads(np.int64(3)) == 3
    assert n_threads(4096) <= 4096


@pytest.mark.parametrize("wrong", [0, -3, 2**31])
@pytest.mark.parametrize(
    ("tool", "data"),
    [
        (Tagger, (garden_trees(),)),
        (SpanTagger, ([["a"]], [["B-X"]])),
        (TagInducer, ([["a", "b"]],)),
        (DependencyParser, (garden_trees(),)),
        (ConstituencyParser, (cats(),)),
        (Reranker, (tree_lists(),)),
        (Classifier, (["a", "b"], ["x", "y"])),
        (Aligner, ([("a b", "c d")],)),
        (Translator, ([("a b", "c d")],)),
    ],
)
def test_tools(tool: Any, data: tuple[Any, ...], wrong: int) -> None:
    with pytest.raises(ValueError, match=MESSAGE):
        tool(n_jobs=wrong).fit(*data)


@pytest.mark.parametrize("wrong", WRONG)
def test_learners_kernels_structures_and_language_models(wrong: Any) -> None:
    for made in map(learner_class, learner_names("linear", "kernel")):
        with pytest.raises(ValueError, match=MESSAGE):
            made(n_jobs=wrong)
        assert made(n_jobs=-1).n_jobs == -1
    with pytest.raises(ValueError, match=MESSAGE):
        SpectrumKernel().gram(["a"], n_jobs=wrong)
    with pytest.raises(ValueError, match=MESSAGE):
        Chain(2).batch([], n_jobs=wrong)
    with pytest.raises(ValueError, match=MESSAGE):
        LanguageModel.fit(["a b"], order=2, n_jobs=wrong)


def test_learners_use_all_processors() -> None:
    tagger = Tagger(CRF(n_jobs=-1, method="lbfgs", n_iter=2)).fit([["a", "b"]], [["X", "Y"]])
    assert tagger.predict([["a", "b"]]) == [["X", "Y"]]


@pytest.mark.parametrize("wrong", ["0", "-3", "2147483648", "99999999999999999999"])
def test_on_the_command_line(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "tag", "--train", "x", "-o", "y", "--n-jobs", wrong]) == 2
    assert "or -1 for all processors. Got" in capsys.readouterr().err
