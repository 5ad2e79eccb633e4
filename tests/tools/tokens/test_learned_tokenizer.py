"""The learned tokenizer: laws on any text, the ways of reading text, bad input, files, and scores on treebanks."""

import pickle
import tracemalloc
from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.errors import FormatError
from palmette.formats.conllu import format_conllu, parse_conllu, read_conllu
from palmette.formats.model import ModelFile
from palmette.learning.perceptron import Perceptron
from palmette.tools.tokens import blocks
from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer
from palmette.tools.tokens.treebank_text import treebank_text
from samples.corpora import corpus_file
from samples.raw_text import ENGLISH, JAPANESE, VIETNAMESE
from tools.text.test_segmented import rebuilt

PIECES = "a Go Mr. don't didn't . ! ? , ( ) 3 4.5 | \\ 好 。 東京 \x00 🙂 ـ हि \u0301 im".split(" ")
SPACES = [" ", " ", "\n", "\n\n", "\r\n", "\n \n", "\t", "\u00a0", "\u2028"]
texts = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES + SPACES), max_size=25).map("".join))


@cache
def english() -> LearnedTokenizer:
    return LearnedTokenizer().fit(parse_conllu(ENGLISH))


def found(text, tokenizer=None, **reading):
    made = tokenizer or english()
    made = LearnedTokenizer.from_model(made.to_model()).set_params(**reading) if reading else made
    return " | ".join(" ".join(token.text for token in sentence) for sentence in made.sentences(text))


def test_what_was_seen_is_found_again():
    assert found("Anna sleeps. Ben didn't go! Anna, go!") == "Anna sleeps . | Ben didn't go ! | Anna , go !"
    corpus = english().corpus("Ben didn't go!")
    assert corpus[0]["form"] == ["Ben", "did", "n't", "go", "!"]
    assert corpus[0].ranges == [(2, 3, "didn't")]
    assert corpus[0].comments == ["# newpar", "# sent_id = 1", "# text = Ben didn't go!"]
    assert english().predict(["Go!", "Anna, go!"]) == [[["Go", "!"]], [["Anna", ",", "go", "!"]]]


@given(texts)
@settings(deadline=None, max_examples=80)
def test_tokens_and_spaces_give_the_text_back(text):
    place = 0
    for token in (token for sentence in english().sentences(text) for token in sentence):
        assert not text[place : token.begin].strip()
        assert token.text == text[token.begin : token.end] != ""
        place = token.end
    assert not text[place:].strip()
    corpora = [one.corpus for one in english().set_params(words=False).segmented([text])]
    english().set_params(words=True)
    assert "".join(map(rebuilt, corpora)).rstrip() == text.rstrip()  # but for white space at the end


@given(texts, st.data(), st.sampled_from(sorted(blocks.NEWLINES)))
@settings(deadline=None, max_examples=80)
def test_pieces_have_the_sentences_of_the_whole(text, data, newlines):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=5)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)])]
    english().newlines = newlines
    with patch.object(blocks, "LONGEST", 600), patch.object(blocks, "AT_ONCE", 12):
        whole, parts = (list(english().segmented(each)) for each in ([text], pieces))
    english().newlines = "paragraph"
    for name in ("begins", "ends"):
        have, want = ([n for one in each for n in getattr(one, name).tolist()] for each in (parts, whole))
        assert have == want
    have, want = ([c for one in each for c in one.corpus.comments.lines] for each in (parts, whole))
    assert have == want


def test_corpora_can_be_written_and_read():
    corpora = list(english().corpora(["Ben didn't\ngo!\n\n", "Anna sleeps."]))
    again = [parse_conllu(format_conllu(corpus)) for corpus in corpora]
    assert [s["form"] for c in again for s in c] == [s["form"] for c in corpora for s in c]
    assert [s.ranges for s in again[0]] == [[(2, 3, "didn't")]]
    assert "# newpar" in again[1][0].comments
    assert english().corpus("").n_words == 0


def test_ways_of_reading_line_ends():
    text = "Anna\nsleeps. Ben\n\nsleeps."
    assert found(text) == "Anna sleeps . | Ben | sleeps ."
    assert found(text, newlines="sentence") == "Anna | sleeps . | Ben | sleeps ."
    assert found(text, newlines="space") == "Anna sleeps . | Ben sleeps ."
    assert found(text, presegmented=True) == "Anna | sleeps . Ben | sleeps ."
    assert found("Anna sleeps . Go!", pretokenized=True) == "Anna sleeps . | Go!"
    with pytest.raises(ValueError, match=r"'newlines' must be one of space, paragraph, sentence\. Got 'no'"):
        found("a", newlines="no")


def test_only_the_first_line_of_a_paragraph_begins_one():
    tokenizer = LearnedTokenizer.from_model(english().to_model()).set_params(newlines="sentence")
    for pieces in (["Go!\nGo!\n\nGo!"], ["Go!\n", "Go!\n", "\n", "Go!"]):
        corpora = tokenizer.corpora(pieces)
        assert ["# newpar" in s.comments for c in corpora for s in c] == [True, False, True]


def test_scripts_without_spaces():
    tokenizer = LearnedTokenizer().fit(parse_conllu(JAPANESE))
    assert found("犬が寝る。猫が寝る。", tokenizer) == "犬 が 寝る 。 | 猫 が 寝る 。"


def test_spaces_inside_tokens():
    tokenizer = LearnedTokenizer().fit(parse_conllu(VIETNAMESE))
    assert tokenizer.spaces_
    assert not english().spaces_
    tokens = [token.text for sentence in tokenizer.sentences("Việt  Nam có học sinh.") for token in sentence]
    assert tokens == ["Việt  Nam", "có", "học sinh", "."]
    corpus = tokenizer.corpus("Việt\nNam có học sinh.")
    assert corpus[0]["form"][0] == "Việt Nam"
    assert corpus[0]["misc"][0] == "SpacesInToken=Việt\\nNam"


@pytest.mark.parametrize(
    "text", ["a" * 200_000, "好" * 200_000, "a. " * 70_000, "!" * 150_000, "\n" * 200_000]
)
def test_very_long_paragraphs_are_cut(text):
    words, most = 0, 0
    tokenizer = LearnedTokenizer.from_model(english().to_model()).set_params(newlines="space")
    for one in tokenizer.segmented(text[k : k + 50_000] for k in range(0, len(text), 50_000)):
        words += int((one.ends - one.begins).sum())
        most = max(most, int(one.ends[-1] - one.begins[0]))
    assert words == len("".join(text.split()))
    assert most <= blocks.LONGEST


def test_memory_of_a_stream_is_bounded():
    tokenizer = english()
    piece = "Anna sleeps. Ben didn't go! " * 400

    def peak(n):
        tracemalloc.start()
        for _ in tokenizer.segmented(piece for _ in range(n)):
            pass
        high = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return high

    peak(8)
    assert peak(60) < 1.2 * peak(20)


@pytest.mark.parametrize("n", [1, 20])
def test_little_data_gives_something_sensible(n):
    corpus = read_conllu(corpus_file("ud_it_partut/train.conllu.gz"))[:n]
    tokenizer = LearnedTokenizer().fit(corpus)
    scores = tokenizer.evaluate(str(corpus_file("ud_it_partut/dev.conllu")))
    assert scores.counts["tokens"].f1 > (0.8 if n == 1 else 0.95)
    if n == 20:
        assert scores.counts["sentences"].f1 > 0.6


@pytest.mark.parametrize(
    ("name", "tokens", "sentences", "words"),
    [("ud_ta_ttb", 0.985, 0.93, 0.925), ("ud_ja_gsd", 0.93, 0.99, 0.93), ("ud_he_htb", 0.995, 0.97, 0.88)],
)
def test_scores_on_treebanks(name, tokens, sentences, words):
    tokenizer = LearnedTokenizer().fit(str(corpus_file(f"{name}/train.conllu.gz")))
    scores = tokenizer.evaluate(str(corpus_file(f"{name}/dev.conllu"))).counts
    assert scores["tokens"].f1 > tokens
    assert scores["sentences"].f1 > sentences
    assert scores["words"].f1 > words


def test_evaluation_compares_with_gold():
    gold = parse_conllu(ENGLISH)
    scores = english().evaluate(gold)
    assert scores.counts["words"].f1 == english().score(gold) == 1.0
    assert scores.counts["sentences"].gold == len(gold)


def test_training_is_the_same_for_any_number_of_threads():
    one, two = (LearnedTokenizer(n_jobs=n).fit(parse_conllu(ENGLISH)) for n in (1, 2))
    assert np.array_equal(one.model_.weights, two.model_.weights)
    text = "Anna didn't sleep. Go! " * 30
    assert list(one.sentences(text)) == list(two.sentences(text))


def test_dev_data_and_other_learners():
    corpus = parse_conllu(ENGLISH)
    tokenizer = LearnedTokenizer(Perceptron(n_iter=5)).fit(corpus, dev=corpus)
    assert tokenizer.history_[-1].numbers["dev"] == pytest.approx(1.0, abs=0.2)
    assert tokenizer.score(corpus) > 0.9


def test_files_and_pickles(tmp_path):
    text = "Anna didn't sleep. Go!"
    english().save(tmp_path / "t.palm")
    for again in (LearnedTokenizer.load(tmp_path / "t.palm"), pickle.loads(pickle.dumps(english()))):
        assert again.predict([text]) == english().predict([text])
        assert again.training_ == english().training_
    first, second = (english().to_model(compact=True) for _ in range(2))
    first.save(tmp_path / "a.palm")
    second.save(tmp_path / "b.palm")
    assert (tmp_path / "a.palm").read_bytes() == (tmp_path / "b.palm").read_bytes()


@pytest.mark.parametrize(
    ("options", "arrays", "message"),
    [
        ({"longest": -1}, {}, "which tokens it has seen"),
        ({"newlines": "never"}, {}, "'never' is not a way to read line ends"),
        ({"words": 3}, {}, "it does not say what words are"),
        ({"parts": []}, {}, "it has no part for words"),
        ({}, {"lexicon": np.array([3, 1], dtype=np.uint64)}, "its lexicon is not sorted"),
        ({}, {"words/token_classes": np.full((1, 3), 99999, dtype=np.int32)}, "a class that is not there"),
        ({}, {"words/vocabulary_counts": np.zeros(1, dtype=np.int32)}, "vocabulary_counts"),
    ],
)
def test_damaged_files_are_errors(options, arrays, message):
    file = english().to_model()
    bad = ModelFile(file.kind, {**file.options, **options}, {**file.arrays, **arrays}, file.strings)
    with pytest.raises(FormatError, match=message):
        LearnedTokenizer.from_model(bad)


def test_explanations_name_features():
    decisions = english().explain("Go! Ben").decisions
    assert next(one.subject for one in decisions if one.chosen == "sentence") == "!"
    assert decisions[0].extra["place"] >= 0
    with pytest.raises(ValueError, match="nothing to explain"):
        english().explain(" \n")
    with pytest.raises(ValueError, match="At most 1000 characters"):
        english().explain("a" * 1001)


def test_bad_input():
    with pytest.raises(ValueError, match="not trained yet"):
        list(LearnedTokenizer().sentences("a"))
    with pytest.raises(TypeError, match="must be a list of strings"):
        english().predict("Go!")
    with pytest.raises(TypeError, match="A treebank must be a Corpus or the path"):
        LearnedTokenizer().fit([["a"]])
    with pytest.raises(FormatError, match="a treebank without words"):
        LearnedTokenizer().fit(parse_conllu(ENGLISH)[:0])
    with pytest.raises(ValueError, match="min_count"):
        LearnedTokenizer(min_count=0).fit(parse_conllu(ENGLISH))
    with pytest.raises(FileNotFoundError):
        LearnedTokenizer().fit("nothing.conllu")


def test_one_sentence_is_enough_to_begin_with():
    tokenizer = LearnedTokenizer().fit(parse_conllu(ENGLISH)[:1])
    assert found("Anna sleeps.", tokenizer) == "Anna sleeps ."
    gold = treebank_text(parse_conllu(ENGLISH)[:1])
    assert found(gold.text, tokenizer) == " ".join(gold.tokens)
