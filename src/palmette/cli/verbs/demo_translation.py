"""The last part of the demo: a translator learns from a few hundred sentences, translates one and says why."""

from __future__ import annotations

import time
from pathlib import Path

from palmette.cli.report import shows
from palmette.messages import counted

SENTENCE = "heute hat die alte Frau das Buch gefunden ."


def learn_to_translate(where: Path) -> None:
    """Train a translator on the sentences of the examples, and use it."""
    from palmette.tools.translation.translator import Translator

    began = time.perf_counter()
    # A few rounds of tuning show what it does.
    translator = Translator(options={"tuning_rounds": 3, "models": "fast"})
    translator.fit(where / "train.tsv", dev=where / "dev.tsv")
    seconds = time.perf_counter() - began
    n, tuned = translator.training_["pairs"], translator.training_["tuned"]
    print(
        f"\nA translator from {counted(n, 'pair')} of sentences in {seconds:.1f} s; tuning took BLEU on "
        "others from "
        f"{100 * tuned['start']:.1f} to {100 * tuned['dev']:.1f}.\n"
    )
    found = translator.explain(SENTENCE)
    drawn = found if shows("┌─┴─┐") else found.plain()
    print("\n".join(f"  {line}" for line in drawn.draw().split("\n")))
    print("\nWhy not the next different translation:\n")
    print("\n".join(f"  {line}" for line in str(found.of(top=5).decisions[0]).split("\n")))
