"""ARPA files: what is read, and what is said of a broken one."""

from pathlib import Path

import pytest

from palmette import FormatError, LanguageModel

pytestmark = pytest.mark.native

GOOD = """
\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-1.5\t<unk>
-99\t<s>\t-0.5
-0.6\t</s>
-0.5\ta\t-0.25
-0.7\tb\t-0.125

\\2-grams:
-0.2\t<s> a\t-0.1
-0.3\ta b\t-0.2
-0.4\tb </s>

\\3-grams:
-0.05\t<s> a b

\\end\\
"""


def load(tmp_path: Path, text: str) -> LanguageModel:
    path = tmp_path / "m.arpa"
    path.write_text(text)
    return LanguageModel.load(path)


def test_backing_off(tmp_path: Path) -> None:
    model = load(tmp_path, GOOD)
    assert model.order == 3
    # a after <s>: -0.2; b after <s> a: -0.05; </s> after a b: backoff of "a b", then "b </s>".
    assert model.score("a b") == pytest.approx(-0.2 - 0.05 - 0.2 - 0.4)
    # b after <s>: -0.5 - 0.7; <unk> after b: -0.125 - 1.5; </s> after <unk>: -0.6.
    assert model.score("b zzz") == pytest.approx(-1.2 - 1.625 - 0.6)


@pytest.mark.parametrize(
    ("old", "new", "line", "fault"),
    [
        ("\\data\\", "data", 2, "expected .data., not 'data'"),
        ("ngram 2=3", "ngram 2=x", 4, "expected ngram ORDER=NUMBER"),
        ("ngram 2=3", "ngram 3=3", 4, "expected the number of 2-grams"),
        ("-0.5\ta\t-0.25", "0.5\ta\t-0.25", 11, "a probability above one"),
        ("-0.5\ta\t-0.25", "-0,5\ta\t-0.25", 11, "expected the logarithm of a probability, not '-0,5'"),
        ("-0.5\ta\t-0.25", "-0.5\ta\tx", 11, "expected the logarithm of a backoff"),
        ("-0.7\tb\t-0.125", "-0.7\ta\t-0.125", 12, "'a' appears here a second time"),
        ("-0.3\ta b\t-0.2", "-0.3\ta c\t-0.2", 16, "'c' is not among the 1-grams"),
        ("-0.3\ta b\t-0.2", "-0.3\ta", 16, "expected 2 words, found 1"),
        ("-0.3\ta b\t-0.2", "-0.3\ta b\t-0.2 1 2", 16, "more than a probability, 2 words and a backoff"),
        ("-0.05\t<s> a b", "-0.05\t<s> a b\t-1", 20, "after an n-gram of the highest order"),
        ("-0.3\ta b\t-0.2\n", "", 18, "found 2 2-grams, but the head of the file says 3"),
        ("-0.3\ta b\t-0.2\n", "-0.3\tb </s>\n", 17, "is in line 16 already"),
        ("\\3-grams:", "\\4-grams:", 19, "expected .3-grams:, not"),
        ("\n\\end\\\n", "", 20, "was the file cut off"),
    ],
)
def test_broken(tmp_path: Path, old: str, new: str, line: int, fault: str) -> None:
    assert old in GOOD
    with pytest.raises(FormatError, match=fault) as caught:
        load(tmp_path, GOOD.replace(old, new, 1))
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "an empty file"),
        (b"mmap lm http://kheafield.com/code format version 5\n\0", "a binary file of KenLM"),
        (b"just some text\n", "is this text rather than a model"),
    ],
)
def test_other_files(tmp_path: Path, content: bytes, fault: str) -> None:
    path = tmp_path / "m.arpa"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=fault):
        LanguageModel.load(path)


def test_missing_parts_are_added(tmp_path: Path) -> None:
    """A pruned model may lack the end of an n-gram: it is backed off to as before."""
    text = GOOD.replace("ngram 2=3", "ngram 2=2").replace("-0.3\ta b\t-0.2\n", "")
    model = load(tmp_path, text)
    assert model.sizes == (5, 3, 1)
    assert model.score("a b") == pytest.approx(-0.2 - 0.05 - 0.4)
    assert model.score("a b", bos=False, eos=False) == pytest.approx(-0.5 - 0.25 - 0.7)


def test_no_unknown_word(tmp_path: Path) -> None:
    text = GOOD.replace("ngram 1=5", "ngram 1=4").replace("-1.5\t<unk>\n", "")
    assert load(tmp_path, text).score("zzz") == float("-inf")
    assert load(tmp_path, GOOD.replace("<unk>", "<UNK>")).score("zzz", bos=False, eos=False) == -1.5
