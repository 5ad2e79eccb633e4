"""Small inputs for tests: toy corpora, random structures, and the corpora of a developer's machine."""
