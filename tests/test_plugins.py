"""Tools, formats and learners of other packages: found by the command line and by their names."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

from palmette import plugins
from palmette.errors import UsageError
from palmette.formats import registry as formats
from palmette.learning import registry as learners
from palmette.tools import registry as tools

pytestmark = pytest.mark.native

TOOL = (
    "from palmette.tools import Tool, register\nregister(Tool('echo', 'echo', 'Say it again.', 'parrot'))\n"
)
FORMAT = """
from palmette.formats import Corpus
from palmette.formats.registry import Format, register

register(Format("slashes", "tokens", (".slash",), "word/TAG", "slashed", "slashes"))


def parse_slashes(text, *, lenient=False, path=None):
    lines = bytes(text).decode().splitlines()
    return Corpus.from_sentences([[w.split("/") for w in line.split()] for line in lines], ("form", "upos"))


def format_slashes(corpus):
    rows = (zip(one["form"], one["upos"]) for one in corpus)
    return "".join(" ".join(map("/".join, row)) + "\\n" for row in rows).encode()
"""
TREES = """
from palmette import Tree
from palmette.formats import Treebank
from palmette.formats.registry import Format, register

register(Format("heights", "trees", (".heights",), "the height of each tree", "heights", "heights"))


def format_heights(trees):
    return "".join(f"{len(list(tree.leaves))}\\n" for tree in trees).encode()
"""
LEARNER = """
from dataclasses import dataclass

from palmette.learning.registry import Entry, register
from palmette.learning.perceptron import Perceptron

register("slow", Entry("slow_learner:Slow", "a perceptron of one pass"))


@dataclass(frozen=True, kw_only=True)
class Slow(Perceptron):
    @property
    def passes(self):
        return 1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with modules, in a process that forgets them."""
    for name, text in {"parrot": TOOL, "slashed": FORMAT, "heights": TREES, "slow_learner": LEARNER}.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(plugins, "_loaded", set())
    monkeypatch.setattr(tools, "_TOOLS", dict(tools._TOOLS))
    monkeypatch.setattr(formats, "_FORMATS", list(formats._FORMATS))
    monkeypatch.setattr(learners, "LEARNERS", dict(learners.LEARNERS))
    for name in ("parrot", "slashed", "heights", "slow_learner"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def palmette(folder: Path, *arguments: str, modules: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "PALMETTE_PLUGINS": modules}
    command = [sys.executable, "-m", "palmette", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )


def test_names_are_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tools.tool_named("echo") is None
    monkeypatch.setenv("PALMETTE_PLUGINS", "parrot, slashed,slow_learner")
    assert tools.tool_for("echo") == tools.tool_named("echo") == tools.tools()[-1]
    assert formats.format_named("slashes").parse(b"a/X b/Y\n").names == ("form", "upos")  # type: ignore[union-attr]
    assert formats.format_of_name("x.slash") == formats.formats()[-1]
    assert learners.make_learner("slow", {}, random_state=3).passes == 1


def test_an_installed_package_names_its_module(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = importlib.metadata.EntryPoint("parrot", "parrot", "palmette")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [point])
    assert tools.tool_named("echo") is not None


def test_a_plugin_that_cannot_be_imported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "broken.py").write_text("1 / 0\n")
    monkeypatch.setenv("PALMETTE_PLUGINS", "broken")
    with pytest.raises(
        UsageError, match="'broken' of PALMETTE_PLUGINS cannot be imported: ZeroDivisionError"
    ):
        tools.tools()
    done = palmette(folder, "train", "tag", "--help", modules="nowhere")
    assert done.returncode == 2
    assert "the plugin 'nowhere' of PALMETTE_PLUGINS cannot be imported" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_format_is_converted(folder: Path) -> None:
    (folder / "a.slash").write_text("time/NOUN flies/VERB\n")
    assert palmette(folder, "convert", "a.slash", "a.conllu", modules="slashed").returncode == 0
    assert "\tflies\t" in (folder / "a.conllu").read_text()
    assert palmette(folder, "convert", "a.conllu", "b.slash", modules="slashed").returncode == 0
    assert (folder / "b.slash").read_text() == "time/NOUN flies/VERB\n"
    assert "word/TAG" in palmette(folder, "convert", "--list", modules="slashed").stdout
    done = palmette(folder, "train", "tag", "--train", "a.slash", "-o", "x.palm", modules="slashed")
    assert done.returncode == 1
    assert "a.slash is in the format slashes: convert it to CoNLL-U or columns" in done.stderr
    (folder / "a.mrg").write_text("(S (NN time) (VBZ flies))\n")
    assert palmette(folder, "convert", "a.mrg", "a.heights", modules="heights").returncode == 0
    assert (folder / "a.heights").read_text() == "2\n"
    done = palmette(folder, "convert", "a.heights", "b.mrg", modules="heights")
    assert "needs a function parse_heights in the module heights" in done.stderr


def test_names_are_taken_once(folder: Path) -> None:
    with pytest.raises(ValueError, match="is taken by 'conllu'"):
        formats.register(formats.Format("x", "tokens", (".conllu",), "", "x", "x"))
    with pytest.raises(ValueError, match="a learner has the name 'crf' already"):
        learners.register("crf", learners.Entry("x:Y", "x"))
