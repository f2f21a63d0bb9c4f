"""How much of an answer does a client with limits receive, and when?

Without sockets, a delivery has no effect by itself. So for each kind, this module
computes what `fetch/client.py` would make of it: a body, perhaps cut by our own
limits, or a failure; and how long that takes after the first byte.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from simulated.unkind_delivery import TRICKLE_SECONDS
from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.outcome import Failure
from tiptoe.testing.answer import Delivery, SimulatedAnswer

__all__ = ["Received", "patience_seconds", "receive"]


@dataclass(frozen=True, slots=True)
class Received:
    """What came: `head` as sent, then a body or a failure."""

    head: bytes
    body: bytes = b""
    truncated: str | None = None  # "length", "time" or "disconnect", as in `Answer`
    failure: Failure | None = None
    seconds: float = 0.0

    @property
    def bytes_received(self) -> int:
        return len(self.head) + len(self.body)


def patience_seconds(limits: FetchLimits) -> float:
    """Return how long a client waits for bytes that do not come; libcurl counts slowness in whole seconds."""
    return min(float(math.ceil(limits.slow_seconds)), limits.total_seconds)


def receive(answer: SimulatedAnswer, head: bytes, limits: FetchLimits) -> Received:
    """Return what a client has in the end of an answer whose header is `head`."""
    if len(head) > limits.header_bytes_max:
        return Received(head, failure=Failure.HEADERS_TOO_BIG)
    return DELIVERIES[answer.delivery](answer, head, limits)


def _take_all(answer: SimulatedAnswer, head: bytes, limits: FetchLimits) -> Received:
    return _cut(head, answer.body, limits)


def _take_repeated(answer: SimulatedAnswer, head: bytes, limits: FetchLimits) -> Received:
    enough = limits.body_bytes_max // max(1, len(answer.body)) + 1
    is_endless = answer.delivery is Delivery.ENDLESS
    return _cut(head, answer.body * (enough if is_endless else min(enough, answer.repeats)), limits)


def _take_half(answer: SimulatedAnswer, head: bytes, limits: FetchLimits) -> Received:
    return _cut(head, answer.body[: len(answer.body) // 2], limits)


def _take_slowly(answer: SimulatedAnswer, head: bytes, limits: FetchLimits) -> Received:
    patience, size = patience_seconds(limits), len(answer.body)
    if size * TRICKLE_SECONDS <= patience:
        return Received(head, answer.body, seconds=size * TRICKLE_SECONDS)
    return Received(head, answer.body[: int(patience / TRICKLE_SECONDS)], "time", seconds=patience)


def _wait_for_head(answer: SimulatedAnswer, head: bytes, limits: FetchLimits) -> Received:
    patience, size = patience_seconds(limits), len(head) + len(answer.body)
    if size * TRICKLE_SECONDS <= patience:
        return Received(head, answer.body, seconds=size * TRICKLE_SECONDS)
    came = int(patience / TRICKLE_SECONDS)
    if came > len(head):
        return Received(head, answer.body[: came - len(head)], "time", seconds=patience)
    return Received(head[:came], failure=Failure.TOO_SLOW, seconds=patience)


def _miss_more(answer: SimulatedAnswer, head: bytes, limits: FetchLimits) -> Received:
    taken = _cut(head, answer.body, limits)
    return taken if taken.truncated else Received(head, taken.body, "disconnect")


def _lose_half(answer: SimulatedAnswer, head: bytes, limits: FetchLimits) -> Received:
    taken = _take_half(answer, head, limits)
    return taken if taken.truncated else Received(head, taken.body, "disconnect")


def _lose_all(answer: SimulatedAnswer, head: bytes, limits: FetchLimits) -> Received:
    return Received(b"", failure=Failure.RESET)


def _overflow(answer: SimulatedAnswer, head: bytes, limits: FetchLimits) -> Received:
    return Received(head, failure=Failure.HEADERS_TOO_BIG)


def _take_raw(answer: SimulatedAnswer, head: bytes, limits: FetchLimits) -> Received:
    """Take the body for the whole answer; what has no header is no HTTP."""
    own_head, blank, rest = answer.body.partition(b"\r\n\r\n")
    if not (blank and own_head.startswith(b"HTTP/1.")):
        return Received(b"", failure=Failure.BAD_ANSWER)
    return _cut(own_head + blank, rest, limits)


def _cut(head: bytes, body: bytes, limits: FetchLimits) -> Received:
    if len(body) > limits.body_bytes_max:
        return Received(head, body[: limits.body_bytes_max], "length")
    return Received(head, body)


DELIVERIES: Final[Mapping[Delivery, Callable[[SimulatedAnswer, bytes, FetchLimits], Received]]] = {
    Delivery.PLAIN: _take_all,
    Delivery.REPEATED: _take_repeated,
    Delivery.ENDLESS: _take_repeated,
    Delivery.ENDLESS_HEAD: _overflow,
    Delivery.TRICKLE: _take_slowly,
    Delivery.TRICKLE_HEAD: _wait_for_head,
    Delivery.WRONG_LENGTH: _miss_more,
    Delivery.SHORT_LENGTH: _take_half,
    Delivery.RESET: _lose_half,
    Delivery.RESET_AT_ONCE: _lose_all,
    Delivery.RAW: _take_raw,
}
