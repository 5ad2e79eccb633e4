"""
The loops of Palmette. Use the Python modules; this one checks only what keeps it from crashing.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray

class StopFlag:
    def __init__(self) -> None: ...
    def set(self) -> None:
        """Ask the loops of all threads that are part of the work to end."""

    def enter(self) -> None:
        """
        Make this thread part of the work; KeyboardInterrupt if the flag is set.
        """

    def leave(self) -> None:
        """Take this thread out of the work."""

class CycleError(ValueError):
    def __str__(self) -> str: ...

class Hypergraph:
    def __init__(
        self,
        n_nodes: int,
        n_parts: int,
        root: int,
        heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tail_start: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        tails: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_parts(self) -> int: ...
    @property
    def root(self) -> int: ...
    @property
    def n_edges(self) -> int: ...
    @property
    def is_acyclic(self) -> bool: ...
    @property
    def edge_start(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    @property
    def labels(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    @property
    def tail_start(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    @property
    def tails(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    @property
    def order(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    @property
    def component_start(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    def find_cycle(self) -> list[int]: ...
    def restricted(
        self,
        keep: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Hypergraph: ...
    def log_values(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        outside: bool,
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def inside_max(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def outside_max(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def inside_real(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def outside_real(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def inside_boolean(
        self,
        values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...
    def outside_boolean(
        self,
        values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...
    def count_values(
        self,
        counts: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        outside: bool,
    ) -> list[int]: ...
    def kbest_values(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        k: int,
        outside: bool,
    ) -> list[list[float]]: ...
    def expectation_values(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        outside: bool,
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def marginals(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[
        float,
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def edge_marginals(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def max_marginals(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def covariance(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...
    def best(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...
    def kbest(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        k: int,
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...
    def samples(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n: int,
        seed: int,
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...

SYMBOL: int = 1073741824

MAX_ARITY: int = 64

class Instance:
    def take_graph(self) -> Hypergraph:
        """The hypergraph; handed over once."""

    @property
    def predicate(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    @property
    def argument_start(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    @property
    def arguments(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    @property
    def items_made(self) -> int: ...
    @property
    def items_popped(self) -> int: ...
    @property
    def edges_built(self) -> int: ...

class Combination:
    def __init__(self, operations: Sequence[tuple[int, int, float]]) -> None: ...
    def __call__(self, scores: Sequence[float], function: Callable[[int, Sequence[float]], float]) -> float:
        """The score of the head, from those of the premises."""

class Program:
    def __init__(self, n_parts: int, goal: int) -> None: ...
    def add_predicate(
        self,
        arity: int,
        is_derived: bool,
        facts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_facts: int,
        first_part: int,
        bucket: tuple[int, Sequence[tuple[int, int]]] | None,
        bucket_where: str,
    ) -> None: ...
    def add_rule(
        self,
        where: str,
        n_variables: int,
        part: int,
        label_atom: int,
        own_weight: bool,
        head: int,
        head_arguments: Sequence[tuple[int, Sequence[tuple[int, int]]]],
        body: Sequence[tuple[int, bool, Sequence[tuple[int, int]]]],
        comparisons: Sequence[
            tuple[int, tuple[int, Sequence[tuple[int, int]]], tuple[int, Sequence[tuple[int, int]]]]
        ],
        combination: Combination,
    ) -> None: ...
    def run(
        self,
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        order: int,
        heuristic_weight: float,
        heuristic_of_bucket: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        heuristic: Callable[[int, Sequence[int]], float] | None,
        top: int,
        width: float,
        superior: bool,
        function: Callable[[int, Sequence[float]], float],
        item_limit: int,
        edge_limit: int,
        seconds_limit: float,
        byte_limit: float,
    ) -> Instance: ...

class ParsedTokens:
    """A token file as arrays of ids and lists of strings."""

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def lines(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Where each sentence begins."""

    @property
    def heads(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    @property
    def columns(self) -> list[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], list[str]]]:
        """Ids and strings of each column."""

    @property
    def comments(self) -> list[str]: ...
    @property
    def comment_offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def extras(self) -> list[str]:
        """Ranges and empty nodes, as whole lines."""

    @property
    def extra_offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def extra_after(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    @property
    def problems(self) -> list[tuple[int, str]]:
        """(line, message), the first hundred."""

    @property
    def n_skipped(self) -> int: ...

def parse_conllu(text: bytes, lenient: bool, wanted: int = 255) -> ParsedTokens: ...
def fill_conllu(
    text: bytes,
    field: int,
    ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    strings: list[str],
) -> bytes: ...
def detect_separator(text: bytes) -> str: ...
def parse_columns(text: bytes, separator: str, n_columns: int, lenient: bool) -> ParsedTokens: ...
def format_conllu(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    columns: Sequence[
        tuple[
            str,
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            list[str],
        ]
    ],
    heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    comments: list[str],
    comment_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    extras: list[str],
    extra_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    extra_after: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> bytes: ...
def format_columns(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    columns: Sequence[
        tuple[
            str,
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            list[str],
        ]
    ],
    comments: list[str],
    comment_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    separator: str,
) -> bytes: ...
def read_brackets(
    data: bytes, classes: tuple[type, ...], positions: bool, lenient: bool
) -> tuple[Any, Any, Any, int]:
    """
    The trees of a bracketed text, their lines, its first problems as (line, message), and how many there are.
    With `positions`, leaves are i=word.
    """

def read_export(
    data: bytes, classes: tuple[type, ...], root: str, lenient: bool
) -> tuple[Any, Any, Any, int]:
    """
    The trees of a file in the Negra export format, and the rest as `read_brackets` gives it.
    """

def build_tree(tree_class: type, label: str, children: tuple[Any, ...], note: object) -> Any:
    """
    A node of children that are known to be trees and leaves in the order of their first words.
    """

def build_leaf(leaf_class: type, word: str, position: int) -> Any:
    """A leaf."""

class SagMemory:
    def __init__(self) -> None: ...
    def __getstate__(self) -> bytes: ...
    def __setstate__(self, arg: bytes, /) -> None: ...
    @property
    def loss(self) -> float: ...
    def weights(
        self,
        v: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

class PerceptronMemory:
    def __init__(self, n_averaged: int, votes: bool, margin: float = 0.0, most: int = 0) -> None: ...
    def __getstate__(self) -> bytes: ...
    def __setstate__(self, arg: bytes, /) -> None: ...
    @property
    def radius(self) -> float: ...
    def vectors(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        All vectors that vote: how each differs from the one before it (bounds, places, values), and their votes.
        """

    def mean(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

class MiraMemory:
    def __init__(self, n_averaged: int) -> None: ...
    def __getstate__(self) -> bytes: ...
    def __setstate__(self, arg: bytes, /) -> None: ...
    def mean(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

class ArowMemory:
    def __init__(self, n_weights: int, variance: float) -> None: ...
    def __getstate__(self) -> bytes: ...
    def __setstate__(self, arg: bytes, /) -> None: ...
    def variance(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

class SubgradientMemory:
    def __init__(self, n_averaged: int, t: int, norm: float) -> None: ...
    def __getstate__(self) -> bytes: ...
    def __setstate__(self, arg: bytes, /) -> None: ...
    def mean(
        self,
        v: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def factor(self, l2: float) -> float: ...

class FrankWolfeMemory:
    def __init__(self, n_averaged: int) -> None: ...
    def __getstate__(self) -> bytes: ...
    def __setstate__(self, arg: bytes, /) -> None: ...
    @property
    def loss(self) -> float: ...
    @property
    def mean_loss(self) -> float: ...
    def mean(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

class DualMemory:
    def __init__(self, hinge: bool = False) -> None: ...
    def __getstate__(self) -> bytes: ...
    def __setstate__(self, arg: bytes, /) -> None: ...
    @property
    def values(self) -> float: ...

class WorkingSet:
    def __init__(self) -> None: ...
    def __getstate__(self) -> bytes: ...
    def __setstate__(self, arg: bytes, /) -> None: ...
    @property
    def size(self) -> int: ...
    def dual(self, l2: float) -> float: ...
    def solve(self, l2: float, tolerance: float, max_rounds: int) -> float: ...
    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

class Problem:
    """
    Examples with their structure and features, as learners see them. Its length is the number of examples, and its weights are one flat array of n_weights floats. `risk` asks for the expected loss in place of the log-likelihood.
    """

    @property
    def n_weights(self) -> int: ...
    @property
    def offers(self, /) -> frozenset[str]:
        """What learners may ask of it."""

    @property
    def n_shared(self) -> int: ...
    def __len__(self) -> int: ...
    def observed(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        One for every weight that some right output reads, zero for the others.
        """

    def keep_to(
        self,
        free: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
    ) -> None:
        """Move no weight from now on but those with a 1; None: all."""

    def total_loss(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_jobs: int,
    ) -> float:
        """The loss of the best outputs, summed over the examples."""

    def gradient(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
        risk: bool,
        n_jobs: int,
        begin: int = 0,
        end: int | None = None,
    ) -> float:
        """
        Fill `gradient` with Σ Φᵀ(gold − p) over the examples begin to end − 1, and return the negative log-likelihood (or the expected loss).
        """

    def curvature(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        diagonal: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
        n_jobs: int,
        begin: int = 0,
        end: int | None = None,
    ) -> None:
        """
        Fill `diagonal` with about the second derivatives of the negative log-likelihood.
        """

    def expected_counts(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        counts: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
        n_jobs: int,
        begin: int = 0,
        end: int | None = None,
    ) -> float:
        """
        Fill `counts` with the expected uses of every weight given what is known; returns the log of the sum over outputs.
        """

    def sgd_epoch(
        self,
        v: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
        scale: float,
        t: int,
        order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        eta0: float,
        l2: float,
        risk: bool,
        batch: int = 1,
        n_jobs: int = 1,
    ) -> tuple[float, float, int]:
        """
        Steps of stochastic gradient descent on w = scale · v; returns the loss, the new scale and the new t. The examples of a batch see the same weights, and may be worked on by several threads.
        """

    def sag_epoch(
        self,
        v: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
        memory: SagMemory,
        order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        l2: float,
        risk: bool,
    ) -> float:
        """
        Steps of the stochastic average gradient; `memory.weights(v)` are the weights.
        """

    def perceptron_epoch(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
        memory: PerceptronMemory,
        order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[int, float]:
        """
        Perceptron updates of w; returns the number of mistakes and their loss.
        """

    def smallest_margin(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_jobs: int,
    ) -> float:
        """The least lead of a right output over the best wrong one."""

    def mira_epoch(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
        memory: MiraMemory,
        order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        slack: int,
        c: float,
        k: int,
        loss: bool,
    ) -> tuple[int, float]:
        """
        Margin updates of w (slack: 0 none, 1 linear, 2 squared); returns their number and the violations.
        """

    def arow_epoch(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
        memory: ArowMemory,
        order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        gamma: float,
    ) -> tuple[int, float]:
        """AROW updates of w; returns their number and the violations."""

    def hinge(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")] | None,
        n_jobs: int,
        begin: int = 0,
        end: int | None = None,
    ) -> tuple[float, float]:
        """
        The structured hinge loss of the examples begin to end − 1, and the loss of the outputs that violate their margins most. `gradient` is filled with Σ weight · (Φ(x, y) − Φ(x, z)), so that hinge = loss − w · gradient.
        """

    def subgradient_epoch(
        self,
        v: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
        memory: SubgradientMemory,
        order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        l2: float,
        radius: float,
    ) -> float:
        """
        Pegasos steps on w = memory.factor(l2) · v; returns the hinge loss met on the way.
        """

    def frank_wolfe_epoch(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
        memory: FrankWolfeMemory,
        order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        l2: float,
        search: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
    ) -> float:
        """
        Block-coordinate Frank-Wolfe steps; returns the sum of the gaps met on the way.
        """

    def working_set_epoch(
        self,
        working_set: WorkingSet,
        order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        l2: float,
        search: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
    ) -> int:
        """
        Add what is violated most, example by example, and optimise each at once; returns the additions.
        """

    def start_dual(
        self,
        start: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        memory: DualMemory,
        l2: float,
        sharpness: float,
        rate: float,
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Fill the memory with a first distribution for every example, and return the weights of these.
        """

    def exponentiated_epoch(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
        memory: DualMemory,
        order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        l2: float,
    ) -> float:
        """Exponentiated-gradient steps in the dual; returns by how much it rose."""

class PythonProblem(Problem):
    def __init__(self, model: object) -> None: ...

class ChainProblem(Problem):
    def __init__(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        attributes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        pair_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        pair_attributes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        pair_values: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        n_attributes: int,
        n_pair_attributes: int,
        n_labels: int,
        order: int,
        start_mask: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        end_mask: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        pair_mask: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        local: bool = False,
        unary: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
        states: object | None = None,
    ) -> None: ...
    def with_history(self) -> ChainProblem: ...
    def kbest(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        k: int,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def decode(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def probabilities(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def scores(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        sentence: int,
    ) -> tuple[
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]: ...
    def difference(
        self,
        sentence: int,
        first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        second: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]: ...
    def constrained(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...

class SparseRows:
    """Rows of weights of which most are zero, one column per label."""

    def __init__(
        self,
        counts: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        columns: Annotated[
            NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_columns: int,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    @property
    def stride(self) -> int: ...
    def arrays(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint16], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]:
        """
        The entries of each row; the columns and the values of all entries that are not zero, row by row.
        """

    def sums(
        self,
        rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        attributes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        n_jobs: int,
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """The sum of each token's rows, [tokens · stride]."""

    def __getstate__(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint16], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        int,
    ]: ...
    def __setstate__(
        self,
        arg: tuple[
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            int,
        ],
        /,
    ) -> None: ...

class FeatureValues:
    """What each string of a column has for a value: None for none."""

    @staticmethod
    def of(values: Sequence[str | None]) -> FeatureValues: ...
    def distinct(self) -> list[str]:
        """
        The values without repetition, in the order in which types first have them.
        """

    def mapped(self, values: Sequence[str | None]) -> FeatureValues:
        """
        The attribute that has, in place of each distinct value, another one or None.
        """

    @staticmethod
    def prefixes(strings: Sequence[str | None], length: int, whole: bool = False) -> FeatureValues:
        """
        The first characters of the strings that are longer or, with `whole`, as long.
        """

    @staticmethod
    def suffixes(strings: Sequence[str | None], length: int, whole: bool = False) -> FeatureValues:
        """
        The last characters of the strings that are longer or, with `whole`, as long.
        """

    def hashes(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """The hash of every string's value; 0 for none."""

    def __len__(self) -> int: ...
    def values(self) -> list[str | None]:
        """The value of every string."""

class FeatureTable:
    """Keys of attributes and their ids."""

    def __init__(self) -> None: ...
    @staticmethod
    def of(
        keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> FeatureTable:
        """
        The table of keys in the order of their ids; ValueError if one comes twice.
        """

    def __len__(self) -> int: ...
    def select(
        self,
        ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> FeatureTable:
        """The table of some attributes, which get the ids 0, 1 and so on."""

    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...
    @property
    def has_origins(self) -> bool:
        """Whether names can be rendered."""

    def grow(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        views: Sequence[
            tuple[
                Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
                FeatureValues,
            ]
        ],
        templates: Sequence[tuple[int, Sequence[tuple[int, int]]]],
        min_count: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]: ...
    def look_up(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        views: Sequence[
            tuple[
                Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
                FeatureValues,
            ]
        ],
        templates: Sequence[tuple[int, Sequence[tuple[int, int]]]],
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]: ...
    def score_tokens(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        views: Sequence[
            tuple[
                Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
                FeatureValues,
            ]
        ],
        templates: Sequence[tuple[int, Sequence[tuple[int, int]]]],
        weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        stride: int,
        n_jobs: int,
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def score_tokens_sparsely(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        views: Sequence[
            tuple[
                Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
                FeatureValues,
            ]
        ],
        templates: Sequence[tuple[int, Sequence[tuple[int, int]]]],
        weights: SparseRows,
        n_jobs: int,
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def names(
        self,
        templates: Sequence[tuple[int, Sequence[tuple[int, int]]]],
        literals: Sequence[Sequence[str]],
        views: Sequence[FeatureValues],
        ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[bytes, Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

def intern_words(
    sentences: list[Sequence[str]],
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    list[str],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
]:
    """
    Ids of all words in a row, the distinct words, and where each sentence begins.
    """

def hash_features(
    bits: int,
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    views: Sequence[
        tuple[
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            FeatureValues,
        ]
    ],
    templates: Sequence[tuple[int, Sequence[tuple[int, int]]]],
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]
]: ...
def hash_text(text: str) -> int:
    """The 64-bit hash that names a string in model files."""

@overload
def spread_weights(
    gaps: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    numbers: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    levels: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    table: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
) -> None: ...
@overload
def spread_weights(
    gaps: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    numbers: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)],
    levels: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    table: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
) -> None: ...
@overload
def spread_weights(
    gaps: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    numbers: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    levels: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    table: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
) -> None:
    """Write the weights of a file into a table of zeros."""

@overload
def spread_rows(
    gaps: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    numbers: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    levels: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n_rows: int,
    stride: int,
    n_columns: int,
) -> SparseRows: ...
@overload
def spread_rows(
    gaps: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    numbers: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)],
    levels: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n_rows: int,
    stride: int,
    n_columns: int,
) -> SparseRows:
    """The weights of a file as rows of `stride` places, without their zeros."""

def lstm_forward(
    lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    hidden: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    gates: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu")],
    cells: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu")],
    states: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu")],
) -> None:
    """Fill in the gates, cells and states of an LSTM in both directions."""

def lstm_pull_back(
    lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    hidden: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    gates: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu")],
    cells: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu")],
    grads: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu")],
) -> None:
    """Turn the gates of an LSTM into their gradients."""

class Network:
    """A network over tokens, built from arrays of weights layer by layer."""

    def __init__(self) -> None: ...
    def add_table(
        self,
        table: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        width: int,
        by_type: bool,
    ) -> None: ...
    def add_convolution(
        self,
        table: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        width: int,
        filters: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        reach: int,
    ) -> None: ...
    def add_letters(
        self,
        table: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        width: int,
        gated: bool,
        size: int,
        directions: int,
        weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        hidden: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        hidden_bias: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def add_recurrent(
        self,
        gated: bool,
        size: int,
        directions: int,
        weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        hidden: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        hidden_bias: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def add_dense(
        self,
        weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        activation: int,
    ) -> None: ...
    def forward(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        types: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_types: int,
        given: Sequence[
            tuple[
                Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
                Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            ]
        ],
        stride: int,
        n_jobs: int,
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    @property
    def outputs(self) -> int: ...

class FloatChains:
    def __init__(
        self,
        labels: int,
        order: int,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        first: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        last: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        begin: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        table: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        per_position: bool,
    ) -> None: ...
    def best(
        self, jobs: int
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...
    def log_z(self, jobs: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def marginals(
        self, jobs: int, with_ngrams: bool
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]: ...
    def expectations(
        self,
        jobs: int,
        weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]: ...
    def scores(
        self, y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class DoubleChains:
    def __init__(
        self,
        labels: int,
        order: int,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        last: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        begin: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        table: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        per_position: bool,
    ) -> None: ...
    def best(
        self, jobs: int
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...
    def log_z(self, jobs: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def marginals(
        self, jobs: int, with_ngrams: bool
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def expectations(
        self,
        jobs: int,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def scores(
        self, y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def covariances(
        self,
        jobs: int,
        unary: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        begin: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        table: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def kbest(
        self, k: int
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]: ...
    def best_first(
        self, factor: float, constant: bool
    ) -> tuple[bool, bool, float, int, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...
    def multi_stack(
        self, top: int, width: float
    ) -> tuple[bool, bool, float, int, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

class LabelStates:
    def __init__(
        self,
        n_labels: int,
        n_rows: int,
        label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        from_: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        to: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        final: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        row_first: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...

class StateChains:
    def __init__(
        self,
        states: object,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        steps: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        per_position: bool,
    ) -> None: ...
    def best(
        self, jobs: int
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...
    def log_z(self, jobs: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def marginals(
        self, jobs: int, with_steps: bool
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def scores(
        self, y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def kbest(
        self, k: int
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]: ...
    def best_first(
        self, factor: float, constant: bool
    ) -> tuple[bool, bool, float, int, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...
    def multi_stack(
        self, top: int, width: float
    ) -> tuple[bool, bool, float, int, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

class HeadChoiceProblem(Problem):
    def __init__(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        piece_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        pieces: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        bits: int,
    ) -> None: ...
    def candidates(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        threshold: float,
        most: int,
        heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]: ...
    def probabilities(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_jobs: int,
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """The probability of each token's head; every token chooses by itself."""

    def kbest(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        sentence: int,
        k: int,
        cost: float,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        The k best choices of a sentence, one after another, and their scores, with cost for each wrong head.
        """

class ArcProblem(Problem):
    def __init__(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        piece_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        pieces: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        candidates: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_labels: int,
        bits: int,
        label_bits: int,
        siblings: bool = True,
        grandparents: bool = True,
        projective: bool = True,
        single_root: bool = True,
        root_labels: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> None:
        """
        root_labels: 1 for the labels that arcs from the root have, and no others; None: any label fits anywhere.
        """

    def decode(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | tuple[
            Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ],
        choice: int,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        Trees: 0 the best, 1 with most expected right heads, 2 with most expected right labelled arcs.
        """

    def probabilities(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | tuple[
            Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ],
        labels: bool,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def difference(
        self,
        sentence: int,
        heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        other_heads: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        other_labels: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]:
        """Φ of one tree less Φ of another: places and values."""

    def contributions(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | tuple[
            Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ],
        sentence: int,
        heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        other_heads: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        other_labels: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        What features give one tree more than another: [family, template, g, h, m, s, label] each, and amounts.
        """

    def kbest(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | tuple[
            Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ],
        k: int,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        The k best trees of every sentence i: those from rows[i] to rows[i + 1], one after another.
        """

    def constrained(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | tuple[
            Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ],
        heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        The best trees that have these heads: -1 any, -2 - h any but h. Where there is none the score is minus infinity.
        """

def arc_scores(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    piece_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    pieces: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sentence: int,
    w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ],
    n_labels: int,
    bits: int,
    label_bits: int,
) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
    """
    The scores of all arcs of a sentence by themselves, by head and modifier.
    """

def arc_templates() -> list[list[list[tuple[str, str]]]]:
    """
    What the templates of each family look at: [family][template] pairs of a place (h, m, g, s) and what is seen there.
    """

def label_attributes(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    piece_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    pieces: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    bits: int,
    n_jobs: int,
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]
]:
    """
    What the labels of trees are told by: rows and hashed attributes, token by token.
    """

class NameTable:
    """Names of attributes and their ids."""

    def __init__(self) -> None: ...
    @staticmethod
    def of(
        text: bytes,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> NameTable:
        """
        The table of names in the order of their ids; ValueError if one comes twice.
        """

    def __len__(self) -> int: ...
    def names(self) -> tuple[bytes, Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...
    def collect(
        self, sentences: object, grows: bool, bits: int, min_count: int
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))] | None,
    ]:
        """
        Offsets, rows, attributes and values (None if all are 1) of sentences of tokens.
        """

    def collect_with_zeros(
        self, sentences: object
    ) -> tuple[
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.float32], dict(shape=(None,))] | None,
        ],
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        ],
    ]:
        """
        The same of new attributes, and apart from them rows and attributes of those whose value is 0.
        """

class TransitionConfiguration:
    def __init__(self, system: str, n: int, single_root: bool) -> None: ...
    def copy(self) -> TransitionConfiguration: ...
    @property
    def legal(self) -> list[int]: ...
    @property
    def finished(self) -> bool: ...
    @property
    def stack(self) -> list[int]: ...
    @property
    def buffer(self) -> list[int]: ...
    @property
    def heads(self) -> list[int]: ...
    @property
    def labels(self) -> list[int]: ...
    def apply(self, kind: int, label: int) -> None: ...
    def costs(
        self,
        heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> list[int]: ...

def transition_oracle(
    system: str,
    heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> list[int] | None:
    """The kinds of transitions that make a tree, or None if they cannot."""

def projectivise(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """The heads of all sentences, lifted until no arcs cross."""

def transition_templates(system: str) -> tuple[list[str], list[str]]:
    """The templates of moves and of labels that suit a system."""

def beam_width(width: int, n: int) -> int:
    """
    The width of a beam for a sentence of n words: as asked, and less for a very long one.
    """

def transition_slots() -> list[str]:
    """
    The places that templates look at, in the order of the words of a traced step.
    """

class TransitionProblem(Problem):
    def __init__(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        piece_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        pieces: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        system: str,
        training: int,
        width: int,
        max_violation: bool,
        groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        move_templates: Sequence[str],
        label_templates: Sequence[str],
        move_bits: int,
        label_bits: int,
    ) -> None:
        """
        training: 0 to follow the parser, 1 to imitate the static oracle, 2 to explore with the dynamic one, 3 for a beam.
        """

    @property
    def labels_at(self) -> int: ...
    def explore(self, probability: float, round: int) -> None: ...
    def decode(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def mistakes(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        sentence: int,
        cost: float,
    ) -> tuple[
        float,
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]:
        """
        The loss of the best output, and where the features of the right one differ from its.
        """

class TransitionParser:
    def __init__(
        self,
        system: str,
        groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        move_templates: Sequence[str],
        label_templates: Sequence[str],
        move_bits: int,
        label_bits: int,
        move_table: Annotated[
            NDArray[numpy.int16], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        label_table: Annotated[
            NDArray[numpy.int16], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        move_unit: float,
        label_unit: float,
        root_labels: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> None:
        """
        root_labels: 1 for the labels that arcs from the root have, and no others; None: any label fits anywhere.
        """

    def parse(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        piece_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        pieces: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        width: int,
        known: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        n_jobs: int,
        probable: bool,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        int,
    ]:
        """
        Heads, labels, scores of sentences, probabilities of arcs if asked, and the first sentence whose known heads could not be kept (or -1).
        """

    def kbest(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        piece_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        pieces: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        sentence: int,
        width: int,
        k: int,
        known: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        losses: bool = False,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        losses: score trees by what their moves lose against the best ones, so that the first is that of the greedy parser.
        """

    def trace(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        piece_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        pieces: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        sentence: int,
        width: int,
        known: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        kinds: Sequence[int] | None,
        losses: bool = False,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        float,
        list[tuple[int, int, list[int], list[int], list[int]]],
    ]:
        """
        Heads, labels and score of a tree, the best or that of given kinds of transitions, and each step to it: the move, the best move there, the rows of its features, their templates, the words in the slots. losses: as in kbest.
        """

    def trace_beam(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        piece_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        pieces: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        sentence: int,
        width: int,
    ) -> list[list[tuple[int, int, int, float, bool]]]:
        """
        The steps of a beam search. Each has the candidates best first, those kept and some of those dropped: the place of the item that it extends, the move (-1: done), the label of its arc (-1: none), the score, and whether it is kept.
        """

def tree_shapes(
    heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[
    Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
]:
    """
    Per sentence the flags, the gap degree and the depth of its graph; per word whether its arc is not projective.
    """

def projectivise_trees(
    heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    int,
]:
    """
    The heads of projective trees, how often each word was lifted, and the first sentence that is not a tree, or -1.
    """

class LatentTrainer:
    def __init__(
        self,
        n_symbols: int,
        binary: tuple[
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ],
        unary: tuple[
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ],
        begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        id: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        symbol: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        form_tag: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        form_chain: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        form_counted: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        context_begin: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        context_tag: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        context_total: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        strength: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def expectation(self, n_jobs: int = 1) -> float: ...
    def maximization(self, rule_smoothing: float, word_smoothing: float, n_jobs: int = 1) -> None: ...
    def split(self, noise: float, seed: int) -> None: ...
    def merge_losses(self, n_jobs: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def merge(
        self,
        merged: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def restore(
        self,
        substates: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        binary: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        same: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        root: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        counts: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        prior: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        smoothing: float,
    ) -> None:
        """Goes on with the weights of another trainer."""

    def take(
        self,
        binary: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        same: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        root: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        counts: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        prior: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        mass: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """Takes the counts of several trainers together for its own."""

    def take_mass(
        self,
        mass: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def expected(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]:
        """
        The counts of the last expectation: of binary and unary rules, of staying the same, of the root.
        """

    @property
    def n_words(self) -> int: ...
    @property
    def smoothing(self) -> float: ...
    def substates(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def binary(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def unary(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def same(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def root(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def mass(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def counts(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def prior(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

class LatentParser:
    def __init__(
        self,
        n_symbols: int,
        binary: tuple[
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ],
        unary: tuple[
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ],
        made: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        context_begin: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        context_tag: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        context_total: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        strength: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        smoothing: float,
        tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        members: Sequence[
            tuple[
                Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
                Annotated[
                    NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
                Annotated[
                    NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
                Annotated[
                    NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
                Annotated[
                    NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
                Annotated[
                    NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
                Annotated[
                    NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
                Annotated[
                    NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
                Sequence[
                    tuple[
                        Annotated[
                            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
                        ],
                        Annotated[
                            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
                        ],
                    ]
                ],
            ]
        ],
    ) -> None: ...
    def parse(
        self,
        chains: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        bar_rows: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bars: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        thresholds: Sequence[float],
        recall: bool,
        bracket_cost: float,
        by_brackets: bool,
        k: int,
        n_jobs: int = 1,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def marginals(
        self,
        chains: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        thresholds: Sequence[float],
        n_jobs: int = 1,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]: ...
    def fragments(
        self,
        chains: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        float,
    ]: ...
    def amounts(
        self,
        chains: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def float_best_tree(
    scores: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu")],
    projective: bool,
    single_root: bool,
) -> float: ...
def float_best_trees(
    scores: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    projective: bool,
    single_root: bool,
    jobs: int,
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]: ...
def float_tree_sums(
    scores: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    projective: bool,
    single_root: bool,
    jobs: int,
    with_marginals: bool,
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float32], dict(shape=(None,))],
]: ...
def double_best_tree(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu")],
    projective: bool,
    single_root: bool,
) -> float: ...
def double_best_trees(
    scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    projective: bool,
    single_root: bool,
    jobs: int,
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]: ...
def double_tree_sums(
    scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    projective: bool,
    single_root: bool,
    jobs: int,
    with_marginals: bool,
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]: ...
def tree_covariances(
    scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    projective: bool,
    single_root: bool,
    jobs: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def kbest_trees(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    projective: bool,
    single_root: bool,
    k: int,
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
]: ...
def sample_trees(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    projective: bool,
    single_root: bool,
    count: int,
    seed: int,
) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
def dual_decomposition(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    siblings: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    single_root: bool,
    max_iter: int,
) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], float, float, bool, int]: ...

class TreeSet:
    def __init__(self, trees: list[object], classes: tuple[type, ...], kind: int, words: bool) -> None: ...
    def __len__(self) -> int: ...
    @property
    def n_subtrees(self) -> int: ...
    @property
    def n_classes(self) -> int: ...

def tree_gram(
    a: TreeSet,
    b: TreeSet,
    decay: float,
    mu: float,
    jobs: int,
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> None: ...
def tree_diagonal(
    trees: TreeSet, decay: float, mu: float, jobs: int
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def tree_pairs(
    a: TreeSet,
    i: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    b: TreeSet,
    j: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    decay: float,
    mu: float,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def embed_trees(
    trees: TreeSet,
    decay: float,
    seed: int,
    jobs: int,
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> None: ...

class SupportForest:
    def __init__(self, kind: int, words: bool, decay: float, mu: float) -> None: ...
    @property
    def n_subtrees(self) -> int: ...
    def add(
        self,
        trees: TreeSet,
        which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        alphas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def score(self, trees: TreeSet, jobs: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class SequenceSet:
    def __init__(self, columns: Sequence[list[object]]) -> None: ...
    def __len__(self) -> int: ...

def gappy_gram(
    a: SequenceSet,
    b: SequenceSet,
    n: int,
    decay: float,
    jobs: int,
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> None: ...
def gappy_diagonal(
    a: SequenceSet, n: int, decay: float, jobs: int
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def mismatch_gram(
    a: SequenceSet,
    b: SequenceSet,
    n: int,
    shared: Sequence[float],
    jobs: int,
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> None: ...
def mismatch_diagonal(
    a: SequenceSet, n: int, shared: Sequence[float], jobs: int
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def tagged_gram(
    a: SequenceSet,
    b: SequenceSet,
    decay: float,
    weights: Sequence[float],
    longest: int,
    jobs: int,
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> None: ...
def tagged_diagonal(
    a: SequenceSet, decay: float, weights: Sequence[float], longest: int, jobs: int
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class TaggedSupports:
    def __init__(self, decay: float, weights: Sequence[float], longest: int) -> None: ...
    def __len__(self) -> int: ...
    def add(
        self,
        sequences: SequenceSet,
        which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        alphas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def score(
        self, sequences: SequenceSet, jobs: int
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class FragmentTable:
    def __init__(self, decay: float, weights: Sequence[float], longest: int) -> None: ...
    def __len__(self) -> int: ...
    def add(
        self,
        sequences: SequenceSet,
        which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        alphas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def score(
        self, sequences: SequenceSet, jobs: int
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def amounts(self, sequences: SequenceSet, i: int) -> list[tuple[int, bytes, float]]: ...

class SparseSet:
    def __init__(
        self,
        names: list[object],
        values: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    @staticmethod
    def of_columns(
        columns: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> SparseSet: ...
    @staticmethod
    def of_ngrams(sequences: SequenceSet, least: int, most: int) -> SparseSet: ...
    def __len__(self) -> int: ...

def sparse_gram(
    a: SparseSet,
    b: SparseSet,
    jobs: int,
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> None: ...
def sparse_distances(
    a: SparseSet,
    b: SparseSet,
    jobs: int,
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> None: ...
def sparse_diagonal(a: SparseSet) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class SparseSum:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def add(
        self,
        vectors: SparseSet,
        which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        alphas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def score(self, vectors: SparseSet) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class PhraseForests:
    """The trees of sentences; equal subtrees of a sentence are one."""

    @staticmethod
    def of_brackets(
        lengths: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        trees: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        brackets: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> PhraseForests:
        """
        Make trees of brackets in preorder (label, start, end): tree t has rows[t] …, sentence i the trees trees[i] ….
        """

    @staticmethod
    def of_derivations(
        lengths: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        trees: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        symbols: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rules: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> PhraseForests:
        """
        Make trees of nodes in preorder, as charts give them; labels: of symbols, -1 for those that are left out.
        """

    @staticmethod
    def of_latent(
        lengths: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        trees: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        root_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        roots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        node_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        symbols: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        between: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        top: int,
    ) -> PhraseForests:
        """
        Make trees of the nodes of latent grammars below some roots, with the labels of symbols and within unary rules.
        """

    def __len__(self) -> int: ...
    def sizes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        How many different subtrees the trees of each sentence have, words not counted.
        """

    def shapes(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]:
        """
        The different expansions: that of every node (-1 for tags), rows, and labels from rows[s] on, the node's and its children's.
        """

    def trees(self, classes: tuple[Any, Any], labels: list[str], sentences: Sequence[Any]) -> list[Any]:
        """The trees of every sentence over its words; classes: Tree and Leaf."""

class AnchoredGrammar:
    def __init__(
        self,
        kinds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        coarse: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        binary: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        chain_rows: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        chains: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        roots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        root: int,
    ) -> None: ...
    def phrases(
        self,
        lengths: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        trees: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> PhraseForests:
        """
        Trees of anchored rules: tree t has the nodes rows[t] …, sentence i has lengths[i] words and the trees trees[i] …. Their labels are coarse symbols.
        """

class AnchoredProblem(Problem):
    def __init__(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        piece_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        pieces: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        grammar: AnchoredGrammar,
        item_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        gold_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        bits: int,
        constraint_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        constraints: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> None:
        """
        Sentences with the items their trees may have (start, end, symbol), right trees (nodes of start, end, kind, split, id) and constraints (start, end, label, required).
        """

    def decode(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        choice: int,
        offset: float,
        sums: bool,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        The tree of every sentence: rows, nodes (start, end, kind, split, id), scores, and log Z with sums. choice: 0 the best, 1 with the most expected right brackets, 2 with the largest product of rules.
        """

    def kbest(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        k: int,
        sums: bool,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        The k best trees of every sentence i: those from trees[i] to trees[i + 1].
        """

    def brackets(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]:
        """
        The probabilities of phrases: rows, (start, end, symbol) each, probabilities.
        """

    def contributions(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        sentence: int,
        nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        What features give a tree: [family, template, start, end, split, kind of name, name, coarse, place of the weight] each, and amounts.
        """

    def sizes(self, sentence: int) -> list[int]:
        """
        How many lower items, chains, rules above spans, rules with splits, anchored rules and roots a sentence has.
        """

def prune_sentences(
    chart: ChartGrammar,
    grammar: AnchoredGrammar,
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    positions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    symbols: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    threshold: float,
    n_jobs: int,
    constraint_rows: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    constraints: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | None = None,
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]:
    """
    The items (start, end, symbol) of sentences whose posterior is at least the threshold, row by row, and log Z; none where there is no tree.
    """

def anchored_templates() -> list[list[list[tuple[str, str]]]]:
    """
    What the templates of each family look at: [family][template] pairs of a place and what is seen there.
    """

class LexicalizedModel:
    def __init__(
        self,
        is_tag: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        plain: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        height: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        joins: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        root: int,
        chains: Sequence[Sequence[Sequence[Sequence[int]]]],
        looks: Sequence[Sequence[int]],
        n_features: int,
    ) -> None: ...
    def train(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        children: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        token: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        features: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_words: int,
        rare: int,
    ) -> None: ...
    def smooth(
        self,
        discount: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        strength: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def counts(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]: ...
    def restore(
        self,
        rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        key: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        lengths: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        outcome: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        count: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        pairs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        lasts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tags: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        words: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def scores(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        children: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        token: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        features: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def phrase_scores(
        self,
        phrases: PhraseForests,
        shape: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        tokens: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        features: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_jobs: int,
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def steps(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        children: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        token: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        features: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def parse(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        tokens: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        rules: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        features: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        thresholds: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        wish: int,
        k: int,
        offset: float,
        memory: int,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...

class ChartItems:
    """Which (start, end, symbol) are alive in a chart."""

    def __init__(self, n: int, symbols: int, alive: bool = False) -> None: ...
    @property
    def n(self) -> int: ...
    @property
    def symbols(self) -> int: ...
    def has(self, start: int, end: int, symbol: int) -> bool: ...
    def add(self, start: int, end: int, symbol: int) -> None: ...
    def remove(self, start: int, end: int, symbol: int) -> None: ...
    def close(self, start: int, end: int) -> None: ...
    def open(self, start: int, end: int) -> bool: ...
    def closed(
        self,
        words: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        parts: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> ChartItems:
        """
        The same without longer spans that begin (1) or end (2) with a closed word; parts of phrases may begin anywhere.
        """

    def __len__(self) -> int: ...
    def arrays(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]:
        """The starts, ends and symbols of all that are alive."""

class ChartGrammar:
    """Binary and unary rules over numbered symbols, indexed for charts."""

    def __init__(
        self,
        symbols: int,
        root: int,
        parents: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        lefts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        rights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary_parents: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary_children: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary_weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    @property
    def symbols(self) -> int: ...
    @property
    def root(self) -> int: ...

def best_bracketing(
    n: int,
    starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """The numbers of the brackets of the best bracketing, in preorder."""

class LcfrsParser:
    def __init__(
        self,
        fan_out: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        root: int,
        parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        yield_code: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weight: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary_parent: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary_child: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary_weight: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        grammars: Sequence[
            tuple[
                Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
                Annotated[
                    NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
                Annotated[
                    NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
            ]
        ],
    ) -> None: ...
    def parse(
        self,
        n_words: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        position: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        symbol: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        weight: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Sequence[
            Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        ],
        segment_threshold: float,
        item_threshold: float,
        max_edges: int,
        minimum_risk: bool,
        k: int,
        exact: bool,
        posteriors: bool,
        n_jobs: int,
    ) -> list[
        tuple[
            list[tuple[float, list[int], list[int], list[float]]],
            bool,
            bool,
            bool,
            float,
            int,
            list[tuple[int, int, int, float]],
        ]
    ]: ...

class LcfrsEm:
    def __init__(
        self,
        fan_out: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        root: int,
        parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        yield_code: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weight: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary_parent: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary_child: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary_weight: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        symbol: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        rule: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        left_node: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        right_node: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        entry: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_entries: int,
    ) -> None: ...
    def expect(
        self,
        states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        binary: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        word_first: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        words: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_jobs: int,
    ) -> tuple[
        float,
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def merge_losses(
        self,
        states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        binary: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        word_first: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        words: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        frequency: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_jobs: int,
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class SentenceChart:
    """The whole chart of one sentence."""

    def __init__(
        self,
        grammar: ChartGrammar,
        positions: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        symbols: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n: int,
        allowed: ChartItems | None,
    ) -> None: ...
    def best_value(self, start: int, end: int, symbol: int) -> float: ...
    def kbest(
        self, start: int, end: int, symbol: int, k: int
    ) -> tuple[
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        ],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """Nodes of the k best trees of an item, and their scores."""

    def best_items(
        self,
        prior: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        Return for every span the item with the highest value plus the prior of its symbol.
        """

    @property
    def log_z(self) -> float: ...
    def posteriors(
        self, least: float
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def expected_counts(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """Return the expected counts of binary rules, unary rules and emissions."""

    def samples(
        self, count: int, seed: int
    ) -> tuple[
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        ],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...

class ChartSearcher:
    """
    Trees and posteriors of many sentences, exactly or from coarse to fine.
    """

    def __init__(
        self,
        grammar: ChartGrammar,
        coarse: ChartGrammar | None,
        coarse_of: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        parts: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        threshold: float,
        memory: int,
    ) -> None: ...
    def best(
        self,
        lengths: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        positions: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        symbols: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        closed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        allowed: list[Any] | None,
        k: int,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
    ]:
        """
        Offsets of trees per sentence, of nodes per tree, symbols and rules of nodes in preorder, scores of trees, outcomes.
        """

    def posteriors(
        self,
        lengths: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        positions: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        symbols: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        closed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        allowed: list[Any] | None,
        brackets: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        least: float,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
    ]:
        """
        Offsets of brackets per sentence, their starts, ends, labels and probabilities, the best tags, log Z, outcomes.
        """

class ItemGrammar:
    """Binary rules for charts by the scores of their items."""

    def __init__(
        self,
        symbols: int,
        parents: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        lefts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        rights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def sums(
        self,
        items: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rules: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        root: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        lengths: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        jobs: int,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        with_parts: bool,
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def covariances(
        self,
        items: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rules: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        root: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        item_values: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rule_values: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        root_values: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        lengths: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def best(
        self,
        items: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rules: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        root: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        lengths: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]: ...

class Bitext:
    """
    Sentence pairs in which every pair of words that meet has a number; NULL is the first source word.
    """

    def __init__(
        self,
        source_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        target_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_source: int,
        n_target: int,
    ) -> None: ...
    def liken(self, source: Sequence[str], target: Sequence[str]) -> None:
        """
        Compare the spellings of the words of every pair; `alike` has what comes out.
        """

    @property
    def alike(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        How alike the words of every pair are spelt, 0 to 1; empty before `liken`.
        """

    def exchange_classes(
        self, target: bool, n_classes: int, n_passes: int
    ) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], float]:
        """
        Classes of the words of one side that make its bigrams of classes most probable, and that log-likelihood.
        """

    def __len__(self) -> int: ...
    @property
    def n_pairs(self) -> int: ...
    @property
    def n_target(self) -> int: ...
    @property
    def first_of(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def target_of(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    @property
    def shape_lengths(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def part(self, begin: int, end: int) -> Bitext:
        """Some of the sentence pairs; pairs of words keep their numbers."""

    def links(self, s: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        The numbers of a sentence's pairs of words, [1 + source][target], NULL first.
        """

    @property
    def lengths(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]: ...
    def expect_independent(
        self,
        t: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        position: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        p0: float,
        tension: float,
        n_jobs: int,
    ) -> tuple[
        float,
        tuple[
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        ],
    ]:
        """
        The log-likelihood, and expected counts: pairs, places, and of NULL, words, distances, their means and variances.
        """

    def expect_jumps(
        self,
        t: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        jump: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        last: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        p0: float,
        n_jobs: int,
    ) -> tuple[
        float,
        tuple[
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        ],
    ]:
        """
        The log-likelihood, and expected counts: pairs, jumps, first and last places, and of NULL and words.
        """

    def agree_independent(
        self,
        mirror: Bitext,
        t: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        back_t: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        p0: float,
        tension: float,
        back_tension: float,
        n_jobs: int,
    ) -> tuple[
        float,
        tuple[
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        ],
        tuple[
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        ],
    ]:
        """
        Expected counts of both directions, of links the product of both posteriors.
        """

    def agree_jumps(
        self,
        mirror: Bitext,
        t: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        jump: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        last: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        back_t: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        back_jump: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        back_first: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        back_last: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        p0: float,
        back_p0: float,
        n_jobs: int,
    ) -> tuple[
        float,
        tuple[
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        ],
        tuple[
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        ],
    ]: ...
    def posteriors_independent(
        self,
        t: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        position: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        p0: float,
        tension: float,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]:
        """
        Offsets, and for every sentence the probabilities of links, [source][target].
        """

    def posteriors_jumps(
        self,
        t: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        jump: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        last: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        p0: float,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]: ...
    def best_independent(
        self,
        t: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        position: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        p0: float,
        tension: float,
        n_jobs: int,
    ) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """For every target word its source word from 1 on, 0 for NULL."""

    def best_jumps(
        self,
        t: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        jump: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        last: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        p0: float,
        n_jobs: int,
    ) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

def lexical_lookup(
    bitext: Bitext,
    first_of: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    unseen: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n_jobs: int,
) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
    """The weight that a table has for each pair of words of a bitext."""

def count_shares(
    counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n_groups: int,
    otherwise: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def variational_weights(
    counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n_groups: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def log_penalty(
    prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> float: ...

N_FERTILITIES: int = 11

class AlignmentSampler:
    """
    A sampler of word alignments, one word after another; order: jumps (the HMM's), diagonal or table (Model 3), or cepts (Model 4).
    """

    def __init__(
        self,
        bitext: Bitext,
        pairs: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        sources: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        fertilities: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        displacements: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        source_classes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_classes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_source_classes: int,
        n_target_classes: int,
        start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        *,
        order: str,
        null: float,
        fertility: float,
        smoothing: float,
        classes: float,
        table: float,
        seed: int,
        kept: int,
    ) -> None: ...
    def sweep(self, keep: bool) -> float:
        """
        Every word chooses once; returns the sum of log P(word | all else). With `keep`, the probabilities count.
        """

    def climb(self) -> int:
        """The best moves and swaps, until none helps; how many there were."""

    def conditional(
        self, sentence: int, word: int, bitext: Bitext
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """P(place | all else) of one target word, NULL first."""

    @property
    def alignment(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def posteriors(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """The mean of what was kept, [source][target] of every sentence."""

    def packed_posteriors(self) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]:
        """The same in half the memory: 65535 is one."""

    def pair_counts(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def fertility_counts(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def order_counts(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

def read_side(
    text: bytes,
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    list[str],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
]:
    """
    The sentences of a text: ids of all words in a row, the distinct words, and where each sentence begins.
    """

def read_pairs(
    text: bytes, bars: bool
) -> tuple[
    tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        list[str],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ],
    tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        list[str],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ],
    int,
    int,
]:
    """
    Both sides of all lines; the number of the first line that has not two parts (0: none), and how many it has.
    """

def count_separators(text: bytes) -> tuple[int, int, int]:
    """
    Lines that are not blank, those of two parts between tabs, and those of two parts between |||.
    """

def symmetrize_links(
    source_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    forth: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    back: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    p: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    q: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    how: int,
    threshold: float,
    n_jobs: int,
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.float32], dict(shape=(None,))],
]:
    """
    Links of both directions as one alignment: offsets of sentences, source words, target words, probabilities.
    """

def pharaoh_lines(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    probability: Annotated[
        NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> bytes:
    """One line for every sentence, with probabilities if there are any."""

class PairNodes:
    """Phrase pairs as nodes of two tries, one a side."""

    @property
    def size(self) -> int: ...
    def source(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The node of each source phrase."""

    def target(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The node of each target phrase."""

class PhrasePairs:
    """The distinct phrase pairs of an aligned text."""

    @property
    def nodes(self) -> PairNodes: ...
    def places(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Five numbers for each pair: sentence, begin and end of the source phrase, of the target phrase.
        """

    def counts(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        Three numbers for each pair: how often the target phrase, the source phrase and both occur in blocks.
        """

    def orientations(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        Six numbers for each pair: monotone, swap, discontinuous to the block before, and to the block after.
        """

    def links(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint16], dict(shape=(None,))],
    ]:
        """
        Where the links of each pair begin, and the links inside: source word << 8 | target word.
        """

def phrase_pairs(
    source_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    links_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    link_source: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    link_target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    longest: int,
    orientation: int,
    n_jobs: int,
) -> PhrasePairs:
    """
    The phrase pairs that agree with the links. orientation: 0 none, 1 by words, 2 by phrases, 3 hierarchical.
    """

def phrase_variants(
    source_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    links_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    link_source: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    link_target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    longest: int,
    orientation: int,
    n_jobs: int,
) -> PhrasePairs:
    """
    The same of a part of a text: pairs with other links are apart, for `pairs_of_variants`.
    """

def pairs_of_variants(
    source_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    links_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    link_source: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    link_target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    count: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    orientation: Annotated[
        NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_jobs: int,
) -> PhrasePairs:
    """
    The phrase pairs of a whole text from the variants of its parts, in the order of their places.
    """

class PhraseWriter:
    """
    Distinct phrase pairs, as five numbers each: sentence, begin and end of the source and the target phrase.
    """

    def __init__(
        self,
        source_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        source_utf8: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        source_words: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        target_utf8: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_words: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def order(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The rows in the order of the bytes of their phrases."""

    def lines(
        self,
        counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        lexical: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        links_at: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        link_source: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        link_target: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        begin: int,
        end: int,
    ) -> bytes:
        """Some rows in the format of Moses: phrases, four scores, links, counts."""

class PhraseTable:
    """
    A phrase table over its arrays. ValueError if they do not fit together.
    """

    def __init__(
        self,
        source_utf8: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        source_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_utf8: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        child_begin: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        child_word: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        pair_begin: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        pair_target: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_begin: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_words: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        scores: Annotated[
            NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        reordering: Annotated[
            NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        link_begin: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        links: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)],
        whole: bool,
    ) -> None:
        """
        whole: check every item now; otherwise each is checked when it is looked up.
        """

    def find(self, words: Sequence[str]) -> tuple[int, int]:
        """
        The pairs of a source phrase: from the first number to the one before the second.
        """

    def target(self, pair: int) -> list[int]:
        """The words of the target phrase of a pair."""

    def links(self, pair: int, n_source: int) -> list[tuple[int, int]]:
        """The links inside a pair whose source phrase has n_source words."""

def phrase_nodes(
    source_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    source_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> PairNodes:
    """Phrase pairs from the words of their phrases."""

def build_phrase_table(
    nodes: PairNodes,
    source_rank: Annotated[
        NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target_rank: Annotated[
        NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    score: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    left: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | None = None,
) -> tuple[
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
]:
    """
    The arrays of a phrase table from its pairs: child_begin, child_word, pair_begin, pair_target, target_begin, target_words, and which pair came to each place. left: the labels of rules. ValueError if a pair occurs twice or a phrase is empty.
    """

def select_phrase_pairs(
    table: PhraseTable,
    kept: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
]:
    """
    The same arrays of a table with some of its pairs. Words keep their numbers.
    """

def sentence_counts(
    table: PhraseTable,
    source_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    source_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n_jobs: int,
) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    Three numbers for each pair: sentence pairs with its source phrase, with its target phrase, with both. A word of the text that the table does not have is -1.
    """

def surprises(
    counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The negative logarithm of p in Fisher's exact test, from three counts for each pair among n sentence pairs.
    """

class TranslationGraph:
    """The hypotheses of a search that lead to whole translations."""

    @property
    def graph(self) -> Hypergraph: ...
    @property
    def exact(self) -> bool: ...
    @property
    def features(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...
    @property
    def begin(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...
    @property
    def end(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...
    @property
    def pair(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...
    @property
    def word_start(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...
    @property
    def words(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...
    @property
    def covered(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...
    def kbest(
        self,
        table: PhraseTable,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        k: int,
        distinct: bool,
        factor: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint16], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        list[str],
    ]: ...

class PhraseSearch:
    """Search by phrases, with weights and limits."""

    def __init__(
        self,
        table: PhraseTable,
        lm: NgramModel | None,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        from_column: int,
        to_column: int,
        unknown: str,
        stack: int,
        threshold: float,
        pop_limit: int,
        distortion_limit: int,
        table_limit: int,
        max_phrase: int,
        hierarchical: bool,
        most: int,
    ) -> None: ...
    def translate(
        self,
        sentences: list[list[str]],
        known: Sequence[
            tuple[
                Sequence[tuple[int, int, Sequence[str], bool]], Sequence[Sequence[str]], Sequence[str] | None
            ]
            | None
        ]
        | None,
        walls: Sequence[bytes] | None,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint16], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        list[str],
    ]: ...
    def kbest(
        self,
        sentences: list[list[str]],
        known: Sequence[
            tuple[
                Sequence[tuple[int, int, Sequence[str], bool]], Sequence[Sequence[str]], Sequence[str] | None
            ]
            | None
        ]
        | None,
        walls: Sequence[bytes] | None,
        k: int,
        distinct: bool,
        factor: int,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint16], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        list[str],
    ]: ...
    def graphs(
        self,
        sentences: list[list[str]],
        known: Sequence[
            tuple[
                Sequence[tuple[int, int, Sequence[str], bool]], Sequence[Sequence[str]], Sequence[str] | None
            ]
            | None
        ]
        | None,
        walls: Sequence[bytes] | None,
        n_jobs: int,
    ) -> tuple[list[TranslationGraph], list[str]]: ...

class RuleTable:
    """A rule table over its arrays. ValueError if they do not fit together."""

    def __init__(
        self,
        source_utf8: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        source_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_utf8: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        labels_utf8: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        labels_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        productions_utf8: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        productions_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        child_begin: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        child_symbol: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rule_begin: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rule_left: Annotated[
            NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rule_target: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_begin: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_items: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        scores: Annotated[
            NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        link_begin: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        links: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)],
        trees: bool,
        whole: bool,
    ) -> None:
        """
        trees: whether the trie is over fragments of source trees. whole: check every item now; otherwise each is checked when it is looked up.
        """

    def check(self) -> None:
        """ValueError unless every item is right."""

    def source_number(self, word: str) -> int:
        """The number of a source word, or 2**32 - 1."""

    def label_number(self, label: str) -> int:
        """The number of a label, or 2**32 - 1."""

    def production_number(self, production: str) -> int:
        """The number of a production, or 2**32 - 1."""

    def find(self, symbols: Sequence[int]) -> tuple[int, int]:
        """
        The rules of a source side: from the first number to the one before the second.
        """

    def left(self, rule: int) -> int:
        """The label of the left side of a rule."""

    def target(self, rule: int, n: int) -> list[int]:
        """
        The items of the target side of a rule with n nonterminals: words, and -1 - t for nonterminal t.
        """

    def links(self, rule: int, n_source: int, n_target: int) -> list[tuple[int, int]]:
        """The links inside a rule with that many symbols on its sides."""

    def matching_sentences(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        Whether each rule may be used on one of some sentences; -1 is a word that the table does not have.
        """

    def matching_trees(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        label: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        production: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        end: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        next: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        Whether the fragment of each rule is at a node of some trees. production: numbers of the table; 2**32 - 2 is another.
        """

    def select(
        self,
        kept: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    ]:
        """
        The arrays of a table with some of its rules: child_begin, child_symbol, rule_begin, rule_target, target_begin, target_items as unsigned numbers, and which rule came to each place. Symbols keep their numbers.
        """

class RuleCounts:
    """The rules of an aligned text, and how often they occur."""

    @property
    def nodes(self) -> PairNodes: ...
    def keep(
        self,
        kept: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """Leaves out some of the rules."""

    def left(self) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]:
        """The label of the left side of each rule."""

    def targets(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        Numbers of target sides; sides with other labels, or another left side, are different.
        """

    def occurrences(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """How often each rule occurs."""

    def counts(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The count of each rule, which may be a sum of shares."""

    def sentences(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        Three numbers for each rule: sentence pairs with a rule that has its source side, its target side, and with the rule.
        """

    def lexical(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """Two logarithms for each rule: lex(source | target) and back."""

    def fragments(
        self, productions: Sequence[str], n_target_words: int, target_trees: bool
    ) -> tuple[
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """
        The fragment of each rule over strings, by number, and the fragments in brackets as the two arrays of a table of strings.
        """

    def links(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint16], dict(shape=(None,))],
    ]:
        """
        Where the links of each rule begin, and the links: source position << 8 | target position.
        """

def hiero_rules(
    source_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    links_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    link_source: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    link_target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    source_logs: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target_logs: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_source_words: int,
    n_target_words: int,
    max_span: int,
    max_symbols: int,
    max_nonterminals: int,
    min_hole: int,
    adjacent: bool,
    loose: bool,
    shares: bool,
    n_jobs: int,
) -> RuleCounts:
    """
    The hierarchical rules of an aligned text. Source symbols are words and then the label X; target items are words and then nonterminals by number.
    """

def ghkm_rules(
    source_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    links_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    link_source: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    link_target: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    source_logs: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    target_logs: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_source_words: int,
    n_target_words: int,
    trees_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    label: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    production: Annotated[
        NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    end: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    next: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n_labels: int,
    n_productions: int,
    target_trees: bool,
    fragments: bool,
    flat: bool,
    unary: bool,
    shares: bool,
    max_rules: int,
    max_nodes: int,
    max_symbols: int,
    max_scope: int,
    n_jobs: int,
) -> RuleCounts:
    """The rules of an aligned text with trees on one side."""

class ChartGraph:
    """The vertices of a search by rules that lead to whole translations."""

    @property
    def graph(self) -> Hypergraph: ...
    @property
    def exact(self) -> bool: ...
    @property
    def features(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...
    @property
    def begin(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...
    @property
    def end(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...
    @property
    def rule(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...
    @property
    def label(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...
    @property
    def item_start(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...
    @property
    def items(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    def kbest(
        self,
        table: RuleTable,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        k: int,
        distinct: bool,
    ) -> tuple[
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint16], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
            list[str],
        ],
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        ],
    ]: ...
    def one(
        self,
        table: RuleTable,
        edges: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint16], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
            list[str],
        ],
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        ],
    ]: ...

class ChartSearch:
    """Search by synchronous rules, with weights and limits."""

    def __init__(
        self,
        table: RuleTable,
        lm: NgramModel | None,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        copy_labels: Sequence[int],
        unknown: str,
        pop_limit: int,
        growing: bool,
        span: int,
        table_limit: int,
        unary: int,
        most: int,
    ) -> None: ...
    def translate(
        self,
        sentences: list[list[str]],
        known: Sequence[
            tuple[
                Sequence[tuple[int, int, Sequence[str], bool]], Sequence[Sequence[str]], Sequence[str] | None
            ]
            | None
        ]
        | None,
        n_jobs: int,
        forests: tuple[
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ]
        | None = None,
    ) -> tuple[
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint16], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
            list[str],
        ],
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        ],
    ]: ...
    def kbest(
        self,
        sentences: list[list[str]],
        known: Sequence[
            tuple[
                Sequence[tuple[int, int, Sequence[str], bool]], Sequence[Sequence[str]], Sequence[str] | None
            ]
            | None
        ]
        | None,
        k: int,
        distinct: bool,
        n_jobs: int,
        forests: tuple[
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ]
        | None = None,
    ) -> tuple[
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint16], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
            list[str],
        ],
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        ],
    ]: ...
    def graphs(
        self,
        sentences: list[list[str]],
        known: Sequence[
            tuple[
                Sequence[tuple[int, int, Sequence[str], bool]], Sequence[Sequence[str]], Sequence[str] | None
            ]
            | None
        ]
        | None,
        n_jobs: int,
        forests: tuple[
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ]
        | None = None,
    ) -> tuple[list[ChartGraph], list[str]]: ...

class MosesTable:
    """
    The content of a phrase table in the format of Moses, in the order of its lines.
    """

    def __init__(self) -> None: ...
    def read(
        self,
        text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[int, str]:
        """Read a phrase table: the line that is wrong (0: none), and why."""

    def read_reordering(
        self,
        text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[int, str]:
        """Read the orientations of its pairs, with the same answer."""

    @property
    def nodes(self) -> PairNodes: ...
    @property
    def n_columns(self) -> int: ...
    @property
    def n_reordering(self) -> int: ...
    def source_words(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...
    def target_words(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...
    def scores(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def reordering(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def link_begin(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...
    def links(self) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]: ...
    def counts(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

class MosesWriter:
    """
    Writes a phrase table in the format of Moses, sorted by the bytes of its phrases.
    """

    def __init__(
        self,
        table: PhraseTable,
        source_utf8: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        source_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_utf8: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        target_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        counts: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    @property
    def size(self) -> int:
        """The number of source phrases."""

    def lines(self, begin: int, end: int, reordering: bool) -> bytes:
        """
        The lines of some source phrases: of the phrase table, or of the reordering table.
        """

class GramRows:
    def __init__(
        self,
        matrix: Annotated[
            NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    @staticmethod
    def on_demand(n: int, make: object, most_bytes: int) -> GramRows: ...
    def __len__(self) -> int: ...
    @property
    def made(self) -> int: ...

class Stop:
    def __init__(self) -> None: ...
    def set(self) -> None: ...

def solve_svm(
    rows: GramRows,
    diagonal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    items: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    signs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    bounds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    tolerance: float,
    most_steps: int,
    shrinking: bool,
    stop: Stop,
) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float, float, float, int, bool]: ...

class DualPerceptron:
    def __init__(self, n: int, n_classes: int, budget: int) -> None: ...
    @property
    def seen(self) -> int: ...
    def run(
        self,
        rows: GramRows,
        order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> int: ...
    def alpha(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def mean(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def updates(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...

def vote_dual(
    gram: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    wrong: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    times: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    end: int,
    n_classes: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class SymbolicMemory:
    def __init__(
        self,
        metrics: Sequence[int],
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_values: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        tables: Sequence[
            Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
        ],
        unseen: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        classes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def n_distinct(self) -> int: ...
    def votes(
        self,
        values: Annotated[
            NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        numbers: Annotated[
            NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        k: int,
        distances: bool,
        voting: int,
        decay: float,
        jobs: int,
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def neighbours(
        self,
        values: Annotated[
            NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        numbers: Annotated[
            NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        k: int,
        distances: bool,
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...

class EuclideanMemory:
    def __init__(
        self,
        rows: Annotated[
            NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        along: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        classes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_classes: int,
    ) -> None: ...
    def __len__(self) -> int: ...
    def votes(
        self,
        queries: Annotated[
            NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        k: int,
        distances: bool,
        voting: int,
        decay: float,
        jobs: int,
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def neighbours(
        self,
        query: Annotated[
            NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        k: int,
        distances: bool,
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...

def information_gain(
    values: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[float, float]: ...

class NgramText:
    """Text as numbers of words."""

    def __init__(self) -> None: ...
    def add(self, lines: bytes, skip_marks: bool = False, n_jobs: int = 1) -> None: ...
    def expect(self, n_bytes: int) -> None:
        """Make room for a text of about n_bytes bytes."""

    def intern(self, word: str) -> int: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_lines(self) -> int: ...
    @property
    def n_words(self) -> int: ...
    def word_counts(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...
    def words(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...
    def keep(
        self,
        kept: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def number_as(
        self,
        text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None:
        """Gives the words the numbers that they have among these."""

    def sentence_end(self, place: int) -> int:
        """Where the sentence that a place is in ends."""

    def count(self, order: int, first: int, last: int, n_jobs: int = 1) -> NgramCounts:
        """Counts the n-grams of some sentences."""

    def clear(self) -> None:
        """Forgets the text; its words stay."""

class NgramCounts:
    """Counts of n-grams."""

    @staticmethod
    def from_arrays(
        text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        levels: Sequence[
            tuple[
                Annotated[
                    NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
                Annotated[
                    NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
                Annotated[
                    NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
            ]
        ],
    ) -> NgramCounts: ...
    def arrays(
        self,
    ) -> list[
        tuple[
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        ]
    ]: ...
    @property
    def sizes(self) -> list[int]: ...
    def cut(self, order: int) -> None:
        """Forgets longer n-grams."""

    def merge(self, more: NgramCounts, n_jobs: int = 1) -> None:
        """
        Adds other counts, whose words have the same numbers as far as both have them.
        """

    def estimate(
        self,
        smoothing: str,
        thresholds: Sequence[int],
        discount: float,
        concentration: float,
        n_jobs: int = 1,
    ) -> tuple[NgramPlain, list[list[float]], list[int]]:
        """
        A model, discounts by order, and the orders that had to fall back; the counts are gone.
        """

class NgramPlain:
    """A backoff model as plain arrays."""

    @property
    def sizes(self) -> list[int]: ...
    def words(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...
    def unigrams(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def pack(
        self, quantize: int, n_jobs: int = 1
    ) -> list[
        tuple[
            Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
            Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        ]
    ]: ...
    def table(
        self, n_jobs: int = 1
    ) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], int]: ...
    def arpa_head(self) -> str: ...
    def arpa_lines(self, level: int, first: int, last: int) -> bytes: ...
    @staticmethod
    def from_arpa(
        text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[NgramPlain, int, str]:
        """The model, or the line and the fault."""

    def prune(self, threshold: float) -> None: ...
    @staticmethod
    def mix(models: Sequence[NgramPlain], weights: Sequence[float]) -> NgramPlain: ...

class NgramState:
    """What a history means to the words after it."""

    def __init__(self) -> None: ...
    @property
    def words(self) -> tuple[int, ...]:
        """The numbers of the words that matter, in the order of the text."""

    @property
    def backoffs(self) -> list[float]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> tuple[list[int], list[float]]: ...
    def __setstate__(self, arg: tuple[Sequence[int], Sequence[float]], /) -> None: ...

class NgramModel:
    """A language model over the arrays of its file."""

    def __init__(
        self,
        text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unigrams: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        levels: Sequence[
            tuple[
                int,
                Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
                Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
                Annotated[
                    NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
                Annotated[
                    NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
                Annotated[
                    NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
                ],
            ]
        ],
        quantize: int,
        table: Annotated[
            NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ]
        | None,
        seed: int,
    ) -> None: ...
    @property
    def order(self) -> int: ...
    @property
    def n_words(self) -> int: ...
    def find(self, word: object) -> int: ...
    def contains(self, word: object) -> bool: ...
    def word(self, id: int) -> str: ...
    def score(self, sentence: object, begins: bool = True, ends: bool = True) -> float: ...
    def score_batch(
        self, sentences: list[str], begins: bool, ends: bool, n_jobs: int
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def word_scores(
        self, sentences: list[str], begins: bool, ends: bool, n_jobs: int
    ) -> tuple[
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...
    def full_scores(self, sentence: object, begins: bool, ends: bool) -> list[tuple[float, int, bool]]: ...
    def begin(self) -> NgramState: ...
    def advance(self, state: NgramState, word: object) -> tuple[float, int, bool, NgramState]: ...
    def distribution(self, state: NgramState) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def unpack(self) -> NgramPlain: ...

class SimilarityIndex:
    """
    An inverted index of a sparse table: which rows are similar. Columns rise in a row.
    """

    def __init__(
        self,
        starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        columns: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_columns: int,
    ) -> None: ...
    def similarities(
        self,
        a: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        b: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        measure: str,
        paired: bool = False,
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The similarity of a[i] and b[i]; paired: of paths, whose slots are rows 2i and 2i + 1.
        """

    def nearest(
        self,
        asked: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        measure: str,
        k: int,
        paired: bool = False,
        n_jobs: int = 1,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
    ]:
        """
        The min(k, rows) most similar rows of each row that is asked for (−1: none), and how similar they are.
        """

class FactoredProblem(Problem):
    def __init__(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        attributes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        unary: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        allowed_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        allowed: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        label_rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        label_parts: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        classes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_attributes: int,
        n_parts: int,
        n_classes: int,
    ) -> None:
        """
        Label y has the parts label_parts[label_rows[y]] … and a class; the weights are a row of parts for each attribute, then transitions of classes.
        """

    def decode(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """The best label of every token, and the score of every sentence."""

    def probabilities(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.float32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        The probability of every label at every token, and log Z of every sentence.
        """

    def kbest(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        k: int,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        The k best of each sentence: where its own begin, their labels in a row, and their scores.
        """

class RankingProblem(Problem):
    def __init__(
        self,
        lists: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        features: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        losses: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        n_features: int,
    ) -> None:
        """
        List i has the candidates lists[i] … lists[i + 1] - 1, candidate c the features rows[c] … rows[c + 1] - 1.
        """

    def scores(
        self,
        w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """The scores of all candidates."""

def count_ngrams(
    texts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    words: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    reference_texts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    reference_words: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    reference_ids: Annotated[
        NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_jobs: int,
) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
    """The ten counts of BLEU for every translation, row after row."""

def count_characters(
    texts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    words: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    reference_texts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    reference_words: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    reference_ids: Annotated[
        NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_jobs: int,
) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
    """
    The 18 counts of chrF for every translation, whose words are characters.
    """

def count_edits(
    texts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    words: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    reference_texts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    reference_words: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    reference_ids: Annotated[
        NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_jobs: int,
) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
    """The two counts of TER for every translation, row after row."""

class TranslationMetric:
    def __init__(
        self, kind: int, smoothing: int, value: float, effective: bool, beta: float, n_counts: int
    ) -> None:
        """
        kind: 0 bleu, 1 errors, 2 chrf; smoothing of BLEU: 0 none, 1 floor, 2 add, 3 exp.
        """

    def scores(
        self,
        counts: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class TuningData:
    @property
    def n_features(self) -> int: ...
    def score(
        self,
        w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> float:
        """The metric of the translations that are best with weights w."""

    def curve(
        self,
        w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        d: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """The metric along w + x d: where each interval begins, and its score."""

    def line_search(
        self,
        w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        d: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[float, float]:
        """The best x along w + x d, and its score."""

    def mert(
        self,
        starts: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        free: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        scale: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_directions: int,
        n_rounds: int,
        seed: int,
        n_jobs: int,
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """Weights from each start, row after row, and their scores."""

class TuningLists(TuningData):
    def __init__(
        self,
        metric: TranslationMetric,
        lists: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        features: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_features: int,
        counts: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def best(
        self,
        w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The best candidate of each list, the first of equals."""

class TuningGraphs(TuningData):
    def __init__(
        self,
        metric: TranslationMetric,
        graphs: Sequence[Hypergraph],
        features: Sequence[
            Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
        ],
        begins: Sequence[
            Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)]
        ],
        items: Sequence[
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        ],
        n_features: int,
        reference_texts: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        reference_words: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        reference_ids: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def envelope(
        self,
        s: int,
        w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        d: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    ]:
        """
        The translations of a graph along w + x d: where each begins to be best, and their words.
        """
