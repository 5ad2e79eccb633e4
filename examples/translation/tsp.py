"""A round trip as a translation (CSC 448, §15.6): decoding with reordering is as hard as the travelling salesman.

    python examples/translation/tsp.py

Every city is translated by itself, and the language model says log p(next | city) = −distance: the best
translation of a list of cities is the shortest tour. Home is the beginning and the end of the sentence. A tour of
n cities costs O(2ⁿ n²) with a search that prunes nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.phrases.search import PhraseSearch
from palmette.tools.translation.phrases.search_options import SearchOptions
from palmette.tools.translation.tables.phrase_table import PhraseTable

HOME = "Rochester"
MILES = {
    ("Rochester", "Buffalo"): 75,
    ("Rochester", "Syracuse"): 87,
    ("Rochester", "Ithaca"): 90,
    ("Rochester", "Toronto"): 170,
    ("Buffalo", "Syracuse"): 150,
    ("Buffalo", "Ithaca"): 154,
    ("Buffalo", "Toronto"): 100,
    ("Syracuse", "Ithaca"): 57,
    ("Syracuse", "Toronto"): 245,
    ("Ithaca", "Toronto"): 250,
}
SCALE = 1000.0  # miles of a logarithm: probabilities of a model are not below 10^−99


def shortest_tour(home: str, cities: Sequence[str], miles: Mapping[tuple[str, str], float]) -> list[str]:
    """Return the cities in the order of the shortest round trip from home."""

    def log_p(a: str, b: str) -> float:
        return -(miles[a, b] if (a, b) in miles else miles[b, a]) / SCALE

    pairs = [(a, b, log_p(a, b)) for a in cities for b in cities if a != b]
    pairs += [("<s>", b, log_p(home, b)) for b in cities] + [(a, "</s>", log_p(a, home)) for a in cities]
    words = ["<unk>", "<s>", "</s>", *cities]
    lines = ["\\data\\", f"ngram 1={len(words)}", f"ngram 2={len(pairs)}", "", "\\1-grams:"]
    lines += [f"-99\t{word}\t0" for word in words]
    lines += ["", "\\2-grams:", *(f"{p:.6f}\t{a} {b}" for a, b, p in pairs), "", "\\end\\", ""]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "roads.arpa"
        path.write_text("\n".join(lines), encoding="utf-8")
        roads = LanguageModel.from_arpa(path)
    themselves = PhraseTable.from_pairs([(city, city, [0.0] * 4) for city in cities])
    weights = [1.0] + [0.0] * 8  # the language model alone
    search = PhraseSearch(themselves, roads, weights, SearchOptions.exhaustive())
    return list(search.translate([list(cities)])[0].words)


def main() -> None:
    cities = ["Buffalo", "Ithaca", "Syracuse", "Toronto"]
    print(" - ".join([HOME, *shortest_tour(HOME, cities, MILES), HOME]))


if __name__ == "__main__":
    main()
