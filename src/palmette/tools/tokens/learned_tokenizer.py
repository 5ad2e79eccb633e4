"""A tokenizer that is learned from a treebank: a chain over the characters of a text.

    text ──blocks──▶ paragraphs ──characters──▶ columns ──Templates, weights──▶ Chain ──▶ tokens and sentences

A label says what ends behind a character: nothing ("inside"), a token ("token"), or a token and with it a sentence
("sentence"). White space is not labelled, but seen. Where a paragraph ends, a sentence does; where white space
follows, a token does, unless tokens with spaces were seen in training.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.features.feature_map import FeatureMap
from palmette.features.templates import Templates
from palmette.formats.column import Column
from palmette.formats.conllu import read_conllu
from palmette.formats.corpus import Corpus, SentenceLines
from palmette.formats.files import Source
from palmette.formats.given import existing, is_path, naming
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import SUMS, Capabilities
from palmette.learning.votes import no_single_score
from palmette.messages import logged, warn
from palmette.parameters import require_int
from palmette.tools.estimator import Estimator
from palmette.tools.explanation import Explanation
from palmette.tools.pipeline_file import load_kind
from palmette.tools.probabilities import trained_for_probabilities
from palmette.tools.sentences import Gold, transform
from palmette.tools.sequence.model import SequenceModel, SequenceStructure, TokenScores
from palmette.tools.text.segmented import Segmented, segment
from palmette.tools.text.tokenizer import Token
from palmette.tools.tokens.blocks import LONGEST, NEWLINES, Block, blocks, gathered
from palmette.tools.tokens.characters import characters
from palmette.tools.tokens.cutting import INSIDE, LABELS, SENTENCE, TOKEN, Cut, allowed_labels, cut_block
from palmette.tools.tokens.file import restore_tokenizer, tokenizer_file
from palmette.tools.tokens.lexicon import Lexicon
from palmette.tools.tokens.splitter_choice import best_splitter
from palmette.tools.tokens.templates import CHARACTER_TEMPLATES
from palmette.tools.tokens.training import character_examples, labels_of, lexicon_of
from palmette.tools.tokens.treebank_text import TreebankText, treebank_text
from palmette.tools.training_record import training_record

if TYPE_CHECKING:
    from palmette.evaluation.raw_text_scores import RawTextScores
    from palmette.learning.learner import Callback, Learned, Learner, Score

Treebank = Corpus | Source
_MOST_EXPLAINED = 1000  # characters; the cost grows with their square
_MANY = 100_000  # characters of a treebank that is not small
_CERTAIN = 0.99  # the probability above which nothing ends behind a character, for sure


class LearnedTokenizer(Estimator):
    """Cuts text into sentences, tokens and words, as the treebank does that it was trained on.

    learner: how it is trained; None is a CRF, by SGD or, for a small treebank, by L-BFGS. templates: what it looks
    at, by default `CHARACTER_TEMPLATES`. min_count: rarer features are left out. n_jobs: threads, -1 for all
    processors.

    How text is read: newlines: "paragraph", an empty line ends a paragraph and so a sentence; "sentence", every
    line end does; "space", none. presegmented: every line is one sentence; pretokenized: white space divides
    tokens, and nothing else does. words: divide multiword tokens into words.

    >>> from palmette.formats.conllu import parse_conllu
    >>> row = "{}\\t{}\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t{}\\n"
    >>> go = "# text = Go!\\n" + row.format(1, "Go", "SpaceAfter=No") + row.format(2, "!", "_") + "\\n"
    >>> tokenizer = LearnedTokenizer().fit(parse_conllu(go * 20))
    >>> [[token.text for token in sentence] for sentence in tokenizer.sentences("Run! Go!")]
    [['Run', '!'], ['Go', '!']]
    """

    kind = "tokenizer"
    model_: SequenceModel
    lexicon_: Lexicon

    def __init__(
        self,
        learner: Learner | None = None,
        *,
        templates: str | None = None,
        min_count: int = 2,
        newlines: str = "paragraph",
        presegmented: bool = False,
        pretokenized: bool = False,
        words: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.templates = templates
        self.min_count = min_count
        self.newlines = newlines
        self.presegmented = presegmented
        self.pretokenized = pretokenized
        self.words = words
        self.n_jobs = n_jobs

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return "a tokenizer"

    @property
    def offers(self) -> Capabilities:
        """All that chains have whose labels are known; see `Estimator.offers`."""
        return SUMS | {"history"}

    def default_learner(self) -> Learner:
        """Return the learner that is used where none is given."""
        return usual_learner(_MANY)

    # Training

    def fit(
        self,
        X: Treebank,
        y: None = None,
        *,
        dev: Treebank | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Train on a treebank: a corpus that was read from CoNLL-U, or the path of such a file.

        dev: a treebank to choose the best pass by. What is inconsistent in the treebank is logged, and kept in
        `notes_`.
        """
        from palmette.tools.sequence.training import Examples, train_sequences

        self.check_learner()
        require_int("min_count", self.min_count, 1)
        with naming(X):
            corpus = as_treebank(X)
            text = treebank_text(corpus, paragraphs=False)
        learner = self._learner() if self.learner is not None else usual_learner(len(text.text))
        warn(*text.notes)
        templates = Templates(CHARACTER_TEMPLATES if self.templates is None else self.templates)
        found = character_examples(text, templates, self.min_count)
        structure = SequenceStructure.refined(list(LABELS), templates.label_order, None, learner)
        gold = Gold(found.labels, LABELS, found.instances.offsets)
        examples = Examples(structure, found.features, found.instances, gold, None)
        lexicon = lexicon_of(text)
        model, learned = train_sequences(
            learner,
            examples,
            start=None,
            automaton=None,
            dev=None if dev is None else lambda s: self._dev_score(s, found.features, lexicon, dev),
            callback=logged(callback, "tokenizer"),
        )
        self._set(model, lexicon, learned)
        self.spaces_ = any(len(token.split()) > 1 for token in text.tokens)
        self.splitter_ = best_splitter(text, corpus, None if dev is None else _text_of(dev))
        self.notes_ = text.notes
        self.training_ = {
            **training_record(learner, learned, found.instances),
            "sentences": len(corpus),
            "characters": len(text.text),
            "treebank_tokens": len(text.begins),
        }
        return self

    def _set(self, model: SequenceModel, lexicon: Lexicon, learned: Learned | None) -> None:
        self.model_, self.lexicon_ = model, lexicon
        self.history_ = () if learned is None else learned.history
        self.interrupted_ = learned is not None and learned.interrupted

    def _dev_score(
        self, structure: SequenceStructure, features: FeatureMap, lexicon: Lexicon, dev: Treebank
    ) -> Score:
        """The mean of F1 of tokens and of sentences."""
        text = _text_of(dev)
        found = characters(text.text, lexicon)
        gold = labels_of(text, found.places)
        instances = features.transform(found.corpus)

        def score(weights: NDArray[np.float32]) -> float:
            guess = SequenceModel(structure, features, weights).decode(instances, self._jobs)
            return (_f1(gold >= TOKEN, guess >= TOKEN) + _f1(gold == SENTENCE, guess == SENTENCE)) / 2

        return score

    # Tokens

    def sentences(self, text: str | Iterable[str]) -> Iterator[list[Token]]:
        """The sentences of a text: a string, or an iterable of its pieces, such as an open file."""
        return chain.from_iterable(self.paragraphs(text))

    def paragraphs(self, text: str | Iterable[str]) -> Iterator[list[list[Token]]]:
        """The sentences of each paragraph. Tokens are those of the text: multiword tokens are not divided."""
        held: list[list[Token]] = []
        for cut in self._cuts(gathered([text] if isinstance(text, str) else text)):
            for k, sentence in enumerate(cut.sentences()):
                if cut.paragraphs[k] and held:
                    yield held
                    held = []
                held.append(sentence)
        if held:
            yield held

    def corpus(self, text: str | Iterable[str], *, first: int = 1) -> Corpus:
        """The text as a corpus with the columns form and misc, multiword tokens divided into words.

        Sentences are numbered from `first`.
        """
        found = [
            one.corpus for one in self._segmented(gathered([text] if isinstance(text, str) else text), first)
        ]
        return found[0] if len(found) == 1 else _joined(found)

    def corpora(self, pieces: Iterable[str]) -> Iterator[Corpus]:
        """A text that comes in pieces as corpora, whose sentences are those of the whole text."""
        return (found.corpus for found in self.segmented(pieces))

    def segmented(self, pieces: Iterable[str], *, probabilities: bool = False) -> Iterator[Segmented]:
        """Sentences of a text that comes in pieces, with the places of their words; memory is bounded.

        Pieces may end anywhere. A paragraph waits until it ends, or is very long. probabilities: how sure each
        token is, and that a sentence ends behind it or not.
        """
        return self._segmented(pieces, 1, probabilities)

    @property
    def probabilities_from(self) -> str:
        """Say what the probabilities are: "model", "votes", or "scores" if the learner does not estimate any."""
        if self._fitted.votes is not None:
            return "votes"
        return "model" if trained_for_probabilities(self.training_.get("learner")) else "scores"

    def _segmented(
        self, pieces: Iterable[str], first: int, probabilities: bool = False
    ) -> Iterator[Segmented]:
        for cut in self._cuts(pieces, probabilities):
            found = segment(
                cut.text,
                cut.begins,
                cut.ends,
                cut.offsets,
                base=cut.base,
                first=first,
                paragraphs=cut.paragraphs,
            )
            first += len(cut.offsets) - 1
            found = replace(found, probabilities=cut.probabilities)
            yield self.splitter_.split(found) if self.words else found

    def _cuts(self, pieces: Iterable[str], probabilities: bool = False) -> Iterator[Cut]:
        self._check_reading()
        newlines = "sentence" if self.presegmented else self.newlines
        gap: str | None = None  # the white space at the end of the last cut
        waiting = ""  # and that of blocks behind it
        for block in blocks(pieces, newlines):
            cut = self._cut(block, None if gap is None else gap + waiting, probabilities)
            if cut is None:
                waiting = (waiting + block.text[: block.used])[-LONGEST:]
                continue
            yield cut.behind(waiting) if waiting else cut
            gap, waiting = cut.text[cut.ends[-1] :], ""

    def _cut(self, block: Block, gap: str | None, probabilities: bool) -> Cut | None:
        """The sentences of a block; None if there are none. gap: see `cut_block`."""
        model, n_jobs = self._fitted, self._jobs
        found = characters(block.text, self.lexicon_, block.ends)
        if not len(found.places):
            block.used = len(block.text)
            return None
        allowed = allowed_labels(
            found,
            block.whole,
            spaces=self.spaces_,
            presegmented=self.presegmented,
            pretokenized=self.pretokenized,
        )
        given = model.encode(found.corpus, n_jobs)
        if isinstance(given, TokenScores):
            given.unary.reshape(len(allowed), -1)[:, : len(LABELS)][~allowed] = -np.inf
        labels = model.decode(given, n_jobs)
        wrong = np.flatnonzero(~allowed[np.arange(len(labels)), labels])  # votes may break these rules
        labels[wrong] = allowed[wrong].argmax(axis=1)
        p = model.probabilities(given, n_jobs) if probabilities else None
        return cut_block(block, found, labels, gap, p)

    def _check_reading(self) -> None:
        if self.newlines not in NEWLINES:
            raise ValueError(
                f"'newlines' must be one of {', '.join(NEWLINES)}. Got {self.newlines!r} instead."
            )

    @property
    def _fitted(self) -> SequenceModel:
        try:
            return self.model_
        except AttributeError:
            raise ValueError("This LearnedTokenizer is not trained yet: call fit first.") from None

    # Use

    def predict(self, X: Iterable[str]) -> list[list[list[str]]]:
        """The sentences of every text, each a list of its words."""
        if isinstance(X, str):
            raise TypeError("Texts must be a list of strings. Got one string instead: put it in a list.")
        return [[sentence["form"] for sentence in self.corpus(text)] for text in X]

    def evaluate(self, X: Treebank) -> RawTextScores:
        """Compare the sentences, tokens and words of a treebank with those that are found in its raw text."""
        from palmette.evaluation.raw_text import evaluate_raw_text

        with naming(X):
            gold = as_treebank(X)
            return evaluate_raw_text(gold, self.corpus(treebank_text(gold).text))

    def explain(self, text: str) -> Explanation:
        """Why tokens and sentences end where they do: the decisions about the characters of a text.

        Left out are characters in the middle of tokens that are certain.
        """
        from palmette.tools.sequence.explanation import explain_sentence

        model, found = self._fitted, characters(text, self.lexicon_)
        if not len(found.places):
            raise ValueError("There is nothing to explain: the text has no characters but white space.")
        if len(found.places) > _MOST_EXPLAINED:
            raise ValueError(
                f"At most {_MOST_EXPLAINED} characters can be explained. Got {len(found.places)}: give fewer."
            )
        if model.votes is not None:
            raise no_single_score("An explanation")
        whole = explain_sentence(model, transform(model.features, found.corpus), found.corpus)
        chosen = [
            replace(decision, extra={**decision.extra, "place": place})
            for decision, place in zip(whole.decisions, found.places.tolist())
            if decision.chosen != LABELS[INSIDE] or decision.extra["probability"] < _CERTAIN
        ]
        return Explanation(tuple(chosen), "characters")

    def score(self, X: Treebank, y: None = None) -> float:
        """F1 of words on the raw text of a treebank."""
        return self.evaluate(X).counts["words"].f1

    # Files

    def save(self, path: Source, *, compact: bool = True) -> None:
        """Write a model file. compact=False keeps every weight in full and the names of all features."""
        self.to_model(compact=compact).save(path)

    def to_model(self, *, compact: bool = False, fingerprint: str = "") -> ModelFile:
        """Return what `save` writes."""
        return tokenizer_file(self, compact=compact, fingerprint=fingerprint)

    @classmethod
    def load(cls, path: Source) -> Self:
        """The tokenizer of a model file, or of a pipeline."""
        return cls.from_model(load_kind(path, cls.kind))

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The tokenizer of a model file that is open already."""
        file.require_kind(cls.kind)
        made = cls()
        restore_tokenizer(made, file)
        return made


def usual_learner(n_characters: int) -> Learner:
    """The learner for a treebank of that size: a few sentences are too few for the steps of SGD."""
    from palmette.learning.loglinear import CRF

    return CRF(l2=0.5) if n_characters >= _MANY else CRF(l2=0.02, method="lbfgs")


def as_treebank(given: Treebank) -> Corpus:
    """The treebank that was given, as a corpus; FormatError if it has no words."""
    corpus = read_conllu(existing(given, "a treebank is a Corpus")) if is_path(given) else given
    if not isinstance(corpus, Corpus):
        raise TypeError(
            f"A treebank must be a Corpus or the path of a CoNLL-U file. Got {type(given).__name__}."
        )
    if not corpus.n_words:
        raise FormatError("a treebank without words")
    return corpus


def _text_of(dev: Treebank) -> TreebankText:
    with naming(dev):
        return treebank_text(as_treebank(dev), paragraphs=False)


def _f1(gold: NDArray[np.bool_], guess: NDArray[np.bool_]) -> float:
    """F1 of the ranges that end where these are true."""
    right, tried = np.flatnonzero(gold), np.flatnonzero(guess)
    if not len(right) + len(tried):
        return 1.0
    begins = np.concatenate([[-1], right[:-1]]), np.concatenate([[-1], tried[:-1]])
    same = np.isin(right * len(gold) + begins[0], tried * len(gold) + begins[1])
    return 2 * int(same.sum()) / (len(right) + len(tried))


def _joined(corpora: list[Corpus]) -> Corpus:
    """Corpora of a tokenizer, one behind the other."""
    columns = {
        name: Column.of(chain.from_iterable(corpus.column(name).values() for corpus in corpora))
        for name in ("form", "misc")
    }
    return Corpus(
        columns,
        _summed([corpus.offsets for corpus in corpora]),
        comments=_lines([corpus.comments for corpus in corpora]),
        extras=_lines([corpus.extras for corpus in corpora]),
        extra_after=np.concatenate([np.zeros(0, dtype=np.int32), *(c.extra_after for c in corpora)]),
    )


def _lines(found: list[SentenceLines]) -> SentenceLines:
    return SentenceLines(
        _summed([one.offsets for one in found]), list(chain.from_iterable(one.lines for one in found))
    )


def _summed(offsets: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The offsets of corpora one behind the other."""
    return np.concatenate([np.zeros(1, dtype=np.int64), *map(np.diff, offsets)]).cumsum()
