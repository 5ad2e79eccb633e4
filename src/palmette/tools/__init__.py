"""F: structures, features and learners put together, one tool for each job a person has.

A tool joins the command line with one line here; nothing is imported until the tool is used.
"""

from __future__ import annotations

from palmette.tools.registry import Tool as Tool
from palmette.tools.registry import register as register

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools import alignment as alignment
    from palmette.tools import classification as classification
    from palmette.tools import constituency as constituency
    from palmette.tools import dependency as dependency
    from palmette.tools import inference_rules as inference_rules
    from palmette.tools import lm as lm
    from palmette.tools import morphology as morphology
    from palmette.tools import pipeline as pipeline
    from palmette.tools import reranking as reranking
    from palmette.tools import senses as senses
    from palmette.tools import sentiment as sentiment
    from palmette.tools import sequence as sequence
    from palmette.tools import text as text
    from palmette.tools import thesaurus as thesaurus
    from palmette.tools import tokens as tokens
    from palmette.tools import translation as translation
    from palmette.tools.annotation.selection import select as select
    from palmette.tools.estimator import Estimator as Estimator
    from palmette.tools.experiments.cross_validation import cross_validate as cross_validate
    from palmette.tools.experiments.learning_curve import learning_curve as learning_curve
    from palmette.tools.experiments.search import search as search
    from palmette.tools.explanation import Contribution as Contribution
    from palmette.tools.explanation import Decision as Decision
    from palmette.tools.explanation import Explanation as Explanation
    from palmette.tools.loading import load as load
    from palmette.tools.ranked import Ranked as Ranked
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "annotation.selection": "select",
            "estimator": "Estimator",
            "experiments.cross_validation": "cross_validate",
            "experiments.learning_curve": "learning_curve",
            "experiments.search": "search",
            "explanation": "Contribution Decision Explanation",
            "loading": "load",
            "ranked": "Ranked",
            "registry": "Tool register",
        },
        "alignment classification constituency dependency inference_rules lm morphology pipeline reranking "
        "senses sentiment sequence text thesaurus tokens translation",
    )

register(
    Tool(
        "tag",
        "tagger",
        "A label for every token: parts of speech, morphology.",
        "palmette.cli.tools.sequence.tag",
        loads="palmette.tools.sequence.tagger:Tagger",
    )
)
register(
    Tool(
        "morphology",
        "morphology",
        "Part of speech, tag and morphological features of every word.",
        "palmette.cli.tools.morphology.morphology",
        loads="palmette.tools.morphology.morphology:Morphology",
    )
)
register(
    Tool(
        "lemmas",
        "lemmatizer",
        "The lemma of every word: edit scripts and dictionaries.",
        "palmette.cli.tools.morphology.lemmas",
        loads="palmette.tools.morphology.lemmatizer:Lemmatizer",
    )
)
register(
    Tool(
        "induce",
        "induced tagger",
        "States for the words of plain text, without labels: EM, variational Bayes.",
        "palmette.cli.tools.sequence.induce",
        loads="palmette.tools.sequence.tag_inducer:TagInducer",
    )
)
register(
    Tool(
        "history",
        "history tagger",
        "A label for every token, by a network that sees the labels before it: greedy or beam search.",
        "palmette.cli.tools.sequence.history",
        loads="palmette.tools.sequence.history_tagger:HistoryTagger",
    )
)
register(
    Tool(
        "spans",
        "span tagger",
        "Labelled spans of tokens: entities, chunks.",
        "palmette.cli.tools.sequence.spans",
        loads="palmette.tools.sequence.span_tagger:SpanTagger",
    )
)
register(
    Tool(
        "tokens",
        "tokenizer",
        "Sentences, tokens and words of raw text, learned from a treebank.",
        "palmette.cli.tools.tokens.commands",
        loads="palmette.tools.tokens.learned_tokenizer:LearnedTokenizer",
    )
)
register(
    Tool(
        "depparse",
        "dependency parser",
        "A head and a relation for every word: dependency trees.",
        "palmette.cli.tools.depparse.commands",
        loads="palmette.tools.dependency.parser:DependencyParser",
        also=("pipeline",),
    )
)
register(
    Tool(
        "pipeline",
        "text pipeline",
        "Raw text to sentences, words, lemmas, tags, trees and names.",
        "palmette.cli.tools.pipeline.commands",
        loads="palmette.tools.pipeline.pipeline:Pipeline",
    )
)
register(
    Tool(
        "parse",
        "constituency parser",
        "The tree of phrases of a sentence: constituency trees.",
        "palmette.cli.tools.parse.commands",
        loads="palmette.tools.constituency.parser:ConstituencyParser",
    )
)
register(
    Tool(
        "classify",
        "classifier",
        "A label for every line: texts, trees, rows of symbols and numbers.",
        "palmette.cli.tools.classify.commands",
        loads="palmette.tools.classification.classifier:Classifier",
    )
)
register(
    Tool(
        "lm",
        "language model",
        "How likely a word is after the words before it: n-gram models.",
        "palmette.cli.tools.lm.commands",
        loads="palmette.tools.lm.model:LanguageModel",
    )
)
register(
    Tool(
        "align",
        "word aligner",
        "Which words of a sentence and of its translation belong together.",
        "palmette.cli.tools.align.commands",
        loads="palmette.tools.alignment.aligner:Aligner",
    )
)
register(
    Tool(
        "rerank",
        "reranker",
        "The best of the n best outputs of a parser or tagger.",
        "palmette.cli.tools.rerank.commands",
        loads="palmette.tools.reranking.reranker:Reranker",
    )
)
register(
    Tool(
        "translate",
        "translator",
        "A sentence in another language for every sentence: translation by phrases.",
        "palmette.cli.tools.translate.commands",
        loads="palmette.tools.translation.translator:Translator",
    )
)
register(
    Tool(
        "sentiment",
        "sentiment model",
        "Whether documents are positive or negative, from their subjective sentences.",
        "palmette.cli.tools.sentiment.commands",
        loads="palmette.tools.sentiment.sentiment:Sentiment",
    )
)
register(
    Tool(
        "senses",
        "sense tagger",
        "Which sense of a word is meant: WordNet, definitions, classifiers, decision lists.",
        "palmette.cli.tools.senses.commands",
        loads="palmette.tools.senses.sense_tagger:SenseTagger",
    )
)
register(
    Tool(
        "semantics",
        "semantic parser",
        "Answers to questions from a database of facts.",
        "palmette.cli.tools.semantics.commands",
        loads="palmette.tools.semantics.semantic_parser:SemanticParser",
    )
)
register(
    Tool(
        "thesaurus",
        "thesaurus",
        "Similar words, from the relations and words that they occur with.",
        "palmette.cli.tools.thesaurus.commands",
        loads="palmette.tools.thesaurus.thesaurus:Thesaurus",
    )
)
register(
    Tool(
        "rules",
        "inference rules",
        "Paths between nouns that mean the same, such as X solves Y and X finds a solution to Y.",
        "palmette.cli.tools.rules.commands",
        loads="palmette.tools.inference_rules.inference_rules:InferenceRules",
    )
)
