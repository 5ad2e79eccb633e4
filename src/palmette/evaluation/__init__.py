"""How good guesses are: metrics over a corpus, with the counts of every sentence for confidence intervals."""
