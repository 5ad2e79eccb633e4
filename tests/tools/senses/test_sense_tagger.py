"""Sense taggers: methods, explanations, files, and bad input."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import CRF, FormatError, NearestNeighbours, Perceptron, SenseTagger, StructuredSVM
from palmette.formats.model import ModelFile
from palmette.learning.naive_bayes import NaiveBayes
from palmette.tools.senses.corpus import SenseSentence, Token, chunks, read_tagged
from palmette.tools.senses.inventory import ListedInventory
from palmette.tools.senses.lesk import read_vectors
from palmette.tools.senses.links import read_links, read_mapping
from palmette.tools.senses.occurrences import Reader
from palmette.tools.senses.supervised import (
    SupervisedModel,
    SupervisedOptions,
    WordModel,
    _compact,
    _gaps,
    _places,
)
from palmette.tools.senses.wordnet import WordNet

pytestmark = pytest.mark.native
EXAMPLES = Path(__file__).parents[3] / "examples" / "senses"
SMALL = Path(__file__).parents[2] / "data" / "wordnet"
TRAIN, TEST, INVENTORY = (EXAMPLES / f"{name}.tsv" for name in ("train", "test", "inventory"))


def sentence(text: str, document: str = "") -> SenseSentence:
    """A sentence of words with parts of speech behind a slash."""
    tokens = [Token(form, "", pos) for form, _, pos in (word.partition("/") for word in text.split())]
    return SenseSentence(tuple(tokens), document)


RIVER = sentence("the/DET river/NOUN and/CCONJ the/DET bank/NOUN")


@pytest.mark.parametrize(
    "learner", [None, StructuredSVM(), Perceptron(n_iter=3), NaiveBayes(), CRF()], ids=str
)
def test_classifiers_of_words(learner: Any) -> None:
    tagger = SenseTagger("supervised", learner, inventory=INVENTORY).fit(TRAIN)
    assert tagger.score(TEST) >= 0.85
    assert tagger.predict([RIVER]) == [[None, None, None, None, "bank.shore"]]


def test_without_an_inventory_senses_are_those_of_the_text() -> None:
    tagger = SenseTagger().fit(TRAIN)
    assert tagger.model_.inventory.senses(("bank", "n")) == ["bank.money", "bank.shore"]
    assert tagger.score(TEST) >= 0.85


def test_features_are_those_of_the_two_views() -> None:
    given = [sentence("old/ADJ river/NOUN bank/NOUN", "d"), sentence("a/DET boat/NOUN sank/VERB", "d")]
    (found,) = Reader(ListedInventory({("bank", "n"): ["a", "b"]})).occurrences(given)
    assert found.topic == {"near old", "near river", "near boat", "near sank"}
    assert {"word -1 river", "words -2 to -1 old river", "tag 0 NOUN", "form bank", "word 1 -"} <= found.local
    apart = [given[0], given[1]._replace(document="other")]
    (found,) = Reader(ListedInventory({("bank", "n"): ["a", "b"]})).occurrences(apart)
    assert found.topic == {"near old", "near river"}


def test_definitions_are_examples() -> None:
    """A word that the training text does not tell apart is told apart by its definitions."""
    X, y = [[("bank", "", "NOUN")]], [["bank%1:14:00::"]]
    given = [sentence("sloping/ADJ bank/NOUN steep/ADJ water/NOUN river/NOUN land/NOUN body/NOUN")]
    with_them = SenseTagger(inventory=SMALL, options={"definitions": 5.0}).fit(X, y)
    assert with_them.predict(given)[0][1] == "bank%1:17:00::"
    without = SenseTagger(inventory=SMALL, options={"definitions": 0.0}).fit(X, y)
    assert without.predict(given)[0][1] == "bank%1:14:00::"
    assert without.predict([[("ran", "", "VERB")]]) == [["run%2:38:00::"]]  # never seen: its first sense


# Lesk


def explicit(variant: str, idf: bool) -> dict[str, float]:
    """The scores of the two banks beside "water" and "deposits", counted by hand."""
    own = {
        "bank%1:17:00::": {"sloping", "land", "beside", "body", "water", "river", "steep"},
        "bank%1:14:00::": {"financial", "institution", "accepts", "deposits", "money"},
    }
    if variant == "extended":
        own["bank%1:17:00::"] |= {"solid", "part", "surface", "earth"}
        own["bank%1:14:00::"] |= {"organization", "founded", "some", "purpose"}
    texts = list(WordNet(SMALL).definitions())
    weights = {
        word: math.log((len(texts) + 1) / (sum(word in text.lower().split() for text in texts) + 1))
        if idf
        else 1.0
        for word in ("water", "deposits", "surface")
    }
    around = {"water", "deposits", "surface"}
    return {sense: sum(weights[word] for word in words & around) for sense, words in own.items()}


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("variant", ["simplified", "extended"])
def test_lesk_counts_common_words(variant: str, idf: bool) -> None:
    options = {"variant": variant, "idf": idf, "prior": 0.0}
    tagger = SenseTagger("lesk", inventory=SMALL, options=options).fit([], [])
    (decision,) = [
        one
        for one in tagger.explain(sentence("water/X bank/NOUN deposits/X surface/X")).decisions
        if one.subject == "bank"
    ]
    assert decision.extra["scores"] == pytest.approx(explicit(variant, idf))


def test_the_original_lesk_compares_definitions() -> None:
    options = {"variant": "original", "idf": False, "prior": 0.0}
    tagger = SenseTagger("lesk", inventory=SMALL, options=options).fit([], [])
    decision = tagger.explain(sentence("bank/NOUN land/NOUN")).decisions[0]
    assert decision.extra["scores"] == {"bank%1:14:00::": 0.0, "bank%1:17:00::": 0.0}
    decision = tagger.explain(sentence("bank/NOUN goose/NOUN")).decisions[0]
    assert (
        decision.extra["scores"]["bank%1:17:00::"] == 0.0
    )  # "rivers" and "river" meet only as lemmas of WordNet


def test_lesk_by_vectors(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("3 2\nwater 1 0\nsteep 1 0.1\nmoney 0 1\ncash 0.1 1\n")
    options = {"vectors": str(path), "prior": 0.0, "variant": "simplified"}
    tagger = SenseTagger("lesk", inventory=SMALL, options=options).fit([], [])
    assert tagger.predict([sentence("cash/X bank/NOUN")])[0][1] == "bank%1:14:00::"
    scores = tagger.explain(sentence("cash/X bank/NOUN")).decisions[0].extra["scores"]
    assert scores["bank%1:14:00::"] == pytest.approx(1 / math.sqrt(1.01))
    for text in ("a 1 2\nb 1\n", "a x\n", ""):
        path.write_text(text)
        with pytest.raises(FormatError, match=r"numbers|none"):
            read_vectors(path)


def test_one_sense_per_discourse() -> None:
    given = [sentence("water/X river/X bank/NOUN", "d"), sentence("deposits/X bank/NOUN", "d")]
    options = {"prior": 0.0, "idf": False, "window": 0}
    apart = SenseTagger("lesk", inventory=SMALL, options=options).fit([], [])
    assert [row[-1] for row in apart.predict(given)] == ["bank%1:17:00::", "bank%1:14:00::"]
    together = SenseTagger("lesk", inventory=SMALL, options={**options, "discourse": True}).fit([], [])
    assert [row[-1] for row in together.predict(given)] == ["bank%1:17:00::"] * 2


# Answers


def test_kbest_is_the_sorted_product() -> None:
    tagger = SenseTagger("lesk", inventory=SMALL).fit([], [])
    given = sentence("bank/NOUN run/VERB water/NOUN")
    found = tagger.kbest([given], 10)[0]
    assert len(found) == 4
    assert found[0].output == tagger.predict([given])[0]
    scores = [list(one.extra["scores"].values()) for one in tagger.explain(given).decisions]
    assert [one.score for one in found] == pytest.approx(
        sorted((a + b for a in scores[0] for b in scores[1]), reverse=True)
    )


def test_baselines() -> None:
    tagger = SenseTagger("first", inventory=SMALL).fit([], [])
    y = [["bank%1:17:00::", None, "no such sense"]]
    scores = tagger.evaluate([sentence("bank/NOUN run/VERB goose/NOUN")], y)
    assert scores.baselines == {"first_sense": 0.0, "random": 0.25, "upper_bound": 0.5}
    assert scores.instances == 2
    assert scores.f1 == 0.0


# Links


def test_links_say_what_a_word_means() -> None:
    mapping = read_mapping(EXAMPLES / "targets.tsv")
    tagged = read_links(EXAMPLES / "links.txt", mapping)
    found = [(token.form, own) for given, row in zip(*tagged) for token, own in zip(given.tokens, row) if own]
    assert found == [("bank", (f"bank.{kind}",)) for kind in ("shore", "money", "shore", "money")]
    assert "Rome" in [token.form for token in tagged.sentences[-1].tokens]
    tagger = SenseTagger(inventory=INVENTORY).fit(*tagged)
    assert tagger.predict([sentence("a/X boat/X on/X the/X bank/n")])[0][-1] == "bank.shore"


def test_bad_links(tmp_path: Path) -> None:
    text = tmp_path / "t.txt"
    for content, message in (("a [[b", "t.txt:1: a link is not closed"), ("no links", "the text has none")):
        text.write_text(content)
        with pytest.raises(FormatError, match=message):
            read_links(text, {"b": "s"})
    text.write_text("target only\n")
    with pytest.raises(FormatError, match=r"t\.txt:1: expected the target of a link"):
        read_mapping(text)


# Files and bad input


@pytest.mark.parametrize("inventory", [INVENTORY, SMALL, None], ids=["file", "wordnet", "text"])
def test_files(inventory: Path | None, tmp_path: Path) -> None:
    tagger = SenseTagger(inventory=inventory).fit(TRAIN)
    tagger.save(tmp_path / "m.palm")
    again = SenseTagger.load(tmp_path / "m.palm")
    test = read_tagged(TEST).sentences
    assert again.predict(test) == tagger.predict(test)
    one, two = (made.explain(RIVER).decisions[0].margin for made in (tagger, again))
    assert one == pytest.approx(two, rel=1e-5)


def test_a_model_whose_wordnet_is_gone(tmp_path: Path) -> None:
    tagger = SenseTagger("lesk", inventory=SMALL).fit([], [])
    file = tagger.to_model()
    moved = ModelFile(file.kind, {**file.options, "wordnet": "/no/such/folder"}, {}, file.strings)
    with pytest.raises(FileNotFoundError, match="looked in /no/such/folder"):
        SenseTagger.from_model(moved)
    assert SenseTagger.from_model(moved, inventory=SMALL).predict([RIVER])[0][-1] is not None


@pytest.mark.parametrize(
    "change",
    [
        {"arrays": {"ids.gaps": np.array([60_000], dtype=np.uint16)}},
        {"arrays": {"ids.gaps": np.array([65_535], dtype=np.uint16)}},
        {"arrays": {"keys": np.array([5, 5], dtype=np.uint64)}},
        {"arrays": {"weights.gaps": np.zeros(1, dtype=np.uint8)}},
        {"arrays": {"weights.gaps": np.full(9, 255, np.uint8), "weights.values": np.zeros(9, np.int16)}},
        {"arrays": {"rows": np.array([0, 5], dtype=np.int64)}},
        {"options": {"method": "magic"}},
        {"options": {"own": {"window": -1}}},
        {"options": {"training": None}},
        {"strings": {"inventory.words": ["nothing"]}},
        {"strings": {"words": ["bank"]}},
    ],
    ids=str,
)
def test_damaged_files(change: dict[str, Any]) -> None:
    file = SenseTagger().fit(TRAIN).to_model()
    parts = {
        name: {**getattr(file, name), **change.get(name, {})} for name in ("options", "arrays", "strings")
    }
    with pytest.raises(FormatError, match=r"damaged|does not cut|has shape|points to"):
        SenseTagger.from_model(ModelFile(file.kind, **parts))


def test_senses_that_are_not_in_the_inventory() -> None:
    tagger = SenseTagger(inventory=SMALL, options={"definitions": 0.0}).fit(TRAIN)
    assert tagger.training_["not_in_inventory"] == 40
    assert tagger.predict([RIVER])[0][-1] == "bank%1:14:00::"


def test_a_word_never_seen_has_no_sense() -> None:
    assert SenseTagger().fit(TRAIN).predict([sentence("xyzzy/NOUN"), []]) == [[None], []]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SenseTagger("lesc").fit(TRAIN), "did you mean 'lesk'"),
        (lambda: SenseTagger(options={"windw": 2}).fit(TRAIN), "did you mean 'window'"),
        (lambda: SenseTagger("lesk", CRF()).fit(TRAIN), "has no learner"),
        (lambda: SenseTagger("supervised", NearestNeighbours()).fit(TRAIN), "NearestNeighbours"),
        (lambda: SenseTagger().fit([["a"]], [["x", "y"]]), "Sentence 1 has 1 token and senses for 2"),
        (lambda: SenseTagger().fit([["a"]], []), "Got 0 for 1"),
        (lambda: SenseTagger().fit([["a"]]), "There must be senses"),
        (lambda: SenseTagger().predict([["a"]]), "not trained"),
    ],
)
def test_bad_parameters(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_bad_files(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    head = "word\tid\tsense\thead_index\ttokens\tpos\n"
    for text, message in (
        ("", "the file has none"),
        ("a\tb\n", "x.tsv:1: expected form, lemma, part of speech and senses; got 2"),
        (f"{head}line\t1\ts\t9\ta b\tX Y\n", "x.tsv:2: expected as many tags as tokens, and a head"),
        (f"{head}line\t1\n", "x.tsv:2: expected 6 columns"),
    ):
        path.write_text(text)
        with pytest.raises(FormatError, match=message):
            read_tagged(path)
    with pytest.raises(TypeError, match="Sentence 1 must be text, or a list of tokens"):
        SenseTagger().fit([[3]], [[None]])


def test_there_must_be_senses_to_learn_from() -> None:
    with pytest.raises(ValueError, match="no words with senses to learn from"):
        SenseTagger().fit([], [])
    with pytest.raises(ValueError, match="no words with senses to learn from"):
        SenseTagger().fit([["bank"]], [[None]])


def test_one_sentence_in_place_of_a_list() -> None:
    tagger = SenseTagger(inventory=INVENTORY).fit(TRAIN)
    one = [("the", "", "DET"), ("bank", "", "NOUN")]
    assert tagger.predict([one])[0][1] is not None
    for given in (one, tuple(one), [Token("bank", "", "NOUN")], sentence("the/DET bank/NOUN")):
        with pytest.raises(TypeError, match="Got one sentence, which begins with"):
            tagger.predict(given)
    assert tagger.predict(["the river bank"]) == [[None] * 3]  # text has no parts of speech
    assert tagger.predict([("the", "river", "bank")]) == [[None] * 3]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("whole", [False, True])
def test_pieces_of_a_text_are_answered_as_the_whole(size: int, whole: bool) -> None:
    options = {"window": 2, "discourse": whole}
    tagger = SenseTagger(inventory=INVENTORY, options=options).fit(TRAIN)
    given = read_tagged(TEST).sentences
    want = tagger.predict(given)
    have = []
    for chunk in chunks(iter(given), size=size, window=2, whole=whole):
        have += tagger.predict(chunk.sentences)[chunk.first : chunk.last]
    assert have == want


def test_a_window_of_any_size_ends_with_the_document() -> None:
    given = read_tagged(TEST).sentences
    found = {}
    for window in (len(given), 2**40):
        tagger = SenseTagger(inventory=INVENTORY, options={"window": window}).fit(TRAIN)
        found[window] = tagger.predict(given)
    assert found[2**40] == found[len(given)]


def test_small_weights_are_left_out_of_large_models() -> None:
    rng = np.random.default_rng(0)
    words = {
        ("w", str(k)): WordModel(
            ["a", "b", "c"],
            np.sort(rng.choice(10**9, 200, replace=False)).astype(np.uint64),
            rng.normal(0, rng.choice([0.01, 1.0], (200, 1)), (200, 3)).astype(np.float32),
        )
        for k in range(40)
    }
    small = _compact(words)
    squares = [sum(float((one.weights**2).sum()) for one in made.values()) for made in (words, small)]
    assert 0.93 < squares[1] / squares[0] < 1.01
    assert sum(len(one.keys) for one in small.values()) < 0.7 * sum(len(one.keys) for one in words.values())
    file = SupervisedModel(small, SupervisedOptions()).to_file({}, "")
    again = SupervisedModel.of_file(file, SupervisedOptions())
    for word, one in small.items():
        np.testing.assert_array_equal(again.words[word].keys, one.keys)
        np.testing.assert_array_equal(again.words[word].weights, one.weights)
    far = [np.array([0, 65_535, 200_000]), np.array([], dtype=np.int64), np.array([65_534, 65_535])]
    np.testing.assert_array_equal(_places(_gaps(far), [0, 3, 3, 5]), np.concatenate(far))
