"""Bootstrapping, self-training and co-training."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from palmette import FormatError, SenseTagger
from palmette.tools.senses.corpus import Tagged, read_tagged
from palmette.tools.senses.decision_list import ListOptions, _grown, read_seeds
from palmette.tools.senses.occurrences import Occurrence

pytestmark = pytest.mark.native
EXAMPLES = Path(__file__).parents[3] / "examples" / "senses"
SMALL = Path(__file__).parents[2] / "data" / "wordnet"
TRAIN, TEST, INVENTORY, SEEDS, MORE = (
    EXAMPLES / f"{name}.tsv" for name in ("train", "test", "inventory", "seeds", "unlabelled")
)


def together() -> Tagged:
    """Sentences with senses, and others without."""
    one, two = read_tagged(TRAIN), read_tagged(MORE)
    return Tagged(one.sentences + two.sentences, one.senses + two.senses)


def test_a_list_grows_from_seeds() -> None:
    tagger = SenseTagger("bootstrap", inventory=INVENTORY, seeds=SEEDS).fit(MORE)
    assert tagger.score(TEST) >= 0.9
    numbers = [report.numbers for report in tagger.history_]
    assert numbers[-1]["labelled"] > numbers[0]["labelled"]
    assert numbers[-1]["changed"] == 0
    (lines,) = tagger.model_.model.lists.values()
    assert [line.strength for line in lines] == sorted((line.strength for line in lines), reverse=True)
    decision = tagger.explain(read_tagged(TEST).sentences[0]).decisions[0]
    first = decision.contributions[0].feature
    assert first.rsplit(" → ")[0] in {line.feature for line in lines}  # a decision names its line


def test_strengths_are_ratios_of_shares() -> None:
    def occurrence(*features: str) -> Occurrence:
        return Occurrence(0, 0, ("x", "n"), ("a", "b"), "", frozenset(), frozenset(features), ())

    own = [occurrence("f", "g"), occurrence("f"), occurrence("f", "h"), occurrence("h"), occurrence("h")]
    options = ListOptions(threshold=0.0, support=1, alpha=0.5)
    lines = {line.feature: line for line in _grown(own, ["a", "a", "b", "b", None], options)}
    assert lines["f"].sense == "a"
    assert lines["f"].strength == pytest.approx(math.log((2.5 / 3) / (1.5 / 3)))
    assert lines["h"].strength == pytest.approx(math.log((2.5 / 3) / (0.5 / 3)))
    assert not _grown(own, [None] * 5, options)


def test_seeds_from_definitions_and_wordnet() -> None:
    by_text = SenseTagger("bootstrap", inventory=INVENTORY, options={"seeds": "definitions"}).fit(MORE)
    assert by_text.score(TEST) >= 0.9
    by_wordnet = SenseTagger("bootstrap", inventory=SMALL, options={"seeds": "synonyms", "support": 1})
    X = [
        [("surface", "", "NOUN"), ("bank", "", "NOUN")],
        [("depository", "", "NOUN"), ("bank", "", "NOUN")],
    ] * 3
    by_wordnet.fit(X, [[None, None]] * 6)
    assert [row[1] for row in by_wordnet.predict(X[:2])] == ["bank%1:17:00::", "bank%1:14:00::"]


def test_lists_in_files(tmp_path: Path) -> None:
    tagger = SenseTagger("bootstrap", inventory=INVENTORY, seeds=SEEDS, options={"discourse": True}).fit(MORE)
    tagger.save(tmp_path / "m.palm")
    again = SenseTagger.load(tmp_path / "m.palm")
    assert again.model_.model.lists == tagger.model_.model.lists
    assert again.predict(read_tagged(TEST).sentences) == tagger.predict(read_tagged(TEST).sentences)


@pytest.mark.parametrize("method", ["self-training", "co-training"])
def test_examples_are_added_until_the_dev_set_is_content(method: str, tmp_path: Path) -> None:
    given, reports = together(), []
    tagger = SenseTagger(method, inventory=INVENTORY, options={"confidence": 0.6, "definitions": 0.0})
    dev = read_tagged(TEST)
    tagger.fit(*given, dev=(dev.sentences, dev.senses), callback=reports.append)
    curve = [report.numbers["labelled"] for report in reports]
    assert curve[0] == 40
    assert curve == sorted(curve)
    assert curve[-1] > curve[0]
    assert all("dev" in report.numbers for report in reports)
    assert tagger.score(TEST) == max(report.numbers["dev"] for report in reports)
    tagger.save(tmp_path / "m.palm")
    assert SenseTagger.load(tmp_path / "m.palm").method == method


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SenseTagger("bootstrap", inventory=INVENTORY).fit(MORE), "needs seed words"),
        (
            lambda: SenseTagger("bootstrap", inventory=INVENTORY, seeds={"s": ["x"]}).fit(MORE),
            "No word of the text",
        ),
        (
            lambda: SenseTagger("bootstrap", inventory=INVENTORY, options={"seeds": "synonyms"}).fit(MORE),
            "need WordNet",
        ),
        (lambda: SenseTagger("co-training", inventory=INVENTORY).fit(MORE), "not one occurrence has a sense"),
    ],
)
def test_what_is_missing(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_bad_seeds(tmp_path: Path) -> None:
    path = tmp_path / "s.tsv"
    for text, message in (("a b\n", "s.tsv:1: expected a sense, a tab"), ("", "the file has none")):
        path.write_text(text)
        with pytest.raises(FormatError, match=message):
            read_seeds(path)


def test_views_are_chosen() -> None:
    made = SenseTagger("co-training", inventory=INVENTORY, options={"views": "tags+collocations,form+topic"})
    text = together()
    assert made.fit(text.sentences, text.senses).score(TEST) >= 0.85
    for views, message in (("local", "must be two"), ("local,words", "views must be of local, tags")):
        with pytest.raises(ValueError, match=message):
            SenseTagger("co-training", options={"views": views}).fit(text.sentences, text.senses)
