"""Content codings, whole, broken and hostile."""

import gzip
import random
import time
import tracemalloc
import zlib
from collections.abc import Callable
from functools import partial

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.fetch.coding import Decoded, decode_body

MIB = 1024 * 1024
TEXT = b"".join(b"%d bottles of beer on the wall, " % n for n in range(20_000))


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(data) + stream.flush()


CODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "deflate, raw": raw_deflate,
    "br": partial(brotli.compress, quality=5),
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("coder", CODERS)
@pytest.mark.parametrize("data", [b"x", TEXT, bytes(1000)])
def test_what_was_coded_is_decoded(coder: str, data: bytes) -> None:
    coding = coder.partition(",")[0]
    assert decode_body(CODERS[coder](data), coding, 10 * MIB) == Decoded(data, True)


@pytest.mark.parametrize("coder", CODERS)
def test_a_cut_stream_gives_what_there_is(coder: str) -> None:
    """A body cut by our own limit is still worth reading."""
    coded = CODERS[coder](TEXT)
    decoded = decode_body(coded[: len(coded) // 2], coder.partition(",")[0], 10 * MIB)
    assert (decoded.complete, decoded.fault) == (False, "ends too early")
    assert len(decoded.data) > len(TEXT) // 10
    assert TEXT.startswith(decoded.data)


@pytest.mark.parametrize("coder", CODERS)
def test_a_bomb_is_bounded(coder: str) -> None:
    """Kilobytes that decode to gigabytes must not take our memory."""
    bomb = CODERS[coder](bytes(200 * MIB))
    tracemalloc.start()
    decoded = decode_body(bomb, coder.partition(",")[0], MIB)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(decoded.data), decoded.complete, decoded.fault) == (MIB, False, "over the limit")
    assert peak < 24 * MIB


@pytest.mark.parametrize(
    ("coding", "coded"),
    [
        ("x-gzip", gzip.compress(TEXT)),
        ("GZIP , identity", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:])),
        ("gzip", gzip.compress(TEXT) + b"\0\0\0junk"),
        ("zstd", zstandard.compress(TEXT[:100]) + zstandard.compress(TEXT[100:])),
        ("gzip, br", brotli.compress(gzip.compress(TEXT))),
        ("deflate, zstd, gzip", gzip.compress(zstandard.compress(zlib.compress(TEXT)))),
        ("identity", TEXT),
        ("", TEXT),
        (None, TEXT),
    ],
)
def test_the_ways_servers_write_it(coding: str | None, coded: bytes) -> None:
    assert decode_body(coded, coding, 10 * MIB) == Decoded(TEXT, True)


@pytest.mark.parametrize("length", [0, 1, 1000, 5000, 300_000, 2 * 256 * 1024, 3_000_000])
@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_bodies_of_every_length_are_whole(coding: str, length: int) -> None:
    """They are fed in steps and come in pieces, whose ends may fall together."""
    for plain in (b"x" * length, random.Random(length).randbytes(length)):
        assert decode_body(CODERS[coding](plain), coding, 10 * MIB) == Decoded(plain, True)


def test_a_body_of_many_members_costs_what_it_is_long() -> None:
    """Ten thousand empty ones of twenty bytes, then a page; a million more are not looked at."""
    empty = gzip.compress(b"")
    assert decode_body(empty * 9_000 + gzip.compress(TEXT), "gzip", MIB) == Decoded(TEXT, True)
    began = time.process_time()
    decoded = decode_body(gzip.compress(empty * 1_000_000), "gzip, gzip", 30 * MIB)
    assert (decoded.data, decoded.fault) == (b"", "more than 10000 members")
    assert time.process_time() - began < 5.0  # it took minutes


def test_an_empty_body_needs_no_decoding() -> None:
    """304 and HEAD answers carry the field without a body."""
    assert decode_body(b"", "gzip", MIB) == Decoded(b"", True)


def test_plain_text_under_a_gzip_label_is_kept() -> None:
    assert decode_body(b"<html>", "gzip", MIB) == Decoded(b"<html>", False, "not gzip")


@pytest.mark.parametrize("coding", ["br", "deflate", "zstd", "gzip, br"])
def test_a_plain_page_under_any_label_is_kept(coding: str) -> None:
    """A server that forgets to compress still sends its page."""
    page = b"\r\n<!DOCTYPE html><p>" + 300 * b"voda " + b"</p>"
    decoded = decode_body(page, coding, 1_000_000)
    assert (decoded.data, decoded.complete) == (page, False)


def test_what_we_cannot_decode_is_kept_and_said() -> None:
    assert decode_body(b"abc", "compress", MIB) == Decoded(b"abc", False, "unknown coding 'compress'")
    assert decode_body(b"abc", "gzip, gzip, gzip, gzip", MIB) == Decoded(b"abc", False, "4 codings")
    assert decode_body(b"abc", None, 2) == Decoded(b"ab", False, "over the limit")


@given(
    st.binary(max_size=2000), st.sampled_from(["gzip", "deflate", "br", "zstd", "br, gzip"]), st.booleans()
)
def test_no_input_raises(data: bytes, coding: str, is_corrupted: bool) -> None:
    if is_corrupted:
        coder = CODERS[coding.rpartition(" ")[2]]
        coded = bytearray(coder(data))
        coded[len(coded) // 2] ^= 0x55
        data = bytes(coded)
    decoded = decode_body(data, coding, 1000)
    assert len(decoded.data) <= 1000
