"""Into which of a few classes does the result of a request fall?

Statistics need classes that can be compared between crawls; the exact status
or failure is counted as well.
"""

from collections.abc import Mapping
from enum import Enum
from http import HTTPStatus
from typing import Final

from tiptoe.fetch.outcome import Failure
from tiptoe.url.dropped import Dropped

__all__ = ["FATES", "Fate", "fate_of", "split_outcomes", "status_text"]


class Fate(Enum):
    """Classes of what came of a URL."""

    OK = "ok"
    REDIRECT = "redirect"
    GONE = "gone"
    REFUSED = "refused"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    DENIED = "denied_by_robots"
    DEAD = "dead_host"
    BROKEN = "broken_answer"

    @property
    def text(self) -> str:
        return self.value.replace("_", " ")


FATES: Final[Mapping[Fate, str]] = {
    Fate.OK: "2xx, 304",
    Fate.REDIRECT: "other 3xx: moved elsewhere",
    Fate.GONE: "404, 410",
    Fate.REFUSED: "other 4xx",
    Fate.OVERLOADED: "429, 503",
    Fate.SERVER_ERROR: "other 5xx",
    Fate.DENIED: "robots.txt forbids it: not requested",
    Fate.DEAD: "no connection, or its host was given up",
    Fate.BROKEN: "a connection, but no whole answer",
}

UNASKED: Final = frozenset(
    {
        "disallowed", "avoided", Dropped.HOST_GONE.value, Failure.BAD_URL.value,
        Failure.NO_SUCH_HOST.value, Failure.DNS_FAILED.value, Failure.PRIVATE_ADDRESS.value,
    }
)  # fmt: skip
"""Outcomes of URLs for which no request was made."""

CLASSES: Final[Mapping[int, str]] = {
    1: "an answer that is not the last one",
    2: "received",
    3: "lies elsewhere, and does not say where",
    4: "the server says that the request is at fault",
    5: "the server says that it is at fault",
}
"""Meanings of statuses without a name of their own, by their first digit."""

BROKEN: Final = frozenset(
    failure.value
    for failure in (
        Failure.TOO_SLOW, Failure.RESET, Failure.BAD_ANSWER, Failure.HEADERS_TOO_BIG,
        Failure.BAD_URL, Failure.HARVESTER_LOST,
    )
)  # fmt: skip


def status_text(name: str) -> str:
    """Return the meaning of an outcome that is a status, such as http_404; empty for others."""
    prefix, _, code = name.partition("_")
    if prefix != "http" or not code.isascii() or not code.isdigit() or len(code) > 4:
        return ""
    status = int(code)
    try:
        return HTTPStatus(status).phrase.lower()
    except ValueError:
        return CLASSES.get(status // 100, "no status that HTTP knows")


def fate_of(status: int | None, failure: str | None) -> Fate:
    """Return the class of an answer, or of a failure to get one."""
    if failure or not status:
        return Fate.BROKEN if failure in BROKEN else Fate.DEAD
    if status < 300 or status == 304:
        return Fate.OK
    if status < 400:
        return Fate.REDIRECT
    if status in (404, 410):
        return Fate.GONE
    if status in (429, 503):
        return Fate.OVERLOADED
    return Fate.REFUSED if status < 500 else Fate.SERVER_ERROR


def split_outcomes(
    outcomes: Mapping[str, int], discards: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return what came of requests, and of URLs that were never requested.

    The latter without those among the discards, which would be reported twice.
    """
    asked = {name: count for name, count in outcomes.items() if name not in UNASKED}
    left = {name: count for name, count in outcomes.items() if name in UNASKED and name not in discards}
    return asked, left
