"""Constituency trees under constraints: brackets that a person wants, or does not want."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from palmette.cli.tools.sequence.prediction import tokens
from palmette.formats.brackets import bracket_printer
from palmette.serve.editing.documents import Trees
from palmette.serve.editing.editor import Editor, State
from palmette.serve.limits import Limits, RequestError
from palmette.serve.models import Served
from palmette.tools.constituency.model import Bracket, Constraints
from palmette.trees.tree import Tree

_BRACKET = re.compile(r"([^\s():]+):(\d+)-(\d+)")


class TreeEditor(Editor):
    """Trees of a file. Fixed are brackets by name, with true or false; or `tree`, all of it."""

    def __init__(self, document: Trees, served: Callable[[], Served], limits: Limits) -> None:
        super().__init__(served, limits)
        self.document = document

    def words(self, n: int) -> list[str]:
        return list(Tree.parse(self.document.block(n)).words)

    def fix(self, fixed: State, n: int, given: Mapping[str, Any]) -> None:
        if given.get("to") is not None:
            self._relabel(fixed, n, given)
        else:
            fix_bracket(fixed, given, len(self.words(n)))

    def all_of(self, n: int) -> State:
        return {"tree": self.document.block(n)}

    def decoded(self, n: int, fixed: State) -> Any:
        return decoded_tree(self.served.object, self.words(n), fixed)

    def values(self, n: int, fixed: State, found: Any) -> Any:
        return self.document.block(n) if found is None else found["tree"]

    def put(self, n: int, values: Any) -> None:
        self.document.set(n, values)

    def shown(self, n: int, fixed: State, found: Any) -> dict[str, Any]:
        return {"tree": self.document.block(n), "tokens": found["tokens"], "model_tree": found["tree"]}

    def given(self, some: Sequence[int]) -> Any:
        return [self.words(n) for n in some]

    def labels(self) -> dict[str, list[str]]:
        found = {
            node.label
            for n in range(len(self.document))
            for node in Tree.parse(self.document.block(n)).preorder()
            if not node.is_preterminal
        }
        return {"bracket": sorted(found)}

    def _relabel(self, fixed: State, n: int, given: Mapping[str, Any]) -> None:
        """A bracket gets another label: the new one must be there, and the old one must not.

        Where the model has no such tree, and where the whole tree is fixed, only the label changes.
        """
        words, old, to = self.words(n), str(given.get("bracket")), given["to"]
        found = _BRACKET.fullmatch(old)
        if found is None or not isinstance(to, str) or to == found[1] or not re.fullmatch(r"[^\s():]+", to):
            raise RequestError(400, "bracket must be LABEL:first-last, and to another label")
        wanted = {} if "tree" in fixed else dict(fixed)
        fix_bracket(wanted, {"bracket": old, "must": False}, len(words))
        fix_bracket(wanted, {"bracket": f"{to}:{found[2]}-{found[3]}", "must": True}, len(words))
        if "tree" not in fixed:
            try:
                decoded_tree(self.served.object, words, wanted)
            except ValueError:
                pass
            else:
                fixed.clear()
                fixed.update(wanted)
                return
        tree = _relabelled(Tree.parse(self.document.block(n)), _bracket(old), to)
        fixed.clear()
        fixed["tree"] = str(tree)


def _relabelled(tree: Tree, wanted: Bracket, to: str) -> Tree:
    """The tree with another label at the first node that has this label and these words."""
    done, at = False, 0

    def copy(node: Tree) -> Tree:
        nonlocal done, at
        begin = at
        if node.is_preterminal:
            at += 1
            return node
        children = [copy(child) if isinstance(child, Tree) else child for child in node]
        if not done and (begin, at, node.label) == (wanted.start, wanted.end, wanted.label):
            done = True
            return Tree(to, children, node.note)
        return Tree(node.label, children, node.note)

    found = copy(tree)
    if not done:
        raise RequestError(404, f"the tree has no {wanted.label} over these words")
    return found


def fix_bracket(fixed: State, given: Mapping[str, Any], n_words: int) -> None:
    """Add a bracket to what is fixed, or take one away: `bracket` "NP:1-2", `must` true, false or null."""
    found = _BRACKET.fullmatch(str(given.get("bracket")))
    if found is None or not 1 <= int(found[2]) <= int(found[3]) <= n_words:
        raise RequestError(400, f"bracket must be LABEL:first-last, of words from 1 to {n_words}")
    fixed.pop("tree", None)
    name, must = found[0], given.get("must")
    if must is None:
        fixed.pop(name, None)
    elif isinstance(must, bool):
        fixed[name] = must
    else:
        raise RequestError(400, "must is true, false or null")


def decoded_tree(parser: Any, words: list[str], fixed: Mapping[str, Any]) -> dict[str, Any]:
    """The best tree that has the brackets that are fixed, and none of those that are refused."""
    if "tree" in fixed:
        whole = Tree.parse(fixed["tree"])
        return {"tree": fixed["tree"], "tokens": tokens(whole.words, tag=whole.tags)}
    brackets = {_bracket(name): must for name, must in fixed.items()}
    known = Constraints(
        tuple(one for one, must in brackets.items() if must),
        tuple(one for one, must in brackets.items() if not must),
    )
    parse = parser.parse([words], known=[known])[0]
    if parse is None:
        raise RequestError(400, "the sentence has no words")
    text = bracket_printer()(parse.tree).rstrip("\n")
    return {"tree": text, "tokens": tokens(parse.tree.words, tag=parse.tree.tags)}


def _bracket(name: str) -> Bracket:
    label, first, last = _BRACKET.fullmatch(name).groups()  # type: ignore[union-attr]
    return Bracket(int(first) - 1, int(last), label)
