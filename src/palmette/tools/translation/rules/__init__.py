"""Rules of synchronous grammars: tables, extraction from aligned text and trees, formats of other tools."""
