"""The Python of README.md and docs/ runs as it is there, on the small data of examples/.

A page is run from its beginning to its end, as a reader would type it, in a folder with files of the names that it
uses. `NAMES` has what a page takes for granted, such as `test` for a corpus to test on.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import palmette
from palmette import Tree
from palmette.formats import read_brackets, read_conllu
from samples.guides.blocks import blocks
from samples.guides.files import lists, write_files

pytestmark = [pytest.mark.native, pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OWN_RUNNER = ("build", "learn", "migration")  # tests/test_learning_pages.py
NEEDS = {"neural": "torch"}  # packages that are not everywhere, by the folder of the pages that use them


def run(page: Path, names: dict[str, Any]) -> list[str]:
    """What fails when the page is typed: file, line and message of each snippet that does."""
    wrong = []
    for line, language, code, _ in blocks(page.read_text(encoding="utf-8")):
        if language != "python":
            continue
        try:
            exec(compile("\n" * (line - 1) + code, str(page), "exec", dont_inherit=True), names)
        except Exception as error:
            at = [
                frame.lineno
                for frame in traceback.extract_tb(error.__traceback__)
                if frame.filename == str(page)
            ]
            where = at[-1] if at else getattr(error, "lineno", None) or line
            wrong.append(f"{page.relative_to(ROOT)}:{where}: {type(error).__name__}: {error}")
    return wrong


def tagged() -> palmette.Corpus:
    return read_conllu(EXAMPLES / "tagging" / "train.conllu")


def labelled_trees() -> tuple[list[Tree], list[str]]:
    trees = list(read_brackets(EXAMPLES / "constituency" / "train.mrg"))
    return trees, [("even", "odd")[number % 2] for number in range(len(trees))]


def alignment() -> dict[str, Any]:
    return {"test": palmette.tools.alignment.read_pairs("test.tsv")}


def classification() -> dict[str, Any]:
    trees, labels = labelled_trees()
    questions = ["How far is it ?", "How long is it ?", "Who ran ?", "Who came ?"] * 3
    palmette.Classifier().fit(questions, ["NUM", "NUM", "HUM", "HUM"] * 3).save("q.palm")
    return {"trees": trees, "labels": labels, "others": trees[:3]}


def constituency() -> dict[str, Any]:
    return {"words": ["I", "sleep"] * 3}


def dependencies() -> dict[str, Any]:
    corpus = read_conllu("train.conllu")[:5]
    return {
        "corpus": corpus,
        "test": corpus,
        "words": [("Dogs", "NOUN"), ("bark", "VERB"), (".", "PUNCT")],
        "probabilities": np.array([0.9, 0.2, 0.6, 0.8]),
        "correct": np.array([True, False, True, True]),
    }


def grammars() -> dict[str, Any]:
    from palmette import HMM, Tagger

    tagger = Tagger(HMM(), order=1).fit(tagged())
    sentences = [["time", "flies"], ["flies", "time"], ["the", "time", "flies"]]
    return {"words": ["time", "flies"], "tagger": tagger, "sentences": sentences}


def kernels() -> dict[str, Any]:
    from palmette.features import kernels as all_kernels

    trees, labels = labelled_trees()
    kernel = palmette.features.kernels.TreeKernel()
    found = {
        name: getattr(all_kernels, name, None) or getattr(palmette, name)
        for name in ("LinearKernel", "with_log_probability")
    }
    return {
        **found,
        "k": kernel,
        "k1": kernel,
        "k2": kernel,
        "labels": labels,
        "others": trees[:3],
        "candidates": trees[:2],
        "gold": 0,
        "guess": 1,
    }


def language_models() -> dict[str, Any]:
    lines = Path("text.txt").read_text().splitlines()
    halves = lines[::2], lines[1::2]
    news, talk = (palmette.LanguageModel.fit(half, order=2) for half in halves)
    news.save("en.arpa")
    return {"sentences": lines[:20], "lines": lines[:20], "news": news, "talk": talk}


def python() -> dict[str, Any]:
    corpus = tagged()[:30]
    X = [sentence["form"] for sentence in corpus]
    y = [sentence["upos"] for sentence in corpus]
    return {"Tagger": palmette.Tagger, "CRF": palmette.CRF, "corpus": corpus, "X": X, "y": y}


def reranking() -> dict[str, Any]:
    return {"candidates": lists()[0]}


def tagging() -> dict[str, Any]:
    corpus = tagged()
    sentences = [sentence["form"] for sentence in corpus][:20]
    labels = [[None, *sentence["upos"][1:]] for sentence in corpus][:20]
    found = {name: getattr(palmette, name) for name in ("EM", "VB", "HMM", "TagInducer")}
    return {**found, "test": corpus, "sentences": sentences, "some_labels": labels, "few": corpus[:10]}


NAMES: dict[str, Callable[[], dict[str, Any]]] = {
    "alignment": alignment,
    "classification": classification,
    "constituency": constituency,
    "dependencies": dependencies,
    "grammars": grammars,
    "kernels": kernels,
    "language-models": language_models,
    "python": python,
    "reranking": reranking,
    "tagging": tagging,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of every name that the pages use."""
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.parent.name not in OWN_RUNNER and "```python" in page.read_text("utf-8")],
    ids=lambda page: f"{page.parent.name}/{page.stem}",
)
def test_the_python_of_a_page_runs(page: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if page.parent.name in NEEDS:
        pytest.importorskip(NEEDS[page.parent.name])
    names = {"__name__": "page"}
    names |= NAMES.get(page.stem, dict)()
    wrong = run(page, names)
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    "page",
    [*PAGES, ROOT / "CONTRIBUTING.md", *EXAMPLES.glob("*/README.md")],
    ids=lambda page: f"{page.parent.stem}/{page.stem}",
)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    """Links, and source files that the text names, are there; NAME in a path may be anything."""
    text = page.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    named = re.findall(r"(?<![\w./-])\w[\w.-]*/[\w./-]*\.(?:py|hpp|cpp|md|cfg)\b", text)
    places = (ROOT, ROOT / "src" / "palmette", page.parent)
    missing = [link for link in links if not (page.parent / link).exists()]
    missing += [
        name for name in named if "NAME" not in name and not any((at / name).exists() for at in places)
    ]
    assert not missing


def test_code_is_marked_with_its_language() -> None:
    """So that it is run, and shown with colours."""
    bare = [
        f"{page.relative_to(ROOT)}:{number}"
        for page in PAGES[1:]
        for number, (before, line) in enumerate(pairwise(outside_of_fences(page)), 2)
        if not before.strip() and re.match(r" {4}(palmette|from|import) ", line)
    ]
    assert not bare


def outside_of_fences(page: Path) -> list[str]:
    """The lines of a page; those of fenced blocks are empty."""
    text = re.sub(
        r"^```.*?^```",
        lambda found: "\n" * found[0].count("\n"),
        page.read_text(encoding="utf-8"),
        flags=re.MULTILINE | re.DOTALL,
    )
    return text.split("\n")


def test_what_fails_is_told_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "x.md"
    page.write_text("# Title\n\n```python\nx = 1\ny = z\n```\n\n```python\nfrom palmette import\n```\n")
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    assert run(page, {}) == ["x.md:5: NameError: name 'z' is not defined", run(page, {})[1]]
    assert run(page, {})[1].startswith("x.md:9: SyntaxError")
