"""The options of a thesaurus."""

from __future__ import annotations

from dataclasses import dataclass

from palmette.parameters import Options, option

# Similarities of sparse rows, computed natively; "vectors" is the cosine of dense vectors.
SPARSE = ("lin", "cosine", "set-cosine", "dice", "jaccard")
MEASURES = (*SPARSE, "vectors")


@dataclass(frozen=True, kw_only=True)
class ThesaurusOptions(Options):
    """What counts as a context, which words are kept, and how they are compared."""

    measure: str | None = option(
        None, "measure of similarity; by default vectors if there are some, else lin", choices=MEASURES
    )
    contexts: str = option(
        "auto",
        "what a word occurs with: relations of dependency trees, words nearby, or both; auto: both where there "
        "are trees",
        choices=("auto", "dependencies", "windows", "both"),
        fixed=True,
    )
    window: int = option(5, "distance of the farthest words nearby", low=1, high=50, fixed=True)
    words: str = option(
        "auto",
        "what a word is: its lemma, its form, its form in lower case; auto: the lemma where there are lemmas, "
        "else lower",
        choices=("auto", "lemma", "form", "lower"),
        fixed=True,
    )
    tags: bool = option(False, "keep words of different parts of speech apart: plant/NOUN", fixed=True)
    min_count: int = option(3, "leave out words that occur fewer times", low=1, fixed=True)
    max_words: int = option(
        50_000, "words with entries: this number of the most frequent ones", low=1, fixed=True
    )
    min_context: int = option(2, "leave out contexts that occur fewer times", low=1, fixed=True)
    smoothing: float = option(
        1.0,
        "power of the counts of contexts: below 1, rare ones weigh less; 1 for none",
        above=0,
        high=1,
        fixed=True,
    )
    dimensions: int = option(
        150,
        "dimensions of dense vectors, for words nearby and for relations each, by truncated SVD; 0 for none",
        low=0,
        fixed=True,
    )
    weight: float = option(
        0.5, "weight of relations beside words nearby in dense vectors", low=0, high=10, fixed=True
    )
    power: float = option(0.5, "power of the singular values in dense vectors", low=0, high=1, fixed=True)
    patterns: str = option(
        "from X to Y; either X or Y", "word patterns of opposites, separated by semicolons", fixed=True
    )
    language: str = option("en", "language of the tokenizer, for text", fixed=True)
    memory: str = option("1G", "memory for counts; what does not fit waits on disk", fixed=True)

    def check(self) -> None:
        """Check the patterns and the memory."""
        from palmette.tools.lm.runs import bytes_of
        from palmette.tools.thesaurus.opposites import read_patterns

        bytes_of(self.memory)
        read_patterns(self.patterns)
