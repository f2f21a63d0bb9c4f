"""What is done about each kind of trouble?

One table, to be read by column. Waits are in units of `backoff_first` (a minute by default). A URL waits
before its next try, twice as long each time; its host waits too where the table says so: see `troubles`.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tiptoe.fetch.outcome import Failure

__all__ = [
    "FAILURES",
    "PATIENCE",
    "PATIENCE_BUDGET",
    "CountedTry",
    "HoldTarget",
    "Patience",
    "Trouble",
    "trouble_of",
]


class Trouble(enum.Enum):
    """Everything that makes the crawl come back later, or never."""

    OVERLOADED = "overloaded"  # 429, 503
    SERVER_ERROR = "server_error"  # other 5xx, 408, 425
    ROBOTS_UNREACHABLE = "robots_unreachable"
    NO_SUCH_HOST = Failure.NO_SUCH_HOST.value
    DNS_FAILED = Failure.DNS_FAILED.value
    PRIVATE_ADDRESS = Failure.PRIVATE_ADDRESS.value
    REFUSED = Failure.REFUSED.value
    UNREACHABLE = Failure.UNREACHABLE.value
    TIMED_OUT = Failure.TIMED_OUT.value
    TOO_SLOW = Failure.TOO_SLOW.value
    RESET = Failure.RESET.value
    TLS_FAILED = Failure.TLS_FAILED.value
    BAD_ANSWER = Failure.BAD_ANSWER.value
    HEADERS_TOO_BIG = Failure.HEADERS_TOO_BIG.value
    BAD_URL = Failure.BAD_URL.value
    HARVESTER_LOST = Failure.HARVESTER_LOST.value
    CHALLENGE = "challenge"  # a page that demands a browser or a person
    BROKEN_OFF = "broken_off"  # the body ended before its announced length
    LOGIN_FAILED = "login_failed"  # the site rejects our credentials


FAILURES: Final = frozenset(failure.value for failure in Failure)
"""Failures of requests and lookups, by name; each is also a `Trouble`."""


PATIENCE_BUDGET: Final = 120
"""What a host may use up before it is given up; a trouble allowed N times in a row uses up 1/N of it."""


class HoldTarget(enum.Enum):
    """What is left alone after a trouble."""

    HOST = "host"
    ADDRESS = "address"  # as well as the host


class CountedTry(enum.Enum):
    """Which tries of one URL count against its host."""

    FIRST_TRY = "first"
    EVERY_TRY = "every"


HOST, ADDRESS = HoldTarget.HOST, HoldTarget.ADDRESS
FIRST_TRY, EVERY_TRY = CountedTry.FIRST_TRY, CountedTry.EVERY_TRY


@dataclass(frozen=True, slots=True)
class Patience:
    """How one kind of trouble is handled."""

    first_wait: float  # of the URL
    tries: int  # attempts at one URL
    hold: float  # first wait of the whole host; 0 = it waits only if many URLs in a row have this trouble
    held: HoldTarget  # what waits then
    counted: CountedTry  # which tries of one URL count against its host
    give_up_after: int  # troubles in a row, without a good answer, that end the host; 0 = never

    @property
    def host_waits(self) -> bool:
        """Whether the whole host is left alone at once."""
        return self.hold > 0

    @property
    def cost(self) -> int:
        """How much of `PATIENCE_BUDGET` one such trouble uses up."""
        return PATIENCE_BUDGET // self.give_up_after if self.give_up_after else 0


PATIENCE: Final[Mapping[Trouble, Patience]] = {
    # trouble                            wait  tries  hold  held     counted    give_up_after
    Trouble.OVERLOADED:         Patience(1,    6,     1,    ADDRESS, FIRST_TRY, 10),
    Trouble.SERVER_ERROR:       Patience(1,    3,     0,    HOST,    FIRST_TRY, 20),
    Trouble.ROBOTS_UNREACHABLE: Patience(2,    8,     2,    HOST,    EVERY_TRY, 8),
    Trouble.NO_SUCH_HOST:       Patience(30,   2,     30,   HOST,    EVERY_TRY, 2),
    Trouble.DNS_FAILED:         Patience(5,    4,     5,    HOST,    EVERY_TRY, 4),
    Trouble.PRIVATE_ADDRESS:    Patience(1,    1,     1,    HOST,    EVERY_TRY, 1),
    Trouble.REFUSED:            Patience(10,   4,     2,    HOST,    EVERY_TRY, 4),
    Trouble.UNREACHABLE:        Patience(10,   4,     2,    HOST,    EVERY_TRY, 4),
    Trouble.TIMED_OUT:          Patience(2,    3,     2,    ADDRESS, FIRST_TRY, 8),
    Trouble.TOO_SLOW:           Patience(5,    2,     2,    ADDRESS, FIRST_TRY, 8),
    Trouble.RESET:              Patience(1,    3,     1,    HOST,    FIRST_TRY, 8),
    Trouble.TLS_FAILED:         Patience(30,   2,     2,    HOST,    EVERY_TRY, 4),
    Trouble.BAD_ANSWER:         Patience(5,    2,     0,    HOST,    FIRST_TRY, 15),
    Trouble.HEADERS_TOO_BIG:    Patience(1,    1,     0,    HOST,    FIRST_TRY, 15),
    Trouble.BAD_URL:            Patience(1,    1,     0,    HOST,    FIRST_TRY, 0),
    Trouble.HARVESTER_LOST:     Patience(1,    2,     0,    HOST,    FIRST_TRY, 0),
    Trouble.CHALLENGE:          Patience(10,   3,     2,    HOST,    FIRST_TRY, 8),
    Trouble.BROKEN_OFF:         Patience(1,    2,     0,    HOST,    FIRST_TRY, 0),
    Trouble.LOGIN_FAILED:       Patience(1,    1,     1,    HOST,    EVERY_TRY, 1),
}  # fmt: skip

_OVERLOADED = frozenset({429, 503})
_TRANSIENT = frozenset({408, 425})
_IN_ANSWERS = frozenset({Trouble.CHALLENGE.value, Trouble.BROKEN_OFF.value, Trouble.LOGIN_FAILED.value})


def trouble_of(status: int, failure: str, discard: str = "") -> Trouble | None:
    """Return the trouble in a result, or None if there is none."""
    if failure:
        return Trouble(failure)
    if discard in _IN_ANSWERS:
        return Trouble(discard)
    if status in _OVERLOADED:
        return Trouble.OVERLOADED
    if status >= 500 or status in _TRANSIENT:
        return Trouble.SERVER_ERROR
    return None
