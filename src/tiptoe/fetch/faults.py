"""Which of our failures is this error of libcurl?

One table, by the codes of libcurl's `curl.h` (pycurl names only some of them).
Two codes are too general and examined further: 7 (the system's error number
distinguishes refused from unreachable) and 28 (the bytes received distinguish a
silent server from a slow one).
"""

import errno
from collections.abc import Mapping
from typing import Final

from tiptoe.fetch.outcome import Failure

__all__ = ["BROKEN", "ENDED_EARLY", "FAULTS", "STOPPED", "TIMED_OUT", "failure_of"]

CONNECT_FAILED: Final = 7
ENDED_EARLY: Final = 18
TIMED_OUT: Final = 28
STOPPED: Final = 42  # by one of our callbacks
BROKEN: Final = frozenset({56, 92})  # the connection, or a stream of HTTP/2, broke while receiving

FAULTS: Final[Mapping[int, Failure]] = {
    1: Failure.BAD_ANSWER,  # unsupported protocol: HTTP/0.9; schemes are checked before
    3: Failure.BAD_URL,  # malformed
    5: Failure.UNREACHABLE,  # the proxy's name does not resolve
    6: Failure.DNS_FAILED,
    CONNECT_FAILED: Failure.UNREACHABLE,
    8: Failure.BAD_ANSWER,  # weird server reply
    12: Failure.TIMED_OUT,  # FTP: the server never connected back
    16: Failure.BAD_ANSWER,  # HTTP/2 framing
    ENDED_EARLY: Failure.RESET,  # fewer bytes than announced; a partial answer, see `conclusion`
    TIMED_OUT: Failure.TIMED_OUT,
    35: Failure.TLS_FAILED,  # handshake
    STOPPED: Failure.HARVESTER_LOST,
    43: Failure.BAD_URL,  # an option the library refuses
    45: Failure.UNREACHABLE,  # we have no such source address, or none of its family
    52: Failure.RESET,  # closed without an answer
    55: Failure.RESET,  # sending failed
    56: Failure.RESET,  # receiving failed
    58: Failure.TLS_FAILED,  # client certificate wanted
    59: Failure.TLS_FAILED,  # no common cipher
    60: Failure.TLS_FAILED,  # certificate wrong
    61: Failure.BAD_ANSWER,  # transfer coding unknown
    64: Failure.TLS_FAILED,
    66: Failure.TLS_FAILED,
    77: Failure.TLS_FAILED,  # our bundle cannot be read
    80: Failure.TLS_FAILED,
    82: Failure.TLS_FAILED,
    83: Failure.TLS_FAILED,  # issuer
    90: Failure.TLS_FAILED,  # pinned key
    91: Failure.TLS_FAILED,  # OCSP
    92: Failure.RESET,  # HTTP/2 stream closed
    97: Failure.UNREACHABLE,  # the proxy refuses or fails
    98: Failure.TLS_FAILED,
    100: Failure.HEADERS_TOO_BIG,  # one header line longer than the library accepts
}

CONNECT_FAULTS: Final[Mapping[int, Failure]] = {
    errno.ECONNREFUSED: Failure.REFUSED,
    errno.ECONNRESET: Failure.RESET,
    errno.ETIMEDOUT: Failure.TIMED_OUT,
}


def failure_of(code: int, *, system_error: int, bytes_received: int) -> Failure:
    """Return the failure for an error of libcurl; one that is not in the table is a bad answer."""
    if code == CONNECT_FAILED:
        return CONNECT_FAULTS.get(system_error, FAULTS[code])
    if code == TIMED_OUT and bytes_received:
        return Failure.TOO_SLOW
    return FAULTS.get(code, Failure.BAD_ANSWER)
