"""A drop-in for the kenlm module: `from palmette.compat import kenlm`.

`Model`, `State`, `FullScoreReturn` and `Config` have kenlm's methods and give its numbers. Models are read from
ARPA files and from Palmette's own; KenLM's binary files are not (give the ARPA file that they were made of).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import total_ordering
from typing import Any

from palmette._native import NgramState
from palmette.errors import FormatError
from palmette.tools.lm.model import LanguageModel as _LanguageModel


class FullScoreReturn:
    """The score of a word: log_prob, ngram_length, oov."""

    __slots__ = ("log_prob", "ngram_length", "oov")

    def __init__(self, log_prob: float, ngram_length: int, oov: bool) -> None:
        self.log_prob = log_prob
        self.ngram_length = ngram_length
        self.oov = oov

    def __repr__(self) -> str:
        return f"FullScoreReturn({self.log_prob!r}, {self.ngram_length!r}, {self.oov!r})"


@total_ordering
class State:
    """A history, which a model's methods write to."""

    __slots__ = ("_state",)

    def __init__(self) -> None:
        self._state = NgramState()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._state == other._state

    def __lt__(self, other: State) -> bool:
        return self._state.words < other._state.words

    def __hash__(self) -> int:
        return hash(self._state)

    def __copy__(self) -> State:
        copied = State()
        copied._state = self._state
        return copied

    def __deepcopy__(self, memo: Any = None) -> State:
        return self.__copy__()


class LoadMethod:
    """How a file is loaded; taken and not looked at, since files are mapped."""

    LAZY, POPULATE_OR_LAZY, POPULATE_OR_READ, READ, PARALLEL_READ = range(5)


class ARPALoadComplain:
    """Which ARPA files are complained about; taken and not looked at."""

    ALL, EXPENSIVE, NONE = range(3)


class Config:
    """Options of loading; taken and not looked at."""

    def __init__(self) -> None:
        self.load_method = LoadMethod.POPULATE_OR_LAZY
        self.show_progress = True
        self.arpa_complain = ARPALoadComplain.ALL


class Model:
    """A language model with kenlm's methods."""

    def __init__(self, path: str | bytes | os.PathLike[str], config: Config | None = None) -> None:
        name = os.fsdecode(path)
        self.path = os.fsencode(os.path.abspath(name))  # noqa: PTH100  (bytes, as kenlm has it)
        try:
            self._model = _loaded(name)
        except (FormatError, OSError) as error:
            raise OSError(f"Cannot read model '{name}' ({error})") from error
        self._native = self._model._native
        self._score = self._native.score

    @property
    def order(self) -> int:
        """Words in the longest n-grams."""
        return self._model.order

    def score(self, sentence: str | bytes, bos: bool = True, eos: bool = True) -> float:
        """The log10 probability of a sentence."""
        return self._score(sentence, bos, eos)

    def perplexity(self, sentence: str | bytes) -> float:
        """The perplexity of a sentence and its end."""
        return float(10.0 ** (-self._score(sentence) / (len(sentence.split()) + 1)))

    def full_scores(
        self, sentence: str | bytes, bos: bool = True, eos: bool = True
    ) -> Iterator[tuple[float, int, bool]]:
        """For each word its log10 probability, the words of the n-gram found, and whether it is unknown."""
        return iter(self._native.full_scores(sentence, bos, eos))

    def BeginSentenceWrite(self, state: State) -> None:  # noqa: N802
        """Make a state that of the beginning of a sentence."""
        state._state = self._native.begin()

    def NullContextWrite(self, state: State) -> None:  # noqa: N802
        """Make a state that of no history."""
        state._state = NgramState()

    def BaseScore(self, in_state: State, word: str, out_state: State) -> float:  # noqa: N802
        """The log10 probability of a word after a state; out_state becomes the state with it."""
        log_prob, _, _, out_state._state = self._native.advance(in_state._state, word)
        return log_prob

    def BaseFullScore(self, in_state: State, word: str, out_state: State) -> FullScoreReturn:  # noqa: N802
        """The same with the length of the n-gram, and whether the word is unknown."""
        log_prob, length, unknown, out_state._state = self._native.advance(in_state._state, word)
        return FullScoreReturn(log_prob, length, unknown)

    def __contains__(self, word: str | bytes) -> bool:
        return self._native.find(word) != 0

    def __repr__(self) -> str:
        return f"<Model from {os.path.basename(self.path)!r}>"  # noqa: PTH119

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self.path,)


class LanguageModel(Model):
    """The old name of Model."""


def _loaded(path: str) -> _LanguageModel:
    with open(path, "rb") as file:  # noqa: PTH123
        start = file.read(16)
    # ARPA is text, or gzipped; a model file begins with the length of its header, of which the last bytes are 0.
    if len(start) >= 9 and start[4:8] == b"\0\0\0\0" and start[8:9] == b"{":
        return _LanguageModel.load(path)
    return _LanguageModel.from_arpa(path)
