"""`palmette deduce`: what it prints as text and as JSON, every option, and errors as one sentence."""

from __future__ import annotations

import io
import json
import math
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.native

EXAMPLES = Path(__file__).parents[3] / "examples" / "deduction"
CKY = (EXAMPLES / "cky.rules", EXAMPLES / "time_flies.tsv")
ARROW = "time flies like an arrow"

HMM = """
[t, 0]   <- start(t) * emit(t, w) * ?word(w, 0)
[t, i+1] <- [s, i] * step(s, t) * emit(t, w) * ?word(w, i+1)
goal [t, i] <- ?length(i+1)
bucket [t, i] = i
"""
HMM_FACTS = "".join(
    f"{weight}\t{name}\t{arguments}\n"
    for weight, name, arguments in [
        (0.5, "start", "A"),
        (0.5, "start", "B"),
        (0.6, "step", "A\tB"),
        (0.4, "step", "A\tA"),
        (0.7, "step", "B\tA"),
        (0.3, "step", "B\tB"),
        (0.9, "emit", "A\tx"),
        (0.1, "emit", "B\tx"),
    ]
)


@pytest.fixture
def hmm(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "hmm.rules").write_text(HMM)
    (tmp_path / "hmm.tsv").write_text(HMM_FACTS)
    return tmp_path / "hmm.rules", tmp_path / "hmm.tsv"


@pytest.fixture
def rules(tmp_path: Path):
    """Writes rules and facts; gives their paths."""

    def write(text: str, facts: str = "1\tf\tx\n") -> tuple[Path, Path]:
        (tmp_path / "x.rules").write_text(text)
        (tmp_path / "x.tsv").write_text(facts)
        return tmp_path / "x.rules", tmp_path / "x.tsv"

    return write


def test_the_best_derivation(palmette, rules) -> None:
    code, out, err = palmette(
        "deduce", *rules("a(x) <- f(x) * b\nb <- 0.5\ngoal a(_)", "0.5\tf\tx\n0.25\tf\ty\n")
    )
    assert (code, err) == (0, "")
    assert out == (
        "2 derivation(s), log of their total weight -0.980829\n"
        "\nderivation 1: score -1.38629, 66.67% of the total weight\na(x)  ← f(x)\n  b\n"
    )


def test_several_derivations(palmette) -> None:
    code, out, err = palmette("deduce", *CKY, "--words", ARROW, "-k", "2")
    assert (code, err) == (0, "")
    assert out.startswith("3 derivation(s), log of their total weight -5.81074\n")
    assert out.count("of the total weight\n[S, 0, 5]") == 2
    assert "  [VP, 1, 5]  ← rule(VP, V, PP)\n" in out


def test_no_derivations_asked_for(palmette) -> None:
    assert palmette("deduce", *CKY, "--words", ARROW, "-k", "0").out.count("\n") == 1


def test_marginals_and_samples(palmette) -> None:
    out = palmette("deduce", *CKY, "--words", ARROW, "-k", "0", "--marginals", "--samples", "2").out
    assert out.count("\nsample ") == 2
    assert "\nitems and how often they are used\n  1.0000  [" in out
    assert "\nfacts and how often they are used\n  " in out
    values = [float(line.split()[0]) for line in out.split("facts and how often")[1].splitlines()[1:]]
    assert values == sorted(values, reverse=True)


def test_json(palmette) -> None:
    line = (
        "deduce",
        *CKY,
        "--words",
        ARROW,
        "-k",
        "2",
        "--marginals",
        "--samples",
        "1",
        "--seed",
        "3",
        "--json",
    )
    code, out, err = palmette(*line)
    assert (code, err, out.count("\n")) == (0, "", 1)
    report = json.loads(out)
    assert list(report) == [
        "search", "count", "items_popped", "edges_built", "log_z", "derivations", "samples", "items", "facts",
    ]  # fmt: skip
    assert (report["search"], report["count"]) == ("exhaustive", 3)
    first, second = report["derivations"]
    assert first["probability"] == pytest.approx(math.exp(first["score"] - report["log_z"]))
    assert first["probability"] > second["probability"]
    assert first["steps"][0] == {"depth": 0, "item": "[S, 0, 5]", "by": "rule(S, NP, VP)"}
    assert report["items"]["[S, 0, 5]"] == pytest.approx(1.0)
    assert report["facts"]["word(arrow, 4)"] == pytest.approx(1.0)
    assert palmette(*line).out == out


def test_count(palmette, rules) -> None:
    assert palmette("deduce", *CKY, "--words", ARROW, "--count") == (0, "3\n", "")
    assert json.loads(palmette("deduce", *CKY, "--words", ARROW, "--count", "--json").out)["count"] == 3
    cyclic = rules("a(x) <- f(x)\na(x) <- a(x) * 0.5\ngoal a(_)")
    assert palmette("deduce", *cyclic, "--count").out == "infinitely many\n"
    for also in (["--marginals"], ["--samples", "2"], ["-k", "5"]):
        code, out, err = palmette("deduce", *CKY, "--words", ARROW, "--count", *also)
        assert (code, out) == (2, "")
        assert "'--count': it prints only the number" in err
    assert json.loads(palmette("deduce", *cyclic, "--json").out)["count"] is None


def test_cycles(palmette, rules) -> None:
    cyclic = rules("a(x) <- f(x)\na(x) <- a(x) * 0.5\ngoal a(_)")
    assert palmette("deduce", *cyclic).out.startswith(
        "infinitely many derivation(s), log of their total weight 0.693"
    )
    code, out, err = palmette("deduce", *cyclic, "-k", "2")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.endswith("the cycle goes through a(x)\n")
    endless = rules("a(x) <- f(x)\na(x) <- a(x)\ngoal a(_)")
    assert palmette("deduce", *endless) == (
        1,
        "",
        "palmette: the sum over derivations diverges: the cycle goes through a(x)\n",
    )


def test_goals(palmette, rules) -> None:
    out = palmette("deduce", *CKY, "--words", ARROW, "--goal", "['NP', 3, 5]").out
    assert out.startswith("1 derivation(s)")
    assert "\n[NP, 3, 5]  ← rule(NP, D, N)\n" in out
    # a goal may ask for what the rules do not use
    files = rules("a(x) <- f(x)")
    assert "\na(x)" in palmette("deduce", *files, "--goal", "a(x) <- ?length(n)", "--words", "one two").out


def test_nothing_derives_the_goal(palmette) -> None:
    assert palmette("deduce", *CKY, "--words", "arrow an") == (0, "no derivation\n", "")
    report = json.loads(
        palmette("deduce", *CKY, "--words", "arrow an", "--json", "--samples", "2", "--marginals").out
    )
    assert (report["count"], report["log_z"], report["derivations"]) == (0, None, [])
    assert palmette("deduce", *CKY, "--words", "", "--count").out == "0\n"


def test_facts_of_several_files_add_up(palmette, rules, tmp_path: Path) -> None:
    (tmp_path / "more.tsv").write_text("1\tf\tx\n1\tf\ty\n")
    files = rules("a(x) <- f(x)\ngoal a(_)")
    report = json.loads(palmette("deduce", *files, tmp_path / "more.tsv", "--json", "-k", "9").out)
    assert report["log_z"] == pytest.approx(math.log(3))
    assert [round(math.exp(d["score"])) for d in report["derivations"]] == [2, 1]


def test_words_are_added_to_what_is_there(palmette, rules) -> None:
    files = rules("a(w, i) <- word(w, i)\ngoal a(_, _)", "0.5\tword\tx\t0\n")
    assert palmette("deduce", *files, "--words", "y x", "--count").out == "3\n"
    # words are symbols, also those that look like numbers
    files = rules("a(w) <- word(w, _) * f(w)\ngoal a(_)", "1\tf\t3\n1\tf\t'4'\n")
    assert "\na(4)" in palmette("deduce", *files, "--words", "3 4").out
    assert palmette("deduce", *files, "--words", "3 4", "--count").out == "1\n"


def test_words_that_no_rule_asks_for(palmette, rules) -> None:
    files = rules("a(x) <- f(x)\ngoal a(_)")
    code, out, err = palmette("deduce", *files, "--words", "x")
    assert (code, out) == (2, "")
    assert "no rule uses word(w, i) or length(n)" in err


def test_scores(palmette, rules) -> None:
    files = rules("a(x) <- f(x) * -1\ngoal a(_)", "-0.5\tf\tx\n3\tf\ty\n")
    report = json.loads(palmette("deduce", *files, "--log", "--json", "-k", "5").out)
    assert [d["score"] for d in report["derivations"]] == [2.0, -1.5]
    files = rules("a(x) <- f(x) * word(x, i)\ngoal a(_)", "-0.5\tf\tx\n")
    assert json.loads(palmette("deduce", *files, "--log", "--json", "--words", "x").out)["log_z"] == -0.5


def test_standard_input(palmette, rules, monkeypatch: pytest.MonkeyPatch) -> None:
    def standard_input(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    path, facts = rules("a(x) <- f(x)\ngoal a(_)")
    standard_input(path.read_text())
    assert palmette("deduce", "-", facts, "--count").out == "1\n"
    standard_input("1\tf\tx\n1\tf\ty\n")
    assert palmette("deduce", path, "-", "--count").out == "2\n"
    standard_input("a(x <- f(x)")
    assert (
        palmette("deduce", "-", facts).err
        == "palmette: <standard input>:1: expected ',' or ')' but found '<-'\n"
    )


# Searches


def test_searches(palmette, hmm: tuple[Path, Path]) -> None:
    words = ("--words", "x x x x")
    exact = json.loads(palmette("deduce", *hmm, *words, "--json").out)
    for options in (["best-first"], ["beam", "--top", "9"], ["beam", "--width", "99"], ["exhaustive"]):
        report = json.loads(palmette("deduce", *hmm, *words, "--json", "--search", *options).out)
        assert report["search"] == options[0]
        assert report["derivations"][0]["score"] == pytest.approx(exact["derivations"][0]["score"])
        assert report["items_popped"] <= exact["items_popped"]
    narrow = json.loads(palmette("deduce", *hmm, *words, "--json", "--search", "beam", "--top", "1").out)
    assert (narrow["count"], narrow["items_popped"]) == (1, 5)


def test_a_search_says_that_it_is_one(palmette, hmm: tuple[Path, Path]) -> None:
    out = palmette("deduce", *hmm, "--words", "x x x", "--search", "beam", "--top", "1").out
    assert out.splitlines()[1] == "(only of what beam search found: there may be more)"
    out = palmette("deduce", *hmm, "--words", "x x x", "--search", "best-first").out
    assert out.splitlines()[1] == "(only of what best-first search found: there may be more)"
    assert "there may be more" not in palmette("deduce", *hmm, "--words", "x x x").out
    assert (
        palmette("deduce", *hmm, "--words", "y", "--search", "best-first").out == "no derivation was found\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--search", "beam"], "beam search needs --top, --width or both"),
        (["--top", "3"], "--top and --width belong to --search beam"),
        (["--search", "best-first", "--width", "3"], "--top and --width belong to --search beam"),
        (["--search", "beam", "--top", "0"], "Invalid value for '--top'"),
        (["--search", "depth-first"], "'depth-first' is not one of"),
        (["-k", "-1"], "Invalid value for '--kbest'"),
        (["--samples", "x"], "Invalid value for '--samples'"),
        (["--goal", "[x"], "goal:1: the bracket is never closed with ']'"),
        (["--words", "x", "--goal", "b(x)"], "goal:1: nothing gives b(_)"),
    ],
)
def test_wrong_options(palmette, hmm: tuple[Path, Path], options: list[str], message: str) -> None:
    code, out, err = palmette("deduce", *hmm, *options)
    assert code == (1 if message.startswith("goal") else 2)
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


@pytest.mark.parametrize(
    ("text", "facts", "message"),
    [
        (
            "a(x) <- f(y)\ngoal a(_)",
            "1\tf\tx\n",
            "x.rules:1: variable x in the head is not bound: no item or fact of the body gives its value",
        ),
        (
            "a(x) <- f(x)",
            "1\tf\tx\n",
            "no goal: say which item to derive, such as ['S', 0, 5], or write in the rules: goal ['S', 0, 5]",
        ),
        (
            "a(x+1) <- f(x)\ngoal a(_)",
            "1\tf\tx\n",
            "x.rules:1: arithmetic on a symbol, where an integer is needed",
        ),
        (
            "a(x) <- f(x)\ngoal a(_)",
            "1\tg\tx\n",
            "x.rules:1: nothing gives f(_): it is neither the head of a rule nor among the facts",
        ),
        ("a(x) <- f(x)\ngoal a(_)", "1\tf\tx\n1\tg\tx\n", "facts are given for g(_), which no rule uses"),
        (
            "a(x) <- f(x)\ngoal a(_)",
            "1 f x\n",
            "x.tsv:1: expected a weight, a name and arguments; the fields must be separated by tabs, not spaces",
        ),
        (
            "a(x) <- f(x) * -1\ngoal a(_)",
            "1\tf\tx\n",
            "x.rules:1: the weight of the rule is -1.0; weights must be finite and not negative; if the weights "
            "are logs, say so with log=True or --log",
        ),
        ("", "1\tf\tx\n", "x.rules: there is no rule"),
    ],
)
def test_errors_are_one_line(palmette, rules, text: str, facts: str, message: str) -> None:
    path, tsv = rules(text, facts)
    code, out, err = palmette("deduce", path, tsv)
    assert (code, out) == (1, "")
    assert err == f"palmette: {message}\n".replace("x.rules", str(path)).replace("x.tsv", str(tsv))


def test_files_that_are_not_there(palmette, tmp_path: Path) -> None:
    code, out, err = palmette("deduce", tmp_path / "none.rules")
    assert (code, out, err) == (1, "", f"palmette: {tmp_path / 'none.rules'}: no such file or directory\n")
    code, _, err = palmette("deduce", CKY[0], tmp_path / "none.tsv")
    assert (code, err) == (1, f"palmette: {tmp_path / 'none.tsv'}: no such file or directory\n")


def test_rules_alone(palmette, tmp_path: Path) -> None:
    (tmp_path / "x.rules").write_text("a(1) <- 0.5\na(x+1) <- a(x) * x < 3\ngoal a(_)")
    assert palmette("deduce", tmp_path / "x.rules", "--count").out == "3\n"


def test_what_could_steer_a_terminal(palmette, rules) -> None:
    files = rules("a(x) <- f(x)\ngoal a(_)", "1\tf\t\x1b[2J\n")
    out = palmette("deduce", *files, "--marginals").out
    assert "\x1b" not in out
    assert "a(\\x1b[2J)" in out


def test_a_very_long_sentence(palmette, hmm: tuple[Path, Path]) -> None:
    """10,000 words: 2^10000 derivations, and proofs of that depth, as text and as JSON."""
    words = ("--words", "x " * 10_000)
    code, out, err = palmette("deduce", *hmm, *words)
    assert (code, err) == (0, "")
    assert out.startswith("about 10^3010 derivation(s)")
    assert len(out) < 10_000_000
    report = json.loads(palmette("deduce", *hmm, *words, "--json", "--samples", "1").out, parse_int=str)
    assert len(report["count"]) == 3011
    assert len(report["derivations"][0]["steps"]) == len(report["samples"][0]["steps"]) == 20_000


@pytest.mark.parametrize(
    ("option", "what"),
    [
        ("--max-items", "1000 items"),
        ("--max-edges", "1000 edges"),
        ("--max-seconds", "seconds"),
        ("--max-memory", "0.001 MB"),
    ],
)
def test_rules_that_never_end(palmette, option: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "count.rules").write_text("[0] <- start\n[i+1] <- [i]\ngoal [-1]\n")
    (tmp_path / "facts.tsv").write_text("1\tstart\n")
    most = 0.001 if option in ("--max-seconds", "--max-memory") else 1_000
    result = palmette("deduce", tmp_path / "count.rules", tmp_path / "facts.tsv", option, most)
    assert result.code == 1
    assert what in result.err
    assert "count.rules:2" in result.err
    assert option in result.err


# Functions and A*

WIDEST = (EXAMPLES / "widest.rules", EXAMPLES / "roads.tsv")


def test_functions(palmette) -> None:
    code, out, err = palmette("deduce", *WIDEST, "--search", "best-first")
    assert (code, err) == (0, "")
    assert "derivation 1: score -0.510826, weight 0.6\nat(Genoa)\n  at(Milan)\n    at(Bern)\n" in out
    report = json.loads(palmette("deduce", *WIDEST, "--json", "-k", "9").out)
    assert (report["count"], report["log_z"]) == (5, None)
    weights = [round(math.exp(d["score"]), 6) for d in report["derivations"]]
    assert weights == [0.6, 0.6, 0.5, 0.3, 0.3]
    assert report["derivations"][0]["probability"] is None
    for also in (["--marginals"], ["--samples", "2"]):
        code, out, err = palmette("deduce", *WIDEST, *also)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert "sums over derivations need rules that multiply" in err
    assert palmette("deduce", *WIDEST, "--goal", "at('Rome')").out == "no derivation\n"


def test_functions_without_best_first_search(palmette, rules) -> None:
    files = rules("a(x) <- average(b(x), f(x))\nb(x) <- f(x) * 0.1\ngoal a(_)")
    assert palmette("deduce", *files).out.startswith(
        "1 derivation(s)\n\nderivation 1: score -0.597837, weight 0.55\n"
    )
    code, out, err = palmette("deduce", *files, "--search", "best-first")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "best-first search needs functions that are never above one of their items" in err


def test_a_star(palmette, tmp_path: Path) -> None:
    bounds = tmp_path / "bounds.tsv"
    bounds.write_text("0.75\tat\tBern\n")  # 0.6 of the 0.8 that it has
    report = json.loads(palmette("deduce", *WIDEST, "--search", "astar", "--heuristic", bounds, "--json").out)
    assert (report["search"], round(math.exp(report["derivations"][0]["score"]), 6)) == ("astar", 0.6)
    log = tmp_path / "log.tsv"
    log.write_text("-99\tat\tMilan\n")
    options = ("--search", "astar", "--heuristic", log, "--log", "--heuristic-weight")
    for weight, place in ((0, "Milan"), (1, "Turin")):  # a bound that is none leads astray
        out = palmette("deduce", *WIDEST, *options, weight).out
        assert out.splitlines()[5].strip() == f"at({place})"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--search", "astar"], "A* search needs --heuristic FILE"),
        (["--heuristic", "x"], "--heuristic and --heuristic-weight belong to --search astar"),
        (["--heuristic-weight", "2"], "--heuristic and --heuristic-weight belong to --search astar"),
        (["--search", "astar", "--heuristic", "WRONG"], "no rule derives items like road(Bern, Milan)"),
        (["--max-memory", "0"], "Invalid value for '--max-memory'"),
    ],
)
def test_wrong_options_of_a_star(palmette, tmp_path: Path, options: list[str], message: str) -> None:
    (tmp_path / "wrong.tsv").write_text("0.9\troad\tBern\tMilan\n")
    line = [str(tmp_path / "wrong.tsv") if option == "WRONG" else option for option in options]
    code, out, err = palmette("deduce", *WIDEST, *line)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
