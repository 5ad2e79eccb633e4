"""`LanguageModel`: an n-gram model that is trained, asked, saved, pruned and mixed.

Logarithms are of base 10, as in ARPA files and KenLM. A sentence is a string of words between white space, or a
list of words; <s> and </s> are added.
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette._native import NgramModel, NgramPlain, NgramState
from palmette.errors import FormatError
from palmette.formats.arpa import read_arpa, write_arpa
from palmette.formats.files import Source, read_text
from palmette.formats.given import listed_rows
from palmette.formats.model import ModelFile
from palmette.formats.model.strict_json import Json
from palmette.formats.registry import is_arpa
from palmette.messages import LOGGER
from palmette.parameters import require_int
from palmette.threads import n_threads
from palmette.tools.explanation import Explanation
from palmette.tools.lm.arrays import KIND, ModelArrays, check_layout, count_arrays, kept_counts, native_model
from palmette.tools.lm.estimation import Estimation, count, estimate
from palmette.tools.lm.explanation import explain_words
from palmette.tools.lm.runs import BYTES_PER_NGRAM, bytes_of
from palmette.tools.lm.scores import Evaluation, Step, WordScores
from palmette.tools.lm.text import Sentence, Text, as_line
from palmette.tools.pipeline_file import load_kind

Sentences: TypeAlias = os.PathLike[str] | Iterable[Sentence]  # a file has a sentence on each line


class LanguageModel:
    """An n-gram language model.

    >>> text = ["the cat sat", "the dog sat", "a dog ran"]
    >>> model = LanguageModel.fit(text, order=2, smoothing="dirichlet", concentration=1.0)
    >>> model.next_word("a", k=1)[0][0], round(model.score("the dog ran"), 2)
    ('dog', -1.33)
    """

    def __init__(self, arrays: ModelArrays, *, fingerprint: str = "", path: str | None = None) -> None:
        self._arrays = arrays
        self._native: NgramModel = native_model(arrays, path)
        self.fingerprint = fingerprint
        self.path = path

    # ---- where models come from, and where they go

    @classmethod
    def fit(
        cls,
        X: Text,
        *,
        order: int = 5,
        smoothing: str = "modified-kneser-ney",
        prune: Sequence[int] = (0,),
        vocabulary: Iterable[str] | None = None,
        max_words: int | None = None,
        min_count: int = 1,
        discount: float | None = None,
        concentration: float | None = None,
        layout: Literal["hashed", "trie"] = "hashed",
        quantize: int = 0,
        keep_counts: bool = False,
        errors: Literal["strict", "replace"] = "strict",
        marks: Literal["fail", "skip"] = "fail",
        memory: int | str | None = None,
        n_jobs: int = 1,
        progress: Callable[[int], object] | None = None,
    ) -> LanguageModel:
        """Return a model of text X: a file, "-" for standard input, or an iterable of sentences.

        order, smoothing, prune, vocabulary, max_words, min_count, discount, concentration: see `Estimation`.
        layout: "hashed" is faster, "trie" is smaller. quantize: bits of a probability in place of 32.
        keep_counts: keep the counts, so that `add` can add text later.
        errors: bytes that are not UTF-8 are an error ("strict") or become U+FFFD ("replace").
        marks: <s> and </s> in the text are an error ("fail") or passed over ("skip").
        memory: bytes that may be used, or "500M", "2G". Counts that do not fit wait on disk in sorted runs, which
            are merged; a model that does not fit is refused with the number of bytes that it needs.
        progress: called with the number of bytes of every piece that was read.
        """
        n_jobs = n_threads(n_jobs)
        limit = None if memory is None else bytes_of(memory)
        chosen = Estimation(
            order=order,
            smoothing=smoothing,
            prune=prune,
            vocabulary=vocabulary,
            max_words=max_words,
            min_count=min_count,
            discount=discount,
            concentration=concentration,
        )
        check_layout(layout, quantize)
        counted = count(
            X,
            chosen,
            errors=errors,
            marks=marks,
            n_jobs=n_jobs,
            progress=progress,
            memory=limit,
            bytes_per_ngram=BYTES_PER_NGRAM[layout] + 12 * keep_counts,
        )
        kept = count_arrays(counted.counts) if keep_counts else {}
        plain, facts = estimate(counted.counts, chosen, n_jobs)
        extra: dict[str, Json] = {**facts, "training": counted.facts}
        if discount is not None:
            extra["discount"] = discount
        if concentration is not None:
            extra["concentration"] = concentration
        arrays = ModelArrays.of(plain, layout, quantize, kept, n_jobs, extra)
        sizes = ", ".join(f"{size:,} {n}-grams" for n, size in enumerate(arrays.sizes, 1))
        LOGGER.info("%s, %s", KIND, sizes)
        return cls(arrays, fingerprint=counted.fingerprint)

    @classmethod
    def load(cls, path: Source) -> LanguageModel:
        """Return the model of a file, which is mapped; or of a model that comes with Palmette, by its name.

        A file whose name ends in .arpa or .arpa.gz is read as an ARPA file.
        """
        if is_arpa(path):
            return cls.from_arpa(path)
        return cls.from_model(load_kind(path, KIND))

    @classmethod
    def from_model(cls, model: ModelFile) -> LanguageModel:
        """A model from the content of its file."""
        return cls(ModelArrays.from_model(model), fingerprint=model.fingerprint, path=model.path)

    @classmethod
    def from_arpa(
        cls, path: Source, *, layout: Literal["hashed", "trie"] = "hashed", quantize: int = 0
    ) -> LanguageModel:
        """A model from an ARPA file, gzipped or not."""
        check_layout(layout, quantize)
        return cls(
            ModelArrays.of(read_arpa(path), layout, quantize, extra={"smoothing": "from an ARPA file"})
        )

    def to_model(self) -> ModelFile:
        """The content of a model file."""
        return self._arrays.to_model(self.fingerprint)

    def save(self, path: Source) -> None:
        """Write the model to a file (*.palm), or as text if the name ends in .arpa or .arpa.gz.

        The file is written out of sight first, so that no half of it is ever there.
        """
        if is_arpa(path):
            self.to_arpa(path)
        else:
            self.to_model().save(path)

    def to_arpa(self, path: Source) -> None:
        """Write the model as an ARPA file, gzipped if its name ends in .gz."""
        write_arpa(self._plain(), path)

    def convert(
        self, *, layout: Literal["hashed", "trie"], quantize: int = 0, n_jobs: int = 1
    ) -> LanguageModel:
        """The same model in another layout, and with quantized values."""
        return self._made(self._plain(), layout, quantize, self._arrays.extra, n_threads(n_jobs))

    def __reduce__(self) -> tuple[Any, ...]:
        buffer = io.BytesIO()
        self.to_model().write(buffer)
        return _from_bytes, (buffer.getvalue(),)

    # ---- what is in a model

    @property
    def order(self) -> int:
        """Words in the longest n-grams."""
        return len(self._arrays.sizes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many n-grams of one word, of two, … there are."""
        return self._arrays.sizes

    @property
    def words(self) -> Sequence[str]:
        """The vocabulary; the first three are <unk>, <s> and </s>."""
        return self._arrays.words

    @property
    def layout(self) -> str:
        """ "hashed" or "trie"."""
        return self._arrays.layout

    @property
    def facts(self) -> dict[str, Json]:
        """How the model was estimated."""
        return dict(self._arrays.extra)

    def __contains__(self, word: str) -> bool:
        return self._native.contains(word)

    def __repr__(self) -> str:
        numbers = ", ".join(f"{n:,}" for n in self.sizes)
        return f"<LanguageModel of order {self.order}: {numbers} n-grams, {self.layout}>"

    # ---- scores

    def score(self, sentence: Sentence, *, bos: bool = True, eos: bool = True) -> float:
        """The log10 probability of a sentence: of its words and its end, after its beginning.

        bos: whether the beginning of a sentence is the history of the first word. eos: whether the end counts.
        """
        return self._native.score(as_line(sentence), bos, eos)

    def score_batch(
        self,
        sentences: Sentences,
        *,
        bos: bool = True,
        eos: bool = True,
        n_jobs: int = 1,
    ) -> NDArray[np.float64]:
        """The log10 probabilities of many sentences in one call, without the interpreter's lock."""
        return self._native.score_batch(_lines(sentences), bos, eos, n_threads(n_jobs))

    def word_scores(
        self,
        sentences: Sentences,
        *,
        bos: bool = True,
        eos: bool = True,
        n_jobs: int = 1,
    ) -> WordScores:
        """The log10 probability of every word of many sentences."""
        jobs = n_threads(n_jobs)
        probs, lengths, unknown, bounds = self._native.word_scores(_lines(sentences), bos, eos, jobs)
        return WordScores(probs, lengths, unknown.view(np.bool_), bounds)

    def evaluate(self, sentences: Sentences, *, n_jobs: int = 1) -> Evaluation:
        """How well the model predicts a text."""
        scores = self.word_scores(sentences, n_jobs=n_jobs)
        n, n_sentences = len(scores.log_probs), len(scores.bounds) - 1
        if not n_sentences:
            raise ValueError("no text: at least one sentence is needed")
        total = float(scores.log_probs.sum(dtype=np.float64))
        known = scores.log_probs[~scores.unknown]
        words, unknown = n - n_sentences, int(scores.unknown.sum())
        return Evaluation(
            perplexity=_power(-total / n),
            perplexity_known=_power(-float(known.sum(dtype=np.float64)) / max(len(known), 1)),
            oov=unknown / max(words, 1),
            tokens=n,
            words=words,
            unknown=unknown,
            sentences=n_sentences,
            log_prob=total,
        )

    def perplexity(self, sentences: Sentences, *, n_jobs: int = 1) -> float:
        """The perplexity of a text: the inverse probability of a word or sentence end, on geometric average.

        One string is one sentence.
        """
        return self.evaluate(
            [sentences] if isinstance(sentences, str) else sentences, n_jobs=n_jobs
        ).perplexity

    def explain(self, sentence: Sentence, *, bos: bool = True, eos: bool = True) -> Explanation:
        """Explain the probability of every word: the n-gram that was found, and what falling back to it cost.

        The margin of a decision is the log10 probability of its word, and its contributions sum to it; the margins
        sum to `score`. bos, eos: as there.
        """
        words = [*as_line(sentence).split(), *(["</s>"] if eos else [])]
        return explain_words(self._native, words, self.begin() if bos else NgramState())

    # ---- histories, for decoders

    def begin(self) -> NgramState:
        """The history at the beginning of a sentence. Histories are values: equal if they mean the same."""
        return self._native.begin()

    def state(self, words: Sentence = "", *, bos: bool = True) -> NgramState:
        """The history after some words."""
        state = self.begin() if bos else NgramState()
        for word in as_line(words).split():
            state = self._native.advance(state, word)[3]
        return state

    def advance(self, state: NgramState, word: str) -> Step:
        """The log10 probability of a word after a history, and the history with it."""
        return Step(*self._native.advance(state, word))

    def distribution(self, history: Sentence | NgramState = "", *, bos: bool = True) -> NDArray[np.float32]:
        """The probability of every word of the vocabulary (see `words`) after a history; they sum to one."""
        state = history if isinstance(history, NgramState) else self.state(history, bos=bos)
        return self._native.distribution(state)

    def next_word(
        self, history: Sentence | NgramState = "", k: int = 10, *, bos: bool = True
    ) -> list[tuple[str, float]]:
        """The k likeliest next words with their probabilities; </s> is the end of the sentence."""
        require_int("k", k, 1)
        probs = self.distribution(history, bos=bos)
        k = min(k, len(probs))
        best = np.argpartition(-probs, k - 1)[:k]
        best = best[np.lexsort((best, -probs[best]))]
        return [(self._native.word(int(i)), float(probs[i])) for i in best]

    def sample(
        self, n: int = 1, *, start: Sentence = "", max_words: int = 100, random_state: int | None = None
    ) -> list[str]:
        """Random sentences that begin with `start`, cut off after `max_words` words. <unk> is never drawn."""
        if n < 0 or max_words < 0:
            raise ValueError("n and max_words must not be negative")
        random = np.random.default_rng(random_state)
        first = as_line(start)
        made = []
        for _ in range(n):
            state, words = self.state(first), first.split()
            while len(words) < max_words:
                sums = self._native.distribution(state).astype(np.float64)
                sums[0] = 0
                sums = sums.cumsum()
                if not sums[-1] > 0:
                    break
                word = self._native.word(int(np.searchsorted(sums, random.random() * sums[-1], side="right")))
                if word == "</s>":
                    break
                words.append(word)
                state = self._native.advance(state, word)[3]
            made.append(" ".join(words))
        return made

    # ---- other models

    def prune(self, threshold: float) -> LanguageModel:
        """The model without n-grams that hardly change it: each may raise the perplexity by this fraction at most.

        1e-8 is gentle; 1e-6 leaves a small model.
        """
        if not threshold >= 0 or math.isinf(threshold):
            raise ValueError(f"threshold must be a number from 0 on, not {threshold}")
        plain = self._plain()
        plain.prune(threshold)
        extra: dict[str, Json] = {**self._arrays.extra, "entropy_pruned": threshold}
        return self._made(plain, self.layout, self._arrays.quantize, extra)

    def add(self, text: Text, *, n_jobs: int = 1, **reading: Any) -> LanguageModel:
        """The model of the text so far and more text; needs a model that was trained with keep_counts.

        reading: `errors` and `marks`, as in `fit`.
        """
        n_jobs = n_threads(n_jobs)
        counts = kept_counts(self._arrays, self.path)
        if counts is None:
            raise ValueError(
                "the counts of this model were not kept: train it with keep_counts=True to add text"
            )
        extra = self._arrays.extra
        chosen = Estimation(
            order=len(counts.sizes),
            smoothing=str(extra.get("smoothing")),
            prune=_numbers(extra.get("prune", [0])),
            discount=_number(extra.get("discount")),
            concentration=_number(extra.get("concentration")),
        )
        counted = count(text, chosen, known=self.words, n_jobs=n_jobs, **reading)
        counts.merge(counted.counts, n_jobs)
        kept = count_arrays(counts)
        plain, facts = estimate(counts, chosen, n_jobs)
        before = extra.get("training")
        known = before if isinstance(before, dict) else {}
        training: dict[str, Json] = {
            name: number + _whole(known.get(name))
            for name, number in counted.facts.items()
            if isinstance(number, int)
        }
        more: dict[str, Json] = {**extra, **facts, "training": training}
        arrays = ModelArrays.of(plain, self.layout, self._arrays.quantize, kept, n_jobs, more)
        return LanguageModel(arrays)

    @staticmethod
    def mix(
        models: Sequence[LanguageModel],
        weights: Sequence[float] | None = None,
        *,
        held_out: Iterable[Sentence] | None = None,
        layout: Literal["hashed", "trie"] = "hashed",
        quantize: int = 0,
        n_jobs: int = 1,
    ) -> LanguageModel:
        """One model of several; see `palmette.tools.lm.mixing.mix`."""
        from palmette.tools.lm.mixing import mix

        return mix(models, weights, held_out=held_out, layout=layout, quantize=quantize, n_jobs=n_jobs)

    def _plain(self) -> NgramPlain:
        try:
            return self._native.unpack()
        except ValueError as error:
            raise FormatError(f"damaged model: {error}", path=self.path) from None

    def _made(
        self, plain: NgramPlain, layout: str, quantize: int, extra: dict[str, Json], n_jobs: int = 1
    ) -> LanguageModel:
        arrays = ModelArrays.of(plain, layout, quantize, n_jobs=n_jobs, extra=dict(extra))
        return LanguageModel(arrays, fingerprint=self.fingerprint)


def _lines(sentences: Sentences) -> list[str]:
    if isinstance(sentences, str):
        raise TypeError(
            "many sentences are a list of strings, and this is one string: put it in a list, or give a Path if it "
            "names a file"
        )
    if isinstance(sentences, os.PathLike):
        lines = read_text(sentences).split("\n")
        return lines if lines[-1] else lines[:-1]
    if isinstance(sentences, list) and all(type(line) is str for line in sentences):
        return sentences
    return [as_line(line) for line in listed_rows(sentences, "Sentences")]


def _power(exponent: float) -> float:
    return 10.0**exponent if exponent < 300 else math.inf


def _from_bytes(data: bytes) -> LanguageModel:
    return LanguageModel.from_model(ModelFile.from_buffer(data, KIND))


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _whole(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _numbers(value: Json) -> list[int]:
    return [n for n in value if isinstance(n, int)] if isinstance(value, list) else [0]
