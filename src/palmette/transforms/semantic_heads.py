"""Which child gives a constituent its semantic head, where this is not the head child (CSC 448, §10.9).

The syntactic head of *has barked* is the auxiliary, and that of *with a fork* the preposition. The words that say
what the phrase is about, *barked* and *fork*, are heads of another child. A rule names the label of a constituent,
the label of its head child, and the label and side of the child that gives its semantic head. Without a rule, a
constituent takes the semantic head of its head child. If several children could give, the first one does, from the
head outwards, those on the left first. The English rules are for auxiliaries, prepositions, complementizers and
possessives. `generic_giving` counts which phrases the function words of a treebank cannot do without. O(children).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from palmette.transforms.heads import ENGLISH, PUNCTUATION, HeadRules
from palmette.trees.tree import Leaf, Tree

_OFTEN = 10  # how often a word of a closed class occurs on average, at least
_SHARE = 0.5  # of the constituents with a function word as head, those that have the child that gives


class Giving(NamedTuple):
    """A rule: in a constituent with this head child, a child on this side gives its semantic head."""

    label: str
    head_child: str
    child: str
    right: bool


class SemanticHeads:
    """Rules for semantic heads beside those for syntactic heads.

    >>> tree = Tree.parse("(S (NP (DT the) (NN dog)) (VP (VBZ has) (VP (VBN barked))))")
    >>> ENGLISH.head_word(tree).word, SemanticHeads(ENGLISH, ENGLISH_GIVING).word(tree).word
    ('has', 'barked')
    """

    def __init__(self, heads: HeadRules, giving: Iterable[Giving]) -> None:
        self.heads = heads
        self.giving = frozenset(giving)

    def word(self, tree: Tree) -> Leaf:
        """Return the semantic head word of a tree."""
        node = self.child(tree)
        while isinstance(node, Tree):
            node = self.child(node)
        return node

    def child(self, node: Tree) -> Tree | Leaf:
        """Return the child that gives the semantic head."""
        below = node.children
        names = [child.label if isinstance(child, Tree) else child.word for child in below]
        head = self.heads.head(node.label, names)
        first = below[head]
        if isinstance(first, Leaf) or self.word(first).position != self.heads.head_word(first).position:
            return first
        order = [*range(head - 1, -1, -1), *range(head + 1, len(names))]
        found = (i for i in order if Giving(node.label, names[head], names[i], i > head) in self.giving)
        return below[next(found, head)]


def _rules(label: str, heads: str, children: str, *, right: bool = True) -> list[Giving]:
    return [Giving(label, head, child, right) for head in heads.split() for child in children.split()]


_VERBS = "MD TO VB VBD VBN VBZ VBP VBG"
ENGLISH_GIVING: Sequence[Giving] = (
    *_rules("VP", _VERBS, "VP"),
    *_rules("S", "TO", "VP"),
    *_rules("SQ", _VERBS, "VP"),
    *_rules("SINV", _VERBS, "VP"),
    *_rules("PP", "IN TO VBG VBN RP FW JJ", "NP NX QP S SBAR VP ADJP PP UCP"),
    *_rules("WHPP", "IN TO", "WHNP"),
    *_rules("SBAR", "IN DT WHNP WHADVP WHADJP", "S SQ SINV FRAG"),
    *_rules("NP", "POS", "NN NNS NNP NNPS", right=False),
)


def semantic_rules(heads: HeadRules, trees: Sequence[Tree]) -> SemanticHeads:
    """Return the rules that go with those for syntactic heads: the English ones, or what the trees show."""
    return SemanticHeads(heads, ENGLISH_GIVING if heads is ENGLISH else generic_giving(heads, trees))


def generic_giving(heads: HeadRules, trees: Sequence[Tree]) -> list[Giving]:
    """Return rules for a treebank of which nothing is known but its trees.

    A tag is a closed class if its words occur ten times on average. The child that is on one side of such a head
    in at least half of the constituents with a label gives its semantic head; if there are several, the commonest.
    """
    words: dict[str, Counter[str]] = {}
    for tree in trees:
        for tag, word in zip(tree.tags, tree.words, strict=True):
            words.setdefault(tag, Counter())[word.lower()] += 1
    closed = {tag for tag, own in words.items() if own.total() >= _OFTEN * len(own)} - PUNCTUATION
    total: Counter[tuple[str, str]] = Counter()
    beside: dict[tuple[str, str], Counter[tuple[str, bool]]] = {}
    for tree in trees:
        for node in tree.preorder():
            if node.is_preterminal:
                continue
            names = [child.label if isinstance(child, Tree) else child.word for child in node.children]
            head = heads.head(node.label, names)
            first = node.children[head]
            if names[head] not in closed or not (isinstance(first, Tree) and first.is_preterminal):
                continue
            key = node.label, names[head]
            total[key] += 1
            own = {(name, i > head) for i, name in enumerate(names) if i != head}
            beside.setdefault(key, Counter()).update(own)
    found = []
    for key, having in beside.items():
        ranked = sorted(having.items(), key=lambda pair: (-pair[1], pair[0]))
        for (name, right), count in ranked:
            if name not in PUNCTUATION and name not in closed and name not in heads.conjunctions:
                if count >= _SHARE * total[key]:
                    found.append(Giving(*key, name, right))
                break
    return found
