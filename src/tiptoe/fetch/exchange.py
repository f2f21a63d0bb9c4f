"""What does one transfer send, and what has it received?

An `Exchange` is a libcurl handle with the two buffers that its callbacks fill. Most
of its options never change, so they are set once and the handle is reused.

Rule: nothing that a server sends above the limits is kept.
"""

import math
from typing import Final

import pycurl

from tiptoe.fetch.approach import PLAIN_WAY, Way
from tiptoe.fetch.curl_retries import Sockets
from tiptoe.fetch.limits import ROBOTS_BYTES_MIN, FetchLimits

__all__ = ["Exchange"]

RECEIVE_BYTES: Final = 256 * 1024  # one buffer for all handles; fewer, larger writes


class Exchange:
    """One handle: *free* (buffers empty) or *in use* for one URL."""

    __slots__ = (
        "_address",
        "_body_bytes_max",
        "_header_bytes_max",
        "_is_posting",
        "_left_out",
        "_lines",
        "_may_repeat",
        "_pieces",
        "_room_bytes",
        "_socket",
        "_sockets",
        "body_bytes",
        "curl",
        "head",
        "is_cut",
        "times_asked",
    )

    def __init__(
        self, limits: FetchLimits, *, ca_file: str, way: Way = PLAIN_WAY, sockets: Sockets | None = None
    ) -> None:
        self._body_bytes_max = limits.body_bytes_max
        self._room_bytes = limits.body_bytes_max  # for the body of this transfer
        self._header_bytes_max = limits.header_bytes_max
        self._pieces: list[bytes] = []
        self._sockets = sockets or Sockets()
        self._socket = -1  # the one opened for this transfer, if any
        self._may_repeat = False
        self._address: str | None = None
        self._lines: tuple[bytes, ...] = ()
        # libcurl adds this field for proxies; a line without a value suppresses it.
        self._left_out = (b"Proxy-Connection:",) if way.proxy else ()
        self._is_posting = False
        self.body_bytes = 0
        self.head = bytearray()
        self.times_asked = 0
        self.is_cut = False  # the body went over its limit
        self.curl = pycurl.Curl()
        self._set_limits(limits)
        self._set_manners(ca_file)
        self._set_way(way, ca_file)

    def ask(
        self, url: str, *, request_target: str, address: str | None, lines: tuple[bytes, ...], keep: bool,
        form: bytes | None = None, body_max: int = 0,
    ) -> None:  # fmt: skip
        """Set the options that differ between requests."""
        self.curl.setopt(pycurl.URL, url)
        # Otherwise libcurl would write the path in its own way, with other escapes.
        self.curl.setopt(pycurl.REQUEST_TARGET, request_target)
        self.curl.setopt(pycurl.FORBID_REUSE, not keep)
        self.pin(address)
        self.make_room(request_target, body_max)
        self._post(form)
        if lines != self._lines:
            self.curl.setopt(pycurl.HTTPHEADER, lines + self._left_out)
            self._lines = lines

    def _post(self, form: bytes | None) -> None:
        """Post a form, or get the URL as usual."""
        if form is not None:
            self.curl.setopt(pycurl.POSTFIELDS, form)
        elif self._is_posting:
            self.curl.setopt(pycurl.HTTPGET, 1)
        self._is_posting = form is not None

    def pin(self, address: str | None) -> None:
        """Connect to this address, whatever host the URL names; None leaves that to the proxy."""
        # CONNECT_TO and not RESOLVE: it touches no cache, and a pooled connection is
        # used again only if it was made to the same address.
        if address != self._address:
            self.curl.setopt(pycurl.CONNECT_TO, [_connect_to(address)] if address else [])
            self._address = address

    def make_room(self, path: str, body_max: int = 0) -> None:
        """Set the limit of the body; robots.txt has a higher one."""
        is_robots = path.endswith("/robots.txt")
        room = max(self._body_bytes_max, ROBOTS_BYTES_MIN) if is_robots else self._body_bytes_max
        self._room_bytes = min(room, body_max) if body_max else room

    @property
    def has_headers_overflown(self) -> bool:
        return len(self.head) > self._header_bytes_max

    @property
    def bytes_received(self) -> int:
        return len(self.head) + self.body_bytes

    def body(self) -> bytes:
        return b"".join(self._pieces)

    def clear(self) -> None:
        """Empty the buffers, so that the exchange can be reused."""
        self._pieces.clear()
        self.head.clear()
        self.body_bytes = 0
        self.is_cut = False
        self.times_asked = 0
        self._socket = -1
        self._may_repeat = False

    def _set_limits(self, limits: FetchLimits) -> None:
        options = {
            pycurl.CONNECTTIMEOUT_MS: math.ceil(limits.connect_seconds * 1000),
            pycurl.TIMEOUT_MS: math.ceil(limits.total_seconds * 1000),
            pycurl.LOW_SPEED_LIMIT: limits.slow_bytes_per_second,
            pycurl.LOW_SPEED_TIME: math.ceil(limits.slow_seconds),
            pycurl.BUFFERSIZE: RECEIVE_BYTES,
            pycurl.SOCKOPTFUNCTION: self._opened,
            pycurl.PREREQFUNCTION: self._may_ask,
            pycurl.WRITEFUNCTION: self._take,
            pycurl.HEADERFUNCTION: self._take_line,
        }
        for option, value in options.items():
            self.curl.setopt(option, value)

    def _set_manners(self, ca_file: str) -> None:
        options = {
            pycurl.NOSIGNAL: 1,
            pycurl.PROTOCOLS: pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS | pycurl.PROTO_FTP,
            pycurl.FOLLOWLOCATION: 0,
            pycurl.NETRC: pycurl.NETRC_IGNORED,
            pycurl.HTTP09_ALLOWED: 0,
            pycurl.HTTP_VERSION: pycurl.CURL_HTTP_VERSION_2TLS,
            pycurl.PATH_AS_IS: 1,
            pycurl.SSL_VERIFYPEER: 1,
            pycurl.SSL_VERIFYHOST: 2,
            pycurl.CAINFO: ca_file,
            pycurl.TCP_KEEPALIVE: 1,
            # Pinned addresses need no cache, and libcurl scans all of it after each transfer.
            pycurl.DNS_CACHE_TIMEOUT: 0,
        }
        for option, value in options.items():
            self.curl.setopt(option, value)

    def _set_way(self, way: Way, ca_file: str) -> None:
        options = {
            # Set even if empty: otherwise the environment decides.
            pycurl.PROXY: way.proxy,
            pycurl.NOPROXY: "",
        }
        if way.proxy.startswith("https:"):
            options[pycurl.PROXY_CAINFO] = ca_file
        if way.proxy_login:
            options[pycurl.PROXYUSERPWD] = way.proxy_login
        if way.certificate:
            options[pycurl.SSLCERT] = way.certificate
            options[pycurl.SSLKEY] = way.key or way.certificate
        if way.source_address:
            options[pycurl.INTERFACE] = f"host!{way.source_address}"
        for option, value in options.items():
            self.curl.setopt(option, value)

    def _opened(self, socket: int, _purpose: int) -> int:
        self._socket = socket
        return int(pycurl.SOCKOPT_OK)

    def _may_ask(self, their_address: str, our_address: str, their_port: int, our_port: int) -> int:
        """Allow libcurl to send the request, but to repeat it only if `curl_retries.py` says so."""
        self.times_asked += 1
        ends = (our_address, our_port, their_address, their_port)
        if self._socket >= 0:
            self._sockets.note(self._socket, ends)
        elif self.times_asked == 1:
            self._may_repeat = self._sockets.has_word(ends)
        is_fine = self.times_asked == 1 or (self.times_asked == 2 and self._may_repeat)
        return int(pycurl.PREREQFUNC_OK if is_fine else pycurl.PREREQFUNC_ABORT)

    def _take(self, piece: bytes) -> int | None:
        """Keep a piece of the body; a short count stops the transfer."""
        room = self._room_bytes - self.body_bytes
        if len(piece) > room:
            self._pieces.append(piece[:room])
            self.body_bytes += room
            self.is_cut = True
            return 0
        self._pieces.append(piece)
        self.body_bytes += len(piece)
        return None

    def _take_line(self, line: bytes) -> int | None:
        """Keep a header line; libcurl's own limit does not cover endless trailers."""
        head = self.head
        head += line
        return 0 if len(head) > self._header_bytes_max else None


def _connect_to(address: str) -> str:
    """Return libcurl's rule that any host and port is reached at this address."""
    return f"::[{address}]:" if ":" in address else f"::{address}:"
