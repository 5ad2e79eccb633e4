"""Cycles of rules A → B , … that read no source word: with them a sentence has infinitely many derivations."""

from __future__ import annotations

from collections.abc import Sequence

from palmette.grammars.synchronous.rule import SynchronousRule


def unary_cycle(rules: Sequence[SynchronousRule]) -> tuple[SynchronousRule, ...]:
    """The rules of a cycle whose source sides are one nonterminal each; none if there is no cycle. Linear."""
    steps: dict[str, list[SynchronousRule]] = {}
    for rule in rules:
        if len(rule.source) == 1 and rule.rank == 1 and rule.weight > 0:
            steps.setdefault(rule.left, []).append(rule)
    done: set[str] = set()
    for start in steps:
        path: list[SynchronousRule] = []
        on_path = {start: 0}
        waiting = [iter(steps[start])]
        while waiting:
            step = next(waiting[-1], None)
            if step is None:
                waiting.pop()
                if path:
                    gone = path.pop().nonterminals[0]
                    done.add(gone)
                    del on_path[gone]
                continue
            below = step.nonterminals[0]
            if below in on_path:
                return (*path[on_path[below] :], step)
            if below in done or below not in steps:
                continue
            path.append(step)
            on_path[below] = len(path)
            waiting.append(iter(steps[below]))
        done.add(start)
    return ()
