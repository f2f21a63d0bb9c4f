"""Whatever a server calls gzip, we get bytes within bounds and know whether they are all."""

import gzip
import time
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from fuzz_settings import fuzz
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.fetch.coding import CODINGS_MAX, DECODERS, decode_body


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


CODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: bytes(brotli.compress(data, quality=5)),
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}
CHECKED = ("gzip", "deflate", "zstd")
"""Those that carry a checksum of their content."""

NAMES = st.sampled_from([*DECODERS, "identity", "compress", "GZIP", "", "x" * 50])
BODIES = st.one_of(st.binary(max_size=600), st.binary(max_size=8).map(lambda unit: unit * 500))
MAGIC = st.sampled_from([b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x78\x9c"])
ROOM = 100_000


@fuzz
@given(
    body=st.one_of(
        st.binary(max_size=300),
        *(BODIES.map(coder) for coder in CODERS.values()),
        st.tuples(MAGIC, st.binary(max_size=200)).map(b"".join),
    ),
    encoding=st.one_of(
        st.none(), st.text(max_size=40), st.lists(NAMES, max_size=CODINGS_MAX + 2).map(", ".join)
    ),
    bytes_max=st.integers(0, 2000),
)  # fmt: skip
def test_any_body_under_any_name_stays_within_bounds(
    body: bytes, encoding: str | None, bytes_max: int
) -> None:
    decoded = decode_body(body, encoding, bytes_max)
    assert len(decoded.data) <= bytes_max
    assert decoded.complete == (decoded.fault is None)


@fuzz
@given(body=BODIES, codings=st.lists(st.sampled_from(sorted(CODERS)), max_size=CODINGS_MAX))
def test_what_was_coded_comes_back(body: bytes, codings: list[str]) -> None:
    """Also one coding upon another."""
    coded = body
    for coding in codings:
        coded = CODERS[coding](coded)
    decoded = decode_body(coded, ", ".join(codings), ROOM)
    assert decoded.data == body
    assert decoded.complete


@fuzz
@given(body=BODIES.filter(bool), coding=st.sampled_from([*CODERS, "raw"]), data=st.data())
def test_a_torn_body_gives_its_beginning_and_says_so(body: bytes, coding: str, data: st.DataObject) -> None:
    """Half a page that passes for a whole one would enter the corpus for good."""
    coded = raw_deflate(body) if coding == "raw" else CODERS[coding](body)
    cut = data.draw(st.integers(1, len(coded) - 1))
    decoded = decode_body(coded[:cut], "deflate" if coding == "raw" else coding, ROOM)
    assert not decoded.complete
    if not (coding in ("gzip", "x-gzip") and cut < 2):  # a single byte is no gzip: it is taken as it is
        assert body.startswith(decoded.data)


@fuzz
@given(body=BODIES.filter(bool), coding=st.sampled_from(CHECKED), data=st.data())
def test_a_flipped_bit_never_passes_for_the_page(body: bytes, coding: str, data: st.DataObject) -> None:
    """What is complete is what was sent."""
    coded = bytearray(CODERS[coding](body))
    position = data.draw(st.integers(0, len(coded) - 1))
    coded[position] ^= 1 << data.draw(st.integers(0, 7))
    decoded = decode_body(bytes(coded), coding, ROOM)
    assert not decoded.complete or decoded.data == body


@pytest.mark.parametrize("coding", sorted(CODERS))
def test_a_bomb_costs_no_more_than_its_limit(coding: str) -> None:
    """Twenty megabytes of nothing in a few kilobytes, and the same packed twice."""
    bomb = CODERS[coding](bytes(20_000_000))
    started = time.process_time()
    for body, name in ((bomb, coding), (CODERS[coding](bomb), f"{coding}, {coding}")):
        decoded = decode_body(body, name, 1_000_000)
        assert len(decoded.data) == 1_000_000
        assert not decoded.complete
    assert time.process_time() - started < 2.0
