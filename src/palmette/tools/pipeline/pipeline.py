"""Pipelines: from raw text to tokens, words, lemmas, tags, trees and names, in one model file.

    text ──tokens, words──▶ Corpus ──morphology──▶ ──lemmas──▶ ──parser──▶ ──entities──▶ Document

Every step is a tool of its own, trained on the same treebank. A step is trained on what the steps before it
predict for sentences that they have not seen, because that is what it will meet (`training.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

from palmette.formats.corpus import Corpus
from palmette.formats.given import listed
from palmette.formats.listed_corpus import as_corpus, conllu_names
from palmette.formats.model import ModelFile
from palmette.models import find_model
from palmette.threads import n_threads
from palmette.tools.answers import Answers
from palmette.tools.estimator import Estimator
from palmette.tools.pipeline.document import Document
from palmette.tools.pipeline.model import PipelineModel
from palmette.tools.pipeline.pipeline_file import KIND, load_pipeline, pipeline_file
from palmette.tools.pipeline.step import PARSER, Step
from palmette.tools.pipeline.streaming import Annotator
from palmette.tools.pipeline.texts import text_of
from palmette.tools.text.segmented import Segmented

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
        use: Iterable[Any] = (),
        only: Collection[str] = (),
        skip_bad: bool = False,
        note: Callable[[str], None] = lambda text: None,
    ) -> Self:
        """Train all steps on a treebank: a corpus, or the path of a CoNLL-U file.

        dev: a treebank to choose passes by and to measure every step on. entities: a corpus or column file whose
        last column has labels of entities. lexicon: a file of known words, `form TAB lemma TAB upos TAB feats`.
        use: trained tools, which take the places of the steps they do. only: train only these steps; those of
        an earlier `fit`, or of the model that was loaded, stay. skip_bad: leave out sentences whose heads are
        not a tree. note: gets a line about every step.
        """
        from palmette.tools.pipeline.training import train_pipeline

        trained = train_pipeline(
            self,
            X,
            dev=dev,
            entities=entities,
            lexicon=lexicon,
            use=use,
            only=only,
            skip_bad=skip_bad,
            note=note,
        )
        self.model_, self.training_ = trained.model, trained.record
        return self

    # Prediction

    def __call__(self, text: Any, *, probabilities: bool = False, keep: Collection[str] = ()) -> Document:
        """The document of a text: of a string, or of words that are there: a corpus, or lists of words.

        probabilities: those of every layer too. keep: columns of a corpus whose values stay as they are, of lemma,
        upos, xpos, feats, head, deprel and entity.
        """
        asked = Annotator(self._fitted, probabilities=probabilities, keep=keep)
        if isinstance(text, str):
            return asked.documents([text])[0]
        corpus = as_corpus(text, conllu_names)
        placed = text_of(corpus)
        return asked.placed([placed.text], [Segmented(corpus, placed.begins, placed.ends)])[0]

    def pipe(
        self, texts: Iterable[str], *, n_jobs: int | None = None, probabilities: bool = False
    ) -> Iterator[Document]:
        """The documents of texts, in their order: a few batches at a time in memory, each on a thread of
        its own.
        """
        if isinstance(texts, (str, bytes)):
            raise TypeError(
                "pipe takes many texts, such as a list of strings; for one text call the pipeline."
            )
        jobs = self._jobs if n_jobs is None else n_threads(n_jobs)
        return Annotator(self._fitted, probabilities=probabilities).pipe(texts, jobs)

    def stream(self, pieces: Iterable[str], *, probabilities: bool = False) -> Iterator[Document]:
        """One text that comes in pieces, such as the lines of a file, as documents of some sentences each.

        Memory is bounded, whatever the length of the text. The places of tokens are those in the whole text.
        """
        return Annotator(self._fitted, probabilities=probabilities).stream(pieces)

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
        """LAS from raw text as F1; that of tags, or of words, where the pipeline has no parser or no tags."""
        scores = self.evaluate(X)
        filled = self._fitted.fills
        return scores.f1("las" if "head" in filled else "upos" if "upos" in filled else "words")

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
        language = training.get("language")
        pipeline = cls(language=language if isinstance(language, str) else None)
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

    def step(self, name: str) -> Any:
        """The trained tool of a step; ValueError if the pipeline does not have it."""
        for one in self._fitted.steps:
            if one.name == name:
                return one.tool
        raise ValueError(f"This pipeline has no step {name!r}: it has {', '.join(self._fitted.names)}.")

    def set_jobs(self, n_jobs: int | None) -> Self:
        """Let every step use this many threads."""
        self.n_jobs = n_jobs
        for one in self._fitted.steps:
            one.tool.n_jobs = n_jobs
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
