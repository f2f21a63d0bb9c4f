"""Requests and answers as bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.fetch.http_blocks import Target, made_header_block, read_header_block, split_url


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://a.example", Target("http", "a.example", "", "/")),
        ("http://a.example:80/x", Target("http", "a.example", "", "/x")),
        ("https://a.example:80/x", Target("https", "a.example", "80", "/x")),
        ("http://a.example?q", Target("http", "a.example", "", "/?q")),
        ("http://[::1]:81/#f", Target("http", "[::1]", "81", "/")),
        ("ftp://a.example/pub/", Target("ftp", "a.example", "", "/pub/")),
        ("file:///etc/x", Target("file", "", "", "/etc/x")),
        ("file://localhost/x", Target("file", "localhost", "", "/x")),
        ("file://a.example/x", None),
        ("http:///x", None),
        ("HTTP://a.example/", None),
        ("http://a@b.example/", None),
        ("http://a.example/ b", None),
        ("http://a.example\\b", None),
        ("http://a%2eexample/", None),
        ("javascript:x", None),
    ],
)
def test_a_url_is_split_or_refused(url: str, target: Target | None) -> None:
    assert split_url(url) == target


@pytest.mark.parametrize(
    "received",
    [
        b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n",
        b"HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n",
        b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nTrailer: x\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nTrailer: x\r\n\r\n",
    ],
)
def test_the_final_block_is_found(received: bytes) -> None:
    header = read_header_block(received)
    assert header is not None
    assert (header.status, header.block) == (200, b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n")


def test_a_folded_line_belongs_to_the_one_before() -> None:
    header = read_header_block(b"HTTP/1.1 200 OK\r\nA: b\r\n\tc\r\nno colon\r\n\r\n")
    assert header is not None
    assert dict(header.headers) == {"a": "b c"}


def test_a_made_block_reads_back_as_it_was_made() -> None:
    made = made_header_block(301, content_type="text/html", length=7, modified_at=0.0, location="/b")
    assert read_header_block(made.block) is not None
    assert made.block == (
        b"HTTP/1.1 301 Moved Permanently\r\nContent-Type: text/html\r\nContent-Length: 7\r\n"
        b"Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT\r\nLocation: /b\r\n\r\n"
    )


@given(st.binary(max_size=200))
def test_no_noise_raises(noise: bytes) -> None:
    read_header_block(noise)
    read_header_block(b"HTTP/1.1 200 OK\r\n" + noise + b"\r\n\r\n")
