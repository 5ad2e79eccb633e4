"""Servers in this process: small models of every kind that the page draws, and a client of each application."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from palmette.cli import main
from palmette.serve.app import application
from palmette.serve.limits import Limits
from palmette.serve.models import Models
from palmette.serve.safety import Door

EXAMPLES = Path(__file__).parents[2] / "examples"
SPANS = "Paris\tB-LOC\nis\tO\nold\tO\n\nMr\tO\nSmith\tB-PER\nleft\tO\nRome\tB-LOC\n\n"
TEXTS = "warm\tthe sun shines\ncold\tsnow falls\nwarm\ta hot day\ncold\tice and snow\n"


def train(tool: str, path: Path, *arguments: object) -> str:
    assert main(["train", tool, *map(str, arguments), "-q", "-o", str(path)]) == 0
    return str(path)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Small models by tool."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "spans.txt").write_text(SPANS * 5)
    (folder / "texts.tsv").write_text(TEXTS * 3)
    conllu = EXAMPLES / "parsing/train.conllu"
    return {
        "tag": train("tag", folder / "tag.palm", "--train", conllu, "--learner", "crf"),
        "spans": train("spans", folder / "spans.palm", "--train", folder / "spans.txt", "--learner", "crf"),
        "parse": train(
            "parse", folder / "parse.palm", "--train", EXAMPLES / "constituency/train.mrg", "--method", "pcfg"
        ),
        "classify": train("classify", folder / "classify.palm", "--train", folder / "texts.tsv"),
        "align": train("align", folder / "align.palm", "--train", EXAMPLES / "alignment/pairs.tsv"),
        "translate": train(
            "translate",
            folder / "translate.palm",
            "--train",
            EXAMPLES / "translation/train.tsv",
            "--tuning",
            "none",
        ),
        "pipeline": train("pipeline", folder / "pipeline.palm", "--train", conllu),
        "tokens": train("tokens", folder / "tokens.palm", "--train", conllu),
        "lm": train("lm", folder / "lm.palm", "--train", EXAMPLES / "language_models/text.txt", "--order", 2),
    }


@pytest.fixture(scope="session")
def every_model(trained: dict[str, str]) -> Models:
    return Models([*trained.values(), "en"])


@pytest.fixture
def client(every_model: Models) -> Iterator[TestClient]:
    """A client of a server with all models."""
    with serving(every_model) as found:
        yield found


def serving(
    models: Models, limits: Limits | None = None, door: Door | None = None, **more: Any
) -> TestClient:
    return TestClient(
        application(models, limits, door, quiet=True, **more),
        base_url="http://localhost:8000",
        raise_server_exceptions=False,
    )


@pytest.fixture
def palmette(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command line in this process and returns what it prints."""

    def run(*arguments: object) -> str:
        assert main([str(argument) for argument in arguments]) == 0
        return capsys.readouterr().out

    return run


# For one module: while it is there, its loop runs in this thread, and `asyncio.run` in others fails.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def started(*arguments: str) -> Iterator[str]:
    """A server in a process of its own; gives its address."""
    command = [sys.executable, "-m", "palmette", "serve", *arguments, "--port", "0", "--quiet"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        first = server.stderr.readline()
        found = re.search(r"http://[0-9.:]+/", first)
        assert found is not None, first
        yield found[0]
        server.terminate()
        server.wait(30)
