"""Between the network and the application: names, origins, tokens, sizes, and headers of answers."""

from __future__ import annotations

import hmac
import ipaddress
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any

from palmette.serve.limits import RequestError

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

COOKIE = "palmette-token"
_OPEN = ("/health",)  # to be asked without a token
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Door:
    """Who may come in. names: hosts that a request may name, None for any; token: what it must bring, if anything.

    A page elsewhere can make a browser send requests to this computer, and can give its own name this address: so
    the Host is compared with the names, and an Origin must be the Host.
    """

    names: tuple[str, ...] | None = _LOOPBACK_NAMES
    token: str | None = None

    def check(self, method: str, path: str, headers: dict[str, str]) -> None:
        """Raise RequestError if a request may not come in."""
        host = headers.get("host", "")
        if self.names is not None and _without_port(host) not in self.names:
            raise RequestError(421, "the Host of the request is not this server; open it by its own address")
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            raise RequestError(403, "requests from pages of other sites are refused")
        if headers.get("sec-fetch-site") == "cross-site" and method != "GET":
            raise RequestError(403, "requests from pages of other sites are refused")
        if method not in ("GET", "HEAD", "POST"):
            raise RequestError(405, "only GET and POST are allowed")
        if method == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise RequestError(415, "the Content-Type must be application/json")
        if self.token is not None and path not in _OPEN and not self.knows(headers):
            raise RequestError(
                401,
                "a token is needed: send the header Authorization: Bearer TOKEN, "
                "or open the page as /?token=TOKEN",
            )

    def knows(self, headers: dict[str, str]) -> bool:
        """Whether a request brings the token, in a header or in the cookie of the page."""
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.fits(bearer.strip()):
            return True
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and self.fits(cookie.value)

    def fits(self, given: str) -> bool:
        """Compare a token in constant time."""
        return self.token is not None and hmac.compare_digest(given.encode(), self.token.encode())


class Guarded:
    """An application behind a door; bodies are limited, and every answer gets the headers of safety."""

    def __init__(self, app: Any, door: Door, body: int) -> None:
        self.app, self.door, self.body = app, door, body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        try:
            if not self._brings_token(scope):
                self.door.check(scope["method"], scope["path"], headers)
            length = headers.get("content-length", "0")
            if not (length.isascii() and length.isdigit()):
                raise RequestError(400, "the Content-Length is not a number")
            if int(length) > self.body:
                raise self._too_large()
        except RequestError as refused:
            await refuse(refused, send)
            return
        seen = 0

        async def limited() -> MutableMapping[str, Any]:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.body:
                raise self._too_large()
            return message

        await self.app(scope, limited, with_headers(send))

    def _brings_token(self, scope: Scope) -> bool:
        """Whether the page is opened with the token in its address, which the application turns into a cookie."""
        if self.door.token is None or scope["method"] != "GET" or scope["path"] != "/":
            return False
        query = scope.get("query_string", b"").decode("latin-1")
        return any(self.door.fits(part.removeprefix("token=")) for part in query.split("&"))

    def _too_large(self) -> RequestError:
        return RequestError(413, f"the request is larger than {self.body:,} bytes; send it in parts")


def with_headers(send: Send) -> Send:
    """Send answers with the headers of safety."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *added]}
        await send(message)

    return sending


async def refuse(refused: RequestError, send: Send) -> None:
    """Answer with an error, and no more requests on this connection if it is for a lack of room."""
    body = json.dumps({"error": refused.sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refused.retry_after is not None:
        headers += [(b"retry-after", str(refused.retry_after).encode()), (b"connection", b"close")]
    if refused.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    out = with_headers(send)
    await out({"type": "http.response.start", "status": refused.status, "headers": headers})
    await out({"type": "http.response.body", "body": body})


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()
