"""`palmette draw`, and `palmette inspect` of a treebank."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

CONLLU = """# sent_id = 1
1\tBirds\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tfly\t_\tVERB\t_\t_\t0\troot\t_\t_

1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_

"""


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    (tmp_path / "birds.conllu").write_text(CONLLU)
    return tmp_path / "birds.conllu"


def test_drawing_arcs(palmette, birds: Path) -> None:
    code, out, err = palmette("draw", birds)
    assert (code, err) == (0, "")
    assert "┌─nsubj─┐" in out
    assert out.count("root") == 2
    assert palmette("draw", birds, "--most", 1).err == (
        "palmette: 1 more sentence is not drawn (--most, --number)\n"
    )
    assert "nsubj" not in palmette("draw", birds, "--number", 2).out
    assert "+-nsubj-+" in palmette("draw", birds, "--ascii").out
    assert "└─ 1 Birds" in palmette("draw", birds, "--width", 10).out


def test_drawing_for_a_page(palmette, birds: Path, tmp_path: Path) -> None:
    assert palmette("draw", birds, "--svg", "--number", 1, "-o", tmp_path / "x.svg").code == 0
    assert ElementTree.parse(tmp_path / "x.svg").getroot().tag.endswith("svg")
    several = palmette("draw", birds, "--svg", "--most", 2)
    assert several.out.count("<svg") == 1
    assert several.err == (
        "palmette: 1 more sentence is not drawn (an SVG image has one sentence: choose it with --number)\n"
    )


def test_drawing_branches(palmette, tmp_path: Path) -> None:
    (tmp_path / "x.mrg").write_text("(S (NP (NN time)) (VP (VBZ flies)))")
    assert "┌──┴───┐" in palmette("draw", tmp_path / "x.mrg").out
    assert palmette("draw", tmp_path / "x.mrg", "--svg").out.startswith("<svg")


def test_drawing_alignments(palmette, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("the house\tdas Haus\na <b>\tein\n")
    (tmp_path / "pairs.align").write_text("0-0 1-1\n1p0\n")
    drawn = palmette("draw", tmp_path / "pairs.tsv", "--alignment", tmp_path / "pairs.align", "--ascii")
    assert (drawn.code, drawn.err) == (0, "")
    first, second = drawn.out.split("\n\n")
    assert first.splitlines()[-2:] == ["  the  # .", "house  . #"]
    assert second.splitlines()[-1].split() == ["<b>", "#"]
    options = ["--alignment", tmp_path / "pairs.align", "--number", 2, "-o", tmp_path / "x.svg"]
    assert palmette("draw", tmp_path / "pairs.tsv", *options).code == 0
    texts = [one.text for one in ElementTree.parse(tmp_path / "x.svg").iter() if one.tag.endswith("text")]
    assert texts.count("<b>") == texts.count("ein") == 1
    for links, message in (
        ("0-0\n", "expected 2 alignments"),
        ("0-0\n5-0\n", "line 2: the link 5-0 in a pair of 2 and 1 words".replace("line 2", "2")),
        ("0-0\nx\n", "'x' is not a link"),
    ):
        (tmp_path / "bad.align").write_text(links)
        refused = palmette("draw", tmp_path / "pairs.tsv", "--alignment", tmp_path / "bad.align")
        assert (refused.code, refused.err.count("\n")) == (1, 1)
        assert message in refused.err
    both = palmette(
        "draw", tmp_path / "pairs.tsv", "--alignment", tmp_path / "pairs.align", "--from", "conllu"
    )
    assert both.code == 2
    assert palmette("draw", "-", "--alignment", "-").code == 2


def test_drawing_entities_of_columns(palmette, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("Ada B-PER\nLovelace I-PER\nwrote O\n\n")
    drawn = palmette("draw", tmp_path / "names.txt", "--svg", "--from", "columns")
    assert drawn.code == 0
    assert drawn.out.count("<rect") == 1  # one box for both words


def test_drawing_standard_input(palmette, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(CONLLU.encode())))
    assert "nsubj" in palmette("draw", "-").out


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("Birds fly\n", [], "cannot detect the format; specify it with --from"),
        ("Birds NOUN\nfly VERB\n\n", ["--from", "columns"], "expected heads to draw, but the file has none"),
        (CONLLU, ["--number", 3], "has 2 sentences; there is no sentence 3"),
        (CONLLU, ["--from", "conlu"], "no format 'conlu': did you mean 'conllu'?"),
    ],
)
def test_what_cannot_be_drawn(
    palmette, tmp_path: Path, text: str, arguments: list[object], message: str
) -> None:
    (tmp_path / "x.txt").write_text(text)
    code, out, err = palmette("draw", tmp_path / "x.txt", *arguments)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert message in err


def test_inspecting_a_treebank(palmette, birds: Path) -> None:
    report = json.loads(palmette("inspect", birds, "--json").out)
    assert report["trees"]["projective_sentences"] == 1
    assert report["relations"]["root"] == {"count": 2, "share": 2 / 3}
    shown = palmette("inspect", birds).out
    assert "projective sentences  100.00 %" in shown
    assert "VERB → NOUN      1  33.33 %  100.00 %" in shown
    birds.write_text(CONLLU.replace("\t0\troot", "\t2\troot", 1))
    assert "first ill formed      line 1: word 2 is its own head" in palmette("inspect", birds).out


def test_inspecting_words(palmette, tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("Birds\tNOUN\nfly\tVERB\n\n")
    shown = palmette("inspect", tmp_path / "x.tsv").out
    assert "types      2" in shown
    assert "NOUN      1  50.00 %" in shown
    assert "trees" not in shown


def test_a_sentence_that_is_too_large_to_draw(palmette, tmp_path: Path) -> None:
    long = "(S " + " ".join(f"(N w{i})" for i in range(300)) + ")"
    (tmp_path / "x.mrg").write_text(f"{long}\n(S (A a))\n")
    drawn = palmette("draw", tmp_path / "x.mrg", "--max-cells", 1_000)
    assert drawn.code == 0
    assert "at most 1,000 characters are drawn" in drawn.out.splitlines()[0]
    assert drawn.out.rstrip().endswith("a")
    alone = palmette("draw", tmp_path / "x.mrg", "--number", 1, "--max-cells", 1_000)
    assert alone.code == 1
    assert "--max-cells" in alone.err
