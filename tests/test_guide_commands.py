"""The commands of README.md and docs/ run as they are there, on the small data of examples/.

The commands of a page run one after another in a folder that has the files it names; see samples/guides/files.py.
Pages of docs/build, docs/learn and docs/migration bring their own files: tests/test_learning_pages.py runs them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from samples.guides.blocks import all_blocks, blocks
from samples.guides.command_lines import lines_of, run
from samples.guides.files import BEFORE, write_files
from samples.guides.outputs import same_output

pytestmark = [pytest.mark.native, pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parents[1]
OWN_RUNNER = ("build", "learn", "migration")
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if page.parent.name not in OWN_RUNNER
    and any(block.language == "sh" for block in blocks(page.read_text(encoding="utf-8")))
]
# What is added to commands so that they take seconds; commands that say it themselves stay as they are.
FASTER = [
    (r"train tag .*--scorer neural", "--set n_iter=1 --set size=4 --set words=4 --set letters=none"),
    (r"train spans .*--scorer neural", "--set n_iter=1 --set size=4 --set words=4 --set letters=none"),
    (r"train depparse .*--scorer neural", "--set n_iter=1 --set size=4 --set words=4 --set letters=none"),
    (r"train induce", "--set n_iter=3"),
]


# Commands with these words are not run, and why.
ELSEWHERE = {"tcp://host": "a scheduler on another machine"}


def added(line: str) -> str:
    """Return the options that make a command faster."""
    return next((more for pattern, more in FASTER if re.search(pattern, line)), "")


def problems(page: Path) -> list[str]:
    """Run the commands of a page; return a sentence for each that fails, or prints what the page does not have."""
    wrong = []
    printed = b""
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "output" and not same_output(printed.decode(), block.text):
            wrong.append(f"{page.relative_to(ROOT)}:{block.line}: it prints\n{printed.decode()}")
        if block.language != "sh":
            continue
        printed = b""
        for number, line in lines_of(block.text):
            if any(words in line for words in ELSEWHERE):
                continue
            try:
                printed += run(line, added(line))
            except Exception as error:
                wrong.append(f"{page.relative_to(ROOT)}:{block.line + number}: {line}\n    {error}")
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_the_commands_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if page.parent.name == "neural":
        pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, page.stem)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for line in BEFORE.get(page.stem, []):
        run(line)
    wrong = problems(page)
    assert not wrong, "\n" + "\n".join(wrong)


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    marked = [
        f"{page.relative_to(ROOT)}:{block.line}: {block.mark}"
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
        for block in all_blocks(page.read_text(encoding="utf-8"))
        if block.mark.startswith("not run")
    ]
    assert len(marked) <= 12, "\n".join(marked)


def test_lines_of_a_block() -> None:
    assert list(lines_of("a \\\n  b # c\n\nd | e\n")) == [(0, "a   b # c"), (3, "d | e")]


def test_pipes_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("echo 'a b' | palmette convert - --from columns --to conllu  # a comment").startswith(
        b"1\ta\t"
    )
    assert run("echo x > y") == b""
    assert run("cat y y") == b"x\nx\n"
    with pytest.raises(RuntimeError, match="exit code 2"):
        run("palmette tarin")
