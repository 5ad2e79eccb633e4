"""The rule language: what is read, and every way in which it can be wrong."""

from __future__ import annotations

import pytest

from palmette.errors import FormatError
from palmette.inference.deduction import Deduction
from palmette.inference.rules import (
    GOAL,
    Atom,
    Comparison,
    Expression,
    Rule,
    parse_goal,
    parse_rules,
    signature_text,
)


def variable(name: str, offset: int = 0) -> Expression:
    return Expression(offset, ((1, name),))


def one(text: str) -> Rule:
    (rule,) = parse_rules(text).rules
    return rule


def test_a_rule() -> None:
    rule = one("[A, i, k] <- rule(A, B, 'x y') * name[B, i, j] * ?C * 0.5 * 2e-1 * i < k")
    assert rule == Rule(
        line=1,
        head=Atom("", (variable("A"), variable("i"), variable("k"))),
        body=(
            Atom("rule", (variable("A"), variable("B"), Expression("x y"))),
            Atom("name", (variable("B"), variable("i"), variable("j"))),
            Atom("C", (), is_condition=True),
        ),
        comparisons=(Comparison("<", variable("i"), variable("k")),),
        weights=(0.5, 0.2),
    )


@pytest.mark.parametrize(
    "text",
    [
        "a(x) <- b(x), c(x)",
        "a(x) :- b(x) * c(x)",
        "a[x] ← b[x] * c[x]",
        "a(x)<-b(x)*c(x)",
        "a(x) <-\n  b(x) *\n\n  c(x)",
        "a(\n x\n) <- b(x), # with a remark\n c(\nx)  # and another",
        "\n\n  a(x) <- b(x) * c(x)\r\n",
    ],
)
def test_ways_to_write_the_same(text: str) -> None:
    rule = one(text)
    assert (rule.head, rule.body) == (
        Atom("a", (variable("x"),)),
        (Atom("b", (variable("x"),)), Atom("c", (variable("x"),))),
    )


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("i", variable("i")),
        ("i+1", variable("i", 1)),
        ("i - 2", variable("i", -2)),
        ("1+i", variable("i", 1)),
        ("i+j-2", Expression(-2, ((1, "i"), (1, "j")))),
        ("k-i", Expression(0, ((1, "k"), (-1, "i")))),
        ("i+i", Expression(0, ((2, "i"),))),
        ("i-i+3", Expression(3)),
        ("-i", Expression(0, ((-1, "i"),))),
        ("-3", Expression(-3)),
        ("007", Expression(7)),
        ("'NP'", Expression("NP")),
        ('"it\'s"', Expression("it's")),
        (r"'it\'s \\'", Expression("it's \\")),
        ("'#'", Expression("#")),
        ("'3'", Expression("3")),
        ("''", Expression("")),
        ("été", variable("été")),
    ],
)
def test_expressions(text: str, expression: Expression) -> None:
    assert one(f"a({text}) <- b").head.arguments == (expression,)


def test_what_a_match_can_invert() -> None:
    assert variable("i", 2).shift == ("i", 2)
    for text in ("'i'", "3", "i+j", "-i", "i+i"):
        assert one(f"a <- b({text})").body[0].arguments[0].shift is None


def test_anonymous_variables_are_different() -> None:
    first, second = one("a <- b(_, _)").body[0].arguments
    assert first != second
    assert first.shift is not None


def test_hash_in_quotes_is_no_comment() -> None:
    rule = one("a('#', x) <- b(x, \"#\") # * c(x)")
    assert rule.body == (Atom("b", (variable("x"), Expression("#"))),)


@pytest.mark.parametrize("operator", ["==", "!=", "<", "<=", ">", ">="])
def test_comparisons(operator: str) -> None:
    assert one(f"a(x) <- b(x) * x+1 {operator} 3-y * c(y)").comparisons == (
        Comparison(operator, variable("x", 1), Expression(3, ((-1, "y"),))),
    )
    assert one(f"a(x) <- b(x) * 2 {operator} x").comparisons[0].left == Expression(2)
    assert one(f"a(x) <- b(x) * -2 {operator} x").comparisons[0].left == Expression(-2)


def test_weights() -> None:
    assert one("a <- b * 3 * .5 * -1.5 * 1e-3").weights == (3.0, 0.5, -1.5, 0.001)
    assert one("a <- 2 + x == y * b(x, y)").weights == ()


def test_lines_are_kept() -> None:
    rules = parse_rules("# one\na <- b\n\nc <- d *\n e\nf <- g")
    assert [rule.line for rule in rules.rules] == [2, 4, 6]


def test_goal_and_buckets() -> None:
    rules = parse_rules(
        "[i, k] <- f(i, k)\nbucket [i, k] = k - i + 1\ngoal [0, n] <- ?length(n), n > 0 * 0.5"
    )
    assert rules.buckets["", 2] == (
        Atom("", (variable("i"), variable("k"))),
        Expression(1, ((1, "k"), (-1, "i"))),
        2,
    )
    goal = rules.goal
    assert goal is not None
    assert (goal.head, goal.line, goal.weights) == (GOAL, 3, (0.5,))
    assert [atom.signature for atom in goal.body] == [("", 2), ("length", 1)]
    assert goal == parse_rules("a <- b\n\ngoal [0, n] <- ?length(n), n > 0 * 0.5").goal
    assert parse_goal("\n [0, 5]\n\n").body == (Atom("", (Expression(0), Expression(5))),)


def test_goal_and_bucket_are_also_names() -> None:
    rules = parse_rules(
        "goal(x) <- bucket(x)\nbucket[x] <- goal\ngoal <- f\ngoal goal(1)\nbucket goal(x) = x"
    )
    assert [rule.head.signature for rule in rules.rules] == [("goal", 1), ("bucket", 1), ("goal", 0)]
    assert rules.goal is not None
    assert list(rules.buckets) == [("goal", 1)]


def test_signatures() -> None:
    assert [signature_text(s) for s in [("a", 2), ("a", 0), ("", 1), ("", 0)]] == [
        "a(_, _)",
        "a",
        "[_]",
        "[]",
    ]


UNBOUND = "is not bound: no item or fact of the body gives its value"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # Not well formed
        ("a(x)", "1: expected '<-' after the head of a rule but found the end of the line"),
        ("a(x) <-", "1: expected an atom, a comparison or a number but found the end of the line"),
        ("a(x) <- b(x) *", "1: expected an atom, a comparison or a number but found the end of the line"),
        ("3 <- b(x)", "1: expected an item such as [A, i, k] or name(A, i)"),
        ("a(x) <- b(x) c(x)", "1: expected '*' or the end of the rule but found 'c'"),
        (
            "a(k) <- b(i) * k = i+1",
            "1: expected '*' or the end of the rule but found '='; an equation is written with ==",
        ),
        ("a(x) <- 'b'", "1: expected an atom, a comparison or a number"),
        ("a(x) <- b(x) * x+1", "1: expected an atom, a comparison or a number"),
        (
            "a(x) <- b(x) * x <",
            "1: expected a variable, an integer or a quoted symbol but found the end of the line",
        ),
        ("a(x,) <- b(x)", "1: expected a variable, an integer or a quoted symbol but found ')'"),
        ("a(x y) <- b(x)", "1: expected ',' or ')' but found 'y'"),
        ("a(x] <- b(x)", "1: expected ',' or ')' but found ']'"),
        ("a(x) <- b(x)\n\n[A, i <- b(x)", "3: expected ',' or ']' but found '<-'"),
        (
            "a(x) <- b(x\nc(x) <- b(x)",
            "2: expected ',' or ')' but found 'c'; the bracket was opened in line 1",
        ),
        ("\na(x) <- b(x, \n\n", "2: the bracket is never closed with ')'"),
        ("a(", "1: the bracket is never closed with ')'"),
        ("a <- b[", "1: the bracket is never closed with ']'"),
        ("\na('x) <- b", "2: a quote that is not closed"),
        ('a("x) <- b', "1: a quote that is not closed"),
        ("a(x) <- b(x) & c(x)", "1: unexpected '&'"),
        ("a(1.5) <- b", "1: 1.5 is not an integer"),
        ("a(x) <- b(x) * x < 0.5", "1: 0.5 is not an integer"),
        ("a('x'+1) <- b", "1: 'x' is a symbol; only integers can be added"),
        ("a(1+'x') <- b", "1: 'x' is a symbol; only integers can be added"),
        ("a(-'x') <- b", "1: 'x' is a symbol; only integers can be added"),
        # Goals and buckets
        ("a <- b\ngoal a\ngoal a", "3: a second goal; one is enough"),
        ("a <- b\ngoal a a", "2: expected '*' or the end of the rule but found 'a'"),
        ("a(x) <- b(x)\nbucket a(x) x", "2: expected '=' and an expression after the item of a bucket"),
        (
            "a(x) <- b(x)\nbucket a(x) = ",
            "2: expected a variable, an integer or a quoted symbol but found the end of the line",
        ),
        ("a(x) <- b(x)\nbucket a(x) = y", "2: the bucket uses y, which its item does not have"),
        (
            "a(x) <- b(x)\nbucket a(x+1) = x",
            "2: the arguments of a bucket's item must be different variables",
        ),
        ("a(x) <- b(x)\nbucket a(3) = 0", "2: the arguments of a bucket's item must be different variables"),
        (
            "a(x, y) <- b(x, y)\nbucket a(x, x) = x",
            "2: the arguments of a bucket's item must be different variables",
        ),
        ("a(x) <- b(x)\nbucket a(x) = x\nbucket a(y) = y", "3: a second bucket for a(_)"),
        # Variables without a value
        ("\na(x) <- b(y)", f"2: variable x in the head {UNBOUND}"),
        ("a(_) <- b(y)", f"1: variable _ in the head {UNBOUND}"),
        ("a(x) <- b(x) * x < y", f"1: variable y in a comparison {UNBOUND}"),
        ("a(x) <- b(x) * y != x", f"1: variable y in a comparison {UNBOUND}"),
        ("a(x) <- b(x+y)", f"1: variable x in the head {UNBOUND}"),
        ("a <- b(x+x)", f"1: variable x in the body {UNBOUND}"),
        ("a(x) <- y == x+1 * x == y-1", f"1: variable x in the head {UNBOUND}"),
        ("a <- b\ngoal a <- ?c(x+y)", f"2: variable x in the body {UNBOUND}"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        Deduction(text, path="x.rules")
    assert str(caught.value) == f"x.rules:{message}"


def test_anything_is_read_or_refused() -> None:
    """Pieces of rules in any order raise FormatError or nothing."""
    import random

    pieces = [*"a()[],*?x1+-<\n#=_ ", "<-", "0.5", "'s'", "==", "goal", "bucket"]
    choose = random.Random(0)
    n_read = 0
    for _ in range(3000):
        text = "".join(choose.choice(pieces) for _ in range(choose.randint(1, 9)))
        try:
            parse_rules("a <- b\n" + text)
            n_read += 1
        except FormatError:
            pass
    assert n_read > 100
