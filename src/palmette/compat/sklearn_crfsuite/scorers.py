"""Scorers for scikit-learn's cross-validation and searches, which this module imports."""

from sklearn.metrics import make_scorer

from palmette.compat.sklearn_crfsuite.metrics import flat_accuracy_score, sequence_accuracy_score

flat_accuracy = make_scorer(flat_accuracy_score)
sequence_accuracy = make_scorer(sequence_accuracy_score)
