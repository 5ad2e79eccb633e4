"""w: how examples become weights.

A learner knows a problem only through `palmette.learning.problem.Problem`: it cannot tell chains from trees.
"""
