"""A small language model: next words, perplexity of sentences, and a mixture of two models.

python examples/language_models/train.py
"""

from pathlib import Path

from palmette import LanguageModel

text = Path(__file__).with_name("text.txt").read_text().splitlines()
model = LanguageModel.fit(text, order=3, smoothing="absolute-discounting")
print(model)

print("\nafter 'the pear':")
for word, p in model.next_word("the pear", k=3):
    print(f"  {word:<10} {p:.3f}")

print("\nperplexity:")
for sentence in ("the gardener waters the pear tree", "tree pear the waters gardener the"):
    print(f"  {model.perplexity(sentence):7.1f}  {sentence}")

print("\nword by word:")
sentence = "the hedgehog waters the tulips"
scores = model.word_scores([sentence])
for word, log_prob, length, unknown in zip(
    [*sentence.split(), "</s>"], scores.log_probs, scores.lengths, scores.unknown
):
    print(f"  {word:<10} {log_prob:6.2f}  {'unknown' if unknown else f'by {length} words'}")

print("\na decoder's view, with histories as values:")
state = model.begin()
for word in "in the night".split():
    log_prob, _, _, state = model.advance(state, word)
    print(f"  {word:<10} {log_prob:6.2f}  {len(state.words)} words of history matter")

summer, winter = text[:13], text[13:]
parts = [LanguageModel.fit(part, order=2, smoothing="absolute-discounting") for part in (summer, winter)]
both = LanguageModel.mix(parts, held_out=text[10:16])
print(f"\nmixed: {both.facts['weights']}")
