"""Bad input of language models: one sentence that says what is wrong."""

import gzip
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from palmette import FormatError, LanguageModel
from samples.lm_text import trained

pytestmark = pytest.mark.native


@pytest.mark.parametrize("text", [[], [""], ["", "  \t "], iter(())])
def test_no_text(text: list[str]) -> None:
    with pytest.raises(ValueError, match="no text: a language model needs at least one word"):
        LanguageModel.fit(text)


def test_one_word(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("word")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = LanguageModel.fit(tmp_path / "one.txt", order=5)
    assert "no line has n-grams of 5 words: the order of the model is 3" in {str(w.message) for w in caught}
    assert model.order == 3
    assert model.next_word("", k=1)[0][0] == "word"
    assert model.distribution("word").sum(dtype=float) == pytest.approx(1, abs=1e-5)


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes(b"caf\xc3\xa9 ok\nfine\nna\xefve word\n")
    with pytest.raises(FormatError, match=r"latin.txt:3: byte 0xef is not UTF-8; errors='replace'"):
        LanguageModel.fit(path)
    model = trained(path, order=2, errors="replace")  # type: ignore[arg-type]
    assert "na\ufffdve" in model
    assert "café" in model


@pytest.mark.parametrize("mark", ["<s>", "</s>"])
def test_marks_in_the_text(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "marked.txt"
    path.write_text(f"a b\n{mark} c d\n")
    with pytest.raises(FormatError, match=r"marked.txt:2: <s> and </s> mark the ends of a line"):
        LanguageModel.fit(path)
    assert trained(path, order=2, marks="skip").score("c d") == trained(["a b", "c d"], order=2).score("c d")  # type: ignore[arg-type]


def test_texts_that_are_the_same(tmp_path: Path) -> None:
    lines = ["a b c", "b c", "", "a a a"]
    text = "\n".join(lines) + "\n"
    (tmp_path / "t.txt").write_text("\ufeff" + text)
    (tmp_path / "u.txt").write_bytes(text.strip().replace("\n", "\r\n").encode())
    (tmp_path / "t.txt.gz").write_bytes(gzip.compress(text.encode()))
    want = trained(lines, order=3).score_batch(lines)
    for source in (tmp_path / "t.txt", tmp_path / "u.txt", str(tmp_path / "t.txt.gz")):
        assert (trained(source, order=3).score_batch(lines) == want).all()  # type: ignore[arg-type]
    assert (trained([line.split() for line in lines], order=3).score_batch(lines) == want).all()  # type: ignore[arg-type]
    (tmp_path / "t.txt.gz").write_bytes(gzip.compress(text.encode())[:-12])
    with pytest.raises(FormatError, match="damaged gzip"):
        LanguageModel.fit(tmp_path / "t.txt.gz")
    with pytest.raises(ValueError, match="'a b' is not a word"):
        LanguageModel.fit([["a b", "c"]])


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"order": 0}, "order' parameter must be an int in the range .1, 9.. Got 0"),
        ({"order": 10}, "'order' parameter must be"),
        ({"smoothing": "witten-bell"}, "'smoothing' parameter must be one of .* Got 'witten-bell'"),
        ({"prune": (1,)}, "The 'prune' parameter must begin with 0"),
        ({"prune": (0, 2, 1)}, "do not fall"),
        ({"discount": 0.5}, "does not take one discount"),
        ({"smoothing": "kneser-ney", "discount": 1.5}, r"range \(0, 1\)"),
        ({"concentration": 1.0}, "for dirichlet"),
        ({"smoothing": "dirichlet", "concentration": -1.0}, r"range \(0, inf\)"),
        ({"max_words": 0}, "max_words"),
        ({"min_count": 0}, "min_count"),
        ({"vocabulary": ["a b"]}, "'a b' in the vocabulary is not a word"),
        ({"layout": "tree"}, "'hashed' or 'trie'"),
        ({"quantize": 1}, "bits from 2 to 16"),
        ({"errors": "ignore"}, "'strict' or 'replace'"),
        ({"marks": "keep"}, "'fail' or 'skip'"),
    ],
)
def test_options(options: dict[str, object], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        LanguageModel.fit(["a b"], **options)  # type: ignore[arg-type]


def test_queries() -> None:
    model = trained(["a b", "b a"], order=2)
    with pytest.raises(TypeError, match="put it in a list"):
        model.score_batch("a b")
    with pytest.raises(ValueError, match="no text"):
        model.evaluate([])
    with pytest.raises(ValueError, match="threshold"):
        model.prune(-1)
    with pytest.raises(ValueError, match="2 numbers"):
        LanguageModel.mix([model, model], [1.0])
    with pytest.raises(ValueError, match="at least one model"):
        LanguageModel.mix([])
    other = trained([" ".join(f"w{i}" for i in range(50))], order=3)
    with pytest.raises(ValueError, match="a state of another model"):
        model.advance(other.state("w40 w41"), "a")


def test_killed_while_saving(tmp_path: Path) -> None:
    """A process that dies in the middle of training leaves no model, and the one before in place."""
    target = tmp_path / "m.palm"
    trained(["a b"], order=2).save(target)
    before = target.read_bytes()
    code = (
        "import os, signal, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "from palmette import LanguageModel\n"
        "model = LanguageModel.fit(['a b c', 'c d'], order=2)\n"
        "import palmette.formats.model.file as m\n"
        "def die(file, *rest):\n"
        "    file.write(b'half'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
        "m.write_arrays = die\n"
        f"model.save({str(target)!r})\n"
    )
    result = subprocess.run([sys.executable, "-c", code], check=False)
    assert result.returncode == -signal.SIGKILL
    assert target.read_bytes() == before
