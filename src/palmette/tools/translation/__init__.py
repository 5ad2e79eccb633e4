"""Translation: from a sentence to a sentence of another language, as one path through a graph of phrases."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.translation.chart.graph import ChartGraph as ChartGraph
    from palmette.tools.translation.chart.search import ChartSearch as ChartSearch
    from palmette.tools.translation.chart.search_options import ChartOptions as ChartOptions
    from palmette.tools.translation.glossary import Glossary as Glossary
    from palmette.tools.translation.known import Known as Known
    from palmette.tools.translation.phrases.search import PhraseSearch as PhraseSearch
    from palmette.tools.translation.phrases.search_graph import SearchGraph as SearchGraph
    from palmette.tools.translation.phrases.search_options import SearchOptions as SearchOptions
    from palmette.tools.translation.rules.ghkm import GhkmOptions as GhkmOptions
    from palmette.tools.translation.rules.ghkm import extract_ghkm as extract_ghkm
    from palmette.tools.translation.rules.hiero import HieroOptions as HieroOptions
    from palmette.tools.translation.rules.hiero import extract_hiero as extract_hiero
    from palmette.tools.translation.rules.rule_table import RuleTable as RuleTable
    from palmette.tools.translation.rules.symbols import Nonterminal as Nonterminal
    from palmette.tools.translation.rules.symbols import Rule as Rule
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
            "chart.graph": "ChartGraph",
            "chart.search": "ChartSearch",
            "chart.search_options": "ChartOptions",
            "tables.extraction": "TableOptions extract",
            "glossary": "Glossary",
            "known": "Known",
            "tables.phrase_table": "PhraseTable",
            "tables.pruning": "prune",
            "phrases.search": "PhraseSearch",
            "phrases.search_graph": "SearchGraph",
            "phrases.search_options": "SearchOptions",
            "rules.ghkm": "GhkmOptions extract_ghkm",
            "rules.hiero": "HieroOptions extract_hiero",
            "rules.rule_table": "RuleTable",
            "rules.symbols": "Nonterminal Rule",
            "translation": "Translation",
            "translator": "Translator",
        },
    )
