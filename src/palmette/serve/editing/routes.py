"""The paths of correcting: only files that were named on the command line, by their numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from palmette.serve.app import Service
from palmette.serve.editing.description import edit_paths
from palmette.serve.editing.retraining import Retraining
from palmette.serve.editing.sessions import Session
from palmette.serve.limits import RequestError

_SECONDS = 2.0  # of one request for confidences; the next one goes on
ACTIONS = ("show", "correct", "undo", "redo", "save", "order", "train", "training", "stop", "use")


def edit_routes(
    service: Service, sessions: Sequence[Session], trainings: Sequence[Retraining] | None = None
) -> list[Any]:
    """The routes for these files. trainings: how each is learnt from."""
    learning = trainings or [Retraining(session, service.models) for session in sessions]

    def session_of(number: Any) -> Session:
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(sessions):
            raise RequestError(404, f"file must be a number from 0 to {len(sessions) - 1}")
        return sessions[number]

    async def files(request: Request) -> Response:
        def about() -> list[dict[str, Any]]:
            return [{"file": i, **one.about()} for i, one in enumerate(sessions)]

        return JSONResponse({"files": await service.work.run(about)})

    async def edit(request: Request) -> Response:
        """Answer POST /v1/edit/ACTION."""
        action = request.path_params["action"]
        body = await service.body(request)
        session = session_of(body.get("file"))
        training = learning[sessions.index(session)]
        number = body.get("sentence", 1)
        if not isinstance(number, int) or isinstance(number, bool):
            raise RequestError(400, "sentence must be a number")
        actions: dict[str, Callable[[], dict[str, Any]]] = {
            "show": lambda: session.sentence(number - 1),
            "correct": lambda: session.correct(
                number - 1, {**body, "accept": _flag(body, "accept"), "keep": _flag(body, "keep")}
            ),
            "undo": lambda: session.move(back=True),
            "redo": lambda: session.move(back=False),
            "save": lambda: _saved(session),
            "order": lambda: _ordered(session),
            "train": lambda: {"training": training.start(_flag(body, "every"))},
            "training": lambda: {"training": training.about()},
            "stop": lambda: {"training": training.stop()},
            "use": lambda: {"training": training.use(_flag(body, "new"))},
        }
        if action not in actions:
            raise RequestError(404, f"expected one of {', '.join(ACTIONS)} after /v1/edit/")
        request.scope.get("palmette", {})["verb"] = f"edit {action}"
        return JSONResponse(await service.work.run(lambda: {**actions[action](), "about": session.about()}))

    service.more_paths |= edit_paths()
    service.at_end.extend(one.close for one in learning)
    return [Route("/v1/edit", files), Route("/v1/edit/{action}", edit, methods=["POST"])]


def _saved(session: Session) -> dict[str, Any]:
    session.save()
    return {}


def _ordered(session: Session) -> dict[str, Any]:
    found = session.confidences(_SECONDS)
    rest: list[float | None] = [None] * (len(session.document) - len(found))
    return {"confidence": found + rest, "complete": not rest}


def _flag(body: dict[str, Any], name: str) -> bool:
    """A field that is true or false, and false if it is missing."""
    value = body.get(name, False)
    if not isinstance(value, bool):
        raise RequestError(400, f"{name} must be true or false")
    return value
