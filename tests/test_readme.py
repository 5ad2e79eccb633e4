"""The Python of the README runs as it stands there."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
CONLLU = b"1\tTime\ttime\tNOUN\tNN\t_\t2\tnsubj\t_\t_\n2\tflies\tfly\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"


def test_the_blocks_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.conllu.gz").write_bytes(gzip.compress(CONLLU))
    for name in ("wsj.mrg", "train.mrg"):
        Path(name).write_text("( (S (NP (NN Time)) (VP (VBZ flies))) )\n")
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        names: dict[str, object] = {}
        exec(compile(block, str(README), "exec"), names)
        assert names
