"""What is in a directory of a file or FTP server?

Reads the lines of an FTP LIST (Unix and DOS style) and makes a small page with
a link to each entry, so that it is crawled like a web page.
"""

import html
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple
from urllib.parse import quote_from_bytes

__all__ = ["ListingEntry", "directory_page", "read_list"]

UNIX: Final = re.compile(
    # type, rights, links, owner, group, size; possessive, so that no hostile line takes long
    rb"([-dl])[-rwxsStTlL+.@]{9,11}+\s++\d++\s++\S++\s++(?:\S++\s++)?\d++\s++"
    # month, day, time or year, name
    rb"\w{3}\s++\d{1,2}\s++(?:\d{1,2}:\d\d|\d{4}) (.+)"
)
DOS: Final = re.compile(rb"\d\d-\d\d-\d{2,4}\s++\d\d:\d\d(?:[AP]M)?\s++(<DIR>|\d++)\s++(.+)")


class ListingEntry(NamedTuple):
    """One name in a directory, as the bytes that were received."""

    name: bytes
    is_directory: bool


def read_list(listing: bytes) -> Iterator[ListingEntry]:
    """Yield the entries of an FTP LIST; lines in an unknown style are skipped."""
    for line in listing.split(b"\n"):
        line = line.rstrip(b"\r")
        if unix := UNIX.fullmatch(line):
            kind, name = unix.groups()
            yield ListingEntry(name.partition(b" -> ")[0] if kind == b"l" else name, kind == b"d")
        elif dos := DOS.fullmatch(line):
            size, name = dos.groups()
            yield ListingEntry(name, size == b"<DIR>")


def directory_page(path: str, entries: Iterable[ListingEntry], *, bytes_max: int) -> tuple[bytes, bool]:
    """Return a page with a link to every entry, and whether there was room for all of them."""
    head = f'<meta charset="utf-8"><title>{html.escape(path)}</title>'
    page = [f"<!DOCTYPE html>\n<html><head>{head}</head><body><ul>\n".encode()]
    size = len(page[0])
    for name, is_directory in entries:
        if name in (b"", b".", b"..") or b"/" in name or b"\0" in name:
            continue
        slash = "/" if is_directory else ""
        text = html.escape(name.decode("utf-8", "replace"))
        item = f'<li><a href="{quote_from_bytes(name, safe="")}{slash}">{text}{slash}</a></li>\n'.encode()
        size += len(item)
        if size > bytes_max:
            return b"".join(page), False
        page.append(item)
    page.append(b"</ul></body></html>\n")
    return b"".join(page), True
