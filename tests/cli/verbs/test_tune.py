"""`palmette tune` on n-best lists, and `palmette score --from translations`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from palmette.formats.moses.weights import read_weights
from palmette.tools.translation.tuning.methods import METHODS


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """N-best lists of twelve sentences, in which the feature `good` counts the right words, and references."""
    rng = np.random.default_rng(0)
    lines, right = [], []
    for i in range(12):
        words = rng.choice(list("abcdefgh"), size=9).tolist()
        right.append(" ".join(words))
        for _ in range(10):
            share = rng.random()
            own = [w if rng.random() < share else "x" for w in words]
            good = sum(a == b for a, b in zip(own, words))
            lines.append(f"{i} ||| {' '.join(own)} ||| good= {good} noise= {rng.normal():.3f} 0 ||| 0\n")
    (tmp_path / "nbest").write_text("".join(lines))
    (tmp_path / "right").write_text("\n".join(right) + "\n")
    (tmp_path / "start").write_text("good= -1\nnoise= 0.5 0.5\n")
    return tmp_path


@pytest.mark.parametrize("method", METHODS)
def test_every_method(palmette, files: Path, method: str) -> None:
    found = palmette(
        *("tune", "--nbest", files / "nbest", "--references", files / "right", "--method", method),
        *("--start", files / "start", "--fixed", "noise.1", "-o", files / "out", "--json"),
    )
    assert found.code == 0, found.err
    report = json.loads(found.out)
    assert report["after"] > report["before"] + 0.2
    assert (report["sentences"], report["candidates"]) == (12, 120)
    assert report["weights"]["noise.1"] == 0.5
    assert read_weights(files / "out") == report["weights"]


def test_weights_on_standard_output(palmette, files: Path) -> None:
    found = palmette("tune", "--nbest", files / "nbest", "--references", files / "right", "--metric", "ter")
    assert found.code == 0, found.err
    assert [line.split()[0] for line in found.out.splitlines()] == ["good=", "noise="]


def test_references_without_lists_are_told(palmette, files: Path) -> None:
    (files / "right").write_text((files / "right").read_text() + "more\n")
    found = palmette("tune", "--nbest", files / "nbest", "--references", files / "right")
    assert found.code == 0
    assert "right: only the first 12 of 13 references are used" in found.err
    quiet = palmette("tune", "--nbest", files / "nbest", "--references", files / "right", "-q")
    assert (quiet.out, quiet.err) == (found.out, "")


def test_help_lists_the_methods(palmette) -> None:
    text = palmette("tune", "--help").out
    for method, entry in METHODS.items():
        assert f"{method}: {entry.summary}" in text
    assert "restarts: random starts beside the given one (int in [0, 100000], default 20)" in text


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--method", "mart"], "no method 'mart': did you mean 'mert'?"),
        (["--set", "restart=3"], "no option 'restart': did you mean 'restarts'?"),
        (["--set", "restarts=-1"], "'restarts' parameter must be an int"),
        (["--metric", "blue"], "'metric' parameter must be one of"),
        (["--fixed", "bad"], "no feature 'bad'"),
        (["--start", "nbest"], "nbest:1: expected a name and its weights"),
        (["--start", "missing"], "missing"),
        (["-o", "none/out"], "none/out"),
        (["--references", "short"], "short has 1 reference, but the n-best lists are of 12 sentences"),
    ],
)
def test_bad_input(palmette, files: Path, monkeypatch, more: list[str], message: str) -> None:
    monkeypatch.chdir(files)
    (files / "short").write_text("a\n")
    found = palmette("tune", "--nbest", "nbest", "--references", "right", *more)
    assert found.code != 0
    assert message in found.err
    assert found.err.count("\n") == 1
    assert not found.out


def test_scores_of_translations(palmette, files: Path) -> None:
    (files / "guess").write_text((files / "right").read_text().replace("a", "x"))
    (files / "other").write_text((files / "right").read_text().replace("a", "x").replace("b", "y"))
    command = ["score", files / "right", files / "guess", "--from", "translations", "--resamples", 100]
    found = palmette(*command, "--against", files / "other", "--json")
    assert found.code == 0, found.err
    report = json.loads(found.out)
    assert 0 < report["bleu"] < 1
    assert report["intervals"]["bleu"][0] < report["bleu"] < report["intervals"]["bleu"][1]
    assert report["against"][str(files / "other")]["bleu"]["score"] < report["bleu"]
    assert report["signatures"]["bleu"].startswith("nrefs:1|bs:100|seed:12345|case:mixed")
    shown = palmette(*command, "--against", files / "other").out
    assert "p = " in shown
    both = palmette(*command, "--reference", files / "guess", "--json")
    assert json.loads(both.out)["bleu"] == pytest.approx(1.0)


def test_linguistic_scores(palmette, files: Path) -> None:
    (files / "guess").write_text((files / "right").read_text().replace("a", "x"))
    (files / "same").write_text("a x\n")
    command = ["score", files / "right", files / "guess", "--from", "translations", "--resamples", 0]
    report = json.loads(palmette(*command, "--synonyms", files / "same", "--tagger", "en", "--json").out)
    found = report["linguistic"]
    assert found["synonyms"] == pytest.approx(1.0)
    assert found["words"] == pytest.approx(report["bleu"])
    assert 0 < found["tagged"] <= found["words"]
    assert found["overlap"] == pytest.approx(np.mean([found[k] for k in ("words", "synonyms", "tagged")]))
    wrong = palmette(*command, "--parser", "en")
    assert "--parser takes a constituency parser; en is a Pipeline" in wrong.err
    several = palmette(*command, "--synonyms", files / "same", "--reference", files / "right")
    assert "take one reference" in several.err


def test_bad_translations(palmette, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (files / "short").write_text("a\n")
    found = palmette("score", files / "right", files / "short", "--from", "translations")
    assert "right has 12 lines and" in found.err
    assert "--tokenize is for translations: add --from translations" in (
        palmette("score", files / "right", files / "short", "--tokenize", "none").err
    )
    assert "--column is for" in (
        palmette("score", files / "right", files / "right", "--from", "translations", "--column", "0").err
    )
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    found = palmette("score", files / "right", files / "right", "--from", "translations")
    assert found.code != 0
    assert "needs the Python package 'sacrebleu': pip install 'palmette[mt]'" in found.err
    assert "internal error" not in found.err
    assert found.err.count("\n") == 1


def test_the_weight_of_unknown_words_stays(palmette, files: Path) -> None:
    text = (files / "nbest").read_text().replace("noise=", "unknown= -1 noise=")
    (files / "with").write_text(text)
    given = ["tune", "--nbest", files / "with", "--references", files / "right", "--json"]
    (files / "from").write_text("good= -1\nunknown= 100\nnoise= 0.5 0.5\n")
    found = palmette(*given, "--start", files / "from")
    assert json.loads(found.out)["weights"]["unknown"] == 100
    other = palmette(*given, "--start", files / "from", "--fixed", "good")
    weights = json.loads(other.out)["weights"]
    assert weights["good"] == -1
    assert weights["unknown"] != 100


def test_a_file_that_is_read_is_not_replaced(palmette, files: Path) -> None:
    for name in ("nbest", "right"):
        found = palmette(
            "tune", "--nbest", files / "nbest", "--references", files / "right", "-o", files / name
        )
        assert found.code == 1
        assert "the output would replace it" in found.err
