"""Whether a word splitter looks at stems: the dev set decides, where there is one.

Stems gain where many words take endings, and cost where few tokens have several words: words of dev tokens have F1
98.3 with stems and 97.9 without in Turkish, 84.5 and 83.8 in Hebrew, 99.70 and 99.71 in English.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from palmette.tools.tokens.word_splitter import WordSplitter

if TYPE_CHECKING:
    from palmette.formats.corpus import Corpus
    from palmette.tools.tokens.treebank_text import TreebankText


def best_splitter(text: TreebankText, corpus: Corpus, dev: TreebankText | None) -> WordSplitter:
    """The splitter with the better words on a dev set, with stems or without; with them if there is no dev set."""
    made = WordSplitter.fit(text, corpus)
    if made.stems is None or dev is None or not any(dev.words):
        return made
    return max(WordSplitter.fit(text), made, key=lambda one: words_f1(one, dev))


def words_f1(splitter: WordSplitter, gold: TreebankText) -> float:
    """F1 of the words of gold tokens."""
    tokens = gold.tokens
    found = splitter.words(tokens[a:b] for a, b in pairwise(gold.offsets.tolist()))
    right = tried = wanted = 0
    for token, guess, words in zip(tokens, (one for sentence in found for one in sentence), gold.words):
        true = words or (token,)
        right += len(true) * (true == guess)
        tried, wanted = tried + len(guess), wanted + len(true)
    return 2 * right / max(tried + wanted, 1)
