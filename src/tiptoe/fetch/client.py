"""How is a URL requested?

One request, one outcome: no redirect is followed, no cookie is kept, and the only
password is one that an `Approach` supplies for this request. Certificates are always
verified. The connection goes to the address that was checked, or to the proxy;
libcurl never looks up a name by itself.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from tiptoe.fetch.approach import PLAIN_APPROACH, PLAIN_WAY, Approach, Way
from tiptoe.fetch.conclusion import Call, conclude
from tiptoe.fetch.curl_retries import Sockets
from tiptoe.fetch.exchange import Exchange
from tiptoe.fetch.files import read_file
from tiptoe.fetch.ftp import conclude_ftp, prepare_ftp
from tiptoe.fetch.http_blocks import request_block, request_target, split_url
from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.outcome import Answer, Failed, Failure
from tiptoe.fetch.transfers import Transfers
from tiptoe.fetch.trust import find_ca_file

__all__ = ["Client"]

# A plain header field and not libcurl's option, so that libcurl leaves the body as received.
ACCEPT_ENCODING: Final = b"Accept-Encoding: gzip, br, zstd"
ACCEPT: Final = b"Accept: */*"
Fields: TypeAlias = Sequence[tuple[str, str]]
OURS: Final = frozenset(
    ("accept-encoding", "connection", "content-length", "from", "host", "transfer-encoding", "user-agent")
)


class Client:
    """Requests URLs over HTTP, HTTPS, FTP and, with `files`, from this machine's disk.

    Requests of one visit share a connection as long as host and address stay
    the same. Must be created on the running event loop; `close` aborts requests under way.
    """

    def __init__(
        self,
        limits: FetchLimits,
        user_agent: str,
        *,
        sender: str | None,
        proxy: str | None,
        ca_file: str | None = None,
        files: bool = False,
    ) -> None:
        self._limits = limits
        self._sender = sender
        self._proxy = proxy
        self._ca_file = ca_file or find_ca_file()
        self._files = files
        self._transfers = Transfers(limits.connections_max)
        self._sockets = Sockets()
        self._free: defaultdict[Way, list[Exchange]] = defaultdict(list)
        lines = [_line("User-Agent", user_agent)]
        if sender:
            lines.append(_line("From", sender))
        self._opening = (*lines, ACCEPT_ENCODING)
        self._plain_lines = (*self._opening, ACCEPT)

    async def fetch(
        self,
        url: str,
        *,
        address: str | None,
        headers: Fields = (),
        keep: bool = True,
        approach: Approach = PLAIN_APPROACH,
        body_max: int = 0,
    ) -> Answer | Failed:
        """Request `url` from a checked `address`; with a proxy the address is not used.

        `body_max` is a lower limit than usual for the body of this answer; 0: the usual one.

        `keep=False`, for the last request of a visit, closes the connection
        after it: idle ones cost the server, and libcurl searches through a full pool.
        """
        started_at = time.time()
        target = split_url(url)
        if target is None or (target.scheme == "file" and not self._files):
            return Failed(url=url, failure=Failure.BAD_URL, started_at=started_at)
        proxy = approach.way.proxy or self._proxy
        call = Call(
            url=url,
            target=target,
            address=None if proxy else address,
            started_at=started_at,
            began=time.monotonic(),
            body_max=body_max,
        )
        if target.scheme == "file":
            return await asyncio.to_thread(read_file, call, self._limits)
        if proxy is None and address is None:
            raise ValueError(f"{url}: without a proxy a checked address is needed")
        if target.scheme == "ftp" and proxy is None:
            return await self._fetch_ftp(call)
        lines = self._lines(_overlaid(headers, approach.fields) if approach.fields else headers)
        return await self._fetch_http(call, lines, keep or proxy is not None, approach)

    async def close(self) -> None:
        """Abort all requests; they end as `HARVESTER_LOST`."""
        self._transfers.close()
        self._free.clear()

    async def _fetch_http(
        self, call: Call, lines: tuple[bytes, ...], keep: bool, approach: Approach
    ) -> Answer | Failed:
        asked = request_target(call.target, proxy=approach.way.proxy or self._proxy or "")
        sent = request_block(asked, call.target.authority, lines, is_posted=approach.form is not None)
        hidden = tuple(_line(name, value) for name, value in approach.hidden)
        free = self._free[approach.way]
        exchange = free.pop() if free else self._new_exchange(approach.way)
        try:
            exchange.ask(
                call.url, request_target=asked, address=call.address, lines=lines + hidden, keep=keep,
                form=approach.form,
                body_max=call.body_max,
            )  # fmt: skip
            ending = await self._transfers.run(exchange.curl)
            return conclude(call, exchange, ending, sent)
        finally:
            exchange.clear()
            free.append(exchange)

    async def _fetch_ftp(self, call: Call) -> Answer | Failed:
        exchange = self._new_exchange(PLAIN_WAY)
        sockets = prepare_ftp(exchange, call, self._sender)
        try:
            ending = await self._transfers.run(exchange.curl)
            return conclude_ftp(call, exchange, ending, body_bytes_max=self._limits.body_bytes_max)
        finally:
            sockets.hang_up()
            exchange.curl.close()

    def _new_exchange(self, way: Way) -> Exchange:
        if not way.proxy and self._proxy is not None:
            way = replace(way, proxy=self._proxy)
        return Exchange(self._limits, ca_file=self._ca_file, way=way, sockets=self._sockets)

    def _lines(self, headers: Fields) -> tuple[bytes, ...]:
        """Return the header lines of a request, ours first."""
        if not headers:
            return self._plain_lines
        has_accept = False
        lines = list(self._opening)
        for name, value in headers:
            if name.lower() in OURS:
                raise ValueError(f"header {name} is set by the client")
            # Values may come from the web (an ETag); those that cannot be sent are left out.
            if value and value.isprintable() and _is_latin(value):
                lines.append(_line(name, value))
                has_accept = has_accept or name.lower() == "accept"
        return tuple(lines) if has_accept else (*lines, ACCEPT)


def _overlaid(headers: Fields, others: Fields) -> Fields:
    """Return header fields, with those of the same names replaced by `others`."""
    names = {name.lower() for name, _ in others}
    return [*(field for field in headers if field[0].lower() not in names), *others]


def _line(name: str, value: str) -> bytes:
    return f"{name}: {value}".encode("latin-1")


def _is_latin(value: str) -> bool:
    return max(value) <= "\xff"
