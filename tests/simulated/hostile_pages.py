"""What can a page, or its header, contain to harm its reader?"""

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Final

import brotli
import zstandard

from simulated.hostile_asked import HTML, HostileRequest, page
from tiptoe.testing.answer import SimulatedAnswer

__all__ = ["CZECH", "PAGES"]

BOMB_BYTES: Final = 64 << 20
BOMB_BLOCK: Final = b"<p>a word and another one</p>\n" * 4_096
NESTING: Final = 100_000
LINKS: Final = 1_000_000
CZECH: Final = "Příliš žluťoučký kůň úpěl ďábelské ódy, a nikdo mu nerozuměl."


def _cut_gzip(asked: HostileRequest) -> SimulatedAnswer:
    """Send a compressed page that ends in the middle, of the length announced."""
    lines = b"".join(b"<p>Line %d of a page that is cut.</p>\n" % number for number in range(2_000))
    packed = gzip.compress(b"<title>Cut</title>\n" + lines, mtime=0)
    return _coded("gzip", packed[: len(packed) // 2])


def _bomb(coding: str, pack: Callable[[], bytes]) -> Callable[[HostileRequest], SimulatedAnswer]:
    # Packed when it is first asked for: nobody else should pay for it.
    packed = cache(pack)
    return lambda asked: _coded(coding, packed())


def _bomb_blocks() -> Iterator[bytes]:
    yield b"<title>Bomb</title>\n"
    for _ in range(BOMB_BYTES // len(BOMB_BLOCK)):
        yield BOMB_BLOCK


def _pack_gzip() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return b"".join(packer.compress(block) for block in _bomb_blocks()) + packer.flush()


def _pack_brotli() -> bytes:
    packer = brotli.Compressor(quality=4)
    packed: list[bytes] = [packer.process(block) for block in _bomb_blocks()]
    return b"".join([*packed, packer.finish()])


def _pack_zstd() -> bytes:
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    return b"".join(packer.compress(block) for block in _bomb_blocks()) + packer.flush()


def _lie_about_charset(asked: HostileRequest) -> SimulatedAnswer:
    """Announce one charset in the header and in the page, and use another."""
    body = f"<meta charset=utf-8><title>Lie</title><p>{CZECH}</p><p>{CZECH.upper()}</p>"
    return SimulatedAnswer(200, [("Content-Type", "text/html; charset=utf-8")], body.encode("windows-1250"))


def _nest(asked: HostileRequest) -> SimulatedAnswer:
    return SimulatedAnswer(
        200, [HTML], b"<title>Deep</title>" + b"<div>" * NESTING + b"<p>Down here is some text.</p>"
    )


@cache
def _million_links() -> bytes:
    links = b"".join(b"<a href=%d>x</a>" % number for number in range(LINKS))
    return gzip.compress(b"<title>Links</title><p>A page of links.</p>" + links, 1, mtime=0)


def _link_everywhere(asked: HostileRequest) -> SimulatedAnswer:
    return page("One of a million", f"Page {asked.rest}.") if asked.rest else _coded("gzip", _million_links())


def _send_nul_bytes(asked: HostileRequest) -> SimulatedAnswer:
    body = (
        b"<title>N\0U\0L</title><p>Be\0fore</p>\0<p>\0\0\0</p><a href='/fi\0ne'>x</a><p>After all this.</p>\0"
    )
    return SimulatedAnswer(200, [HTML], body)


def _link_in_no_charset(asked: HostileRequest) -> SimulatedAnswer:
    """Link with bytes that are no text in any charset that was announced."""
    hrefs = (
        b"\xff\xfe/\x80",
        b"caf\xe9",
        b"%ff%fe",
        b"%zz%",
        b"\xed\xa0\x80",
        b"?q=\xc3\x28",
        b"http://\xff\xff/x",
    )
    links = b"".join(b"<p><a href='%s'>x</a></p>" % href for href in hrefs)
    title = b"<title>Links that are no text</title>"
    # What they lead to is a page as well; it links to nothing.
    return SimulatedAnswer(200, [HTML], title + b"<p>Follow me.</p>" + (b"" if asked.rest else links))


def _link_to_no_page(asked: HostileRequest) -> SimulatedAnswer:
    huge = b"data:text/html," + b"x" * 100_000
    hrefs = (
        b"javascript:alert(1)", b"JavaScript:void(0)", b" javascript:x", b"java\nscript:x",
        b"data:text/html,x", huge, b"mailto:a@b.example", b"tel:+420", b"vbscript:x", b"about:blank",
        b"blob:https://a.example/x",
        b"file:///etc/passwd", b"gopher://a.example/", b"http://", b"http://[::1", b"//", b"http://a b/",
        b"http://a.example:99999/", b"view-source:http://a.example/",
    )  # fmt: skip
    links = b"".join(b'<p><a href="%s">x</a></p>' % href for href in hrefs)
    return SimulatedAnswer(200, [HTML], b"<title>No pages</title><p>None of these is a page.</p>" + links)


def _coded(coding: str, body: bytes) -> SimulatedAnswer:
    return SimulatedAnswer(200, [HTML, ("Content-Encoding", coding)], body)


PAGES: Final[Mapping[str, Callable[[HostileRequest], SimulatedAnswer]]] = {
    "truncated-gzip": _cut_gzip,
    "gzip-bomb": _bomb("gzip", _pack_gzip),
    "brotli-bomb": _bomb("br", _pack_brotli),
    "zstd-bomb": _bomb("zstd", _pack_zstd),
    "lying-charset": _lie_about_charset,
    "deep-nesting": _nest,
    "million-links": _link_everywhere,
    "nul-bytes": _send_nul_bytes,
    "invalid-hrefs": _link_in_no_charset,
    "no-page-links": _link_to_no_page,
}
