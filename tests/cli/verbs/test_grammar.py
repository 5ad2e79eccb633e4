"""`palmette grammar`: reports, sentences, files, and errors as one sentence."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from palmette import Grammar
from palmette.grammars.synchronous.grammar import SynchronousGrammar

TOY = Path(__file__).parents[3] / "examples" / "grammars" / "time_flies.cfg"


def test_the_check(palmette) -> None:
    code, out, err = palmette("grammar", TOY)
    assert (code, err) == (0, "")
    assert "consistent       yes" in out
    report = json.loads(palmette("grammar", TOY, "--json").out)
    assert report["start"] == "S"
    assert report["rules"] == len(Grammar.from_file(TOY))
    assert report["proper"] is True
    assert report["worst"] == {}
    assert report["total"] == pytest.approx(1.0)
    assert report["expected_words"] == pytest.approx(Grammar.from_file(TOY).expected_length())


def test_what_is_wrong_with_a_grammar(palmette, tmp_path: Path) -> None:
    (tmp_path / "odd.cfg").write_text("S -> S S [0.7] | 'a' [0.2]\nB -> 'b'\n")
    code, out, err = palmette("grammar", tmp_path / "odd.cfg", "--json")
    assert code == 0
    assert err.startswith("palmette: warning: the weights of S sum to 0.9, not to one")
    report = json.loads(out)
    assert report["worst"] == {"nonterminal": "S", "sum": pytest.approx(0.9)}
    assert report["consistent"] is False
    assert report["expected_words"] is None
    assert report["unreachable"] == ["B"]
    assert "infinite" in palmette("grammar", tmp_path / "odd.cfg", "-q").out


def test_a_sentence(palmette) -> None:
    out = palmette("grammar", TOY, "--parse", "time flies like an arrow", "-k", "9").out
    assert out.startswith("log-probability -6.195")
    assert out.count("(S ") == 4
    report = json.loads(palmette("grammar", TOY, "--parse", "time flies", "--json").out)["parse"]
    assert len(report["trees"]) == 1
    assert math.exp(report["log_probability"]) == pytest.approx(
        Grammar.from_file(TOY).parse(["time", "flies"]).probability
    )
    assert palmette("grammar", TOY, "--parse", "time goes").out == (
        "no derivation: the grammar does not know goes\n"
    )
    assert palmette("grammar", TOY, "--parse", "an an").out == "no derivation\n"


def test_samples_and_prefixes(palmette) -> None:
    first = palmette("grammar", TOY, "--sample", "5", "--seed", "3").out
    assert first == palmette("grammar", TOY, "--sample", "5", "--seed", "3").out
    assert len(first.splitlines()) == 5
    assert palmette("grammar", TOY, "--sample", "2", "--trees").out.count("(S ") == 2
    report = json.loads(palmette("grammar", TOY, "--prefix", "time flies", "--json").out)["prefix"]
    assert report["end"] + sum(report["next"].values()) == pytest.approx(1.0)
    assert json.loads(palmette("grammar", TOY, "--prefix", "an an", "--json").out)["prefix"] == {
        "words": ["an", "an"],
        "log_probability": None,
        "end": 0.0,
        "next": {},
    }


def test_other_forms_and_files(palmette, tmp_path: Path) -> None:
    grammar = Grammar.from_file(TOY)
    for form in ("normalised", "trimmed", "tightened", "cnf"):
        target = tmp_path / f"{form}.cfg"
        assert palmette("grammar", TOY, "--make", form, "-o", target) == (0, "", "")
        made = Grammar.from_file(target, weighted=True)
        assert made.parse(["time", "flies"]).probability == pytest.approx(
            grammar.parse(["time", "flies"]).probability
        )
    assert Grammar(palmette("grammar", TOY, "-o", "-").out) == grammar


def test_learning(palmette, tmp_path: Path) -> None:
    sentences = tmp_path / "sentences.txt"
    sentences.write_text("time flies\ntime flies like an arrow\n\nunknown words\n")
    target = tmp_path / "learnt.cfg"
    code, out, err = palmette("grammar", TOY, "--learn", sentences, "-o", target, "--n-iter", "5", "--json")
    assert code == 0
    assert "1 of 3 sentences have no derivation" in err
    report = json.loads(out)["learnt"]
    assert report["sentences"] == 2
    assert report["objective"] >= report["objective_before"]
    assert Grammar.from_file(target).is_proper
    assert palmette("grammar", TOY, "--learn", sentences, "--vb", "0.1", "-q").code == 0


def test_a_treebank(palmette, tmp_path: Path) -> None:
    bank = tmp_path / "trees.mrg"
    bank.write_text("(S (NP-SBJ (NN time)) (VP (VBZ flies)))\n(NP (NN time))\n")
    report = json.loads(palmette("grammar", bank, "--json").out)
    assert (report["start"], report["rules"]) == ("TOP", 7)
    assert json.loads(palmette("grammar", bank, "--tags", "--json").out)["terminals"] == 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere.cfg"], 1, "nowhere.cfg: no such file or directory"),
        ([TOY, "--start", "X"], 1, "no rule has the start symbol X on its left"),
        ([TOY, "--tags"], 2, "it applies to treebanks only"),
        ([TOY, "-o", "-", "--json"], 2, "use -o FILE"),
        ([TOY, "--learn", "nowhere.txt"], 1, "nowhere.txt: no such file"),
    ],
)
def test_errors(palmette, arguments: list[object], code: int, message: str) -> None:
    result = palmette("grammar", *arguments)
    assert result.code == code
    assert message in result.err
    assert result.err.count("\n") == 1


def test_a_bad_line(palmette, tmp_path: Path) -> None:
    (tmp_path / "bad.cfg").write_text("S -> 'a'\nS => 'b'\n")
    result = palmette("grammar", tmp_path / "bad.cfg")
    assert result.code == 1
    assert "bad.cfg:2: " in result.err


def test_large_grammars_are_bounded(palmette, tmp_path: Path) -> None:
    n = 6_000
    chain = "".join(f"A{i} -> A{i + 1}\n" for i in range(n)) + f"A{n} -> 'a'\n"
    (tmp_path / "chain.cfg").write_text(chain)
    (tmp_path / "long.cfg").write_text("S -> " + "A " * 2_000 + "\nA -> 'a'\n")
    checked = palmette("grammar", tmp_path / "chain.cfg", "--json")
    assert json.loads(checked.out)["expected_rules"] == n + 1
    converted = palmette("grammar", tmp_path / "chain.cfg", "--make", "cnf", "-o", tmp_path / "cnf.cfg")
    assert converted.code == 1
    assert "6,001×6,001 numbers (0.3 GB), and at most 25,000,000 are allowed" in converted.err
    assert "--max-matrix" in converted.err
    for way in (["--make", "cnf"], ["--parse", "a"], ["--prefix", "a"]):
        result = palmette("grammar", tmp_path / "long.cfg", *way)
        assert result.code == 1
        assert "2,000 symbols on its right side, and at most 1,000 are binarized" in result.err
    assert palmette("grammar", tmp_path / "long.cfg", "--parse", "a", "--max-right", 2_000).code == 0


def test_finite(palmette, tmp_path: Path) -> None:
    path = tmp_path / "toy.cfg"
    path.write_text("S -> NP 'flies'\nNP -> 'time' | 'fruit'\n")
    assert palmette("grammar", path, "--finite", "-q") == (0, "finite: 2 strings of 2 words\n", "")
    path.write_text("S -> NP 'flies'\nNP -> NP PP | 'time'\nPP -> 'on' NP\n")
    out = palmette("grammar", path, "--finite", "-q").out
    assert out == "infinite: NP derives itself with more words, by\n  NP -> NP PP\n"
    report = json.loads(palmette("grammar", path, "--finite", "-q", "--json").out)["language"]
    assert report == {
        "finite": False,
        "strings": None,
        "shortest": None,
        "longest": None,
        "cycle": ["NP -> NP PP"],
    }


PAIRS = TOY.parent / "negation.scfg"


def test_a_synchronous_grammar(palmette, tmp_path: Path) -> None:
    code, out, err = palmette("grammar", PAIRS)
    assert (code, err) == (0, "")
    assert "consistent     yes" in out
    assert json.loads(palmette("grammar", PAIRS, "--json").out)["smallest_rank"] == 2
    assert "they see them" in palmette("grammar", PAIRS, "--parse", "elles les voient").out
    back = json.loads(palmette("grammar", PAIRS, "--target", "they leave", "-k", "5", "--json").out)["parse"]
    assert [one["source"] for one in back["derivations"]] == ["ils partent", "elles partent"]
    assert [one["share"] for one in back["derivations"]] == pytest.approx([4 / 7, 3 / 7])
    pair = ("--parse", "ils ne partent pas", "--target", "they do not leave")
    assert "(VP do not (V leave))" in palmette("grammar", PAIRS, *pair).out
    assert palmette("grammar", PAIRS, "--parse", "ils ne vont pas").out == (
        "no derivation: the grammar does not know vont\n"
    )
    assert palmette("grammar", PAIRS, "--parse", "ils", "--target", "they").out == "no derivation\n"
    assert len(palmette("grammar", PAIRS, "--sample", "4").out.splitlines()) == 4
    assert "(S (NP" in palmette("grammar", PAIRS, "--sample", "1", "--trees").out
    told = palmette("grammar", PAIRS, "--finite").out.splitlines()
    grammar = SynchronousGrammar.from_file(PAIRS)
    n = grammar.finiteness().n_pairs
    assert n
    assert told[0] == f"finite: {n} pairs, {n} derivations"
    assert [line.split()[0] for line in told[1:]] == ["source", "target"]
    language = json.loads(palmette("grammar", PAIRS, "--finite", "--json").out)["language"]
    assert (language["pairs"], language["source"]["strings"]) == (n, grammar.source.finiteness().n_strings)
    assert palmette("grammar", PAIRS, "--side", "source", "--prefix", "ils ne").code == 0
    assert palmette("grammar", PAIRS, *pair, "--draw", "--svg", tmp_path / "a.svg").out.count("V⁴") == 2
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    nothing = palmette("grammar", PAIRS, "--svg", tmp_path / "b.svg")
    assert (nothing.code, (tmp_path / "b.svg").exists()) == (1, False)
    assert "there is no derivation to draw" in nothing.err
    for form in ("moses", "joshua", "text"):
        written = palmette("grammar", PAIRS, "--form", form, "-o", tmp_path / form)
        assert (written.code, written.out) == (0, "")
        assert json.loads(palmette("grammar", tmp_path / form, "--json").out)["rules"] == 12


def test_rules_that_cannot_be_binarized_and_cycles(palmette, tmp_path: Path) -> None:
    path = tmp_path / "odd.scfg"
    path.write_text("S -> A1 B2 C3 D4 , C3 A1 D4 B2\nS -> A1 B2 C3 , C3 B2 A1\nA -> A1 , A1 x\nA -> ε , b\n")
    report = json.loads(palmette("grammar", path, "--json").out)
    assert report["not_binarizable"] == ["S -> A1 B2 C3 D4 , C3 A1 D4 B2"]
    assert report["unary_cycle"] == ["A -> A1 , A1 x"]
    assert report["unproductive"] == ["B", "C", "D", "S"]
    assert palmette("grammar", path, "--make", "factored", "-o", "-").out.count("S@a") == 3
    path.write_text("A -> A1 , A1 x\nA -> ε , b\n")
    assert palmette("grammar", path, "--finite").out.startswith("infinite")
    assert "(A b)" in palmette("grammar", path, "--sample", "1", "--trees", "--make", "normalised").out
    refused = palmette("grammar", path, "--parse", "", "-k", "2")
    assert refused.code == 1
    assert "infinitely many derivations: A -> A1 , A1 x" in refused.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((PAIRS, "--make", "cnf"), "grammars of one language"),
        ((PAIRS, "--learn", "x"), "grammars of one language"),
        ((PAIRS, "--prefix", "x"), "grammars of one language"),
        ((TOY, "--make", "factored"), "grammars of two languages"),
        ((TOY, "--side", "source"), "grammars of two languages"),
        ((TOY, "--target", "x"), "grammars of two languages"),
        ((TOY, "--form", "moses"), "grammars of two languages"),
        ((TOY, "--svg", "x"), "give it with --parse"),
        ((TOY, "--draw"), "grammars of two languages"),
    ],
)
def test_options_for_the_other_kind_of_grammar(palmette, options: tuple[str, ...], message: str) -> None:
    code, out, err = palmette("grammar", *options)
    assert (code, out) == (2, "")
    assert message in err


def test_drawing_the_forest_of_a_sentence(palmette, tmp_path: Path) -> None:
    (tmp_path / "g.cfg").write_text("S -> S S [0.4] | 'a' [0.6]\n")
    drawn = palmette("grammar", tmp_path / "g.cfg", "--parse", "a a a", "--svg", tmp_path / "f.svg")
    assert drawn.code == 0
    assert "S 0–3" in (tmp_path / "f.svg").read_text()
    none = palmette("grammar", tmp_path / "g.cfg", "--parse", "b", "--svg", tmp_path / "none.svg")
    assert (none.code, (tmp_path / "none.svg").exists()) == (1, False)
    assert "no derivation to draw" in none.err
