"""Translation with rules that have gaps: the rules of a derivation, its two trees, and how many there are.

python examples/translation/hierarchical.py
"""

from pathlib import Path

from palmette import Translator

here = Path(__file__).parent
translator = Translator("hiero", options={"min_hole": 1}).fit(here / "train.tsv", dev=here / "dev.tsv")
tuned = translator.training_["tuned"]
print(f"{translator.training_['pairs']} pairs; BLEU on the dev text: {tuned['dev']:.3f}")

sentence = "heute hat die alte Frau das neue Buch gefunden ."
words = sentence.split()
best = translator.translate([sentence], probabilities=True)[0]
print(f"\n{sentence}\n{best.output}    p = {best.probability:.3f}\n")
for rule in best.derivation.derivation:
    if rule.kind != "glue":
        print(f"  words {rule.begin + 1} to {rule.end}: {rule.rule_text(words)}")

print("\nThe derivation as two trees; nodes of one rule have the same number:\n")
print(best.derivation.derivation.draw(words, width=110))

graph = translator.graphs([sentence])[0]
print(f"\nThe search has kept {graph.hypergraph.count():,} derivations.")
