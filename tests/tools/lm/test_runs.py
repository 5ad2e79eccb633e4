"""Counting within a given memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from palmette import LanguageModel
from palmette.tools.lm import runs
from samples.lm_text import random_text, trained

pytestmark = pytest.mark.native


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Parts of a few hundred words, and how many there were."""
    monkeypatch.setattr(runs, "_ALWAYS", 0)
    made: list[int] = []
    parts = runs._parts

    def counted(text: object, n: int, room: int) -> object:
        for part in parts(text, n, 300):  # type: ignore[arg-type]
            made.append(part[1] - part[0])
            yield part

    monkeypatch.setattr(runs, "_parts", counted)
    monkeypatch.setattr(runs, "_BYTES_PER_TOKEN", 10_000)
    return made


@pytest.mark.parametrize("smoothing", ["modified-kneser-ney", "katz"])
def test_parts_change_nothing(small_parts: list[int], smoothing: str) -> None:
    text = random_text(2500, "abcdefghijklmnopqrstuvwxyz", seed=4)
    whole = trained(text, order=4, smoothing=smoothing)
    assert not small_parts
    memory = 66 * sum(whole.sizes) + 1000
    parted = trained(text, order=4, smoothing=smoothing, memory=memory)
    assert len(small_parts) > 10
    for name, array in whole.to_model().arrays.items():
        assert (array == parted.to_model().arrays[name]).all(), name


def test_too_little_memory() -> None:
    with pytest.raises(MemoryError, match=r"for .* n-grams: about .* MB are needed, 1 MB are allowed"):
        LanguageModel.fit(["a b c"], order=2, memory="1M")
    for memory in ("much", "0", -1):
        with pytest.raises(ValueError, match="memory must be"):
            LanguageModel.fit(["a b c"], order=2, memory=memory)


def test_a_full_disk(tmp_path: Path) -> None:
    """Runs that cannot be written: one error, and no file is left."""
    code = (
        "import resource, sys, tempfile\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from samples.lm_text import random_text\n"
        "from palmette import LanguageModel\n"
        "from palmette.tools.lm import runs\n"
        "runs._ALWAYS, runs._BYTES_PER_TOKEN = 0, 10_000\n"
        "tempfile.tempdir = sys.argv[1]\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    LanguageModel.fit(random_text(2500, 'abcdefghijklmno'), order=4, memory=10_000_000)\n"
        "except OSError as error:\n"
        "    sys.exit(f'OSError {error.errno}')\n"
    )
    tests = str(Path(__file__).parents[2])
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), tests], check=False, capture_output=True, text=True
    )
    assert result.stderr.strip() == "OSError 27", result.stderr
    assert list(tmp_path.iterdir()) == []
