"""The signals that end a program: all stop the work as Ctrl-C does, and the exit code says which one came."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_received: int | None = None


def received() -> int | None:
    """The signal that came last while signals are caught; None if there was none."""
    return _received


def exit_code() -> int:
    """128 and the number of the signal, as shells count; that of Ctrl-C if none came."""
    return 128 + (_received or signal.SIGINT)


def verb() -> str:
    """What the signal did to the program, for a message."""
    return "interrupted" if _received in (None, signal.SIGINT) else "terminated"


@contextmanager
def caught(*, to_the_end: bool = False) -> Iterator[None]:
    """Inside, a signal that would end the program raises KeyboardInterrupt; a signal that is ignored stays so.

    to_the_end: afterwards the program ends, and a late Ctrl-C is ignored.
    """
    global _received
    _received = None
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives signals
        return
    before: dict[int, Any] = {}
    hook = sys.unraisablehook
    try:
        for number in _ENDING:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, _stop)
        sys.unraisablehook = _lost
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if to_the_end else handler)


def _stop(number: int, frame: FrameType | None) -> None:
    global _received
    _received = number
    raise KeyboardInterrupt


def _lost(what: Any) -> None:
    """Raise an interrupt again that came where Python cannot raise, such as while an object is deleted."""
    if isinstance(what.exc_value, KeyboardInterrupt) and _received is not None:
        os.kill(os.getpid(), _received)
    else:
        sys.__unraisablehook__(what)
