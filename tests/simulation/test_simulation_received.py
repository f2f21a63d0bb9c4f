"""What comes of every way to deliver an answer, without a socket."""

import pytest

from simulated.received import DELIVERIES, Received, receive
from simulated.unkind_delivery import TRICKLE_SECONDS
from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.outcome import Failure
from tiptoe.testing.answer import Delivery, SimulatedAnswer

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"
LIMITS = FetchLimits(slow_seconds=10.0, body_bytes_max=1_000, header_bytes_max=500)


def taken(delivery: Delivery, body: bytes, *, repeats: int = 1) -> Received:
    return receive(SimulatedAnswer(200, body=body, delivery=delivery, repeats=repeats), HEAD, LIMITS)


def test_every_delivery_is_known() -> None:
    assert DELIVERIES.keys() == set(Delivery)


@pytest.mark.parametrize(
    ("delivery", "body", "expected"),
    [
        (Delivery.PLAIN, b"abc", Received(HEAD, b"abc")),
        (Delivery.PLAIN, b"a" * 1_001, Received(HEAD, b"a" * 1_000, "length")),
        (Delivery.ENDLESS, b"ab", Received(HEAD, b"ab" * 500, "length")),
        (Delivery.SHORT_LENGTH, b"abcd", Received(HEAD, b"ab")),
        (Delivery.RAW, b"220 ready\r\n", Received(b"", failure=Failure.BAD_ANSWER)),
        (Delivery.RAW, b"HTTP/1.0 200 OK\r\n\r\nabc", Received(b"HTTP/1.0 200 OK\r\n\r\n", b"abc")),
        (Delivery.RESET_AT_ONCE, b"abc", Received(b"", failure=Failure.RESET)),
        (Delivery.ENDLESS_HEAD, b"X: y\r\n", Received(HEAD, failure=Failure.HEADERS_TOO_BIG)),
        (Delivery.RESET, b"abcd", Received(HEAD, b"ab", "disconnect")),
        (Delivery.WRONG_LENGTH, b"abcd", Received(HEAD, b"abcd", "disconnect")),
        (Delivery.TRICKLE, b"abc", Received(HEAD, b"abc", seconds=3 * TRICKLE_SECONDS)),
    ],
)
def test_a_client_gets_what_its_limits_let_through(
    delivery: Delivery, body: bytes, expected: Received
) -> None:
    assert taken(delivery, body) == expected


def test_a_repeated_body_is_as_long_as_it_says_or_as_is_allowed() -> None:
    assert taken(Delivery.REPEATED, b"abc", repeats=3) == Received(HEAD, b"abc" * 3)
    assert taken(Delivery.REPEATED, b"abc", repeats=10**9).truncated == "length"


def test_bytes_that_come_too_slowly_are_not_waited_for() -> None:
    """The body so far is an answer; half a header is none."""
    slow = taken(Delivery.TRICKLE, b"a" * 500)
    assert (slow.truncated, slow.seconds, len(slow.body)) == ("time", 10.0, int(10.0 / TRICKLE_SECONDS))
    head = taken(Delivery.TRICKLE_HEAD, b"a" * 500)
    assert (head.failure, head.seconds) == (Failure.TOO_SLOW, 10.0)


def test_a_header_beyond_the_limit_ends_the_transfer() -> None:
    received = receive(SimulatedAnswer(200, body=b"abc"), b"x" * 501, LIMITS)
    assert received.failure is Failure.HEADERS_TOO_BIG
