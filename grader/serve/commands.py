"""The command `grade serve`."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

import click

from grader import course
from grader.enclose.sandbox import Limits, Sandbox
from grader.errors import UserError

SITE = course.ROOT / "_build" / "html"
WAITING = 16  # checks in the queue for each slot
FILES = 4096  # open ones: connections, pages that are read, and slots
BACKLOG = 128  # connections that are taken at a time
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command()
@click.argument("site", required=False, type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--allow", multiple=True, metavar="ORIGIN", help="A site whose pages may have code checked."
)
@click.option(
    "--proxy",
    metavar="ADDRESS",
    help="The proxy in front, or its network; it names each client's address.",
)
@click.option("--no-site", is_flag=True, help="Serve checks alone, no pages.")
@click.option("--slots", type=click.IntRange(min=1), help="Checks at a time [default: one a core].")
@click.option("--queue", type=click.IntRange(min=1), help="Checks that wait [default: 16 a slot].")
@click.option(
    "--per-minute",
    default=60,
    show_default=True,
    type=click.IntRange(min=1),
    help="Checks of one address.",
)
@click.option(
    "--seconds",
    default=15.0,
    show_default=True,
    type=click.FloatRange(min=1),
    help="Time of one check.",
)
def serve(
    site: Path | None,
    host: str,
    port: int,
    allow: tuple[str, ...],
    proxy: str | None,
    no_site: bool,
    slots: int | None,
    queue: int | None,
    per_minute: int,
    seconds: float,
) -> None:
    """Serve the website (by default _build/html), and check what is written in its editors.

    Beyond this machine it starts only if every protection of the sandbox holds: see grade doctor.
    """
    try:
        import uvicorn

        from grader.serve.app import application
        from grader.serve.connections import Connection
        from grader.serve.limits import Rate
        from grader.serve.slots import Slots
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio", "h11"):
            raise
        raise UserError(f"{error.name} is not installed: pip install '.[serve]'") from None
    folder = None if no_site else _site(site)
    allowed = {_origin(one) for one in allow}
    if proxy:
        _network(proxy)
    if proxy or not _is_here(host) or not all(_is_here(_host(one)) for one in allowed):
        _walled()
    sock = _listen(host, port)
    port = sock.getsockname()[1]
    count = slots or _cores()
    limits = Limits(seconds=seconds / 1.5, patient=1.5)  # it is told before the check ends
    room = Slots(count, room=queue or WAITING * count, seconds=seconds, limits=limits)
    app = application(
        room,
        origins=_own(host, port),
        allowed=allowed,
        rate=Rate(per_minute),
        site=folder,
        out=sys.stdout,
    )
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        backlog=BACKLOG,
        log_level="error",  # warnings are of what clients send
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
        timeout_graceful_shutdown=5,
    )

    _open_files()

    async def run() -> None:
        try:
            await room.start()
            click.echo(f"Serving on http://{_written(host)}:{port}/ until Ctrl-C", err=True)
            for sentence in room.missing:  # whoever has an account here reaches the port
                click.echo(f"Not protected: {sentence}", err=True)
            await uvicorn.Server(config).serve(sockets=[sock])
        finally:
            await room.close()

    asyncio.run(run())


def _site(given: Path | None) -> Path:
    """The built website."""
    folder = given or SITE
    if (folder / "index.html").is_file():
        return folder
    raise UserError(
        f"There is no website in {folder}: build it with make book, name its folder, "
        "or serve checks alone with --no-site."
    )


def _origin(text: str) -> str:
    """An origin as browsers write it."""
    parts = urlsplit(text)
    try:
        port = parts.port
    except ValueError:
        port = -1
    whole = parts.scheme in ("http", "https") and parts.hostname and port != -1
    if not whole or parts.path not in ("", "/") or parts.query or parts.fragment or "@" in text:
        raise UserError(f"--allow {text}: name an origin, as in https://course.example.org")
    usual = {"http": 80, "https": 443}[parts.scheme]
    end = f":{port}" if port not in (None, usual) else ""
    return f"{parts.scheme}://{_written(parts.hostname or '')}{end}"


def _network(proxy: str) -> None:
    """Refuse a proxy that may be anybody: each client would name an address of its choice."""
    try:
        ipaddress.ip_network(proxy)
    except ValueError:
        raise UserError(
            f"--proxy {proxy}: name its address, or the network that it is in, as in 172.16.0.0/12"
        ) from None


def _host(origin: str) -> str:
    return urlsplit(origin).hostname or ""


def _own(host: str, port: int) -> set[str]:
    """Origins of the pages that this server itself serves. What a request says of its host does
    not count: a name that leads here may be anybody's.
    """
    names = LOOPBACK if _is_here(host) else (host,)
    return {_origin(f"http://{_written(name)}:{port}") for name in names}


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_here(host: str) -> bool:
    """Is it this machine's own address, which no other one reaches?"""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _walled() -> None:
    """Refuse to serve others where a protection is missing."""
    with Sandbox() as sandbox:
        missing = sandbox.missing
        tier = sandbox.tier
    if tier != "bwrap" or missing:
        raise UserError(
            "This machine does not protect itself from what others send "
            f"({' '.join(missing) or tier}) It serves only itself: leave --host, --proxy and "
            "--allow away, or see grade doctor."
        )


def _open_files() -> None:
    """Raise the limit of open files: at its end asyncio floods its log and takes no connection."""
    import resource  # here, so that this module can be imported on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES if hard < 0 else min(FILES, hard), hard))


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        said = error.strerror or error
        raise UserError(f"Cannot listen on {_written(host)}:{port}: {said}.") from None


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


COMMANDS = [serve]
