"""The page of each tool has the same parts: what it is for, a start, options, formats, figures, citation."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from palmette.tools.registry import tools
from samples.guides.blocks import blocks

pytestmark = pytest.mark.native

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GUIDES = [
    *sorted(page for page in (DOCS / "tools").glob("*.md") if page.stem != "README"),
    *(DOCS / name for name in ("neural/README.md", "neural/torch.md", "serve/README.md")),
]
# Other systems that guides measure ours beside.
PEERS = (
    "spaCy UDPipe NLTK CRFsuite KenLM IRSTLM Moses thot fast_align eflomal NumPy Python scikit-learn torch-struct "
    "pytorch-crf word2vec Liang"
).split()


def section(text: str, title: str) -> str:
    """The text of a section with all below it; empty if the page has none of this title."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## (?!#)|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_a_guide_has_all_parts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    introduction = outside.partition("\n## ")[0].partition("\n")[2]
    assert len(introduction.split()) >= 20, "what the tool is for"
    start = section(text, "Five-minute start")
    assert re.search(r"^```(sh|python)$", start, re.MULTILINE), "a start"
    assert len(section(text, "Formats").split()) >= 15, "formats"
    options = section(text, "Every option")
    assert re.search(r"`palmette .+--help`|`help\(palmette", options), "where the options are"
    assert "n the site" in options or "The site has" in options, "where the options are"
    measured = section(text, "Accuracy and cost")
    assert re.search(r"\d", measured) or "not measured" in measured, "figures"
    assert "not measured beside a peer" in " ".join(outside.split()) or any(
        peer in measured for peer in PEERS
    ), "peers"
    cite = section(text, "Cite")
    assert "CITATION.cff" in cite, "how to cite"
    assert re.search(r"[12]\d{3}", cite) or page.parent.name == "serve", "the paper"


def test_every_option_is_on_the_page_of_its_tool(site: ModuleType) -> None:
    """The site puts tables in the place of marks; every tool and every verb that a guide is about has one."""
    marked = {
        mark for page in GUIDES for mark in re.findall(r"<!-- options: ([\w-]+) -->", page.read_text("utf-8"))
    }
    assert {tool.name for tool in tools()} <= marked
    assert {"select", "cross-validate", "learning-curve", "search", "serve", "tune", "score"} <= marked
    page = site.sources.included("<!-- options: search -->\n<!-- kernels -->\n", "tools/a.md")
    assert "| `--at-most N` |" in page
    assert set(re.findall(r"\]\((.+?)\)", page)) == {"../reference/commands/search.md"}
    assert "| `TreeKernel` | `decay` | `0.4` |" in page


def test_a_start_is_short() -> None:
    for page in GUIDES:
        start = section(page.read_text(encoding="utf-8"), "Five-minute start")
        lines = [line for block in blocks(start) for line in block.text.split("\n") if line.strip()]
        assert len(lines) <= 35, page.name
