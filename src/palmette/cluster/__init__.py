"""The same training and prediction on several processors or machines, by engines that exist already.

Everything that is trained here is a sum over examples or a mixture of weights, so an engine needs two verbs: `map`
over shards of the data, and `reduce`, a sum over shards in a fixed order. The result is the same bytes for every
number of workers.

    with connect("processes:2") as engine:
        lengths = engine.map(length, shards)
        total = engine.reduce(gradient, shards, weights)
"""

from palmette.exports import offer

TYPE_CHECKING = False  # as typing has it
if TYPE_CHECKING:
    from palmette.cluster.address import connect as connect
    from palmette.cluster.dask_engine import DaskEngine as DaskEngine
    from palmette.cluster.engine import Engine as Engine
    from palmette.cluster.engine import EngineError as EngineError
    from palmette.cluster.engine import Outcome as Outcome
    from palmette.cluster.processes import Processes as Processes
    from palmette.cluster.recipe import Recipe as Recipe
    from palmette.cluster.threads import Threads as Threads
    from palmette.cluster.training import fit_on as fit_on

__all__, __getattr__, __dir__ = offer(
    __name__,
    {
        "address": "connect",
        "dask_engine": "DaskEngine",
        "engine": "Engine EngineError Outcome",
        "processes": "Processes",
        "recipe": "Recipe",
        "threads": "Threads",
        "training": "fit_on",
    },
)
