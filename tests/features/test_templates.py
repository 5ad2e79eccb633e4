"""The language of templates, what it refuses, and the default sets."""

import pytest

from palmette.errors import FormatError
from palmette.features import FeatureMap, Templates
from palmette.features.template import Source
from palmette.formats.corpus import Corpus

CORPUS = Corpus.from_columns({"form": [["Time", "flies"]], "pos": [["NN", "VBZ"]], "chunk": [["O", "O"]]})


def names(text, **resources):
    return FeatureMap.fit(Templates(text, **resources), CORPUS)[0].names()


def test_comments_blank_lines_and_blanks():
    templates = Templates("# words\n\n  w[0]  # the word\nw[ -1 ] | pos[+1]\n")
    assert [template.text for template in templates] == ["w[0]", "w[-1]|pos[1]"]


def test_a_hash_sign_inside_is_no_comment():
    with pytest.raises(FormatError, match="is not a template"):
        Templates("w#x[0]")


def test_ranges_give_every_combination():
    texts = [template.text for template in Templates("w[-1..0]|pos[0..1]")]
    assert texts == ["w[-1]|pos[0]", "w[-1]|pos[1]", "w[0]|pos[0]", "w[0]|pos[1]"]


def test_what_names_mean():
    templates = Templates("w[0]\nlower[0]\npos[0]\npos.lower[0]\nw.suffix2[0]\nc1[0]\nmy.column[0]")
    assert templates.sources == [
        Source(),
        Source(None, "lower"),
        Source("pos"),
        Source("pos", "lower"),
        Source(None, "suffix2"),
        Source("c1"),
        Source("my.column"),
    ]


def test_columns_by_name_and_number_and_their_attributes():
    assert names("pos[0]\nc1.lower[0]\nc2[0]") == [
        "pos[0]=NN",
        "c1.lower[0]=nn",
        "c2[0]=O",
        "pos[0]=VBZ",
        "c1.lower[0]=vbz",
    ]


def test_the_first_column_has_the_words_where_none_is_named_form():
    corpus = Corpus.from_columns({"token": [["a"]], "tag": [["X"]]})
    assert FeatureMap.fit(Templates("w[0]"), corpus)[0].names() == ["w[0]=a"]


@pytest.mark.parametrize(("text", "order"), [("w[0]", 0), ("y\nw[0]", 1), ("y\nyy", 2), ("yyy", 3)])
def test_label_order(text, order):
    assert Templates(text).label_order == order


def test_functions_gazetteers_and_clusters():
    have = names(
        "last[0]\ngaz:insects[0]\ncluster:brown[0]\ncluster:brown/2[0]",
        functions={"last": lambda word: word[-1] if word != "Time" else None},
        gazetteers={"insects": ["flies", "bees"]},
        clusters={"brown": {"Time": "0110", "flies": "1"}},
    )
    assert have == [
        "cluster:brown[0]=0110",
        "cluster:brown/2[0]=01",
        "last[0]=s",
        "gaz:insects[0]=1",
        "cluster:brown[0]=1",
        "cluster:brown/2[0]=1",
    ]


def test_gazetteers_of_phrases_are_laid_over_the_sentence():
    words = "in New York City and New York , York".split()
    corpus = Corpus.from_columns({"form": [words, ["New"], ["York", "City"]]})
    templates = Templates("gaz:p[0]", gazetteers={"p": ["New York", "New York City", "York"]})
    feature_map, instances = FeatureMap.fit(templates, corpus)
    found = feature_map.names()
    spans = [
        "".join(found[a][-1] for a in instances.attributes[b:e]) or "O"
        for b, e in zip(instances.rows, instances.rows[1:])
    ]
    assert "".join(spans) == "OBIIOBIOB" + "O" + "BO"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("w[0]\nw", "<templates>:2: 'w' has no offset: write w\\[0\\]"),
        ("w[a]", "'w\\[a\\]' is not a template"),
        ("w[0]|", "has nothing between or beside its bars"),
        ("w[0]|y", "'y\\|' comes first"),
        ("yy|w[0]", "only one previous label"),
        ("yyyy", "more than 3 previous labels"),
        ("w[101]", "further than 100 tokens"),
        ("w[2..-2]", "the range of .* is empty"),
        ("w[0]\n\nw[-1..1]", "<templates>:3: template 'w\\[0\\]' is already in line 1"),
        ("gaz:cities[0]", "there is no gazetteer 'cities': none were given"),
        ("cluster:brown/4[0]", "there are no clusters 'brown'"),
        ("", "there is no template"),
    ],
)
def test_what_is_no_template_has_its_line(text, message):
    with pytest.raises(FormatError, match=message):
        Templates(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lemma[0]", "looks at 'lemma', which is neither an attribute nor a column .* form, pos, chunk"),
        ("c3[0]", "looks at 'c3'"),
        ("U01:%x[0,3]", "column 3, counted from 0, and the corpus has 3 columns: form, pos, chunk"),
    ],
)
def test_a_template_that_names_a_missing_column(text, message):
    with pytest.raises(ValueError, match=message):
        Templates(text).extract(CORPUS)


@pytest.mark.parametrize(
    ("resources", "message"),
    [
        ({"gazetteers": {"g": "cities"}}, "must be a list of strings"),
        ({"gazetteers": {"g": [1]}}, "must be a list of strings"),
        ({"clusters": {"c": {"a": 1}}}, "must map strings to strings"),
        ({"functions": {"f": 1}}, "must be callable"),
        ({"functions": {"lower": str.lower}}, "the name is taken"),
    ],
)
def test_wrong_resources(resources, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Templates("w[0]", **resources)


def test_a_function_that_gives_no_string():
    with pytest.raises(TypeError, match="'length2' must give a string or None"):
        names("length2[0]", functions={"length2": len})


@pytest.mark.parametrize("task", ["pos", "ner", "chunk", "generic"])
def test_default_sets(task):
    plain, tagged = Templates.default(task), Templates.default(task, CORPUS.names)
    assert plain.label_order == tagged.label_order == 1
    assert plain.extract(CORPUS)[0].n_attributes > 10
    assert (len(tagged) > len(plain)) == (task != "pos")
    tagged.extract(CORPUS)


def test_no_such_default():
    with pytest.raises(ValueError, match="one of pos, ner, chunk, generic"):
        Templates.default("parsing")


def test_read(tmp_path):
    path = tmp_path / "my.templates"
    path.write_text("w[0]\nw[oops]\n")
    with pytest.raises(FormatError, match=r"my\.templates:2: "):
        Templates.read(path)
    path.write_text("\ufeffw[0]\ny\n")
    assert len(Templates.read(path)) == 1
