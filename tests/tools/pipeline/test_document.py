"""Documents: places in the text, values of tokens, formats."""

from __future__ import annotations

import json

import numpy as np
import pytest

from palmette.formats.conllu import parse_conllu
from palmette.formats.corpus import Corpus
from palmette.tools.pipeline.document import Document
from palmette.tools.pipeline.joining import join_corpora
from palmette.tools.tokens.treebank_text import treebank_text

pytestmark = pytest.mark.native

FRENCH = """\
# newpar
# sent_id = 1
# text = Il va au parc.
1\tIl\til\tPRON\t_\tPerson=3\t2\tnsubj\t_\t_
2\tva\taller\tVERB\t_\t_\t0\troot\t_\t_
3-4\tau\t_\t_\t_\t_\t_\t_\t_\t_
3\tà\tà\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_
5\tparc\tparc\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\tSpacesAfter=\\s\\n

# newpar
# sent_id = 2
# text = Oui
1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\t_

"""


@pytest.fixture
def document() -> Document:
    corpus = parse_conllu(FRENCH)
    corpus = corpus.with_column("entity", [["O", "O", "O", "O", "B-LOC", "O"], ["O"]])
    text = treebank_text(corpus)
    placed = text.segmented(corpus)
    p = {"upos": np.linspace(0.5, 1, 7, dtype=np.float32), "head": np.full(7, 0.75, np.float32)}
    return Document(text.text, corpus, placed.begins, placed.ends, p)


def test_places_are_those_of_the_text(document: Document) -> None:
    assert document.text == "Il va au parc.\n\nOui"
    found = [(token.text, document.text[token.start : token.end]) for token in document]
    assert found == [
        ("Il", "Il"),
        ("va", "va"),
        ("à", "au"),
        ("le", "au"),
        ("parc", "parc"),
        (".", "."),
        ("Oui", "Oui"),
    ]
    assert [sentence.text for sentence in document.sentences] == ["Il va au parc.", "Oui"]
    assert [token.multiword for token in document.sentences[0]] == [None, None, "au", "au", None, None]


def test_the_values_of_a_token(document: Document) -> None:
    token = document[0]
    assert (token.id, token.lemma, token.upos, token.xpos, token.feats) == (1, "il", "PRON", None, "Person=3")
    assert (token.head, token.deprel, token.entity) == (2, "nsubj", None)
    assert token.probabilities == {"upos": 0.5, "head": 0.75}
    assert token.confidence == 0.5
    assert document.sentences[1][0].id == 1
    assert document[4].entity == "B-LOC"
    assert document.entities == [("LOC", "parc", 9, 13)]
    assert len(document) == 7
    assert document.sentences[0].tree is not None
    assert document.sentences[0].tree.heads == (2, 0, 5, 5, 2, 2)


def test_conllu_is_what_was_read_with_entities_and_probabilities(document: Document) -> None:
    plain = Document(document.text, parse_conllu(FRENCH), document.begins, document.ends)
    assert plain.to_conllu() == FRENCH
    again = parse_conllu(document.to_conllu())
    assert again[0]["misc"][4] == "SpaceAfter=No|Entity=B-LOC|UposProb=0.8333|HeadProb=0.7500"
    assert "Entity" not in again[0]["misc"][0]


def test_json_has_all_of_it(document: Document) -> None:
    found = json.loads(document.to_json())
    assert found == json.loads(json.dumps(document.to_dict()))
    assert found["text"] == document.text
    assert [len(one["tokens"]) for one in found["sentences"]] == [6, 1]
    assert found["sentences"][0]["tokens"][2] == {
        "id": 3,
        "text": "à",
        "start": 6,
        "end": 8,
        "lemma": "à",
        "upos": "ADP",
        "head": 5,
        "deprel": "case",
        "multiword": "au",
        "probabilities": {"upos": 0.6667, "head": 0.75},
    }
    assert found["entities"] == [{"type": "LOC", "text": "parc", "start": 9, "end": 13}]


def test_html_draws_every_sentence(document: Document) -> None:
    assert document._repr_html_().count("<svg") == 2
    bare = Corpus.from_columns({"form": [["<b>"]]})
    one = Document("<b>", bare, np.zeros(1, np.int64), np.full(1, 3, np.int64))
    assert "&lt;b&gt;</text>" in one._repr_html_()
    assert one[0].head is None
    assert one.sentences[0].tree is None


def test_a_place_for_every_word() -> None:
    with pytest.raises(ValueError, match="A document of 1 words needs a place for each"):
        Document("a", Corpus.from_columns({"form": [["a"]]}), np.zeros(0, np.int64), np.zeros(0, np.int64))


def test_joined_corpora_are_one_after_the_other() -> None:
    corpus = parse_conllu(FRENCH)
    joined = join_corpora([corpus, corpus[1:], corpus])
    assert len(joined) == 5
    assert [joined[i]["form"] for i in range(5)] == [corpus[i]["form"] for i in (0, 1, 1, 0, 1)]
    assert joined[3].ranges == [(3, 4, "au")]
    assert joined[3].comments == corpus[0].comments
    assert joined.heads is not None
    assert joined.heads.tolist() == [*corpus.heads, *corpus.heads[-1:], *corpus.heads]
    with pytest.raises(ValueError, match="other columns"):
        join_corpora([corpus, Corpus.from_columns({"form": [["a"]]})])
