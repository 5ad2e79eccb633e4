"""Prediction of many files: the same answers as one by one, whoever works, and only what is missing."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samples.on_engines.tiny_models import TOOLS, train_tiny_models

CUT = ["--shard-size", "0.0001"]  # megabytes: some units at a time


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train_tiny_models(tmp_path_factory.mktemp("models"))


@pytest.fixture
def folder(models: Path, tmp_path: Path) -> Path:
    """Input for the tagger: plain and gzipped, in two folders."""
    (tmp_path / "in" / "deep").mkdir(parents=True)
    text = (models / "t.conllu").read_text()
    (tmp_path / "in" / "b.conllu").write_text(text * 20)
    (tmp_path / "in" / "a.txt").write_text("Time flies. Time flies.\n" * 20)
    (tmp_path / "in" / "deep" / "c.conllu.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "in" / ".hidden").write_text("not read")
    return tmp_path


def test_all_tools_give_the_same_answers_in_shards(
    palmette: Callable[..., Any], models: Path, tmp_path: Path
) -> None:
    for tool, (name, data, _) in TOOLS.items():
        source = tmp_path / f"many-{name}"
        source.write_text(data * 12)
        alone = palmette("predict", models / f"{tool}.palm", source)
        out = tmp_path / tool
        result = palmette("predict", models / f"{tool}.palm", source, "--output-dir", out, *CUT)
        assert (result.code, result.out, result.err) == (0, "", alone.err), tool
        assert (out / source.name).read_text() == alone.out, tool


@pytest.mark.parametrize("options", [["--jsonl"], ["--probabilities"], ["--kbest", "2"]])
def test_options_change_nothing(
    palmette: Callable[..., Any], models: Path, folder: Path, options: list[str]
) -> None:
    alone = palmette("predict", models / "tag.palm", folder / "in" / "b.conllu", *options).out
    result = palmette(
        "predict",
        models / "tag.palm",
        folder / "in" / "b.conllu",
        "--output-dir",
        folder / "out",
        *CUT,
        *options,
    )
    assert result.code == 0, result.err
    assert (folder / "out" / f"b.conllu{'.jsonl' if '--jsonl' in options else ''}").read_text() == alone


@pytest.mark.parametrize("cluster", [None, "local:2", "processes:2"])
def test_folders_on_engines(
    palmette: Callable[..., Any], models: Path, folder: Path, cluster: str | None
) -> None:
    where = [] if cluster is None else ["--cluster", cluster]
    out = folder / "out"
    result = palmette("predict", models / "tag.palm", folder / "in", "--output-dir", out, *CUT, *where)
    assert (result.code, result.err) == (0, "")
    found = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert found == {"a.txt", "b.conllu", "deep/c.conllu.gz", ".palmette/job.json"}
    for name in ("a.txt", "b.conllu"):
        assert (out / name).read_text() == palmette("predict", models / "tag.palm", folder / "in" / name).out
    packed = palmette("predict", models / "tag.palm", folder / "in" / "deep" / "c.conllu.gz").out
    assert gzip.decompress((out / "deep" / "c.conllu.gz").read_bytes()).decode() == packed


def test_a_restart_does_what_is_missing(palmette: Callable[..., Any], models: Path, folder: Path) -> None:
    out, source = folder / "out", folder / "in" / "b.conllu"
    command = ["predict", models / "tag.palm", source, folder / "in" / "a.txt", "--output-dir", out, *CUT]
    broken = source.read_text()
    source.write_text(broken + "1\tTime\n\n" + broken)
    failed = palmette(*command)
    assert failed.code == 1
    assert "b.conllu:" + str(broken.count("\n") + 1) + ": found 2 tab-separated columns" in failed.err
    assert "1 shard of " in failed.err
    assert not (out / "b.conllu").exists()
    before = (out / "a.txt").stat().st_mtime_ns
    parts = {path: path.stat().st_mtime_ns for path in (out / ".palmette" / "b.conllu").iterdir()}
    assert len(parts) > 10
    same = palmette(*command)  # nothing is mended: the same sentence, and nothing is done twice
    assert same.err == failed.err
    assert {path: path.stat().st_mtime_ns for path in parts} == parts
    source.write_text(broken)  # a changed input is done again
    mended = palmette(*command)
    assert (mended.code, mended.err) == (0, "")
    assert (out / "a.txt").stat().st_mtime_ns == before
    assert (out / "b.conllu").read_text() == palmette("predict", models / "tag.palm", source).out
    assert [path.name for path in (out / ".palmette").iterdir()] == ["job.json"]


def test_other_jobs_are_refused(palmette: Callable[..., Any], models: Path, folder: Path) -> None:
    command = ["predict", models / "tag.palm", folder / "in", "--output-dir", folder / "out"]
    assert palmette(*command).code == 0
    assert "has answers of another model or with other options" in palmette(*command, "--probabilities").err
    record = folder / "out" / ".palmette" / "job.json"
    assert json.loads(record.read_text())["job"]["jsonl"] is False
    (folder / "own").mkdir()
    (folder / "own" / "a.txt").write_text("mine")
    refused = palmette(
        "predict", models / "tag.palm", folder / "in" / "a.txt", "--output-dir", folder / "own"
    )
    assert "is there already, and not of this job" in refused.err
    assert (folder / "own" / "a.txt").read_text() == "mine"


def test_a_job_goes_on_with_what_its_error_advises(
    palmette: Callable[..., Any], models: Path, folder: Path
) -> None:
    """--errors may become laxer: what was done strictly would be the same. It may not become stricter."""
    out = folder / "out"
    command = ["predict", models / "tag.palm", folder / "in", "--output-dir", out]
    (folder / "in" / "bad.txt").write_bytes(b"Time fl\xe9es.\n")
    assert "predict with --errors replace" in palmette(*command).err
    before = (out / "a.txt").stat().st_mtime_ns
    assert palmette(*command, "--errors", "replace").code == 0
    assert (out / "bad.txt").exists()
    assert (out / "a.txt").stat().st_mtime_ns == before
    assert "with other options" in palmette(*command).err
    assert "with other options" in palmette(*command, "--errors", "skip").err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["in", "--cluster", "local:2"], "--cluster needs --output-dir"),
        (["in/a.txt", "in/b.conllu"], "several inputs need --output-dir"),
        (["in"], "in is a folder: predict all of its files with --output-dir"),
        (["Time flies."], "Time flies.: no such file or directory; text comes by standard input"),
        (["in", "--output-dir", "out", "-o", "x"], "use only one of --output and --output-dir"),
        (["in", "--output-dir", "out", "--shard-size", "0"], "--shard-size must be above zero"),
        (["-", "--output-dir", "out"], "not standard input"),
        (["none", "--output-dir", "out"], "none: no such file"),
        (["in", "in/a.txt", "--output-dir", "out"], "would both be written as a.txt"),
        (["in", "--output-dir", "out", "--line-buffered"], "--line-buffered cannot be combined"),
        (["in", "--output-dir", "out", "--cluster", "grid:3"], "'grid:3' is not the address of a cluster"),
    ],
)
def test_bad_usage(
    palmette: Callable[..., Any],
    models: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(folder)
    result = palmette("predict", models / "tag.palm", *arguments)
    assert result.code != 0
    assert sentence in result.err
