"""The command line: `palmette VERB ...`, and the one place where errors become sentences.

Commands raise; `main` catches. A person sees one sentence on standard error and an exit code:
0 well, 1 something is wrong with the input, 2 the command was written wrongly, 130 interrupted.
PALMETTE_DEBUG=1 in the environment shows the traceback instead.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

INTERRUPTED = 130  # 128 + SIGINT, as shells count
BROKEN_PIPE = 141  # 128 + SIGPIPE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (without the program's name) and return its exit code."""
    from palmette.cli.app import run
    from palmette.cli.errors import exit_code, sentence

    given = list(sys.argv[1:] if arguments is None else arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a poor terminal is no reason to fail
    try:
        code = run(given or ["--help"])
        _flush_output()
        return code
    except BrokenPipeError:  # the reader has seen enough, as in `palmette ... | head`
        _abandon_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        print("palmette: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("PALMETTE_DEBUG"):
            raise
        try:
            _flush_output()
        except OSError:
            _abandon_output()
        print(f"palmette: {sentence(error)}", file=sys.stderr)
        return exit_code(error)


def _flush_output() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _abandon_output() -> None:
    """Send what is still buffered nowhere, so that the interpreter does not fail over it at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
