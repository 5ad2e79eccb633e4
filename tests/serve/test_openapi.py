"""Requests that schemathesis makes of the OpenAPI description: each is answered as the description says.

Every operation gets some valid and some wrong requests. An answer must have a status, a type and a shape that are
described; a fault of the server (500) is never one. The same requests are made each time.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from starlette.testclient import TestClient

from palmette.serve.limits import Limits
from palmette.serve.models import Models
from serve.conftest import serving

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of its own dependencies
    schemathesis = pytest.importorskip("schemathesis")

pytestmark = pytest.mark.filterwarnings("ignore")
SERVED = ("tag", "spans", "parse", "classify", "align", "lm")
OPERATIONS = [
    "GET /health",
    "GET /metrics",
    "GET /v1/models",
    "GET /v1/trace",
    "POST /v1/predict",
    "POST /v1/kbest",
    "POST /v1/probabilities",
    "POST /v1/explain",
    "POST /v1/trace",
    *(f"POST /v1/{name}" for name in SERVED),
]
EXAMPLES = 12  # of each operation and kind
# A request that fits the schema may still be refused: models differ in their options, and a text may be empty.
UNSUITABLE = [schemathesis.checks.positive_data_acceptance]
LIMITS = Limits(body=100_000, words=40, seconds=20.0, kbest=5)


@pytest.fixture(scope="module")
def asked(trained: dict[str, str]) -> Iterator[tuple[TestClient, Any]]:
    """A client, and the description of what it may ask."""
    with serving(Models([trained[name] for name in SERVED]), LIMITS) as client:
        yield client, schemathesis.openapi.from_dict(client.get("/openapi.json").json())


def test_the_description_is_valid_and_all_of_it_is_tried(asked: tuple[TestClient, Any]) -> None:
    _, schema = asked
    found = {f"{one.ok().method.upper()} {one.ok().path}" for one in schema.get_all_operations()}
    assert found - {"GET /openapi.json"} == set(OPERATIONS)


@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_answers_are_as_described(asked: tuple[TestClient, Any], name: str, mode: str) -> None:
    client, schema = asked
    method, path = name.split()
    if mode == "negative" and method == "GET":
        pytest.skip("a request without parameters cannot be wrong")
    operation = schema[path][method]
    statuses = set()

    @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any) -> None:
        given = case.as_transport_kwargs(base_url="http://localhost:8000")
        given = {
            key: given[key]
            for key in ("method", "url", "headers", "json", "content", "data")
            if given.get(key)
        }
        answer = client.request(**given)
        statuses.add(answer.status_code)
        assert answer.status_code != 500, answer.text
        case.validate_response(answer, excluded_checks=UNSUITABLE)

    ask()
    if method == "GET":
        assert statuses == {200}
    elif mode == "negative":
        assert statuses <= {400, 404, 413}
    elif path.rpartition("/")[2] in SERVED:
        assert 200 in statuses
