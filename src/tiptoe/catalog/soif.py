"""How are resource descriptions exchanged with other robots?

In SOIF, the Summary Object Interchange Format of Harvest: it looks like text, but each value is preceded by
its length in bytes, and nothing is escaped.

    @DOCUMENT { http://docs.example.org/tides/
    title{27}:<tab>Tide tables for the harbour
    }

The writer is strict. The reader accepts what other programs write: blanks instead of the tab, and wrong
lengths, in which case a value ends with its line. It skips and reports what it does not understand; no input
takes more memory than one object may have.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, Protocol

__all__ = ["SoifFault", "SoifObject", "SoifSource", "read_soif", "write_soif"]

READ_BYTES: Final = 1 << 16
VALUE_BYTES_MAX: Final = 32 << 20
"""Maximum length of a value; a larger number counts as a wrong length."""

OBJECT_BYTES_MAX: Final = 64 << 20
ATTRIBUTES_MAX: Final = 10_000
LINE_BYTES_MAX: Final = 1 << 16
BLANK_BYTES: Final = 64
HEAD_BYTES: Final = 512
"""Maximum length of the head of a value."""


_OPENING: Final = re.compile(rb"@(?P<type>[A-Za-z0-9-]{1,64})\s*\{\s*(?P<url>[^\r\n]*)")
_ATTRIBUTE: Final = re.compile(rb"(?P<name>[^\s{}:@]{1,256})\{(?P<size>\d{1,12})\}:(?P<blank>\t| {0,16})")
_NAME: Final = re.compile(r"[^\s{}:@]{1,256}")


class SoifObject(NamedTuple):
    """One object: its template type, its URL, and its attributes in order."""

    type: str
    url: str
    attributes: tuple[tuple[str, str], ...]


class SoifFault(NamedTuple):
    """Something in a file that is not SOIF, and where."""

    offset: int
    problem: str


class SoifSource(Protocol):
    """A binary file."""

    def read(self, size: int, /) -> bytes: ...


def write_soif(found: SoifObject) -> bytes:
    """Return the file form of an object; raise ValueError when a name or a URL cannot be written."""
    if not re.fullmatch("[A-Za-z0-9-]{1,64}", found.type):
        raise ValueError(f"{found.type!r} is no template type")
    if "\n" in found.url or "\r" in found.url:
        raise ValueError("a line break in an address")
    parts = [f"@{found.type} {{ {found.url}\n".encode()]
    for name, value in found.attributes:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of an attribute")
        content = value.encode("utf-8", "replace")
        parts += [f"{name}{{{len(content)}}}:\t".encode(), content, b"\n"]
    parts.append(b"}\n")
    return b"".join(parts)


def read_soif(
    source: SoifSource, *, told: Callable[[SoifFault], object] = lambda fault: None
) -> Iterator[SoifObject]:
    """Yield the objects of a file; `told` is called with what was skipped."""
    window = _Window(source)
    while (line := window.line()) is not None:
        if not line.strip():
            continue
        opening = _OPENING.match(line.strip())
        if opening is None:
            told(SoifFault(window.line_begins, "not the beginning of an object"))
            _skip_to_object(window)
            continue
        url = opening["url"].rstrip()
        is_closed = url.endswith(b"}")
        attributes = [] if is_closed else list(_attributes(window, told))
        url = url.removesuffix(b"}").rstrip()
        yield SoifObject(opening["type"].decode(), url.decode("utf-8", "replace"), tuple(attributes))


def _attributes(window: "_Window", told: Callable[[SoifFault], object]) -> Iterator[tuple[str, str]]:
    begins = window.offset
    count = 0
    while True:
        window.skip_blank()
        head = window.look(HEAD_BYTES)
        if not head:
            told(SoifFault(window.offset, "an object without its end"))
            return
        if head.startswith(b"}"):
            window.take(1)
            return
        if _OPENING.match(head):
            told(SoifFault(window.offset, "an object without its end"))
            return
        attribute = _ATTRIBUTE.match(head)
        if attribute is None:
            told(SoifFault(window.offset, "not an attribute"))
            window.line()
            continue
        window.take(len(attribute[0]))
        value = _value(window, int(attribute["size"]), told)
        count += 1
        if count > ATTRIBUTES_MAX or window.offset - begins > OBJECT_BYTES_MAX:
            told(SoifFault(window.offset, "an object beyond all measure; the rest of it is passed over"))
            _skip_to_object(window)
            return
        yield attribute["name"].decode("utf-8", "replace").lower(), value.decode("utf-8", "replace")


def _value(window: "_Window", size: int, told: Callable[[SoifFault], object]) -> bytes:
    """Take a value by its length, or to the end of its line when the length is plainly wrong."""
    if size <= VALUE_BYTES_MAX:
        content = window.look(size + 1)
        if len(content) == size or (len(content) > size and content[size : size + 1] in (b"\n", b"\r")):
            return window.take(size)
    told(SoifFault(window.offset, "the length of a value is wrong"))
    return (window.line() or b"").rstrip(b"\r\n")


def _skip_to_object(window: "_Window") -> None:
    while window.look(1):
        if _OPENING.match(window.look(HEAD_BYTES)):
            return
        window.line()


class _Window:
    """A buffer over the current part of a file."""

    def __init__(self, source: SoifSource) -> None:
        self._source = source
        self._held = bytearray()
        self._first = 0  # of the bytes that are held but not taken yet
        self._is_over = False
        self.offset = 0
        self.line_begins = 0

    def look(self, size: int) -> bytes:
        """Return the next bytes, fewer at the end, without taking them."""
        self._hold(size)
        return bytes(self._held[self._first : self._first + size])

    def take(self, size: int) -> bytes:
        """Take the next bytes."""
        taken = self.look(size)
        self._first += len(taken)
        self.offset += len(taken)
        return taken

    def line(self) -> bytes | None:
        """Take the rest of a line with its end, or a part of a long one; None at the end of the file."""
        self.line_begins = self.offset
        self._hold(LINE_BYTES_MAX)
        end = self._held.find(b"\n", self._first, self._first + LINE_BYTES_MAX)
        return self.take(end + 1 - self._first if end >= 0 else LINE_BYTES_MAX) or None

    def skip_blank(self) -> None:
        """Take white space."""
        while (head := self.look(BLANK_BYTES)) and (blank := len(head) - len(head.lstrip())):
            self.take(blank)
            if blank < len(head):
                return

    def _hold(self, size: int) -> None:
        """Read until this many bytes are held, or the file ends."""
        while len(self._held) - self._first < size and not self._is_over:
            if self._first > READ_BYTES:
                del self._held[: self._first]
                self._first = 0
            part = self._source.read(max(READ_BYTES, size - len(self._held) + self._first))
            self._is_over = not part
            self._held += part
