"""What networks cost those who do not use them: the time of `import palmette`, and the size of an install.

Torch must not be imported with the package or with a tagger. The size is that of the files of the package, without
those of its dependencies and without compiled Python.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from benchmarks.measuring.row import Row

RUNS = 9
_PROGRAM = """
import time
began = time.process_time()
{imports}
spent = time.process_time() - began
import json, sys
print(json.dumps([spent, "torch" in sys.modules]))
"""
WORKS = {
    "import palmette": "import palmette",
    "import palmette, Tagger, DependencyParser and Neural": (
        "import palmette; palmette.Tagger, palmette.DependencyParser, palmette.Neural"
    ),
}


def rows(quick: bool = False) -> Iterator[Row]:
    for work, imports in WORKS.items():
        runs = [_run(imports) for _ in range(3 if quick else RUNS)]
        with_torch = any(torch for _, torch in runs)
        told = "torch is imported" if with_torch else "torch is not imported"
        yield Row(work, min(spent for spent, _ in runs), quality=told, holds=not with_torch)
    spent, _ = _run("import numpy")
    total, core, networks = _sizes()
    yield Row(
        "import numpy, which palmette needs; the size of an install",
        spent,
        memory=f"{total / 1e6:.1f} MB, {core / 1e6:.1f} of it the core",
        quality=f"palmette.neural, with all that imports torch: {networks / 1e3:.0f} kB",
    )


def _run(imports: str) -> tuple[float, bool]:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(imports=imports)], check=True, capture_output=True, text=True
    )
    spent, torch = json.loads(done.stdout)
    return float(spent), bool(torch)


def _sizes() -> tuple[int, int, int]:
    """Bytes of the package, of the native core, and of `palmette.neural`."""
    spec = find_spec("palmette")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    total = core = networks = 0
    for path in folder.rglob("*"):
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        size = path.stat().st_size
        total += size
        core += size if path.name.startswith("_native") and path.suffix in (".so", ".pyd") else 0
        networks += size if path.relative_to(folder).parts[0] == "neural" else 0
    return total, core, networks
