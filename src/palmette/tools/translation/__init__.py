"""Translation: from a sentence to a sentence of another language, as one path through a graph of phrases."""
