"""What do two trees have in common? The kernel counts their common fragments without listing them."""

from __future__ import annotations

from palmette import Tree
from palmette.features.kernels import TreeKernel

ONE = Tree.parse("(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))))")
TWO = Tree.parse("(S (NP (DT a) (NN dog)) (VP (VBZ sees) (NP (NNS birds))))")


def main() -> None:
    kernel = TreeKernel(decay=1.0)
    one, two = kernel.features(ONE), kernel.features(TWO)
    shared = {name: one[name] * two[name] for name in one if name in two}
    print(f"{len(one)} and {len(two)} different fragments; in common:")
    for name, value in sorted(shared.items(), key=lambda item: (len(item[0]), item[0])):
        print(f"  {value:g} × {name}")
    print(f"their sum {sum(shared.values()):g}, the kernel {kernel(ONE, TWO):g}")

    print("\nlarger fragments weigh less with a smaller decay; lengths are divided out by `normalized`:")
    for decay in (1.0, 0.4, 0.1):
        k = TreeKernel(decay=decay)
        print(f"  decay {decay}: {k(ONE, TWO):8.4f}   normalized {k.normalized(ONE, TWO):.4f}")

    print("\nother fragments:")
    for name in ("subset", "complete", "partial"):
        print(f"  {name:8} {TreeKernel(name).normalized(ONE, TWO):.4f}")


if __name__ == "__main__":
    main()
