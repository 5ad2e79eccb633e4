"""The application: paths, and how answers are sent."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from palmette.cli.errors import sentence
from palmette.errors import UsageError
from palmette.serve.asking import Asked
from palmette.serve.distributions import distributions
from palmette.serve.joining import answered, key_of
from palmette.serve.limits import Limits, RequestError
from palmette.serve.log import Logged, tell
from palmette.serve.metrics import Metrics
from palmette.serve.models import Models, Served
from palmette.serve.openapi import description
from palmette.serve.safety import COOKIE, Door, Guarded
from palmette.serve.tracing import algorithms, traced
from palmette.serve.work import Work
from palmette.tools.pipeline.step import TOKENS

PAGE = Path(__file__).parent / "page"
VERBS = ("predict", "kbest", "probabilities", "explain")
_PIECE = 1 << 15  # bytes of a streamed answer that are sent at once
_LOOK = 1.0  # seconds between looks at the files of models


class Service:
    """What the paths share: models, threads, counts and limits."""

    def __init__(self, models: Models, limits: Limits) -> None:
        self.models, self.limits = models, limits
        self.work, self.metrics = Work(limits), Metrics()
        self.version = version("palmette")
        self.editing = False
        self.more_paths: dict[str, Any] = {}  # of the description
        self.at_end: list[Callable[[], object]] = []  # what is done when the server stops

    async def body(self, request: Request) -> dict[str, Any]:
        """The JSON object of a request; RequestError if it is something else, or does not come."""
        try:
            data = await asyncio.wait_for(request.body(), self.limits.seconds)
            found = json.loads(data)
        except TimeoutError:
            raise RequestError(408, f"the request did not come within {self.limits.seconds:g} s") from None
        except ClientDisconnect:
            raise RequestError(400, "the request ended early") from None
        except (ValueError, RecursionError):
            raise RequestError(400, "the body is not JSON in UTF-8") from None
        if not isinstance(found, dict):
            raise RequestError(400, "the body must be a JSON object")
        return found

    async def verb(self, request: Request) -> Response:
        """Answer POST /v1/VERB, where the verb may also be the name of a tool."""
        verb = request.path_params["verb"]
        tools = {one.tool.name for one in self.models}
        if verb not in VERBS and verb not in tools:
            raise RequestError(404, f"expected one of {', '.join([*VERBS, *sorted(tools)])} after /v1/")
        about = request.scope.get("palmette", {})
        about["verb"] = verb
        body = await self.body(request)
        name = body.get("model")
        if name is not None and not isinstance(name, str):
            raise RequestError(400, "model must be a string")
        served = self.models.find(name, verb if verb in tools and verb not in VERBS else None)
        about["model"] = served.name
        asked = Asked(served, body, self.limits)
        if verb == "explain":
            found = await self.work.run(lambda: asked.explain().to_dict())
            return _json({**_first(served), "explanation": found, **_notes(asked)})
        stream = body.get("stream", False)
        if not isinstance(stream, bool):
            raise RequestError(400, "stream must be true or false")
        kind = None if stream or verb in ("probabilities", "kbest") else key_of(asked)
        if kind is not None:
            return self._answer(await self.work.join(kind, asked, answered), asked)
        lines = await self.work.run(lambda: _lines(asked, verb))
        if stream:
            first = await self.work.run(lambda: _piece(lines))  # what is wrong with it has a status
            return StreamingResponse(self._streamed(first, lines), media_type="application/x-ndjson")
        return await self._whole(lines, asked)

    async def _whole(self, lines: Iterator[bytes], asked: Asked) -> Response:
        ends = time.monotonic() + self.limits.seconds

        def collected() -> list[bytes]:
            found = []
            for line in lines:
                found.append(line)
                if time.monotonic() > ends:
                    break  # the request has been refused
            return found

        return self._answer(await self.work.run(collected), asked)

    def _answer(self, lines: list[bytes], asked: Asked) -> Response:
        found = b"".join(lines).splitlines()
        self.metrics.outputs += len(found)
        first = json.dumps({**_first(asked.served), **_notes(asked)})[:-1].encode()
        return Response(
            first + b', "results": [' + b", ".join(found) + b"]}",
            media_type="application/json",
            headers={"cache-control": "no-store"},
        )

    async def _streamed(self, found: list[bytes], lines: Iterator[bytes]) -> AsyncIterator[bytes]:
        """Lines as they are made. An error after the first is an object with the field error, the last one."""
        while found:
            self.metrics.outputs += len(found)
            yield b"".join(found)
            try:
                found = await self.work.run(lambda: _piece(lines))
            except Exception as error:
                yield json.dumps({"error": told(error).sentence}).encode() + b"\n"
                return

    async def trace(self, request: Request) -> Response:
        """Answer POST /v1/trace: an algorithm step by step."""
        request.scope.get("palmette", {})["verb"] = "trace"
        body = await self.body(request)
        return _json(await self.work.run(lambda: traced(body)))

    async def list_algorithms(self, request: Request) -> Response:
        """Answer GET /v1/trace: the algorithms and what they read."""
        return _json({"algorithms": await self.work.run(algorithms)})

    async def list_models(self, request: Request) -> Response:
        """Answer GET /v1/models."""
        found = []
        for one in self.models:
            training = one.file.options.get("training")
            facts = training if isinstance(training, dict) else {}
            about = {
                key: facts[key] for key in ("description", "language") if isinstance(facts.get(key), str)
            }
            if isinstance(steps := one.file.options.get("steps"), list):  # of a pipeline
                about["steps"] = [TOKENS, *steps]
            found.append(
                {
                    "name": one.name,
                    "tool": one.tool.name,
                    "kind": one.file.kind,
                    "verbs": list(one.verbs),
                    **about,
                }
            )
        return _json({"models": found, "editing": self.editing, "version": self.version})

    async def health(self, request: Request) -> Response:
        """Answer GET /health."""
        return _json({"status": "ok", "models": [one.name for one in self.models], "version": self.version})

    async def metrics_text(self, request: Request) -> Response:
        """Answer GET /metrics."""
        limit = self.limits.waiting + self.limits.workers
        text = self.metrics.text(self.work.pending, limit, self.models.reloads)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def openapi(self, request: Request) -> Response:
        """Answer GET /openapi.json."""
        found = description(self.models, self.limits, self.version)
        found["paths"] |= self.more_paths
        return _json(found)


def application(
    models: Models,
    limits: Limits | None = None,
    door: Door | None = None,
    *,
    quiet: bool = False,
    more: Callable[[Service], list[Any]] = lambda service: [],
) -> Any:
    """Return the whole application. more: makes further routes."""
    limits, door = limits or Limits(), door or Door()
    service = Service(models, limits)
    others = more(service)
    service.editing = bool(others)

    async def page(request: Request) -> Response:
        if "token" in request.query_params:
            answer = RedirectResponse("/", status_code=303)
            if door.fits(request.query_params["token"]):
                answer.set_cookie(COOKIE, request.query_params["token"], httponly=True, samesite="strict")
            return answer
        text = (PAGE / "index.html").read_text(encoding="utf-8")
        return Response(text, media_type="text/html; charset=utf-8", headers={"cache-control": "no-cache"})

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async def look() -> None:
            while True:
                await asyncio.sleep(_LOOK)
                await asyncio.to_thread(models.refresh)

        looking = asyncio.create_task(look())
        try:
            yield
        finally:
            looking.cancel()
            for end in service.at_end:
                await asyncio.to_thread(end)
            await asyncio.to_thread(service.work.stop)

    async def wrong(request: Request, error: Exception) -> Response:
        if not isinstance(error, RequestError) and told(error).status == 500:
            tell("error", error=type(error).__name__, message=sentence(error))
        refused = told(error)
        headers = {} if refused.retry_after is None else {"retry-after": str(refused.retry_after)}
        request.scope.get("palmette", {})["error"] = refused.sentence[:300]
        return JSONResponse({"error": refused.sentence}, refused.status, headers)

    async def lost(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": "there is nothing at this address; /openapi.json lists all"}, 404)

    async def not_allowed(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": "this address takes another method; /openapi.json lists all"}, 405)

    routes = [
        Route("/", page),
        *others,
        Route("/v1/models", service.list_models),
        Route("/v1/trace", service.list_algorithms),
        Route("/v1/trace", service.trace, methods=["POST"]),
        Route("/v1/{verb}", service.verb, methods=["POST"]),
        Route("/health", service.health),
        Route("/metrics", service.metrics_text),
        Route("/openapi.json", service.openapi),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    kinds: list[type[Exception]] = [RequestError, ValueError, OverflowError, MemoryError]
    handlers: dict[Any, Any] = dict.fromkeys(kinds, wrong) | {404: lost, 405: not_allowed, 500: wrong}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return Logged(Guarded(app, door, limits.body), service.metrics, quiet)


def told(error: Exception) -> RequestError:
    """An error as an answer: the sender's own mistakes in a sentence, all others without details."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, ValueError | UsageError | OverflowError):
        return RequestError(400, sentence(error))
    if isinstance(error, MemoryError):
        return RequestError(413, "there is not enough memory for this; send less at once")
    return RequestError(500, "internal error; the log of the server has more")


def _lines(asked: Asked, verb: str) -> Iterator[bytes]:
    if verb == "probabilities":
        return distributions(asked)
    if verb == "kbest":
        return asked.predict(**({} if "kbest" in asked.body else {"kbest": 5}))
    return asked.predict()


def _piece(lines: Iterator[bytes]) -> list[bytes]:
    """The next lines, as many as are sent at once; none in the end."""
    found, size = [], 0
    for line in lines:
        found.append(line)
        size += len(line)
        if size > _PIECE:
            break
    return found


def _first(served: Served) -> dict[str, Any]:
    return {"model": served.name, "tool": served.tool.name}


def _notes(asked: Asked) -> dict[str, list[str]]:
    notes = asked.notes.told()
    return {"notes": notes} if notes else {}


def _json(found: Any) -> Response:
    text = json.dumps(found, default=lambda value: value.tolist() if hasattr(value, "tolist") else str(value))
    return Response(text, media_type="application/json", headers={"cache-control": "no-store"})
