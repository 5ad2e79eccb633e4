"""A schedule of models: each is trained from the one before, in both directions.

Directions that do not learn to agree do not know of each other, and run side by side where there are threads. What
comes out does not depend on how many there are.
"""

from __future__ import annotations

import inspect
import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, TypeAlias

from palmette._native import Bitext
from palmette.learning.em import EM
from palmette.learning.learner import Report
from palmette.messages import numbers_line
from palmette.parameters import require_bool, require_int
from palmette.tools.alignment.agreement import AGREEING, train_agreement
from palmette.tools.alignment.direction import Direction
from palmette.tools.alignment.hmm import hmm_problem
from palmette.tools.alignment.model import both_ways
from palmette.tools.alignment.model1 import independent_problem
from palmette.tools.alignment.sampling import ORDERS, Sampling
from palmette.tools.alignment.stages import STAGES

Ways: TypeAlias = tuple[Direction | None, Direction | None]

DEFAULT_MODELS = ("model1", "hmm", "fertility")
# What takes the options that a stage hands on.
PROBLEMS: dict[str, Callable[..., Any]] = {
    "model1": independent_problem,
    "model2": independent_problem,
    "diagonal": independent_problem,
    "hmm": hmm_problem,
    **dict.fromkeys(ORDERS, Sampling),
}
PRESETS = {"best": DEFAULT_MODELS, "fast": ("model1", "hmm")}


@dataclass(frozen=True)
class Pass:
    """A pass over the text: in which direction ("forth", "back" or "both"), of which model, its number, from 1 on.

    perplexity: of a target word with its source sentence given, before the parameters are changed; None where a
    model does not compute it.
    """

    direction: str
    model: str
    number: int
    seconds: float
    perplexity: float | None

    @property
    def summary(self) -> str:
        """The pass in a line, for logs."""
        known = [] if self.perplexity is None else [("perplexity", self.perplexity)]
        return f"{self.model} {self.direction}, {numbers_line(self.number, self.seconds, known)}"

    def to_dict(self) -> dict[str, Any]:
        """Without the time: the same data gives the same file."""
        return {name: value for name, value in asdict(self).items() if name != "seconds"}


def last_passes(history: Iterable[Pass]) -> list[Pass]:
    """The last pass of each model in each direction."""
    return list({(one.model, one.direction): one for one in history}.values())


@dataclass(frozen=True)
class Trained:
    """Both directions, all passes, whether Ctrl-C came, and the pairs of both, if they were kept."""

    directions: tuple[Direction, Direction]
    history: tuple[Pass, ...]
    interrupted: bool
    bitexts: tuple[Bitext, Bitext] | None = None


@dataclass(frozen=True, eq=False)
class Schedule:
    """Kinds of models in the order of training, or the name of a preset; see `Aligner` for the rest."""

    models: Sequence[str] | str
    learner: EM | None = None
    options: Mapping[str, Mapping[str, Any]] | None = None
    agreement: bool = False
    random_state: int = 0
    n_jobs: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.models, str) and self.models not in PRESETS:
            raise ValueError(f"'models' are a list, or one of {', '.join(PRESETS)}. Got {self.models!r}.")
        if not self.models:
            raise ValueError("There must be at least one alignment model to train.")
        for kind in self.kinds:
            if kind not in STAGES:
                raise ValueError(f"There is no alignment model {kind!r}: there are {', '.join(STAGES)}.")
        if self.learner is not None and not isinstance(self.learner, EM):
            raise ValueError(f"Alignments are learnt by EM or VB. Got {type(self.learner).__name__}.")
        require_int("random_state", self.random_state, 0)
        require_bool("agreement", self.agreement)
        for kind, own in (self.options or {}).items():
            if kind not in self.kinds:
                raise ValueError(f"There are options of {kind!r}, which is not among the models.")
            for name in own:
                if name not in stage_options(kind):
                    raise ValueError(
                        f"{kind!r} has no option {name!r}: it has {', '.join(stage_options(kind))}."
                    )

    @property
    def kinds(self) -> tuple[str, ...]:
        """The models to train, in turn."""
        return PRESETS[self.models] if isinstance(self.models, str) else tuple(self.models)

    @property
    def keeps(self) -> bool:
        """Whether the directions keep how they aligned the text of the training."""
        return self.kinds[-1] in ORDERS

    def train(
        self,
        bitext: Callable[[bool], Bitext],
        callback: Callable[[Pass], None] | None = None,
        *,
        keep: bool = False,
    ) -> Trained:
        """Train both directions; bitext(back) makes the pairs of one, which are kept if wanted."""
        run = _Run(self, bitext, callback, keep)
        # In a thread of its own: so Ctrl-C reaches this one, which tells it to end.
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(run.train)
            try:
                wait([future])
            except KeyboardInterrupt:
                run.stop.set()
        forth, back = future.result()
        if forth is None or back is None:
            raise KeyboardInterrupt  # nothing was learnt that would be worth keeping
        order = {kind: place for place, kind in enumerate(self.kinds)}
        passes = sorted(run.history, key=lambda one: (order[one.model], one.direction == "back"))
        kept = (run.pairs(False), run.pairs(True)) if keep else None
        return Trained((forth, back), tuple(passes), run.stop.is_set(), kept)

    def agrees(self, kind: str) -> bool:
        """Whether the directions of a model are trained together."""
        return self.agreement and kind in AGREEING


@dataclass(eq=False)
class _Run:
    """One training."""

    schedule: Schedule
    bitext: Callable[[bool], Bitext]
    callback: Callable[[Pass], None] | None
    keep: bool
    made: dict[bool, Bitext] = field(default_factory=dict)
    stop: threading.Event = field(default_factory=threading.Event)
    history: list[Pass] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    began: float = field(default_factory=time.perf_counter)

    def pairs(self, back: bool) -> Bitext:
        """The pairs of words of one direction, which are held until they are dropped."""
        if back not in self.made:
            self.made[back] = self.bitext(back)
        return self.made[back]

    def train(self) -> Ways:
        ways: Ways = (None, None)
        groups = [(a, list(kinds)) for a, kinds in groupby(self.schedule.kinds, self.schedule.agrees)]
        for number, (agreeing, models) in enumerate(groups, 1):
            if agreeing:
                ways = self._agreed(models, ways)
            else:
                drop = number == len(groups) and not self.keep
                ways = both_ways(self.schedule.n_jobs, partial(self._one, models, ways, drop))
        return ways

    def _one(self, models: list[str], ways: Ways, drop: bool, back: bool, n_jobs: int) -> Direction | None:
        way, own = ways[back], self.pairs(back)
        for kind in models:
            if self.stop.is_set():
                break
            told = self._told("back" if back else "forth", kind)
            way = STAGES[kind](own, way, n_jobs=n_jobs, callback=told, **self._settings(kind))
        if drop:
            del self.made[back]  # with one thread, the other direction needs the memory
        return way

    def _agreed(self, models: list[str], ways: Ways) -> Ways:
        n_jobs = self.schedule.n_jobs
        sides = both_ways(n_jobs, lambda back, _: self.pairs(back))
        for kind in models:
            if self.stop.is_set():
                break
            told, settings = self._told("both", kind), self._settings(kind)
            ways = train_agreement(kind, *sides, ways, n_jobs=n_jobs, callback=told, **settings)
        return ways

    def _settings(self, kind: str) -> dict[str, Any]:
        known = stage_options(kind)
        settings: dict[str, Any] = {}
        if self.schedule.learner is not None and "learner" in known:
            settings["learner"] = self.schedule.learner
        if "random_state" in known:
            settings["random_state"] = self.schedule.random_state
        return settings | dict((self.schedule.options or {}).get(kind, {}))

    def _told(self, direction: str, kind: str) -> Callable[[Report], None]:
        def told(report: Report) -> None:
            perplexity = report.numbers.get("perplexity")
            if perplexity is not None and not math.isfinite(perplexity):
                perplexity = None
            one = Pass(direction, kind, report.epoch, time.perf_counter() - self.began, perplexity)
            with self.lock:
                self.history.append(one)
                if self.callback is not None:
                    self.callback(one)
            if self.stop.is_set():
                raise KeyboardInterrupt  # the loop of a learner keeps what it has

        return told


def stage_options(kind: str) -> list[str]:
    """What can be set of a model: parameters of its stage, and of what makes its problem."""
    makers = [STAGES[kind], *([PROBLEMS[kind]] if kind in PROBLEMS else [])]
    parameters = [one for maker in makers for one in inspect.signature(maker).parameters.values()]
    named = dict.fromkeys(one.name for one in parameters if one.default is not one.empty)
    return [name for name in named if name not in ("start", "n_jobs", "callback")]
