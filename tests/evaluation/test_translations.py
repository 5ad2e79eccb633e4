"""Scores of translations: those of sacrebleu, its signatures, intervals and tests."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from palmette.evaluation.translations import evaluate_translations
from palmette.formats.files import read_lines
from palmette.formats.moses.nbest import read_moses_nbest
from samples.corpora import real_file

RIGHT = ["the cat sat on the mat .", "he reads a book", "we saw the old man yesterday ."]
GUESS = ["the cat sat on a mat .", "he reads the book", "yesterday we saw an old man ."]
WORSE = ["cat mat", "book reads he", "old"]


def test_scores_and_signatures_are_those_of_sacrebleu() -> None:
    others = ["a cat sat on the mat .", "he is reading a book", "yesterday we saw the old man ."]
    found = evaluate_translations(GUESS, [RIGHT, others], tokenize="none")
    for name, peer in [("bleu", BLEU(tokenize="none")), ("chrf", CHRF()), ("ter", TER(case_sensitive=True))]:
        assert found.scores[name] == pytest.approx(peer.corpus_score(GUESS, [RIGHT, others]).score / 100)
        assert found.signatures[name] == str(peer.get_signature())
    assert "nrefs:2" in found.signatures["bleu"]
    assert found.to_dict()["words"] == 18


def test_real_outputs() -> None:
    folder = real_file("nbest_mt_moses")
    nbest = read_moses_nbest(folder / "nbest.txt.gz")
    guess = [nbest.texts[a] for a in nbest.lists[:-1]]
    right = read_lines(folder / "reference.txt")[: len(guess)]
    found = evaluate_translations(guess, right, metrics=["bleu"])
    assert found.bleu == pytest.approx(BLEU(force=True).corpus_score(guess, [right]).score / 100)
    assert found.signatures["bleu"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")


def test_intervals_and_paired_tests() -> None:
    rng = np.random.default_rng(0)
    right = [" ".join(rng.choice(list("abcdef"), size=12)) for _ in range(60)]
    good = [" ".join(w if rng.random() < 0.8 else "x" for w in line.split()) for line in right]
    bad = [" ".join(w if rng.random() < 0.5 else "x" for w in line.split()) for line in right]
    found = evaluate_translations(
        good, right, metrics=["bleu", "chrf"], n_resamples=200, against={"bad": bad, "same": good}
    )
    one = found.intervals["bleu"]
    assert one.low < found.bleu < one.high
    assert "bs:200" in found.signatures["bleu"]
    assert found.against["bad"]["bleu"].p_value < 0.05
    assert found.against["bad"]["bleu"].score < found.bleu
    assert found.against["same"]["chrf"].p_value > 0.5
    again = evaluate_translations(
        good, right, metrics=["bleu", "chrf"], n_resamples=200, against={"bad": bad, "same": good}
    )
    assert again.to_dict() == found.to_dict()


def test_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, message in [
        ((GUESS, RIGHT[:2]), "3 translations, but 2 references"),
        ((GUESS, [RIGHT, RIGHT[:1]]), "3 translations, but 1 references in list 2"),
        ((GUESS, "a"), "Got one string"),
        (("a", RIGHT), "Got one string"),
        (([1, 2, 3], RIGHT), "must be strings. Got int for sentence 1"),
        (([], []), "no translations to score"),
    ]:
        with pytest.raises(ValueError, match=message):
            evaluate_translations(*given)
    with pytest.raises(ValueError, match="no metric 'blue': did you mean 'bleu'"):
        evaluate_translations(GUESS, RIGHT, metrics=["blue"])
    with pytest.raises(ValueError, match="'tokenize' parameter must be one of"):
        evaluate_translations(GUESS, RIGHT, tokenize="14a")
    with pytest.raises(ValueError, match="other has 1 translations, but there are 3"):
        evaluate_translations(GUESS, RIGHT, against={"other": ["a"]})
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    with pytest.raises(
        ImportError, match=r"needs the Python package 'sacrebleu': pip install 'palmette\[mt\]'"
    ):
        evaluate_translations(GUESS, RIGHT)
