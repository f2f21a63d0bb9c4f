"""Whatever stands before a body, we read one header block or none."""

import time

from fuzz_settings import fuzz
from hypothesis import example, given
from hypothesis import strategies as st

from tiptoe.fetch.http_blocks import HeaderBlock, read_header_block, split_url

PIECES = st.sampled_from(
    [b"HTTP/1.1 200 OK", b"HTTP/1.0 404", b"HTTP/2 204 ", b"HTTP/1.1 100 Continue", b"HTTP/1.1 999999",
     b"HTTP/", b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"\n\n", b"\n\r\n", b" folded", b"\tfolded", b": ", b":",
     b"\x00", b"\xff", b"Transfer-Encoding: chunked", b"transfer-encoding : gzip", b"Set-Cookie: a=b; Path=/",
     b"Content-Length: -1", b"Content-Type: text/html", b"X-Trailer: 1"]
)  # fmt: skip
BLOCKS = st.one_of(
    st.lists(PIECES, max_size=25).map(b"".join),
    st.lists(PIECES, max_size=25).map(b"\r\n".join),
    st.binary(max_size=200).map(b"HTTP/1.1 200 OK\r\n".__add__),
)
NAMES = st.text("abcXYZ019-_!#", min_size=1, max_size=12).filter(
    lambda name: name.lower() != "transfer-encoding"
)
VALUES = st.text(
    st.characters(max_codepoint=255, exclude_characters="\r\n"), max_size=40
).map(str.strip)  # fmt: skip


def check(header: HeaderBlock) -> None:
    """State what holds for every block that is stored beside a body."""
    head = header.block[: -len(b"\r\n")]
    assert b"\n\n" not in head
    assert b"\n\r\n" not in head
    assert 0 <= header.status <= 999
    assert header.block.startswith(b"HTTP/1.")
    assert header.block.endswith(b"\n\r\n")
    assert "transfer-encoding" not in header.headers
    for name in header.headers:
        for value in header.headers.every(name):
            assert "\n" not in name + value
            assert value == value.strip()


@fuzz
@given(BLOCKS)
@example(b"HTTP/1.1 100 Continue\n\r\nHTTP/1.1 200 OK\r\n\r\n")
def test_any_bytes_are_one_block_or_none(received: bytes) -> None:
    """Nothing of a body, of an interim answer or of a trailer gets in."""
    header = read_header_block(received)
    if header is not None:
        check(header)


@fuzz
@given(BLOCKS)
def test_a_block_that_was_read_reads_the_same_again(received: bytes) -> None:
    """Archives are read by others, who see only the block."""
    header = read_header_block(received)
    if header is not None:
        again = read_header_block(header.block)
        assert again is not None
        assert (header.status, header.block) == (again.status, again.block)
        assert dict(header.headers) == dict(again.headers)


@fuzz
@given(
    fields=st.lists(st.tuples(NAMES, VALUES), max_size=10),
    cookies=st.lists(VALUES, max_size=4),
    interim=st.sampled_from([b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\nVia: p\r\n\r\n"]),
    trailer=st.sampled_from([b"", b"X-Checksum: 1\r\n\r\n"]),
    end=st.sampled_from(["\r\n", "\n"]),
)  # fmt: skip
def test_every_field_is_found_with_all_its_values(
    fields: list[tuple[str, str]], cookies: list[str], interim: bytes, trailer: bytes, end: str
) -> None:
    """Cookies come many under one name; the order counts."""
    sent = [*fields, *(("Set-Cookie", cookie) for cookie in cookies)]
    head = "".join(f"{line}{end}" for line in ["HTTP/1.1 203 Fine", *(f"{n}: {v}" for n, v in sent)])
    header = read_header_block(interim + head.encode("latin-1") + b"\r\n" + trailer)

    assert header is not None
    assert header.status == 203
    assert header.headers.every("set-cookie") == [
        value for name, value in sent if name.lower() == "set-cookie"
    ]
    for name, _ in fields:
        assert header.headers.every(name) == [value for other, value in sent if other.lower() == name.lower()]


@fuzz
@given(st.one_of(st.text(max_size=80), st.text("htps:/?#@[]%a.1\r\n ", max_size=40).map("http://".__add__)))
def test_what_is_asked_for_cannot_break_out_of_its_line(url: str) -> None:
    """A line break in a path would let a page write requests of its own."""
    target = split_url(url)
    if target is not None:
        line = f"{target.authority}{target.path}"
        assert line.isascii()
        assert line.isprintable()
        assert " " not in line
        assert target.path.startswith("/")


def test_huge_blocks_cost_no_more_than_their_length() -> None:
    started = time.process_time()
    for unit in (
        b"\r\n",
        b"\n\r\n",
        b" x\r\n",
        b"a:b\r\n",
        b"HTTP/1.1 100 C\r\n\r\n",
        b"transfer-encoding:x\n",
    ):
        read_header_block(b"HTTP/1.1 200 OK\r\nA: b\r\n" + unit * (2_000_000 // len(unit)) + b"\r\n")
    assert time.process_time() - started < 4.0
