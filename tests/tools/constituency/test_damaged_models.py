"""Model files with one thing changed: they work, or end in a sentence, quickly and without much memory."""

from __future__ import annotations

import copy
import random
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette.formats.model import ModelFile
from palmette.tools.constituency.model import METHODS
from palmette.tools.constituency.parser import ConstituencyParser
from samples.phrase_treebank import garden

pytestmark = pytest.mark.native

SENTENCES = ["The old cook leaves the light on in the kitchen .".split(), ["Xyzzy", "laughed"]]
SMALL = {
    "latent": {"rounds": 1},
    "crf": {"bits": 12},
    "plcfrs": {"rounds": 1, "grammars": 1},
    "combined": {"methods": "pcfg,lexicalized"},
}
NAMES = [
    name for name in METHODS if name not in ("features", "perceptron", "mira", "svm")
]  # whose models are those of crf
MUTANTS = 60  # of each method
SECONDS = 5  # for everything that is done with one of them
ROOM = 1 << 30  # bytes that one of them may take
VALUES: list[Any] = [0, 1, -1, 2**31 - 1, 2**62, 1e300, 1e-300, 0.5, "", "x", None, True, [], {}, [1, "x"]]


@pytest.fixture(scope="module", params=NAMES)
def model(request) -> ModelFile:
    options = SMALL.get(request.param)
    return ConstituencyParser(request.param, options=options).fit(garden()[:25]).to_model()


@contextmanager
def bounds() -> Iterator[None]:
    """End what takes too long, and refuse memory beyond a bound."""

    def late(*_):
        raise TimeoutError

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, hard))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_damaged_models_end_in_a_sentence(model):
    rng = random.Random(7)
    results = [outcome(*mutated(model, rng)) for _ in range(MUTANTS)]
    assert [each for each in results if each not in ("works", "refused")] == []
    assert 0 < results.count("refused") < MUTANTS


def outcome(what: str, mutant: ModelFile) -> str:
    """Return "works" or "refused" as a model should, or what else became of it."""
    try:
        with bounds():
            use(mutant)
    except ValueError:
        return "refused"
    except (Exception, KeyboardInterrupt) as error:
        return f"{what}: {type(error).__name__} {error}"
    return "works"


def use(file: ModelFile) -> None:
    parser = ConstituencyParser.from_model(file)
    trees = parser.predict(SENTENCES)
    assert [tree.words for tree in trees] == SENTENCES
    assert all(parser.kbest(SENTENCES, 3))
    parser.predict(SENTENCES, minimum_risk=False)
    parser.explain(SENTENCES[0])


def mutated(model: ModelFile, rng: random.Random) -> tuple[str, ModelFile]:
    """Return what was changed, and the model with the change."""
    options, arrays = copy.deepcopy(dict(model.options)), dict(model.arrays)
    strings = {name: list(table) for name, table in model.strings.items()}
    kind = rng.choice(["arrays", "arrays", "strings", "options"])
    if kind == "arrays":
        name = rng.choice(sorted(arrays))
        what, arrays[name] = mutated_array(arrays[name], rng)
    elif kind == "strings":
        name = rng.choice(sorted(strings))
        what = mutate_strings(strings[name], rng)
    else:
        place = options
        name = "options"
        while True:
            keys = sorted(place) if isinstance(place, dict) else list(range(len(place)))
            key = rng.choice(keys)
            name += f".{key}"
            if not isinstance(place[key], (dict, list)) or not place[key] or rng.random() < 0.1:
                break
            place = place[key]
        place[key] = rng.choice(VALUES)
        what = f"= {place[key]!r}"
    return f"{kind} {name} {what}", ModelFile(model.kind, options, arrays, strings)


def mutated_array(array: np.ndarray, rng: random.Random) -> tuple[str, np.ndarray]:
    way = rng.choice(["value", "value", "value", "cut", "longer", "type", "shape"])
    if way == "value" and array.size:
        changed = array.copy().ravel()
        at = rng.randrange(changed.size)
        if array.dtype.kind == "f":
            with np.errstate(over="ignore"):
                changed[at] = rng.choice([0.0, -1.0, 1e30, -1e30, np.inf, np.nan, 1e-30, 0.5])
        else:
            limits = np.iinfo(array.dtype)
            value = rng.choice([0, 1, -1, int(limits.max), int(limits.min), 7, int(changed[at]) + 1])
            changed[at] = np.clip(value, limits.min, limits.max)
        return f"[{at}] = {changed[at]}", changed.reshape(array.shape)
    if way == "cut":
        return way, array.ravel()[: array.size // 2].copy()
    if way == "longer":
        return way, np.concatenate([array.ravel(), array.ravel()[:5]])
    if way == "type":
        return way, array.astype(np.int64 if array.dtype.kind == "f" else np.float32)
    return way, array.reshape(1, *array.shape)


def mutate_strings(table: list[str], rng: random.Random) -> str:
    way = rng.choice(["lost", "twice", "other", "empty", "none"])
    if way == "none" or not table:
        table.clear()
        return way
    at = rng.randrange(len(table))
    if way == "lost":
        del table[at]
    elif way == "twice":
        table[at] = table[(at + 1) % len(table)]
    else:
        table[at] = "" if way == "empty" else rng.choice(["TOP", "NP", "@x", "a\tb", "\u2028", "NN^S"])
    return f"{way} [{at}]"
