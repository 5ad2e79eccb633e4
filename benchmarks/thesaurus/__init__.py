"""Similar words: a thesaurus from 4.8 million words of text, beside PPMI-SVD and word2vec on the same words.

The text is Brown, film reviews, sentences of plots and reviews, treebank text and news, parsed by the model
`en`, once (the trees stay in the build folder). All three see words in lower case without punctuation that occur
at least three times, and have a window of five words; ours also sees the relations of the trees. The options of
the thesaurus were chosen on MTurk-287, the related pairs of WordSim-353 and pairs of WordNet. The similar pairs
of WordSim-353 and the pairs of Rubenstein and Goodenough were read twice: with smoothing 0.75 at first, and then
without it, which the other pairs prefer. Spearman's correlation is over the pairs whose words all three have.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.data import corpus
from benchmarks.measuring.row import Row, UnavailableError
from benchmarks.thesaurus.peers import ppmi_svd, word2vec
from benchmarks.thesaurus.text import parsed_text, plain_sentences
from palmette import Thesaurus
from palmette.tools.thesaurus.scores import spearman
from palmette.tools.thesaurus.vectors import unit_rows

SETS = ("ws353sim", "rg65")
ASKED, SECONDS = 20_000, 60.0


def rows(quick: bool = False) -> Iterator[Row]:
    text = parsed_text(2_000 if quick else None)
    start = time.process_time()
    thesaurus = Thesaurus().fit(text)
    seconds = time.process_time() - start
    n = thesaurus.training_["words"]
    yield Row(f"thesaurus of {n:,} words with dense vectors", seconds, amount=n, unit="words")
    yield neighbours_row(thesaurus)
    yield from similarity_rows(thesaurus, text, seconds, quick)


def neighbours_row(thesaurus: Thesaurus) -> Row:
    asked = thesaurus.words_[:ASKED]
    start = time.process_time()
    thesaurus.predict(asked, k=20, measure="lin")
    seconds = time.process_time() - start
    work = f"20 neighbours of {len(asked):,} words by Lin's measure, one thread"
    return Row(work, seconds, amount=len(asked), unit="words", holds=seconds < SECONDS)


def similarity_rows(thesaurus: Thesaurus, text: Path, seconds: float, quick: bool) -> Iterator[Row]:
    spaces = {"thesaurus": dict(zip(thesaurus.words_, unit_rows(thesaurus.vectors_)))}
    sentences = list(plain_sentences(text))
    times: dict[str, float] = {}
    for name, make in (("PPMI-SVD", ppmi_svd), ("word2vec", word2vec)):
        start = time.process_time()
        try:
            words, vectors = make(sentences)
        except UnavailableError as error:
            print(f"  {error}")
            continue
        times[name] = time.process_time() - start
        spaces[name] = dict(zip(words, unit_rows(vectors)))
    found = {name: judged(name, spaces) for name in SETS}
    for peer, took in times.items():
        better = all(found[name]["thesaurus"] > found[name][peer] for name in SETS)
        quality = ", ".join(
            f"{name} {100 * found[name]['thesaurus']:.1f} ({peer} {100 * found[name][peer]:.1f})"
            for name in SETS
        )
        yield Row(
            f"similar words beside {peer}", seconds, took, quality=quality, holds=None if quick else better
        )


def judged(name: str, spaces: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Spearman's correlation of every space over the pairs that all of them have."""
    (path,) = corpus(f"wordsim_en/{name}.tsv")
    lines = [line.split("\t") for line in path.read_text().splitlines() if line.strip()]
    pairs = [(one.lower(), two.lower(), float(value)) for one, two, value in lines]
    known = [
        pair for pair in pairs if all(pair[0] in space and pair[1] in space for space in spaces.values())
    ]
    gold = [value for _, _, value in known]
    return {
        own: spearman([float(space[one] @ space[two]) for one, two, _ in known], gold) or 0.0
        for own, space in spaces.items()
    }
