"""The text of a treebank: tokens are where it says, and what is inconsistent is said."""

import pytest

from palmette.errors import FormatError
from palmette.formats.conllu import parse_conllu
from palmette.formats.corpus import Corpus
from palmette.tools.tokens.treebank_text import treebank_text


def conllu(*sentences):
    """Sentences as CoNLL-U: comments, then rows (id, form, MISC)."""
    text = ""
    for comments, rows in sentences:
        text += "".join(f"# {comment}\n" for comment in comments)
        text += "".join(f"{n}\t{form}" + "\t_" * 7 + f"\t{misc}\n" for n, form, misc in rows) + "\n"
    return parse_conllu(text)


GO = [("1", "Go", "SpaceAfter=No"), ("2", "!", "_")]


def test_sentences_are_joined_as_raw_texts_are():
    corpus = conllu(
        (["newdoc", "text = Go!"], GO),
        (["text = Go!"], [GO[0], ("2", "!", "SpaceAfter=No")]),
        (["text = Go!"], GO),
        (["newpar id = 2", "text = Go!"], GO),
    )
    assert treebank_text(corpus).text == "Go! Go!Go!\n\nGo!"
    found = treebank_text(corpus, paragraphs=False)
    assert found.text == "Go! Go!Go! Go!"
    assert found.tokens == ["Go", "!"] * 4
    assert found.offsets.tolist() == [0, 2, 4, 6, 8]
    assert found.paragraphs.tolist() == [True, False, False, True]
    assert found.notes == []


def test_multiword_tokens_have_their_words():
    rows = [("1-2", "im", "SpaceAfter=No"), ("1", "in", "_"), ("2", "dem", "_"), ("3", ".", "_")]
    found = treebank_text(conllu((["text = im."], rows)))
    assert found.text == "im."
    assert found.words == [("in", "dem"), None]


def test_without_text_the_spaces_of_misc_count():
    found = treebank_text(conllu(([], GO), (["text = Go!"], GO)))
    assert found.text == "Go! Go!"
    assert found.notes == ["1 of 2 sentences (sentence 1) has no `# text`: it is joined by SpaceAfter."]


def test_inconsistent_text_is_said_and_the_forms_are_taken():
    found = treebank_text(conllu((["text = Gone!"], GO), (["text = Go!"], GO)))
    assert found.text == "Go! Go!"
    assert found.notes == [
        "1 of 2 sentences (sentence 1) has a `# text` that differs from the forms: the forms are taken."
    ]


def test_text_wins_over_misc_and_spaces_may_be_inside_tokens():
    found = treebank_text(
        conllu((["text = 3 000  km ."], [("1", "3 000", "_"), ("2", "km", "_"), ("3", ".", "_")]))
    )
    assert found.text == "3 000  km ."
    assert found.tokens == ["3 000", "km", "."]
    found = treebank_text(conllu((["text = a b c"], [("1", "ab", "_"), ("2", "c", "_")])))
    assert found.tokens == ["a b", "c"]


@pytest.mark.parametrize(
    ("forms", "text"),
    [
        (["他", "來", "了", "。"], "他來了。"),
        (["He", "(", "Bo", ")", "came", ",", "too", "."], "He (Bo) came, too."),
    ],
)
def test_a_treebank_without_spaces_gets_the_usual_ones(forms, text):
    found = treebank_text(conllu(([], [(str(k), form, "_") for k, form in enumerate(forms, 1)])))
    assert found.text == text
    assert found.notes[0].startswith("The treebank has neither `# text` nor SpaceAfter=No")


def test_other_columns_than_forms_are_not_enough():
    with pytest.raises(FormatError, match="needs the column FORM"):
        treebank_text(Corpus.from_columns({"word": [["a"]]}))
