"""Counting on engines: n-grams, phrases and contexts as one machine counts them; latent grammars by sums."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette.cluster import Engine, Threads, fit_on
from palmette.cluster.shares import add_sums
from palmette.cluster.tree import tree_sum
from palmette.course import Course, follow
from palmette.errors import FormatError, UsageError
from palmette.formats.brackets import read_brackets
from palmette.formats.conllu import read_conllu
from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.phrases import ORIENTATION_KINDS, count_phrases
from palmette.tools.alignment.text import read_pairs
from palmette.tools.constituency.latent.sharing import expected_of, losses_of
from palmette.tools.constituency.latent.sharing import weights_of as weights_of_trainer
from palmette.tools.constituency.latent.training import TrainingTrees
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.constituency.treebank import clean_trees
from palmette.tools.lm.model import LanguageModel
from palmette.tools.thesaurus.thesaurus import Thesaurus
from palmette.tools.translation.translator import Translator
from samples.on_engines.engines import KINDS, engine_of

ROOT = Path(__file__).parents[2]
GARDEN = ROOT / "tests" / "data" / "garden"
TREES = str(GARDEN / "train.mrg")
CONLLU = str(GARDEN / "train.conllu")
PAIRS = str(ROOT / "examples" / "alignment" / "pairs.tsv")


@pytest.fixture(scope="module", params=KINDS)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with engine_of(request.param) as made:
        yield made


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("text") / "text.txt"
    words = [list(sentence["form"]) for sentence in read_conllu(CONLLU)]
    lines = [" ".join(line) for line in words]
    path.write_text("\ufeff" + "\n".join([*lines, "", "  ", *lines[::-1][:7], "naïve café"]), "utf-8")
    return str(path)


def content(model: LanguageModel) -> dict[str, bytes]:
    file = model.to_model()
    return {name: np.ascontiguousarray(array).tobytes() for name, array in file.arrays.items()}


class Fitted:
    """A language model as `fit_on` takes tools: `fit` is a method of the object."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def fit(self, given: Any, **more: Any) -> LanguageModel:
        return LanguageModel.fit(given, **self.options, **more)


OPTIONS: list[dict[str, Any]] = [
    {"order": 3},
    {"order": 4, "min_count": 2, "smoothing": "katz-absolute", "keep_counts": True},
    {"order": 2, "max_words": 40, "smoothing": "dirichlet", "layout": "trie"},
    {"order": 2, "vocabulary": ["the", "unseen", "dog"], "smoothing": "dirichlet"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options.get("smoothing", "usual"))
@pytest.mark.filterwarnings("ignore:the counts of")
def test_a_language_model_is_that_of_one_machine(engine: Engine, text: str, options: dict[str, Any]) -> None:
    alone = LanguageModel.fit(text, **options)
    for shards in (1, 3, 50):
        shared = fit_on(engine, Fitted(**options), text, shards=shards)
        assert content(shared) == content(alone)
        assert shared.fingerprint == alone.fingerprint
        assert shared.to_model().options == alone.to_model().options


@pytest.mark.filterwarnings("ignore:the counts of")
def test_text_of_any_kind_is_shared(text: str, tmp_path: Path) -> None:
    packed = tmp_path / "text.txt.gz"
    packed.write_bytes(gzip.compress(Path(text).read_bytes()))
    lines = Path(text).read_text("utf-8-sig").split("\n")
    with Threads(2) as engine:
        for given in (str(packed), lines):
            shared = fit_on(engine, Fitted(order=3), given, shards=4)
            assert content(shared) == content(LanguageModel.fit(given, order=3))
        limited = fit_on(engine, Fitted(order=3, memory="90M"), text, shards=2)
        assert content(limited) == content(LanguageModel.fit(text, order=3))


def test_bad_text_is_told_with_its_line(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"a b c\n" * 30 + b"a <s> b\n" + b"d e\n" * 30 + b"</s>\n")
    with pytest.raises(FormatError, match=r"bad\.txt:31: <s> and </s> mark"):
        fit_on(engine, Fitted(order=2), str(path), shards=5)
    with pytest.raises(ValueError, match="no text"):
        fit_on(engine, Fitted(order=2), ["", " "], shards=5)


@pytest.mark.parametrize("orientation", ORIENTATION_KINDS)
@pytest.mark.parametrize("shards", [1, 2, 7])
def test_phrases_are_those_of_one_machine(orientation: str, shards: int) -> None:
    pairs = read_pairs(PAIRS)
    links = Aligner(["model1"]).fit_align(pairs)
    alone = count_phrases(pairs, links, max_length=4, orientation=orientation)
    with Threads(2) as engine:
        found = counted_on(engine, pairs, links, orientation, shards)
    for name in ("places", "counts", "orientations"):
        assert getattr(found, name)().tobytes() == getattr(alone, name)().tobytes(), name
    for one, other in zip(found.links(), alone.links(), strict=True):
        assert one.tobytes() == other.tobytes()


def counted_on(engine: Engine, pairs: Any, links: Any, orientation: str, shards: int) -> Any:
    from palmette.cluster.training import spread_over

    with spread_over(engine, int, Course(), shards=shards):
        return count_phrases(pairs, links, max_length=4, orientation=orientation)


@pytest.mark.filterwarnings("ignore:the counts of")
def test_a_translator_is_trained(engine: Engine) -> None:
    def made(translator: Translator) -> dict[str, bytes]:
        return {name: np.asarray(array).tobytes() for name, array in translator.to_model().arrays.items()}

    pairs = list(read_pairs(PAIRS))
    options = {"models": "model1", "order": 2}
    first = fit_on(engine, Translator(tuning="none", options=options), pairs, shards=3)
    with Threads(1) as alone:
        second = fit_on(alone, Translator(tuning="none", options=options), pairs, shards=3)
    assert made(first) == made(second)


@pytest.mark.parametrize("options", [{}, {"contexts": "windows", "tags": True}], ids=["trees", "windows"])
def test_a_thesaurus_is_that_of_one_machine(engine: Engine, options: dict[str, Any], tmp_path: Path) -> None:
    options = {**options, "min_count": 1, "patterns": "the X and Y"}
    packed = tmp_path / "more.conllu.gz"
    packed.write_bytes(gzip.compress((GARDEN / "test.conllu").read_bytes()))
    given = [Path(CONLLU), packed]
    alone = Thesaurus(options=options).fit(given)
    shared = fit_on(engine, Thesaurus(options=options), given, shards=3)
    one, other = alone.to_model(), shared.to_model()
    assert one.strings == other.strings
    for name, array in one.arrays.items():
        assert np.asarray(array).tobytes() == np.asarray(other.arrays[name]).tobytes(), name
    assert shared.fingerprint_ == alone.fingerprint_
    assert shared.training_ == alone.training_


def test_a_large_file_is_cut_for_a_thesaurus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palmette.formats.batches.SIZE", 2000)
    with Threads(2) as engine:
        shared = fit_on(engine, Thesaurus(options={"min_count": 1}), CONLLU, shards=5)
    alone = Thesaurus(options={"min_count": 1}).fit(CONLLU)
    assert shared.words_ == alone.words_
    for name, array in alone.to_model().arrays.items():
        assert np.asarray(array).tobytes() == np.asarray(shared.to_model().arrays[name]).tobytes(), name


LATENT = {"rounds": 2, "grammars": 1}


def weights_of(parser: ConstituencyParser) -> bytes:
    return b"".join(np.asarray(array).tobytes() for array in parser.to_model().arrays.values())


def test_latent_grammars_are_sums(engine: Engine) -> None:
    shared = fit_on(engine, ConstituencyParser("latent", options=LATENT), TREES, shards=3)
    with Threads(1) as one:
        assert weights_of(fit_on(one, ConstituencyParser("latent", options=LATENT), TREES, shards=3)) == (
            weights_of(shared)
        )
    alone = ConstituencyParser("latent", options=LATENT).fit(TREES)
    losses = [[report.numbers["loss"] for report in parser.history_] for parser in (alone, shared)]
    np.testing.assert_allclose(losses[0], losses[1], rtol=2e-2)


def test_one_round_of_a_latent_grammar_is_that_of_one_machine() -> None:
    options = {"rounds": 0, "grammars": 2}
    with Threads(2) as engine:
        shared = fit_on(engine, ConstituencyParser("latent", options=options), TREES, shards=1)
    alone = ConstituencyParser("latent", options=options).fit(TREES)
    assert [report.numbers for report in shared.history_] == [report.numbers for report in alone.history_]


def test_latent_training_goes_on() -> None:
    courses: list[Course] = []

    class StopError(Exception):
        pass

    def keep(course: Course) -> None:
        courses.append(Course(dict(course.finished), dict(course.running)))
        if len(courses) == 1:
            raise StopError

    options = {"rounds": 3}
    with pytest.raises(StopError), follow(Course(keep=keep, due=lambda: True)):
        ConstituencyParser("latent", options=options).fit(TREES)
    assert courses[0].running
    with follow(courses[0]):
        again = ConstituencyParser("latent", options=options).fit(TREES)
    assert weights_of(again) == weights_of(ConstituencyParser("latent", options=options).fit(TREES))
    assert len(again.history_) == 3


def test_methods_that_count_once_are_refused() -> None:
    with pytest.raises(UsageError, match="'markov' trains on one machine: a cluster is for latent"):
        fit_on("local:1", ConstituencyParser("markov"), TREES)


@pytest.mark.parametrize("shards", [1, 2, 5])
def test_counts_of_trees_add_up(shards: int) -> None:
    trees = clean_trees(read_brackets(TREES))[:40]
    data = TrainingTrees.of(trees, horizontal=0, leftward=True, rare=1)
    trainer = data.trainer()
    trainer.split(0.1, 3)
    weights = weights_of_trainer(trainer)
    found = [expected_of(shard, weights) for shard in data.shards(shards)]
    assert len(found) == shards
    log, n_words, words, *counts = tree_sum(found, add_sums)
    assert log == pytest.approx(trainer.expectation(1), rel=1e-6)
    for one, other in zip(counts, (*trainer.expected(), trainer.counts(), trainer.mass()), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(words / n_words, trainer.prior(), rtol=1e-4, atol=1e-7)
    losses = [losses_of(shard, (weights, trainer.mass())) for shard in data.shards(shards)]
    np.testing.assert_allclose(tree_sum(losses, add_sums)[0], trainer.merge_losses(1), rtol=1e-3, atol=1e-5)
