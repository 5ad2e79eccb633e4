"""How a pipeline learns to cut text into sentences, tokens and words, together or one without the other."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from palmette.errors import UsageError
from palmette.tools.pipeline.learned_steps import seed
from palmette.tools.pipeline.model import AnyTokenizer
from palmette.tools.pipeline.step import TOKENS, WORDS
from palmette.tools.text.tokenizer import Tokenizer
from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer
from palmette.tools.tokens.splitter_choice import best_splitter
from palmette.tools.tokens.treebank_text import treebank_text

if TYPE_CHECKING:
    from palmette.tools.pipeline.training import _Training


def tokenizer(training: _Training, earlier: AnyTokenizer | None) -> AnyTokenizer:
    """The tokenizer: learned, or the earlier one; rules where there is neither, or tokens are left out.

    Where tokens are learned and words are not, the words of the earlier one stay, and the other way round.
    """
    without, only = training.pipeline.without, training.only
    by_rules = Tokenizer(training.pipeline.language or "generic")
    if TOKENS in without:
        if WORDS in only:
            raise UsageError("The step words needs the step tokens, which is left out.")
        return by_rules
    learned = earlier if isinstance(earlier, LearnedTokenizer) else None
    if WORDS in only and TOKENS not in only:
        if learned is None:
            raise UsageError(
                "The step words divides the tokens of a learned tokenizer, and there is none: train tokens too, "
                "or begin with a pipeline that has learned them (--start)."
            )
        return _with_words(training, learned)
    if (only and TOKENS not in only) or (earlier is not None and not only):
        if isinstance(earlier, LearnedTokenizer) and WORDS in without:
            earlier = copy(earlier).set_params(words=False)
        return by_rules if earlier is None else spoken(earlier, training.pipeline.language)
    return _learned(training, None if training.trains(WORDS) else learned)


def spoken(tokenizer: AnyTokenizer, language: str | None) -> AnyTokenizer:
    """The tokenizer; rules are those for the language, if one is named."""
    if language is None or not isinstance(tokenizer, Tokenizer) or tokenizer.language == language:
        return tokenizer
    return Tokenizer(language, lines=tokenizer.lines)


def _learned(training: _Training, earlier: LearnedTokenizer | None) -> LearnedTokenizer:
    """A tokenizer of the treebank. earlier: the one whose words stay."""
    pipeline = training.pipeline
    words = training.trains(WORDS) or (
        earlier is not None and earlier.words and WORDS not in pipeline.without
    )
    made = LearnedTokenizer(words=words, n_jobs=pipeline.n_jobs)
    seed(made, pipeline.random_state)
    made.fit(training.treebank, dev=training.dev)
    if earlier is not None:
        made.splitter_ = earlier.splitter_
    for text in made.notes_:
        training.note(f"{TOKENS:<10}  {text}")
    told = f"{made.training_['treebank_tokens']:,} tokens, {made.training_['characters']:,} characters"
    _tell(training, TOKENS, told, made)
    return made


def _with_words(training: _Training, earlier: LearnedTokenizer) -> LearnedTokenizer:
    """The same tokens, with the words of the treebank."""
    made = copy(earlier).set_params(words=True)
    text = treebank_text(training.treebank, paragraphs=False)
    dev = None if training.dev is None else treebank_text(training.dev, paragraphs=False)
    made.splitter_ = best_splitter(text, training.treebank, dev)
    several = sum(words is not None for words in text.words)
    training.note(f"{TOKENS:<10}  kept")
    _tell(training, WORDS, f"{several:,} of {len(text.tokens):,} tokens have several words", made)
    return made


def _tell(training: _Training, step: str, told: str, made: LearnedTokenizer) -> None:
    if training.dev is not None:
        counts = made.evaluate(training.dev).counts
        found = {name: counts[name].f1 for name in ("tokens", "sentences", "words")}
        training.figures[step] = {name: round(value, 5) for name, value in found.items()}
        told += "; dev: " + ", ".join(f"{name} {100 * value:.2f}" for name, value in found.items())
    training.note(f"{step:<10}  {told}")
