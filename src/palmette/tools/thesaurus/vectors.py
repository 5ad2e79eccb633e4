"""Dense vectors of words: truncated singular value decompositions of a table of information.

M ≈ U Σ Vᵀ with the d largest singular values; the vector of a word is its row of U Σ^p. Words nearby and relations
of trees have a table each: their vectors get length 1 and are put side by side, those of relations with a weight.
Files: `.npz` with `words` and `vectors`, or text as word2vec has it, which other tools read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.errors import UsageError
from palmette.formats.files import Source, write_atomically
from palmette.tools.thesaurus.information import InformationTable
from palmette.tools.thesaurus.triples import NEAR

Vectors = NDArray[np.float32]


def dense_vectors(table: InformationTable, dimensions: int, power: float, weight: float) -> Vectors:
    """Return a vector for every row, of the given dimensions for each kind of context.

    weight: of relations of trees, beside words nearby. There are fewer dimensions where the table has fewer rows
    or contexts. The sign of every dimension is chosen so that its largest entry is positive.
    """
    from scipy.sparse import csr_matrix

    shape = (table.n_rows, len(table.context_words))
    matrix = csr_matrix((table.values.astype(np.float64), table.columns, table.starts), shape=shape)
    near = np.array([relation == NEAR for relation in table.relations], dtype=bool)[table.context_relations]
    parts = [(matrix[:, np.flatnonzero(chosen)], scale) for chosen, scale in ((near, 1.0), (~near, weight))]
    found = [(_reduced(part, dimensions, power), scale) for part, scale in parts if min(part.shape)]
    if len(found) == 1:
        return found[0][0]
    return np.hstack([unit_rows(vectors) * np.float32(scale) for vectors, scale in found])


def _reduced(matrix: Any, dimensions: int, power: float) -> Vectors:
    """Return U Σ^p of a matrix, with at most the given dimensions."""
    from scipy.sparse.linalg import svds

    shape = matrix.shape
    k = min(dimensions, min(shape))
    if k < min(shape) - 1:
        start = np.ones(min(shape)) / np.sqrt(min(shape))
        # Ratios of vectors need no more digits.
        u, s, _ = svds(matrix, k=k, v0=start, tol=1e-2, return_singular_vectors="u")
        u, s = u[:, ::-1].copy(), s[::-1]
    else:
        u, s, _ = np.linalg.svd(matrix.toarray(), full_matrices=False)
        u, s = u[:, :k], s[:k]
    u[np.diff(matrix.indptr) == 0] = 0  # exactly, so that they are not scaled to length 1
    sign = np.sign(u[np.abs(u).argmax(axis=0), np.arange(k)])
    return np.ascontiguousarray(u * sign * s**power, dtype=np.float32)


def unit_rows(vectors: Vectors) -> Vectors:
    """Return the vectors with length 1; a zero vector stays zero."""
    norms = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    return np.asarray(vectors / np.where(norms > 0, norms, 1), dtype=np.float32)


def write_vectors(words: Sequence[str], vectors: Vectors, target: Source) -> None:
    """Write vectors: `.npz` (arrays `words` and `vectors`), or `.txt` or `.vec` (text); also gzipped."""
    name = str(target)
    plain = name.removesuffix(".gz")
    if not name.endswith(".npz") and not plain.endswith((".txt", ".vec")):
        raise UsageError(f"{name}: the name of a file of vectors must end in .npz, .txt or .vec")
    with write_atomically(target) as file:
        if name.endswith(".npz"):
            np.savez(file, words=np.array(list(words), dtype=str), vectors=vectors)
            return
        file.writelines(text_lines(words, vectors))


def text_lines(words: Sequence[str], vectors: Vectors) -> Iterator[bytes]:
    """Yield vectors as word2vec writes them: their number and dimensions, then a line for each.

    >>> list(text_lines(["a b"], np.array([[0.5, 1]], dtype=np.float32)))
    [b'1 2\\n', b'a_b 0.5 1\\n']
    """
    yield f"{len(words)} {vectors.shape[1]}\n".encode()
    for word, row in zip(words, vectors.tolist()):
        yield f"{word.replace(' ', '_')} {' '.join(f'{x:.6g}' for x in row)}\n".encode()
