"""The search of the site works offline: over HTTP on this machine, and from files, where it shows no excerpts.

Needs the extra `docs`, and chromium for the page itself.
"""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytestmark = [pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parents[1]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Requests are not written to standard error."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site, built as the large one."""
    for package in ("sphinx", "myst_parser", "furo", "sphinx_copybutton"):
        pytest.importorskip(package)
    from sphinx.cmd.build import main  # the extra docs

    sources, built = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("built")
    (sources / "index.md").write_text("# First\n\n```{toctree}\ntrellis\n```\n")
    (sources / "trellis.md").write_text("# A page\n\nThe palmette grows flat on a trellis.\n")
    wrong = main(["-q", "-W", "-b", "html", "-c", str(ROOT / "docs"), str(sources), str(built)])
    assert wrong == 0
    return built


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def shown(address: str, tmp_path: Path) -> str:
    """What a browser shows at an address, when its scripts have run."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
    options += ["--virtual-time-budget=8000", "--dump-dom"]
    done = subprocess.run([program, *options, address], capture_output=True, text=True, check=True)
    return done.stdout.partition('id="search-results"')[2]


def test_the_index_has_the_words(site: Path) -> None:
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    places = index["terms"]["trelli"]  # the stem
    found = [index["docnames"][one] for one in (places if isinstance(places, list) else [places])]
    assert found == ["trellis"]


def test_search_over_http(address: str, tmp_path: Path) -> None:
    results = shown(f"{address}/search.html?q=trellis", tmp_path)
    assert 'href="trellis.html' in results
    assert "grows flat" in results  # the excerpt
    assert "did not match" in shown(f"{address}/search.html?q=espalier", tmp_path)


def test_search_from_files(site: Path, tmp_path: Path) -> None:
    results = shown(f"file://{site}/search.html?q=trellis", tmp_path)
    assert 'href="trellis.html' in results
