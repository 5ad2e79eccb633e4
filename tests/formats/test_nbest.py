"""Files of lists of candidates."""

import gzip
from pathlib import Path

import pytest

from palmette import FormatError, Tree
from palmette.formats import Candidates, NBestFile, read_nbest, write_nbest
from palmette.formats.nbest import parse_nbest, with_gold
from samples.ranking_lists import random_lists, tree_lists

pytestmark = pytest.mark.native


@pytest.mark.parametrize("name", ["lists.nbest", "lists.nbest.gz"])
@pytest.mark.parametrize("lists", [tree_lists(), random_lists(5, 0)], ids=["trees", "tagged"])
def test_written_and_read_again(tmp_path: Path, name: str, lists: list[Candidates]) -> None:
    write_nbest(lists, tmp_path / name)
    file = NBestFile(tmp_path / name)
    for _ in range(2):  # a file can be read again
        for one, two in zip(lists, file, strict=True):
            assert one.outputs == two.outputs
            assert one.gold == two.gold
            assert one.log_probabilities.tolist() == two.log_probabilities.tolist()


def test_comments_empty_lists_and_slashes(tmp_path: Path) -> None:
    text = "# one\n-1\ta/b/X c/Y\n\n\n# nothing\n\ngold\ta/X\n"
    first, second, third = parse_nbest(text)
    assert first.outputs == ((("a/b", "X"), ("c", "Y")),)
    assert (len(second), second.gold) == (0, None)
    assert (len(third), third.gold) == (0, (("a", "X"),))
    write_nbest([first, second, third], tmp_path / "x")
    assert [len(x) for x in read_nbest(tmp_path / "x")] == [1, 0, 0]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("-1 (A a)", 1, "got no tab"),
        ("-1\t(A a)\nx\t(A a)", 2, "got 'x' for the number"),
        ("nan\t(A a)", 1, "got 'nan'"),
        ("-1\t(A (B)", 1, "a damaged tree"),
        ("-1\t(A a) (B b)", 1, "a damaged tree"),
        ("-1\ttime flies", 1, "got 'time'"),
        ("-1\t", 1, "got nothing after the tab"),
        ("-1\t(A a)\n-1\ta/A", 2, "trees and words with labels"),
        ("gold\t(A a)\ngold\t(A a)", 2, "a second right output"),
    ],
)
def test_bad_lines(text: str, line: int, message: str) -> None:
    with pytest.raises(FormatError, match=message) as error:
        parse_nbest(text)
    assert error.value.line == line


def test_bad_files(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(b"-1\t(A a)\n")[:-6])
    with pytest.raises(FormatError, match="damaged gzip"):
        list(read_nbest(path))
    path.write_bytes(b"-1\t(A a)\n-1\t(A \xff)\n")
    with pytest.raises(FormatError, match=r"x:2: this line is not UTF-8"):
        list(read_nbest(path))


def test_what_cannot_be_written(tmp_path: Path) -> None:
    for bad in ((("a b", "X"),), (("a", "X/Y"),), (("", "X"),)):
        with pytest.raises(ValueError, match="cannot carry"):
            write_nbest([Candidates([bad], [0.0])], tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_right_outputs_from_elsewhere() -> None:
    lists, tree = tree_lists(), Tree.parse("(TOP (A a))")
    assert [given.gold for given in with_gold(lists, [tree, tree])] == [tree, tree]
    with pytest.raises(FormatError, match="more lists than the 1"):
        list(with_gold(lists, [tree]))
    with pytest.raises(FormatError, match="2 lists, and more right outputs"):
        list(with_gold(lists, [tree] * 3))
