"""Why a transition-based parser gave a token its head: two sequences of moves, and what features give each more.

The margin is the difference of the two trees' scores, as `kbest` gives them. With a beam the score is the sum of
the scores of all moves, and the contributions are those of all steps after the two sequences part. A greedy parser
scores a tree by what its moves lose against the best move at each step, and its own tree loses nothing: so the
margin is what the rival loses, and the contributions come from the steps in which it leaves the best move.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from palmette._native import transition_oracle, transition_slots, transition_templates
from palmette.features.token_views import TokenViews
from palmette.tools.dependency.model import FeatureUse, HeadChoice, Int32

if TYPE_CHECKING:
    from palmette.tools.dependency.transition.model import TransitionModel

_VIEWS = {
    "w": "word",
    "l": "lemma",
    "t": "upos",
    "x": "xpos",
    "f": "feats",
    "m": "feats",
    "e2": "end2",
    "e3": "end3",
}
_VIEWS |= {"p3": "start3", "sh": "shape", "c": "cluster", "r": "label", "vl": "lefts", "vr": "rights"}
_VIEWS |= {"sl": "leftlabels", "sr": "rightlabels"}
_SLOTS = transition_slots()
_RIVALS = 8  # the beam in which rivals of a greedy parser's tree are searched


# A move, the best move there, the rows of its features, their templates, and the words in the slots.
Step: TypeAlias = tuple[int, int, list[int], list[int], list[int]]


class Way(NamedTuple):
    """A tree and the steps to it."""

    heads: Int32
    labels: Int32
    score: float
    steps: list[Step]


def explain_head(
    model: TransitionModel, views: TokenViews, sentence: int, token: int, rival_head: int | None
) -> HeadChoice:
    """The tree found against the best with another head of a token, or with the asked one."""
    n = int(views.offsets[sentence + 1] - views.offsets[sentence])
    if not 1 <= token <= n:
        raise ValueError(f"Sentence {sentence + 1} has {n} words. Got the token {token}.")
    best = _way(model, views, sentence, None)
    head, label = int(best.heads[token - 1]), int(best.labels[token - 1])
    if rival_head is not None and (not 0 <= rival_head <= n or rival_head in (token, head)):
        raise ValueError(f"Token {token} has the head {head}, and its rival cannot be {rival_head}.")
    heads = range(n + 1) if rival_head is None else (rival_head,)
    found = [_rival(model, views, sentence, best, token, h) for h in heads if h not in (token, head)]
    rivals = [way for way in found if way is not None]
    if not rivals:
        return HeadChoice(head, label, None, None, math.inf)
    explained = [(way, tuple(_contributions(model, best, way))) for way in rivals]
    margins = [math.fsum(part.amount for part in parts) for _, parts in explained]
    margin = min(margins)
    rival, parts = explained[margins.index(margin)]
    return HeadChoice(head, label, int(rival.heads[token - 1]), int(rival.labels[token - 1]), margin, parts)


def _way(
    model: TransitionModel,
    views: TokenViews,
    sentence: int,
    known: Int32 | None,
    kinds: list[int] | None = None,
) -> Way:
    arrays = (views.offsets, views.values, views.piece_rows, views.pieces)
    beam = model.options.beam
    # A greedy parser's own tree is the first of any beam that counts losses; a wider one finds better rivals.
    width = _RIVALS if beam == 1 else beam
    return Way(*model.core.trace(*arrays, sentence, width, known, kinds, beam == 1))


def _rival(
    model: TransitionModel, views: TokenViews, sentence: int, best: Way, token: int, head: int
) -> Way | None:
    if model.options.system in ("arc-eager", "arc-hybrid"):
        known = np.full(len(best.heads), -1, dtype=np.int32)
        known[token - 1] = head
        way = _way(model, views, sentence, known)
        return way if way.heads[token - 1] == head else None
    changed = best.heads.copy()
    changed[token - 1] = head
    if not _is_tree(changed.tolist()):
        return None
    kinds = transition_oracle(model.options.system, changed)
    return None if kinds is None else _way(model, views, sentence, None, kinds)


def _is_tree(heads: list[int]) -> bool:
    if heads.count(0) != 1:
        return False
    for word in range(1, len(heads) + 1):
        for _ in heads:
            if word == 0:
                break
            word = heads[word - 1]
        if word:
            return False
    return True


def _contributions(model: TransitionModel, best: Way, rival: Way) -> Iterator[FeatureUse]:
    from palmette.tools.dependency.transition.options import move_stride

    table = model.move_table.reshape(-1, move_stride(model.groups))
    templates = transition_templates(model.options.system)[0]
    amounts: defaultdict[tuple[str, tuple[tuple[str, int], ...]], list[float]] = defaultdict(list)
    for sign, move, (_, _, rows, sources, words) in _moves(best, rival, greedy=model.options.beam == 1):
        at = dict(zip(_SLOTS, words))
        for row, source in zip(rows, sources):
            value = sign * float(table[row, move]) * model.move_unit
            if value:
                name, slots = _name(templates[source])
                amounts[name, tuple((slot, at[slot]) for slot in slots)].append(value)
    for (name, tokens), values in amounts.items():
        yield FeatureUse(name, math.fsum(values), {slot: word for slot, word in tokens if word >= 0})


def _moves(best: Way, rival: Way, *, greedy: bool) -> Iterator[tuple[int, int, Step]]:
    """The moves whose scores add up to the margin: a sign, the move, and the step it is in."""
    if greedy:
        for step in rival.steps:
            if step[0] != step[1]:
                yield from ((1, step[1], step), (-1, step[0], step))
        return
    same = 0
    for a, b in zip(best.steps, rival.steps):
        if a[0] != b[0]:
            break
        same += 1
    for way, sign in ((best, 1), (rival, -1)):
        yield from ((sign, step[0], step) for step in way.steps[same:])


def _name(template: str) -> tuple[str, tuple[str, ...]]:
    """The template with the views in full, and the slots in it."""
    atoms, slots = [], []
    for atom in template.split():
        slot, dot, view = atom.partition(".")
        atoms.append(
            f"{slot}.{_VIEWS[view]}" if dot else {"d0": "distance(s0,n0)", "d1": "distance(s1,s0)"}[atom]
        )
        if dot and slot not in slots:
            slots.append(slot)
    return " ".join(atoms), tuple(slots)
