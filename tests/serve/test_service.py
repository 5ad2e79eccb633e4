"""Overload, time limits, replaced models, counts, the description, and a real process that is stopped."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from palmette.cli import main
from palmette.serve.app import application
from palmette.serve.asking import Asked
from palmette.serve.limits import Limits
from palmette.serve.models import Models
from serve.conftest import EXAMPLES, serving


def test_overload_is_answered_with_a_time_to_come_back(
    every_model: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, release = threading.Semaphore(0), threading.Event()

    def slow(self: Asked, **more: object) -> object:
        entered.release()
        assert release.wait(30)
        return iter([b'{"done": true}\n'])

    monkeypatch.setattr(Asked, "predict", slow)
    found: list[int] = []
    with serving(every_model, Limits(workers=1, waiting=1)) as client:

        def ask() -> None:
            found.append(client.post("/v1/predict", json={"text": "a"}).status_code)

        threads = [threading.Thread(target=ask) for _ in range(2)]
        threads[0].start()
        assert entered.acquire(timeout=30)
        threads[1].start()
        for _ in range(1000):  # until it waits in the queue
            answer = client.post("/v1/predict", json={"text": "a"}) if _full(client) else None
            if answer is not None:
                break
        assert answer is not None
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1
        assert client.get("/health").status_code == 200
        release.set()
        for thread in threads:
            thread.join()
        assert found == [200, 200]
        assert client.post("/v1/predict", json={"text": "a"}).status_code == 200


def _full(client: TestClient) -> bool:
    return "palmette_queue_pending 2" in client.get("/metrics").text


def test_work_that_takes_too_long(every_model: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    def slow(self: Asked, **more: object) -> object:
        assert release.wait(30)
        return iter([])

    monkeypatch.setattr(Asked, "predict", slow)
    with serving(every_model, Limits(seconds=0.05)) as client:
        answer = client.post("/v1/predict", json={"text": "a"})
        assert answer.status_code == 504
        assert "0.05 s" in answer.json()["error"]
        release.set()


def test_errors_inside_are_not_told(every_model: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Asked, **more: object) -> object:
        raise KeyError("a secret")

    monkeypatch.setattr(Asked, "predict", broken)
    with serving(every_model) as client:
        answer = client.post("/v1/predict", json={"text": "a"})
    assert answer.status_code == 500
    assert "secret" not in answer.text


def test_a_replaced_model_is_read_again(trained: dict[str, str], tmp_path: Path) -> None:
    shutil.copy(trained["tag"], tmp_path / "m.palm")
    notes: list[str] = []
    models = Models([str(tmp_path / "m.palm")], notes.append)
    before = models.find("m")
    models.refresh()
    assert models.find("m") is before
    (tmp_path / "new").write_bytes(b"not a model")
    (tmp_path / "new").replace(tmp_path / "m.palm")
    models.refresh()
    models.refresh()
    assert models.find("m") is before
    assert len(notes) == 1
    shutil.copy(trained["classify"], tmp_path / "new")
    (tmp_path / "new").replace(tmp_path / "m.palm")
    models.refresh()
    assert models.find("m").tool.name == "classify"
    assert models.reloads == 1
    # a request under way ends with the model it began with
    found = list(Asked(before, {"text": "The dog"}, Limits()).predict())
    assert json.loads(found[0])["tokens"][0]["token"] == "The"


ONCE = {
    "tokens": ("parsing/train.conllu", {"text": "A dog."}),
    "morphology": ("morphology/train.conllu", {"sentences": ["A dog"]}),
    "lemmas": ("morphology/train.conllu", {"sentences": [[{"form": "evde", "upos": "NOUN"}]]}),
    "thesaurus": ("thesaurus/farm.conllu", {"words": ["dog"]}),
    "rules": ("rules/news.conllu", {"words": ["x"]}),
}


@pytest.mark.parametrize("name", list(ONCE))
def test_a_model_is_made_once_and_not_for_each_request(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, body = ONCE[name]
    assert main(["train", name, "--train", str(EXAMPLES / train), "-q", "-o", str(tmp_path / "m.palm")]) == 0
    models = Models([str(tmp_path / "m.palm")])
    kind = type(models.find("m").object)

    def again(*arguments: object, **more: object) -> object:
        raise AssertionError("restored for a request")

    monkeypatch.setattr(kind, "from_model", again)
    with serving(models) as client:
        for _ in range(2):
            assert client.post("/v1/predict", json=body).status_code in (200, 400)


def test_models_of_the_same_name_are_refused(trained: dict[str, str], tmp_path: Path) -> None:
    shutil.copy(trained["tag"], tmp_path / "lm.palm")
    with pytest.raises(ValueError, match="two models have the name 'lm'"):
        Models([trained["lm"], str(tmp_path / "lm.palm")])


def test_health_models_and_metrics(client: TestClient) -> None:
    assert client.get("/health").json()["status"] == "ok"
    found = {one["name"]: one for one in client.get("/v1/models").json()["models"]}
    assert found["en"]["tool"] == "pipeline"
    assert set(found["en"]["verbs"]) == {"predict", "explain", "kbest", "probabilities"}
    client.post("/v1/predict", json={"model": "en", "text": "a"})
    client.post("/v1/predict", json={"model": 'x"\n', "text": "a"})
    text = client.get("/metrics").text
    assert 'palmette_requests_total{verb="predict",model="en",status="200"} 1' in text
    assert re.search(r'palmette_request_seconds_bucket\{le="\+Inf"\} \d+', text)
    for line in text.splitlines():
        assert line.startswith("# ") or re.fullmatch(r'\w+(\{(\w+="[^"\n]*",?)*\})? [0-9.e+-]+', line)


def test_the_description_has_every_verb_and_option(client: TestClient) -> None:
    found = client.get("/openapi.json").json()
    assert found["openapi"].startswith("3.")
    assert {
        "/v1/predict",
        "/v1/kbest",
        "/v1/probabilities",
        "/v1/explain",
        "/v1/align",
        "/v1/translate",
    } <= set(found["paths"])
    schema = found["paths"]["/v1/predict"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert schema["properties"]["kbest"]["maximum"] == 100
    assert schema["properties"]["keep_labels"]["type"] == "boolean"
    assert "glossary" not in schema["properties"]


def test_a_process_answers_and_stops(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "palmette", "serve", "en", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", first)
        assert address is not None, first
        request = urllib.request.Request(
            address[0] + "v1/predict", b'{"text": "Time flies."}', {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            assert json.load(answer)["model"] == "en"
        process.send_signal(signal.SIGTERM)
        rest = process.stderr.read()
        assert process.wait(30) == 0
    lines = [json.loads(line) for line in rest.splitlines() if line.startswith("{")]
    assert lines[0]["event"] == "request"
    assert lines[0]["model"] == "en"
    assert lines[0]["status"] == 200
    assert "stopped" in rest


def test_a_body_that_does_not_come_is_not_waited_for(every_model: Models) -> None:
    app, sent = application(every_model, Limits(seconds=0.05), quiet=True), []

    async def never() -> dict[str, object]:
        await asyncio.Event().wait()
        return {}

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/predict",
        "raw_path": b"/v1/predict",
        "query_string": b"",
        "headers": headers,
        "http_version": "1.1",
    }
    asyncio.run(app(scope, never, send))
    assert sent[0]["status"] == 408


def test_a_client_that_leaves_stops_the_stream(every_model: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0

    def endless(self: Asked, **more: object) -> object:
        nonlocal made
        while True:
            made += 1
            yield b'{"line": "' + b"x" * 10_000 + b'"}\n'

    monkeypatch.setattr(Asked, "predict", endless)
    app, pieces = application(every_model, quiet=True), 0
    body = b'{"text": "a", "stream": true}'

    async def run() -> None:
        gone = asyncio.Event()
        messages = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> dict[str, object]:
            for message in messages:
                return message
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, object]) -> None:
            nonlocal pieces
            pieces += message["type"] == "http.response.body"
            if pieces == 3:
                gone.set()

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        names = {"method": "POST", "path": "/v1/predict", "raw_path": b"/v1/predict", "query_string": b""}
        await app({"type": "http", "http_version": "1.1", "headers": headers, **names}, receive, send)

    asyncio.run(asyncio.wait_for(run(), 60))
    assert pieces >= 3
    assert made < 1000


def test_requests_under_way_are_answered_when_the_server_stops(trained: dict[str, str]) -> None:
    command = [sys.executable, "-m", "palmette", "serve", trained["tag"], "--port", "0", "--quiet"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"127\.0\.0\.1:(\d+)", process.stderr.readline())
        assert found is not None
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
        body = json.dumps({"text": "The dog sleeps.\n\n" * 20_000, "stream": True})
        connection.request("POST", "/v1/predict", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        first = answer.readline()
        process.send_signal(signal.SIGTERM)
        lines = [first, *answer.read().splitlines()]
        connection.close()
        assert process.wait(30) == 0
    assert len(lines) == 20_000
    assert all(line.startswith(b'{"sentence"') for line in lines)


def test_a_training_ends_with_the_server(trained: dict[str, str], tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "constituency/test.mrg", tmp_path / "t.mrg")
    command = [sys.executable, "-m", "palmette", "serve", trained["parse"], "--port", "0", "--quiet"]
    with subprocess.Popen(
        [*command, "--edit", str(tmp_path / "t.mrg")], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        found = re.search(r"127\.0\.0\.1:(\d+)", process.stderr.readline())
        assert found is not None
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
        body = json.dumps({"file": 0, "every": True})
        connection.request("POST", "/v1/edit/train", body, {"Content-Type": "application/json"})
        assert json.load(connection.getresponse())["training"]["state"] == "running"
        connection.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.mrg"]


def test_an_address_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    from palmette.serve.server import listening

    bound = listening("127.0.0.1", 0)
    bound.listen()
    assert main(["serve", "en", "--port", str(bound.getsockname()[1])]) == 1
    bound.close()
    assert "choose another --port" in capsys.readouterr().err
