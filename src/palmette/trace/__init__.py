"""Algorithms step by step: traces of the real searches and learners over small inputs, as data, text and HTML.

>>> from palmette.trace import trace
>>> found = trace("viterbi", input="time flies")
>>> found.result["labels"]
['N', 'V']
>>> found.steps[0].text
'The start: "time" as N'
"""

from palmette.trace.registry import ALGORITHMS, Algorithm, Field, trace
from palmette.trace.steps import Change, Figure, Step, Trace

__all__ = ["ALGORITHMS", "Algorithm", "Change", "Field", "Figure", "Step", "Trace", "trace"]
