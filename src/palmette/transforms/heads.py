"""Which child of a constituent is its head, by rules over labels.

A rule of a label names a direction and labels in the order of preference: the first of them that any child
has, looked for from that side, is the head; with no such child, the first child from that side. The English
table follows Collins (1999, appendix A), whose own rules for NP and coordination it keeps. Treebanks of other
languages get `generic_rules`, which count which labels hold a phrase together. O(children · labels of the
rule).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from palmette.trees.tree import Leaf, Tree

_CONJUNCTIONS = frozenset({"CC", "CONJP", "CONJ", "KON"})
PUNCTUATION = frozenset({",", ":", "``", "''", ".", "-LRB-", "-RRB-", "$,", "$.", "$("})


@dataclass(frozen=True)
class HeadRule:
    """Labels in the order of preference; rightmost: look from the right."""

    labels: tuple[str, ...] = ()
    rightmost: bool = False


@dataclass(frozen=True)
class HeadRules:
    """The rule of every label, and of the labels that have none.

    >>> ENGLISH.head("VP", ["MD", "RB", "VP"])
    0
    >>> ENGLISH.head("NP", ["NP", "CC", "NP"])
    0
    """

    rules: Mapping[str, HeadRule]
    other: HeadRule = HeadRule()
    nominal: frozenset[str] = frozenset()  # labels that have Collins' rules for noun phrases
    conjunctions: frozenset[str] = frozenset()
    _known: dict[tuple[str, ...], int] = field(default_factory=dict, repr=False, compare=False)

    def head(self, label: str, children: Sequence[str]) -> int:
        """The number of the head child of a constituent, from the labels of its children (at least one)."""
        key = (label, *children)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._found(label, children)
        return found

    def head_word(self, tree: Tree) -> Leaf:
        """The word that a tree inherits from its head child, and that from its own."""
        node: Tree | Leaf = tree
        while isinstance(node, Tree):
            below = node.children
            node = below[self.head(node.label, [_label(child) for child in below])]
        return node

    def _found(self, label: str, children: Sequence[str]) -> int:
        if len(children) == 1:
            return 0
        chosen = _nominal_head(children) if label in self.nominal else self._by_rule(label, children)
        # What is coordinated: the conjunct before the conjunction is the head.
        if chosen >= 2 and children[chosen - 1] in self.conjunctions:
            before = chosen - 2
            while before > 0 and children[before] in PUNCTUATION:
                before -= 1
            if children[before] not in PUNCTUATION:
                return before
        return chosen

    def _by_rule(self, label: str, children: Sequence[str]) -> int:
        rule = self.rules.get(label, self.other)
        order = range(len(children) - 1, -1, -1) if rule.rightmost else range(len(children))
        for name in rule.labels:
            for i in order:
                if children[i] == name:
                    return i
        return next((i for i in order if children[i] not in PUNCTUATION), order[0])


def _label(child: Tree | Leaf) -> str:
    return child.label if isinstance(child, Tree) else child.word


def _nominal_head(children: Sequence[str]) -> int:
    """Collins' rules for NP: a final possessive, the last noun, the first NP, and so on."""
    last = len(children) - 1
    while last > 0 and children[last] in PUNCTUATION:
        last -= 1
    if children[last] == "POS":
        return last
    backwards = range(last, -1, -1)
    for wanted, order in (
        ({"NN", "NNP", "NNPS", "NNS", "NX", "POS", "JJR"}, backwards),
        ({"NP", "NPB"}, range(last + 1)),
        ({"$", "ADJP", "PRN"}, backwards),
        ({"CD"}, backwards),
        ({"JJ", "JJS", "RB", "QP"}, backwards),
    ):
        for i in order:
            if children[i] in wanted:
                return i
    return last


def _rule(labels: str, *, rightmost: bool = False) -> HeadRule:
    return HeadRule(tuple(labels.split()), rightmost)


ENGLISH = HeadRules(
    {
        "ADJP": _rule("NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
        "ADVP": _rule("RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN", rightmost=True),
        "CONJP": _rule("CC RB IN", rightmost=True),
        "FRAG": HeadRule((), True),
        "INTJ": HeadRule(),
        "LST": _rule("LS :", rightmost=True),
        "NAC": _rule("NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
        "PP": _rule("IN TO VBG VBN RP FW", rightmost=True),
        "PRN": HeadRule(),
        "PRT": _rule("RP", rightmost=True),
        "QP": _rule("$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
        "RRC": _rule("VP NP ADVP ADJP PP", rightmost=True),
        "S": _rule("TO IN VP S SBAR ADJP UCP NP"),
        "SBAR": _rule("WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
        "SBARQ": _rule("SQ S SINV SBARQ FRAG"),
        "SINV": _rule("VBZ VBD VBP VB MD VP S SINV ADJP NP"),
        "SQ": _rule("VBZ VBD VBP VB MD VP SQ"),
        "UCP": HeadRule((), True),
        "VP": _rule("TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
        "WHADJP": _rule("CC WRB JJ ADJP"),
        "WHADVP": _rule("CC WRB", rightmost=True),
        "WHNP": _rule("WDT WP WP$ WHADJP WHPP WHNP"),
        "WHPP": _rule("IN TO FW", rightmost=True),
    },
    nominal=frozenset({"NP", "NPB", "NX"}),
    conjunctions=_CONJUNCTIONS,
)


def generic_rules(trees: Iterable[Tree]) -> HeadRules:
    """Rules for a treebank of which nothing is known but its trees.

    The child that a label has most often, counted once a constituent, is what it cannot do without, and so
    its head; among the rest, phrases come after tags. Coordinated phrases lean on their first conjunct.

    >>> texts = "(S (NP (D the) (N dog)) (VP (V barks)))", "(S (NP (N dogs)) (VP (V bark)))"
    >>> trees = [Tree.parse(text) for text in texts]
    >>> generic_rules(trees).head("NP", ["D", "N"])
    1
    """
    having: dict[str, Counter[str]] = {}
    total: Counter[str] = Counter()
    for tree in trees:
        for node in tree.preorder():
            if node.is_preterminal:
                continue
            total[node.label] += 1
            own = having.setdefault(node.label, Counter())
            for label in {_label(child) for child in node.children}:
                own[label] += 1
    rules = {}
    for label, own in having.items():
        ranked = sorted(own.items(), key=lambda pair: (-pair[1], pair[0]))
        names = [name for name, _ in ranked if name not in PUNCTUATION and name not in _CONJUNCTIONS]
        rules[label] = HeadRule(tuple(names))
    return HeadRules(rules, conjunctions=_CONJUNCTIONS)


def is_english(labels: Container[str]) -> bool:
    """Whether the labels are those of the Penn treebank of English."""
    return all(label in labels for label in ("NP", "VP", "PP", "NN", "IN", "DT"))
