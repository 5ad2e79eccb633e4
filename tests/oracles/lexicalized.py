"""The lexicalised model by its definition: every step of a tree, and chains of dictionaries that back off."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import log
from typing import Any

from palmette.tools.constituency.lexicalized.chains import _KNOWN, _LOOKS, _SMOOTHING, DECISIONS, texts
from palmette.tools.constituency.lexicalized.words import Words
from palmette.transforms.heads import HeadRules
from palmette.transforms.refinement import refined
from palmette.transforms.semantic_heads import SemanticHeads
from palmette.trees.tree import Leaf, Tree

Step = tuple[str, dict[str, Any], Any]  # decision, variables, outcome
JOINS = {"CC": 1, "CONJP": 1, ",": 2, ":": 2}


class Chain:
    """Counts by context, level by level."""

    def __init__(self, levels: Sequence[tuple[str, ...]], discount: float, strength: float) -> None:
        self.levels, self.discount, self.strength = levels, discount, strength
        self.counts: list[dict[Any, Counter[Any]]] = [defaultdict(Counter) for _ in levels]

    def contexts(self, variables: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
        context: tuple[Any, ...] = ()
        for names in self.levels:
            context += tuple(variables[name] for name in names)
            yield context

    def add(self, variables: dict[str, Any], outcome: Any) -> None:
        for table, context in zip(self.counts, self.contexts(variables), strict=True):
            table[context][outcome] += 1

    def probability(self, variables: dict[str, Any], outcome: Any, base: float) -> float:
        p = base
        for table, context in zip(self.counts, self.contexts(variables), strict=True):
            if context not in table:
                return p
            own = table[context]
            kept = max(own[outcome] - self.discount, 0)
            p = (kept + (self.strength + self.discount * len(+own)) * p) / (own.total() + self.strength)
        return p


class SlowModel:
    """Trained on trees; `score` is the log-probability of a tree, its words' own probabilities left out."""

    def __init__(
        self, trees: Sequence[Tree], rules: HeadRules, rare: int, semantic: SemanticHeads | None = None
    ) -> None:
        self.rules = rules
        self.semantic = semantic
        self.words = Words.of([tree.words for tree in trees])
        self.chains = {
            decision: [
                Chain([tuple(level.split("+")) for level in text.split()], *_SMOOTHING[decision])
                for text in texts(decision, two_heads=semantic is not None)
            ]
            for decision in DECISIONS
        }
        labels = {node.label for tree in trees for node in tree.preorder()}
        labels |= {
            refined(n.label, [c.label for c in n])
            for t in trees
            for n in t.preorder()
            if not n.is_preterminal
        }
        self.n_labels = len(labels)
        self.word_counts, self.tag_counts = Counter[str](), Counter[str]()
        tagged = []
        for tree in trees:
            for step in self.steps(tree):
                for chain in self.chains[step[0]]:
                    chain.add(step[1], step[2])
            for position, (word, tag) in enumerate(zip(tree.words, tree.tags, strict=True)):
                known, looks = self._word(word, position), self._looks(word, position)
                self.word_counts[known] += 1
                self.tag_counts[tag] += 1
                tagged.append((known, looks, tag))
        self.looks = Chain([(str(i),) for i in range(4)], *_LOOKS)
        self.known = Chain([("W",)], *_KNOWN)
        for known, looks, tag in tagged:
            self.known.add({"W": known}, tag)
            if self.word_counts[known] <= rare:
                self.looks.add(looks, tag)

    def score(self, tree: Tree) -> float:
        return sum(log(self.probability(step, tree)) for step in self.steps(tree))

    def probability(self, step: Step, tree: Tree) -> float:
        decision, variables, outcome = step
        chains = self.chains[decision]
        if decision not in ("word", "semantic"):
            base = 1 / (self.n_labels + (2 if decision == "head" else 1))
            return sum(chain.probability(variables, outcome, base) for chain in chains) / len(chains)
        tag, tokens = variables["TY"], self.tag_counts.total()
        share = self.looks.probability(variables["looks"], tag, self.tag_counts[tag] / tokens)
        share = self.known.probability({"W": outcome}, tag, share)
        word = self.word_counts[outcome] / tokens
        base = share / (self.tag_counts[tag] / tokens) * word
        return sum(chain.probability(variables, outcome, base) for chain in chains) / len(chains) / word

    def _word(self, word: str, position: int) -> str:
        return self.words._known_as(word, position == 0)

    def _looks(self, word: str, position: int) -> dict[str, str]:
        return {str(i): look for i, look in enumerate(self.words._looks(word, position == 0))}

    def steps(self, tree: Tree) -> list[Step]:
        found: list[Step] = []
        nothing = dict.fromkeys(("X", "P", "M", "P1", "P2", "T", "W", "S", "REL", "OUT", "MADE"), "")
        tags = tree.tags
        self._dependent(tree, dict(nothing, REL=0), found, tags, gives=False)
        todo = [(tree, "")]
        while todo:
            node, parent = todo.pop()
            if node.is_preterminal:
                continue
            kids = [child for child in node if isinstance(child, Tree)]
            head = self.rules.head(node.label, [kid.label for kid in kids])
            m = kids[head]
            tag, leaf = self._head(node)
            v = dict(nothing, X=self._name(node), P=parent, T=tag, W=self._word(leaf.word, leaf.position))
            shown = "its tag" if m.is_preterminal else self._name(m)
            found.append(("head", dict(v), shown))
            v["M"] = shown
            giver = m if self.semantic is None else self.semantic.child(node)
            v["S"] = self._semantic_word(m)
            for side, rest in (("left", kids[:head][::-1]), ("right", kids[head + 1 :])):
                v.update(P1=self._name(m), P2="", MADE=0)
                for kid in rest:
                    found.append((side, dict(v), self._name(kid)))
                    relation = 2 * JOINS.get(v["P1"], 0) + (side == "right")
                    self._dependent(kid, dict(v, REL=relation), found, tags, gives=kid is giver)
                    if kid is giver:
                        v["S"] = self._semantic_word(kid)
                    v.update(P2=v["P1"], P1=self._name(kid), MADE=1)
                found.append((side, dict(v), "stop"))
                v["OUT"] = v["P1"] if v["MADE"] else ""
            todo += [(kid, self._name(node)) for kid in kids]
        return found

    def _semantic_word(self, node: Tree) -> str:
        leaf = self._semantic(node)
        return self._word(leaf.word, leaf.position)

    def _semantic(self, node: Tree) -> Leaf:
        return self._head(node)[1] if self.semantic is None else self.semantic.word(node)

    def _dependent(
        self, child: Tree, v: dict[str, Any], found: list[Step], tags: Sequence[str], *, gives: bool
    ) -> None:
        """A word that its constituent gives away is decided further up, as the semantic head there."""
        tag, leaf = self._head(child)
        semantic = self._semantic(child)
        v["Y"] = self._name(child)
        if not child.is_preterminal:
            found.append(("tag", dict(v), tag))
        own = self._word(leaf.word, leaf.position)
        v.update(TY=tag, looks=self._looks(leaf.word, leaf.position))
        if not gives or semantic.position != leaf.position:
            found.append(("word", dict(v), own))
        if not gives and semantic.position != leaf.position:
            looks = self._looks(semantic.word, semantic.position)
            v.update(TY=tags[semantic.position], looks=looks, OWN=own)
            found.append(("semantic", dict(v), self._word(semantic.word, semantic.position)))

    def _name(self, node: Tree) -> str:
        if node.is_preterminal:
            return node.label
        return refined(node.label, [child.label for child in node if isinstance(child, Tree)])

    def _head(self, node: Tree) -> tuple[str, Leaf]:
        while not node.is_preterminal:
            kids = [child for child in node if isinstance(child, Tree)]
            node = kids[self.rules.head(node.label, [kid.label for kid in kids])]
        leaf = node.children[0]
        assert isinstance(leaf, Leaf)
        return node.label, leaf
