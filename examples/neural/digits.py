"""Label sequences of frames of real numbers: a stack of Boltzmann machines, then a chain of labels above it.

A frame is one row of a picture of a handwritten digit (scikit-learn's, 8 × 8); a sequence is three to six digits
below each other; the label of a row is the digit that it belongs to. A row alone says little; its neighbours
and the order of labels say the rest. Training without labels first does not help with pictures as small as these:
what helps is the context. Run it with `python digits.py`; it needs torch and scikit-learn.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from palmette.neural import FrameTagger


def sequences(
    images: np.ndarray, digits: np.ndarray, n: int, seed: int
) -> tuple[list[np.ndarray], list[list[str]]]:
    """Return frames and labels of n sequences of these pictures."""
    random = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        chosen = random.integers(0, len(images), random.integers(3, 7))
        X.append(np.concatenate([images[k] for k in chosen]))
        y.append([str(digits[k]) for k in chosen for _ in range(8)])
    return X, y


def main(n: int = 150, n_iter: int = 15) -> None:
    """Train on n sequences, with three sets of options, and print how many rows of others are right."""
    data = load_digits()
    half = len(data.images) // 2
    train = sequences(data.images[:half], data.target[:half], n, seed=0)
    test = sequences(data.images[half:], data.target[half:], 100, seed=1)
    for name, options in {
        "a row alone": {"context": 0},
        "three rows to both sides": {"context": 3},
        "the same without pretraining": {"context": 3, "pretraining": 0},
    }.items():
        tagger = FrameTagger(layers=(100, 50), n_iter=n_iter, **options).fit(*train)
        print(f"{name}: {tagger.score(*test):.1%} of the rows have the right label")


if __name__ == "__main__":
    main()
