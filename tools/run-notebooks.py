"""Run the notebooks of examples/notebooks and keep their outputs: `tools/run-notebooks.py [--to DIR] [FILE …]`.

It needs nbformat, nbclient and ipykernel (the extra `dev`). What changes from run to run (times, counters of the
kernel, colours of errors) is not kept, so that a notebook changes only where its code or what it shows does.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
SECONDS = 300  # for one cell


def executed(path: Path) -> Any:
    """Return a notebook with the outputs of a fresh kernel; CellExecutionError if a cell fails."""
    import nbformat
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    manager = AsyncKernelManager(kernel_name="python3", transport="ipc")  # no port is opened
    with tempfile.TemporaryDirectory() as folder:
        manager.connection_file = str(Path(folder) / "kernel.json")
        manager.ip = str(Path(folder) / "kernel")
        client = NotebookClient(
            notebook,
            km=manager,
            timeout=SECONDS,
            coalesce_streams=True,
            resources={"metadata": {"path": str(path.parent)}},
        )
        client.execute()
    return cleaned(notebook)


def cleaned(notebook: Any) -> Any:
    """Return a notebook without what changes from run to run."""
    for number, cell in enumerate(one for one in notebook.cells if one.cell_type == "code"):
        cell.metadata.clear()
        cell.execution_count = number + 1
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number + 1
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def main(arguments: list[str]) -> None:
    """Execute and save the notebooks that are named, or all; `--to FOLDER` saves them there."""
    import nbformat

    folder = None
    if arguments[:1] == ["--to"]:
        folder, arguments = Path(arguments[1]), arguments[2:]
    for path in map(Path, arguments) if arguments else sorted(FOLDER.glob("*.ipynb")):
        made = executed(path.resolve())
        target = path if folder is None else folder / path.name
        nbformat.write(made, target)
        print(f"{path.name}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
