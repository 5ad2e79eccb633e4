"""Weighted context-free grammars as objects: read, estimated, checked, converted, sampled, re-estimated."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.grammars.grammar import Grammar as Grammar
    from palmette.grammars.hidden_markov import HiddenMarkovModel as HiddenMarkovModel
    from palmette.grammars.limits import allowing as allowing
    from palmette.grammars.prefixes import PrefixReader as PrefixReader
    from palmette.grammars.re_estimation import reestimate as reestimate
    from palmette.grammars.regular import hidden_markov_model as hidden_markov_model
    from palmette.grammars.regular import regular_grammar as regular_grammar
    from palmette.grammars.rule import Rule as Rule
    from palmette.grammars.rule import Terminal as Terminal
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "grammar": "Grammar",
            "hidden_markov": "HiddenMarkovModel",
            "limits": "allowing",
            "prefixes": "PrefixReader",
            "re_estimation": "reestimate",
            "regular": "hidden_markov_model regular_grammar",
            "rule": "Rule Terminal",
        },
    )
