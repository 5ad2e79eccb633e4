"""Scores from raw text are those of the official evaluation, `udtools`, on real and on random analyses."""

from __future__ import annotations

import io
from random import Random
from typing import Any

import pytest

from palmette.evaluation.raw_text import evaluate_raw_text
from palmette.evaluation.raw_text_scores import TITLES, RawTextScores
from palmette.formats.conllu import parse_conllu, read_conllu
from samples.corpora import corpus_file, real_file
from samples.reanalysed import conllu_of, random_sentences, reanalysed, tokens_of

udeval = pytest.importorskip("udtools.udeval", reason="the official evaluation is not installed (udtools)")


def official(gold: str, guess: str) -> Any:
    return udeval.evaluate(
        *(
            udeval.load_conllu(io.StringIO(text), name, {})
            for text, name in ((gold, "gold"), (guess, "guess"))
        )
    )


def check_equal(gold: str, guess: str) -> RawTextScores:
    found = evaluate_raw_text(parse_conllu(gold), parse_conllu(guess))
    wanted = official(gold, guess)
    for name, title in TITLES.items():
        have, want = found.counts[name], wanted[title]
        assert (name, have.gold, have.guess, have.correct, have.aligned) == (
            name,
            want.gold_total,
            want.system_total,
            want.correct,
            want.aligned_total,
        )
        rates = want.precision, want.recall, want.f1, want.aligned_accuracy
        assert (have.precision, have.recall, have.f1, have.aligned_accuracy) == rates
        part, whole = found.ratios(name).sum(axis=0)
        assert want.f1 == (part / whole if whole else 0.0)
    return found


@pytest.mark.parametrize("rate", [0.0, 0.02, 0.1, 0.4])
@pytest.mark.parametrize("name", ["ud_it_partut", "ud_en_ewt", "ud_ja_gsd", "ud_he_htb", "ud_tr_imst"])
def test_poor_analyses_of_real_text(name: str, rate: float) -> None:
    corpus = read_conllu(corpus_file(f"{name}/dev.conllu{'.gz' * (name == 'ud_en_ewt')}"))
    corpus = corpus.select(list(range(min(len(corpus), 300))))
    gold = conllu_of(tokens_of(corpus))
    found = check_equal(gold, conllu_of(reanalysed(tokens_of(corpus), Random(name), rate)))
    assert (found.f1("las") < 1) == (rate > 0)
    assert (found.f1("tokens") < 1) == (rate > 0)


@pytest.mark.parametrize("seed", range(10))
def test_poor_analyses_of_our_sentences(seed: int) -> None:
    corpus = read_conllu(real_file("ud_en_ewt/dev.conllu.gz")).select(list(range(10)))
    analyses = [conllu_of(reanalysed(tokens_of(corpus), Random(seed + k), 0.2)) for k in (0, 100)]
    check_equal(*analyses)


@pytest.mark.parametrize("seed", range(20))
def test_random_analyses(seed: int) -> None:
    random = Random(seed)
    for _ in range(100):
        text = "".join(random.choice("ab") for _ in range(random.randint(1, 25)))
        check_equal(*(conllu_of(random_sentences(text, random)) for _ in range(2)))


def test_a_real_file_as_it_is() -> None:
    text = corpus_file("ud_it_partut/dev.conllu").read_text(encoding="utf-8")
    assert all(counts.f1 == 1 for counts in check_equal(text, text).counts.values())
