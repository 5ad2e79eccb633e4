"""Kernels: Gram matrices of trees and strings beside Python and NumPy, and merged supports beside kernel calls.

Times are those of the processors, but for two threads beside one. Preparing is left out on both sides. The
Python versions get some of the pairs and their time is per pair. The treebank has fewer sentences than the
larger rows ask for; the others are sentences in which a constituent is replaced by one of the same label from
elsewhere, as in an n-best list.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.data import corpus
from benchmarks.kernel_peers.strings import gappy_subsequences
from benchmarks.kernel_peers.trees import by_sorted_productions, naive, nodes_of, sorted_tree
from benchmarks.measuring.memory import peak_growth
from benchmarks.measuring.row import Row
from benchmarks.measuring.timing import shortest
from palmette.features.kernels import SubsequenceKernel, TaggedSequenceKernel, TreeKernel
from palmette.formats.brackets import read_brackets
from palmette.trees.tree import Child, Leaf, Tree

DECAY = 0.4
LEAST_SORTED, LEAST_NAIVE, LEAST_THREADS, LEAST_MERGED, LEAST_STRINGS = 30.0, 200.0, 1.9, 20.0, 50.0


def rows(quick: bool = False) -> Iterator[Row]:
    times = 2 if quick else 7
    trees = english()
    yield from pair_rows(trees, times)
    yield from thread_rows(1500 if quick else 5000, 1 if quick else 3)
    yield from support_rows(trees, 2000 if quick else 10_000, times)
    yield from sequence_support_rows(trees, 2000 if quick else 10_000, times)
    yield from string_rows(trees, times)


def english(part: str = "train.mrg.gz") -> list[Tree]:
    return list(read_brackets(corpus(f"const_en_ptb/{part}")[0]))


def pair_rows(trees: list[Tree], times: int) -> Iterator[Row]:
    kernel = TreeKernel(decay=DECAY)
    some = trees[:500]
    prepared, n_pairs = kernel.prepare(some), len(some) * (len(some) + 1) // 2
    nodes = [nodes_of(tree) for tree in some]
    ids: dict[tuple[str, ...], int] = {}
    in_order = [sorted_tree(found, ids) for found in nodes]
    rng = np.random.default_rng(0)
    many, few = (
        rng.integers(len(some), size=(4000, 2)).tolist(),
        rng.integers(len(some), size=(600, 2)).tolist(),
    )

    ours, merge, by_production, recursion = shortest(
        lambda: kernel.gram(prepared),
        lambda: kernel.pairs(prepared, prepared, *np.array(many).T),
        lambda: [by_sorted_productions(in_order[i], in_order[j], DECAY) for i, j in many],
        lambda: [naive(nodes[i], nodes[j], DECAY) for i, j in few],
        times=times,
        clock=time.process_time,
    )
    ours, merge, by_production, recursion = (
        ours / n_pairs,
        merge / len(many),
        by_production / len(many),
        recursion / len(few),
    )
    gram = kernel.gram(prepared)
    for name, peer, least, values, pairs in (
        (
            "Python over sorted productions",
            by_production,
            LEAST_SORTED,
            [by_sorted_productions(in_order[i], in_order[j], DECAY) for i, j in few],
            few,
        ),
        (
            "Python by recursion",
            recursion,
            LEAST_NAIVE,
            [naive(nodes[i], nodes[j], DECAY) for i, j in few],
            few,
        ),
    ):
        same = np.allclose([gram[i, j] for i, j in pairs], values, rtol=1e-9)
        yield Row(
            f"subset trees, 500 × 500, a pair / {name}",
            ours,
            peer,
            1,
            "pairs",
            least_ratio=least,
            quality="same values" if same else "other values",
            holds=same,
        )
    yield Row("subset trees, pair by pair / Python over sorted productions", merge, by_production, 1, "pairs")


def thread_rows(n: int, times: int) -> Iterator[Row]:
    one, two = shortest(big_gram(n, 1), big_gram(n, 2), times=times)
    least = n * n * 8
    grown = peak_growth(big_gram, n, 2) or 0.0
    yield Row(
        f"subset trees, {n:,} × {n:,}, two threads / one thread",
        two,
        one,
        n * (n + 1) / 2 / 1e6,
        "M pairs",
        least_ratio=LEAST_THREADS,
        memory=f"{grown / 1e6:,.0f} MB, of which the matrix {least / 1e6:,.0f}",
        holds=grown < 1.3 * least,
    )
    partial = TreeKernel("partial").prepare(english()[:300])
    (seconds,) = shortest(lambda: TreeKernel("partial").gram(partial), times=times, clock=time.process_time)
    yield Row("partial trees, 300 × 300", seconds, None, 300 * 301 / 2 / 1e6, "M pairs")


def support_rows(trees: list[Tree], n: int, times: int) -> Iterator[Row]:
    kernel = TreeKernel(decay=DECAY)
    supports = kernel.prepare(with_variants(trees, n))
    candidates = [kernel.prepare([tree]) for tree in english("dev.mrg")[:50]]
    alphas = np.random.default_rng(0).choice([-1.0, 1.0], size=n)
    merged = kernel.supports()
    start = time.process_time()
    merged.add(supports, alphas)
    adding = time.process_time() - start

    zeros, all_of_them = np.zeros(n, dtype=np.int64), np.arange(n)

    def calls() -> list[float]:
        return [float(kernel.pairs(c, supports, zeros, all_of_them) @ alphas) for c in candidates[:5]]

    ours, peer, matrix = shortest(
        lambda: [merged.score(c) for c in candidates],
        calls,
        lambda: [kernel.gram(c, supports) @ alphas for c in candidates[:5]],
        times=times,
        clock=time.process_time,
    )
    ours, peer, matrix = ours / len(candidates), peer / 5, matrix / 5
    gap = max(
        abs(float(merged.score(c)[0]) - value) / max(1.0, abs(value)) for c, value in zip(candidates, calls())
    )
    yield Row(
        f"a candidate against {n:,} merged supports / {n:,} kernel calls in C++",
        ours,
        peer,
        1,
        "candidates",
        least_ratio=LEAST_MERGED,
        quality=f"apart by {gap:.1g}",
        holds=gap < 1e-9,
    )
    yield Row(f"a candidate against {n:,} merged supports / our row of a Gram matrix", ours, matrix)
    yield Row("merging a support", adding / n)


def sequence_support_rows(trees: list[Tree], n: int, times: int) -> Iterator[Row]:
    """Lists of 20 taggings of a sentence against supports in pairs, as a perceptron adds them."""
    rng = random.Random(0)
    tags = sorted({tag for tree in trees[:500] for tag in tree.tags})

    def taggings(tree: Tree, k: int) -> list[list[tuple[str, str]]]:
        made = [list(zip(tree.words, tree.tags)) for _ in range(k)]
        for one in made[1:]:
            i = rng.randrange(len(one))
            one[i] = one[i][0], rng.choice(tags)
        return made

    flat = [one for _ in range(n // 2) for one in taggings(rng.choice(trees), 2)]
    lists = [taggings(tree, 20) for tree in english("dev.mrg")[:20]]
    alphas = np.tile([1.0, -1.0], n // 2)
    for longest in (None, 3):
        kernel = TaggedSequenceKernel(decay=0.3, longest=longest)
        supports, candidates = kernel.prepare(flat), [kernel.prepare(given) for given in lists]
        merged = kernel.supports()
        for k in range(0, n, 2):
            merged.add(supports, alphas[k : k + 2], [k, k + 1])
        ours, matrix = shortest(
            lambda merged=merged, candidates=candidates: [merged.score(c) for c in candidates],
            lambda kernel=kernel, candidates=candidates, supports=supports: [
                kernel.gram(c, supports) @ alphas for c in candidates[:2]
            ],
            times=min(times, 3),
            clock=time.process_time,
        )
        gap = max(
            float(np.abs(merged.score(c) - kernel.gram(c, supports) @ alphas).max()) for c in candidates[:2]
        )
        name = "fragments" if longest is None else f"fragments of at most {longest} states"
        yield Row(
            f"20 tagged sequences against {n:,} merged supports, {name} / our rows of a Gram matrix",
            ours / len(lists),
            matrix / 2,
            1,
            "lists",
            quality=f"apart by {gap:.1g}",
            holds=gap < 1e-9,
        )


def string_rows(trees: list[Tree], times: int) -> Iterator[Row]:
    text = " ".join(word for tree in trees for word in tree.words)
    strings = [text[i * 200 : (i + 1) * 200] for i in range(500)]
    kernel = SubsequenceKernel(4, decay=0.5)
    prepared = kernel.prepare(strings)
    pairs = np.random.default_rng(0).integers(500, size=(200, 2)).tolist()
    ours, peer = shortest(
        lambda: kernel.gram(prepared),
        lambda: [gappy_subsequences(strings[i], strings[j], 4, 0.5) for i, j in pairs],
        times=max(2, times // 3),
        clock=time.process_time,
    )
    gram = kernel.gram(prepared)
    want = [gappy_subsequences(strings[i], strings[j], 4, 0.5) for i, j in pairs]
    same = np.allclose([gram[i, j] for i, j in pairs], want, rtol=1e-9)
    yield Row(
        "gappy subsequences, n = 4, 500 strings of 200 characters, a pair / NumPy",
        ours / (500 * 501 / 2),
        peer / len(pairs),
        1,
        "pairs",
        least_ratio=LEAST_STRINGS,
        quality="same values" if same else "other values",
        holds=same,
    )


def big_gram(n: int, threads: int) -> Callable[[], object]:
    """What makes the matrix of n trees, which are prepared first."""
    kernel = TreeKernel(decay=DECAY)
    prepared = kernel.prepare(with_variants(english(), n))
    return lambda: kernel.gram(prepared, n_jobs=threads)


def with_variants(trees: list[Tree], n: int) -> list[Tree]:
    """The trees, and as many of their variants as are missing."""
    rng = random.Random(0)
    by_label: dict[str, list[Tree]] = defaultdict(list)
    for tree in trees:
        for node in tree.preorder():
            if not node.is_preterminal:
                by_label[node.label].append(node)
    made = trees[:n]
    while len(made) < n:
        tree = rng.choice(trees)
        inner = [node for node in tree.preorder() if not node.is_preterminal][1:]
        if inner:
            old = rng.choice(inner)
            made.append(replaced(tree, old, rng.choice(by_label[old.label])))
    return made


def replaced(tree: Tree, old: Tree, new: Tree) -> Tree:
    """The tree with `new` in the place of `old`, its words numbered again."""
    flat: list[Child] = []
    todo: list[Child] = [tree]
    while todo:
        item = todo.pop()
        item = new if item is old else item
        flat.append(item)
        if isinstance(item, Tree):
            todo.extend(item.children)
    stack: list[Child] = []
    position = 0
    for item in reversed(flat):
        if isinstance(item, Leaf):
            stack.append(Leaf(item.word, position))
            position += 1
        else:
            children = stack[-len(item.children) :]
            del stack[-len(item.children) :]
            stack.append(Tree(item.label, children))
    (whole,) = stack
    assert isinstance(whole, Tree)
    return whole
