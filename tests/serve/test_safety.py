"""Hostile requests: other hosts and origins, wrong types, files, sizes, tokens; nothing is opened or evaluated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from palmette.cli import main
from palmette.serve.limits import Limits, RequestError
from palmette.serve.models import Models
from palmette.serve.safety import Door, is_loopback
from serve.conftest import serving

JSON = {"content-type": "application/json"}
BODY = json.dumps({"model": "en", "text": "Time flies."})
TOKEN = "0123456789abcdef0123"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "127.0.0.1:8000"}, 200),
        ({"host": "[::1]:8000"}, 200),
        ({"host": "LOCALHOST"}, 200),
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "localhost.evil.example:8000"}, 421),
        ({"host": ""}, 421),
        ({"origin": "http://localhost:8000"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://localhost:9999"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-type": "multipart/form-data; boundary=x"}, 415),
        ({"content-type": "application/json; charset=utf-8"}, 200),
    ],
)
def test_who_may_ask(headers: dict[str, str], status: int, client: TestClient) -> None:
    answer = client.post("/v1/predict", content=BODY, headers={**JSON, **headers})
    assert answer.status_code == status
    if status != 200:
        assert list(answer.json()) == ["error"]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"3", b"{", b"\xff\xfe", b'{"a":' * 5000, b"[" * 100_000, b'"x"', b"null", b"NaN"]
)
def test_bodies_that_are_not_an_object(body: bytes, client: TestClient) -> None:
    answer = client.post("/v1/predict", content=body, headers=JSON)
    assert answer.status_code == 400
    assert "JSON" in answer.json()["error"]


@pytest.mark.parametrize("model", ["tag", "en", "classify", "lm", "translate", "align"])
@pytest.mark.parametrize("verb", ["predict", "explain"])
def test_a_text_is_never_the_name_of_a_file(
    model: str, verb: str, client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("topsecret\ttopsecret\n")
    monkeypatch.chdir(tmp_path)
    for name in ("secret", str(secret), "-", "./secret"):
        body: dict[str, Any] = {"model": model, "text": f"{name}\t{name}" if model == "align" else name}
        answer = client.post(f"/v1/{verb}", json=body)
        assert answer.status_code in (200, 400), answer.text
        assert "topsecret" not in answer.text


@pytest.mark.parametrize(
    "option",
    ["glossary", "forbid", "forced_to", "trees", "source", "file", "svg", "wordnet", "search", "settings"],
)
def test_options_that_name_files_or_start_long_searches_are_unknown(option: str, client: TestClient) -> None:
    for model in ("en", "translate", "align", "parse"):
        for verb in ("predict", "explain"):
            body = {"model": model, "text": "a", option: "/etc/passwd"}
            answer = client.post(f"/v1/{verb}", json=body)
            assert answer.status_code == 400
            assert "unknown option" in answer.json()["error"]


@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py",
        "/page/%2e%2e/app.py",
        "/page//etc/passwd",
        "/page/..%2fapp.py",
        "/v1/edit/etc",
        "/.git",
    ],
)
def test_no_path_leads_out_of_the_page(path: str, client: TestClient) -> None:
    answer = client.get(path)
    assert answer.status_code in (404, 405)
    assert "import" not in answer.text


def test_answers_have_the_headers_of_safety(client: TestClient) -> None:
    for answer in (
        client.get("/"),
        client.get("/health"),
        client.get("/nothing"),
        client.post("/v1/predict"),
    ):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers
    assert client.request("DELETE", "/v1/predict").status_code == 405
    assert client.get("/v1/predict").status_code == 405


def test_large_bodies_are_refused_before_they_are_read(every_model: Models) -> None:
    with serving(every_model, Limits(body=2000)) as client:
        large = json.dumps({"text": "x" * 3000})
        assert client.post("/v1/predict", content=large, headers=JSON).status_code == 413
        pieces = (large[i : i + 500].encode() for i in range(0, len(large), 500))  # without a length
        answer = client.post("/v1/predict", content=pieces, headers=JSON)
        assert answer.status_code == 413
        assert "2,000 bytes" in answer.json()["error"]


def test_a_token_is_demanded(every_model: Models) -> None:
    with serving(every_model, door=Door(None, TOKEN)) as client:
        assert client.get("/health").status_code == 200
        for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": TOKEN}, {"cookie": "a=b"}):
            assert client.get("/v1/models", headers=headers).status_code == 401
        assert client.get("/v1/models", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
        assert client.get("/?token=wrong").status_code == 401
        entered = client.get(f"/?token={TOKEN}", follow_redirects=False)
        assert entered.status_code == 303
        assert "httponly" in entered.headers["set-cookie"].lower()
        assert client.get("/v1/models").status_code == 200  # by the cookie


def test_doors() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.9.9.9", "::1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "example.org", "")))
    with pytest.raises(RequestError):
        Door().check("GET", "/", {})


def test_off_loopback_needs_a_token(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "en", "--host", "0.0.0.0"]) == 2
    assert "--token" in capsys.readouterr().err
    assert main(["serve", "en", "--host", "0.0.0.0", "--token", "short"]) == 2
    assert "at least 16" in capsys.readouterr().err
