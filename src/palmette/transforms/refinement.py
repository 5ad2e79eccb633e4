"""Labels that say more than a treebank's: base noun phrases, possessives, sentences without a subject.

    (NP (DT the) (NN dog))  is an  NP~base,   (S (VP to go))  an  S~bare

Such a phrase has its own way to expand and its own places, so a grammar is better off with a label
for it (Collins 1999; Klein & Manning 2003). The name depends on the children's labels alone; what follows `~`
is cut off to undo it. O(children).
"""

from __future__ import annotations

from collections.abc import Sequence

REFINED = "~"  # between a label and what was added to it


def refined(label: str, children: Sequence[str]) -> str:
    """The refined label of a constituent, from its own label and those of its children.

    >>> refined("NP", ["DT", "NN"]), refined("NP", ["NP", "PP"]), refined("S", ["VP"])
    ('NP~base', 'NP', 'S~bare')
    """
    if label == "NP":
        if children[-1] == "POS":
            return "NP~possessive"
        if "NP" not in children and "NX" not in children:
            return "NP~base"
    elif label == "S" and "NP" not in children and "S" not in children:
        return "S~bare"
    return label


def plain(label: str) -> str:
    """A label without what `refined` added to it."""
    end = label.find(REFINED, 1)
    return label if end < 0 else label[:end]
