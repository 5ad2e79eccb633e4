"""From raw text to sentences of tokens, by rules."""
