"""Lists of translations: where they come from, how they are merged, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from palmette.errors import FormatError
from palmette.formats.moses.nbest import MosesNBest, read_moses_nbest, write_moses_nbest
from palmette.tools.translation.tuning.lists import NBestLists
from palmette.tools.translation.tuning.references import References
from palmette.tools.translation.tuning.tuner import tune

pytestmark = pytest.mark.native

COUNTS = [4, 4, 4, 3, 2, 1, 4, 3, 2, 1]
TEXT = """0 ||| a b ||| d: 0 -1 lm: -2 ||| -3
0 ||| a c ||| d: 0 -2 lm: -1 ||| -3.5
1 ||| d ||| d: 1 -2 lm: -1 ||| -1
"""


def written(tmp_path: Path, **files: str) -> list[Path]:
    paths = []
    for name, text in files.items():
        paths.append(tmp_path / name)
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def test_a_moses_file_and_back(tmp_path: Path) -> None:
    nbest, first, second = written(tmp_path, nbest=TEXT, one="a b\nx\n", two="a c\nd\n")
    lists = NBestLists.from_moses(nbest, [first, second])
    assert lists.names == ("d.0", "d.1", "lm")
    assert lists.lists.tolist() == [0, 2, 3]
    assert lists.features[1].tolist() == [0, -2, -1]
    direct = NBestLists.from_texts(
        [["a b", "a c"], ["d"]],
        [lists.features[:2], lists.features[2:]],
        References([["a b", "x"], ["a c", "d"]]),
        lists.names,
    )
    np.testing.assert_array_equal(direct.counts, lists.counts)
    write_moses_nbest(read_moses_nbest(nbest), tmp_path / "again")
    again = read_moses_nbest(tmp_path / "again")
    np.testing.assert_array_equal(again.features, lists.features)
    assert again.texts == ["a b", "a c", "d"]
    assert again.names == lists.names


@pytest.mark.parametrize(
    ("right", "message"),
    [
        ("a\n", "has 1 reference, but the n-best lists are of 2 sentences"),
        ("", "has 0 references"),
    ],
)
def test_too_few_references(tmp_path: Path, right: str, message: str) -> None:
    nbest, one = written(tmp_path, nbest=TEXT, one=right)
    with pytest.raises(ValueError, match=message):
        NBestLists.from_moses(nbest, [one])
    with pytest.raises(ValueError, match="no references"):
        NBestLists.from_moses(nbest, [])


def test_a_sentence_without_candidates(tmp_path: Path) -> None:
    nbest, one = written(tmp_path, nbest=TEXT.replace("1 |||", "2 |||"), one="a\nb\nc\n")
    with pytest.raises(ValueError, match=r"list of sentence 2 .* is empty"):
        NBestLists.from_moses(nbest, [one])
    with pytest.raises(ValueError, match="list of sentence 2 is empty"):
        NBestLists.of([[[1.0]], []], [[COUNTS], []])
    with pytest.raises(ValueError, match="list of sentence 1 is empty"):
        NBestLists.from_words([0, 0], [0], [], np.zeros((0, 1)), References(["a"]), ["f"])


def test_bad_arrays() -> None:
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"The feature 'lm' is (nan|inf) for candidate 2 of sentence 2"):
            NBestLists.of([[[1.0]], [[0.0], [value]]], [[COUNTS], [COUNTS, COUNTS]], ["lm"])
    with pytest.raises(ValueError, match="A count of the metric is nan"):
        NBestLists.of([[[1.0]]], [[[np.nan] * 10]])
    with pytest.raises(ValueError, match="Sentence 2 has 2 features, but sentence 1 has 1"):
        NBestLists.of([[[1.0]], [[1.0, 2.0]]], [[COUNTS]] * 2)
    with pytest.raises(ValueError, match="Sentence 1 needs 1 row of 10 counts"):
        NBestLists.of([[[1.0]]], [[[1, 2]]])
    with pytest.raises(ValueError, match="features of 1 sentences, but counts of 2"):
        NBestLists.of([[[1.0]]], [[COUNTS]] * 2)
    with pytest.raises(ValueError, match="no lists"):
        NBestLists.of([], [])
    lists = NBestLists.of([[[1.0]]], [[COUNTS]])
    with pytest.raises(ValueError, match="The weight of 'f0' is not a finite number"):
        tune(lists, [np.nan])
    with pytest.raises(ValueError, match="must be weights of 1 feature"):
        lists.score([1.0, 2.0])
    with pytest.raises(ValueError, match="no method 'mart': did you mean 'mert'"):
        tune(lists, method="mart")
    with pytest.raises(ValueError, match="no option 'restart': did you mean 'restarts'"):
        tune(lists, options={"restart": 3})


def test_merging_keeps_each_candidate_once() -> None:
    first = NBestLists.of([[[1.0], [2.0]], [[0.0]]], [[COUNTS, COUNTS], [COUNTS]])
    other = np.array(COUNTS) + 1
    second = NBestLists.of([[[2.0], [2.0], [3.0]], [[0.0]]], [[COUNTS, other, COUNTS], [COUNTS]])
    both, more = first.merged(second)
    assert more == 2
    assert both.features[:, 0].tolist() == [1, 2, 2, 3, 0]
    assert both.counts[2].tolist() == other.tolist()
    assert both.merged(second)[1] == 0
    with pytest.raises(ValueError, match="same sentences, features and metric"):
        first.merged(NBestLists.of([[[1.0]]], [[COUNTS]]))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0 ||| a ||| lm: 1", "expected 'number ||| translation ||| features ||| score'; got 3 fields"),
        ("x ||| a ||| lm: 1 ||| 1", "expected the number of a sentence; got 'x'"),
        ("0 ||| a ||| 1 ||| 1", "expected a name of features"),
        ("0 ||| a ||| d: 0 -1 lm: one ||| 1", "expected a number for the feature 'lm'; got 'one'"),
        ("0 ||| a ||| d: 0 -1 lm: nan ||| 1", "the feature 'lm' is nan: values must be finite"),
        ("0 ||| a ||| d: 0 -1 lm: 1 ||| inf", "the score is inf"),
        ("0 ||| a ||| d: 0 lm: 1 ||| 1", "the features are d lm, but d.0 d.1 lm before"),
        ("0 ||| a ||| lm: 1 lm: 2 ||| 1", "a feature comes twice"),
        ("0 ||| a |||  ||| 1", "there are no features"),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, line: str, message: str) -> None:
    (path,) = written(tmp_path, nbest=TEXT + line + "\n")
    with pytest.raises(FormatError) as error:
        read_moses_nbest(path)
    assert str(error.value).startswith(f"{path}:4: ")
    assert message in str(error.value)


def test_other_bad_files(tmp_path: Path) -> None:
    (path,) = written(tmp_path, nbest="")
    with pytest.raises(FormatError, match="the file is empty"):
        read_moses_nbest(path)
    path.write_bytes(b"0 ||| \xff ||| lm: 1 ||| 1\n")
    with pytest.raises(FormatError, match=":1: this line is not UTF-8"):
        read_moses_nbest(path)
    one = MosesNBest([0], np.array([0, 1]), ["a ||| b"], np.zeros((1, 1)), ("lm",), np.zeros(1))
    with pytest.raises(ValueError, match="cannot hold the translation"):
        write_moses_nbest(one, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_lines_of_a_sentence_may_be_apart(tmp_path: Path) -> None:
    lines = TEXT.splitlines(keepends=True)
    (path,) = written(tmp_path, nbest="".join([lines[2], lines[0], lines[1]]))
    found = read_moses_nbest(path)
    assert (found.ids, found.texts) == ([0, 1], ["a b", "a c", "d"])
