"""How much may one request cost us?

Every wait and every buffer of the client is limited by one of these values.
"""

from dataclasses import dataclass

__all__ = ["ROBOTS_BYTES_MIN", "FetchLimits"]

KIB = 1024
MIB = 1024 * KIB

ROBOTS_BYTES_MIN = 512 * KIB
"""Minimum for the limit of a robots.txt, however low that of other bodies, because half of the rules may mean
something else than all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """Bounds in seconds and bytes; the defaults suit a crawl of text pages."""

    connect_seconds: float = 20.0  # until the connection (with TLS) is made; without the lookup of the name
    total_seconds: float = 120.0  # the whole transfer, including the wait for the first byte
    slow_bytes_per_second: int = 100  # slower than this ...
    slow_seconds: float = 30.0  # ... for this long ends the transfer; whole seconds, rounded up
    header_bytes_max: int = 256 * KIB  # interim answers and trailers count too
    body_bytes_max: int = 10 * MIB  # as received, before the content coding is undone
    decoded_bytes_max: int = 30 * MIB
    connections_max: int = 4000  # open at once, idle ones included
