"""What does a simulated server answer, and how is the answer delivered?"""

import enum
from dataclasses import dataclass, field

__all__ = ["Delivery", "SimulatedAnswer"]


class Delivery(enum.Enum):
    """How the bytes are sent; everything but PLAIN has an effect only on a socket."""

    PLAIN = "plain"
    REPEATED = "repeated"  # the body `repeats` times: long, but not stored
    ENDLESS = "endless"  # the body is repeated until the client stops reading
    ENDLESS_HEAD = "endless_head"  # the same with header lines, taken from `body`
    TRICKLE = "trickle"  # the body one byte at a time
    TRICKLE_HEAD = "trickle_head"  # the header one byte at a time
    WRONG_LENGTH = "wrong_length"  # promises more than it sends, then closes
    SHORT_LENGTH = "short_length"  # promises half of what it sends
    RESET = "reset"  # breaks the connection in the middle
    RESET_AT_ONCE = "reset_at_once"  # breaks the connection instead of answering
    RAW = "raw"  # only the body, in whatever protocol, then closes


@dataclass(frozen=True, slots=True)
class SimulatedAnswer:
    """Status, header fields (without Content-Length and Date, which the face adds) and body."""

    status: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    latency_seconds: float = 0.0  # before the first byte
    delivery: Delivery = Delivery.PLAIN
    repeats: int = 1  # of the body, when delivery is REPEATED
