"""Raw text to sentences, tokens and words, learned from a treebank."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer as LearnedTokenizer
    from palmette.tools.tokens.treebank_text import TreebankText as TreebankText
    from palmette.tools.tokens.word_splitter import WordSplitter as WordSplitter
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "learned_tokenizer": "LearnedTokenizer",
            "treebank_text": "TreebankText",
            "word_splitter": "WordSplitter",
        },
    )
