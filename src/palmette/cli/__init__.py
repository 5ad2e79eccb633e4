"""The command line: `palmette VERB ...`, and the one place where errors become sentences.

Commands raise; `main` catches. A person sees one sentence on standard error and an exit code:
0 well, 1 something is wrong with the input, 2 the command was written wrongly, 130 interrupted, 143 terminated.
PALMETTE_DEBUG=1 in the environment shows the traceback instead.
"""

from __future__ import annotations

# Nothing but these two, which every interpreter has loaded: an interrupt is caught from here on.
import os
import sys

TYPE_CHECKING = False  # as typing has it
if TYPE_CHECKING:
    from collections.abc import Sequence

BROKEN_PIPE = 141  # 128 + SIGPIPE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (without the program's name) and return its exit code."""
    try:
        from palmette.cli import signals

        given = list(sys.argv[1:] if arguments is None else arguments)
        if given[:1] != ["train"]:
            # Its threads wait busily from the import of numpy on, for longer than a sentence takes.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        with signals.caught(to_the_end=arguments is None):
            return _run(given)
    except KeyboardInterrupt:  # while the modules above are imported, or a second time
        return _interrupted()


def _run(arguments: list[str]) -> int:
    try:
        from palmette.cli.app import run

        _hold_standard_streams()
        code = run(arguments or ["--help"])
        _flush_output()
        return code
    except BrokenPipeError:  # the reader has seen enough, as in `palmette ... | head`
        _abandon_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:
        from palmette.cli import signals

        if signals.received() and isinstance(error, ImportError | SystemError):
            return _interrupted()  # native modules make an error of an interrupt while they are loaded
        if os.environ.get("PALMETTE_DEBUG"):
            raise
        from palmette.cli.errors import exit_code, sentence

        try:
            _flush_output()
        except OSError:
            _abandon_output()
        print(f"palmette: {sentence(error)}", file=sys.stderr)
        return exit_code(error)


def _interrupted() -> int:
    from palmette.cli import signals

    if os.environ.get("PALMETTE_DEBUG"):
        import traceback

        traceback.print_exc()
    # An interpreter that was interrupted inside exec(), as imports may be, would end by a signal: run another.
    exec("")
    from contextlib import suppress

    with suppress(OSError):  # the terminal may be gone
        print(f"palmette: {signals.verb()}", file=sys.stderr)
    return signals.exit_code()


def _hold_standard_streams() -> None:
    """Keep messages out of the data: open a closed standard stream on the null device.

    Otherwise `print` to a standard error that is closed goes to standard output, and the next file that is opened
    takes the stream's number.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # print also on terminals without Unicode


def _flush_output() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _abandon_output() -> None:
    """Send what is still buffered nowhere, so that the interpreter does not fail over it at its end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass  # it is closed
