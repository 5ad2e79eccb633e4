"""Parquet files in and out: a row is an input, and its answer a column beside the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palmette.cli import main
from samples.on_engines.tiny_models import CONLLU

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
CUT = ["--shard-size", "0.0001"]
TEXTS = ["Time flies.", None, "It flies. Time does.", "", "Flies."] * 5


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tagger."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "t.conllu").write_text(CONLLU)
    line = ["train", "tag", "--train", str(folder / "t.conllu"), "-q", "-o", str(folder / "tag.palm")]
    assert main(line) == 0
    return folder


def write(path: Path, **columns: Any) -> Path:
    parquet.write_table(pyarrow.table(columns), path, row_group_size=4)
    return path


@pytest.mark.parametrize("cluster", ["local:2", "processes:2"])
def test_rows_keep_their_places(
    palmette: Callable[..., Any], models: Path, tmp_path: Path, cluster: str
) -> None:
    (tmp_path / "in").mkdir()
    source = write(tmp_path / "in" / "a.parquet", id=list(range(len(TEXTS))), text=TEXTS)
    (tmp_path / "in" / "b.txt").write_text("Time flies.\n")
    out = tmp_path / "out"
    line = ["predict", models / "tag.palm", source.parent, "--output-dir", out, "--cluster", cluster, *CUT]
    result = palmette(*line)
    assert result.code == 0, result.err
    found = parquet.read_table(out / "a.parquet").to_pydict()
    assert list(found) == ["id", "text", "prediction"]
    assert (found["id"], found["text"]) == (list(range(len(TEXTS))), TEXTS)
    for text, answer in zip(TEXTS, found["prediction"], strict=True):
        if text is None:
            assert answer is None
            continue
        alone = tmp_path / "one.txt"
        alone.write_text(text)
        assert answer == palmette("predict", models / "tag.palm", alone).out
    before = (out / "a.parquet").read_bytes()
    (out / "a.parquet").unlink()
    assert palmette(*line).code == 0
    assert (out / "a.parquet").read_bytes() == before


def test_the_only_column_of_strings_is_read(
    palmette: Callable[..., Any], models: Path, tmp_path: Path
) -> None:
    source = write(tmp_path / "a.parquet", number=[1, 2], body=["Time flies.", "It."])
    assert palmette("predict", models / "tag.palm", source, "--output-dir", tmp_path / "out").code == 0
    found = parquet.read_table(tmp_path / "out" / "a.parquet").column("prediction").to_pylist()
    assert ["flies" in answer for answer in found] == [True, False]


def test_what_is_no_such_file_is_told(palmette: Callable[..., Any], models: Path, tmp_path: Path) -> None:
    def told(path: Path) -> str:
        result = palmette("predict", models / "tag.palm", path, "--output-dir", tmp_path / path.stem)
        assert result.code
        return str(result.err)

    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"PAR1 and then nothing")
    assert "bad.parquet: not a Parquet file" in told(bad)
    assert "expected a column 'text'" in told(write(tmp_path / "two.parquet", a=["x"], b=["y"]))
    assert "those with strings: none" in told(write(tmp_path / "no.parquet", a=[1]))
    assert "has a column 'prediction' already" in told(write(tmp_path / "again.parquet", prediction=["x"]))
    wrong = write(tmp_path / "rows.parquet", text=["Time\tNOUN\n", "Time\0flies."])
    assert "rows.parquet: row 2" in told(wrong)


def test_rows_need_a_folder_of_answers(palmette: Callable[..., Any], models: Path, tmp_path: Path) -> None:
    source = write(tmp_path / "a.parquet", text=TEXTS)
    refused = palmette("predict", models / "tag.palm", source)
    assert (refused.code, refused.out) == (2, "")
    assert "a.parquet is Parquet: predict its rows with --output-dir" in refused.err
