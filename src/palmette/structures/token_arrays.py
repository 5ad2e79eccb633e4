"""Sentences as the problems of arcs, transitions and anchored rules read them: what each token looks like."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Arrays = tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint64]]


class Tokens(Protocol):
    """The tokens of sentences, as `palmette.features.token_views.TokenViews` has them.

    offsets: where sentences begin, and the end; values: the hashes of every token, view by view; pieces: further
    hashes of token t, pieces[piece_rows[t] : piece_rows[t + 1]].
    """

    @property
    def offsets(self) -> NDArray[np.int64]: ...

    @property
    def values(self) -> NDArray[np.uint64]: ...

    @property
    def piece_rows(self) -> NDArray[np.int64]: ...

    @property
    def pieces(self) -> NDArray[np.uint64]: ...


def arrays_of(tokens: Tokens) -> Arrays:
    """Return the arrays as the core takes them."""
    return tokens.offsets, tokens.values, tokens.piece_rows, tokens.pieces


def unknown(tokens: Tokens) -> NDArray[np.int32]:
    """Return -1 for every token: nothing is known of its head or label."""
    return np.full(int(tokens.offsets[-1]), -1, dtype=np.int32)
