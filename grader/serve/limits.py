"""Limits of what one address may ask for."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

MOST = 20_000  # addresses that are remembered, for a minute each at most


class Rate:
    """So many requests a minute from one address; half of them may come at once.

    Args:
        minute: requests.
        clock: seconds.
    """

    def __init__(self, minute: float, clock: Callable[[], float] = time.monotonic):
        self.speed, self.size, self.clock = minute / 60, max(1.0, minute / 2), clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # and when that was

    def take(self, address: str) -> int:
        """Count a request: 0 where it may be served, else the seconds after which one may."""
        now = self.clock()
        left, then = self._left.pop(address, (self.size, now))
        left = min(self.size, left + (now - then) * self.speed)
        allowed = left >= 1
        self._left[address] = (left - allowed, now)
        while self._left and (len(self._left) > MOST or self._full(now)):
            self._left.popitem(last=False)
        return 0 if allowed else max(1, math.ceil((1 - left) / self.speed))

    def _full(self, now: float) -> bool:
        """Has the address that has asked for nothing for the longest time all of its own again?"""
        left, then = next(iter(self._left.values()))
        return left + (now - then) * self.speed >= self.size


def network(host: str) -> str:
    """The address that counts: of IPv6 the network that one household or host has."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
