"""The pictures of docs/scale.md: `python -m benchmarks.cluster.pictures [CURVES]`.

CURVES is what `python -m benchmarks.cluster.mixing` printed; without it, the simulation alone is drawn.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.cluster.cost import Cost
from palmette.drawing.curves import Plot

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
SENTENCES = 1e9
PASSES = {  # with the figures of docs/scale.md
    "gradient of a CRF": Cost(1.8e-6, 40e6, 80e6),
    "counts of Model 1": Cost(3.3e-6, 100e6, 100e6),
    "prediction": Cost(72e-6, 0, 0),
}
STYLES = {"one machine": "dashed"}


def simulation() -> str:
    """The share of the processors that works, by the number of workers."""
    workers = [1 << k for k in range(13)]
    curves = {name: [(n, cost.efficiency(SENTENCES, n)) for n in workers] for name, cost in PASSES.items()}
    title = "A pass over a billion sentences, simulated"
    return Plot(curves, "workers", "efficiency", title, logarithmic="x", y_range=(0, 1)).svg()


def mixing(printed: str, *, which: str = "tags of ud_en_ewt | perceptron") -> str:
    """The score on the dev set by pass, on one machine and on mixed shards."""
    curves = {}
    for line in printed.splitlines():
        name, _, rest = line.partition(f"{which} | ")
        if name or not rest:
            continue
        way, _, scores = rest.split(" | ")
        curves[way] = [(number, float(score)) for number, score in enumerate(scores.split(), 1)]
    title = "Perceptron, tags of EWT: weights mixed after every pass"
    return Plot(curves, "passes", "accuracy (dev)", title, styles=STYLES).svg()


def main(curves: str = "") -> None:
    """Write the pictures."""
    (FOLDER / "scale.svg").write_text(simulation(), encoding="utf-8")
    if curves:
        drawn = mixing(Path(curves).read_text(encoding="utf-8"))
        (FOLDER / "mixing.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
