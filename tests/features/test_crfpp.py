"""Template files of CRF++ and Wapiti, against what those programs write for them."""

import re

import pytest

from palmette.errors import FormatError
from palmette.features import FeatureMap, Templates
from palmette.features.wapiti_patterns import translated
from palmette.formats.columns import read_columns
from palmette.formats.corpus import Corpus
from samples.corpora import real_file

CHUNKING = """# Unigram
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]

U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]

U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]

# Bigram
B
"""


def expanded(line, rows, i):
    """A line with its macros replaced, as CRF++ does it."""

    def value(found):
        at, column = i + int(found[1]), int(found[2])
        if at < 0:
            return f"_B{at}"
        return rows[at][column] if at < len(rows) else f"_B+{at - len(rows) + 1}"

    return re.sub(r"%x\[(-?\d+),(\d+)\]", value, line)


def expansions(corpus, text):
    lines = [line for line in text.splitlines() if line.startswith("U")]
    rows_of = [list(zip(*(s[name] for name in corpus.names))) for s in corpus]
    return [[expanded(line, rows, i) for line in lines] for rows in rows_of for i in range(len(rows))]


def test_the_template_of_the_chunking_task():
    corpus = read_columns(real_file("chunk_en_conll2000/test.txt"), names=("form", "pos", "chunk"))[:200]
    templates = Templates(CHUNKING)
    assert (len(templates), templates.label_order) == (19, 1)
    feature_map, instances = FeatureMap.fit(templates, corpus)
    want = [name for row in expansions(corpus, CHUNKING) for name in row]
    names = feature_map.names()
    assert [names[a] for a in instances.attributes] == want
    assert names == list(dict.fromkeys(want))


def test_templates_without_a_number_share_their_attributes():
    """So CRF++ does it: a bag of words."""
    corpus = Corpus.from_columns({"form": [["a", "b", "a"]]})
    feature_map, instances = FeatureMap.fit(Templates("U%x[-1,0]\nU%x[0,0]"), corpus)
    assert feature_map.names() == ["U_B-1", "Ua", "Ub"]
    assert instances.attributes.tolist() == [0, 1, 1, 2, 2, 1]


def test_bigram_lines_and_stars():
    templates = Templates("u00:%x[0,0]\nB01:%x[0,0]\n*02:%x[-1,0]\nb\nU")
    assert [t.text for t in templates.unary] == ["u00:%x[0,0]", "*02:%x[-1,0]", "U"]
    assert [t.text for t in templates.pairs] == ["B01:%x[0,0]", "*02:%x[-1,0]"]
    assert templates.label_order == 1


def test_wapiti_tests_and_matches():
    corpus = Corpus.from_columns({"form": [["McD2", "été", "a-b"]]})
    text = 'u1:%t[0,0,"^\\u"]\nu2:%m[0,0,"\\d*$"]\nu3:%X[0,0]\nu4:%M[0,0,"^.?.?"]\nu5:%t[0,0,"\\p"]'
    feature_map, instances = FeatureMap.fit(Templates(text), corpus)
    have = [feature_map.names()[a] for a in instances.attributes]
    assert have == [
        *("u1:true", "u2:2", "u3:mcd2", "u4:mc", "u5:false"),
        *("u1:false", "u2:", "u3:été", "u4:ét", "u5:false"),
        *("u1:false", "u2:", "u3:a-b", "u4:a-", "u5:true"),
    ]


@pytest.mark.parametrize(
    ("pattern", "word", "found"),
    [
        ("^\\a*$", "abc", True),
        ("^\\a*$", "ab1", False),
        ("\\L", "ab", False),
        ("\\l\\u", "iPod", True),
        ("a.c", "xabcx", True),
        ("a+", "aa", False),
        ("a+", "a+", True),
        ("\\.", "x.y", True),
        ("[ab]", "a", False),
        ("\\W", "a_b", True),
    ],
)
def test_wapiti_patterns(pattern, word, found):
    assert bool(translated(pattern).search(word)) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("U00:%x[0,0]\nU01:%x[0]", "2: '%x\\[0\\]' is not a macro"),
        ("U00:%x[@0,0]", "counted from the sentence's edge"),
        ("U00:%x[999,0]", "further than 100"),
        ('U00:%x[0,0,"a"]', "takes no pattern"),
        ("U00:%t[0,0]", "needs a pattern"),
        ('U00:%t[0,0,"*"]', "there is nothing before '\\*'"),
    ],
)
def test_damaged_files(text, message):
    with pytest.raises(FormatError, match=message):
        Templates(text)
