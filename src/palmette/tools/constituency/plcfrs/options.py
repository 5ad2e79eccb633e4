"""The options of the method `plcfrs`: of its grammar, and of its search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from palmette.tools.constituency.model import require_words
from palmette.tools.constituency.plcfrs.punctuation import MODES

_MOST_WORDS = 256  # of the native parser
_MOST_EDGES = 5_000_000  # which take some 500 MB

OPTIONS: dict[str, str] = {
    "horizontal": "siblings that a made node remembers (0)",
    "vertical": "1 is the bare label, 2 adds the parent's, and so on (1)",
    "tags": "write the parent's label behind tags (false)",
    "punctuation": f"what becomes of it while parsing: {', '.join(MODES)} (remove)",
    "rounds": "how often states are split in two; 0 is the plain grammar (4)",
    "grammars": "how many grammars multiply their posteriors (4)",
    "smoothing": "how far a state's rules are moved towards the mean of its symbol (0.01)",
    "segment_threshold": "segments of the split grammar expected less often are left out (0.0001)",
    "item_threshold": "items of the plain grammar less probable are left out (0.0001)",
    "max_edges": "the most edges of the forest; above it, pruning is tightened and a note says so (200000)",
    "max_words": "sentences of more words are parsed in parts; 256 at most (100, fewer for a large grammar)",
}


@dataclass(frozen=True)
class SearchOptions:
    """How much of the forest is looked at."""

    segment_threshold: float = 1e-4
    item_threshold: float = 1e-4
    max_edges: int = 200_000
    max_words: int = 100

    def with_options(self, options: Mapping[str, Any]) -> SearchOptions:
        """With other values; ValueError for an option that search has not, or a value out of range."""
        own = {field.name for field in fields(self)}
        for name, value in options.items():
            if name not in own:
                raise ValueError(
                    f"The method 'plcfrs' has no option of search {name!r}: there are {', '.join(sorted(own))}."
                )
            if name == "max_edges":
                check_int(name, value, 1)
                if value > _MOST_EDGES:
                    raise ValueError(
                        f"The 'max_edges' option must be at most {_MOST_EDGES:,}. Got {value:,}."
                    )
            elif name == "max_words":
                require_words(value, _MOST_WORDS)
            else:
                check_number(name, value, 0.0, 1.0)
        return replace(self, **options)

    @property
    def arguments(self) -> dict[str, Any]:
        """What the native parser takes."""
        names = ("segment_threshold", "item_threshold", "max_edges")
        return {name: getattr(self, name) for name in names} | {"exact": False}

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


@dataclass(frozen=True)
class GrammarOptions:
    """How the grammar is made."""

    horizontal: int = 0
    vertical: int = 1
    tags: bool = False
    punctuation: str = "remove"
    rounds: int = 4
    grammars: int = 4
    smoothing: float = 0.01

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> tuple[GrammarOptions, SearchOptions]:
        """Of a method's options; ValueError for one that it has not."""
        for name in options:
            if name not in OPTIONS:
                raise ValueError(
                    f"The method 'plcfrs' has no option {name!r}: there are {', '.join(OPTIONS)}."
                )
        own = {field.name for field in fields(cls)}
        made = cls(**{name: value for name, value in options.items() if name in own})
        for name, least in (("horizontal", 0), ("vertical", 1), ("rounds", 0), ("grammars", 1)):
            check_int(name, getattr(made, name), least)
        check_number("smoothing", made.smoothing, 0.0, 1.0)
        if not isinstance(made.tags, bool):
            raise ValueError(f"The 'tags' option must be true or false. Got {made.tags!r} instead.")
        if made.punctuation not in MODES:
            raise ValueError(
                f"The 'punctuation' option must be one of {', '.join(MODES)}. Got {made.punctuation!r} instead."
            )
        return made, SearchOptions().with_options({n: v for n, v in options.items() if n not in own})


def check_int(name: str, value: Any, least: int) -> None:
    """ValueError unless the value is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(
            f"The {name!r} option must be an int in the range [{least}, inf). Got {value!r} instead."
        )


def check_number(name: str, value: Any, low: float, high: float) -> None:
    """ValueError unless the value is a number between two others."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(
            f"The {name!r} option must be a number in the range [{low:g}, {high:g}]. Got {value!r} instead."
        )
