"""Parsers of pipelines that keep fewer heads where that costs nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmette import DependencyParser
from palmette.formats.conllu import read_conllu
from palmette.formats.corpus import Corpus
from palmette.tools.pipeline.quicker import quicker

GARDEN = Path(__file__).parents[2] / "data" / "garden"


class Judged(DependencyParser):
    """A parser whose score depends on nothing but its threshold or its beam."""

    scores: dict[float, float] = {}  # noqa: RUF012

    def score(self, X: object, y: object = None) -> float:
        options = self.model_.options
        return self.scores[options.threshold if self.method == "graph" else options.beam]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return read_conllu(GARDEN / "train.conllu")


@pytest.fixture(scope="module")
def parser(corpus: Corpus) -> Judged:
    return Judged(options={"bits": 16, "label_bits": 12}, columns=["upos"]).fit(corpus.select(range(30)))


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [
        ({0.005: 0.8, 0.01: 0.9, 0.02: 0.8}, 0.02),
        ({0.005: 0.8, 0.01: 0.8, 0.02: 0.79}, 0.01),
        ({0.005: 0.8, 0.01: 0.7, 0.02: 0.7}, 0.005),
    ],
)
def test_the_highest_threshold_that_costs_nothing(
    parser: Judged, corpus: Corpus, monkeypatch: pytest.MonkeyPatch, scores: dict[float, float], chosen: float
) -> None:
    monkeypatch.setattr(Judged, "scores", scores)
    assert quicker(parser, corpus).model_.options.threshold == chosen
    assert parser.model_.options.threshold == 0.005


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [({16: 0.8, 8: 0.8, 4: 0.7}, 8), ({16: 0.8, 8: 0.7, 4: 0.8}, 4), ({16: 2, 8: 1, 4: 1}, 16)],
)
def test_the_narrowest_beam_that_costs_nothing(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch, scores: dict[float, float], chosen: int
) -> None:
    monkeypatch.setattr(Judged, "scores", scores)
    beam = Judged("transition", options={"beam": 16, "bits": 12}, columns=["upos"]).fit(
        corpus.select(range(9))
    )
    assert quicker(beam, corpus).model_.options.beam == chosen


def test_fewer_heads_are_kept_and_written_to_files(parser: Judged, corpus: Corpus, tmp_path: Path) -> None:
    dev = read_conllu(GARDEN / "dev.conllu")
    plain = DependencyParser(options={"bits": 16, "label_bits": 12}, columns=["upos"]).fit(corpus)
    made = quicker(plain, dev)
    assert made.score(dev) >= plain.score(dev)
    made.save(tmp_path / "made.palm")
    saved = DependencyParser.load(tmp_path / "made.palm")
    assert saved.model_.options.threshold == made.model_.options.threshold
    assert saved.fit(corpus.select(range(5)), warm_start=True).model_.options.threshold in (0.005, 0.01, 0.02)


def test_others_stay_as_they_are(corpus: Corpus) -> None:
    some = corpus.select(range(20))
    beam = DependencyParser("transition", columns=["upos"]).fit(some)
    assert quicker(beam, some) is beam
    narrow = DependencyParser(options={"bits": 16, "label_bits": 12, "threshold": 0.1}).fit(some)
    assert quicker(narrow, some) is narrow
