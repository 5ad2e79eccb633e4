"""Eisner's algorithm as it stands in textbooks, in C++."""
