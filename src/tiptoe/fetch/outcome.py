"""What is the result of one request?

What happens on the web is a value: either an `Answer` (the server answered,
with any status) or a `Failed` with one `Failure`. Exceptions and error codes
of libraries are translated in this package and do not leave it.
"""

import enum
from collections.abc import Iterable, Iterator, Mapping

import msgspec

__all__ = ["Answer", "Failed", "Failure", "Headers"]


class Failure(enum.Enum):
    """Ways in which a request can end without an answer."""

    NO_SUCH_HOST = "no_such_host"  # the name does not exist
    DNS_FAILED = "dns_failed"  # the name could not be looked up now
    PRIVATE_ADDRESS = "private_address"  # the address is in a network we must not contact
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    TIMED_OUT = "timed_out"  # connecting or waiting for the first byte took too long
    TOO_SLOW = "too_slow"  # bytes came, but too few per second
    RESET = "reset"  # the connection broke in the middle
    TLS_FAILED = "tls_failed"  # certificate wrong, or no common protocol
    BAD_ANSWER = "bad_answer"  # not HTTP, or HTTP so broken that it cannot be read
    HEADERS_TOO_BIG = "headers_too_big"
    BAD_URL = "bad_url"  # the client refuses the URL
    HARVESTER_LOST = "harvester_lost"  # our own process died while working on it


class Headers(Mapping[str, str]):
    """Header fields by lower-case name; the first of a name counts, `every` returns all."""

    __slots__ = ("_fields", "_first")

    def __init__(self, fields: Iterable[tuple[str, str]]) -> None:
        self._fields = [(name.lower(), value) for name, value in fields]
        self._first = dict(reversed(self._fields))

    def __getitem__(self, name: str) -> str:
        return self._first[name.lower()]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._first

    def __iter__(self) -> Iterator[str]:
        return iter(dict(self._fields))

    def __len__(self) -> int:
        return len(self._first)

    def get(self, name: str, default: str = "") -> str:  # type: ignore[override]
        """Return the first value of a field; faster than the method of Mapping."""
        return self._first.get(name.lower(), default)

    def every(self, name: str) -> list[str]:
        """Return all values of a field, in the order received."""
        if name not in self:
            return []
        wanted = name.lower()
        return [value for known, value in self._fields if known == wanted]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a server answered, byte for byte as received (transfer coding removed, content coding kept)."""

    url: str
    status: int
    request_block: bytes  # request line and fields as sent, including the blank line
    header_block: bytes  # status line and fields as received, including the blank line
    headers: Headers
    body: bytes
    truncated: str | None = None  # body cut by our limits: "length", "time"; by its server: "disconnect"
    address: str = ""  # IP address connected to; that of the proxy if one is used
    started_at: float = 0.0  # wall clock, seconds
    seconds: float = 0.0
    protocol: str = "http/1.1"


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """A request that ended without an answer."""

    url: str
    failure: Failure
    detail: str = ""
    address: str = ""
    started_at: float = 0.0
    seconds: float = 0.0
    bytes_received: int = 0
