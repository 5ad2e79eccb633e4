"""Restricted Boltzmann machines, and networks that begin as a stack of them (CSC 448, §6)."""
