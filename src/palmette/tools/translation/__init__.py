"""Translation: from a sentence to a sentence of another language, as one path through a graph of phrases."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.translation.glossary import Glossary as Glossary
    from palmette.tools.translation.known import Known as Known
    from palmette.tools.translation.phrases.search import PhraseSearch as PhraseSearch
    from palmette.tools.translation.phrases.search_graph import SearchGraph as SearchGraph
    from palmette.tools.translation.phrases.search_options import SearchOptions as SearchOptions
    from palmette.tools.translation.tables.extraction import TableOptions as TableOptions
    from palmette.tools.translation.tables.extraction import extract as extract
    from palmette.tools.translation.tables.phrase_table import PhraseTable as PhraseTable
    from palmette.tools.translation.tables.pruning import prune as prune
    from palmette.tools.translation.translation import Translation as Translation
    from palmette.tools.translation.translator import Translator as Translator
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "tables.extraction": "TableOptions extract",
            "glossary": "Glossary",
            "known": "Known",
            "tables.phrase_table": "PhraseTable",
            "tables.pruning": "prune",
            "phrases.search": "PhraseSearch",
            "phrases.search_graph": "SearchGraph",
            "phrases.search_options": "SearchOptions",
            "translation": "Translation",
            "translator": "Translator",
        },
    )
