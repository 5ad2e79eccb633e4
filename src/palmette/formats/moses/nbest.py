"""Moses n-best lists: the best translations of every sentence, with the values of their features.

    0 ||| this should also be there . ||| d: 0 -7.66 lm: -41.3 tm: -67.6 -100.4 w: -9 ||| -14.6
    0 ||| this we shall be there . ||| LM0= -43.7 TranslationModel0= -62.0 -94.6 ||| -14.7 ||| 0-0 1-1

A line has the number of its sentence from 0 on, the translation, groups of features (a name that ends with `:`
or `=`, and its values), and the score; what follows is not read. A group of one value is a feature of that name, a
group of several has the features `tm.0`, `tm.1`, … All lines must have the same features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, opened, write_atomically

_EXPECTED = "expected 'number ||| translation ||| features ||| score'"


@dataclass(frozen=True, eq=False)
class MosesNBest:
    """Lists of translations: those of sentence ids[i] are texts[lists[i] : lists[i + 1]].

    features[t] are the values of translation t, by `names`; scores[t] is its score.
    """

    ids: list[int]
    lists: NDArray[np.int64]
    texts: list[str]
    features: NDArray[np.float64]
    names: tuple[str, ...]
    scores: NDArray[np.float64]


def read_moses_nbest(source: Source) -> MosesNBest:
    """Read lists from a file; FormatError with the line of what is broken.

    Lines of one sentence need not be together, so that files of several runs can be joined. Sentences are sorted
    by their numbers, and translations of one sentence keep the order of the file.
    """
    name = display_name(source)
    numbers: list[int] = []
    texts: list[str] = []
    rows: list[list[float]] = []
    scores: list[float] = []
    names: list[str] = []
    number = 0
    with opened(source) as stream:
        for number, raw in enumerate(stream, 1):
            try:
                line = raw.decode("utf-8")
                sentence, text, groups, score = _fields(line)
                own, values = _features(groups)
                if names and own != names:
                    raise ValueError(
                        f"the features are {_shown(own)}, but {_shown(names)} before: all lines must have the same"
                    )
            except UnicodeDecodeError:
                raise FormatError("this line is not UTF-8", path=name, line=number) from None
            except ValueError as error:
                raise FormatError(str(error), path=name, line=number) from None
            names = own
            numbers.append(sentence)
            texts.append(text)
            rows.append(values)
            scores.append(score)
    if not texts:
        raise FormatError("there is no translation: the file is empty", path=name)
    order = sorted(range(len(texts)), key=numbers.__getitem__)  # stable
    groups_of = [(key, len(list(run))) for key, run in groupby(numbers[k] for k in order)]
    return MosesNBest(
        [key for key, _ in groups_of],
        np.cumsum([0, *(n for _, n in groups_of)]).astype(np.int64),
        [texts[k] for k in order],
        np.array(rows, dtype=np.float64)[order],
        tuple(names),
        np.array(scores, dtype=np.float64)[order],
    )


def write_moses_nbest(nbest: MosesNBest, target: Source) -> None:
    """Write lists as `read_moses_nbest` reads them."""
    groups = feature_groups(nbest.names)
    with write_atomically(target) as file:
        for i, sentence in enumerate(nbest.ids):
            for t in range(int(nbest.lists[i]), int(nbest.lists[i + 1])):
                line = nbest_line(sentence, nbest.texts[t], groups, nbest.features[t], float(nbest.scores[t]))
                file.write(line.encode("utf-8"))


def nbest_line(
    sentence: int, text: str, groups: Sequence[tuple[str, int]], values: NDArray[np.float64], score: float
) -> str:
    """Return one line. groups: names with their numbers of values, as `feature_groups` makes them.

    >>> nbest_line(0, "a b", [("lm", 1), ("tm", 2)], np.array([-1.5, 0.25, 2.0]), -3.0)
    '0 ||| a b ||| lm= -1.5 tm= 0.25 2 ||| -3\\n'
    """
    if "|||" in text or "\n" in text:
        raise ValueError(
            f"An n-best list cannot hold the translation {text!r:.60}: it has '|||' or a line end."
        )
    words, k = [], 0
    for name, n in groups:
        words.append(f"{name}=")
        words += [f"{value:.9g}" for value in values[k : k + n].tolist()]
        k += n
    return f"{sentence} ||| {text} ||| {' '.join(words)} ||| {score:.9g}\n"


def feature_groups(names: Sequence[str]) -> list[tuple[str, int]]:
    """Return the groups of features, with their numbers of values: `tm.0 tm.1` is a group `tm` of two.

    >>> feature_groups(["d", "tm.0", "tm.1", "w"])
    [('d', 1), ('tm', 2), ('w', 1)]
    """
    found: list[tuple[str, int]] = []
    for name in names:
        stem, dot, place = name.rpartition(".")
        if dot and found and place == str(found[-1][1]) and stem == found[-1][0] and place != "0":
            found[-1] = stem, found[-1][1] + 1
        else:
            found.append((stem if dot and place == "0" and f"{stem}.1" in names else name, 1))
    for name, _ in found:
        if not name or any(c.isspace() for c in name) or name[-1] in ":=" or "|||" in name:
            raise ValueError(f"An n-best list cannot hold a feature of the name {name!r}.")
    return found


def _fields(line: str) -> tuple[int, str, str, float]:
    fields = [field.strip() for field in line.split("|||")]
    if len(fields) < 4:
        raise ValueError(f"{_EXPECTED}; got {len(fields)} field{'s' * (len(fields) != 1)}")
    if not (fields[0].isascii() and fields[0].isdecimal() and len(fields[0]) < 10):
        raise ValueError(f"expected the number of a sentence; got {fields[0][:40]!r}")
    return int(fields[0]), " ".join(fields[1].split()), fields[2], _number(fields[3], "the score")


def _features(text: str) -> tuple[list[str], list[float]]:
    groups: list[tuple[str, list[float]]] = []
    for word in text.split():
        if word[-1] in ":=" and len(word) > 1:
            groups.append((word[:-1], []))
        elif not groups:
            raise ValueError(f"expected a name of features, as in 'lm: -1.5'; got {word[:40]!r}")
        else:
            groups[-1][1].append(_number(word, f"the feature {groups[-1][0]!r}"))
    names: list[str] = []
    for name, values in groups:
        names += [name] if len(values) == 1 else [f"{name}.{k}" for k in range(len(values))]
    if not names:
        raise ValueError("there are no features")
    if len(set(names)) < len(names):
        raise ValueError(f"a feature comes twice: {_shown(names)}")
    return names, [value for _, values in groups for value in values]


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"expected a number for {what}; got {text[:40]!r}") from None
    if not np.isfinite(value):
        raise ValueError(f"{what} is {text}: values must be finite")
    return value


def _shown(names: Sequence[str]) -> str:
    return " ".join(names) or "none"
