"""conlleval once more, token by token: the oracle for span scores, with none of the library's arrays."""

from __future__ import annotations

from collections import Counter


def _parts(label):
    tag, _, kind = label.partition("-")
    return {"L": "E", "U": "S"}.get(tag, tag), kind


def ends(before, after):
    """Whether a chunk ends between two labels: the rules of the evaluation script, one by one."""
    (tag1, kind1), (tag2, kind2) = _parts(before), _parts(after)
    if tag1 in "ES":
        return True
    if (tag1, tag2) in {("B", "B"), ("B", "S"), ("B", "O"), ("I", "B"), ("I", "S"), ("I", "O")}:
        return True
    return tag1 != "O" and kind1 != kind2


def starts(before, after):
    """Whether a chunk begins with the second of two labels."""
    (tag1, kind1), (tag2, kind2) = _parts(before), _parts(after)
    if tag2 in "BS":
        return True
    if (tag1, tag2) in {("E", "E"), ("E", "I"), ("S", "E"), ("S", "I"), ("O", "E"), ("O", "I")}:
        return True
    return tag2 != "O" and kind1 != kind2


def chunks(labels):
    """The chunks of one sentence, by walking over it."""
    found, open_at, before = [], None, "O"
    for i, label in enumerate([*labels, "O"]):
        if ends(before, label) and open_at is not None:
            found.append((open_at, i, _parts(before)[1]))
            open_at = None
        if starts(before, label):
            open_at = i
        before = label
    return found


def count(gold, guess):
    """Counters of gold, guessed and correct chunks by type, in the script's one pass over both sides."""
    n_gold, n_guess, n_right = Counter(), Counter(), Counter()
    for g_sentence, h_sentence in zip(gold, guess):
        inside, g_last, h_last = False, "O", "O"
        for g, h in zip([*g_sentence, "O"], [*h_sentence, "O"]):
            if inside:
                g_end, h_end = ends(g_last, g), ends(h_last, h)
                if g_end and h_end:
                    inside = False
                    n_right[_parts(g_last)[1]] += 1
                elif g_end != h_end or _parts(g)[1] != _parts(h)[1]:
                    inside = False
            g_start, h_start = starts(g_last, g), starts(h_last, h)
            if g_start and h_start and _parts(g)[1] == _parts(h)[1]:
                inside = True
            n_gold[_parts(g)[1]] += g_start
            n_guess[_parts(h)[1]] += h_start
            g_last, h_last = g, h
    return +n_gold, +n_guess, +n_right
