"""`palmette score` of tokens: tags, features, lemmas and spans of two files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

GOLD = """1\tThe\tthe\tDET\tDT\tDefinite=Def|PronType=Art\t_\t_\t_\t_
2\tcook\tcook\tNOUN\tNN\tNumber=Sing\t_\t_\t_\t_

1\tGo\t_\tVERB\tVB\tMood=Imp|Odd=Yes\t_\t_\t_\t_

"""
GUESS = """1\tThe\tthe\tDET\tDT\tPronType=Art|Definite=Def\t_\t_\t_\t_
2\tcook\tcooks\tVERB\tVB\tNumber=Plur\t_\t_\t_\t_

1\tGo\tgo\tVERB\tVB\tMood=Imp\t_\t_\t_\t_

"""


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_tags_features_and_lemmas(palmette, tmp_path: Path) -> None:
    gold, guess = write(tmp_path / "gold.conllu", GOLD), write(tmp_path / "guess.conllu", GUESS)
    report = json.loads(palmette("score", gold, guess, "--json").out)
    assert report == {
        "tokens": 3,
        "sentences": 2,
        "upos": pytest.approx(2 / 3),
        "xpos": pytest.approx(2 / 3),
        "ufeats": pytest.approx(2 / 3),
        "feats": 0.0,
        "lemmas": pytest.approx(2 / 3),
    }
    assert "lemmas" in palmette("score", gold, guess).out


def test_one_column_in_detail(palmette, tmp_path: Path) -> None:
    gold, guess = write(tmp_path / "gold.conllu", GOLD), write(tmp_path / "guess.conllu", GUESS)
    report = json.loads(palmette("score", gold, guess, "--column", "upos", "--json").out)
    assert report["accuracy"] == pytest.approx(2 / 3)
    assert report["confused"] == {"NOUN as VERB": 1}
    assert report["labels"]["VERB"]["precision"] == 0.5
    assert "no column" in palmette("score", gold, guess, "--column", "kind").err.lower()


def test_trees_come_with_their_tags(palmette) -> None:
    from samples.treebank import TEST

    report = json.loads(palmette("score", TEST, TEST, "--json").out)
    assert report["upos"] == report["las"] == 1.0


def test_spans_are_counted_as_conlleval_does(palmette, tmp_path: Path) -> None:
    gold = write(
        tmp_path / "gold.txt", "Ann NNP B-PER\nLee NNP I-PER\nsaw VBD O\nRome NNP B-LOC\n\nHi UH O\n\n"
    )
    guess = write(tmp_path / "guess.txt", "Ann NNP B-PER\nLee NNP O\nsaw VBD O\nRome NN B-LOC\n\nHi UH O\n\n")
    report = json.loads(palmette("score", gold, guess, "--json").out)
    assert (report["f1"], report["precision"], report["recall"]) == (0.5, 0.5, 0.5)
    assert report["accuracy"] == 0.8
    assert report["types"]["LOC"]["f1"] == 1.0
    assert report["columns"] == {"column2": 0.8, "column3": 0.8}
    tags = json.loads(palmette("score", gold, guess, "--column", "1", "--json").out)
    assert tags["accuracy"] == 0.8
    assert "LOC" in palmette("score", gold, guess).out


@pytest.mark.parametrize(
    ("guess", "message"),
    [
        ("a X\n\n", "there are 2 gold sentences and 1 guessed ones"),
        ("a X\nb Y\n\nb Y\n\n", "sentence 1 has 1 words in gold and 2 in the guess"),
        ("a X\n\nc Y\n\n", "word 1 of sentence 2 is 'b' in gold and 'c' in the guess"),
    ],
)
def test_files_of_other_words(palmette, guess: str, message: str, tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.tsv", "a X\n\nb Y\n\n")
    result = palmette("score", gold, write(tmp_path / "guess.tsv", guess))
    assert result.code == 1
    assert message in result.err


def test_what_cannot_be_scored(palmette, tmp_path: Path) -> None:
    trees = write(tmp_path / "x.mrg", "(S (A a))\n")
    assert "--column is for CoNLL-U" in palmette("score", trees, trees, "--column", "upos").err
    bare = write(tmp_path / "x.conllu", "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    assert "nothing to score" in palmette("score", bare, bare).err
    one = write(tmp_path / "one.txt", "a\n\nb\n\n")
    assert "specify it with --from" in palmette("score", one, one).err
    assert "column of labels" in palmette("score", one, one, "--from", "columns").err
