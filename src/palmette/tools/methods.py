"""The methods of a tool: several algorithms for the same job, by the names that `--method` takes.

A method is one entry in the table of its tool. Its parts are named as `module:name`, and imported when they are
first wanted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from palmette.errors import UsageError
from palmette.learning.capabilities import SUMS, Capabilities

if TYPE_CHECKING:
    from palmette.parameters import Options


@dataclass(frozen=True, kw_only=True)
class Method:
    """One algorithm, and where its parts are.

    train: the function that trains; model: the class of its models; options: the table of its options. preset:
    options that the name of the method means. learners: a tuple of learners with the settings that suit the
    method, the default first; empty for a method that counts. learner: the name of the default, if it is another
    one. plan: a function that decides what depends on the data. offers: a function of the options that returns
    what learners may ask of the method; empty for all that a search and sums can offer. dev: what it chooses on a
    dev set, empty if it chooses nothing. gaps: whether it learns discontinuous trees. trees: of which sentences,
    "source" or "target", it needs trees beside the text. shared: whether a method without learners lets the
    workers of a cluster share its work.
    """

    summary: str
    train: str
    model: str
    options: str
    preset: Mapping[str, Any] = field(default_factory=dict)
    learners: str = ""
    learner: str = ""
    plan: str = ""
    offers: str = ""
    dev: str = ""
    gaps: bool = False
    trees: str = ""
    shared: bool = False

    @property
    def train_function(self) -> Any:
        """The function that trains."""
        return _imported(self.train)

    @property
    def model_class(self) -> Any:
        """The class of its models."""
        return _imported(self.model)

    @property
    def options_class(self) -> type[Options]:
        """The table of its options."""
        found: type[Options] = _imported(self.options)
        return found

    @property
    def plan_function(self) -> Any:
        """The function that decides what depends on the data."""
        return _imported(self.plan)

    @property
    def usual_learners(self) -> tuple[Any, ...]:
        """The learners for which the method has settings of its own, its default first; none if it counts."""
        from palmette.learning.registry import learner_class

        if not self.learners:
            return ()
        found: tuple[Any, ...] = _imported(self.learners)
        if not self.learner:
            return found
        first = learner_class(self.learner)
        return tuple(sorted(found, key=lambda one: type(one) is not first))

    def offers_with(self, options: Mapping[str, Any]) -> Capabilities:
        """Return what learners may ask of the method with these options."""
        found: Capabilities = _imported(self.offers)(options) if self.offers else SUMS
        return found


class Methods(dict[str, Method]):
    """The methods of a tool by name."""

    def named(self, name: str) -> Method:
        """Return the method of a name; ValueError with the nearest name, and all of them."""
        if name not in self:
            close = get_close_matches(str(name), self, 1)
            hint = f"did you mean {close[0]!r}? There" if close else "there"
            raise UsageError(f"no method {name!r}: {hint} are {', '.join(self)}.")
        return self[name]

    @property
    def learning(self) -> list[str]:
        """The names of the methods that have a learner."""
        return [name for name, method in self.items() if method.learners]


def _imported(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
