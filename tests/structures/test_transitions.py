"""Transition systems, against all trees of short sentences and all sequences of actions."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from palmette.structures.transitions import SYSTEMS, State, TransitionSystem, projectivise

pytestmark = pytest.mark.native


def is_tree(heads: tuple[int, ...]) -> bool:
    if heads.count(0) != 1:
        return False
    for word in range(1, len(heads) + 1):
        for _ in heads:
            word = heads[word - 1] if word else 0
        if word:
            return False
    return True


def is_projective(heads: tuple[int, ...]) -> bool:
    arcs = [(min(h, w), max(h, w)) for w, h in enumerate(heads, 1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def trees(n: int) -> list[tuple[int, ...]]:
    return [heads for heads in product(range(n + 1), repeat=n) if is_tree(heads)]


def ends(state: State) -> set[tuple[int, ...]]:
    """All trees that can still be made."""

    @cache
    def of(stack: tuple, buffer: tuple, heads: tuple) -> frozenset:
        here = known[stack, buffer, heads]
        if here.finished:
            return frozenset([heads])
        found: set = set()
        for action in here.legal:
            after = here.apply(action)
            key = (after.stack, after.buffer, after.heads)
            known.setdefault(key, after)
            found |= of(*key)
        return frozenset(found)

    known = {(state.stack, state.buffer, state.heads): state}
    return set(of(state.stack, state.buffer, state.heads))


def test_the_sentence_of_the_lecture_notes() -> None:
    """CSC 448, §13.1: "time flies like an arrow", step by step with arc-standard."""
    words = ["ROOT", "time", "flies", "like", "an", "arrow"]
    system = TransitionSystem("arc-standard")
    actions = system.oracle([2, 0, 2, 5, 3])
    steps = []
    state = system.start(5)
    for action in actions:
        state = state.apply(action)
        steps.append((action, [words[w] for w in state.stack[1:]], [words[w] for w in state.buffer]))
    assert steps == [
        ("shift", ["time"], ["flies", "like", "an", "arrow"]),
        ("shift", ["time", "flies"], ["like", "an", "arrow"]),
        ("left-arc", ["flies"], ["like", "an", "arrow"]),
        ("shift", ["flies", "like"], ["an", "arrow"]),
        ("shift", ["flies", "like", "an"], ["arrow"]),
        ("shift", ["flies", "like", "an", "arrow"], []),
        ("left-arc", ["flies", "like", "arrow"], []),
        ("right-arc", ["flies", "like"], []),
        ("right-arc", ["flies"], []),
        ("right-arc", [], []),
    ]
    assert state.finished
    assert state.heads == (2, 0, 2, 5, 3)


@pytest.mark.parametrize("name", SYSTEMS)
def test_oracles_make_all_trees_of_up_to_five_words(name: str) -> None:
    system = TransitionSystem(name)
    for n in range(1, 6):
        for heads in trees(n):
            if name == "swap" or is_projective(heads):
                actions = system.oracle(heads)
                assert system.run(actions, n).heads == heads
                assert name == "swap" or len(actions) == 2 * n
            else:
                with pytest.raises(ValueError, match="projective"):
                    system.oracle(heads)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_sequence_ends_in_a_tree_and_all_trees_are_ends(name: str) -> None:
    for n in range(5 if name != "swap" else 4):
        want = {heads for heads in trees(n) if name == "swap" or is_projective(heads)} if n else {()}
        assert ends(TransitionSystem(name).start(n)) == want


@pytest.mark.parametrize("name", ["arc-hybrid", "arc-eager"])
def test_costs_are_the_arcs_that_get_out_of_reach(name: str) -> None:
    """The cost of an action: arcs of the best tree in reach before it, less those of the best after it.

    Arc-eager is looked at without its rule for a single root, which takes more at the end of a sentence.
    """
    rng = np.random.default_rng(1)
    for n in (2, 3, 4, 5):
        golds = [heads for heads in trees(n) if is_projective(heads)]
        for _ in range(15):
            gold = golds[rng.integers(len(golds))]
            if name == "arc-eager":
                gold = tuple(head or -1 for head in gold)
            state = TransitionSystem(name).start(n, single_root=name == "arc-hybrid")
            while not state.finished:
                before = right(state, gold)
                want = {action: before - right(state.apply(action), gold) for action in state.legal}
                assert state.costs(gold) == want
                assert min(want.values()) == 0
                state = state.apply(state.legal[rng.integers(len(state.legal))])


def right(state: State, gold: tuple[int, ...]) -> int:
    return max(sum(a == b for a, b in zip(heads, gold)) for heads in ends(state))


def test_labels_and_partial_trees() -> None:
    system = TransitionSystem("arc-eager")
    labels = ["nsubj", "root", "obj"]
    actions = system.oracle([2, 0, 2], labels)
    assert actions == ["shift", "left-arc:nsubj", "shift", "right-arc:obj", "reduce", "left-arc:root"]
    assert system.run(actions, 3).labels == tuple(labels)
    assert system.start(3).apply("shift").costs([-1, -1, -1]) == {"shift": 0, "left-arc": 0, "right-arc": 0}


def test_lifting_makes_trees_projective() -> None:
    for heads in trees(5):
        lifted = projectivise(heads)
        assert is_tree(lifted)
        assert is_projective(lifted)
        assert lifted == heads or not is_projective(heads)


def test_empty_and_short_sentences() -> None:
    for name in SYSTEMS:
        system = TransitionSystem(name)
        assert system.oracle([]) == []
        assert system.run([], 0).heads == ()
        assert system.run(system.oracle([0], ["root"]), 1).labels == ("root",)


def test_bad_input() -> None:
    system = TransitionSystem("arc-standard")
    with pytest.raises(ValueError, match="there are arc-standard"):
        TransitionSystem("arc-lazy")
    with pytest.raises(ValueError, match="Action 2: 'left-arc' cannot be done here: legal are shift"):
        system.run(["shift", "left-arc"], 2)
    with pytest.raises(ValueError, match="has no action 'reduce'"):
        system.run(["reduce"], 2)
    with pytest.raises(ValueError, match="before the tree is complete"):
        system.run(["shift"], 2)
    with pytest.raises(ValueError, match="has no label"):
        system.run(["shift:x"], 2)
    with pytest.raises(ValueError, match="not a tree"):
        system.oracle([2, 1])
    with pytest.raises(ValueError, match="not a tree"):
        system.oracle([0, 0])
    with pytest.raises(ValueError, match="not a tree"):
        system.oracle([7, 0])
    with pytest.raises(ValueError, match="dynamic oracle"):
        system.start(2).costs([2, 0])
    with pytest.raises(ValueError, match="whole numbers"):
        system.oracle([0.5])
    with pytest.raises(ValueError, match="out of range"):
        TransitionSystem("arc-eager").start(2).costs([9, 0])
