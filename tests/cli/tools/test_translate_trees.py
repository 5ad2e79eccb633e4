"""`palmette train translate --method tree-to-string`, and the verbs of its models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from palmette.grammars.synchronous import SynchronousGrammar

pytestmark = pytest.mark.native

GRAMMAR = SynchronousGrammar(
    """
    S -> NP1 VP2 , NP1 VP2
    NP -> D1 N2 , D1 N2
    D -> le , the
    N -> chien , dog
    N -> chat , cat
    VP -> NE1 V2 PAS3 , NE1 does PAS3 V2
    VP -> V1 NP2 , V1 NP2
    NE -> ne , ε
    PAS -> pas , not
    V -> voit , see
    V -> mange , eat
    """,
    weighted=True,
)
SETTINGS = ("--set", "order=2", "--set", "models=fast", "--set", "lm_smoothing=dirichlet")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("trees")
    drawn = GRAMMAR.samples(120, random_state=2)
    texts = {
        "source": [" ".join(one.source_words) for one in drawn],
        "target": [" ".join(one.target_words) for one in drawn],
        "trees": [str(one.trees()[0]) for one in drawn],
    }
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    (folder / "new.trees").write_text("(S (NP (D le) (N chat)) (VP (NE ne) (V voit) (PAS pas)))\n")
    return {
        name: str(folder / name)
        for name in (*texts, "new.trees", "model.palm", "parser.palm", "again.palm", "a.svg")
    }


def test_trees_that_are_given(palmette, files: dict[str, str]) -> None:
    text = ("--source", files["source"], "--target", files["target"])
    train = ("train", "translate", "--method", "tree-to-string", *text, *SETTINGS, "-q")
    done = palmette(*train, "--trees", files["trees"], "--tuning", "none", "-o", files["model.palm"])
    assert (done.code, done.err) == (0, "")
    lines = Path(files["source"]).parent / "new"
    lines.write_text("le chat ne voit pas\n")
    asked = ("--trees", files["new.trees"])
    assert palmette("predict", files["model.palm"], lines, *asked).out == "the cat does not see\n"
    drawn = palmette("predict", files["model.palm"], lines, *asked, "--draw").out
    assert drawn.count("VP") == 2
    flat = palmette("predict", files["model.palm"], lines)
    assert flat.code == 0
    assert "1 of 1 sentences have no tree (the model has no parser: give trees)" in flat.err
    explained = palmette(
        "explain", files["model.palm"], "le chat ne voit pas", *asked, "--svg", files["a.svg"]
    )
    assert explained.code == 0
    assert "stroke-dasharray" in Path(files["a.svg"]).read_text()
    report = json.loads(
        palmette("evaluate", files["model.palm"], *text, "--trees", files["trees"], "--json").out
    )
    assert report["bleu"] > 0.95
    facts = json.loads(palmette("inspect", files["model.palm"], "--phrase", "(N chat)", "--json").out)
    assert "cat" in str(facts)
    table, lm = (str(Path(files["source"]).parent / name) for name in ("table.gz", "lm.palm"))
    assert palmette("inspect", files["model.palm"], "--table-to", table, "--lm-to", lm).code == 0
    again = (
        "train",
        "translate",
        "--method",
        "tree-to-string",
        "--table",
        table,
        "--lm",
        lm,
        "--tuning",
        "none",
    )
    made = palmette(*again, "-q", "-o", files["again.palm"])
    assert (made.code, made.err) == (0, "")
    assert palmette("predict", files["again.palm"], lines, *asked).out == "the cat does not see\n"


def test_a_parser_in_the_model(palmette, files: dict[str, str]) -> None:
    made = palmette(
        "train", "parse", "--method", "pcfg", "--train", files["trees"], "-q", "-o", files["parser.palm"]
    )
    assert made.code == 0
    text = ("--source", files["source"], "--target", files["target"])
    done = palmette(
        "train", "translate", "--method", "tree-to-string", *text, *SETTINGS, "-q", "-o", files["model.palm"],
        "--set", "tuning_rounds=1", "--held-out", "10", "--parser", files["parser.palm"],
    )  # fmt: skip
    assert done.code == 0
    Path(files["parser.palm"]).unlink()
    lines = Path(files["source"]).parent / "new"
    lines.write_text("le chat ne voit pas\n\n")
    found = palmette("predict", files["model.palm"], lines, "--set", "forest=3")
    assert (found.code, found.out) == (0, "the cat does not see\n\n")


def test_what_is_refused(palmette, files: dict[str, str], tmp_path: Path) -> None:
    text = ("--source", files["source"], "--target", files["target"], "-q", "-o", tmp_path / "m.palm")
    train = ("train", "translate", "--method", "tree-to-string", *text)
    for more, message in (
        ((), "needs trees of the source sentences, or a parser"),
        (("--trees", files["new.trees"]), "120 source sentences, but 1 tree"),
        (("--trees", files["source"]), "source"),
        (("--parser", files["trees"]), "trees"),
    ):
        refused = palmette(*train, *more)
        assert refused.code == 1, more
        assert message in refused.err
        assert refused.err.count("\n") == 1
    assert not (tmp_path / "m.palm").exists()
    phrase = palmette("train", "translate", *text, "--trees", files["trees"])
    assert "The method 'phrase' does not use trees" in phrase.err
