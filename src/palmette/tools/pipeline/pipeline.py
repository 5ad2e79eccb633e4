"""Pipelines: from raw text to tokens, words, lemmas, tags, trees and names, in one model file.

    text ──tokens, words──▶ Corpus ──morphology──▶ ──lemmas──▶ ──parser──▶ ──entities──▶ Document

Every step is a tool of its own, trained on the same treebank. A step is trained on what the steps before it
predict for sentences that they have not seen, because that is what it will meet (`training.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, Self, Unpack

from palmette.formats.corpus import Corpus
from palmette.formats.given import listed
from palmette.formats.listed_corpus import as_corpus, conllu_names
from palmette.formats.model import ModelFile
from palmette.models import find_model
from palmette.threads import n_threads
from palmette.tools.answers import Answers
from palmette.tools.dependency.treebank import as_sentences
from palmette.tools.estimator import Estimator
from palmette.tools.morphology.lexicon import Given
from palmette.tools.pipeline.document import Document
from palmette.tools.pipeline.model import PipelineModel
from palmette.tools.pipeline.pipeline_file import KIND, load_pipeline, parameters_of, pipeline_file
from palmette.tools.pipeline.reading import Reading, asked_of_text
from palmette.tools.pipeline.step import PARSER, Step
from palmette.tools.pipeline.streaming import Annotator
from palmette.tools.tokens.treebank_text import treebank_text

if TYPE_CHECKING:
    from palmette.evaluation.raw_text_scores import RawTextScores
    from palmette.formats.files import Source
    from palmette.tools.explanation import Explanation


class Pipeline(Estimator):
    """Raw text to sentences, words, lemmas, tags, trees and names.

    without: steps to leave out, of tokens, words, morphology, lemmas, parser and entities; without tokens,
    rules cut the text. language: the code of the language, such as "hu", for these rules. jackknife: later
    steps are trained on what this many models of the earlier ones say, each trained without the sentences at
    hand; 0 trains them on gold. method: of the parser, "graph" or "transition"; None lets the treebank decide.
    random_state: the seed of all steps. n_jobs: threads.

    >>> nlp = Pipeline.load("en")
    >>> document = nlp("She saw dogs. They ran!")
    >>> [(token.text, token.upos, token.head) for token in document.sentences[0]]
    [('She', 'PRON', 2), ('saw', 'VERB', 0), ('dogs', 'NOUN', 2), ('.', 'PUNCT', 2)]
    """

    kind = KIND

    def __init__(
        self,
        *,
        without: Collection[str] = (),
        language: str | None = None,
        jackknife: int = 5,
        method: str | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.without = without
        self.language = language
        self.jackknife = jackknife
        self.method = method
        self.random_state = random_state
        self.n_jobs = n_jobs

    # Training

    def fit(
        self,
        X: Any,
        y: None = None,
        *,
        dev: Any = None,
        entities: Any = None,
        lexicon: Source | None = None,
        constrain: bool = False,
        use: Iterable[Any] = (),
        only: Collection[str] = (),
        skip_bad: bool = False,
        warm_start: bool = False,
        note: Callable[[str], None] = lambda text: None,
    ) -> Self:
        """Train all steps on a treebank: a corpus, or the path of a CoNLL-U file.

        dev: a treebank to choose passes by and to measure every step on. entities: a corpus or column file whose
        last column has labels of entities. lexicon: a file of known words, `form TAB lemma TAB upos TAB feats`;
        constrain: words of the lexicon get only analyses that agree with it. use: trained tools, which take the
        places of the steps they do; of a pipeline, all its steps do. only: train only these steps; those of an
        earlier `fit`, or of the model that was loaded, stay; tags that no step fills must then be in the input
        too. skip_bad: leave out sentences whose heads are not a tree. warm_start: go on with more data:
        graph-based parsers and taggers begin with the weights that they have, and all other steps stay. note:
        gets a line about every step. Ctrl-C raises KeyboardInterrupt, and the pipeline stays as it was.
        """
        from palmette.learning.loop import whole
        from palmette.tools.pipeline.training import train_pipeline

        with whole():
            trained = train_pipeline(
                self,
                X,
                dev=dev,
                entities=entities,
                lexicon=lexicon,
                constrain=constrain,
                use=use,
                only=only,
                skip_bad=skip_bad,
                warm_start=warm_start,
                note=note,
            )
        self.model_, self.training_ = trained.model, trained.record
        return self

    # Prediction

    def __call__(
        self,
        text: Any,
        *,
        probabilities: bool = False,
        keep: Collection[str] = (),
        **reading: Unpack[Reading],
    ) -> Document:
        """The document of a text: of a string, or of words that are there: a corpus, or lists of words.

        probabilities: those of every layer too (`caveats_` says which have none). keep: columns of a corpus whose
        values stay as they are, of lemma, upos, xpos, feats, head, deprel and entity. How a string is read:
        newlines: what ends at a line break ("space": nothing, "sentence") or at an empty line ("paragraph");
        presegmented: every line is one sentence; pretokenized: white space divides tokens, nothing else does.
        """
        asked = Annotator(self._fitted, probabilities=probabilities, keep=keep, **reading)
        if isinstance(text, str):
            if keep:
                raise ValueError("A string has no columns whose values could be kept: give words.")
            return asked.documents([text])[0]
        if told := asked_of_text(reading):
            raise ValueError(f"Words are there already, so {told[0]} does not apply: it is for strings.")
        if text is None or isinstance(text, bytes):
            raise TypeError(f"A text must be a string, or sentences of words. Got {type(text).__name__}.")
        corpus = as_corpus(text, conllu_names)
        placed = treebank_text(corpus)
        return asked.placed([placed.text], [placed.segmented(corpus)])[0]

    def pipe(
        self,
        texts: Iterable[str],
        *,
        n_jobs: int | None = None,
        probabilities: bool = False,
        **reading: Unpack[Reading],
    ) -> Iterator[Document]:
        """The documents of texts, in their order: a few batches at a time in memory, each on a thread of
        its own. reading: see `__call__`.
        """
        if isinstance(texts, (str, bytes)):
            raise TypeError(
                "pipe takes many texts, such as a list of strings; for one text call the pipeline."
            )
        jobs = self._jobs if n_jobs is None else n_threads(n_jobs)
        return Annotator(self._fitted, probabilities=probabilities, **reading).pipe(texts, jobs)

    def stream(
        self, pieces: Iterable[str], *, probabilities: bool = False, **reading: Unpack[Reading]
    ) -> Iterator[Document]:
        """One text that comes in pieces, such as the lines of a file, as documents of some sentences each.

        Memory is bounded, whatever the length of the text. The places of tokens are those in the whole text.
        reading: see `__call__`.
        """
        return Annotator(self._fitted, probabilities=probabilities, **reading).stream(pieces)

    def predict(self, X: Iterable[str]) -> list[Document]:
        """The documents of many texts."""
        return Answers(self.pipe(listed(X, "Texts")))

    def annotate(self, corpus: Corpus, *, keep: Collection[str] = ()) -> Corpus:
        """A corpus of words with the columns of all steps; values of the columns in `keep` stay."""
        return self._fitted.annotate(corpus, keep=keep)

    def explain(self, text: Any, *, step: str = PARSER) -> Explanation:
        """Why the words of one sentence are what a step says: the features that decided."""
        from palmette.tools.pipeline.explanation import explain_step

        return explain_step(self, text, step)

    # Measuring

    def evaluate(self, X: Any, y: None = None, *, gold_tokens: bool = False) -> RawTextScores:
        """The scores of CoNLL 2018 on a treebank, from its raw text. gold_tokens: from its words."""
        from palmette.tools.pipeline.evaluation import evaluate_pipeline

        return evaluate_pipeline(self, X, gold_tokens=gold_tokens)

    def score(self, X: Any, y: None = None) -> float:
        """LAS from raw text as F1; where the pipeline has no parser, the F1 of its first layer."""
        from palmette.tools.pipeline.evaluation import main_measure

        gold = as_sentences(X)
        scores = self.evaluate(gold)
        return scores.f1(main_measure(scores, self._fitted.fills, gold))

    # Files

    def save(self, path: Source, *, compact: bool = True) -> None:
        """Write a model file; compact=False keeps more of the small weights."""
        self.to_model(compact=compact).save(path)

    def to_model(
        self, *, compact: bool = False, fingerprint: str = "", about: Mapping[str, Any] | None = None
    ) -> ModelFile:
        """What `save` writes. about: further facts for its users."""
        record = {**self.training_, **(about or {})}
        return pipeline_file(self._fitted, record, compact=compact, fingerprint=fingerprint)

    @classmethod
    def load(cls, path: Source) -> Self:
        """The pipeline of a model file, or of a model that comes with Palmette, by its name ("en")."""
        return cls.from_model(ModelFile.load(find_model(path)))

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The pipeline of a model file that is open already; also that of a parser with its taggers."""
        model, training = load_pipeline(file)
        pipeline = cls(**parameters_of(training))
        pipeline.model_, pipeline.training_ = model, dict(training)
        return pipeline

    @classmethod
    def of(cls, *steps: Any, tokenizer: Any = None, language: str = "en") -> Self:
        """A pipeline of trained tools: taggers, a parser, a span tagger, and a tokenizer.

        >>> from palmette import Tagger
        >>> tagger = Tagger(column="upos").fit([["Dogs", "bark"]], [["NOUN", "VERB"]])
        >>> Pipeline.of(tagger)("Dogs bark")[0].upos
        'NOUN'
        """
        from palmette.tools.pipeline.assembling import assembled

        pipeline = cls(language=language)
        pipeline.model_ = assembled(steps, tokenizer, language)
        pipeline.training_ = {"language": language}
        return pipeline

    @property
    def steps_(self) -> tuple[Step, ...]:
        """The steps after the tokenizer, in their order."""
        return self._fitted.steps

    @property
    def tokenizer_(self) -> Any:
        """The tokenizer."""
        return self._fitted.tokenizer

    def with_dictionary(self, dictionary: Given) -> Self:
        """The same pipeline with words that come before all that was learned: a file, or rows of form, lemma, upos
        and feats, of which "_" fits any.

        Words get their lemmas, and only tags and features that agree. ValueError if no step has use for it.
        """
        from palmette.tools.pipeline.assembling import with_dictionary

        made = copy(self)
        made.model_ = with_dictionary(self._fitted, dictionary)
        return made

    @property
    def caveats_(self) -> tuple[str, ...]:
        """What to know about its probabilities: layers that have none, and why, and those that are estimates."""
        return self._fitted.caveats

    def step(self, name: str) -> Any:
        """The trained tool of a step; ValueError if the pipeline does not have it."""
        for one in self._fitted.steps:
            if one.name == name:
                return one.tool
        raise ValueError(f"This pipeline has no step {name!r}: it has {', '.join(self._fitted.names)}.")

    def set_jobs(self, n_jobs: int | None) -> Self:
        """Let every step use this many threads."""
        self.n_jobs = n_jobs
        for tool in (self.tokenizer_, *(one.tool for one in self._fitted.steps)):
            if hasattr(tool, "n_jobs"):  # rules have no threads
                tool.n_jobs = n_jobs
        return self

    # Inside

    def default_learner(self) -> None:
        """Every step has a learner of its own."""

    @property
    def _fitted(self) -> PipelineModel:
        try:
            return self.model_
        except AttributeError:
            raise ValueError("This Pipeline is not trained yet: call fit first.") from None
