"""`palmette train history` and the other verbs with its models, without torch; and messages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from samples.sequences import EXAMPLES

TRAIN, TEST = EXAMPLES / "train.conllu", EXAMPLES / "test.conllu"
SMALL: dict[str, Any] = {
    "size": 8,
    "words": 8,
    "letters": 4,
    "batch_size": 4,
    "learning_rate": 0.02,
    "min_count": 1,
}


def test_all_verbs_without_torch(palmette: Any, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "h.palm"
    settings = [w for key, value in {**SMALL, "n_iter": 20}.items() for w in ("--set", f"{key}={value}")]
    code, _, err = palmette("train", "history", "--train", TRAIN, "--dev", TEST, *settings, "-o", out)
    assert code == 0, err
    script = (
        "import sys; sys.modules['torch'] = None\n"
        "import palmette\n"
        f"t = palmette.load({str(out)!r})\n"
        f"print(t.score({str(TEST)!r}) > 0.3, len(t.kbest([['The', 'dog']], 3)[0]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True 3"
    code, found, _ = palmette("evaluate", out, TEST, "--width", "1", "--json")
    assert code == 0
    assert json.loads(found)["accuracy"] > 0.3
    code, found, _ = palmette("predict", out, TEST)
    assert code == 0
    assert found.splitlines()[2].split("\t")[:2] == ["1", "The"]
    code, found, _ = palmette("predict", out, TEST, "--jsonl", "--width", "8")
    assert code == 0
    assert json.loads(found.splitlines()[0])["tokens"][0]["token"] == "The"
    code, found, _ = palmette("inspect", out)
    assert code == 0
    assert "log-probabilities of steps" in found
    code, _, err = palmette("explain", out, "The dog")
    assert code != 0
    assert "the tool 'history' does not explain" in err


def test_wrong_input_is_one_sentence(palmette: Any, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    holes = tmp_path / "holes.conllu"
    holes.write_text("1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    out = tmp_path / "h.palm"
    for options, message in (
        (["--train", holes], "Sentence 1: token 2 has no label"),
        (["--train", TRAIN, "--learner", "crf"], "a recurrent predictor has no learner"),
        (["--train", TRAIN, "--set", "widht=3"], "did you mean 'width'?"),
        (["--train", TRAIN, "--set", "width=0"], "'width'"),
        (["--train", TRAIN, "--column", "nothing"], "no column 'nothing'"),
        (["--train", TRAIN, "--set", "learning_rate=1e30"], "the loss is not a number"),
    ):
        code, _, err = palmette("train", "history", *options, "-o", out)
        assert code != 0
        assert message in err
        assert "Traceback" not in err
        assert not out.exists()
