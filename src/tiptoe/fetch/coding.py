"""What was the body before the server compressed it?

Undoes Content-Encoding: gzip, deflate (with and without zlib's wrapper), br
and zstd, also several in a row. Never raises: for a broken or truncated stream it
returns what could be decoded, with `complete=False` and a description of the fault.

Output is produced in pieces and stops at the limit, so a decompression bomb costs no more
memory than `bytes_max` plus one piece (the largest piece is 8 MiB, for zstd).
"""

import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import brotli
import zstandard

__all__ = ["Decoded", "decode_body"]

CODINGS_MAX: Final = 3
PIECE_BYTES: Final = 256 * 1024
INFLATE_STEP_BYTES: Final = 1024
MEMBERS_MAX: Final = 10_000  # of a gzip body; tools that write blocks make one per 64 KiB
BROTLI_STEP_BYTES: Final = 4096
ZSTD_STEP_BYTES: Final = 256  # four bytes may expand to 128 KiB, so 256 bytes to 8 MiB
ZSTD_WINDOW_BYTES_MAX: Final = 8 * 1024 * 1024  # RFC 9659
GZIP_MAGIC: Final = b"\x1f\x8b"
OVER_THE_LIMIT: Final = "over the limit"
PLAIN_HEADS: Final = (b"<!doctype", b"<html", b"<?xml")
PLAIN_HEAD_BYTES: Final = 200


@dataclass(frozen=True, slots=True)
class Decoded:
    """A body with its content coding undone, as far as that was possible."""

    data: bytes
    complete: bool
    fault: str | None = None

    @property
    def is_cut(self) -> bool:
        """Whether it was cut at our limit."""
        return self.fault == OVER_THE_LIMIT


class _BrokenStreamError(Exception):
    """The stream cannot be decoded any further."""


def decode_body(body: bytes, content_encoding: str | None, bytes_max: int) -> Decoded:
    """Undo the codings named in Content-Encoding, last one first."""
    codings = _names(content_encoding)
    if len(codings) > CODINGS_MAX:
        return Decoded(body[:bytes_max], complete=False, fault=f"{len(codings)} codings")
    data, fault = body, None
    for coding in reversed(codings):
        decoder = DECODERS.get(coding)
        if decoder is None:
            fault = fault or f"unknown coding {coding[:40]!r}"
            break
        made, found = _collect(decoder(data), bytes_max) if data else (data, None)
        # Servers that announce a coding but send plain pages are quite common.
        data = data if found and _is_plain_page(data) else made
        fault = fault or found
    if len(data) > bytes_max:
        data, fault = data[:bytes_max], fault or OVER_THE_LIMIT
    return Decoded(data, complete=fault is None, fault=fault)


def _is_plain_page(data: bytes) -> bool:
    return data[:PLAIN_HEAD_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(PLAIN_HEADS)


def _names(content_encoding: str | None) -> list[str]:
    if not content_encoding:
        return []
    names = (name.strip().lower() for name in content_encoding.split(","))
    return [name for name in names if name and name != "identity"]


def _collect(pieces: Iterator[bytes], bytes_max: int) -> tuple[bytes, str | None]:
    """Join pieces up to the limit; return them and the fault that ended them, if any."""
    taken: list[bytes] = []
    size = 0
    try:
        for piece in pieces:
            taken.append(piece)
            size += len(piece)
            if size > bytes_max:
                return b"".join(taken)[:bytes_max], OVER_THE_LIMIT
    except (_BrokenStreamError, zlib.error, brotli.error, zstandard.ZstdError) as broken:
        return b"".join(taken), str(broken)
    return b"".join(taken), None


def _inflate(body: bytes, start: int, window_bits: int) -> Generator[bytes, None, int]:
    """Yield the content of one deflate stream and return where it ends.

    The stream is fed in growing steps: zlib copies the unused rest of a step, and there may be thousands of
    streams.
    """
    stream = zlib.decompressobj(window_bits)
    view, at, size = memoryview(body), start, INFLATE_STEP_BYTES
    while not stream.eof:
        step: bytes | memoryview = view[at : at + size]
        if not step:
            raise _BrokenStreamError("ends too early")
        at, size = at + len(step), min(2 * size, PIECE_BYTES)
        is_fed = False
        while not is_fed:
            piece = stream.decompress(step, PIECE_BYTES)
            if piece:
                yield piece
            step = stream.unconsumed_tail
            # A full piece may be followed by more, even if no input is left.
            is_fed = stream.eof or (not step and len(piece) < PIECE_BYTES)
    return at - len(stream.unused_data)


def _gunzip(body: bytes) -> Iterator[bytes]:
    if not body.startswith(GZIP_MAGIC):
        yield body  # as it is: gzip is the coding most often announced but not applied
        raise _BrokenStreamError("not gzip")
    at = members = 0
    # Anything after the last member (padding, junk) is ignored, as in browsers.
    while body.startswith(GZIP_MAGIC, at):
        members += 1
        if members > MEMBERS_MAX:
            raise _BrokenStreamError(f"more than {MEMBERS_MAX} members")
        at = yield from _inflate(body, at, zlib.MAX_WBITS | 16)


def _undeflate(body: bytes) -> Iterator[bytes]:
    is_wrapped = len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    yield from _inflate(body, 0, zlib.MAX_WBITS if is_wrapped else -zlib.MAX_WBITS)


def _unbrotli(body: bytes) -> Iterator[bytes]:
    stream = brotli.Decompressor()
    for start in range(0, len(body), BROTLI_STEP_BYTES):
        piece = stream.process(body[start : start + BROTLI_STEP_BYTES], output_buffer_limit=PIECE_BYTES)
        # Only an empty piece means that no output is pending.
        while piece:
            yield piece
            piece = b"" if stream.is_finished() else stream.process(b"", output_buffer_limit=PIECE_BYTES)
        if stream.is_finished():
            return
    raise _BrokenStreamError("ends too early")


def _unzstd(body: bytes) -> Iterator[bytes]:
    frames = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES_MAX)
    stream = frames.decompressobj()
    for start in range(0, len(body), ZSTD_STEP_BYTES):
        step = body[start : start + ZSTD_STEP_BYTES]
        while step:
            if stream.eof:
                stream = frames.decompressobj()
            yield stream.decompress(step)
            step = stream.unused_data if stream.eof else b""
    if not stream.eof:
        raise _BrokenStreamError("ends too early")


DECODERS: Final[Mapping[str, Callable[[bytes], Iterator[bytes]]]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _undeflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
