"""Parts of speech, morphological features and lemmas of words."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.morphology.analyses import Analysis as Analysis
    from palmette.tools.morphology.edit_scripts import apply_script as apply_script
    from palmette.tools.morphology.edit_scripts import script_of as script_of
    from palmette.tools.morphology.lemmatizer import Lemmatizer as Lemmatizer
    from palmette.tools.morphology.lexicon import Entry as Entry
    from palmette.tools.morphology.lexicon import Lexicon as Lexicon
    from palmette.tools.morphology.morphology import Morphology as Morphology
    from palmette.tools.morphology.scores import MorphologyScores as MorphologyScores
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "analyses": "Analysis",
            "edit_scripts": "apply_script script_of",
            "lemmatizer": "Lemmatizer",
            "lexicon": "Entry Lexicon",
            "morphology": "Morphology",
            "scores": "MorphologyScores",
        },
    )
