"""A translator from a few hundred sentences: training, translations, terminology, and why.

python examples/translation/translate.py
"""

from pathlib import Path

from palmette import Translator
from palmette.tools.translation import Known

here = Path(__file__).parent
translator = Translator().fit(here / "train.tsv", dev=here / "dev.tsv")
tuned = translator.training_["tuned"]
print(f"{translator.training_['pairs']} pairs; BLEU on the dev text: {tuned['dev']:.3f}")

sentence = "heute hat die alte Frau das neue Buch gefunden ."
print(f"\n{sentence}")
for one in translator.kbest([sentence], 3, probabilities=True)[0]:
    print(f"  {one.probability:.3f}  {one.output}")

print("\nwith terminology:")
known = Known(fixed=[(6, 7, "volume")], forbidden=["the old"])
print(f"  {translator.predict([sentence], known=[known])[0]}")

print()
print(translator.explain(sentence))
