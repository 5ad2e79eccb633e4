"""The features of the usual tutorial for named entities, as users of sklearn-crfsuite write them."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

Token = tuple[str, str, str]


def read(path: Path, most: int) -> list[list[Token]]:
    """The first sentences of a file of lines `word tag label`."""
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as lines
    ):
        sentences: list[list[Token]] = [[]]
        for line in lines:
            if line.strip():
                word, tag, label = line.split()
                sentences[-1].append((word, tag, label))
            elif len(sentences) == most:
                break
            elif sentences[-1]:
                sentences.append([])
    return [sentence for sentence in sentences if sentence]


def word2features(sentence: list[Token], i: int) -> dict[str, Any]:
    word, tag, _ = sentence[i]
    features = {
        "bias": 1.0,
        "lower": word.lower(),
        "last3": word[-3:],
        "last2": word[-2:],
        "upper": word.isupper(),
        "title": word.istitle(),
        "digit": word.isdigit(),
        "tag": tag,
        "tag2": tag[:2],
    }
    for step, edge in ((-1, "BOS"), (1, "EOS")):
        if 0 <= i + step < len(sentence):
            other, other_tag, _ = sentence[i + step]
            features |= {
                f"{step:+}:lower": other.lower(),
                f"{step:+}:title": other.istitle(),
                f"{step:+}:upper": other.isupper(),
                f"{step:+}:tag": other_tag,
                f"{step:+}:tag2": other_tag[:2],
            }
        else:
            features[edge] = True
    return features


def sent2features(sentence: list[Token]) -> list[dict[str, Any]]:
    return [word2features(sentence, i) for i in range(len(sentence))]


def sent2labels(sentence: list[Token]) -> list[str]:
    return [label for _, _, label in sentence]
