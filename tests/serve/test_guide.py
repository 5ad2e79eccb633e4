"""The requests of docs/serve/README.md are answered as the page says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

from palmette.serve.models import Models
from samples.guides.blocks import all_blocks
from serve.conftest import serving

PAGE = Path(__file__).parents[2] / "docs" / "serve" / "README.md"


def test_requests_of_the_guide_are_answered() -> None:
    """The command lines of curl, and the object with what is known of a token."""
    blocks = list(all_blocks(PAGE.read_text(encoding="utf-8")))
    lines = [line for block in blocks for line in block.text.split("\n") if line.startswith("curl ")]
    asked = [(words[1], words[words.index("-d") + 1]) for words in map(shlex.split, lines)]
    asked += [("/v1/predict", block.text) for block in blocks if block.text.startswith('{"model"')]
    assert len(asked) == 2
    with serving(Models(["en"])) as client:
        for address, body in asked:
            answer = client.post(urlsplit(address).path, json=json.loads(body))
            assert answer.status_code == 200, answer.text
            assert answer.json()["results"]
    assert answer.json()["results"][0]["tokens"][1]["head"] == 0


def test_addresses_of_the_guide_exist() -> None:
    rows = re.findall(r"^\| `(GET|POST) (/[\w/.]*)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    rows += [
        ("GET", address) for address in re.findall(r"`GET /health`, `GET (/\w+)`", PAGE.read_text("utf-8"))
    ]
    rows = [
        (method, path.replace("TOOL", "pipeline")) for method, path in rows if "/edit" not in path
    ]  # of --edit
    assert len(rows) >= 9
    with serving(Models(["en"])) as client:
        wrong = [
            (method, path)
            for method, path in rows
            if client.request(method, path, json={} if method == "POST" else None).status_code in (404, 405)
        ]
    assert wrong == []
