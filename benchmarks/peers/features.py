"""The features that everyone gets, made by plain Python as users of the peers make them."""

from __future__ import annotations


def chunking(words: list[str], tags: list[str]) -> list[list[str]]:
    """The 19 attributes of CRF++'s chunking template; beyond the edges stand `_B-1`, `_B+1` and so on, as there.

    >>> chunking(["Time", "flies"], ["NN", "VBZ"])[0][4:7]
    ['w[2]=_B+1', 'w[-1]|w[0]=_B-1|Time', 'w[0]|w[1]=Time|flies']
    """
    w = ["_B-2", "_B-1", *words, "_B+1", "_B+2"]
    p = ["_B-2", "_B-1", *tags, "_B+1", "_B+2"]
    return [
        [
            f"w[-2]={a}",
            f"w[-1]={b}",
            f"w[0]={c}",
            f"w[1]={d}",
            f"w[2]={e}",
            f"w[-1]|w[0]={b}|{c}",
            f"w[0]|w[1]={c}|{d}",
            f"pos[-2]={q}",
            f"pos[-1]={r}",
            f"pos[0]={s}",
            f"pos[1]={t}",
            f"pos[2]={u}",
            f"pos[-2]|pos[-1]={q}|{r}",
            f"pos[-1]|pos[0]={r}|{s}",
            f"pos[0]|pos[1]={s}|{t}",
            f"pos[1]|pos[2]={t}|{u}",
            f"pos[-2]|pos[-1]|pos[0]={q}|{r}|{s}",
            f"pos[-1]|pos[0]|pos[1]={r}|{s}|{t}",
            f"pos[0]|pos[1]|pos[2]={s}|{t}|{u}",
        ]
        for a, b, c, d, e, q, r, s, t, u in zip(w, w[1:], w[2:], w[3:], w[4:], p, p[1:], p[2:], p[3:], p[4:])
    ]


Features = dict[str, str | bool | float]


def entities(words: list[str], tags: list[str]) -> list[Features]:
    """Dictionaries with the features that tutorials give a named entity tagger: a word, its neighbours, the tags.

    >>> entities(["Time", "flies"], ["NN", "VBZ"])[1]["-1:word.istitle"], entities(["Time"], ["NN"])[0]["EOS"]
    (True, True)
    """
    found = []
    for i, (word, tag) in enumerate(zip(words, tags)):
        features: Features = {
            "bias": 1.0,
            "word.lower": word.lower(),
            "word[-3:]": word[-3:],
            "word[-2:]": word[-2:],
            "word.isupper": word.isupper(),
            "word.istitle": word.istitle(),
            "word.isdigit": word.isdigit(),
            "tag": tag,
            "tag[:2]": tag[:2],
        }
        for j, edge in ((i - 1, "BOS"), (i + 1, "EOS")):
            if 0 <= j < len(words):
                word, tag = words[j], tags[j]
                features |= {
                    f"{j - i:+}:word.lower": word.lower(),
                    f"{j - i:+}:word.istitle": word.istitle(),
                    f"{j - i:+}:word.isupper": word.isupper(),
                    f"{j - i:+}:tag": tag,
                    f"{j - i:+}:tag[:2]": tag[:2],
                }
            else:
                features[edge] = True
        found.append(features)
    return found
