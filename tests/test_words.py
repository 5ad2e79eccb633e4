"""tools/check-words finds phrases that a reader stumbles over, and lets the list of old ones only shrink."""

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
    for folder in ("docs", "src/palmette", "native", "tools"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def test_a_phrase_is_reported_with_its_line_and_a_better_wording(root: Path) -> None:
    (root / "docs" / "page.md").write_text("# Title\n\nIt prints so\nmany trees. `so many` is code.\n")
    result = check(root)
    assert result.returncode == 1
    assert 'docs/page.md:3: "so many": better "the number of …", "N …"' in result.stdout
    assert "docs/page.md: 1 phrases to reword; tools/words-to-mend.txt allows 0." in result.stdout


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


def test_the_list_may_only_shrink(root: Path) -> None:
    old, new = root / "docs" / "old.md", root / "docs" / "new.md"
    old.write_text("Made anew. It stands here.\n")
    assert check(root).returncode == 1
    assert check(root, "--write").returncode == 0
    assert check(root).returncode == 0

    old.rename(new)
    assert check(root).returncode == 1
    assert check(root, "--write").returncode == 0, "files may move"
    assert check(root).returncode == 0

    new.write_text("Made anew. It stands here. It stands there.\n")
    assert check(root).returncode == 1
    assert "allows 2" in check(root, "--write").stdout

    new.write_text("Made again.\n")
    assert check(root).returncode == 0
    assert check(root, "--write").returncode == 0
    assert "new.md" not in (root / "tools" / "words-to-mend.txt").read_text()


def test_a_file_can_be_checked_by_itself(root: Path) -> None:
    page = root / "docs" / "page.md"
    page.write_text("Made anew.\n")
    assert check(root, str(page)).stdout.endswith('page.md:1: "anew": better "again"\n')
    for name in ("pairs.tsv", "missing.md"):
        (root / "pairs.tsv").write_text("anew")
        result = check(root, str(root / name))
        assert result.returncode == 2
        assert "expected a file that ends in .md, .py, .hpp, .cpp; got" in result.stderr
