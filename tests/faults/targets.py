"""What is fed with damaged input, and what may come of it: a result, or an error that is one clear sentence."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from faults.mutation import mutated

# Errors that say what went wrong in the words of Python or of the machine, though they are ValueErrors.
_RAW = (UnicodeError, json.JSONDecodeError)
Run = Callable[[bytes], object]
Mutate = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


@dataclass(frozen=True)
class Target:
    """A reader: `run` reads bytes as it would a file; `seeds` are valid inputs."""

    name: str
    run: Run
    seeds: tuple[bytes, ...]
    mutate: Mutate = mutated

    def input(self, number: int) -> bytes:
        """Return the damaged input of that number, always the same."""
        rng = random.Random(f"{self.name} {number}")
        return self.mutate(rng, rng.choice(self.seeds), self.seeds)


def problem(run: Run, data: bytes) -> str | None:
    """Read damaged input and return what is wrong with what happens, or None."""
    try:
        run(data)
    except _RAW as error:
        return f"{type(error).__name__}: {error}"
    except (ValueError, OSError) as error:
        return None if str(error).strip() else f"{type(error).__name__} without a message"
    except MemoryError:
        return None
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None
