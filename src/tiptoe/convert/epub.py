"""What text does an e-book contain?

It is a zip file of web pages, in the order of its spine. Links within the book are
ignored, since they lead nowhere on the web.
"""

import posixpath
import re
from urllib.parse import unquote

from tiptoe.convert.packages import Package, parse_xml
from tiptoe.convert.reading import Reason, TextDocument, Unreadable, document
from tiptoe.parse.charset import decode
from tiptoe.parse.html import read_page
from tiptoe.parse.xhtml import as_html

__all__ = ["read_epub"]

CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
OPF = "http://www.idpf.org/2007/opf "
DUBLIN_CORE = "http://purl.org/dc/elements/1.1/ "
ENCRYPTED_ENTRY = re.compile(rb"""CipherReference\s[^<>]{0,100}?URI\s*=\s*["']([^"'<>]{1,500})""")
PAGES_MAX = 5_000
WEB = ("http://", "https://")


class _Book:
    """The contents of a book's package file."""

    def __init__(self) -> None:
        self.metadata = {"title": "", "language": ""}
        self.spine: list[str] = []
        self._hrefs: dict[str, str] = {}
        self._current = ""

    def start(self, element: str, attributes: dict[str, str]) -> None:
        self._current = element.removeprefix(DUBLIN_CORE)
        if element == OPF + "item" and "html" in attributes.get("media-type", ""):
            self._hrefs[attributes.get("id", "")] = attributes.get("href", "")
        elif element == OPF + "itemref" and attributes.get("idref") in self._hrefs:
            self.spine.append(self._hrefs[attributes["idref"]])

    def end(self, element: str) -> None:
        if self.metadata.get(self._current):
            self.metadata[self._current] += " "
        self._current = ""

    def text(self, piece: str) -> None:
        if self._current in self.metadata:
            self.metadata[self._current] += piece


def read_epub(data: bytes) -> TextDocument:
    """Read a book, page by page."""
    package = Package(data)
    root = _root_file(package.read(CONTAINER))
    book = _Book()
    parse_xml(package.read(root), start=book.start, end=book.end, text=book.text)
    if not book.spine:
        raise Unreadable(Reason.BROKEN)
    locked = {unquote(uri.decode("utf-8", "replace")) for uri in _encrypted(package)}
    paragraphs: list[str] = []
    links: list[str] = []
    for href in book.spine[:PAGES_MAX]:
        name = posixpath.normpath(posixpath.join(posixpath.dirname(root), unquote(href.partition("#")[0])))
        if name in locked:
            raise Unreadable(Reason.ENCRYPTED)
        if name in package:
            text = decode(package.read(name), None).text
            page = read_page(as_html(text), agent="")
            paragraphs += page.paragraphs
            links += [link for link in page.links if link.lower().startswith(WEB)]
    language = book.metadata["language"].split(" ")[0]
    return document(paragraphs, title=book.metadata["title"], language=language, links=links)


def _root_file(container: bytes) -> str:
    found: list[str] = []

    def start(element: str, attributes: dict[str, str]) -> None:
        if element.endswith(" rootfile"):
            found.append(attributes.get("full-path", ""))

    parse_xml(container, start=start)
    if not found:
        raise Unreadable(Reason.BROKEN)
    return found[0]


def _encrypted(package: Package) -> list[bytes]:
    # Fonts are often encrypted even in books that can be read freely: only the pages matter.
    return ENCRYPTED_ENTRY.findall(package.find(ENCRYPTION))
