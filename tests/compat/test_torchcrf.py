"""Equal to pytorch-crf: values, gradients, decoding, and what is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torchcrf = pytest.importorskip("torchcrf")

from palmette.compat.torchcrf import CRF  # noqa: E402

# What pytorch-crf does where no mask is given.
pytestmark = pytest.mark.filterwarnings("ignore:where received a uint8")

REDUCTIONS = ("none", "sum", "mean", "token_mean")


def batch(batch_first: bool, dtype: Any = torch.float32) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(8)
    emissions = torch.tensor(random.normal(size=(4, 6, 5)), dtype=dtype)
    tags = torch.tensor(random.integers(0, 5, (4, 6)))
    mask = torch.arange(6) < torch.tensor([6, 1, 4, 3])[:, None]
    if batch_first:
        return emissions, tags, mask
    return emissions.transpose(0, 1).contiguous(), tags.T.contiguous(), mask.T.contiguous()


def layers(batch_first: bool) -> tuple[Any, Any]:
    torch.manual_seed(0)
    theirs = torchcrf.CRF(5, batch_first=batch_first)
    ours = CRF(5, batch_first=batch_first)
    ours.load_state_dict(theirs.state_dict())
    return ours, theirs


@pytest.mark.parametrize(
    ("batch_first", "masked", "reduction"), list(product([True, False], [True, False], REDUCTIONS))
)
def test_values_and_gradients(batch_first: bool, masked: bool, reduction: str) -> None:
    emissions, tags, mask = batch(batch_first)
    found = []
    for layer in layers(batch_first):
        scores = emissions.clone().requires_grad_()
        value = layer(scores, tags, mask if masked else None, reduction=reduction)
        weights = torch.linspace(-1, 2, value.numel()).reshape(value.shape)
        (value * weights).sum().backward()
        found.append([value, scores.grad, *(p.grad for p in layer.parameters())])
    for have, want in zip(*found, strict=True):
        torch.testing.assert_close(have, want, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("batch_first", [True, False])
def test_decoding(batch_first: bool) -> None:
    emissions, _, mask = batch(batch_first)
    ours, theirs = layers(batch_first)
    assert ours.decode(emissions) == theirs.decode(emissions)
    assert ours.decode(emissions, mask) == theirs.decode(emissions, mask)
    assert ours.decode(emissions, mask.to(torch.uint8)) == theirs.decode(emissions, mask)


def test_training_reaches_the_same_parameters() -> None:
    emissions, tags, mask = batch(True)
    for layer, states in zip(layers(True), states_ := ([], [])):
        steps = torch.optim.SGD(layer.parameters(), lr=0.1)
        for _ in range(20):
            steps.zero_grad()
            (-layer(emissions, tags, mask, reduction="mean")).backward()
            steps.step()
        states.extend(layer.state_dict().values())
    for have, want in zip(*states_, strict=True):
        torch.testing.assert_close(have, want, atol=1e-5, rtol=1e-4)


def test_marginals_are_the_gradient_of_log_z() -> None:
    emissions, _, mask = batch(False, torch.float64)
    layer = CRF(5).double()
    found = layer.marginals(emissions, mask)
    assert found.shape == emissions.shape
    torch.testing.assert_close(found.sum(2), mask.double())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e, t, m: (e[0], t, m), "emissions must have dimension of 3"),
        (lambda e, t, m: (e[..., :4], t, m), "expected last dimension of emissions is 5, got 4"),
        (lambda e, t, m: (e, t[:, :3], m), "emissions and tags must match"),
        (lambda e, t, m: (e, t, m[:, :3]), "emissions and mask must match"),
        (lambda e, t, m: (e, t, m & False), "mask of the first timestep must all be on"),
        (lambda e, t, m: (e, t + 3, m), "gold labels must lie between 0 and 4"),
        (
            lambda e, t, m: (e * torch.nan, t, m),
            "got NaN: if this happens in training, lower the learning rate",
        ),
    ],
)
def test_bad_input(change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CRF(5, batch_first=True)(*change(*batch(True)))


def test_masks_with_gaps_and_other_values() -> None:
    emissions, tags, mask = batch(True)
    mask[0, 2] = False
    with pytest.raises(ValueError, match="must not have gaps"):
        CRF(5, batch_first=True)(emissions, tags, mask)
    with pytest.raises(ValueError, match="reduction must be one of"):
        CRF(5, batch_first=True)(emissions, tags, reduction="median")
    with pytest.raises(ValueError, match="num_tags must be at least 1"):
        CRF(0)
