"""What is the result of a transfer that has ended?

Turns a finished exchange into an `Answer` or a `Failed`. A body that was cut by our
limits is still an answer, marked `truncated`, and so is one that ended before its
announced length: the reader decides what it is worth.

Bytes after the announced length do not belong to the answer (RFC 9112, 6.3):
libcurl leaves them out and closes the connection.
"""

import time

import msgspec
import pycurl

from tiptoe.fetch.exchange import Exchange
from tiptoe.fetch.faults import BROKEN, ENDED_EARLY, STOPPED, TIMED_OUT, failure_of
from tiptoe.fetch.http_blocks import HeaderBlock, Target, read_header_block
from tiptoe.fetch.outcome import Answer, Failed, Failure
from tiptoe.fetch.transfers import Ending

__all__ = ["Call", "conclude"]


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request under way: the parts that its result repeats."""

    url: str
    target: Target
    address: str | None  # None: the proxy decides
    started_at: float  # wall clock
    began: float  # monotonic
    body_max: int = 0  # lower limit than usual for its body, in bytes; 0: the usual one

    def answer(
        self,
        header: HeaderBlock,
        body: bytes,
        *,
        protocol: str,
        address: str,
        truncated: str | None = None,
        request_block: bytes = b"",
    ) -> Answer:
        """Return what the server answered."""
        return Answer(
            url=self.url,
            status=header.status,
            request_block=request_block,
            header_block=header.block,
            headers=header.headers,
            body=body,
            truncated=truncated,
            address=address,
            started_at=self.started_at,
            seconds=time.monotonic() - self.began,
            protocol=protocol,
        )

    def failed(self, failure: Failure, detail: str, *, address: str, bytes_received: int = 0) -> Failed:
        """Return that there is no answer, and why."""
        return Failed(
            url=self.url,
            failure=failure,
            detail=detail,
            address=address,
            started_at=self.started_at,
            seconds=time.monotonic() - self.began,
            bytes_received=bytes_received,
        )


def conclude(call: Call, exchange: Exchange, ending: Ending, request_block: bytes) -> Answer | Failed:
    """Return the result of an exchange over HTTP."""
    address = call.address or peer_address(exchange)
    received = exchange.bytes_received
    if exchange.has_headers_overflown:
        return call.failed(Failure.HEADERS_TOO_BIG, ending.words, address=address, bytes_received=received)
    truncated = truncation(exchange, ending)
    if ending.code and not truncated:
        failure = failure_in(exchange, ending)
        return call.failed(failure, ending.words, address=address, bytes_received=received)
    header = read_header_block(bytes(exchange.head))
    if header is None:
        return call.failed(Failure.BAD_ANSWER, "no status line", address=address, bytes_received=received)
    return call.answer(
        header,
        exchange.body(),
        protocol=header.protocol,
        address=address,
        truncated=truncated,
        request_block=request_block,
    )


def truncation(exchange: Exchange, ending: Ending) -> str | None:
    """Return what cut the body, if anything did: one of our limits, or the end of the connection."""
    if exchange.is_cut:
        return "length"
    if ending.code == TIMED_OUT and exchange.body_bytes:
        return "time"
    if ending.code == ENDED_EARLY or (ending.code in BROKEN and exchange.body_bytes):
        return "disconnect"
    return None


def failure_in(exchange: Exchange, ending: Ending) -> Failure:
    """Return which failure ended the exchange."""
    if ending.code == STOPPED and exchange.times_asked > 1:
        return Failure.RESET  # a connection used before broke without an answer
    system_error = exchange.curl.getinfo(pycurl.OS_ERRNO)
    return failure_of(ending.code, system_error=system_error, bytes_received=exchange.bytes_received)


def peer_address(exchange: Exchange) -> str:
    """Return the address that the exchange was connected to; empty if none."""
    return exchange.curl.getinfo(pycurl.PRIMARY_IP) or ""
