"""Counts of what is served, in the text form of Prometheus."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds


class Histogram:
    """Seconds, counted by how many there were at most."""

    def __init__(self) -> None:
        self.counts = [0] * len(BOUNDS)
        self.number, self.sum = 0, 0.0

    def add(self, seconds: float) -> None:
        self.number += 1
        self.sum += seconds
        for at, bound in enumerate(BOUNDS):
            self.counts[at] += seconds <= bound

    def lines(self, name: str, text: str) -> Iterator[str]:
        yield from _head(name, text, "histogram")
        for bound, count in zip(BOUNDS, self.counts, strict=True):
            yield f'{name}_bucket{{le="{bound:g}"}} {count}'
        yield f'{name}_bucket{{le="+Inf"}} {self.number}'
        yield f"{name}_sum {self.sum:.6f}"
        yield f"{name}_count {self.number}"


class Metrics:
    """Counts that `/metrics` tells; nothing in them comes from a request but known names."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()  # by route and status
        self.verdicts: Counter[str] = Counter()
        self.whole, self.waited = Histogram(), Histogram()

    def text(self, **now: float) -> str:
        """All of it.

        Args:
            **now: gauges by name.
        """
        lines = [*_head("grade_requests_total", "Requests by route and status.", "counter")]
        for (route, status), count in sorted(self.requests.items()):
            lines.append(f'grade_requests_total{{route="{route}",status="{status}"}} {count}')
        lines += _head("grade_checks_total", "Checks by verdict.", "counter")
        for verdict, count in sorted(self.verdicts.items()):
            lines.append(f'grade_checks_total{{verdict="{verdict}"}} {count}')
        lines += self.whole.lines("grade_check_seconds", "Seconds from request to report.")
        lines += self.waited.lines("grade_wait_seconds", "Seconds that checks waited for a slot.")
        for name, value in {**now, "resident_bytes": _resident()}.items():
            lines += [*_head(f"grade_{name}", f"{name.replace('_', ' ')}.", "gauge")]
            lines.append(f"grade_{name} {value:g}")
        return "\n".join(lines) + "\n"


def _head(name: str, text: str, kind: str) -> Iterator[str]:
    yield f"# HELP {name} {text[:1].upper()}{text[1:]}"
    yield f"# TYPE {name} {kind}"


def _resident() -> float:
    """Memory of this process, not of the slots; 0 where the system does not say."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0.0
