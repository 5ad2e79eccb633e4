"""Signals: an interrupted training keeps its model and says so in its exit code; nothing else is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from palmette.cli import main, signals

ENDING = [
    (signal.SIGINT, 130, "interrupted"),
    (signal.SIGTERM, 143, "terminated"),
    (signal.SIGHUP, 129, "terminated"),
]


@pytest.fixture(autouse=True)
def not_ignored() -> Iterator[None]:
    """Let started programs get signals, also where this one ignores them: under nohup, in the background."""
    ignored = [number for number, *_ in ENDING if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(
            number, signal.default_int_handler
        )  # handlers are not inherited; that a signal is ignored is
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.mark.parametrize(("number", "code", "word"), ENDING)
def test_training_that_is_stopped(tmp_path: Path, number: int, code: int, word: str) -> None:
    """After the first pass is told of, a signal ends the training, whose model is kept."""
    (tmp_path / "train.tsv").write_text("time\tN\n\ntime\tV\n\n" * 200)  # never learnt
    line = [sys.executable, "-m", "palmette", "train", "tag", "--train", str(tmp_path / "train.tsv")]
    options = ["--learner", "perceptron", "--set", "n_iter=1000000", "-o", str(tmp_path / "t.palm")]
    with subprocess.Popen([*line, *options], stderr=subprocess.PIPE, text=True) as process:
        watch = threading.Timer(60, process.kill)
        watch.start()
        assert process.stderr is not None
        for told in process.stderr:
            if told.startswith("pass "):
                break
        process.send_signal(number)
        rest = process.stderr.read()
        watch.cancel()
    assert process.returncode == code
    (said,) = (text for text in rest.splitlines() if text.startswith("palmette: "))
    assert said.startswith(f"palmette: {word} after ")
    assert said.endswith("the best so far is saved")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.palm", "train.tsv"]


@pytest.mark.native
def test_a_pipeline_that_is_stopped_is_not_kept() -> None:
    """Its steps learn from one another, so none of them ends early while the others go on; it stays as it was."""
    from palmette import Pipeline
    from palmette.learning import loop

    stopped: list[str] = []

    def interrupt(*given: object) -> None:
        stopped.append("once")
        raise KeyboardInterrupt

    treebank = Path(__file__).parents[2] / "examples" / "pipelines" / "train.conllu"
    pipeline = Pipeline(jackknife=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop._Run, "_take", interrupt)
        with pytest.raises(KeyboardInterrupt):
            pipeline.fit(treebank)
    assert stopped == ["once"]
    assert not hasattr(pipeline, "model_")


@pytest.mark.parametrize(("number", "code", "word"), ENDING)
def test_prediction_that_is_stopped(tmp_path: Path, number: int, code: int, word: str) -> None:
    """While it waits for input; the file that it would write is not there, nor a part of it."""
    line = [sys.executable, "-m", "palmette", "predict", "en", "--jsonl", "-o", str(tmp_path / "out.jsonl")]
    os.mkfifo(tmp_path / "input")
    with subprocess.Popen([*line, str(tmp_path / "input")], stderr=subprocess.PIPE, text=True) as process:
        watch = threading.Timer(60, process.kill)
        watch.start()
        with (tmp_path / "input").open("w") as pipe:  # opens when the program reads
            pipe.write("Time flies.\n")
            pipe.flush()
            process.send_signal(number)
            assert process.stderr is not None
            assert process.stderr.read() == f"palmette: {word}\n"
        watch.cancel()
    assert process.returncode == code
    assert [path.name for path in tmp_path.iterdir()] == ["input"]


def test_an_interrupt_while_modules_are_loaded() -> None:
    """Wherever it comes during imports, there is one sentence and no traceback."""
    code = (
        "import sys, os, signal\n"
        "from palmette.cli import main\n"
        "class Stop:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == sys.argv[1]:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Stop())\n"
        "sys.exit(main(['predict', 'en', '/dev/null']))\n"
    )
    for module in ("typer", "palmette.cli.app", "numpy", "palmette.tools.dependency.parser"):
        result = subprocess.run([sys.executable, "-c", code, module], capture_output=True, text=True)
        assert (result.returncode, result.stdout, result.stderr) == (130, "", "palmette: interrupted\n"), (
            module
        )


def test_handlers_are_put_back() -> None:
    before = [signal.getsignal(number) for number, *_ in ENDING]
    assert main(["--version"]) == 0
    assert [signal.getsignal(number) for number, *_ in ENDING] == before
    with signals.caught():
        assert signals.received() is None
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        assert (signals.received(), signals.exit_code(), signals.verb()) == (
            signal.SIGTERM,
            143,
            "terminated",
        )


def test_a_signal_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with signals.caught():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signals.received() is None
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_thread_has_no_signals() -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main(["--version"])))
    thread.start()
    thread.join()
    assert codes == [0]
