"""tools/check-words finds phrases that a reader stumbles over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "check-words"


def check(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), "--root", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("docs", "src/palmette", "native"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def test_a_phrase_is_reported_with_its_line_and_a_better_wording(root: Path) -> None:
    (root / "docs" / "page.md").write_text("# Title\n\nIt prints so\nmany trees. `so many` is code.\n")
    result = check(root)
    assert result.returncode == 1
    assert 'docs/page.md:3: "so many": better "the number of …", "N …"' in result.stdout


@pytest.mark.parametrize(
    ("name", "text", "phrases"),
    [
        ("src/palmette/a.py", '"""What stands here."""\nstands = so_many = 1  # made anew\n', ["stands", "anew"]),
        ("src/palmette/a.py", 'raise ValueError("the heads are "\n    f"no tree in {x}")\n', ["are no"]),
        ("native/a.hpp", '// Of all rows\n// the first.\nint anew = 1;  /* told\n from */ f("x is no y");\n',
         ["Of all", "told from", "is no"]),
        ("docs/a.md", "Of `x`, there is no y. Of course it stands for z.\n\n    heed\n    x  # heed\n",
         ["Of …", "heed"]),
        ("docs/a.md", "The value is None. No limits.\n", []),
    ],
)  # fmt: skip
def test_prose_is_checked_and_code_is_not(root: Path, name: str, text: str, phrases: list[str]) -> None:
    (root / name).write_text(text)
    found = [line.split('"')[1] for line in check(root).stdout.splitlines() if ": better " in line]
    assert found == phrases


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CHANGELOG.md", "Made anew.\n"),
        ("docs/guide/page.md", "Made anew.\n"),
        ("examples/a.py", "# made anew\n"),
        ("src/palmette/tools/a.py", "# made anew\n"),
        ("native/base/a.hpp", "// made anew\n"),
        ("native/base/a.cpp", "// made anew\n"),
    ],
)
def test_all_texts_of_the_project_are_checked(root: Path, name: str, text: str) -> None:
    assert check(root).returncode == 0
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    result = check(root)
    assert result.returncode == 1
    assert result.stdout == f'{name}:1: "anew": better "again"\n'


def test_a_file_can_be_checked_by_itself(root: Path) -> None:
    page = root / "docs" / "page.md"
    page.write_text("Made anew.\n")
    assert check(root, str(page)).stdout.endswith('page.md:1: "anew": better "again"\n')
    for name in ("pairs.tsv", "missing.md"):
        (root / "pairs.tsv").write_text("anew")
        result = check(root, str(root / name))
        assert result.returncode == 2
        assert "expected a file that ends in .md, .py, .hpp, .cpp; got" in result.stderr
