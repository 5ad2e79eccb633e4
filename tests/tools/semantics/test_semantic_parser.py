"""Semantic parsers: answers, files, and bad input."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from palmette import FormatError, Perceptron, SemanticParser
from palmette.formats.model import ModelFile
from palmette.learning.loop import Report
from palmette.tools.semantics.database import Database, parse_table

pytestmark = pytest.mark.native

FACTS = parse_table(
    """#city\tname\tcountry\tpopulation
city\tParis\tFrance\t2100000
city\tLyon\tFrance\t520000
city\tNice\tFrance\t340000
city\tBerlin\tGermany\t3700000
city\tBonn\tGermany\t330000
city\tRome\tItaly\t2800000
#country\tname\tarea
country\tFrance\t640
country\tGermany\t357
country\tItaly\t301
#borders\tcountry\tneighbours
borders\tFrance\tGermany|Italy
borders\tGermany\tFrance
borders\tItaly\tFrance
"""
)
QUESTIONS = {
    "which cities are in France": "Paris|Lyon|Nice",
    "cities of Germany": "Berlin|Bonn",
    "what is the population of Rome": "2800000",
    "what is the population of Lyon": "520000",
    "how many cities are in France": "3",
    "how many cities are there": "6",
    "what is the largest city in France": "Paris",
    "what is the largest city": "Berlin",
    "which country borders Italy": "France",
    "which countries border France": "Germany|Italy",
    "how many people live in Nice": "340000",
    "how many people live in Berlin": "3700000",
    "what is the area of Italy": "301",
    "which country borders the most countries": "France",
    "which country has the most cities": "France",
    "in which country is Bonn": "Germany",
    "in which country is Rome": "Italy",
    "which big cities are in Germany": "Berlin",
    "which big cities are in France": "Paris",
    "what are the big cities": "Paris|Berlin|Rome",
}


def trained(**more: Any) -> SemanticParser:
    return SemanticParser(FACTS, **more).fit(list(QUESTIONS), list(QUESTIONS.values()))


@pytest.fixture(scope="module")
def parser() -> SemanticParser:
    return trained()


@pytest.mark.parametrize(
    ("question", "want"),
    [
        ("which cities are in Italy", "Rome"),
        ("what is the population of Bonn", "330000"),
        ("how many cities are in Germany", "2"),
        ("which countries border Germany", "France"),
        ("how many people live in Paris", "2100000"),
        ("what is the largest city in Germany", "Berlin"),
        ("which big cities are in Italy", "Rome"),
    ],
)
def test_questions_that_were_not_seen(parser: SemanticParser, question: str, want: str) -> None:
    (answer,) = parser.predict([question])
    assert answer.text == want
    assert answer.tree is not None
    assert answer.draw()
    assert answer.meaning
    assert 0 < (answer.probability or 0) <= 1


def test_meanings_in_words(parser: SemanticParser) -> None:
    said = [
        answer.meaning for answer in parser.predict(["cities of Germany", "what is the population of Rome"])
    ]
    assert said == ["cities whose country is germany", "population of rome"]
    (big,) = parser.predict(["which big cities are in Germany"])
    assert "big" in big.meaning
    assert "cities" in big.meaning


def test_words_learn_what_they_mean(parser: SemanticParser) -> None:
    learned = parser.model_.lexicon.learned
    assert "city.population" in learned["people"]
    assert any(name.startswith("city.population > ") for name in learned["big"])


def test_answers_that_there_are_none_of(parser: SemanticParser) -> None:
    reasons = [answer.reason for answer in parser.predict(["", "?!", "who sings the blues", "the the the"])]
    assert reasons[:2] == ["the question has no words"] * 2
    assert all(reason == "no word of the question names anything in the database" for reason in reasons[2:])
    assert str(parser.predict([""])[0]) == "I do not know: the question has no words"


def test_confidence(parser: SemanticParser) -> None:
    parser.confidence = 1.1
    try:
        (answer,) = parser.predict(["cities of Germany"])
    finally:
        parser.confidence = 0.0
    assert not answer.known
    assert "below 1.1" in answer.reason
    assert parser.predict(["cities of Germany"])[0].known


def test_files_give_the_same_answers(parser: SemanticParser, tmp_path: Path) -> None:
    parser.save(tmp_path / "m.palm")
    loaded = SemanticParser.load(tmp_path / "m.palm")
    assert loaded.kbest(list(QUESTIONS), 3) == parser.kbest(list(QUESTIONS), 3)
    loaded.save(tmp_path / "again.palm")
    assert (tmp_path / "again.palm").read_bytes() == (tmp_path / "m.palm").read_bytes()


def test_the_same_seed_gives_the_same_model(parser: SemanticParser) -> None:
    assert trained().model_.weights == parser.model_.weights


def test_other_learners() -> None:
    assert trained(learner=Perceptron(n_iter=5)).score(list(QUESTIONS), list(QUESTIONS.values())) > 0.7


def test_triggers_of_a_user() -> None:
    more = {"folk": ["city.population"], "huge": ["city.population > 3000000"], "please": ["-"]}
    parser = trained(triggers=more)
    answers = [one.text for one in parser.predict(["folk of Bonn", "huge cities", "please cities of Italy"])]
    assert answers == ["330000", "Berlin", "Rome"]
    with pytest.raises(ValueError, match=r"there is no predicate 'city\.size'"):
        SemanticParser(FACTS, triggers={"size": ["city.size"]}).fit(["a"], ["1"])


def test_answers_as_lists_and_numbers(parser: SemanticParser) -> None:
    assert (
        parser.score(["cities of Germany", "what is the population of Rome"], [["Berlin", "Bonn"], 2800000])
        == 1
    )
    assert parser.score(["cities of Germany"], ["[cityid(berlin),cityid('Bonn')]"]) == 1
    assert parser.score(["cities of Germany"], [["Berlin"]]) == 0
    assert parser.score(["cities of Germany"], [["Atlantis"]]) == 0


def test_a_dev_set_chooses_the_pass() -> None:
    seen: list[Report] = []
    x, y = list(QUESTIONS), list(QUESTIONS.values())
    parser = SemanticParser(FACTS, options={"rounds": 2}).fit(x, y, dev=(x, y), callback=seen.append)
    assert len(seen) == 2
    assert max(report.numbers["dev"] for report in seen) == parser.score(x, y)


def test_an_interruption_keeps_the_last_pass() -> None:
    def stop(report: Report) -> None:
        raise KeyboardInterrupt

    parser = SemanticParser(FACTS).fit(list(QUESTIONS), list(QUESTIONS.values()), callback=stop)
    assert parser.interrupted_
    assert len(parser.history_) == 1
    assert parser.predict(["cities of Germany"])[0].known


@pytest.mark.parametrize("facts", ["", "#city\tname\tcountry\n"])
def test_a_database_without_facts_is_refused(facts: str) -> None:
    with pytest.raises(ValueError, match="The database has no facts"):
        SemanticParser(parse_table(facts)).fit(["which cities are there"], ["Paris"])


def test_questions_about_another_database_are_refused() -> None:
    with pytest.raises(ValueError, match="Are the questions about this database"):
        SemanticParser(FACTS).fit(["who wrote Faust", "who wrote Emma"], ["Goethe", "Austen"])


def test_questions_that_no_tree_answers_are_listed() -> None:
    x, y = [*QUESTIONS, "who wrote Faust"], [*QUESTIONS.values(), "Goethe"]
    parser = SemanticParser(FACTS).fit(x, y)
    assert parser.unreached_ == ("who wrote Faust",)
    assert SemanticParser.from_model(parser.to_model()).unreached_ == parser.unreached_


def test_words_that_training_never_saw_make_an_answer_less_probable(parser: SemanticParser) -> None:
    plain, strange = parser.predict(["which cities of Germany", "which cities of Germany did Napoleon visit"])
    assert plain.values == strange.values
    assert plain.probability is not None
    assert strange.probability == pytest.approx(plain.probability / 4)
    assert parser.kbest(["cities of Germany did Napoleon"], 1)[0][0].log_probability == pytest.approx(
        parser.kbest(["cities of Germany"], 1)[0][0].log_probability - math.log(2)
    )


def test_a_predicate_without_facts(parser: SemanticParser) -> None:
    database = Database.of(
        {"city": [("Paris", 2), ("Rome", 3)], "lake": []}, {"city": ["name", "size"], "lake": ["name"]}
    )
    made = SemanticParser(database).fit(["size of Paris"], ["2"])
    assert made.predict(["size of Rome"])[0].text == "3"


def test_a_cyclic_database() -> None:
    facts = {"part": [("wheel", "car"), ("car", "train"), ("train", "wheel")]}
    database = Database.of(facts, {"part": ["name", "whole"]})
    made = SemanticParser(database).fit(["whole of wheel", "whole of car"], ["car", "train"])
    assert made.predict(["whole of train"])[0].text == "wheel"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: SemanticParser().fit(["a"], ["b"]), ValueError, "needs a database"),
        (lambda: SemanticParser(FACTS).fit([], []), ValueError, "no examples to learn from"),
        (
            lambda: SemanticParser(FACTS).fit(["a"], []),
            ValueError,
            "one answer for every question. Got 0 for 1",
        ),
        (lambda: SemanticParser(FACTS).fit([3], ["b"]), TypeError, "A question is a string. Got 3"),
        (lambda: SemanticParser(FACTS, language="xx").fit(["a"], ["b"]), ValueError, "must be one of en, de"),
        (
            lambda: SemanticParser(FACTS, options={"widht": 3}).fit(["a"], ["b"]),
            ValueError,
            "did you mean 'width'",
        ),
        (lambda: SemanticParser(FACTS).predict(["a"]), ValueError, "not trained"),
        (lambda: SemanticParser(FACTS).fit(["a"], ["[f(x"]), FormatError, "not an answer"),
        (lambda: trained().predict(["city " * 300]), ValueError, "may have 200 words"),
        (lambda: trained().explain(3), TypeError, "A question is a string"),  # type: ignore[arg-type]
    ],
)
def test_bad_input(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def changed(parser: SemanticParser, **options: Any) -> ModelFile:
    file = parser.to_model()
    return ModelFile(file.kind, {**file.options, **options}, file.arrays, file.strings)


@pytest.mark.parametrize(
    "options",
    [
        {"columns": 3},
        {"columns": [["city", "name"]]},
        {"columns": [[3]]},
        {"learned": {"big": ["__import__('os')"]}},
        {"learned": {"big": "city"}},
        {"triggers": ["city"]},
        {"functors": None},
        {"language": "xx"},
        {"options": {"width": -1}},
        {"options": {"nothing": 1}},
        {"training": []},
    ],
)
def test_hostile_files_are_refused(parser: SemanticParser, options: Any) -> None:
    with pytest.raises(FormatError):
        SemanticParser.from_model(changed(parser, **options))


def test_hostile_arrays_are_refused(parser: SemanticParser) -> None:
    file = parser.to_model()
    for arrays, strings in [
        ({"weights": file.arrays["weights"] * float("inf")}, file.strings),
        ({"weights": file.arrays["weights"][1:]}, file.strings),
        ({}, file.strings),
        (file.arrays, {**file.strings, "facts": ["{}"]}),
        (file.arrays, {**file.strings, "facts": ["[1, 2]"]}),
        (file.arrays, {**file.strings, "facts": ['["city", ["x"]]']}),
        (file.arrays, {**file.strings, "facts": ['["city", {"a": 1}, ["x"], [3]]']}),
    ]:
        with pytest.raises(FormatError):
            SemanticParser.from_model(ModelFile(file.kind, file.options, arrays, strings))


def test_triggers_leave_superlatives_alone() -> None:
    parser = trained(triggers={"large": ["city.population"]})
    assert parser.predict(["what is the largest city in France"])[0].text == "Paris"
    assert parser.predict(["how large is Bonn"])[0].text == "330000"


def test_counts_say_by_what(parser: SemanticParser) -> None:
    (answer,) = parser.predict(["which country borders the most countries"])
    assert answer.text == "France"
    assert answer.meaning.endswith("with the most countries (borders)")


def test_after_and_before_compare_years() -> None:
    database = Database.of(
        {"book": [("Faust", 1808, 4612), ("Emma", 1815, 1474), ("Ulysses", 1922, 265)]},
        {"book": ["title", "year", "lines"]},
    )
    made = SemanticParser(database).fit(["year of Emma", "lines of Faust"], ["1815", "4612"])
    found = made.predict(["which books after 1810", "books before 1900", "books with more lines than Emma"])
    assert [one.text for one in found] == ["Emma, Ulysses", "Faust, Emma", "Faust"]
