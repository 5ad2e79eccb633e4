"""Small grammars with many features: methods `crf`, `perceptron`, `mira`, `svm`."""
