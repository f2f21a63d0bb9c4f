"""How is an archive converted to files that a browser opens without a server?

In the form that wget and HTTrack use: `host/path/index.html`, with relative links between copies and absolute
links to everything else. The last good answer of each URL counts; a link to a redirect leads to its target.
Pages and style sheets are written in UTF-8, other files as they were received. The index is read twice: first
to choose names, then to write. The copy appears complete or not at all: it has another name until it is done.
"""

import html
import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Final
from urllib.parse import quote, urldefrag, urljoin

from tiptoe.copies.archive_pages import PAGE_TYPES, ArchiveFiles, entries_in
from tiptoe.copies.file_names import FileNames
from tiptoe.errors import CorruptFile, SettingsError
from tiptoe.export.output_folder import OutputFolder
from tiptoe.fetch.coding import decode_body
from tiptoe.fetch.http_blocks import read_header_block
from tiptoe.fetch.outcome import Headers
from tiptoe.ingest.archived_answer import dechunked
from tiptoe.parse.charset import decode
from tiptoe.parse.url_places import AddressRole, addresses_in, replace_in_page, replace_in_style
from tiptoe.url.address import host_of, url_key
from tiptoe.url.canonical import Canonicalizer
from tiptoe.write.archive import BLANK_LINE, read_record
from tiptoe.write.cdxj import IndexEntry, merge_indexes
from tiptoe.write.revisit_records import REVISIT_MIME

__all__ = ["CopyAmounts", "SiteCopy"]

BODY_BYTES_MAX: Final = 256 << 20
REDIRECTS_MAX: Final = 5
HOSTS_LISTED_MAX: Final = 10_000
BYTE_ORDER_MARK: Final = "\ufeff"
"""Takes precedence over any other statement about the encoding of a file, including the page's own."""

BASE: Final = re.compile(
    r"""<base\s[^>]{0,500}?href\s*=\s*(?:"([^">]*)"|'([^'>]*)'|([^\s>]+))""", re.IGNORECASE
)
BASE_CHARS_MAX: Final = 100_000
STYLES: Final = frozenset({"text/css"})
LEADING: Final = frozenset({AddressRole.LINK, AddressRole.FORM, AddressRole.FRAME})
"""Links to other pages; without their targets a page looks the same, or takes them from the web."""

NEEDED_DEPTH_MAX: Final = 5
"""Maximum depth of style sheets imported by others, and of redirects on the way to a file."""

STAYS: Final = ("#", "javascript:", "data:", "mailto:", "tel:", "about:", "blob:")
MERGED: Final = ".index.cdxj"
"""Name of the merged index while a copy is written; no host can have this name."""

CONTENTS: Final = "index.html"
CONTENTS_HEAD: Final = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="tiptoe">'
)
"""Beginning of the page of contents, by which a copy is recognised that may be replaced."""

SKIPPED_PATHS: Final = ("/robots.txt", "/.well-known/tdmrep.json")


@dataclass(slots=True)
class CopyAmounts:
    """What a copy contains."""

    files: int = 0
    pages: int = 0
    bytes: int = 0
    unreadable: int = 0
    hosts: dict[str, str] = field(default_factory=dict)  # host -> its first page


@dataclass(frozen=True, slots=True)
class Received:
    """An archived answer, with its content codings undone."""

    headers: Headers
    body: bytes


class SiteCopy:
    """A copy being written; if `hosts` are named, only of their pages, with all files that these need."""

    def __init__(
        self,
        directory: Path,
        files: ArchiveFiles,
        *,
        hosts: Collection[str] = (),
        advance: Callable[[int], object] = lambda count: None,
    ) -> None:
        self._directories = {path.name: path.parent.parent for path in files.archives}
        self._directory = directory
        self._files = files
        self._hosts = frozenset(hosts)
        self._advance = advance
        self._names = FileNames()
        self._redirects: dict[bytes, str] = {}
        self._needed: set[bytes] = set()  # files of other hosts that are embedded in pages
        self._canonical = Canonicalizer().canonical
        self.amounts = CopyAmounts()

    def write(self, out: Path, *, force: bool = False) -> CopyAmounts:
        """Write the copy as a folder; SettingsError if something else is there already."""
        with OutputFolder(out, kind="copy", is_ours=_is_copy, force=force) as part:
            merged = part / MERGED
            merge_indexes(self._files.indexes, merged)
            if self._hosts:
                self._find_needed(merged)
            for entry in self._chosen(merged):
                self._names.give(entry.url, entry.mime)
            self.amounts.unreadable = 0  # counted in each pass
            for entry in self._chosen(merged):
                self._write_file(part, entry)
            if not (self.amounts.pages if self._hosts else len(self._names)):
                wanted = ", ".join(sorted(self._hosts)) or "what is wanted"
                raise SettingsError(f"{self._directory}: no page of {wanted} is in the archive")
            merged.unlink()
            self._write_contents(part)
        return self.amounts

    # -- what is copied --------------------------------------------------

    def _chosen(self, merged: Path) -> Iterator[IndexEntry]:
        """Yield the last good answer of each URL, and note redirects."""
        for _, entries in groupby(entries_in(merged), key=lambda entry: entry.key):
            last: dict[bytes, IndexEntry] = {}  # for one key of the index: http and https share it
            for entry in entries:
                key = url_key(entry.url)
                is_good = entry.status.startswith("2") and entry.mime != REVISIT_MIME
                if is_good or (entry.status.startswith("3") and key not in last):
                    last[key] = entry
            for entry in last.values():
                if entry.status.startswith("3"):
                    self._note_redirect(entry)
                elif self._is_wanted(entry):
                    yield entry

    def _is_wanted(self, entry: IndexEntry) -> bool:
        if entry.url.endswith(SKIPPED_PATHS):
            return False
        if not self._hosts or host_of(entry.url) in self._hosts:
            return True
        return entry.mime not in PAGE_TYPES and url_key(entry.url) in self._needed

    def _find_needed(self, merged: Path) -> None:
        """Note which files of other hosts the wanted pages embed, and the files that these need in turn."""
        seen: set[bytes] = set()
        for _ in range(NEEDED_DEPTH_MAX):
            before = len(self._needed)
            for entry in self._chosen(merged):
                key = url_key(entry.url)
                if key not in seen and (entry.mime in PAGE_TYPES or entry.mime in STYLES):
                    seen.add(key)
                    self._note_needed(entry)
            led_to = [self._redirects[key] for key in self._needed if key in self._redirects]
            self._needed.update(map(url_key, led_to))
            if len(self._needed) == before:
                break

    def _note_needed(self, entry: IndexEntry) -> None:
        received = self._read(entry)
        if received is None:
            return
        text = _text(entry, received)
        base = _base_in(text, entry.url) if entry.mime in PAGE_TYPES else entry.url
        for role, value in addresses_in(text, is_style=entry.mime in STYLES):
            target = self._canonical(urldefrag(_joined(base, value))[0]) if role not in LEADING else None
            if target is not None:
                self._needed.add(url_key(target))

    def _note_redirect(self, entry: IndexEntry) -> None:
        key = url_key(entry.url)
        received = None if key in self._redirects else self._read(entry)
        location = received.headers.get("location", "") if received else ""
        target = self._canonical(_joined(entry.url, location)) if location else None
        if target is not None:
            self._redirects[key] = target

    def _read(self, entry: IndexEntry) -> Received | None:
        try:
            block = read_record(self._directories.get(entry.filename, self._directory), entry)
        except CorruptFile:
            self.amounts.unreadable += 1
            return None
        self._advance(entry.length)
        if not entry.url.startswith(("http:", "https:")):
            return Received(Headers([("Content-Type", entry.mime)]), block)
        blank = BLANK_LINE.search(block)
        head = read_header_block(block[: blank.end()]) if blank else None
        if blank is None or head is None:
            self.amounts.unreadable += 1
            return None
        body = block[blank.end() :]
        if "chunked" in head.headers.get("transfer-encoding", "").lower():
            body = dechunked(body)
        coding = head.headers.get("content-encoding")
        return Received(head.headers, decode_body(body, coding, BODY_BYTES_MAX).data)

    # -- files -----------------------------------------------------------

    def _write_file(self, part: Path, entry: IndexEntry) -> None:
        received = self._read(entry)
        if received is None:
            return
        name = self._names.give(entry.url, entry.mime)
        content = self._content(entry, received, name)
        path = part / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.amounts.files += 1
        self.amounts.bytes += len(content)
        if entry.mime in PAGE_TYPES:
            self.amounts.pages += 1
            host = name.partition("/")[0]
            first = self.amounts.hosts.get(host)
            if first is None or name.count("/") < first.count("/"):
                self.amounts.hosts[host] = name

    def _content(self, entry: IndexEntry, received: Received, name: str) -> bytes:
        is_page, is_style = entry.mime in PAGE_TYPES, entry.mime in STYLES
        if not (is_page or is_style):
            return received.body
        text = _text(entry, received)
        base = _base_in(text, entry.url) if is_page else entry.url

        def see(role: AddressRole, value: str) -> str | None:
            return self._place(role, value, base, name)

        new = replace_in_page(text, see, drops_barriers=True) if is_page else replace_in_style(text, see)
        return (BYTE_ORDER_MARK + new).encode("utf-8", "replace")

    def _place(self, role: AddressRole, value: str, base: str, name: str) -> str | None:
        """Return the target of a link in the copy, or outside of it."""
        if not value or value.lower().startswith(STAYS):
            return None
        absolute = _joined(base, value)
        plain, fragment = urldefrag(absolute)
        target = self._canonical(plain) if role is not AddressRole.FORM else None
        found = None
        for _ in range(REDIRECTS_MAX):
            if target is None or (found := self._names.find(target)) is not None:
                break
            target = self._redirects.get(url_key(target))
        if found is None:
            return absolute
        relative = quote(os.path.relpath(found, os.path.dirname(name)), safe="/@~!$&'()*+,;=-._")
        return f"{relative}#{fragment}" if fragment else relative

    def _write_contents(self, part: Path) -> None:
        """Write a page with a link to every host of the copy."""
        places = sorted(self.amounts.hosts.items())[:HOSTS_LISTED_MAX]
        items = "\n".join(
            f'<li><a href="{html.escape(quote(name, safe="/@~"))}">{html.escape(host)}</a></li>'
            for host, name in places
        )
        page = (
            f'{CONTENTS_HEAD}<title>Copies</title>\n<meta name="viewport" content="width=device-width">'
            f'<meta name="color-scheme" content="light dark"></head>\n'
            f"<body><h1>Copies</h1>\n<ul>\n{items}\n</ul></body></html>\n"
        )
        (part / CONTENTS).write_text(page, encoding="utf-8")


def _text(entry: IndexEntry, received: Received) -> str:
    """Return the text of a page or a style sheet."""
    charset = received.headers.get("content-type", "").partition("charset=")[2].strip(" \"'") or None
    text = decode(received.body, charset, is_html=entry.mime in PAGE_TYPES).text
    return text.removeprefix(BYTE_ORDER_MARK)


def _joined(base: str, value: str) -> str:
    try:
        return urljoin(base, value.strip())
    except ValueError:
        return value


def _base_in(text: str, url: str) -> str:
    """Return the base URL of the links of a page."""
    found = BASE.search(text, 0, BASE_CHARS_MAX)
    return _joined(url, html.unescape(found[1] or found[2] or found[3] or "")) if found else url


def _is_copy(folder: Path) -> bool:
    """Whether a folder was written by this module."""
    try:
        with (folder / CONTENTS).open("rb") as file:
            return file.read(len(CONTENTS_HEAD)) == CONTENTS_HEAD.encode()
    except OSError:
        return False
