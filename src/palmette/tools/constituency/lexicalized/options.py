"""The options of the lexicalised method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from palmette.tools.constituency.model import require_memory, require_words

OPTIONS: Mapping[str, str] = {
    "heads": "rules for head children: english, generic, or auto (by the labels) (default auto)",
    "rare": "words seen at most so often show which tags unknown words have (default 10)",
    "prune_first": "least posterior of a constituent in the first coarse pass (default 1e-4)",
    "prune_second": "least posterior of an item in the second coarse pass (default 1e-4)",
    "beam": "least weight of a head word of an item, next to its best one (default 1e-5)",
    "offset": "minimum risk: a bracket must be at least so probable (default 0.4)",
    "max_words": "sentences of more words are parsed in parts (default 150)",
    "memory": "megabytes that the search of one sentence may take; beyond it, it prunes more, then it parses the "
    "sentence in parts (default 500)",
}
_TRAINING = ("heads", "rare")


@dataclass(frozen=True)
class LexicalizedOptions:
    """What was chosen; `OPTIONS` says what each means."""

    heads: str = "auto"
    rare: int = 10
    prune_first: float = 1e-4
    prune_second: float = 1e-4
    beam: float = 1e-5
    offset: float = 0.4
    max_words: int = 150
    memory: float = 500

    def __post_init__(self) -> None:
        require_words(self.max_words)
        require_memory(self.memory)
        if self.heads not in ("auto", "english", "generic"):
            raise ValueError(
                f"The 'heads' parameter must be auto, english or generic. Got {self.heads!r} instead."
            )
        if not isinstance(self.rare, int) or isinstance(self.rare, bool) or self.rare < 0:
            raise ValueError(
                f"The 'rare' parameter must be an int in the range [0, inf). Got {self.rare!r} instead."
            )
        for name in ("prune_first", "prune_second", "beam", "offset"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1:
                raise ValueError(
                    f"The '{name}' parameter must be a number in the range [0, 1). Got {value!r} instead."
                )

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """The options of a mapping; ValueError for one that there is not."""
        for name in options:
            if name not in OPTIONS:
                raise ValueError(
                    f"The method 'lexicalized' has no option {name!r}: it has {', '.join(OPTIONS)}."
                )
        return cls(**options)

    def changed(self, options: Mapping[str, Any]) -> Self:
        """With other options of search; ValueError for those of training."""
        for name in options:
            if name not in OPTIONS or name in _TRAINING:
                searching = ", ".join(option for option in OPTIONS if option not in _TRAINING)
                raise ValueError(f"There is no option {name!r} of a trained model: it has {searching}.")
        return replace(self, **options)

    def to_dict(self) -> dict[str, Any]:
        """By name."""
        return asdict(self)
