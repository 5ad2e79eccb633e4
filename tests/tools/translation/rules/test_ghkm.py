"""Rules from trees against an extraction by definition, and worked examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from palmette import _native
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.translation.rules.fragments import Fragment
from palmette.tools.translation.rules.ghkm import GhkmOptions, extract_ghkm
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.rules.symbols import Nonterminal, Symbol, side_text
from palmette.tools.translation.rules.tree_arrays import tree_arrays
from palmette.trees.tree import Leaf, Tree

pytestmark = pytest.mark.native

Link = tuple[int, int]
PLAIN = {"smoothing": "none", "max_scope": None}


def extracted(
    rows: list[tuple[str, str, Any, Any]], side: str = "target", n_jobs: int = 1, **options: Any
) -> RuleTable:
    """rows: source, target, links, tree."""
    text = ParallelText.of([row[:2] for row in rows])
    links = Alignments.of([row[2] for row in rows])
    return extract_ghkm(
        text, links, [row[3] for row in rows], side, GhkmOptions(**PLAIN | options), n_jobs=n_jobs
    )


def shown(table: RuleTable) -> set[str]:
    return {f"{rule.fragment} -> {side_text(rule.source)}" for rule in table}


def plain(table: RuleTable) -> set[str]:
    return set(map(str, table))


HE = (
    "il ne va pas",
    "He not go",
    [(0, 0), (1, 1), (2, 2), (3, 1)],
    "(S (NP (PRP He)) (VP (RB not) (VB go)))",
)


def test_he_does_not_go() -> None:
    """CSC 448, figure 20: RB is not a frontier node, since `va` is between its two words."""
    assert shown(extracted([HE], max_rules=1)) == {
        "(S [NP,1] [VP,2]) -> [NP,1] [VP,2]",
        "(NP [PRP,1]) -> [PRP,1]",
        "(PRP He) -> il",
        "(VP (RB not) [VB,1]) -> ne [VB,1] pas",
        "(VB go) -> va",
    }
    more = shown(extracted([HE], max_rules=2)) - shown(extracted([HE], max_rules=1))
    assert more == {
        "(S (NP [PRP,1]) [VP,2]) -> [PRP,1] [VP,2]",
        "(S [NP,1] (VP (RB not) [VB,2])) -> [NP,1] ne [VB,2] pas",
        "(NP (PRP He)) -> il",
        "(VP (RB not) (VB go)) -> ne va pas",
    }


def test_without_unary_rules_nothing_is_lost() -> None:
    assert shown(extracted([HE], max_rules=1, unary=False)) == {
        "(S [NP,1] [VP,2]) -> [NP,1] [VP,2]",
        "(S (NP [PRP,1]) [VP,2]) -> [PRP,1] [VP,2]",
        "(NP (PRP He)) -> il",
        "(PRP He) -> il",
        "(VP (RB not) [VB,1]) -> ne [VB,1] pas",
        "(VB go) -> va",
    }


ASTRONAUTS = (
    "zhe 7ren baokuo laizi faguo de yuhang yuan .",
    "These 7 people include astronauts coming from France .",
    [(0, 0), (1, 1), (1, 2), (2, 3), (6, 4), (7, 4), (3, 5), (3, 6), (4, 7), (8, 8)],
    "(S (NP (DT These) (CD 7) (NNS people)) (VP (VBP include) (NP (NP (NNS astronauts)) (VP (VBG coming) "
    "(PP (IN from) (NP (NNP France)))))) (. .))",
)


def test_the_minimal_derivation_of_galley_et_al() -> None:
    """Table 1 of Galley et al. 2006, rules (a) to (l); the word `de` has no links."""
    assert shown(extracted([ASTRONAUTS], max_rules=1)) == {
        "(S [NP,1] [VP,2] [.,3]) -> [NP,1] [VP,2] [.,3]",
        "(NP [DT,1] (CD 7) (NNS people)) -> [DT,1] 7ren",
        "(DT These) -> zhe",
        "(VP [VBP,1] [NP,2]) -> [VBP,1] [NP,2]",
        "(VBP include) -> baokuo",
        "(NP [NP,2] [VP,1]) -> [VP,1] de [NP,2]",
        "(NP [NNS,1]) -> [NNS,1]",
        "(NNS astronauts) -> yuhang yuan",
        "(VP (VBG coming) (PP (IN from) [NP,1])) -> laizi [NP,1]",
        "(NP [NNP,1]) -> [NNP,1]",
        "(NNP France) -> faguo",
        "(. .) -> .",
    }
    assert "(NP (DT These) (CD 7) (NNS people)) -> zhe 7ren" in shown(extracted([ASTRONAUTS], max_rules=2))


def test_trees_of_source_sentences() -> None:
    source, target, links, tree = HE
    row = (target, source, [(j, i) for i, j in links], tree)
    table = extracted([row], "source", max_rules=1)
    assert table.kind == "trees"
    (rule,) = table.rules("(VP (RB not) [VB,1])")
    assert side_text(rule.target) == "ne [VB,1] pas"
    assert rule.links == ((0, 0), (0, 2))
    (rule,) = table.rules("(S [NP,1] [VP,2])")
    assert rule.left == "S"
    assert side_text(rule.target) == "[NP,1] [VP,2]"
    flat = extracted([row], "source", max_rules=1, flat=True)
    assert flat.kind == "strings"
    (rule,) = flat.rules("not [X,1]")
    assert (rule.left, side_text(rule.target), rule.fragment) == ("X", "ne [X,1] pas", "(VP (RB not) [VB,1])")


def test_words_without_links() -> None:
    """Between the words of a node they are its own; at the borders of the sentence they are the root's."""
    row = ("a x b y", "A B", [(0, 0), (2, 1)], "(S (P A) (Q B))")
    assert shown(extracted([row], max_rules=1)) == {
        "(S [P,1] [Q,2]) -> [P,1] x [Q,2] y",
        "(P A) -> a",
        "(Q B) -> b",
    }
    assert shown(extracted([("a", "A", [], "(S (P A))")])) == set()


# By definition


def random_tree(rng: np.random.Generator, begin: int, end: int) -> Tree:
    label = str(rng.choice(["A", "B", "C"]))
    if end - begin == 1 or rng.random() < 0.15:
        return Tree(label, [Leaf(f"w{k}", k) for k in range(begin, end)])
    cuts = sorted({begin, end, *rng.integers(begin, end, 2).tolist()})
    children: list[Tree | Leaf] = []
    for a, b in pairwise(cuts):
        leaf = b - a == 1 and rng.random() < 0.2
        children.append(Leaf(f"w{a}", a) if leaf else random_tree(rng, a, b))
    tree = Tree(label, children)
    return Tree(str(rng.choice(["A", "D"])), [tree]) if rng.random() < 0.2 else tree


def random_rows(seed: int, size: int) -> list[tuple[list[str], list[str], set[Link], Tree]]:
    """String words, words of the tree, links (string word, tree word), tree."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(size):
        n, m = rng.integers(1, 7, 2).tolist()
        links = {(i, min(m - 1, i * m // n)) for i in range(n) if rng.random() < 0.7}
        links |= {(int(rng.integers(0, n)), int(rng.integers(0, m))) for _ in range(int(rng.integers(0, 2)))}
        words = [f"t{k}" for k in rng.integers(0, 3, m)]
        string = [f"s{k}" for k in rng.integers(0, 3, n)]
        found.append((string, words, links, random_tree(rng, 0, m)))
    return found


def words_below(tree: Tree | Leaf) -> set[int]:
    return {tree.position} if isinstance(tree, Leaf) else set().union(*map(words_below, tree.children))


def nodes(tree: Tree) -> Iterator[Tree]:
    yield tree
    for child in tree.children:
        if isinstance(child, Tree):
            yield from nodes(child)


def by_definition(
    row: tuple[list[str], list[str], set[Link], Tree], max_rules: int
) -> Iterator[tuple[Tree, list[Any], dict[int, tuple[int, int]], int]]:
    """Yield every rule of a pair: the root, the leaves of its fragment, the closures of its variables, its size.

    Galley et al. 2004: a node is in the frontier if the closure of its span has no word of its complement span.
    """
    string, _, links, tree = row

    def closure(node: Tree) -> range:
        span = {i for i, j in links if j in words_below(node)}
        return range(min(span), max(span) + 1) if span else range(0)

    def in_frontier(node: Tree) -> bool:
        complement = {i for i, j in links if j not in words_below(node)}
        return len(closure(node)) > 0 and not complement & set(closure(node))

    def ways(item: Tree | Leaf, budget: int, top: bool) -> Iterator[tuple[list[Any], int, list[Any]]]:
        """Leaves, minimal rules used, and the fragment of every way to treat a node."""
        if isinstance(item, Leaf):
            yield [item.position], 0, [item.position]
            return
        frontier = in_frontier(item)
        if frontier and not top:
            yield [item], 0, [item]
        cost = int(frontier)
        if cost > budget:
            return
        partial: list[tuple[list[Any], int, list[Any]]] = [([], cost, [])]
        for child in item.children:
            partial = [
                (leaves + more, used + extra, [*parts, piece])
                for leaves, used, parts in partial
                for more, extra, piece in ways(child, budget - used, False)
            ]
        for leaves, used, parts in partial:
            yield leaves, used, [(item.label, parts)]

    for node in nodes(tree):
        if not in_frontier(node):
            continue
        extent = range(len(string)) if node is tree else closure(node)
        for leaves, _, parts in ways(node, max_rules, True):
            yield node, leaves, extent, closure, parts[0]


def fragment_text(part: Any, number: dict[int, int], words: list[str]) -> str:
    if isinstance(part, tuple):
        label, children = part
        parts = [fragment_text(c[0] if isinstance(c, list) else c, number, words) for c in children]
        return f"({label} {' '.join(parts)})"
    if isinstance(part, int):
        return words[part]
    return f"[{part.label},{number[id(part)] + 1}]"


def expected(
    rows: list[tuple[list[str], list[str], set[Link], Tree]], side: str, max_rules: int, shares: bool
) -> dict[Any, Fraction]:
    count: dict[Any, Fraction] = defaultdict(Fraction)
    for row in rows:
        string, words, _, _ = row
        here: dict[int, list[Any]] = defaultdict(list)
        for node, leaves, extent, closure, parts in by_definition(row, max_rules):
            variables = [leaf for leaf in leaves if isinstance(leaf, Tree)]
            ordered = sorted(variables, key=lambda v: closure(v)[0]) if side == "target" else variables
            number = {id(v): t for t, v in enumerate(ordered)}
            on_tree = tuple(
                words[x] if isinstance(x, int) else Nonterminal(x.label, number[id(x)]) for x in leaves
            )
            on_string: list[Symbol] = []
            for i in extent:
                inside = next((v for v in variables if i in closure(v)), None)
                if inside is None:
                    on_string.append(string[i])
                elif i == closure(inside)[0]:
                    on_string.append(Nonterminal(inside.label, number[id(inside)]))
            text = fragment_text(parts, number, words)
            key = (node.label, tuple(on_string), on_tree) if side == "target" else (text, tuple(on_string))
            if side == "target" and on_string == [Nonterminal(node.label, 0)]:
                continue  # a nonterminal that becomes itself
            here[id(node)].append(key)
        for rules in here.values():
            for key in rules:
                count[key] += Fraction(1, len(rules)) if shares else 1
    return count


@pytest.mark.parametrize("counting", ["whole", "shares"])
@pytest.mark.parametrize("max_rules", [1, 2, 4])
@pytest.mark.parametrize("side", ["target", "source"])
def test_all_rules_and_counts(side: str, max_rules: int, counting: str) -> None:
    rows = random_rows(max_rules, 60)
    want = expected(rows, side, max_rules, counting == "shares")
    given = []
    for string, words, links, tree in rows:
        pair = (" ".join(string), " ".join(words), links, tree)
        given.append(pair if side == "target" else (pair[1], pair[0], {(j, i) for i, j in links}, tree))
    table = extracted(given, side, max_rules=max_rules, max_nodes=100, max_symbols=100, counting=counting)
    found: dict[Any, float] = {}
    for rule in table:
        assert rule.fragment is not None
        assert rule.counts is not None
        fragment = Fragment.parse(rule.fragment)
        assert fragment.label == rule.left
        assert tuple(fragment.leaves()) == (rule.target if side == "target" else rule.source)
        for i, j in rule.links:
            assert isinstance(rule.source[i], str)
            assert isinstance(rule.target[j], str)
        key = (rule.left, rule.source, rule.target) if side == "target" else (rule.fragment, rule.target)
        found[key] = rule.counts[2]
    assert found.keys() == want.keys()
    assert len(found) > 50
    for key, count in want.items():
        assert found[key] == pytest.approx(float(count), rel=1e-5)


@pytest.mark.parametrize("side", ["target", "source"])
def test_threads_do_not_matter(side: str) -> None:
    given = []
    for string, words, links, tree in random_rows(9, 1200):
        pair = (" ".join(string), " ".join(words), links, tree)
        given.append(pair if side == "target" else (pair[1], pair[0], {(j, i) for i, j in links}, tree))
    one, two = (extracted(given, side, n_jobs=n, counting="shares") for n in (1, 3))
    for name, array in one.arrays().items():
        assert np.array_equal(array, two.arrays()[name]), name
    assert list(one.fragments) == list(two.fragments)


def test_limits() -> None:
    rows = [(" ".join(s), " ".join(w), links, tree) for s, w, links, tree in random_rows(3, 80)]
    everything = plain(extracted(rows, max_rules=3))
    for limit in (0, 1, 2):
        narrow = plain(extracted(rows, max_rules=3, max_scope=limit))
        assert narrow < everything
        for text in narrow:
            source = text.split(" ||| ")[1].split()
            open_borders = (source[0][0] == "[") + (source[-1][0] == "[")
            open_borders += sum(a[0] == b[0] == "[" for a, b in pairwise(source))
            assert open_borders <= limit
    minimal = plain(extracted(rows, max_rules=1))
    assert plain(extracted(rows, max_rules=3, max_nodes=1)) == minimal
    short = plain(extracted(rows, max_rules=3, max_symbols=2))
    assert minimal < short < everything
    flat = extracted(rows, flat=True)
    assert list(flat.labels) == ["X"]
    assert all(rule.source != (Nonterminal("X", 0),) for rule in flat)


# Bad input


def test_trees_that_do_not_fit(caplog: pytest.LogCaptureFixture) -> None:
    good = ("a b", "A B", [(0, 0), (1, 1)], "(S (P A) (Q B))")
    for wrong, message in [
        ("(S (P A))", "Sentence 2 has 2 words, but its tree has 1: a tree must cover its sentence"),
        ("(S (P A) (Q B) (R C))", "Sentence 2 has 2 words, but its tree has 3"),
        ("(S (P A) (Q B)", "Sentence 2 must have a tree in brackets"),
        (
            Tree("S", [Tree("P", [Leaf("A", 0), Leaf("C", 2)]), Leaf("B", 1)]),
            "Sentence 2 has a tree with gaps",
        ),
    ]:
        row = good if not isinstance(wrong, Tree) else ("a b c", "A B C", [], wrong)
        with pytest.raises(ValueError, match=message):
            extracted([good, (*row[:3], wrong)])
    with pytest.raises(ValueError, match="There must be 1 tree"):
        extract_ghkm(ParallelText.of([good[:2]]), Alignments.of([good[2]]), [])
    with pytest.raises(ValueError, match="'side' parameter"):
        extracted([good], "left")
    assert shown(extracted([good, (*good[:3], None), ("", "", [], None)])) == shown(extracted([good]))
    assert [record.message for record in caplog.records] == [
        "1 of 3 sentences have no tree, and no rules are extracted from them"
    ]


class TinyParser:
    """A parser whose grammar has no tree for some sentences."""

    def parse(self, X: list[list[str]]) -> list[Any]:
        from palmette.tools.constituency.model import Parse

        found: list[Any] = []
        for words in X:
            tree = Tree("S", [Leaf(word, k) for k, word in enumerate(words)]) if words else None
            found.append(tree and Parse(tree, 0.0, note="" if len(words) > 1 else "no tree"))
        return found


def test_a_parser_gives_the_trees() -> None:
    text = ParallelText.of([("a b", "A B"), ("a", "A"), ("", "")])
    links = Alignments.of([[(0, 0), (1, 1)], [(0, 0)], []])
    table = extract_ghkm(text, links, TinyParser())
    assert shown(table) == {"(S A B) -> a b"}


def test_our_own_parser_gives_the_trees() -> None:
    trees = [
        Tree.parse(f"(S (NP (PRP {who})) (VP (VBZ {what})))")
        for who in ("he", "she")
        for what in ("goes", "is")
    ]
    parser = ConstituencyParser(method="pcfg").fit(trees)
    text = ParallelText.of([("il va", "he goes"), ("elle est", "she is"), ("", "")])
    links = Alignments.of([[(0, 0), (1, 1)], [(0, 0), (1, 1)], []])
    table = extract_ghkm(text, links, parser, options=GhkmOptions(max_rules=1))
    assert {"(S [NP,1] [VP,2]) -> [NP,1] [VP,2]", "(PRP he) -> il", "(VBZ is) -> est"} <= shown(table)


def test_words_of_the_sentence_count() -> None:
    table = extracted([("a", "(", [(0, 0)], "(S (-LRB- -LRB-))")], max_rules=2)
    assert {side_text(rule.target) for rule in table} == {"(", "[-LRB-,1]"}
    assert "(S (-LRB- &#40;))" in {rule.fragment for rule in table}
    words = ["&#91;", "&amp;#40;|", "[x]", "&amp;", '"', '""', '"x"']
    row = ("a", " ".join(words), [(0, 0)], Tree("S", [Leaf("x", k) for k in range(len(words))]))
    (rule,) = extracted([row])
    assert list(Fragment.parse(rule.fragment or "").leaves()) == words
    turned = (row[1], row[0], row[2], row[3])
    (rule,) = extracted([turned], "source")
    assert list(rule.source) == words
    assert list(Fragment.parse(rule.fragment or "").leaves()) == words


def test_native_extraction_checks_its_trees() -> None:
    offsets, ids, logs = np.array([0, 2]), np.zeros(2, np.int32), np.zeros(2)
    empty, links_at = np.zeros(0, np.int32), np.array([0, 0])
    text = [offsets, ids, offsets, ids, links_at, empty, empty, logs, logs, 1, 1]
    arrays = tree_arrays(["(S (P A) (Q B))"], ParallelText.of([("a b", "A B")]).target)
    good = {
        "trees_at": arrays.at,
        "label": arrays.label,
        "production": arrays.production,
        "begin": arrays.begin,
        "end": arrays.end,
        "next": arrays.next,
        "n_labels": 3,
        "n_productions": 3,
        "target_trees": True,
        "fragments": False,
        "flat": False,
        "unary": True,
        "shares": False,
        "max_rules": 2,
        "max_nodes": 9,
        "max_symbols": 9,
        "max_scope": 3,
        "n_jobs": 1,
    }
    assert _native.ghkm_rules(*text, **good).nodes.size == 0
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(200):
        name = str(rng.choice(["trees_at", "label", "production", "begin", "end", "next"]))
        spoilt = good[name].copy()
        spoilt[rng.integers(0, len(spoilt))] += (
            rng.choice([1, 2, 1000, 2**31 - 5]) if name != "trees_at" else 1
        )
        try:
            _native.ghkm_rules(*text, **good | {name: spoilt})
        except ValueError:
            refused += 1
    assert refused > 100
