"""Counts of what the server does, in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """Requests by verb, model and status, and how long they took. Only known names become labels."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: Counter[float] = Counter()
        self._seconds, self._n = 0.0, 0
        self.outputs = 0

    def count(self, verb: str, model: str, status: int, seconds: float) -> None:
        """Add a request."""
        self._requests[verb, model, status] += 1
        self._seconds += seconds
        self._n += 1
        self._buckets[next((bound for bound in _BOUNDS if seconds <= bound), float("inf"))] += 1

    def text(self, pending: int, limit: int, reloads: int) -> str:
        """All counts. pending, limit: of the queue; reloads: of models."""
        lines = [
            "# HELP palmette_requests_total Requests by verb, model and status.",
            "# TYPE palmette_requests_total counter",
        ]
        for (verb, model, status), n in sorted(self._requests.items()):
            labels = f'verb="{_escaped(verb)}",model="{_escaped(model)}",status="{status}"'
            lines.append(f"palmette_requests_total{{{labels}}} {n}")
        lines += [
            "# HELP palmette_request_seconds How long requests took.",
            "# TYPE palmette_request_seconds histogram",
        ]
        below = 0
        for bound in _BOUNDS:
            below += self._buckets[bound]
            lines.append(f'palmette_request_seconds_bucket{{le="{bound:g}"}} {below}')
        lines += [
            f'palmette_request_seconds_bucket{{le="+Inf"}} {self._n}',
            f"palmette_request_seconds_sum {self._seconds:.6f}",
            f"palmette_request_seconds_count {self._n}",
        ]
        for name, kind, about, value in (
            ("outputs_total", "counter", "JSON objects that were sent as answers.", self.outputs),
            ("queue_pending", "gauge", "Jobs that run or wait.", pending),
            ("queue_limit", "gauge", "Jobs that may run or wait.", limit),
            ("model_reloads_total", "counter", "Models that were read again.", reloads),
        ):
            lines += [
                f"# HELP palmette_{name} {about}",
                f"# TYPE palmette_{name} {kind}",
                f"palmette_{name} {value}",
            ]
        return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
