"""What is done about each kind of trouble?

One table to read down a column. Waits are in units of `backoff_first` (a minute
unless configured), doubled with every further trouble of the same host.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tiptoe.fetch.outcome import Failure

__all__ = ["FAILURES", "PATIENCE", "Patience", "Trouble", "Verdict", "trouble_of"]


class Verdict(enum.Enum):
    """What happens when patience ends."""

    DROP_URL = "drop_url"
    DROP_HOST = "drop_host"


class Trouble(enum.Enum):
    """Everything that makes us come back later, or never."""

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
    CHALLENGE = "challenge"  # a wall wants to see a browser or a person


FAILURES: Final = frozenset(failure.value for failure in Failure)
"""What can be said of a request or a look-up that failed: each is a `Trouble`."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How one kind of trouble is met."""

    first_wait: float
    tries: int  # attempts at the URL, or at the host when the verdict drops the host
    host_waits: bool  # the whole host waits, not only this URL
    address_waits: bool  # and its address with it
    then: Verdict


_URL, _HOST = Verdict.DROP_URL, Verdict.DROP_HOST

PATIENCE: Final[Mapping[Trouble, Patience]] = {
    # trouble                            wait  tries  host   address  then
    Trouble.OVERLOADED:         Patience(1,    8,     True,  True,    _URL),
    Trouble.SERVER_ERROR:       Patience(1,    3,     False, False,   _URL),
    Trouble.ROBOTS_UNREACHABLE: Patience(2,    6,     True,  False,   _HOST),
    Trouble.NO_SUCH_HOST:       Patience(30,   2,     True,  False,   _HOST),
    Trouble.DNS_FAILED:         Patience(5,    4,     True,  False,   _HOST),
    Trouble.PRIVATE_ADDRESS:    Patience(1,    1,     True,  False,   _HOST),
    Trouble.REFUSED:            Patience(10,   3,     True,  False,   _HOST),
    Trouble.UNREACHABLE:        Patience(10,   3,     True,  False,   _HOST),
    Trouble.TIMED_OUT:          Patience(2,    3,     True,  True,    _URL),
    Trouble.TOO_SLOW:           Patience(5,    2,     True,  True,    _URL),
    Trouble.RESET:              Patience(1,    3,     True,  False,   _URL),
    Trouble.TLS_FAILED:         Patience(30,   2,     True,  False,   _HOST),
    Trouble.BAD_ANSWER:         Patience(5,    2,     False, False,   _URL),
    Trouble.HEADERS_TOO_BIG:    Patience(1,    1,     False, False,   _URL),
    Trouble.BAD_URL:            Patience(1,    1,     False, False,   _URL),
    Trouble.HARVESTER_LOST:     Patience(1,    2,     False, False,   _URL),
    Trouble.CHALLENGE:          Patience(10,   3,     True,  False,   _URL),
}  # fmt: skip

HOST_TRIES_MAX: Final = 12
"""Troubles in a row after which a host is given up, whatever they were."""

_OVERLOADED = frozenset({429, 503})
_TRANSIENT = frozenset({408, 425})


def trouble_of(status: int, failure: str, discard: str = "") -> Trouble | None:
    """Return the trouble in a result, or None when the server simply answered."""
    if failure:
        return Trouble(failure)
    if discard == Trouble.CHALLENGE.value:
        return Trouble.CHALLENGE
    if status in _OVERLOADED:
        return Trouble.OVERLOADED
    if status >= 500 or status in _TRANSIENT:
        return Trouble.SERVER_ERROR
    return None
