"""Lemmas: an edit script for every word, chosen by its form, part of speech and features.

    F(x) = argmax over scripts s that fit the form of  w · Φ(form, upos, feats, s) + what is known of the lemma

A user's dictionary comes first, then the words of the training data, then the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from math import log
from typing import TYPE_CHECKING, Any, Self

from palmette.features import FeatureMap, Templates
from palmette.features.word_hashes import KnownWords, used_words
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.files import Source
from palmette.formats.given import naming
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import SUMS, Capabilities
from palmette.messages import logged, warn
from palmette.parameters import require_int
from palmette.tools.answers import Answers
from palmette.tools.estimator import Estimator
from palmette.tools.morphology.edit_scripts import script_of
from palmette.tools.morphology.lemma_file import lemmatizer_file, load_lemmatizer
from palmette.tools.morphology.lemma_model import Candidate, LemmaModel, Word, corpus_of
from palmette.tools.morphology.lemma_training import (
    TEMPLATES,
    counted,
    dev_score,
    exceptions,
    gold_lemmas,
    known_lemmas,
    most_frequent,
    with_lemmas,
    words_of,
)
from palmette.tools.morphology.lexicon import Given, Lexicon
from palmette.tools.morphology.products import best_products
from palmette.tools.morphology.words import (
    column_or_nothing,
    combinations,
    given_words,
    has_values,
    one_sentence,
)
from palmette.tools.pipeline_file import load_kind
from palmette.tools.probabilities import trained_for_probabilities
from palmette.tools.ranked import Ranked
from palmette.tools.sentences import Labels, Sentences
from palmette.tools.sequence.file import essential_model
from palmette.tools.sequence.model import SequenceModel, SequenceStructure
from palmette.tools.sequence.tag_scores import tag_scores
from palmette.tools.sequence.tokens import cut
from palmette.tools.training_record import training_record

if TYPE_CHECKING:
    from palmette.evaluation.tagging import TaggingScores
    from palmette.learning.learner import Callback, Learner
    from palmette.tools.explanation import Explanation

NOTHING = "_"
UNCHANGED = "k||"
_SEEN = 0.99  # the probability of a lemma that the dictionary of the training data gives against the model
_REMEMBERED = 1 << 17  # words whose lemmas are kept for the next call


class Lemmatizer(Estimator):
    """A lemmatizer with the interface of scikit-learn.

    learner: how the model of scripts is trained; None is CRF(n_iter=10). templates: what it looks at, as text or
    `Templates` over the columns form, upos and feats; None takes the tool's own. dictionary: a `Lexicon`, its
    file, or rows of form, lemma, upos and feats ("_" fits any); its lemmas come before all. min_count: scripts
    of fewer different words are left out, unless that leaves none. n_jobs: threads, -1 for all processors.

    Words come as a corpus with the columns form, upos and feats, as lists of words, or of tuples (form, upos,
    feats).

    >>> lemmatizer = Lemmatizer().fit([["flies", "cries", "dogs", "cats"]], [["fly", "cry", "dog", "cat"]])
    >>> lemmatizer.predict([["tries", "frogs"]])
    [['try', 'frog']]
    """

    kind = "lemmatizer"

    def __init__(
        self,
        learner: Learner | None = None,
        *,
        templates: Templates | str | None = None,
        dictionary: Given = None,
        min_count: int = 2,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.templates = templates
        self.dictionary = dictionary
        self.min_count = min_count
        self.n_jobs = n_jobs

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return "a lemmatizer"

    @property
    def offers(self) -> Capabilities:
        """What choices of single labels have; see `Estimator.offers`."""
        return SUMS - {"votes"}

    def default_learner(self) -> Learner:
        from palmette.learning.loglinear import CRF

        return CRF(n_iter=10)

    # Training

    def fit(
        self,
        X: Sentences,
        y: Labels | None = None,
        *,
        dev: Sentences | tuple[Sentences, Labels] | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Train on words X with lemmas y; a `Corpus` or the path of a file brings its own.

        A lemma "_" is not known, but for the word "_". dev: words with lemmas to choose the best pass by.
        callback: gets a `Report` after every pass.
        """
        learner = self._learner()
        require_int("min_count", self.min_count, 1)
        user = Lexicon.given(self.dictionary)
        with naming(X):
            corpus = with_lemmas(X, y)
            held_out = None if dev is None else with_lemmas(*(dev if isinstance(dev, tuple) else (dev, None)))
            self._fit(learner, corpus, held_out, user, callback)
        return self

    def _fit(
        self,
        learner: Learner,
        corpus: Corpus,
        dev: Corpus | None,
        user: Lexicon | None,
        callback: Callback | None,
    ) -> None:
        seen, without = counted(corpus)
        if not seen:
            raise ValueError("There is no lemma to learn from: the training data has none.")
        notes = []
        if without:
            notes.append(f"{without:,} of {corpus.n_words:,} words have no lemma: training leaves them out")
        for name in ("upos", "feats"):
            if name in corpus.names and not has_values(corpus, name):
                notes.append(f"the training data has no {name}: lemmas depend on the rest alone")
        warn(*notes)
        words = list(seen)
        usual = [most_frequent(seen[word]) for word in words]
        scripts = [script_of(word.form, lemma) for word, lemma in zip(words, usual)]
        often = Counter(scripts)
        kept = [k for k, script in enumerate(scripts) if often[script] >= self.min_count] or list(
            range(len(words))
        )
        labels = tuple(dict.fromkeys([*(scripts[k] for k in kept), UNCHANGED]))
        examples = corpus_of([words[k] for k in kept])
        templates = (
            self.templates
            if isinstance(self.templates, Templates)
            else Templates(self.templates or TEMPLATES)
        )
        features, instances = FeatureMap.fit(templates, examples)
        place = {script: k for k, script in enumerate(labels)}
        ids = Column.of(scripts[k] for k in kept).ids_in(place)
        structure = SequenceStructure(labels, 0, None, learner.local)
        lemmas = known_lemmas(seen)
        score = None
        if dev is not None:
            score = dev_score(structure, features, lemmas, dev, self._jobs)
        learned = learner.learn(
            structure.problem(instances, ids), dev=score, callback=logged(callback, self.kind)
        )
        # The words that the model gets wrong are kept: so it must be the same model before and after it is saved.
        model = essential_model(SequenceModel(structure, features, learned.weights))
        self.history_, self.interrupted_ = learned.history, learned.interrupted
        self._set(LemmaModel(model, lemmas), {}, {}, user)
        self.known_words_ = KnownWords.of(used_words(corpus.column("form")))
        exact, by_tag = exceptions(self.model_, seen, dict(zip(words, usual)), self._jobs)
        self._set(self.model_, exact, by_tag, user)
        self.training_ = {
            **training_record(learner, learned, instances),
            "sentences": len(corpus),
            "tokens": corpus.n_words,
            "words_without_lemma": without,
            "tags": has_values(corpus, "upos"),
            "looks_at": [name for name in Word._fields[1:] if has_values(corpus, name)],
            "notes": notes,
            "scripts": len(labels),
            "exceptions": len(exact),
        }

    # Prediction

    def predict(self, X: Sentences) -> list[list[str]]:
        """The lemma of every word of every sentence."""
        corpus = given_words(X, Word._fields)
        return Answers(cut(self._lemmas(corpus).values(), corpus.offsets))

    def annotate(self, corpus: Corpus, *, keep: Collection[str] = ()) -> Corpus:
        """The corpus with a column of lemmas; keep=("lemma",): those that are there stay, and "_" is filled."""
        for name in keep:
            if name != "lemma":
                raise ValueError(f"'keep' must be lemma here. Got {name!r}.")
        if "form" not in corpus.names:
            return self.annotate(corpus.with_columns({"form": corpus.column(0)}), keep=keep)
        lemmas = self._lemmas(corpus)
        if keep and "lemma" in corpus.names:
            old = corpus.column("lemma").values()
            lemmas = Column.of(b if a == NOTHING else a for a, b in zip(old, lemmas.values()))
        return corpus.with_columns({"lemma": lemmas})

    def with_dictionary(self, dictionary: Given) -> Self:
        """The same lemmatizer with a dictionary, whose words come before all, and before an earlier one."""
        found = Lexicon.given(dictionary)
        if found is None:
            raise TypeError("A dictionary must be a file, or rows of form, lemma, upos and feats as strings.")
        made = copy(self)
        whole = found if self.dictionary_ is None else found.before(self.dictionary_)
        made._set(self._fitted, self.exact_, self.by_tag_, whole)
        return made

    def candidates(self, X: Sentences, k: int) -> list[list[list[Ranked[str]]]]:
        """For every word of every sentence its k best lemmas, with scores and log-probabilities."""
        require_int("k", k, 1)
        corpus = given_words(X, Word._fields)
        ranked = self._ranked(words_of(corpus))
        rows = [
            [Ranked(one.lemma, p, p) for one in ranked[word][:k] for p in [_log(one.probability)]]
            for word in words_of(corpus)
        ]
        return Answers(cut(rows, corpus.offsets))

    def kbest(self, X: Sentences, k: int) -> list[list[Ranked[list[str]]]]:
        """Return the k best rows of lemmas of every sentence, best first, with their log-probabilities."""
        return Answers(
            [Ranked(output, score, min(score, 0.0)) for output, score in best_products(words, k)]
            for words in self.candidates(X, k)
        )

    def marginals(self, X: Sentences) -> list[list[dict[str, float]]]:
        """For every word of every sentence the lemmas that it may have, with their probabilities."""
        corpus = given_words(X, Word._fields)
        ranked = self._ranked(words_of(corpus))
        rows = [{one.lemma: one.probability for one in ranked[word]} for word in words_of(corpus)]
        return Answers(cut(rows, corpus.offsets))

    def confidence(self, corpus: Corpus) -> list[float]:
        """The probability of the lemma that every word of the corpus has."""
        words = words_of(corpus)
        ranked = self._ranked(words)
        likely = {word: {one.lemma: one.probability for one in found} for word, found in ranked.items()}
        return [likely[word].get(lemma, 0.0) for word, lemma in zip(words, corpus.column("lemma").values())]

    @property
    def probabilities_from(self) -> str:
        """Say what the probabilities are: "model", or "scores" where the learner does not estimate any."""
        return "model" if trained_for_probabilities(self.training_.get("learner")) else "scores"

    @property
    def looks_at(self) -> tuple[str, ...]:
        """The columns beside the form that had values in training."""
        known = self.training_.get("looks_at")
        return tuple(name for name in Word._fields[1:] if not isinstance(known, list) or name in known)

    def explain(self, sentence: Sentences | Sequence[str]) -> Explanation:
        """Why the words of one sentence got their lemmas: the features that decided, with their contributions."""
        from palmette.tools.morphology.lemma_explanation import explain_lemmas

        words = words_of(given_words(one_sentence(sentence), Word._fields))
        return explain_lemmas(self._fitted, words, [self._known(word) for word in words])

    def evaluate(
        self, X: Sentences, y: Labels | None = None, *, predicted: Corpus | None = None
    ) -> TaggingScores:
        """How many lemmas are right, also of known and unknown words, as `TaggingScores`."""
        corpus = with_lemmas(X, y)
        guess = self.annotate(corpus) if predicted is None else predicted
        scripts = guess.column("lemma").strings
        return tag_scores(gold_lemmas(corpus), guess.column("lemma"), corpus, self.known_words_, scripts)

    def score(self, X: Sentences, y: Labels | None = None) -> float:
        """The fraction of words with the right lemma; words without a gold lemma do not count."""
        return self.evaluate(X, y).accuracy

    # Files

    def save(self, path: Source, *, compact: bool = True) -> None:
        """Write a model file. compact=False keeps the names of all features."""
        self.to_model(compact=compact).save(path)

    def to_model(
        self, *, compact: bool = False, fingerprint: str = "", about: Mapping[str, Any] | None = None
    ) -> ModelFile:
        """Return what `save` writes. fingerprint: of the training data; about: further facts for its users."""
        return lemmatizer_file(
            self._fitted,
            self.exact_,
            self.by_tag_,
            self.dictionary_,
            self.known_words_,
            kind=self.kind,
            training={**self.training_, **(about or {})},
            compact=compact,
            fingerprint=fingerprint,
        )

    @classmethod
    def load(cls, path: Source) -> Self:
        """The lemmatizer of a model file or of a pipeline."""
        return cls.from_model(load_kind(path, cls.kind))

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The lemmatizer of a model file that is open already; FormatError if it is damaged."""
        saved = load_lemmatizer(file)
        made = cls(dictionary=saved.user)
        made._set(saved.model, saved.exact, saved.by_tag, saved.user)
        made.known_words_, made.training_ = saved.known_words, saved.training
        made.history_, made.interrupted_ = (), False
        return made

    # Inside

    known_words_: KnownWords | None
    training_: dict[str, Any]

    @property
    def _fitted(self) -> LemmaModel:
        if not hasattr(self, "model_"):
            raise ValueError("This Lemmatizer is not trained yet: call fit first.")
        return self.model_

    def _set(
        self,
        model: LemmaModel,
        exact: dict[Word, str],
        by_tag: dict[tuple[str, str], str],
        user: Lexicon | None,
    ) -> None:
        self.model_, self.exact_, self.by_tag_, self.dictionary_ = model, exact, by_tag, user
        self._remembered: dict[Word, str] = {}

    def _known(self, word: Word) -> tuple[str, str] | None:
        """The lemma of a word that is known without the model, and where from."""
        lemma = None if self.dictionary_ is None else _user_lemma(self.dictionary_, word)
        if lemma is not None:
            return lemma, "the user's dictionary"
        lemma = self.exact_.get(word) or self.by_tag_.get(word[:2])
        return None if lemma is None else (lemma, "the training data")

    def _lemmas(self, corpus: Corpus) -> Column:
        columns = [column_or_nothing(corpus, name) for name in Word._fields]
        first, which = combinations(columns)
        words = list(map(Word, *([column.strings[k] for k in column.ids[first]] for column in columns)))
        model, memory = self._fitted, self._remembered
        if len(memory) > _REMEMBERED:
            memory = self._remembered = {}
        unknown = []
        for word in words:
            if word in memory:
                continue
            known = self._known(word)
            if known is None:
                unknown.append(word)
            else:
                memory[word] = known[0]
        for word, found in zip(unknown, model.rank(unknown, self._jobs)):
            memory[word] = found[0].lemma
        distinct = Column.of(memory[word] for word in words)
        return Column(distinct.ids[which], distinct.strings)

    def _ranked(self, words: Sequence[Word]) -> dict[Word, list[Candidate]]:
        distinct = list(dict.fromkeys(words))
        found = dict(zip(distinct, self._fitted.rank(distinct, self._jobs)))
        for word in distinct:
            known = self._known(word)
            if known is not None:
                sure = 1.0 if known[1].startswith("the user") else _SEEN
                others = [one for one in found[word] if one.lemma != known[0]]
                total = sum(one.probability for one in others) or 1.0
                rest = [
                    one._replace(probability=one.probability / total * (1 - sure))
                    for one in others
                    if sure < 1
                ]
                found[word] = [Candidate(known[0], "", 0.0, 0.0, sure if rest else 1.0), *rest]
        return found


def _user_lemma(dictionary: Lexicon, word: Word) -> str | None:
    """The lemma of the entry that says most of those that agree with a word."""
    best: tuple[int, str] | None = None
    for entry in dictionary.of(word.form):
        pairs = ((entry.upos, word.upos, 2), (entry.feats, word.feats, 1))
        if entry.lemma == NOTHING or any(own not in (NOTHING, given) for own, given, _ in pairs):
            continue
        says = sum(points for own, _, points in pairs if own != NOTHING)
        if best is None or says > best[0]:
            best = (says, entry.lemma)
    return None if best is None else best[1]


def _log(p: float) -> float:
    return log(p) if p > 0 else float("-inf")
