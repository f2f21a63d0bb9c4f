"""How can a server answer so that a client waits, fails or is turned away?"""

from collections.abc import Callable, Mapping
from typing import Final

from simulated.hostile_asked import HTML, HostileRequest, page
from tiptoe.testing.answer import Delivery, SimulatedAnswer

__all__ = ["ANSWERS"]

RETRY_AFTER_SECONDS: Final = 30
STORM_SECONDS: Final = 120
STORM_ANSWERS: Final = 3
HEADER_LINES: Final = 4_000
BLOCK: Final = b"<p>and so on and on and on</p>\n" * 512
MORE_HEADER: Final = b"X-More: and more and more and more\r\n" * 100
SMUGGLED: Final = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 42\r\n\r\n"
    b"<p>Smuggled into somebody else's page.</p>"
)
WALL: Final = (
    b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><h1>One more step</h1>"
    b"<noscript>Enable JavaScript and cookies to continue</noscript>"
    b"<script>window._cf_chl_opt = {cType: 'managed'};</script></body></html>"
)
QUIET_WALL: Final = (
    b"<!DOCTYPE html><html><head><title>shop.example</title></head><body><p>Please enable JS</p>"
    b"<script src='https://ct.captcha-delivery.com/c.js'></script></body></html>"
)


def _deliver(delivery: Delivery, body: bytes = BLOCK) -> Callable[[HostileRequest], SimulatedAnswer]:
    answer = SimulatedAnswer(200, [HTML], body, delivery=delivery)
    return lambda asked: answer


def _turn_away(status: int, retry_after: str | None) -> Callable[[HostileRequest], SimulatedAnswer]:
    """Ask for patience, in words that may make no sense."""
    fields = [HTML] if retry_after is None else [HTML, ("Retry-After", retry_after)]
    answer = SimulatedAnswer(status, fields, b"<p>too many</p>")
    return lambda asked: answer


def _wall_off(
    status: int, body: bytes, *fields: tuple[str, str]
) -> Callable[[HostileRequest], SimulatedAnswer]:
    answer = SimulatedAnswer(status, [HTML, *fields], body)
    return lambda asked: answer


def _storm(asked: HostileRequest) -> SimulatedAnswer:
    """Be overloaded for a few requests, then answer."""
    if asked.times >= STORM_ANSWERS:
        return page("After the storm", "The storm is over, and here is the page.")
    return SimulatedAnswer(503, [HTML, ("Retry-After", str(STORM_SECONDS))], b"<p>overloaded</p>")


def _pile_up_headers(asked: HostileRequest) -> SimulatedAnswer:
    piled = [(f"X-Pile-{i}", "x" * 100) for i in range(HEADER_LINES)]
    return SimulatedAnswer(200, [HTML, *piled], b"<p>that was a lot</p>")


def _send_more_than_promised(asked: HostileRequest) -> SimulatedAnswer:
    """Let what looks like another answer follow the page."""
    first = b"<title>Short</title><p>This page is shorter than its answer.</p>".ljust(len(SMUGGLED))
    second = SMUGGLED.ljust(len(first))
    return SimulatedAnswer(200, [HTML], first + second, delivery=Delivery.SHORT_LENGTH)


ANSWERS: Final[Mapping[str, Callable[[HostileRequest], SimulatedAnswer]]] = {
    "infinite-body": _deliver(Delivery.ENDLESS),
    "slow-body": _deliver(Delivery.TRICKLE, b"drip " * 4_000),
    "slow-head": _deliver(Delivery.TRICKLE_HEAD),
    "huge-headers": _pile_up_headers,
    "endless-headers": _deliver(Delivery.ENDLESS_HEAD, MORE_HEADER),
    "wrong-length": _deliver(Delivery.WRONG_LENGTH),
    "short-length": _send_more_than_promised,
    "reset": _deliver(Delivery.RESET),
    "reset-at-once": _deliver(Delivery.RESET_AT_ONCE),
    "http-09": _deliver(Delivery.RAW, b"<p>A page from the days before headers.</p>"),
    "noise": _deliver(Delivery.RAW, bytes(range(256)) * 8),
    "too-many": _turn_away(429, str(RETRY_AFTER_SECONDS)),
    "too-many-silent": _turn_away(429, None),
    "retry-after-negative": _turn_away(429, "-5"),
    "retry-after-huge": _turn_away(429, "1000000000000"),
    "retry-after-past": _turn_away(429, "Sun, 06 Nov 1994 08:49:37 GMT"),
    "retry-after-future": _turn_away(503, "Fri, 31 Dec 9999 23:59:59 GMT"),
    "retry-after-garbage": _turn_away(429, "soon; \x01\xff maybe"),
    "storm": _storm,
    "challenge-200": _wall_off(200, WALL),
    "challenge-quiet": _wall_off(200, QUIET_WALL),
    "challenge-403": _wall_off(403, WALL, ("cf-mitigated", "challenge")),
    "challenge-503": _wall_off(503, WALL),
}
