"""`palmette convert` as a person meets it: streams, exit codes, and a sentence for everything wrong."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from pathlib import Path

import pytest

from palmette.formats.registry import formats
from samples.corpora import corpus_file

PENN = "((S (NP-SBJ (NN time)) (VP (VBZ flies) (NP (-NONE- *)))))\n"
CONLLU = "# c\n1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def penn(tmp_path: Path) -> Path:
    (tmp_path / "x.mrg").write_text(PENN)
    return tmp_path / "x.mrg"


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", type("Input", (), {"buffer": io.BytesIO(data)}))


def test_the_formats_are_listed(palmette) -> None:
    code, out, err = palmette("convert", "--list")
    assert (code, err) == (0, "")
    for format in formats():
        assert f"\n{format.name} " in "\n" + out
        assert format.name in palmette("convert", "--help").out


def test_file_to_file(palmette, penn: Path, tmp_path: Path) -> None:
    assert palmette("convert", penn, tmp_path / "x.conllu.gz", "--no-empty") == (0, "", "")
    text = gzip.decompress((tmp_path / "x.conllu.gz").read_bytes()).decode()
    assert text == "1\ttime\t_\t_\tNN\t_\t_\t_\t_\t_\n2\tflies\t_\t_\tVBZ\t_\t_\t_\t_\t_\n\n"


def test_standard_streams(palmette, monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, PENN.encode())
    want = "(S (NP (NN 0=time)) (VP (VBZ 1=flies)))\n"
    assert palmette("convert", "-", "--to", "discbracket", "--no-empty", "--no-functions") == (0, want, "")
    feed(monkeypatch, CONLLU.encode())
    line = "convert - - --to columns --columns form,head --separator space --no-comments"
    assert palmette(*line.split()) == (0, "Go 0\n\n", "")


def test_lenient_reports_the_first_few_and_the_number(palmette, tmp_path: Path) -> None:
    path = tmp_path / "x.mrg"
    path.write_text("()\n" * 7 + "(S (NN a))\n")
    code, out, err = palmette("convert", path, "--to", "columns", "--lenient", "--quiet")
    assert (code, out) == (0, "a\tNN\n\n")
    lines = err.splitlines()
    assert len(lines) == 6
    assert lines[0].startswith(f"palmette: skipped {path}:1: empty brackets ()")
    assert lines[-1] == f"palmette: skipped 7 sentences of {path} in all"


def test_trees_without_words_are_told(palmette, tmp_path: Path) -> None:
    path = tmp_path / "x.mrg"
    path.write_text(PENN + "(X (-NONE- *))\n")
    code, out, err = palmette("convert", path, "--to", "columns", "--no-empty")
    assert (code, out) == (0, "time\tNN\nflies\tVBZ\n\n")
    assert err == f"palmette: left out 1 tree of {path} without words\n"


@pytest.mark.parametrize(
    ("name", "data", "line", "message"),
    [
        ("x.mrg", b"(S (NP a)\n", 1, "the bracket '(S' opened here is never closed"),
        ("x.mrg", b"(S a)\n)\n", 2, "a closing bracket where none is open"),
        ("x.discbracket", b"(S 0=a\n", 1, "the bracket '(S' opened here is never closed"),
        ("x.export", b"#BOS 1\na\tN\n#EOS 1\n", 2, "2 columns; expected 5"),
        ("x.conllu", b"1\ta\n", 1, "found 2 tab-separated columns, CoNLL-U has 10"),
        ("x.tsv", b"a\tb\n\nc\n", 3, "found 1 tab-separated column, expected 2 as in line 1"),
        ("x.conllu", b"# \xe9\n", 1, "byte 0xe9 at offset 2 is not UTF-8"),
        ("x.tsv", b"a\tb\n\xff\tb\n", 2, "byte 0xff at offset 4 is not UTF-8"),
        ("x.mrg", b"(S\n \xe9)", 2, "byte 0xe9 at offset 4 is not UTF-8"),
        ("x.discbracket", b"(S 0=\xe9)", 1, "byte 0xe9 at offset 5 is not UTF-8"),
        ("x.export", b"#BOS 1\n\xe9\tN\t--\t--\t0\n#EOS 1\n", 2, "byte 0xe9 at offset 7 is not UTF-8"),
        ("x.mrg", "(S a)".encode("utf-16"), 1, "the file is UTF-16, not UTF-8"),
        ("x.export", "#BOS 1".encode("utf-16"), 1, "the file is UTF-16, not UTF-8"),
        ("x.conllu", b"", None, "no sentences: there is no line but empty ones"),
        ("x.tsv", b"\n\n", None, "no sentences: there is no line but empty ones"),
        ("x.mrg", b"", None, "no tree in the input"),
        ("x.discbracket", b" \n", None, "no tree in the input"),
        ("x.export", b"", None, "no sentence in the input"),
        ("x.txt", b"", None, "there is nothing in it"),
        ("x.conllu.gz", b"\x1f\x8bxxxx", None, "damaged gzip file"),
        ("x.discbracket", b"(S (A 0=a) (B 1=b))\n(S (A 0=a 2=c) (B 1=b))", 2, "Brackets cannot carry a disc"),
        ("x.discbracket", b"(S 0=a\xc2\xa0b)\n(S 0=a\x00b)\n", None, None),
    ],
)
def test_bad_files(palmette, tmp_path: Path, name: str, data: bytes, line, message) -> None:
    (tmp_path / name).write_bytes(data)
    target = "conllu" if name.startswith(("x.conllu", "x.tsv", "x.txt")) else "brackets"
    code, out, err = palmette("convert", tmp_path / name, tmp_path / "out", "--to", target)
    if message is None:  # odd, but well formed
        assert (code, err) == (0, "")
        return
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"palmette: {tmp_path / name}:{'' if line is None else f'{line}:'} {message}")
    assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_nothing_is_written_to_standard_output_either(palmette, tmp_path: Path) -> None:
    path = tmp_path / "x.discbracket"
    path.write_text("(S (A 0=a))\n" * 10_000 + "(S (A 0=a 2=c) (B 1=b))\n")
    code, out, err = palmette("convert", path, "--to", "brackets")
    assert (code, out) == (1, "")
    assert ":10001: " in err


def test_files_that_are_not_there_or_no_files(palmette, penn: Path, tmp_path: Path) -> None:
    for source, target, message in [
        (tmp_path / "no.mrg", "-", f"{tmp_path / 'no.mrg'}: no such file or directory"),
        (tmp_path, "-", f"{tmp_path}: is a directory"),
        (penn, tmp_path, f"{tmp_path}: is a directory"),
        (
            penn,
            tmp_path / "no" / "x.export",
            f"{tmp_path / 'no' / 'x.export'}: no such file or directory: make its folder first",
        ),
        (penn, penn / "x.export", f"{penn / 'x.export'}: not a directory"),
    ]:
        assert palmette("convert", source, target, "--to", "export") == (1, "", f"palmette: {message}\n")


def test_a_folder_that_may_not_be_written(palmette, penn: Path, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    # Root may write everywhere but where the kernel keeps its own files.
    folder = tmp_path / "locked" if os.geteuid() else Path("/sys")
    target = folder / "x.export"
    assert palmette("convert", penn, target) == (1, "", f"palmette: {target}: permission denied\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--to xml", "no format 'xml': there are conllu, columns, brackets, discbracket, export"),
        ("--from penn --to export", "no format 'penn': there are conllu, columns, brackets"),
        ("", "in which format shall standard output be written? Name one of conllu"),
        (
            "--to export --outer",
            "outer is for brackets that are written, and this converts brackets to export",
        ),
        ("--to export --columns form", "columns is for a column file, read or written, and this converts"),
        ("--to columns --columns form,,x", "columns must be a list of names, none of them empty"),
        ("--to columns --separator comma", "Invalid value for '--separator'"),
        ("--to columns --frobnicate", "No such option: --frobnicate"),
        ("--from columns --to export", "columns holds tokens and export holds trees: tokens cannot become"),
    ],
)
def test_commands_written_wrongly(palmette, penn: Path, line: str, message: str) -> None:
    code, out, err = palmette("convert", penn, *line.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"palmette: {message}")
    assert err.endswith("(palmette convert --help shows how)\n")


def test_inspecting_tokens_and_trees(palmette, penn: Path, tmp_path: Path) -> None:
    lines = [line.split() for line in palmette("inspect", penn).out.splitlines()]
    assert ["trees", "1"] in lines
    assert ["words", "3"] in lines
    (tmp_path / "x.conllu").write_text(CONLLU)
    report = json.loads(palmette("inspect", tmp_path / "x.conllu", "--json").out)
    assert (report["format"], report["sentences"], report["words"]) == ("conllu", 1, 1)
    (tmp_path / "x.txt").write_text(CONLLU)  # the name says nothing, the content does
    assert json.loads(palmette("inspect", tmp_path / "x.txt", "--json").out)["format"] == "conllu"
    penn.write_text("(S")
    code, out, err = palmette("inspect", penn)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "x.mrg:1: the bracket" in err


def test_a_real_treebank(palmette, tmp_path: Path) -> None:
    path = corpus_file("disc_nl_alpino/dev.export")
    code, out, err = palmette("convert", path, tmp_path / "x.mrg", "--lenient")
    assert (code, out) == (0, "")
    assert err.endswith(f"palmette: skipped 500 sentences of {path} in all\n")
    assert len((tmp_path / "x.mrg").read_text().splitlines()) == 200
