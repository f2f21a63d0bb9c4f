"""How can a server be unkind?

Every behaviour lives under `/hostile/NAME/` on every host; pages link there only
if the shape says so. Those that need a socket name the `Delivery` that the faces
carry out. To add one, write a function and give it a line in `BEHAVIOURS`.
"""

from collections.abc import Callable, Mapping
from typing import Final

from tiptoe.testing.answer import Delivery, SimulatedAnswer
from tiptoe.testing.hosts import Host

__all__ = ["BEHAVIOURS", "PREFIX", "answer_hostile"]

PREFIX: Final = "/hostile/"
HTML: Final = ("Content-Type", "text/html; charset=utf-8")
RETRY_AFTER_SECONDS: Final = 30
STORM_SECONDS: Final = 120
HEADER_LINES: Final = 4_000
LOOP_LENGTH: Final = 3
BLOCK: Final = b"<p>and so on and on and on</p>\n" * 512

Behaviour = Callable[[Host, str, str], SimulatedAnswer]
"""From a host, the rest of the path and another host's address to an answer."""


def answer_hostile(host: Host, path: str, elsewhere: str) -> SimulatedAnswer | None:
    """Return the answer to a path under `PREFIX`; None if nothing of that name is known."""
    name, _, rest = path.removeprefix(PREFIX).partition("/")
    behaviour = BEHAVIOURS.get(name)
    return behaviour(host, rest, elsewhere) if behaviour else None


def _show_calendar(host: Host, rest: str, elsewhere: str) -> SimulatedAnswer:
    """Show a month that links to the next and the one before, for ever."""
    digits = rest[:6]
    month = int(digits) if digits.isascii() and digits.isdigit() else 0
    body = (
        f"<!DOCTYPE html><title>Month {month}</title><h1>Month {month}</h1>"
        f'<p>Nothing happens. <a href="{month + 1}">later</a> <a href="{max(0, month - 1)}">earlier</a></p>'
    )
    return SimulatedAnswer(200, [HTML], body.encode())


def _loop(host: Host, rest: str, elsewhere: str) -> SimulatedAnswer:
    step = int(rest) if rest in ("0", "1", "2") else 0
    return SimulatedAnswer(302, [("Location", f"{PREFIX}redirect-loop/{(step + 1) % LOOP_LENGTH}")])


def _redirect_home(host: Host, rest: str, elsewhere: str) -> SimulatedAnswer:
    return SimulatedAnswer(301, [("Location", "/")])


def _redirect_elsewhere(host: Host, rest: str, elsewhere: str) -> SimulatedAnswer:
    return SimulatedAnswer(301, [("Location", elsewhere)])


def _ask_for_patience(host: Host, rest: str, elsewhere: str) -> SimulatedAnswer:
    return SimulatedAnswer(429, [HTML, ("Retry-After", str(RETRY_AFTER_SECONDS))], b"<p>too many</p>")


def _storm(host: Host, rest: str, elsewhere: str) -> SimulatedAnswer:
    return SimulatedAnswer(503, [HTML, ("Retry-After", str(STORM_SECONDS))], b"<p>overloaded</p>")


def _answer_without_end(host: Host, rest: str, elsewhere: str) -> SimulatedAnswer:
    return SimulatedAnswer(200, [HTML], BLOCK, delivery=Delivery.ENDLESS)


def _trickle(host: Host, rest: str, elsewhere: str) -> SimulatedAnswer:
    return SimulatedAnswer(200, [HTML], BLOCK, delivery=Delivery.TRICKLE)


def _pile_up_headers(host: Host, rest: str, elsewhere: str) -> SimulatedAnswer:
    piled = [(f"X-Pile-{i}", "x" * 100) for i in range(HEADER_LINES)]
    return SimulatedAnswer(200, [HTML, *piled], b"<p>that was a lot</p>")


def _promise_too_much(host: Host, rest: str, elsewhere: str) -> SimulatedAnswer:
    return SimulatedAnswer(200, [HTML], BLOCK, delivery=Delivery.WRONG_LENGTH)


def _reset(host: Host, rest: str, elsewhere: str) -> SimulatedAnswer:
    return SimulatedAnswer(200, [HTML], BLOCK, delivery=Delivery.RESET)


BEHAVIOURS: Final[Mapping[str, Behaviour]] = {
    "calendar": _show_calendar,
    "redirect-loop": _loop,
    "redirect-home": _redirect_home,
    "redirect-elsewhere": _redirect_elsewhere,
    "too-many": _ask_for_patience,
    "storm": _storm,
    "infinite-body": _answer_without_end,
    "slow-body": _trickle,
    "huge-headers": _pile_up_headers,
    "wrong-length": _promise_too_much,
    "reset": _reset,
}
