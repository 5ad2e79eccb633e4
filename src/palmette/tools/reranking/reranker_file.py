"""Rerankers in model files.

options    form: "dual", "voted" or "primal"; kernel or groups of features; measure; training
arrays     dual: alphas; voted: updates, steps, survived; primal: keys, weights, votes.*
strings    dual and voted: items, each in JSON
parts      the first model, if it is kept too (as in a pipeline)
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from palmette.errors import FormatError
from palmette.evaluation.candidates import MEASURES
from palmette.features.candidate_features import CandidateMap
from palmette.features.kernels.saving import item_of, kernel_of, saved_item, saved_kernel
from palmette.features.sequence_templates import SequenceTemplates
from palmette.features.tree_templates import TreeTemplates
from palmette.formats.model import ModelFile
from palmette.learning.votes import VotedWeights
from palmette.tools.reranking.dual_ranking import DualRanking, Ranking, VotedRanking
from palmette.tools.reranking.model import DualModel, PrimalModel

KIND = "reranker"
_BASE = "base"
_TEMPLATES: Mapping[str, Any] = {"trees": TreeTemplates, "sequences": SequenceTemplates}


@dataclass(frozen=True, eq=False)
class SavedReranker:
    """What a file keeps of a reranker."""

    model: DualModel | PrimalModel
    measure: str
    training: Mapping[str, Any]
    base: ModelFile | None = None


def reranker_file(saved: SavedReranker, fingerprint: str = "") -> ModelFile:
    """The content of a model file."""
    options: dict[str, Any] = {"measure": saved.measure, "training": dict(saved.training)}
    arrays: dict[str, Any] = {}
    strings: dict[str, list[str]] = {}
    model = saved.model
    if isinstance(model, PrimalModel):
        kinds = [kind for kind, made in _TEMPLATES.items() if isinstance(model.templates, made)]
        if not kinds:
            raise ValueError("Features made by a function cannot be saved: a model file holds no code.")
        options |= {"form": "primal", "templates": kinds[0], "beta": model.map.beta}
        options["groups"] = list(getattr(model.templates, "groups"))  # noqa: B009
        arrays = {"keys": model.map.keys.astype("<u8"), "weights": model.weights.astype("<f4")}
        arrays |= {} if model.votes is None else model.votes.arrays()
    else:
        ranking = model.ranking
        options |= {"kernel": saved_kernel(ranking.kernel), "prior": ranking.prior}
        strings["items"] = [json.dumps(saved_item(item), ensure_ascii=False) for item in ranking.items]
        if isinstance(ranking, VotedRanking):
            options["form"] = "voted"
            arrays = {
                "updates": ranking.updates.astype("<i8"),
                "steps": ranking.steps.astype("<f8"),
                "survived": ranking.survived.astype("<i8"),
            }
        else:
            options["form"] = "dual"
            arrays = {"alphas": ranking.alphas.astype("<f8")}
    file = ModelFile(KIND, options, arrays, strings, fingerprint)
    return file if saved.base is None else file.put(_BASE, saved.base)


def load_reranker(file: ModelFile) -> SavedReranker:
    """The reranker of a file; FormatError if it is damaged, or holds none."""
    file.require_kind(KIND)
    measure, training = file.options.get("measure"), file.options.get("training")
    if measure not in MEASURES or not isinstance(training, dict):
        raise file.damaged("its options are not there")
    with file.restoring():
        model = _primal(file) if file.options.get("form") == "primal" else _dual(file)
    return SavedReranker(model, str(measure), training, file.part(_BASE))


def _primal(file: ModelFile) -> PrimalModel:
    kind, beta, groups = (file.options.get(name) for name in ("templates", "beta", "groups"))
    if kind not in _TEMPLATES or not isinstance(groups, list) or not isinstance(beta, int | float):
        raise ValueError("its features are not described")
    keys = np.asarray(file.array("keys", np.dtype("<u8"), [None]))
    weights = np.asarray(file.array("weights", np.dtype("<f4"), [len(keys) + 1]))
    if not beta >= 0 or not np.isfinite(weights).all() or (keys[1:] <= keys[:-1]).any():
        raise ValueError("its weights are not numbers, or not in order")
    templates = _TEMPLATES[str(kind)](tuple(map(str, groups)))
    votes = VotedWeights.of_arrays(file.arrays, len(weights))
    return PrimalModel(templates, CandidateMap(keys, float(beta)), weights, votes)


def _dual(file: ModelFile) -> DualModel:
    kernel = kernel_of(file.options.get("kernel"))
    with _damage_of_items():
        items = [item_of(json.loads(text)) for text in file.strings["items"]]
    prior = file.options.get("prior")
    if not isinstance(prior, int | float) or isinstance(prior, bool):
        raise ValueError("its prior is not a number")
    if not all(isinstance(item, tuple) and len(item) == 2 for item in items):
        raise ValueError("an item is not a pair")
    if file.options.get("form") == "dual":
        alphas = np.asarray(file.array("alphas", np.dtype("<f8"), [len(items)]))
        if not np.isfinite(alphas).all():
            raise ValueError("its α are not numbers")
        return _readable(DualRanking(kernel, items, alphas, float(prior)))
    if file.options.get("form") != "voted":
        raise ValueError("its form is not known")
    updates = np.asarray(file.array("updates", np.dtype("<i8"), [None, 2]))
    steps = np.asarray(file.array("steps", np.dtype("<f8"), [len(updates)]))
    survived = np.asarray(file.array("survived", np.dtype("<i8"), [len(updates) + 1]))
    if updates.size and not 0 <= updates.min() <= updates.max() < len(items):
        raise ValueError("an update names an item that does not exist")
    if (survived < 0).any() or survived.sum(dtype=np.float64) > 2**53 or not np.isfinite(steps).all():
        raise ValueError("its votes are negative or too many, or its steps are not numbers")
    return _readable(VotedRanking(kernel, items, updates, steps, survived, float(prior)))


def _readable(ranking: Ranking) -> DualModel:
    """A model whose items were seen to be those of its kernel."""
    with _damage_of_items():
        assert len(ranking.prepared) == len(ranking.items)
    return DualModel(ranking)


@contextlib.contextmanager
def _damage_of_items() -> Iterator[None]:
    """Brackets that cannot be read are those of the model file, not of an input."""
    try:
        yield
    except FormatError as error:
        raise ValueError(f"an item of the kernel is damaged ({error.message})") from error
