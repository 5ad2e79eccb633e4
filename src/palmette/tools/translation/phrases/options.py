"""The options of the method `phrase`: of alignment, phrase table, language model, search and tuning."""

from __future__ import annotations

from dataclasses import dataclass, replace

from palmette.tools.translation.phrases.search_options import SearchOptions
from palmette.tools.translation.stage_options import StageOptions
from palmette.tools.translation.tables.extraction import TableOptions


@dataclass(frozen=True, kw_only=True)
class PhraseOptions(SearchOptions, TableOptions, StageOptions):
    """All options of the method."""

    def check(self) -> None:
        """Check what concerns several options."""
        if self.orientation != "phrase" and self.orientation != self.reordering:
            raise ValueError(
                f"The orientation {self.orientation!r} of the search is not that of the table, "
                f"{self.reordering!r}: set reordering alone."
            )

    @property
    def search(self) -> SearchOptions:
        """Those of the search; it compares what the table has counted."""
        found = self.part(SearchOptions)
        return found if self.reordering == "none" else replace(found, orientation=self.reordering)

    @property
    def table(self) -> TableOptions:
        """Those of the phrase table."""
        return self.part(TableOptions)
