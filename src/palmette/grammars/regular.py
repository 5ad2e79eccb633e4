"""Regular grammars and hidden Markov models, each made into the other. CSC 448, §9.1 and §9.3.

States are nonterminals: P(A → a B) = P(a | A) P(B | A), and P(A → a) = P(a | A) P(end | A). The start symbol has
a rule to every state that may be first. Derivations are then sequences of states, one for one.

The other way, a rule A → a B may have any probability, whereas an HMM emits independently of the next state.
Where a nonterminal does not factor so, it becomes a state for each of its words. A rule A → B without a word is
followed at once (U* as in `unary_rules`), and A → ε is the end.
"""

from __future__ import annotations

import numpy as np

from palmette.grammars.checks import SLACK
from palmette.grammars.conversion import new_name
from palmette.grammars.grammar import Floats, Grammar
from palmette.grammars.hidden_markov import HiddenMarkovModel
from palmette.grammars.limits import check_matrix
from palmette.grammars.partition import partition
from palmette.grammars.rule import Rule, Symbol, Terminal
from palmette.transforms.binarization import MADE


def regular_grammar(model: HiddenMarkovModel, start: str = "S") -> Grammar:
    """The grammar with the same probability for every sentence; `start` gets a prime if a state has its name.

    >>> coin = HiddenMarkovModel(("A",), ("h", "t"), [1.0], [[0.5]], [[0.75, 0.25]], [0.5])
    >>> print(regular_grammar(coin), end="")
    1.0: S -> A
    0.375: A -> 'h' A
    0.375: A -> 'h'
    0.125: A -> 't' A
    0.125: A -> 't'
    """
    start = new_name(start, model.states)
    rules = [Rule(start, (state,), p) for state, p in zip(model.states, model.begin.tolist()) if p > 0]
    if model.empty > 0:
        rules.append(Rule(start, (), model.empty))
    for s, state in enumerate(model.states):
        following = [(t, p) for t, p in zip(model.states, model.transitions[s].tolist()) if p > 0]
        for word, share in zip(model.words, model.emissions[s].tolist()):
            if share > 0:
                rules += [Rule(state, (Terminal(word), t), share * p) for t, p in following]
                if model.end[s] > 0:
                    rules.append(Rule(state, (Terminal(word),), share * float(model.end[s])))
    return Grammar.of_good_rules(rules, start)


def hidden_markov_model(grammar: Grammar) -> HiddenMarkovModel:
    """The HMM with the same probability for every sentence; ValueError if the grammar is not regular.

    >>> model = hidden_markov_model(Grammar("S -> 'a' S [0.5] | 'b' S [0.25] | ε [0.25]"))
    >>> model.states, model.transitions.tolist(), model.end.tolist(), model.empty
    (('S',), [[0.75]], [0.25], 0.25)
    """
    grammar = _one_word_rules(grammar.trimmed())
    if abs(total := partition(grammar).total - 1) > SLACK or not grammar.is_proper:
        hint = "take grammar.tightened()"
        raise ValueError(
            f"An HMM needs a consistent PCFG; the weights of all strings are off by {total:g}: {hint}."
        )
    n, words = len(grammar.nonterminals), {word: i for i, word in enumerate(grammar.terminals)}
    # joint[A, a, X]: the weight of A → a X, the last X being the end.
    check_matrix("The states, words and next states are a table of", n, len(words), n + 1)
    joint = np.zeros((n, len(words), n + 1))
    U, stop = np.zeros((n, n)), np.zeros(n)
    for left, rule in zip(grammar.lefts.tolist(), grammar.rules):
        following = [grammar.number_of(name) for name in rule.nonterminals]
        if len(following) == len(rule.right):
            if following:
                U[left, following[0]] = rule.weight
            else:
                stop[left] = rule.weight
        else:
            assert isinstance(rule.right[0], Terminal)
            joint[left, words[rule.right[0].word], following[0] if following else n] = rule.weight
    arrive = np.linalg.inv(np.eye(n) - U)  # from a nonterminal to that which emits, or stops
    names, sources, mass, emissions, out = _states(grammar, joint)
    enter = arrive[:, sources] * mass
    return HiddenMarkovModel(
        tuple(names),
        tuple(words),
        enter[0],
        out[:, :n] @ enter,
        emissions,
        out[:, n] + out[:, :n] @ (arrive @ stop),
        float((arrive @ stop)[0]),
    )


def _states(grammar: Grammar, joint: Floats) -> tuple[list[str], list[int], Floats, Floats, Floats]:
    """Names, nonterminals, probabilities, emissions and what follows, for every state.

    A state's probability is that of its words among all rules of its nonterminal.
    """
    names: list[str] = []
    sources: list[int] = []
    mass, emissions, out = [], [], []
    n_words = joint.shape[1]
    for node, name in enumerate(grammar.nonterminals):
        by_word = joint[node].sum(axis=1)
        used = np.flatnonzero(by_word > 0)
        if not len(used):
            continue
        shares = joint[node][used] / by_word[used, None]
        mean = joint[node].sum(axis=0) / by_word.sum()
        if np.allclose(shares, mean, rtol=0, atol=1e-12):
            groups = [(name, used, mean)]
        else:
            groups = [
                (f"{name}/{grammar.terminals[a]}", used[i : i + 1], shares[i]) for i, a in enumerate(used)
            ]
        for label, mine, following in groups:
            row = np.zeros(n_words)
            row[mine] = by_word[mine]
            names.append(new_name(label, names))
            sources.append(node)
            mass.append(row.sum())
            emissions.append(row / row.sum())
            out.append(following)
    n_out = joint.shape[2]
    return (
        names,
        sources,
        np.array(mass),
        np.array(emissions).reshape(-1, n_words),
        np.array(out).reshape(-1, n_out),
    )


def _one_word_rules(grammar: Grammar) -> Grammar:
    """Rules with at most one word, before the nonterminal; ValueError if the grammar is not right-linear."""
    made: dict[tuple[Symbol, ...], str] = {}
    taken = frozenset(grammar.nonterminals)
    rules: list[Rule] = []
    for rule in grammar.rules:
        left, right, weight = rule
        if any(isinstance(symbol, str) for symbol in right[:-1]):
            raise ValueError(
                f"The grammar is not regular (A → a B, A → a, A → ε): it has the rule {rule.arrow()}."
            )
        while len(right) > 1 and isinstance(right[1], Terminal):
            rest = right[1:]
            known = rest in made
            name = made.setdefault(rest, new_name(f"{MADE}{len(made)}", taken))
            rules.append(Rule(left, (right[0], name), weight))
            if known:
                break
            left, right, weight = name, rest, 1.0
        else:
            rules.append(Rule(left, right, weight))
    return Grammar.of_good_rules(rules, grammar.start)
