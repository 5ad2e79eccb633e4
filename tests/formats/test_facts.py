"""Facts between tabs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from palmette.errors import FormatError
from palmette.formats.facts import read_facts


def read(path: Path, content: str | bytes, *, log: bool = False):
    data = content.encode() if isinstance(content, str) else content
    (path / "f.tsv").write_bytes(data)
    return read_facts(path / "f.tsv", log=log)


def test_facts(tmp_path: Path) -> None:
    text = "# a grammar\n0.5\trule\tS\tNP\tVP\n\n1\tword\ttime\t0\n1e-2\tword\tflies\t-1\n"
    text += ".5\t\tX\t0\t007\n2\train\n"
    assert read(tmp_path, text) == {
        "rule": {("S", "NP", "VP"): 0.5},
        "word": {("time", 0): 1.0, ("flies", -1): 0.01},
        "": {("X", 0, 7): 0.5},
        "rain": {(): 2.0},
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("3", 3),
        ("-3", -3),
        ("'3'", "3"),
        ("'x'", "x"),
        ("''", ""),
        ("", ""),
        ("'", "'"),
        ("+3", "+3"),
        ("3.0", "3.0"),
        (" 3", " 3"),
        ("'it's'", "it's"),
        ("#", "#"),
        ("日本", "日本"),
        ("a b", "a b"),
        ("٣", "٣"),
        ("--3", "--3"),
    ],
)
def test_values(tmp_path: Path, field: str, value: int | str) -> None:
    assert read(tmp_path, f"1\tf\t{field}\n") == {"f": {(value,): 1.0}}


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
def test_line_ends(tmp_path: Path, ending: str) -> None:
    assert read(tmp_path, f"1\tf\tx{ending}") == {"f": {("x",): 1.0}}


def test_other_separators_stay_in_the_field(tmp_path: Path) -> None:
    assert read(tmp_path, "1\tf\ta\u2028b\x0cc\n") == {"f": {("a\u2028b\x0cc",): 1.0}}


def test_repeated_facts_add_up(tmp_path: Path) -> None:
    assert read(tmp_path, "0.5\tf\tx\n0.25\tf\tx\n") == {"f": {("x",): 0.75}}
    (tmp_path / "g.tsv").write_text("1\tf\tx\n1\tg\ty\n")
    both = read_facts(tmp_path / "f.tsv", tmp_path / "g.tsv")
    assert both == {"f": {("x",): 1.75}, "g": {("y",): 1.0}}
    assert read_facts() == {}


def test_scores(tmp_path: Path) -> None:
    assert read(tmp_path, "-0.5\tf\tx\n-inf\tf\ty\n", log=True) == {
        "f": {("x",): -0.5, ("y",): float("-inf")}
    }


def test_gzip(tmp_path: Path) -> None:
    (tmp_path / "f.tsv.gz").write_bytes(gzip.compress(b"1\tf\tx\n"))
    assert read_facts(tmp_path / "f.tsv.gz") == {"f": {("x",): 1.0}}


@pytest.mark.parametrize(
    ("content", "log", "message"),
    [
        ("", False, ": no facts"),
        ("# nothing\n\n", False, ": no facts"),
        ("1\n", False, ":1: expected a weight, a name and arguments"),
        (
            "\n1 rule S NP\n",
            False,
            ":2: expected a weight, a name and arguments; the fields must be separated by tabs, not spaces",
        ),
        ("x\tf\ty\n", False, ":1: the weight 'x' is not a number"),
        ("\tf\ty\n", False, ":1: the weight '' is not a number"),
        ("rule\tS\tNP\n", False, ":1: the weight 'rule' is not a number"),
        ("nan\tf\ty\n", False, ":1: the weight is nan; it must be finite and not negative"),
        ("inf\tf\ty\n", False, ":1: the weight is inf; it must be finite and not negative"),
        ("1e999\tf\ty\n", False, ":1: the weight is 1e999; it must be finite and not negative"),
        (
            "-1\tf\ty\n",
            False,
            ":1: the weight is -1; it must be finite and not negative; if the weights are logs, say so with --log",
        ),
        ("nan\tf\ty\n", True, ":1: the weight is nan; a score must be below infinity"),
        ("inf\tf\ty\n", True, ":1: the weight is inf; a score must be below infinity"),
        ("-1\tf\ty\n-2\tf\ty\n", True, ":2: this fact is there twice; scores cannot be added up"),
        (b"1\tf\tx\n1\tf\t\xff\n", False, ":2: byte 10 of the file is not UTF-8"),
        (
            f"1\tf\t{'9' * 5000}\n",
            False,
            ":1: the integer 999999999... is too large: integers must be below 2^30",
        ),
        ("1\tf\t1073741824\n", False, ":1: the integer 1073741824 is too large: integers must be below 2^30"),
    ],
)
def test_errors(tmp_path: Path, content: str | bytes, log: bool, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, content, log=log)
    assert str(caught.value) == f"{tmp_path / 'f.tsv'}{message}"


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_facts(tmp_path / "none.tsv")
