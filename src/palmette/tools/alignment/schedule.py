"""A schedule of models: each is trained from the one before, in both directions.

Directions that do not learn to agree do not know of each other, and run side by side where there are threads. What
comes out does not depend on how many there are.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import Any, TypeAlias

from palmette._native import Bitext
from palmette.errors import UsageError
from palmette.learning.capabilities import Capabilities, check_fit
from palmette.learning.em import EM, VB
from palmette.learning.loop import Callback, History, Report
from palmette.parameters import refuse_unknown, require_bool, require_int
from palmette.tools.alignment.agreement import AGREED, train_agreement
from palmette.tools.alignment.direction import Direction
from palmette.tools.alignment.model import both_ways
from palmette.tools.alignment.sampling import ORDERS
from palmette.tools.alignment.stages import METHODS

Ways: TypeAlias = tuple[Direction | None, Direction | None]

DEFAULT_MODELS = ("model1", "hmm", "fertility")
OFFERS: Capabilities = frozenset({"expectations"})  # to learners
PRESETS = {"best": DEFAULT_MODELS, "fast": ("model1", "hmm")}
# For all models, where none is named for one: EM where directions agree, VB where they do not.
LEARNERS: tuple[EM, ...] = (
    EM(n_iter=3, tolerance=None, prior=1e-3),
    VB(n_iter=4, prior=0.01, tolerance=None, bound=False),
)


def last_passes(history: Iterable[Report]) -> list[dict[str, Any]]:
    """The last pass of each model in each direction, without the time: the same data gives the same file."""
    last = {tuple(one.where.values()): one for one in history}.values()
    return [{**one.where, "number": one.epoch, "perplexity": one.numbers.get("perplexity")} for one in last]


@dataclass(frozen=True)
class Trained:
    """Both directions, all passes, whether Ctrl-C came, and the pairs of both, if they were kept."""

    directions: tuple[Direction, Direction]
    history: tuple[Report, ...]
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
            raise UsageError("There must be at least one alignment model to train.")
        for kind in self.kinds:
            if kind not in METHODS:
                raise UsageError(f"There is no alignment model {kind!r}: there are {', '.join(METHODS)}.")
        if self.learner is not None:
            check_fit(self.learner, OFFERS, "an aligner")
        require_int("random_state", self.random_state, 0)
        require_bool("agreement", self.agreement)
        for kind, own in (self.options or {}).items():
            if kind not in self.kinds:
                raise ValueError(f"There are options of {kind!r}, which is not among the models.")
            refuse_unknown(own, self.names_of(kind), f"The model {kind!r}")
            self.settings(kind)

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
        callback: Callback | None = None,
        *,
        keep: bool = False,
    ) -> Trained:
        """Train both directions; bitext(back) makes the pairs of one, which are kept if wanted."""
        run = _Run(self, bitext, callback, keep)
        # In a thread of its own: so Ctrl-C reaches this one, which tells it to end.
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(copy_context().run, run.train)
            try:
                wait([future])
            except KeyboardInterrupt:
                run.stop.set()
        forth, back = future.result()
        if forth is None or back is None:
            raise KeyboardInterrupt  # nothing was learnt that would be worth keeping
        order = {kind: place for place, kind in enumerate(self.kinds)}
        passes = sorted(
            run.history, key=lambda one: (order[one.where["model"]], one.where["direction"] == "back")
        )
        kept = (run.pairs(False), run.pairs(True)) if keep else None
        return Trained((forth, back), History(passes), run.stop.is_set(), kept)

    def agrees(self, kind: str) -> bool:
        """Whether the directions of a model are trained together."""
        return self.agreement and kind in AGREED

    def learners(self, kind: str) -> tuple[EM, ...]:
        """What a model is trained by, one after the other, with the options of that model; none if it is sampled.

        Without a learner for all models, it is what the model has for itself.
        """
        given = dict((self.options or {}).get(kind, {}))
        usual = AGREED[kind] if self.agrees(kind) else METHODS[kind].usual_learners[:1]
        chosen = given.get("learner") or self.learner
        if not usual or chosen is None:
            found = usual
        else:
            check_fit(chosen, OFFERS, "an aligner")
            found = (chosen,)
        table = METHODS[kind].options_class.names()
        own = {name: value for name, value in given.items() if name not in (*table, "learner")}
        return tuple(
            replace(one, **{name: value for name, value in own.items() if name in one.names()})
            for one in found
        )

    def names_of(self, kind: str) -> list[str]:
        """The names of the options of a model: its own, and those of what it is trained by."""
        own = METHODS[kind].options_class.names()
        if not METHODS[kind].learners:
            return own
        usual = (self.learner,) if self.learner else (*METHODS[kind].usual_learners, *AGREED.get(kind, ()))
        return list(dict.fromkeys([*own, "learner", *(name for one in usual for name in one.names())]))

    def settings(self, kind: str) -> dict[str, Any]:
        """The options of a model from its own table, checked."""
        table = METHODS[kind].options_class
        given = (self.options or {}).get(kind, {})
        own = {name: value for name, value in given.items() if name in table.names()}
        if "random_state" in table.names():
            own = {"random_state": self.random_state, **own}
        table.of(own, f"The model {kind!r}")
        self.learners(kind)
        return own


@dataclass(eq=False)
class _Run:
    """One training."""

    schedule: Schedule
    bitext: Callable[[bool], Bitext]
    callback: Callback | None
    keep: bool
    made: dict[bool, Bitext] = field(default_factory=dict)
    stop: threading.Event = field(default_factory=threading.Event)
    history: list[Report] = field(default_factory=list)
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
            settings, learners = self.schedule.settings(kind), self.schedule.learners(kind)
            if learners:
                settings["learner"] = learners[0]
            way = METHODS[kind].train_function(own, way, n_jobs=n_jobs, callback=told, **settings)
        if drop:
            del self.made[back]  # with one thread, the other direction needs the memory
        return way

    def _agreed(self, models: list[str], ways: Ways) -> Ways:
        n_jobs = self.schedule.n_jobs
        sides = both_ways(n_jobs, lambda back, _: self.pairs(back))
        for kind in models:
            if self.stop.is_set():
                break
            told, settings = self._told("both", kind), self.schedule.settings(kind)
            learners = self.schedule.learners(kind)
            ways = train_agreement(
                kind, *sides, ways, learner=learners, n_jobs=n_jobs, callback=told, **settings
            )
        return ways

    def _told(self, direction: str, kind: str) -> Callback:
        def told(report: Report) -> None:
            numbers = {name: value for name, value in report.numbers.items() if math.isfinite(value)}
            where = {"direction": direction, "model": kind}
            with self.lock:
                seconds = time.perf_counter() - self.began
                self.history.append(replace(report, seconds=seconds, numbers=numbers, where=where))
                if self.callback is not None:
                    self.callback(self.history[-1])
            if self.stop.is_set():
                raise KeyboardInterrupt  # the loop of a learner keeps what it has

        return told
