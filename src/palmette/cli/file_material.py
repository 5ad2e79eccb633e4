"""Examples in files for experiments: every trial is `palmette train` and `palmette evaluate` on parts of them."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from palmette.cli.held_out import HeldOut, parallel
from palmette.cli.progress import Progress
from palmette.cli.run import Run
from palmette.errors import FormatError, UsageError
from palmette.formats.files import display_name, read_bytes
from palmette.formats.model import ModelFile
from palmette.tools.registry import Tool, tool_named

LEARNER = "learner"
REFERENCE = "reference"


class Silent(Progress):
    """Shows nothing; an interrupted training ends the experiment."""

    def __init__(self) -> None:
        super().__init__(quiet=True)

    def interrupt(self, text: str) -> None:
        """Give up: half a training is not compared with whole ones."""
        raise KeyboardInterrupt


@dataclass(frozen=True)
class FileMaterial:
    """The files of a training command. own: its options; pieces: the examples of the files by option.

    test: the files of the dev set by argument of `evaluate`.
    """

    tool_name: str
    run: Run
    own: Mapping[str, Any]
    pieces: Mapping[str, Sequence[bytes]]
    test: Mapping[str, Any]

    @property
    def tool(self) -> Tool:
        """The tool."""
        import palmette.tools  # registers them: a process of its own has nothing else that does  # noqa: F401

        found = tool_named(self.tool_name)
        assert found is not None
        return found

    @property
    def held_out(self) -> HeldOut:
        """What the tool says of its files."""
        return held_out_of(self.tool)

    @property
    def measures(self) -> Sequence[str]:
        """The names of what is measured."""
        return self.held_out.measures

    @property
    def lower_is_better(self) -> bool:
        """Whether the best has the lowest measure."""
        return self.held_out.lower_is_better

    @property
    def has_dev(self) -> bool:
        """Whether there is a dev set."""
        return bool(self.test)

    def __len__(self) -> int:
        return len(next(iter(self.pieces.values())))

    def trial(
        self, train: Sequence[int], test: Sequence[int] | None, settings: Mapping[str, Any]
    ) -> dict[str, float]:
        """Train on some examples with these settings, save, load, and evaluate."""
        with tempfile.TemporaryDirectory(prefix="palmette-") as folder:
            work: Any = self.tool.command("train")
            evaluate: Any = self.tool.command("evaluate")
            given = {name: value for name, value in self.own.items() if name != REFERENCE}
            given |= self._files(Path(folder), "train", train)
            run, own = with_settings(work, replace(self.run, progress=Silent()), settings)
            path = Path(folder) / "model.palm"
            try:
                work(run, **{**given, **own}).save(path)
            except FormatError:
                self.check()  # says what is wrong with the file of the user
                raise
            arguments = dict(self.test) if test is None else self._tested(Path(folder), test)
            names = inspect.signature(evaluate).parameters
            arguments |= {name: given[name] for name in self.held_out.same if name in given and name in names}
            report = evaluate(ModelFile.load(path), Run(progress=Silent()), **arguments)
        return {name: float(value) for name, value in report.items() if is_measure(name, value)}

    def check(self) -> None:
        """Let the tool read the whole files, so that errors name them and their lines."""
        work: Any = self.tool.command("train")
        given = {name: value for name, value in self.own.items() if name != REFERENCE}
        work(replace(self.run, progress=Silent()), **given)

    def _files(self, folder: Path, name: str, rows: Sequence[int]) -> dict[str, Any]:
        """Write some examples, and return the paths by option."""
        found: dict[str, Any] = {}
        for option, pieces in self.pieces.items():
            own = self.own.get(option)
            first = own[0] if isinstance(own, (list, tuple)) else own
            path = folder / f"{name}-{option}{_suffix(str(first))}"
            path.write_bytes(b"".join(pieces[i] for i in rows))
            found[option] = [str(path)] if isinstance(own, (list, tuple)) else str(path)
        found.pop(REFERENCE, None)
        return found

    def _tested(self, folder: Path, rows: Sequence[int]) -> dict[str, Any]:
        written = self._files(folder, "test", rows)
        arguments: dict[str, Any] = {}
        for option, argument in self.held_out.files.items():
            if argument is not None and option in written:
                path = written[option]
                arguments[argument] = path[0] if isinstance(path, list) else path
        if REFERENCE in self.pieces:
            assert self.held_out.reference is not None
            arguments[self.held_out.reference] = str(
                folder / f"test-{REFERENCE}{_suffix(str(self.own[REFERENCE]))}"
            )
        return arguments


def file_material(tool: Tool, run: Run, own: Mapping[str, Any], reference: str | None = None) -> FileMaterial:
    """Read the files of a training command and divide them into examples."""
    held = held_out_of(tool)
    for name, value in own.items():
        if name.endswith("_to") and value is not None:
            raise UsageError(
                f"--{name.replace('_', '-')} writes a file, and every training would write it: leave it out"
            )
    if reference is not None and held.reference is None:
        raise UsageError(f"--reference does not apply: {tool.name!r} measures on the examples themselves")
    if reference is None and held.reference is not None:
        raise UsageError(
            f"--reference is missing: {tool.name!r} is measured against a file, a line per example"
        )
    given = {**own, **({} if reference is None else {REFERENCE: reference})}
    options = [name for name in (*held.files, REFERENCE) if given.get(name)]
    if not any(held.files.get(name) is not None for name in options):
        wanted = " or ".join(f"--{name}" for name, argument in held.files.items() if argument is not None)
        raise UsageError(f"expected examples to divide: give {wanted}")
    contents = {name: [read_bytes(path) for path in _listed(given[name])] for name in options}
    pieces = parallel(held.cut, contents)
    if not len(pieces[options[0]]):
        raise ValueError(
            f"{display_name(_listed(given[options[0]])[0])}: expected examples; the file has none"
        )
    dev = {argument: own[name] for name, argument in held.dev.items() if own.get(name)}
    return FileMaterial(tool.name, run, given, pieces, dev)


def held_out_of(tool: Tool) -> HeldOut:
    """What a tool says of its files; UsageError if its examples cannot be held out."""
    from importlib import import_module

    found: HeldOut | None = getattr(import_module(tool.commands), "HELD_OUT", None)
    if found is None:
        raise UsageError(
            f"{tool.name!r} is not measured on examples like those that it learns from, so none can be held out"
        )
    return found


def with_settings(work: Any, run: Run, settings: Mapping[str, Any]) -> tuple[Run, dict[str, Any]]:
    """The run with settings of a candidate, and those of them that are options of the training command."""
    known = inspect.signature(work).parameters
    own = {name: value for name, value in settings.items() if name in known and name != "run"}
    rest = {name: value for name, value in settings.items() if name not in own}
    learner = rest.pop(LEARNER, run.learner)
    return replace(run, learner=learner, settings={**run.settings, **rest}), own


def is_measure(name: str, value: Any) -> bool:
    """Whether a field of a report is a measure: a fraction or another score, not a time or a count."""
    return isinstance(value, float) and "second" not in name


def _suffix(path: str) -> str:
    return "".join(s for s in Path(path).suffixes[-2:] if s != ".gz" and s[1:].isalpha())


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [value]
