"""A dictionary, a grid and a phrase table from a few sentences and their translations.

python examples/alignment/align.py
"""

from pathlib import Path

from palmette import Aligner
from palmette.tools.alignment import read_pairs

text = read_pairs(Path(__file__).with_name("pairs.tsv"))
aligner = Aligner(prefix=4).fit(text)  # so little text: forms that begin alike are one word
print(f"{len(text)} pairs; passes:")
for one in aligner.history_:
    direction, model = one.where["direction"], one.where["model"]
    print(f"  {direction:<5} {model:<9} {one.epoch}  perplexity {one.numbers['perplexity']:.2f}")

print("\na dictionary:")
for word in ("house", "garden", "old", "yesterday"):
    likely = ", ".join(f"{translation} {p:.2f}" for translation, p in aligner.translations(word, 2))
    print(f"  {word:<10} {likely}")

print("\na new sentence:")
new = "yesterday the old cat saw a garden", "gestern sah die alte Katze einen Garten"
print(aligner.align([new]).pharaoh(probabilities=True))
print(aligner.explain(*new).draw())

print("\nphrases:")
table = aligner.phrases(text)
for phrase in ("the house", "in the garden"):
    for pair in table.translations(phrase, 2):
        print(f"  {pair.source:<14} {pair.target:<12} {pair.scores[2]:.2f}")
