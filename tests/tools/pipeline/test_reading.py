"""How text is read: line ends, sentences and tokens that are known, a user's dictionary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from palmette import Pipeline, Tagger
from palmette.formats.corpus import Corpus
from palmette.tools.morphology import Lemmatizer, Morphology
from palmette.tools.morphology.lexicon import Lexicon

pytestmark = pytest.mark.native

DATA = Path(__file__).parents[3] / "examples" / "pipelines"
TWO_LINES = "Ana va\na Lima.\n"


@pytest.fixture(scope="module")
def nlp(corpus: Corpus) -> Pipeline:
    return Pipeline(without=["parser"], jackknife=0, language="es").fit(corpus)


def sentences(document: Any) -> list[list[str]]:
    return [[token.text for token in sentence] for sentence in document.sentences]


def test_line_ends(nlp: Pipeline) -> None:
    want = {"sentence": 2, "paragraph": 1, "space": 1, None: 1}
    for newlines, n in want.items():
        assert len(nlp(TWO_LINES, newlines=newlines).sentences) == n
        assert [len(one.sentences) for one in nlp.pipe([TWO_LINES] * 2, newlines=newlines)] == [n, n]
        assert sum(len(one.sentences) for one in nlp.stream([TWO_LINES], newlines=newlines)) == n
    gap = "Ana va\n\na Lima."
    assert len(nlp(gap).sentences) == 2
    assert len(nlp(gap, newlines="space").sentences) == 1
    by_rules = Pipeline.of(nlp.step("morphology"), language="es")
    assert len(by_rules(TWO_LINES, newlines="sentence").sentences) == 2
    assert len(by_rules(TWO_LINES).sentences) == 1


def test_sentences_and_tokens_that_are_known(nlp: Pipeline) -> None:
    text = "Ana va. Luis corre.\nEl perro!"
    assert len(nlp(text, presegmented=True).sentences) == 2
    assert len(nlp(text).sentences) == 3
    assert sentences(nlp("Ana. va!", pretokenized=True)) == [["Ana.", "va!"]]
    both = nlp("Ana. va!\nLuis", pretokenized=True, presegmented=True, newlines="sentence")
    assert sentences(both) == [["Ana.", "va!"], ["Luis"]]
    assert not nlp.tokenizer_.pretokenized  # the pipeline itself stays as it is


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"newlines": "wings"}, "must be one of space, paragraph, sentence"),
        ({"presegmented": True, "newlines": "space"}, "leave newlines=space out"),
    ],
)
def test_what_contradicts_itself(nlp: Pipeline, asked: dict[str, Any], told: str) -> None:
    for call in (
        lambda: nlp("a", **asked),
        lambda: next(nlp.pipe(["a"], **asked)),
        lambda: next(nlp.stream(["a"], **asked)),
    ):
        with pytest.raises(ValueError, match=told):
            call()


def test_what_does_not_apply(nlp: Pipeline) -> None:
    with pytest.raises(ValueError, match="newlines does not apply: it is for strings"):
        nlp([["Ana"]], newlines="space")
    with pytest.raises(ValueError, match="no columns whose values could be kept"):
        nlp("Ana", keep=["upos"])
    by_rules = Pipeline.of(nlp.step("morphology"))
    for asked in ({"presegmented": True}, {"pretokenized": True}, {"newlines": "space"}):
        with pytest.raises(ValueError, match="need a learned tokenizer"):
            by_rules("a", **asked)


def test_a_dictionary_comes_before_all_that_was_learned(nlp: Pipeline, tmp_path: Path) -> None:
    text = "Ana va al mercado ."
    before = {token.text: token for token in nlp(text)}
    assert (before["Ana"].lemma, before["Ana"].upos) == ("Ana", "PROPN")
    rows = [
        ("Ana", "ANITA", "NOUN", "Wings=Two"),
        ("mercado", "Markt"),
        ("va", "ir", "VERB"),
        ("va", "vado", "NOUN"),
    ]
    (tmp_path / "words.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    for given in (rows, tmp_path / "words.tsv", Lexicon.given(rows)):
        told = nlp.with_dictionary(given)
        after = {token.text: token for token in told(text)}
        assert (after["Ana"].lemma, after["Ana"].upos, after["Ana"].feats) == ("ANITA", "NOUN", "Wings=Two")
        assert after["mercado"].lemma == "Markt"
        assert after["mercado"].upos == before["mercado"].upos  # "_" fits any
        assert after["va"].lemma == {"VERB": "ir", "NOUN": "vado"}[after["va"].upos]
    assert nlp(text)[0].lemma == "Ana"
    told.save(tmp_path / "told.palm")
    assert Pipeline.load(tmp_path / "told.palm")(text).to_conllu() == told(text).to_conllu()
    other = told.with_dictionary([("Ana", "Anne")])  # the last one first, word by word
    assert [other(text)[0].lemma, other(text)[5 - 1].lemma] == ["Anne", "Markt"]
    kept = told.annotate(Corpus.from_columns({"form": [["Ana"]], "upos": [["X"]]}), keep=["upos"])
    assert kept.column("upos").values() == ["X"]


def test_a_dictionary_needs_a_step_that_has_use_for_it(nlp: Pipeline, corpus: Corpus) -> None:
    alone = Pipeline().fit(corpus, only=["tokens"])
    with pytest.raises(ValueError, match="is for the steps that fill tags and lemmas"):
        alone.with_dictionary([("a", "b")])
    for tool in (nlp.step("morphology").with_lexicon, nlp.step("lemmas").with_dictionary):
        with pytest.raises(TypeError, match="must be a file, or rows"):
            tool(None)
    with pytest.raises(FileNotFoundError):
        nlp.with_dictionary("/nowhere/words.tsv")


def test_a_dictionary_of_taggers(corpus: Corpus, tmp_path: Path) -> None:
    nlp = Pipeline.of(*(Tagger(column=name).fit(corpus) for name in ("upos", "feats")))
    told = nlp.with_dictionary([("perro", "_", "WINGS", "Two=Yes"), ("corre", "_", "X"), ("corre", "_", "Y")])
    told.save(tmp_path / "told.palm")
    for made in (told, Pipeline.load(tmp_path / "told.palm")):
        assert (made("El perro corre")[1].upos, made("El perro corre")[1].feats) == ("WINGS", "Two=Yes")
        assert (
            made("El perro corre")[2].upos == nlp("El perro corre")[2].upos
        )  # two may be right: the tagger says
    assert nlp("El perro corre")[1].upos == "NOUN"


def test_a_lexicon_that_constrains_in_training(corpus: Corpus) -> None:
    lexicon = [("perro", "perro", "VERB")]
    asked = {"lexicon": Lexicon.given(lexicon), "only": ["morphology"]}
    free, bound = (Pipeline().fit(corpus, constrain=constrain, **asked) for constrain in (False, True))
    assert bound("El perro corre.")[1].upos == "VERB"
    assert free("El perro corre.")[1].upos == "NOUN"
    assert Pipeline.from_model(bound.to_model())("El perro corre.")[1].upos == "VERB"
    assert bound.with_dictionary([("corre", "correr", "NOUN")])("El perro corre.")[1].upos == "VERB"


def test_the_tools_alone(corpus: Corpus) -> None:
    morphology, lemmas = Morphology(columns=["upos"]).fit(corpus), Lemmatizer().fit(corpus)
    assert morphology.with_lexicon([("perro", "_", "VERB")]).predict([["El", "perro"]])[0][1].upos == "VERB"
    assert morphology.predict([["El", "perro"]])[0][1].upos == "NOUN"
    assert lemmas.with_dictionary([("perro", "can")]).predict([["perro"]]) == [["can"]]
    assert lemmas.predict([["perro"]]) == [["perro"]]


def test_the_best_lemmas_of_a_document(nlp: Pipeline) -> None:
    document = nlp("Ana va.")
    found = nlp.step("lemmas").candidates(document.corpus, 3)
    assert [ranked[0].output for ranked in found[0]] == [token.lemma for token in document]
