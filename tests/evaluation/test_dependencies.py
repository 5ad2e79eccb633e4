"""Scores of trees: by hand, against the definition of the shared task, against plain loops."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from oracles import conll18
from palmette.evaluation.dependencies import evaluate_dependencies
from palmette.evaluation.tree_pairs import column_accuracy
from palmette.formats.column import Column
from palmette.formats.conllu import read_conllu
from palmette.formats.corpus import Corpus
from samples.corpora import real_file

WORDS = {"form": [["Birds", "were", "eaten", "."], ["Go", "!"]], "upos": [["N", "X", "V", "P"], ["V", "P"]]}


def corpus(heads: list[list[int]], labels: list[str]) -> Corpus:
    return Corpus.from_columns({**WORDS, "deprel": [line.split() for line in labels]}, heads=heads)


GOLD = corpus([[3, 3, 0, 3], [0, 1]], ["nsubj:pass aux:pass root punct", "root punct"])
GUESS = corpus([[3, 3, 0, 2], [0, 1]], ["nsubj aux:pass root punct", "root discourse"])


def test_worked_by_hand() -> None:
    scores = evaluate_dependencies(GOLD, GUESS)
    assert (scores.tokens, scores.heads, scores.labelled, scores.labelled_full) == (6, 5, 4, 3)
    assert (scores.uas, scores.las, scores.las_full) == (5 / 6, 4 / 6, 3 / 6)
    assert scores.clas == 2 * 3 / (3 + 4)  # nsubj, root, root; the guess also has discourse
    assert (scores.exact_match, scores.exact_match_labelled) == (0.5, 0)
    assert scores.root_accuracy == 1
    assert list(scores.relations) == ["punct", "root", "aux", "nsubj", "discourse"]
    assert scores.relations["punct"].to_dict()["recall"] == 0
    assert scores.relations["discourse"].precision == 0
    lengths = {name: (c.gold, c.guess, c.correct) for name, c in scores.lengths.items()}
    assert lengths == {"root": (2, 2, 2), "1": (3, 2, 2), "2": (1, 2, 1)}
    tags = {name: (c.gold, c.guess, c.correct) for name, c in scores.head_tags.items()}
    assert tags == {"V": (4, 3, 3), "root": (2, 2, 2), "X": (0, 1, 0)}
    assert scores.per_sentence.tolist() == [[4, 3, 3, 2], [2, 2, 1, 1]]
    assert scores.mlas is scores.blex is None
    assert str(scores).startswith("UAS 83.33, LAS 66.67 (with subtypes 50.00), CLAS 85.71 of 6 words")
    assert scores.to_dict()["las"] == scores.interval().value
    assert scores.interval("uas").value == scores.uas


def test_without_punctuation() -> None:
    scores = evaluate_dependencies(GOLD, GUESS, punctuation=False)
    assert (scores.tokens, scores.sentences, scores.uas, scores.las) == (4, 2, 1, 1)
    assert (scores.exact_match, scores.exact_match_labelled) == (1, 1)
    only = Corpus.from_columns({"form": [["«", "..."]], "deprel": [["root", "punct"]]}, heads=[[0, 1]])
    assert evaluate_dependencies(only, only, punctuation=False).sentences == 0


def corrupted(gold: Corpus, share: float, seed: int, columns: list[str]) -> Corpus:
    """The corpus with random heads (some missing) and values for a share of the words."""
    rng = np.random.default_rng(seed)
    lengths = np.repeat(np.diff(gold.offsets), np.diff(gold.offsets))
    wrong = rng.random(gold.n_words) < share
    assert gold.heads is not None
    heads = np.where(wrong, rng.integers(-1, lengths + 1), gold.heads)
    made = gold.with_heads(heads)
    for name in columns:
        column = gold.column(name)
        ids = np.where(rng.random(gold.n_words) < share, rng.permutation(column.ids), column.ids)
        made = made.with_column(name, Column(ids, [*column.strings]))
    return made


@pytest.mark.parametrize(
    "name", ["ud_en_ewt/test.conllu.gz", "ud_tr_imst/test.conllu", "ud_de_lit/test.conllu"]
)
@pytest.mark.parametrize("share", [0, 0.1, 0.9])
def test_equal_to_the_shared_task(name: str, share: float) -> None:
    gold = read_conllu(real_file(name))[:200]
    guess = corrupted(gold, share, 1, ["deprel", "upos", "feats", "lemma"])
    found = evaluate_dependencies(gold, guess)
    wanted = conll18.scores(gold, guess)
    assert {name: getattr(found, name) for name in wanted} == pytest.approx(wanted)


def test_splits_against_loops() -> None:
    gold = read_conllu(real_file("ud_en_ewt/test.conllu.gz"))[:100]
    guess = corrupted(gold, 0.2, 2, ["deprel"])
    scores = evaluate_dependencies(gold, guess)
    relations, lengths, tags = Counter(), Counter(), Counter()

    def length_bin(word) -> str:
        length = abs(word.id - word.head)
        bins = [(2, "1"), (3, "2"), (5, "3 to 4"), (8, "5 to 7"), (15, "8 to 14"), (10**9, "15 and more")]
        if word.head <= 0:
            return "none" if word.head else "root"
        return next(name for end, name in bins if length < end)

    def head_tag(words, word) -> str:
        return "none" if word.head < 0 else "root" if word.head == 0 else words[word.head - 1].upos

    exact = 0
    for g_words, s_words in zip(map(list, gold), map(list, guess)):
        exact += all(g.head == s.head for g, s in zip(g_words, s_words))
        for g, s in zip(g_words, s_words):
            g_rel, s_rel = g.deprel.split(":")[0], s.deprel.split(":")[0]
            relations[g_rel, 0] += 1
            relations[s_rel, 1] += 1
            relations[g_rel, 2] += (g.head, g_rel) == (s.head, s_rel)
            lengths[length_bin(g), 0] += 1
            lengths[length_bin(s), 1] += 1
            lengths[length_bin(g), 2] += g.head == s.head
            tags[head_tag(g_words, g), 0] += 1
            tags[head_tag(g_words, s), 1] += 1
            tags[head_tag(g_words, g), 2] += g.head == s.head
    assert scores.exact == exact
    for found, wanted in ((scores.relations, relations), (scores.lengths, lengths), (scores.head_tags, tags)):
        assert {name for name, _ in wanted} == set(found)
        for name, counts in found.items():
            assert (counts.gold, counts.guess, counts.correct) == tuple(wanted[name, i] for i in range(3))
    assert sum(c.correct for c in scores.relations.values()) == scores.labelled
    assert scores.interval().low < scores.las < scores.interval().high


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="2 gold sentences, but 1 guessed"):
        evaluate_dependencies(GOLD, GUESS[:1])
    with pytest.raises(ValueError, match="Sentence 1 has 4 words in gold, but 2 in the guess"):
        evaluate_dependencies(GOLD, GUESS.select([1, 0]))
    with pytest.raises(ValueError, match="The guessed corpus has no heads"):
        evaluate_dependencies(GOLD, Corpus.from_columns(WORDS))
    with pytest.raises(ValueError, match="Word 2 of gold sentence 2 has no head"):
        evaluate_dependencies(GOLD.with_heads([3, 3, 0, 3, 0, -1]), GUESS)
    with pytest.raises(ValueError, match="must be one of uas, las, las_full"):
        evaluate_dependencies(GOLD, GUESS).interval("clas")
    assert evaluate_dependencies(GOLD, GUESS.with_heads([-1] * 6)).uas == 0


def test_no_words_and_no_labels() -> None:
    nothing = Corpus.from_columns({"form": [[]]}, heads=[[]])
    assert evaluate_dependencies(nothing, nothing).las == 0
    bare = Corpus.from_columns({"form": WORDS["form"]}, heads=[[3, 3, 0, 3], [0, 1]])
    scores = evaluate_dependencies(bare, bare)
    assert (scores.uas, scores.las, scores.clas) == (1, 1, 0)


def test_features_are_compared_as_the_shared_task_does() -> None:
    columns = {"form": [["a", "b", "c", "d"]]}
    gold = Corpus.from_columns(
        {**columns, "feats": [["Case=Nom|Typo=Yes", "_", "Case=Nom|Number=Sing", "Case=Nom"]]}
    )
    guess = Corpus.from_columns({**columns, "feats": [["Case=Nom", "Typo=Yes", "Number=Sing|Case=Nom", "_"]]})
    assert column_accuracy(gold, guess, "feats") == 0.75
    assert column_accuracy(gold, guess, "form") == 1
    assert column_accuracy(gold, guess, "upos") is None


def test_lemmas_that_gold_does_not_have_are_right() -> None:
    columns = {"form": [["a", "b", "c", "d"]]}
    gold = Corpus.from_columns({**columns, "lemma": [["a", "_", "_", "x"]]})
    guess = Corpus.from_columns({**columns, "lemma": [["a", "b", "_", "d"]]})
    assert column_accuracy(gold, guess, "lemma") == 0.75


def test_columns_that_were_not_predicted_do_not_count() -> None:
    gold = Corpus.from_columns(
        {name: [["a"]] for name in ("form", "lemma", "upos", "feats", "deprel")}, heads=[[0]]
    )
    assert (evaluate_dependencies(gold, gold).mlas, evaluate_dependencies(gold, gold).blex) != (None, None)
    tags = evaluate_dependencies(gold, gold, predicted=["upos", "feats"])
    assert (tags.mlas is None, tags.blex) == (False, None)
    assert evaluate_dependencies(gold, gold, predicted=["upos", "lemma"]).mlas is None


@pytest.mark.parametrize("labels", [["_ _ _ _", "_ _"], ["dep dep ROOT dep", "root dep"]])
def test_trees_without_relations(labels: list[str]) -> None:
    gold = corpus([[3, 3, 0, 3], [0, 1]], labels)
    for guess in (GUESS, corpus([[3, 3, 0, 2], [0, 1]], labels)):
        scores = evaluate_dependencies(gold, guess)
        assert not scores.is_labelled
        found = scores.to_dict()
        assert found["uas"] == 5 / 6
        for name in ("las", "las_full", "clas", "mlas", "blex", "exact_match_labelled"):
            assert found[name] is None
        assert str(scores).startswith("UAS 83.33 of 6 words; ")
    assert evaluate_dependencies(GOLD, gold).is_labelled
