"""The pages of docs/build, docs/learn and docs/migration: all blocks run, and print what the pages say.

A page runs from top to bottom in a folder with `examples/`. A block `output` is what the block before it prints.
Blocks `python` and `sh` are ours and run; `py` and `bash` belong to other programs.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from samples.guides.blocks import Block, blocks
from samples.guides.outputs import same_output

pytestmark = [pytest.mark.native, pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    page for part in ("build", "learn", "migration") for page in (ROOT / "docs" / part).glob("*.md")
)
NEEDS = {
    "sklearn-crfsuite": ["sklearn_crfsuite"],
    "crfsuite": ["pycrfsuite"],
    "nltk": ["nltk"],
    "neural": ["torch"],
}


def run_shell(block: Block) -> str:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr[-500:] or done.stdout[-500:]}")
    return done.stdout


def run_python(page: Path, block: Block, names: dict[str, Any]) -> str:
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec", dont_inherit=True)
    with redirect_stdout(io.StringIO()) as printed:
        exec(code, names)
    return printed.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in NEEDS.get(page.stem, []):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    names: dict[str, Any] = {"__name__": "page"}
    printed = ""
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "python":
            printed = run_python(page, block, names)
        elif block.language == "sh":
            printed = run_shell(block)
        elif block.language == "output":
            assert same_output(printed, block.text), f"{page.name}:{block.line} prints\n{printed}"


def test_exercises_have_answers() -> None:
    for page in (ROOT / "docs" / "learn").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        if page.stem != "index":
            assert "## Exercise" in text, page.name
            assert "<details>" in text, page.name
            assert re.search(r"!\[[^]]+\]\(\.\./pictures/learn/[\w-]+\.svg\)", text), page.name


def test_every_chapter_is_a_notebook_too(site: ModuleType, tmp_path: Path) -> None:
    """A chapter has a formula; its notebook is valid, and has the code and the output of the chapter, in order."""
    (tmp_path / "learn").mkdir()
    chapters = [page for page in PAGES if page.parent.name == "learn" and page.stem != "index"]
    assert len(chapters) == 18
    for chapter in chapters:
        text = chapter.read_text(encoding="utf-8")
        formula = re.search(r"\n## The formula\n.*?(\n```text\n[^`]+=[^`]+```|\$.+?\$)", text, re.DOTALL)
        assert formula, chapter.name
        made = json.loads(site.notebooks.notebook(chapter))
        assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
        code = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
        for cell in made["cells"]:
            keys = {"cell_type", "id", "metadata", "source"}
            keys |= {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
            assert set(cell) - {"attachments"} == keys
            named = re.findall(r"attachment:([\w.-]+)", "".join(cell["source"]))
            assert set(named) == set(cell.get("attachments", {}))
        ours = [block for block in blocks(text) if block.language in ("python", "sh")]
        assert ["".join(cell["source"]).removeprefix("%%bash\n") for cell in code] == [
            block.text.rstrip() for block in ours
        ]
        printed = ["".join(one["text"]) for cell in code for one in cell["outputs"]]
        assert printed == [block.text for block in blocks(text) if block.language == "output"]
        assert formula[1] in "".join("".join(cell["source"]) for cell in made["cells"])
        (tmp_path / "learn" / chapter.name).write_text(text, encoding="utf-8")
    site.sources._notebooks(tmp_path / "learn")
    for chapter in chapters:
        assert f"]({chapter.stem}.ipynb)" in (tmp_path / "learn" / chapter.name).read_text(encoding="utf-8")
        made = site.notebooks.notebook(chapter)
        assert (tmp_path / "learn" / f"{chapter.stem}.ipynb").read_text(encoding="utf-8") == made


def test_blocks_are_found() -> None:
    text = "A\n\n```python\nx\n```\n```output\n1\n```\n\n```bash\nrm\n```\n"
    assert list(blocks(text)) == [
        Block(4, "python", "x\n"),
        Block(7, "output", "1\n"),
        Block(11, "bash", "rm\n"),
    ]


def test_outputs_are_compared() -> None:
    assert same_output("a 0.123  [1 2]\n", "a 0.124 [1 2]")
    assert not same_output("a 0.123", "b 0.123")
    assert not same_output("a 0.5", "a 0.6")
    assert not same_output("a 1 2", "a 1")


def test_worked_examples_are_short() -> None:
    """Every section has less than sixty lines of code; blank lines and outputs do not count."""
    for page in (ROOT / "docs" / "build").glob("*.md"):
        for section in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
            code = [block.text for block in blocks(section) if block.language in ("python", "sh")]
            lines = [line for text in code for line in text.split("\n") if line.strip()]
            assert len(lines) < 60, f"{page.name}: {section.splitlines()[0]}: {len(lines)} lines"


COUNTS = {"three": 3, "four": 4, "five": 5, "ten": 10, "fifteen": 15, "twenty": 20}
CLAIM = re.compile(
    r"\bin (\d+|three|four|five|ten|fifteen|twenty) lines\b[^\n]*:\n\n```python\n(.*?)```", re.DOTALL
)


def test_code_has_as_many_lines_as_the_page_says() -> None:
    """Lines that are not blank, without those that import, print or check."""
    found = 0
    for page in PAGES:
        for number, code in CLAIM.findall(page.read_text(encoding="utf-8")):
            found += 1
            lines = [line for line in code.split("\n") if line.strip()]
            working = [line for line in lines if not re.match(r"(from|import|print|assert)\b", line)]
            said = COUNTS.get(number) or int(number)
            assert len(working) <= said <= len(lines) + 1, f"{page.name}: {said} lines, and {len(working)}"
    assert found >= 5
