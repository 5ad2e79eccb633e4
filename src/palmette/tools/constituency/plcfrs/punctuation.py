"""What a parser of discontinuous trees does with punctuation: takes it out, or lowers it, and puts it back.

Which words are signs is learned: those that mostly had a tag of punctuation, and unknown ones without letter
or digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palmette.transforms.punctuation import (
    PUNCTUATION,
    at_positions,
    lower_punctuation,
    raise_punctuation,
    without_words,
)
from palmette.trees.tree import Leaf, Tree

MODES = ("remove", "lower", "keep")


@dataclass(frozen=True)
class PunctuationRule:
    """mode: one of MODES. tags: those of punctuation. signs: the tag of each sign. at_root: where they hang."""

    mode: str
    tags: tuple[str, ...]
    signs: dict[str, str]
    at_root: bool

    @classmethod
    def of(cls, trees: Sequence[Tree], mode: str) -> PunctuationRule:
        """Learned from trees; ValueError for an unknown mode."""
        if mode not in MODES:
            raise ValueError(
                f"The 'punctuation' option must be one of {', '.join(MODES)}. Got {mode!r} instead."
            )
        tagged: Counter[tuple[str, str]] = Counter()
        at_root = inside = 0
        for tree in trees:
            for node in tree.preorder():
                for child in node.children:
                    if isinstance(child, Leaf):
                        tagged[child.word, node.label] += 1
                    elif child.is_preterminal and child.label in PUNCTUATION:
                        at_root += node is tree
                        inside += node is not tree
        total: Counter[str] = Counter()
        for (word, _), count in tagged.items():
            total[word] += count
        signs: dict[str, str] = {}
        for (word, tag), count in tagged.items():
            if tag in PUNCTUATION and 2 * count > total[word]:
                signs[word] = tag
        tags = tuple(sorted({tag for _, tag in tagged} & PUNCTUATION))
        return cls(mode if tags else "keep", tags, dict(sorted(signs.items())), at_root >= inside)

    def prepared(self, tree: Tree) -> Tree | None:
        """A tree to learn from; None if nothing is left of it."""
        if self.mode == "remove":
            return without_words(tree, lambda node: node.label in self.tags)
        return lower_punctuation(tree, self.tags) if self.mode == "lower" else tree

    def sign_tag(self, word: str, tag: str = "") -> str | None:
        """The tag of a word that is to be taken out, None for others. tag: what is known of it."""
        if self.mode != "remove":
            return None
        if tag:
            return tag if tag in self.tags else None
        if word in self.signs:
            return self.signs[word]
        if any(sign.isalnum() for sign in word):
            return None
        return Counter(self.signs.values()).most_common(1)[0][0] if self.signs else self.tags[0]

    def restored(self, tree: Tree, words: Sequence[str], signs: dict[int, str]) -> Tree:
        """The tree over all words again. signs: the tags of those that were taken out, by position."""
        if self.mode == "keep":
            return tree
        if self.mode == "lower":
            return raise_punctuation(tree, self.tags) if self.at_root else tree
        if not signs:
            return tree
        kept = [i for i in range(len(words)) if i not in signs]
        whole = at_positions(tree, kept)
        children = [*whole.children, *(Tree(tag, [Leaf(words[i], i)]) for i, tag in signs.items())]
        made = Tree(tree.label, children, tree.note)
        return made if self.at_root else lower_punctuation(made, self.tags)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"mode": self.mode, "tags": list(self.tags), "signs": self.signs, "at_root": self.at_root}

    @classmethod
    def from_dict(cls, value: Any) -> PunctuationRule:
        """What `to_dict` gave; ValueError otherwise."""
        try:
            mode, tags, signs, at_root = (value[key] for key in ("mode", "tags", "signs", "at_root"))
            strings = [*tags, *signs, *signs.values()]
        except (TypeError, KeyError, AttributeError):
            raise ValueError("the rule for punctuation is missing, or no such rule.") from None
        if mode not in MODES or not all(isinstance(text, str) for text in strings):
            raise ValueError("the rule for punctuation is not valid.")
        if mode != "keep" and not tags:
            raise ValueError("the rule for punctuation has no tags.")
        return cls(mode, tuple(tags), dict(signs), bool(at_root))
