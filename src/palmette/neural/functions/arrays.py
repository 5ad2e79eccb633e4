"""Tensors as arrays of the native core and back, and what every batch is checked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from palmette.errors import numbered

Reals = npt.NDArray[Any]  # float32 or float64
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Tensor = Any  # torch.Tensor; torch has no types here


class NotFiniteError(ValueError):
    """Scores that are NaN or infinite where they must be numbers."""


def array_of(tensor: Tensor) -> Reals:
    """Return the values on the CPU: float64 as it is, all other types as float32."""
    dtype = torch.float64 if tensor.dtype == torch.float64 else torch.float32
    found: Reals = tensor.detach().to("cpu", dtype).contiguous().numpy()
    return found


def tensor_like(array: Reals, tensor: Tensor) -> Tensor:
    """Return the array as a tensor with the type and the device of another one."""
    return torch.from_numpy(array).to(device=tensor.device, dtype=tensor.dtype)


def checked_scores(tensor: Tensor, name: str, shape: tuple[int | None, ...]) -> Tensor:
    """Return a tensor of floating-point numbers of this shape; None is any size."""
    if not isinstance(tensor, torch.Tensor) or not tensor.dtype.is_floating_point:
        raise ValueError(f"{name} must be a tensor of floating-point numbers")
    have = tuple(tensor.shape)
    if len(have) != len(shape) or any(want not in (None, size) for want, size in zip(shape, have)):
        wanted = " × ".join("any" if size is None else str(size) for size in shape)
        raise ValueError(f"{name} must have the shape {wanted}, got {' × '.join(map(str, have)) or '()'}")
    return tensor


def checked_lengths(lengths: Any, n: int | None = None, what: str = "tokens") -> Ints:
    """Return the sizes of sentences; they must add up to n."""
    given = lengths.detach().cpu().numpy() if isinstance(lengths, torch.Tensor) else np.asarray(lengths)
    if given.ndim != 1 or (len(given) and given.dtype.kind not in "iu"):
        raise ValueError("lengths must be a one-dimensional list of integers, one for every sentence")
    counts = np.ascontiguousarray(given, dtype=np.int64)
    if len(counts) and counts.min() < 0:
        raise ValueError(f"{numbered(int(counts.argmin()))}: a length must not be negative")
    if n is not None and counts.sum() != n:
        raise ValueError(f"lengths must add up to the {n} {what} that have scores; got {counts.sum()}")
    return counts


def checked_integers(values: Any, name: str, n: int, most: int | Ints) -> Ints:
    """Return n integers between 0 and `most`."""
    given = values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else np.asarray(values)
    if given.shape != (n,) or (n and given.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be {n} integers, one for each token; got the shape {given.shape}")
    numbers = np.ascontiguousarray(given, dtype=np.int64)
    wrong = np.flatnonzero((numbers < 0) | (numbers > most))
    if len(wrong):
        at = int(wrong[0])
        limit = int(np.broadcast_to(most, numbers.shape)[at])
        raise ValueError(
            f"{name} must lie between 0 and {limit}; {numbered(at, 'token')} has {int(numbers[at])}"
        )
    return numbers


def check_finite(arrays: Sequence[Reals], names: Sequence[str]) -> None:
    """Raise NotFiniteError for NaN and +inf."""
    for array, name in zip(arrays, names):
        if array.size and not np.max(array) < np.inf:
            kind = "NaN" if np.isnan(array).any() else "+inf"
            raise NotFiniteError(
                f"{name} must be finite, or -inf where a part is forbidden; got {kind}: "
                "if this happens in training, lower the learning rate or clip gradients"
            )
