"""Overload, time limits, replaced models, counts, the description, and a real process that is stopped."""

from __future__ import annotations

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
from palmette.serve.asking import Asked
from palmette.serve.limits import Limits
from palmette.serve.models import Models
from serve.conftest import serving


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


def test_models_of_the_same_name_are_refused(trained: dict[str, str], tmp_path: Path) -> None:
    shutil.copy(trained["tag"], tmp_path / "lm.palm")
    with pytest.raises(ValueError, match="two models have the name 'lm'"):
        Models([trained["lm"], str(tmp_path / "lm.palm")])


def test_health_models_and_metrics(client: TestClient) -> None:
    assert client.get("/health").json()["status"] == "ok"
    found = {one["name"]: one for one in client.get("/v1/models").json()["models"]}
    assert found["en"]["tool"] == "depparse"
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
    assert schema["properties"]["keep_heads"]["type"] == "boolean"
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


def test_an_address_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    from palmette.serve.server import listening

    bound = listening("127.0.0.1", 0)
    bound.listen()
    assert main(["serve", "en", "--port", str(bound.getsockname()[1])]) == 1
    bound.close()
    assert "choose another --port" in capsys.readouterr().err
