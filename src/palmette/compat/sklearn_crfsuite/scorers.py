"""Scorers for scikit-learn's cross-validation and searches, which this module imports."""

from palmette.compat.sklearn_crfsuite.metrics import flat_accuracy_score, sequence_accuracy_score
from palmette.optional import optional_module

make_scorer = optional_module("sklearn.metrics", extra="sklearn").make_scorer

flat_accuracy = make_scorer(flat_accuracy_score)
sequence_accuracy = make_scorer(sequence_accuracy_score)
