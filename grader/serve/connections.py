"""Connections: so many in all and from one address, and none that is held for nothing.

uvicorn waits for ever for the headers of a request and for a client that does not read its answer,
and a system gives a server few connections.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

from grader.serve.limits import network

MOST = 1000  # connections; half of them for one address, unless that is the proxy's
PATIENCE = 10.0  # seconds in which something has to happen on one


class Connection(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it; what is beyond the limits is closed without an answer."""

    address = ""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = network(self.client[0] if self.client else "")
        others = [getattr(one, "address", "") for one in self.connections]
        share = MOST if self.config.proxy_headers else MOST // 2
        if len(others) > MOST or others.count(self.address) > share:
            transport.abort()
        else:
            self._look((None, -1))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer:
            self._timer.cancel()
        super().connection_lost(exc)

    def _look(self, before: object) -> None:
        """Close it where it waits for the client, and nothing has happened since the last look."""
        waits = not self.cycle or self.cycle.response_complete or self.flow.write_paused
        now = (self.cycle, self.transport.get_write_buffer_size()) if waits else None
        if now and now == before:
            self.transport.abort()
        else:
            self._timer = self.loop.call_later(PATIENCE, self._look, now)
