"""Training again from corrections, in a process of its own: with a learning curve, and a way to stop."""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from palmette.formats.files import opened
from palmette.serve.editing.recipe import (
    MEASURES,
    can_start,
    can_train,
    evaluation_command,
    training_command,
)
from palmette.serve.editing.sessions import Session
from palmette.serve.limits import RequestError
from palmette.serve.models import Models

_FEWEST = 10  # sentences of which some are held out to measure
_HELD_OUT = 5  # every fifth one
_SUFFIX = {"conllu": ".conllu", "columns": ".txt", "brackets": ".mrg"}
_CANNOT_GO_ON = ("warm start", "can go on from its weights")
_running = threading.Lock()  # one training at a time


class StoppedError(Exception):
    """A person stopped the training."""


@dataclass
class Report:
    """How far a training is. state: none, running, done, stopped or failed.

    step: what goes on, and step `done` of `steps`; line: the last line that the training wrote. curve: points of
    sentences and score; before: the score of the model that was served; measure: what a score is. sentences: the
    number learnt from; held_out: the number measured on. used: whether the new model is served now.
    """

    state: str = "none"
    step: str = ""
    done: int = 0
    steps: int = 0
    line: str = ""
    curve: list[dict[str, float]] = field(default_factory=list)
    before: float | None = None
    measure: str = ""
    sentences: int = 0
    held_out: int = 0
    error: str = ""
    model: str = ""
    used: bool = False


class Retraining:
    """The trainings of one file. examples: a file with more right sentences; dev: sentences to measure on."""

    def __init__(
        self, session: Session, models: Models, examples: str | None = None, dev: str | None = None
    ) -> None:
        self.session, self._models = session, models
        self._examples, self._dev = examples, dev
        self._first = session.served.path
        self.report = Report()
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    def about(self) -> dict[str, Any]:
        """The report as a JSON object, and whether such a model can be trained here at all."""
        return {"possible": can_train(self.session.served), **asdict(self.report)}

    def start(self, every: bool = False) -> dict[str, Any]:
        """Begin. every: learn from all sentences of the file, and not only from those that were corrected."""
        session = self.session
        if not can_train(session.served):
            raise RequestError(400, f"a {session.served.file.kind} does not learn from corrections")
        with session.lock:
            numbers = range(len(session.document)) if every else [n - 1 for n in session.about()["corrected"]]
            sentences = [session.document.source(n) for n in numbers]
        if not sentences:
            raise RequestError(409, "no sentence is corrected yet: fix or accept some first")
        if not _running.acquire(blocking=False):
            raise RequestError(409, "a training is running already")
        self._stopping.clear()
        used = self.report.used
        self.report = Report("running", measure=MEASURES[session.served.tool.name][1], used=used)
        self._thread = threading.Thread(target=self._run, args=(sentences,), daemon=True)
        self._thread.start()
        return self.about()

    def stop(self, wait: bool = False) -> dict[str, Any]:
        """End a training that runs. wait: until it has ended."""
        self._stopping.set()
        process, thread = self._process, self._thread
        if process is not None and process.poll() is None:
            process.kill()  # what it learnt is lost
        if wait and thread is not None:
            thread.join(10)
        return self.about()

    def close(self) -> None:
        """End a training, and delete a new model that nobody chose to use."""
        self.stop(wait=True)
        self._place(".new.palm").unlink(missing_ok=True)

    def use(self, new: bool) -> dict[str, Any]:
        """Serve the new model from now on, or the first one again."""
        made, kept = self._place(".new.palm"), self._place(".palm")
        if new:
            if made.exists():
                made.replace(kept)
            if not kept.exists():
                raise RequestError(409, "no model was trained yet")
        self._models.adopt(self.session.model, str(kept) if new else self._first)
        self.report.used = new
        return self.about()

    def _place(self, suffix: str) -> Path:
        """A file beside the one that is corrected."""
        return self.session.path.with_name(self.session.name + suffix)

    def _run(self, sentences: list[str]) -> None:
        report = self.report
        try:
            with tempfile.TemporaryDirectory(prefix="palmette-") as folder:
                self._train(sentences, Path(folder))
            report.state, report.step = "done", ""
        except StoppedError:
            report.state = "stopped"
        except Exception as error:
            report.state, report.error = "failed", str(error)
        finally:
            self._process = None
            _running.release()

    def _train(self, sentences: list[str], folder: Path) -> None:
        report, served = self.report, self.session.served
        random.Random(0).shuffle(sentences)
        base = b"" if self._examples is None else _content(self._examples)
        learnt, dev = sentences, self._dev
        if dev is None and len(sentences) >= _FEWEST:
            held = sentences[::_HELD_OUT]
            learnt = [one for i, one in enumerate(sentences) if i % _HELD_OUT]
            dev = self._written(folder, "dev", held)
            report.held_out = len(held)
        sizes = sorted({max(1, len(learnt) * k // 4) for k in ((1, 2, 3, 4) if dev else (4,))})
        report.steps = len(sizes) + (dev is not None) + (learnt is not sentences)
        made = str(folder / "new.palm")
        if dev is not None:
            report.step = "measuring the model that is served"
            report.before = self._score(served.path, dev)
            report.done += 1
        for size in sizes:
            report.step = f"learning from {size} of {len(sentences)} sentences"
            self._learn(base, learnt[:size], folder, made)
            if dev is not None:
                report.curve.append({"sentences": size, "score": self._score(made, dev)})
            report.done += 1
        if learnt is not sentences:
            report.step = f"learning from all {len(sentences)} sentences"
            self._learn(base, sentences, folder, made)
            report.done += 1
        report.sentences = len(sentences)
        target = self._place(".new.palm")
        beside = target.with_name(target.name + ".part")
        beside.write_bytes(Path(made).read_bytes())
        beside.replace(target)
        report.model = self._place(".palm").name

    def _learn(self, base: bytes, sentences: Sequence[str], folder: Path, output: str) -> None:
        served = self.session.served
        examples = self._written(folder, "train", sentences, base)
        if can_start(served):
            try:
                self._called(training_command(served, examples, output, start=True))
                return
            except ChildError as error:
                # a label that the model does not have, or no step that can go on: training begins from nothing
                if not any(words in str(error) for words in _CANNOT_GO_ON):
                    raise
        self._called(training_command(served, examples, output, start=False))

    def _score(self, model: str, dev: str) -> float:
        key, _ = MEASURES[self.session.served.tool.name]
        return round(float(json.loads(self._called(evaluation_command(model, dev)))[key]), 6)

    def _written(self, folder: Path, name: str, sentences: Sequence[str], base: bytes = b"") -> str:
        path = folder / (name + _SUFFIX[self.session.document.format])
        between = b"" if not base or base.endswith(b"\n\n") else b"\n\n"
        path.write_bytes(base + between + "".join(sentences).encode())
        return str(path)

    def _called(self, command: list[str]) -> str:
        """What a command prints; its lines on standard error are the progress."""
        if self._stopping.is_set():
            raise StoppedError
        lines: list[str] = []
        with tempfile.TemporaryFile("w+") as printed:
            with subprocess.Popen(command, stdout=printed, stderr=subprocess.PIPE, text=True) as process:
                self._process = process
                assert process.stderr is not None
                for line in process.stderr:
                    if line.strip():
                        self.report.line = line.strip()[:200]
                        lines.append(line.strip())
            code = process.returncode
            if self._stopping.is_set():
                raise StoppedError
            if code:
                raise ChildError((lines or ["it ended without a word"])[-1].removeprefix("palmette: ")[:500])
            printed.seek(0)
            return printed.read()


class ChildError(Exception):
    """What a command said when it failed."""


def _content(path: str) -> bytes:
    with opened(path) as file:
        return file.read()
