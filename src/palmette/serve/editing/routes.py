"""The paths of correcting: only files that were named on the command line, by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from palmette.serve.app import Service
from palmette.serve.editing.sessions import Session
from palmette.serve.limits import RequestError


def edit_routes(service: Service, sessions: Sequence[Session]) -> list[Any]:
    """The routes for these files."""

    def session_of(number: Any) -> Session:
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(sessions):
            raise RequestError(404, f"file must be a number from 0 to {len(sessions) - 1}")
        return sessions[number]

    async def files(request: Request) -> Response:
        return JSONResponse({"files": [{"file": i, **one.about()} for i, one in enumerate(sessions)]})

    async def edit(request: Request) -> Response:
        """Answer POST /v1/edit/ACTION."""
        action = request.path_params["action"]
        body = await service.body(request)
        session = session_of(body.get("file"))
        number = body.get("sentence", 1)
        if not isinstance(number, int) or isinstance(number, bool):
            raise RequestError(400, "sentence must be a number")
        actions = {
            "show": lambda: session.sentence(number - 1),
            "correct": lambda: session.correct(number - 1, body),
            "undo": lambda: session.move(back=True),
            "redo": lambda: session.move(back=False),
            "save": lambda: {},
            "order": lambda: {"confidence": session.confidences()},
        }
        if action not in actions:
            raise RequestError(404, f"expected one of {', '.join(actions)} after /v1/edit/")
        request.scope.get("palmette", {})["verb"] = f"edit {action}"
        if action == "save":
            await service.work.run(session.save)
            return JSONResponse({"about": session.about()})
        found = await service.work.run(actions[action])
        return JSONResponse({**found, "about": session.about()})

    return [Route("/v1/edit", files), Route("/v1/edit/{action}", edit, methods=["POST"])]
