"""Answers are those of the command line, for every tool; constraints are kept; options are checked."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from palmette.serve.models import Models
from palmette.tools.lm.model import LanguageModel
from serve.conftest import EXAMPLES, serving, train

# The tool, the fields of a request, what the command line reads and its options.
SAME: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("en", {"text": "Time flies like an arrow. It does."}, "Time flies like an arrow. It does.", []),
    ("en", {"text": "Time flies.", "probabilities": True}, "Time flies.", ["--probabilities"]),
    ("en", {"text": "Time flies.", "kbest": 3}, "Time flies.", ["--kbest", "3"]),
    ("tag", {"text": "The dog sleeps.", "probabilities": True}, "The dog sleeps.", ["--probabilities"]),
    ("spans", {"text": "Mr Smith left Rome."}, "Mr Smith left Rome.", []),
    ("parse", {"text": "the dog sleeps", "kbest": 2}, "the dog sleeps", ["--kbest", "2"]),
    (
        "classify",
        {"sentences": ["ice falls", "hot sun"], "probabilities": True},
        "ice falls\nhot sun\n",
        ["--probabilities"],
    ),
    ("align", {"pairs": [["the house", "das Haus"]]}, "the house\tdas Haus\n", []),
    (
        "translate",
        {"text": "das Kind sieht den Garten .", "alignment": True},
        "das Kind sieht den Garten .",
        ["--alignment"],
    ),
    ("tokens", {"text": "A dog sleeps. It does."}, "A dog sleeps. It does.", []),
    ("lm", {"text": "the dog sleeps\n", "words": True}, "the dog sleeps\n", ["--words"]),
]


@pytest.mark.parametrize(("model", "body", "text", "options"), SAME)
def test_predict_is_that_of_the_command_line(
    model: str,
    body: dict[str, Any],
    text: str,
    options: list[str],
    client: TestClient,
    palmette: Callable[..., str],
    trained: dict[str, str],
    tmp_path: Path,
) -> None:
    (tmp_path / "input").write_text(text)
    format = ["--format", "text"] if model in ("en", "tag", "spans", "parse") else []
    printed = palmette("predict", trained.get(model, model), tmp_path / "input", "--jsonl", *format, *options)
    answer = client.post("/v1/predict", json={"model": model, **body})
    assert answer.status_code == 200, answer.text
    assert answer.json()["results"] == [json.loads(line) for line in printed.splitlines()]
    lines = client.post("/v1/predict", json={"model": model, **body, "stream": True})
    assert lines.headers["content-type"].startswith("application/x-ndjson")
    assert lines.text == printed


@pytest.mark.parametrize(
    ("model", "body", "arguments"),
    [
        ("en", {"text": "Time flies.", "token": 2}, ["Time flies.", "--token", "2"]),
        ("tag", {"text": "The dog sleeps."}, ["The dog sleeps."]),
        ("parse", {"text": "the dog sleeps"}, ["the dog sleeps"]),
        ("classify", {"text": "ice falls"}, ["ice falls"]),
        ("align", {"pairs": [["the house", "das Haus"]]}, ["the house", "das Haus"]),
        ("translate", {"text": "das Kind"}, ["das Kind"]),
        ("lm", {"text": "the dog"}, ["the dog"]),
        ("tokens", {"text": "A dog sleeps."}, ["A dog sleeps."]),
    ],
)
def test_explain_is_that_of_the_command_line(
    model: str,
    body: dict[str, Any],
    arguments: list[str],
    client: TestClient,
    palmette: Callable[..., str],
    trained: dict[str, str],
) -> None:
    printed = json.loads(palmette("explain", trained.get(model, model), *arguments, "--json"))
    answer = client.post("/v1/explain", json={"model": model, **body})
    assert answer.status_code == 200, answer.text
    assert answer.json()["explanation"] == printed


def test_contributions_sum_to_the_margin(client: TestClient) -> None:
    answer = client.post("/v1/explain", json={"model": "en", "text": "Time flies like an arrow.", "top": 4})
    for decision in answer.json()["explanation"]["tokens"]:
        total = math.fsum(part["amount"] for part in decision["contributions"]) + decision["rest"]
        assert len(decision["contributions"]) <= 4
        assert total == pytest.approx(decision["margin"], abs=1e-3)


def test_kbest_and_the_names_of_tools(client: TestClient) -> None:
    ranked = client.post("/v1/kbest", json={"model": "en", "text": "Time flies."}).json()["results"][0][
        "kbest"
    ]
    assert 1 < len(ranked) <= 5
    assert client.post("/v1/pipeline", json={"text": "Time flies."}).json()["tool"] == "pipeline"
    assert client.post("/v1/align", json={"pairs": [["the", "das"]]}).json()["tool"] == "align"
    wrong = client.post("/v1/align", json={"model": "en", "text": "x"})
    assert wrong.status_code == 400
    assert "en" in wrong.json()["error"]


@pytest.mark.parametrize(("model", "field"), [("en", "heads"), ("en", "upos"), ("tag", "probabilities")])
def test_probabilities_are_distributions(model: str, field: str, client: TestClient) -> None:
    answer = client.post("/v1/probabilities", json={"model": model, "text": "The dog sleeps."})
    for token in answer.json()["results"][0]["tokens"]:
        assert sum(token[field].values()) == pytest.approx(1, abs=0.02)


def test_probabilities_of_classes_and_brackets(client: TestClient) -> None:
    lines = client.post("/v1/probabilities", json={"model": "classify", "text": "snow\nsun\n"}).json()[
        "results"
    ]
    assert [sum(one["probabilities"].values()) for one in lines] == [pytest.approx(1, abs=0.01)] * 2
    found = client.post("/v1/probabilities", json={"model": "parse", "text": "the dog sleeps"}).json()
    whole = [b for b in found["results"][0]["brackets"] if (b["first"], b["last"]) == (1, 3)]
    assert sum(b["probability"] for b in whole) >= 0.99
    none = client.post("/v1/probabilities", json={"model": "translate", "text": "x"})
    assert none.status_code == 400


def test_probabilities_of_links_and_next_words(client: TestClient, trained: dict[str, str]) -> None:
    pair = ["the house is small", "das Haus ist klein"]
    (found,) = client.post("/v1/probabilities", json={"model": "align", "pairs": [pair]}).json()["results"]
    assert found["source"] == pair[0].split()
    sums = Counter[int]()
    for link in found["links"]:
        sums[link["target"]] += link["probability"]
    assert sums[1] > 0.5
    chosen = client.post("/v1/predict", json={"model": "align", "pairs": [pair]}).json()["results"][0][
        "links"
    ]
    likely = {(one["source"], one["target"]): one["probability"] for one in found["links"]}
    for one in chosen:
        assert likely[one["source"], one["target"]] == pytest.approx(one["probability"], abs=1e-3)
    lm = LanguageModel.load(trained["lm"])
    body = {"model": "lm", "text": "the dog sleeps"}
    (line,) = client.post("/v1/probabilities", json=body).json()["results"]
    assert [one["word"] for one in line["words"]] == ["the", "dog", "sleeps", "</s>"]
    found = [one["probability"] for one in line["words"]]
    assert math.log10(math.prod(found)) == pytest.approx(lm.score("the dog sleeps"), abs=0.05)
    assert line["words"][1]["next"] == {
        word: pytest.approx(p, abs=1e-4) for word, p in lm.next_word("the", 20) if p >= 0.001
    }
    ranked = client.post("/v1/kbest", json={"model": "align", "pairs": [pair]})
    assert ranked.status_code in (200, 400)
    if ranked.status_code == 400:
        assert "take 'posterior'" in ranked.json()["error"]
    best = client.post("/v1/kbest", json={"model": "align", "pairs": [pair], "symmetrization": "posterior"})
    assert [len(best.json()["results"]), len(best.json()["results"][0]["kbest"])] == [1, 5]


@pytest.mark.parametrize(
    ("tool", "train_on", "body", "fields"),
    [
        ("morphology", "morphology/train.conllu", {"sentences": ["evde kitap"]}, ["upos", "feats"]),
        ("lemmas", "morphology/train.conllu", {"sentences": [[{"form": "evde", "upos": "NOUN"}]]}, ["lemma"]),
        ("sentiment", "sentiment/train.tsv", {"text": "a fine film\na dull film\n"}, ["probabilities"]),
    ],
)
def test_probabilities_of_words_and_documents(
    tool: str, train_on: str, body: dict[str, Any], fields: list[str], tmp_path: Path
) -> None:
    more = ["--subjectivity", EXAMPLES / "sentiment/sentences.tsv"] if tool == "sentiment" else []
    model = train(tool, tmp_path / "m.palm", "--train", EXAMPLES / train_on, *more)
    with serving(Models([model])) as client:
        assert "probabilities" in client.get("/v1/models").json()["models"][0]["verbs"]
        results = client.post("/v1/probabilities", json=body).json()["results"]
        predicted = client.post("/v1/predict", json=body).json()["results"]
    rows = [token for one in results for token in one.get("tokens", [one])]
    chosen = [token for one in predicted for token in one.get("tokens", [one])]
    assert len(rows) == len(chosen) > 0
    for row, best in zip(rows, chosen):
        for name in fields:
            assert sum(row[name].values()) == pytest.approx(1, abs=0.03)
            if name != "feats":  # the best analysis need not have the best value of each column
                assert next(iter(row[name])) == best["label" if name == "probabilities" else name]


def test_heads_that_are_given_are_kept(client: TestClient) -> None:
    words = "Time flies like an arrow".split()
    for head in (0, 1, 2, 5):
        sentence: list[Any] = list(words)
        sentence[2] = {"form": "like", "head": head}
        body = {"model": "en", "sentences": [sentence], "probabilities": True}
        answer = client.post("/v1/predict", json=body)
        if head == 0:
            assert answer.status_code == 200
        assert answer.json()["results"][0]["tokens"][2]["head"] == head


def test_labels_and_tags_that_are_given_are_kept(client: TestClient) -> None:
    sentence = ["The", {"form": "dog", "label": "VERB"}, "sleeps"]
    body = {"model": "tag", "sentences": [sentence], "probabilities": True}
    tokens = client.post("/v1/predict", json=body).json()["results"][0]["tokens"]
    assert tokens[1]["label"] == "VERB"
    assert tokens[1]["probability"] == pytest.approx(1, abs=1e-3)
    ranked = client.post("/v1/kbest", json={"model": "tag", "sentences": [sentence]}).json()["results"][0]
    assert {one["tokens"][1]["label"] for one in ranked["kbest"]} == {"VERB"}
    spans = ["Smith", {"form": "left", "label": "B-LOC"}]
    found = client.post("/v1/predict", json={"model": "spans", "sentences": [spans]}).json()["results"][0]
    assert found["tokens"][1]["label"] == "B-LOC"
    tagged = [{"form": "Time", "upos": "VERB"}, "flies"]
    parsed = client.post("/v1/predict", json={"model": "en", "sentences": [tagged]}).json()["results"][0]
    assert parsed["tokens"][0]["upos"] == "VERB"


def test_brackets_that_are_given_are_kept(client: TestClient) -> None:
    text = "(X (NP (D the) (N dog)) (V sleeps))"
    body = {"model": "parse", "text": text, "format": "brackets", "keep_brackets": True}
    answer = client.post("/v1/predict", json=body)
    assert answer.status_code == 200, answer.text
    assert "(NP " in answer.json()["results"][0]["tree"]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"text": 3}, 400, "text must be a string"),
        ({}, 400, "expected text"),
        ({"text": "a", "sentences": [["a"]]}, 400, "not both"),
        ({"sentences": [[]]}, 400, "sentence 1"),
        ({"sentences": [[{"form": "a\tb"}]]}, 400, "without tabs"),
        ({"sentences": [[{"form": "a", "head": "x"}]]}, 400, "a head is a number"),
        ({"sentences": [[{"form": "a", "head": 7}]]}, 400, "head"),
        ({"sentences": [["a", {"form": "b", "head": 2}]]}, 400, "token 2: a token cannot be its own head"),
        ({"sentences": [[{"form": ""}]]}, 400, "form must be a string that is not empty"),
        ({"sentences": [[{"form": "a", "odd": "x"}]]}, 400, "unknown field"),
        ({"text": "a", "model": "none"}, 404, "served are"),
        ({"text": "a", "model": 3}, 400, "model must be a string"),
        ({"text": "a", "nonsense": 1}, 400, "unknown option"),
        ({"text": "a", "kbest": 0}, 400, "kbest must be a number from 1"),
        ({"text": "a", "kbest": 1000}, 400, "kbest must be a number"),
        ({"text": "a", "kbest": True}, 400, "kbest must be a number"),
        ({"text": "a", "probabilities": "yes"}, 400, "true or false"),
        ({"text": "a", "format": "odd"}, 400, "one of"),
        ({"text": "a", "kbest": 2, "probabilities": True}, 400, "cannot be combined"),
        ({"text": "\ud800"}, 400, ""),
        ({"text": "a", "words": ["b"]}, 400, "give either text or words, not both"),
        ({"sentences": ["a"], "pairs": [["a", "b"]]}, 400, "give either sentences or pairs, not both"),
        ({"text": "a", "sentence": 1}, 400, "unknown option 'sentence'"),
        ({"text": "a", "stream": "yes"}, 400, "stream must be true or false"),
        ({"text": "w " * 501}, 400, "at most 500"),
        ({"sentences": [["w"] * 501]}, 400, "at most 500"),
    ],
)
def test_wrong_requests_get_one_sentence(body: Any, status: int, words: str, client: TestClient) -> None:
    sent = json.dumps({"model": "en", **body}).encode()
    answer = client.post("/v1/predict", content=sent, headers={"content-type": "application/json"})
    if body == {"text": "\ud800"}:
        assert answer.status_code in (200, 400)
        return
    assert answer.status_code == status, answer.text
    assert words in answer.json()["error"]
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"model": "en", "text": "a", "stream": True}, "unknown option 'stream'"),
        ({"model": "en", "text": "a", "sentence": 0}, "sentence must be a number from 1"),
        ({"model": "en", "text": "a", "words": ["a"]}, "give either text or words, not both"),
        ({"model": "tokens", "text": "a", "sentence": 1}, "explains one input: leave sentence out"),
    ],
)
def test_what_explain_does_not_take(body: dict[str, Any], words: str, client: TestClient) -> None:
    answer = client.post("/v1/explain", json=body)
    assert answer.status_code == 400, answer.text
    assert words in answer.json()["error"]


@pytest.mark.parametrize("verb", ["predict", "kbest", "probabilities"])
def test_what_is_wrong_from_the_start_is_no_stream(verb: str, client: TestClient) -> None:
    body = {"model": "tag", "sentences": [["w"] * 501], "stream": True}
    assert client.post(f"/v1/{verb}", json=body).status_code == 400


def test_an_error_in_the_middle_of_a_stream_is_its_last_line(client: TestClient) -> None:
    text = "One word.\n\n" * 30_000 + "w " * 600
    answer = client.post("/v1/predict", json={"model": "tag", "text": text, "stream": True})
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert answer.status_code == 200
    assert len(lines) > 1000
    assert "at most 500" in lines[-1]["error"]
    assert all("tokens" in line for line in lines[:-1])


def test_a_sentence_that_the_grammar_does_not_cover(client: TestClient) -> None:
    text = "the dog in the old garden sees a cat that the man with the hat likes and the woman sleeps in the tree"
    for more in ({}, {"probabilities": True}):
        answer = client.post("/v1/predict", json={"model": "parse", "text": text, **more})
        assert answer.status_code == 200
        (found,) = answer.json()["results"]
        assert found["tree"].startswith("(TOP")
        assert "score" not in found
