"""Random trees for tests."""

from hypothesis import strategies as st

from palmette.trees.tree import Leaf, Tree

# Characters that formats treat specially, among ordinary ones.
TEXT = st.text(st.sampled_from("abLRB-#()\\=%*0é時\u00a0𝔸"), min_size=1, max_size=12)


@st.composite
def trees(draw: st.DrawFn, *, discontinuous: bool = True, tagged: bool = False, text=TEXT) -> Tree:
    """A random tree of up to nine words; with `tagged`, every word stands alone under a tag."""
    n = draw(st.integers(1, 9))
    order = draw(st.permutations(range(n))) if discontinuous else list(range(n))
    forest: list[Tree | Leaf] = [Leaf(draw(text), position) for position in order]
    if tagged:
        forest = [Tree(draw(text), [leaf]) for leaf in forest]
    while len(forest) > 1 or isinstance(forest[0], Leaf) or draw(st.integers(0, 3)) == 3:
        start = draw(st.integers(0, len(forest) - 1))
        end = start + draw(st.sampled_from([9, 2, 3, 1]))
        forest[start:end] = [Tree(draw(text), forest[start:end])]
    assert isinstance(forest[0], Tree)
    return forest[0]


def tower(levels: int) -> Tree:
    """A tree of one word under as many nodes as asked for."""
    tree = Tree("A", [Leaf("w", 0)])
    for _ in range(levels - 1):
        tree = Tree("A", [tree])
    return tree
