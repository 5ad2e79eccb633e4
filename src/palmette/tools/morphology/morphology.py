"""Morphology: the part of speech, the tag of the language and the features of every word.

    F(x) = argmax over sequences of analyses y of  w · Φ(x, y)

GEN are the analyses of the training data, in a chain. Φ looks at words, their affixes and neighbours, and at the
known lemma that a word may come from. What is learned of a word goes to the parts of its analysis, so analyses
that are rare learn from those that are frequent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette.features import Templates
from palmette.features.word_hashes import KnownWords, used_words
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.files import Source
from palmette.formats.given import naming
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import Capabilities
from palmette.messages import logged, warn
from palmette.parameters import require_int
from palmette.tools.answers import Answers
from palmette.tools.estimator import Estimator
from palmette.tools.morphology.allowed import Known, allowed_labels
from palmette.tools.morphology.analyser import Allowed, Analyser, Labels
from palmette.tools.morphology.analyses import Analysis, AnalysisTable
from palmette.tools.morphology.given_analyses import analyses_of, columns_of, with_analyses
from palmette.tools.morphology.lexicon import LIMITS, Given, Lexicon, said_by
from palmette.tools.morphology.preparation import Preparation
from palmette.tools.morphology.votes import Votes
from palmette.tools.morphology.words import given_words, one_sentence
from palmette.tools.pipeline_file import load_kind
from palmette.tools.probabilities import trained_for_probabilities
from palmette.tools.ranked import Ranked
from palmette.tools.sentences import Labels as GivenLabels
from palmette.tools.sentences import Sentences
from palmette.tools.sequence.tokens import cut
from palmette.tools.training_record import load_known_words, save_known_words, training_record

if TYPE_CHECKING:
    from palmette.learning.learner import Callback, Learner
    from palmette.tools.explanation import Explanation
    from palmette.tools.morphology.scores import MorphologyScores

NOTHING = "_"
COLUMNS = Analysis._fields
# MIRA asks for a margin of one for each wrong word, which is flat for a softmax. With scores this many times as
# large the log-likelihood of the development sets of Italian, Tamil and Turkish is near its best.
_SHARPNESS = 4.0


class Morphology(Estimator):
    """An analyser of words with the interface of scikit-learn.

    learner: how it is trained; None is MIRA(n_iter=12). templates: what it looks at, as text or `Templates`;
    they may name the columns `stem`, `ending` (see `palmette.tools.morphology.stems`) and, with a lexicon,
    `lexicon` and `lexicon_feats`; None takes the tool's own. columns: which of upos, xpos and feats to predict;
    None: those that the training data has. lexicon: a `Lexicon`, its file, or rows of form, lemma, upos and
    feats, whose analyses are features. constrain: words of the lexicon get only analyses that agree with it.
    n_jobs: threads, -1 for all processors.

    >>> words = [["the", "dogs", "bark"], ["a", "dog", "barks"]]
    >>> tags = [[("DET",), ("NOUN", "_", f"Number={number}"), ("VERB",)] for number in ("Plur", "Sing")]
    >>> Morphology().fit(words, tags).predict([["the", "dog"]])[0][1]
    Analysis(upos='NOUN', xpos='_', feats='Number=Sing')
    """

    kind = "morphology"

    def __init__(
        self,
        learner: Learner | None = None,
        *,
        templates: Templates | str | None = None,
        columns: Sequence[str] | None = None,
        lexicon: Given = None,
        constrain: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.templates = templates
        self.columns = columns
        self.lexicon = lexicon
        self.constrain = constrain
        self.n_jobs = n_jobs

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return "a morphology"

    @property
    def offers(self) -> Capabilities:
        """What chains of labels with parts have; see `Estimator.offers`."""
        return frozenset({"best", "kbest", "weights", "marginals", "parts"})

    def default_learner(self) -> Learner:
        from palmette.learning.mira import MIRA

        return MIRA(n_iter=12)

    # Training

    def fit(
        self,
        X: Sentences,
        y: GivenLabels | None = None,
        *,
        dev: Sentences | tuple[Sentences, GivenLabels] | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Train on sentences X with analyses y; a `Corpus` or the path of a file brings its own.

        y: for every word a tuple of upos, xpos and feats, of which the last may be left out. A word whose upos
        is "_" has no analysis. dev: sentences to choose the best pass by. callback: gets a `Report` after every
        pass.
        """
        learner = self._learner()
        lexicon = Lexicon.given(self.lexicon)
        if self.constrain and lexicon is None:
            raise ValueError("constrain=True needs a lexicon.")
        with naming(X):
            corpus = with_analyses(X, y)
            held_out = (
                None if dev is None else with_analyses(*(dev if isinstance(dev, tuple) else (dev, None)))
            )
            self._fit(learner, corpus, held_out, lexicon, callback)
        return self

    def _fit(
        self,
        learner: Learner,
        corpus: Corpus,
        dev: Corpus | None,
        lexicon: Lexicon | None,
        callback: Callback | None,
    ) -> None:
        columns, missing, notes = columns_of(corpus, self.columns)
        analyses = analyses_of(corpus, columns)
        known = [one for one in analyses if one is not None]
        if not known:
            raise ValueError(
                f"There is no analysis to learn from: the words have no {' and no '.join(columns)}."
            )
        table = AnalysisTable.of(known)
        ids = np.array([-1 if one is None else table.index[one] for one in analyses], dtype=np.int32)
        preparation = Preparation.learn(corpus, lexicon)
        templates = self.templates if isinstance(self.templates, Templates) else None
        templates = templates or Templates(self.templates or preparation.templates)
        self._set(None, preparation, columns, lexicon)
        score = None
        if dev is not None:
            score = self._dev_score(dev)
        analyser, learned, instances = Analyser.train(
            learner,
            templates,
            preparation.training(corpus),
            table,
            ids,
            dev=score,
            callback=logged(callback, self.kind),
        )
        if not learner.probabilistic:
            analyser = analyser.scaled(_SHARPNESS)
        self._set(analyser, preparation, columns, lexicon)
        self.history_, self.interrupted_ = learned.history, learned.interrupted
        self.known_words_ = KnownWords.of(used_words(corpus.column("form")))
        unknown = len(analyses) - len(known)
        if unknown:
            notes.append(f"{unknown:,} words have no upos: training does not know their analyses")
        warn(*notes)
        self.training_ = {
            **training_record(learner, learned, instances),
            "missing": missing,
            "words_without_analysis": unknown,
            "lexicon": 0 if lexicon is None else len(lexicon),
            "notes": notes,
        }

    def _dev_score(self, dev: Corpus) -> Any:
        gold = analyses_of(dev, self.columns_)
        if not any(one is not None for one in gold):
            raise ValueError("The dev set has no analyses.")
        prepared = self.preparation_.annotate(dev)

        def score(analyser: Analyser) -> float:
            guess = analyser.decode(prepared, n_jobs=self._jobs)
            right = [
                analyser.table.analyses[k] == one for k, one in zip(guess.tolist(), gold) if one is not None
            ]
            return float(np.mean(right))

        return score

    # Prediction

    def predict(self, X: Sentences) -> list[list[Analysis]]:
        """The analysis of every word of every sentence."""
        corpus = given_words(X)
        table = self._fitted.table.analyses
        return Answers(cut([table[k] for k in self._labels(corpus).tolist()], corpus.offsets))

    def annotate(self, corpus: Corpus, *, keep: Collection[str] = (), votes: Votes | None = None) -> Corpus:
        """The corpus with the columns that this model predicts.

        keep: columns whose values stay where they are not "_" (feats stay as they are); the other columns agree
        with them where the model knows such an analysis. votes: what taggers say of the words, which counts too.
        """
        kept = self._kept(corpus, keep)
        if "form" not in corpus.names:
            named = corpus.with_columns({"form": corpus.column(0)})
            return self.annotate(named, keep=keep, votes=votes)
        ids, values = self._labels(corpus, kept, votes), self._fitted.table.values
        made = {}
        for name in self.columns_:
            column = Column(ids, values[name])
            if self.limits_ is not None and name in ("upos", "feats"):
                column = said_by(self.limits_, corpus.column("form"), name, column)
            made[name] = (
                _filled(corpus.column(name), column, whole=name == "feats") if name in kept else column
            )
        return corpus.with_columns(made)

    def with_lexicon(self, lexicon: Given) -> Self:
        """The same morphology, whose words of this lexicon get only analyses that agree with it.

        Its words come before those of the lexicon that it was trained with.
        """
        found, earlier = Lexicon.given(lexicon), self._limits
        if found is None:
            raise TypeError("A lexicon must be a file, or rows of form, lemma, upos and feats as strings.")
        made = copy(self)
        made.limits_ = found if earlier is None else found.before(earlier)
        return made

    def predict_proba(self, X: Sentences) -> list[NDArray[np.float32]]:
        """For every sentence an array [words, analyses]: the probability of each analysis of `classes_`."""
        corpus = given_words(X)
        found = [self._probabilities(*three) for three in self._pieces(corpus)]
        p = np.concatenate(found) if found else np.zeros((0, len(self._fitted.table)), dtype=np.float32)
        return Answers(np.split(p, corpus.offsets[1:-1])[: len(corpus)])

    def confidence(
        self, corpus: Corpus, names: Iterable[str] | None = None, *, votes: Votes | None = None
    ) -> dict[str, NDArray[np.float32]]:
        """For each column the probability of the values that the corpus has there; 0 for a value never seen.

        votes: see `annotate`.
        """
        chosen = [name for name in self.columns_ if names is None or name in names]
        found: dict[str, list[NDArray[np.float32]]] = {name: [] for name in chosen}
        for piece, prepared, heard in self._pieces(given_words(corpus), votes):
            p = self._probabilities(piece, prepared, heard)
            for name in chosen:
                values = [one[COLUMNS.index(name)] for one in self._fitted.table.analyses]
                place = {value: k for k, value in enumerate(dict.fromkeys(values))}
                groups = np.zeros((len(values), len(place) + 1), dtype=np.float32)
                groups[np.arange(len(values)), [place[value] for value in values]] = 1
                summed = p @ groups  # the last, for values that are not among them, stays empty
                found[name].append(summed[np.arange(len(p)), piece.column(name).ids_in(place, len(place))])
        return {name: np.concatenate([np.zeros(0, np.float32), *parts]) for name, parts in found.items()}

    @property
    def probabilities_from(self) -> str:
        """Say what the probabilities are: "model", or "scores" where the learner does not estimate any."""
        return "model" if trained_for_probabilities(self.training_.get("learner")) else "scores"

    def kbest(self, X: Sentences, k: int) -> list[list[Ranked[list[Analysis]]]]:
        """Return the k best sequences of analyses of every sentence, with scores and log-probabilities."""
        require_int("k", k, 1)
        model, corpus = self._fitted, given_words(X)
        problem = model.problem(self.preparation_.annotate(corpus), self._allowed(corpus), self._jobs)
        rows, labels, scores = problem.kbest(model.weights, k, self._jobs)
        _, log_z = problem.probabilities(model.weights, self._jobs)
        answers: list[list[Ranked[list[Analysis]]]] = []
        at = 0
        for i, length in enumerate(np.diff(corpus.offsets).tolist()):
            ranked = []
            for r in range(int(rows[i]), int(rows[i + 1])):
                output = [model.table.analyses[y] for y in labels[at : at + length].tolist()]
                ranked.append(Ranked(output, float(scores[r]), min(0.0, float(scores[r] - log_z[i]))))
                at += length
            answers.append(ranked)
        return Answers(answers)

    def explain(self, sentence: Sentences | Sequence[str], *, votes: Votes | None = None) -> Explanation:
        """Why the words of one sentence got their analyses: the features that decided, and how much.

        votes: see `annotate`.
        """
        from palmette.tools.morphology.explanation import explain_analyses

        corpus = given_words(one_sentence(sentence))
        prepared = self.preparation_.annotate(corpus)
        return explain_analyses(self._fitted, prepared, self._allowed(corpus), votes)

    def evaluate(
        self, X: Sentences, y: GivenLabels | None = None, *, predicted: Corpus | None = None
    ) -> MorphologyScores:
        """How many words have the right value in each column, and in all of them, as `MorphologyScores`."""
        from palmette.tools.morphology.scores import morphology_scores

        corpus = with_analyses(X, y)
        guess = self.annotate(corpus) if predicted is None else predicted
        return morphology_scores(corpus, guess, self.columns_, self.known_words_)

    def score(self, X: Sentences, y: GivenLabels | None = None) -> float:
        """The fraction of words whose whole analysis is right."""
        return self.evaluate(X, y).all_tags

    @property
    def classes_(self) -> list[Analysis]:
        """The analyses, in the order of `predict_proba`."""
        return list(self._fitted.table.analyses)

    # Files

    def save(self, path: Source, *, compact: bool = True) -> None:
        """Write a model file. compact=False keeps every weight in full and the names of all features."""
        self.to_model(compact=compact).save(path)

    def to_model(
        self, *, compact: bool = False, fingerprint: str = "", about: Mapping[str, Any] | None = None
    ) -> ModelFile:
        """Return what `save` writes. fingerprint: of the training data; about: further facts for its users."""
        options = {
            "columns": list(self.columns_),
            "constrain": bool(self.constrain),
            "training": {**self.training_, **(about or {})},
        }
        file = self._fitted.to_file(
            kind=self.kind,
            options=options,
            arrays=save_known_words(self.known_words_),
            compact=compact,
            fingerprint=fingerprint,
        )
        limits = {} if self.limits_ is None else self.limits_.tables(LIMITS)
        strings = {**file.strings, **self.preparation_.tables(), **limits}
        return ModelFile(file.kind, file.options, file.arrays, strings, fingerprint)

    @classmethod
    def load(cls, path: Source) -> Self:
        """The morphology of a model file or of a pipeline."""
        return cls.from_model(load_kind(path, cls.kind))

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The morphology of a model file that is open already; FormatError if it is damaged."""
        analyser = Analyser.of_file(file)
        columns, constrain = file.options.get("columns"), file.options.get("constrain")
        named = columns if isinstance(columns, list) else []
        found = tuple(name for name in COLUMNS if name in named)
        if not found or len(found) != len(named) or not isinstance(constrain, bool):
            raise file.damaged("its columns are not described")
        preparation = Preparation.of_file(file)
        made = cls(columns=found, lexicon=preparation.lexicon, constrain=constrain)
        made._set(analyser, preparation, found, preparation.lexicon)
        made.limits_ = Lexicon.of_file(file, LIMITS)
        made.known_words_ = load_known_words(file)
        training = file.options.get("training")
        made.training_ = dict(training) if isinstance(training, dict) else {}
        made.history_, made.interrupted_ = (), False
        return made

    # Inside

    known_words_: KnownWords | None
    limits_: Lexicon | None  # given after training, see `with_lexicon`
    training_: dict[str, Any]

    @property
    def _fitted(self) -> Analyser:
        model = getattr(self, "model_", None)
        if model is None:
            raise ValueError("This Morphology is not trained yet: call fit first.")
        found: Analyser = model
        return found

    def _set(
        self,
        model: Analyser | None,
        preparation: Preparation,
        columns: tuple[str, ...],
        lexicon: Lexicon | None,
    ) -> None:
        if model is not None:
            self.model_ = model
        self.preparation_, self.columns_, self.lexicon_ = preparation, columns, lexicon
        self.limits_ = None

    def _kept(self, corpus: Corpus, keep: Collection[str]) -> tuple[str, ...]:
        for name in keep:
            if name not in COLUMNS:
                raise ValueError(f"'keep' must be among {', '.join(COLUMNS)}. Got {name!r}.")
        return tuple(name for name in self.columns_ if name in keep and name in corpus.names)

    def _allowed(
        self, corpus: Corpus, keep: Sequence[str] = (), known: Known | None = None
    ) -> Allowed | None:
        lexicon = self._limits
        if not keep and lexicon is None:
            return None
        return allowed_labels(self._fitted.table, corpus, keep, lexicon, known)

    @property
    def _limits(self) -> Lexicon | None:
        """The lexicon whose words get only analyses that agree with it."""
        if self.limits_ is not None:
            return self.limits_
        return self.lexicon_ if self.constrain else None

    def _pieces(
        self, corpus: Corpus, votes: Votes | None = None
    ) -> Iterator[tuple[Corpus, Corpus, Votes | None]]:
        """Sentences in pieces whose scores fit into memory: as they are, with the columns added, and votes."""
        parts, end = self._fitted.parts, 0
        whole = self.preparation_.annotate(corpus)
        for piece, prepared in zip(parts.pieces(corpus), parts.pieces(whole), strict=True):
            if isinstance(piece, Corpus) and isinstance(prepared, Corpus):
                begin, end = end, end + piece.n_words
                yield piece, prepared, None if votes is None else votes.rows(begin, end)

    def _labels(self, corpus: Corpus, keep: Sequence[str] = (), votes: Votes | None = None) -> Labels:
        model, found = self._fitted, [np.zeros(0, dtype=np.int32)]
        known: Known = {}
        for piece, prepared, heard in self._pieces(corpus, votes):
            found.append(model.decode(prepared, self._allowed(piece, keep, known), self._jobs, heard))
        return np.concatenate(found)

    def _probabilities(self, corpus: Corpus, prepared: Corpus, votes: Votes | None) -> NDArray[np.float32]:
        return self._fitted.probabilities(prepared, self._allowed(corpus), self._jobs, votes)


def _filled(old: Column, new: Column, *, whole: bool) -> Column:
    """The old values, and the new ones where there are none; whole: the old column as it is."""
    if whole:
        return old
    return Column.of(a if a != NOTHING else b for a, b in zip(old.values(), new.values()))
