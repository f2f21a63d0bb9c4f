"""How much may one request cost us?

Every wait and every buffer of the client is bounded by one of these figures.
"""

from dataclasses import dataclass

__all__ = ["ROBOTS_BYTES_MIN", "FetchLimits"]

KIB = 1024
MIB = 1024 * KIB

ROBOTS_BYTES_MIN = 512 * KIB
"""Minimum that is read of a robots.txt, however early other bodies are cut: half of the rules are other
rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """Bounds in seconds and bytes; the defaults suit a crawl of text pages."""

    connect_seconds: float = 20.0  # name known, until the connection (and TLS) stands
    total_seconds: float = 120.0  # the whole transfer, first byte included
    slow_bytes_per_second: int = 100  # slower than this ...
    slow_seconds: float = 30.0  # ... for this long ends the transfer; whole seconds, rounded up
    header_bytes_max: int = 256 * KIB  # interim answers and trailers count too
    body_bytes_max: int = 10 * MIB  # as received, before the content coding is undone
    decoded_bytes_max: int = 30 * MIB
    connections_max: int = 4000  # open at once, idle ones included
