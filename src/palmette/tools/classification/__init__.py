"""Classes for whole items: texts, trees, rows of columns."""
