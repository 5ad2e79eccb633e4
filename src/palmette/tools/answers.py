"""What a tool answers: a list with one answer for every input."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

T = TypeVar("T")


class Answers(list[T]):
    """A list with one answer per input, which NumPy takes as a row of objects, never as a ragged table.

    So scikit-learn can join the answers of several folds.

    >>> import numpy as np
    >>> np.concatenate([Answers([["DET", "NOUN"]]), Answers([["VERB"]])]).shape
    (2,)
    """

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        row = np.empty(len(self), dtype=object)
        for i, answer in enumerate(self):
            row[i] = answer
        return row if dtype is None else row.astype(dtype)
