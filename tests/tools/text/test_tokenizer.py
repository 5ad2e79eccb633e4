"""The tokenizer: its laws on any text, its conventions by example, its scores on a treebank."""

import pickle
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.formats.conllu import format_conllu, parse_conllu
from palmette.tools.text.languages import LANGUAGES
from palmette.tools.text.tokenizer import Tokenizer, detokenize
from samples.corpora import real_file
from samples.ud_text import f1, raw_text, spans

TOKENIZERS = {code: Tokenizer(code) for code in LANGUAGES}
PIECES = (
    "a B Mr. etc. U.S. don't l' 's -t-il - -- ... … ! ? . , ; : ( ) \" ' ’ 3 3. 4.5 1/2 9/11 :) <3 @a #b x@y.z"
    " http://a.b www. 好 。 हि । \u0301 👩\u200d👧 🇺🇸 _ & + C++ non-profit 01/02/2003 04:05 PM No. J. I."
    " \x00 \ufeff"
).split()
SPACES = [" ", " ", " ", "\n", "\n\n", "\r\n", "\n \n", "\t", "\u00a0", "\u2028"]
pieces = st.sampled_from(PIECES + SPACES)
texts = st.one_of(st.text(max_size=60), st.lists(pieces, max_size=25).map("".join))


def tokenized(text, language="en"):
    return [" ".join(t.text for t in s) for s in TOKENIZERS[language].sentences(text)]


@given(texts, st.sampled_from(sorted(LANGUAGES)))
@settings(deadline=None, max_examples=400)
def test_tokens_and_spaces_give_the_text_back(text, language):
    sentences = list(TOKENIZERS[language].sentences(text))
    assert all(sentences)
    place = 0
    for token in (token for sentence in sentences for token in sentence):
        gap = text[place : token.begin]
        assert not gap or gap.isspace()
        assert token.text == text[token.begin : token.end] != ""
        assert not any(c.isspace() for c in token.text)
        place = token.end
        assert token.space_after == (place == len(text) or text[place].isspace())
    assert not text[place:].strip()


@given(texts, st.booleans())
@settings(deadline=None)
def test_a_stream_of_lines_is_the_text(text, lines):
    tokenizer = Tokenizer(lines=lines)
    stream = [line + "\n" for line in text.split("\n")]
    assert list(tokenizer.sentences(stream)) == list(tokenizer.sentences(text + "\n"))


@given(texts)
@settings(deadline=None)
def test_the_cache_changes_nothing(text):
    assert list(Tokenizer().sentences(text)) == list(TOKENIZERS["en"].sentences(text))


@given(texts)
@settings(deadline=None)
def test_a_corpus_has_the_same_sentences_and_can_be_written(text):
    sentences = list(TOKENIZERS["en"].sentences(text))
    corpus = TOKENIZERS["en"].corpus(text)
    assert [s["form"] for s in corpus] == [[t.text for t in s] for s in sentences]
    for have, want in zip(corpus, sentences):
        assert [m == "SpaceAfter=No" for m in have["misc"]] == [not t.space_after for t in want]
        assert have.metadata["text"] == detokenize(want).strip()
    if len(corpus) and "\x00" not in text:
        again = parse_conllu(format_conllu(corpus))
        assert [s["form"] for s in again] == [s["form"] for s in corpus]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Don't! I can't, he'll; we've cannot gonna", "Do n't ! | I ca n't , he 'll ; we 've can not gon na"),
        ("the parents' dog's bone; it’s", "the parents ' dog 's bone ; it ’s"),
        ("a well-known non-profit e-mail", "a well - known non-profit e-mail"),
        ("pay $3,000.50 or 10% (US$5)", "pay $ 3,000.50 or 10 % ( US $ 5 )"),
        (
            "on 9/11, 01/12/2001 or 1/2 at 5:30pm, the 1990s",
            "on 9/11 , 01/12/2001 or 1 / 2 at 5:30 pm , the 1990s",
        ),
        ("call 713-853-1696 or 853-1696, pp. 5-10", "call 713-853-1696 or 853-1696 , pp. 5 - 10"),
        ("see http://a.b/c?d=1, www.x.org. (x@y.com)", "see http://a.b/c?d=1 , www.x.org . | ( x@y.com )"),
        ("and/or w/o it", "and / or w/o it"),
        ("wow... so :-) @bob #fun <3", "wow ... so :-) @bob #fun <3"),
        ("AT&T's C++ file.txt", "AT&T 's C++ file.txt"),
        ("Mr. J. Smith of Acme Inc. paid.", "Mr. J. Smith of Acme Inc. paid ."),
        ("The U.S. army. In the U.S. The end.", "The U.S. army . | In the U.S. | The end ."),
        ("It is No. 5. No. Really?", "It is No. 5 . | No . | Really ?"),
        ("1. The first. 2. The second.", "1 . The first . | 2 . The second ."),
        ('He said "Go." Then (he left.) She', 'He said " Go . " | Then ( he left . ) | She'),
        ("Great! :) Thanks. What?! No...", "Great ! :) | Thanks . | What ?! | No ..."),
        ("the end.Next one", "the end . | Next one"),
        ("cats, dogs etc. and cows, etc. We", "cats , dogs etc. and cows , etc . | We"),
        ("Kay 03/15/2001 04:03 PM Hello", "Kay | 03/15/2001 04:03 PM | Hello"),
        ("👩\u200d👧 ok🇺🇸 👍🏽!", "👩\u200d👧 ok 🇺🇸 👍🏽 !"),
    ],
)
def test_english(text, want):
    assert " | ".join(tokenized(text)) == want


@pytest.mark.parametrize(
    ("language", "text", "want"),
    [
        (
            "fr",
            "L'eau d'aujourd'hui va-t-elle ? Donne-moi qu’il",
            "L' eau d' aujourd'hui va -t-elle ? | Donne -moi qu’ il",
        ),
        ("fr", "M. Dupont, rendez-vous peut-être.", "M. Dupont , rendez-vous peut-être ."),
        ("it", "Dell'acqua c'è, un po' d'aria.", "Dell' acqua c' è , un po' d' aria ."),
        (
            "de",
            "Am 3. Mai kam Dr. Wu z.B. zur U-Bahn. Das war's.",
            "Am 3. Mai kam Dr. Wu z.B. zur U-Bahn . | Das war 's .",
        ),
        ("es", "¿Qué tal? ¡Hola! El Sr. López", "¿ Qué tal ? | ¡ Hola ! | El Sr. López"),
        ("nl", "Dhr. De Vries komt o.a. met foto's.", "Dhr. De Vries komt o.a. met foto's ."),
        ("tr", "Türkiye'nin 3. büyük şehri. Dr. Ali'ye", "Türkiye'nin 3. büyük şehri . | Dr. Ali'ye"),
        ("generic", "Hodi, dr. Novak!", "Hodi , dr. Novak !"),
        ("generic", "हिन्दी में है। दूसरा", "हिन्दी में है । | दूसरा"),
        ("generic", "今日は晴れ。「はい。」明日ABC", "今日は晴れ 。 | 「 はい 。 」 | 明日ABC"),
        ("generic", "مرحبا؟ نعم، شكرا.", "مرحبا ؟ | نعم ، شكرا ."),
        ("generic", "e\u0301te\u0301 สวัสดีครับ", "e\u0301te\u0301 สวัสดีครับ"),
    ],
)
def test_other_languages(language, text, want):
    assert " | ".join(tokenized(text, language)) == want


def test_paragraphs_and_lines():
    text = "one\ntwo\n\nthree"
    assert tokenized(text) == ["one two", "three"]
    assert [len(s) for s in Tokenizer(lines=True).sentences(text)] == [1, 1, 1]
    assert [len(p) for p in Tokenizer().paragraphs("A b. C d.\n\n\nE.")] == [2, 1]
    corpus = Tokenizer().corpus("A b. C d.\n\nE.")
    assert ["# newpar" in s.comments for s in corpus] == [True, False, True]
    assert len(Tokenizer().corpus("")) == 0


def test_any_language_has_a_tokenizer():
    assert tokenized("can't") == [" ".join(t.text for t in next(Tokenizer("en-GB").sentences("can't")))]
    assert len(next(Tokenizer("xx").sentences("a b."))) == 3
    with pytest.raises(ValueError, match="The language must be a code like 'en'"):
        Tokenizer("")
    again = pickle.loads(pickle.dumps(Tokenizer("fr", lines=True)))
    assert repr(again) == "Tokenizer('fr', lines=True)"


@pytest.mark.parametrize(
    ("file", "language", "tokens", "sentences"),
    [
        ("ud_en_ewt/dev.conllu.gz", "en", 0.992, 0.87),
        ("ud_de_lit/dev.conllu", "de", 0.99, 0.88),
    ],
)
def test_scores_on_a_treebank(file, language, tokens, sentences):
    text, gold_words, gold_sentences = raw_text(real_file(file))
    words, found = spans(Tokenizer(language).sentences(text))
    assert f1(gold_words, words) > tokens
    assert f1(gold_sentences, found) > sentences


PIECES = st.lists(
    st.sampled_from(["A b. ", "Mr. ", "c\n", "d. ", "\n", "E f!\n", "  \n", "(g) ", "h.\n"]), max_size=14
)


@given(PIECES, st.lists(st.integers(0, 14), max_size=4), st.booleans())
def test_pieces_give_the_sentences_of_the_whole_text(words: list[str], cuts: list[int], lines: bool) -> None:
    tokenizer = Tokenizer(lines=lines)
    bounds = [0, *sorted(min(cut, len(words)) for cut in cuts), len(words)]
    pieces = ["".join(words[a:b]) for a, b in pairwise(bounds)]
    whole = tokenizer.corpus("".join(words))
    found = list(tokenizer.corpora(pieces))
    assert [s["form"] for part in found for s in part] == [s["form"] for s in whole]
    assert [s.comments for part in found for s in part] == [s.comments for s in whole]


def test_a_sentence_without_an_end_does_not_wait_for_ever() -> None:
    pieces = ["word " * 5_000] * 3
    found = list(Tokenizer().corpora(pieces))
    assert [part.n_words for part in found] == [5_000] * 3
