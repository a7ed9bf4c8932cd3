"""The application: the website, and `POST /check`.

It keeps nothing. A browser may send code here only from the site's own pages, or from those that
are allowed by name: the origin is compared with a list, never with what the request itself says.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grader.errors import UserError
from grader.judge import records
from grader.serve.limits import Rate, network
from grader.serve.metrics import Metrics
from grader.serve.slots import Full, Late, Lost, Slots

LARGEST = 256 * 2**10  # bytes of a request; editor.js and the guide's proxy have the same
PATIENCE = 10.0  # seconds in which a request has to be here
CELLS = 500  # texts of one request
NAME = 200  # characters of an exercise's id
LEFT = 499  # status, for the log alone: the client left
HERE = b'<meta name="course-server" content="/">'
LOADER = "editor.js"  # what it tells of this server


class Refusal(Exception):
    """A request that is not served: status, sentence and headers."""

    def __init__(self, status: int, said: str, **headers: str):
        super().__init__(said)
        self.status, self.headers = status, {k.replace("_", "-"): v for k, v in headers.items()}


class Site(StaticFiles):
    """The built website; its pages are told that this server checks."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        found = getattr(response, "path", None)
        if found and str(found).endswith(".html") and scope["method"] == "GET":
            page = await asyncio.to_thread(Path(found).read_bytes)
            if LOADER.encode() in page:
                page = page.replace(b"<head>", b"<head>" + HERE, 1)
            return HTMLResponse(page, response.status_code, {"Cache-Control": "no-cache"})
        return response


class Checker:
    """Answers `POST /check`, `GET /health` and `GET /metrics`.

    Args:
        slots: that check.
        origins: of pages that may send code.
        rate: of checks from one address.
    """

    def __init__(self, slots: Slots, origins: Collection[str], rate: Rate):
        self.slots, self.origins, self.rate = slots, frozenset(origins), rate
        self.metrics = Metrics()

    async def check(self, request: Request) -> Response:
        """Check an exercise: JSON with ``exercise`` and ``code``, a text or a list of texts."""
        begun = time.monotonic()
        try:
            self._refuse(request)
            task = _task(await _body(request))
            request.state.told = {"exercise": task["exercise"]}
            answer = await self._answer(request, task)
        except Refusal as refusal:
            return JSONResponse({"error": str(refusal)}, refusal.status, refusal.headers)
        except ClientDisconnect:
            return Response(status_code=LEFT)
        if answer is None:
            return Response(status_code=LEFT)
        found, waited = answer
        self.metrics.verdicts[found["verdict"]] += 1
        self.metrics.whole.add(time.monotonic() - begun)
        self.metrics.waited.add(waited)
        request.state.told |= {"verdict": found["verdict"], "waited_ms": round(1000 * waited, 1)}
        return JSONResponse(found, headers={"Cache-Control": "no-store"})

    async def health(self, request: Request) -> Response:
        """Say that checks are served."""
        return JSONResponse({"status": "ok", "slots": self.slots.count})

    async def tell(self, request: Request) -> Response:
        """Metrics for Prometheus."""
        slots = self.slots
        now = {"slots": slots.count, "slots_busy": slots.busy, "checks_waiting": slots.queued}
        return PlainTextResponse(
            self.metrics.text(**now), media_type="text/plain; version=0.0.4; charset=utf-8"
        )

    def _refuse(self, request: Request) -> None:
        if request.headers.get("origin") not in self.origins:
            raise Refusal(403, "Only this server's own pages, and allowed ones, may send code.")
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refusal(415, "Send JSON: Content-Type: application/json.")
        if seconds := self.rate.take(_address(request)):
            said = f"Too many checks from here: try again in {seconds} s."
            raise Refusal(429, said, retry_after=str(seconds))

    async def _answer(self, request: Request, task: Mapping) -> tuple[dict, float] | None:
        """Have it checked; None where the client leaves meanwhile."""
        job = asyncio.ensure_future(self.slots.check(_address(request), task))
        left = asyncio.ensure_future(_left(request))
        try:
            await asyncio.wait([job, left], return_when=asyncio.FIRST_COMPLETED)
            return await job if job.done() else None
        except Full as full:
            said = f"Many answers are being checked: try again in {full.seconds} s."
            raise Refusal(429, said, retry_after=str(full.seconds)) from None
        except Late:
            said = f"It took longer than {self.slots.seconds:g} s, and was stopped."
            raise Refusal(503, said) from None
        except Lost as error:
            print(json.dumps({"lost": str(error)}), file=sys.stderr, flush=True)
            raise Refusal(503, "The check failed here; that says nothing of your code.") from None
        finally:
            left.cancel()
            job.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await job


class Log:
    """One line of JSON for each request, without its code and without addresses."""

    def __init__(self, app: ASGIApp, metrics: Metrics, out: TextIO):
        self.app, self.metrics, self.out = app, metrics, out

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status = time.monotonic(), 500
        scope.setdefault("state", {})["told"] = told = {}

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"].append((b"x-content-type-options", b"nosniff"))
            await send(message)

        try:
            await self.app(scope, receive, note)
        finally:
            path = scope["path"]
            route = path if path in ("/check", "/health", "/metrics") else "site"
            self.metrics.requests[route, status] += 1
            line = {
                "time": round(time.time(), 3),
                "route": route,
                "method": scope["method"][:10],
                "status": status,
                "ms": round(1000 * (time.monotonic() - begun), 1),
                **scope["state"].get("told", told),
            }
            print(json.dumps(line), file=self.out, flush=True)


def application(
    slots: Slots,
    *,
    origins: Collection[str],
    allowed: Collection[str],
    rate: Rate,
    site: Path | None,
    out: TextIO,
) -> Starlette:
    """Put the application together.

    Args:
        slots: that check; they are started before, and closed after.
        origins: of this server itself.
        allowed: other origins whose pages may have code checked here.
        rate: of checks from one address.
        site: the built website; None for checks alone.
        out: where a line for each request goes.
    """
    checker = Checker(slots, {*origins, *allowed}, rate)

    routes: list[BaseRoute] = [
        Route("/check", checker.check, methods=["POST"]),
        Route("/health", checker.health),
        Route("/metrics", checker.tell),
    ]
    if site:
        routes.append(Mount("/", Site(directory=site, html=True)))
    layers = [
        Middleware(Log, metrics=checker.metrics, out=out),
        Middleware(
            CORSMiddleware,
            allow_origins=sorted(allowed),
            allow_methods=["POST"],
            allow_headers=["content-type"],
        ),
    ]
    return Starlette(routes=routes, middleware=layers)


def _address(request: Request) -> str:
    return network(request.client.host if request.client else "")


async def _body(request: Request) -> bytes:
    """The bytes that were sent, if they are not too many, and not too long in coming."""
    too_long = Refusal(413, f"The code is longer than {LARGEST // 2**10} KB.")
    length = request.headers.get("content-length", "0")
    if length.isdigit() and int(length) > LARGEST:
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            async for part in request.stream():
                body += part
                if len(body) > LARGEST:
                    raise too_long
    except TimeoutError:
        raise Refusal(408, "The request took too long to come.") from None
    return bytes(body)


def _task(body: bytes) -> dict:
    """The exercise and the code to check."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal(400, "That is not JSON.") from None
    name, code = (told.get("exercise"), told.get("code")) if isinstance(told, dict) else (0, 0)
    texts = code if isinstance(code, list) else [code]
    if (
        not isinstance(name, str)
        or len(name) > NAME
        or not all(isinstance(text, str) for text in texts)
    ):
        raise Refusal(400, "Send an object with exercise, its id, and code, a text or several.")
    if len(texts) > CELLS:
        raise Refusal(400, f"Those are more than {CELLS} texts.")
    try:
        chosen = records.select([name])
    except UserError as error:
        raise Refusal(404, str(error)) from None
    if [one.id for one in chosen] != [name]:
        raise Refusal(404, f"{name} is a chapter: send the id of an exercise.")
    return {"exercise": name, "code": code}


async def _left(request: Request) -> None:
    """Wait until the client is gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
