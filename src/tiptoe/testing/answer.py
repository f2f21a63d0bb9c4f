"""What does a simulated server say, and how does it hand it over?"""

import enum
from dataclasses import dataclass, field

__all__ = ["Delivery", "SimulatedAnswer"]


class Delivery(enum.Enum):
    """How the bytes go out; everything but PLAIN needs a socket to be seen."""

    PLAIN = "plain"
    ENDLESS = "endless"  # the body is repeated until the client has enough
    TRICKLE = "trickle"  # one byte at a time
    WRONG_LENGTH = "wrong_length"  # promises more than it sends, then closes
    RESET = "reset"  # breaks the connection in the middle


@dataclass(frozen=True, slots=True)
class SimulatedAnswer:
    """Status, header fields (without Content-Length and Date, which the face adds) and body."""

    status: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    latency_seconds: float = 0.0  # before the first byte
    delivery: Delivery = Delivery.PLAIN
