"""Treebank grammars: methods `pcfg` and `markov`."""
