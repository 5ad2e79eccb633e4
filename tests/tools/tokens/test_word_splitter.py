"""Words of tokens: what was seen comes back, and what was not goes by classes."""

from itertools import product
from random import Random

import pytest

from palmette.formats.conllu import format_conllu, parse_conllu
from palmette.tools.text.segmented import segment
from palmette.tools.tokens.expansions import NONE, class_of, expanded, has_stem, is_class
from palmette.tools.tokens.file import load_splitter, splitter_file
from palmette.tools.tokens.multiword import with_words
from palmette.tools.tokens.splitter_choice import best_splitter, words_f1
from palmette.tools.tokens.treebank_text import treebank_text
from palmette.tools.tokens.word_splitter import WordSplitter
from samples.raw_text import ENGLISH, treebank

CASES = [
    ("portarlo", ("portare", "lo")),
    ("im", ("in", "dem")),
    ("don't", ("do", "n't")),
    ("Della", ("di", "la")),
    ("בבית", ("ב", "ה", "בית")),
    ("evdeki", ("evde", "ki")),
    ("a b", ("a", "b c")),
]


@pytest.mark.parametrize(("token", "words"), CASES)
def test_classes_give_the_words_back(token, words):
    name = class_of(token, words)
    assert expanded(name, token) == words
    assert is_class(name)
    assert class_of(token, None) == NONE
    assert expanded(NONE, token) is None


def test_classes_fit_other_tokens():
    assert expanded(class_of("portarlo", ("portare", "lo")), "Mangiarlo") == ("Mangiare", "lo")
    assert has_stem(class_of("portarlo", ("portare", "lo")))
    assert not has_stem(class_of("im", ("in", "dem")))


def learned(conllu):
    corpus = parse_conllu(conllu)
    return WordSplitter.fit(treebank_text(corpus), corpus)


def splitter():
    return learned(ENGLISH)


def test_seen_and_new_tokens():
    made = splitter()
    assert made.words([["Ben", "didn't", "go"]]) == [[("Ben",), ("did", "n't"), ("go",)]]
    assert made.words([["Ben", "couldn't", "go"]]) == [[("Ben",), ("could", "n't"), ("go",)]]
    assert made.words([["1234", "..."], []]) == [[("1234",), ("...",)], []]


def test_the_context_chooses_between_seen_expansions():
    left, right = ["ab", "a", "b"], ["ab"]
    rows = []
    for _ in range(10):
        rows.append(("xx ab", [("xx",), tuple(left)]))
        rows.append(("yy ab", [("yy",), tuple(right)]))
    made = learned(treebank(*rows))
    assert made.words([["xx", "ab"], ["yy", "ab"]]) == [[("xx",), ("a", "b")], [("yy",), ("ab",)]]


def adjectives_and_verbs(known):
    """Adjectives with a copula, `genç ti`, past forms of verbs, `gitti`, and new ones of both, which look alike.

    known: with lemmas and parts of speech.
    """
    stems = sorted({"".join(one) for one in product("bdgk", "ei", "lmnr", "ei", "ptçk")})
    Random(0).shuffle(stems)
    lines = []

    def sentence(token, *words):
        rows = ["\t".join([f"1-{len(words)}", token, *"_" * 8])] * (len(words) > 1)
        for k, (form, lemma, upos) in enumerate(words, 1):
            rows.append("\t".join([str(k), form, *((lemma, upos) if known else "__"), *"_" * 6]))
        lines.append("\n".join(rows) + "\n\n")

    adjectives, verbs = stems[::2], stems[1::2]
    for k, (adjective, verb) in enumerate(zip(adjectives, verbs, strict=True)):
        for _ in range(2):
            sentence(adjective, (adjective, adjective, "ADJ"))
            sentence(verb, (verb, verb, "VERB"))
        if k >= 10:
            sentence(f"{adjective}ti", (adjective, adjective, "ADJ"), ("ti", "i", "AUX"))
            sentence(f"{verb}ti", (f"{verb}ti", verb, "VERB"))
    new = [f"{one}ti" for one in (*adjectives[:10], *verbs[:10])]
    return "".join(lines), new, [(one[:-2], "ti") for one in new[:10]] + [(one,) for one in new[10:]]


def test_lemmas_say_which_tokens_are_several_words():
    text, new, words = adjectives_and_verbs(known=True)
    made = learned(text)
    assert made.words([new]) == [words]
    assert load_splitter(splitter_file(made)).words([new]) == [words]
    corpus = parse_conllu(text)
    assert best_splitter(treebank_text(corpus), corpus, treebank_text(corpus)).stems is not None
    blind = learned(adjectives_and_verbs(known=False)[0])
    assert blind.stems is None
    assert blind.words([new]) != [words]


def test_stems_that_help_nothing_are_left_out():
    text, _, _ = adjectives_and_verbs(known=True)
    corpus = parse_conllu(text)
    one = treebank_text(parse_conllu(treebank(("Go!", [("Go",), ("!",)]), ("gegepti", [("gegep", "ti")]))))
    chosen = best_splitter(treebank_text(corpus), corpus, one)
    alone = WordSplitter.fit(treebank_text(corpus))
    assert (chosen.stems is None) == (words_f1(alone, one) >= words_f1(learned(text), one))
    assert words_f1(alone, treebank_text(parse_conllu(treebank(("Go!", [("Go",), ("!",)]))))) == 1


def test_without_multiword_tokens_nothing_is_split():
    made = learned(treebank(("Go!", [("Go",), ("!",)])))
    found = segment("didn't", [0], [6], [0, 1])
    assert made.split(found) is found
    assert made.words([["didn't"]]) == [[("didn't",)]]
    assert load_splitter(splitter_file(made)).model is None


def test_files():
    made = splitter()
    again = load_splitter(splitter_file(made, compact=True))
    assert (again.seen, again.vocabulary) == (made.seen, made.vocabulary)
    assert again.words([["Ben", "couldn't"]]) == made.words([["Ben", "couldn't"]])


def test_ranges_places_and_misc_are_kept():
    found = segment("Ben didn't, no.", [0, 4, 10, 12, 14], [3, 10, 11, 14, 15], [0, 3, 5])
    made = with_words(found, {1: ("did", "n't"), 3: ("n", "o")})
    assert made.corpus.offsets.tolist() == [0, 4, 7]
    assert made.begins.tolist() == [0, 4, 4, 10, 12, 12, 14]
    assert made.ends.tolist() == [3, 10, 10, 11, 14, 14, 15]
    again = parse_conllu(format_conllu(made.corpus))
    assert [s.ranges for s in again] == [[(2, 3, "didn't")], [(1, 2, "no")]]
    assert again.extras.lines[0].endswith("\tSpaceAfter=No")
    assert again.column("misc").values() == ["_", "_", "_", "_", "_", "_", "SpaceAfter=No"]
