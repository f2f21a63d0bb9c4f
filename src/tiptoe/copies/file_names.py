"""Under which file name is a page stored in a copy?

Names are valid on every file system: no special characters, no two names that differ only by case, no name
that is too long or reserved, no way out of the folder. A browser knows the type of a file only by its ending,
so each has the right one. Pure text processing; the first of several URLs gets the plain name.
"""

import re
import unicodedata
from typing import Final
from urllib.parse import unquote

import xxhash

from tiptoe.url.address import split_url, url_key

__all__ = ["FileNames"]

PART_CHARS_MAX: Final = 80
NAME_CHARS_MAX: Final = 200
QUERY_CHARS_MAX: Final = 60

ENDINGS: Final = {
    "text/html": (".html", ".htm", ".xhtml"), "application/xhtml+xml": (".html", ".xhtml"),
    "text/css": (".css",), "text/javascript": (".js", ".mjs"), "application/javascript": (".js", ".mjs"),
    "application/x-javascript": (".js",), "image/png": (".png",), "image/jpeg": (".jpg", ".jpeg"),
    "image/gif": (".gif",), "image/webp": (".webp",), "image/avif": (".avif",), "image/svg+xml": (".svg",),
    "image/x-icon": (".ico",), "image/vnd.microsoft.icon": (".ico",), "font/woff": (".woff",),
    "font/woff2": (".woff2",), "font/ttf": (".ttf",), "font/otf": (".otf",), "application/pdf": (".pdf",),
    "application/json": (".json",), "text/plain": (".txt",), "application/xml": (".xml",),
    "text/xml": (".xml",), "application/rss+xml": (".xml", ".rss"), "application/atom+xml": (".xml", ".atom"),
    "video/mp4": (".mp4",), "video/webm": (".webm",), "audio/mpeg": (".mp3",), "audio/ogg": (".ogg",),
}  # fmt: skip
"""Endings by which a browser recognises a type; the first is appended if a name has none of them."""

_ENDING = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f<>:\"/\\|?*%#~]")
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?\Z|index\.html")
"""Device names of some systems, and a host name that would collide with the page of contents."""


class FileNames:
    """The names of a copy, by the keys of their URLs; about 200 bytes of memory each."""

    def __init__(self) -> None:
        self._names: dict[bytes, str] = {}
        self._files: set[int] = set()
        self._folders: set[int] = set()

    def __len__(self) -> int:
        return len(self._names)

    def find(self, url: str) -> str | None:
        """Return the name of a URL in the copy; None if it is not part of it."""
        return self._names.get(url_key(url))

    def give(self, url: str, mime: str) -> str:
        """Return the name of a URL, after choosing one if it has none yet."""
        key = url_key(url)
        if key in self._names:
            return self._names[key]
        name = _natural(url, mime)
        if not self._is_free(name):
            stem, ending = _split(name)
            name = f"{stem}~{_mark(url)}{ending}"
            if not self._is_free(name):
                name = f"{name.partition('/')[0]}/_/{_mark(url)}{ending}"
        self._files.add(_known_as(name))
        self._folders.update(_known_as(folder) for folder in _folders_of(name))
        self._names[key] = name
        return name

    def _is_free(self, name: str) -> bool:
        known = _known_as(name)
        is_taken = known in self._files or known in self._folders
        return not is_taken and not any(_known_as(folder) in self._files for folder in _folders_of(name))


def _natural(url: str, mime: str) -> str:
    """Return the name that a URL would have if there were no others."""
    parts = split_url(url)
    path, _, query = parts.path.partition("?")
    host = _safe(parts.host.strip("[]") + (f"_{parts.port}" if parts.port else ""))
    *folders, last = [unquote(part, errors="replace") for part in path.split("/")[1:]]
    stem, ending = _with_ending(last or "index", mime if last or mime else "text/html")
    if query:
        plain = unquote(query, errors="replace")
        stem += f"@{plain[:QUERY_CHARS_MAX]}"
        if len(plain) > QUERY_CHARS_MAX or _UNSAFE.search(plain):
            stem += f"_{_mark(url)}"
    name = "/".join([host, *map(_safe, folders), _safe(stem) + ending])
    return name if len(name) <= NAME_CHARS_MAX else f"{host}/_/{_mark(url)}{ending}"


def _with_ending(last: str, mime: str) -> tuple[str, str]:
    known = ENDINGS.get(mime, ())
    found = _ENDING.search(last)
    own = found[0].lower() if found else ""
    if own and (own in known or not known):
        return last[: -len(own)], own
    return last, known[0] if known else ".bin"


def _safe(part: str) -> str:
    """Return one part of a name in a form valid on every file system."""
    name = _UNSAFE.sub("_", unicodedata.normalize("NFC", part))
    name = "".join(c if c.isprintable() else "_" for c in name).rstrip(". ")
    if len(name.encode("utf-8", "replace")) > PART_CHARS_MAX:
        mark = xxhash.xxh3_64_hexdigest(part.encode("utf-8", "surrogatepass"))[:8]
        name = name.encode("utf-8", "replace")[:PART_CHARS_MAX].decode("utf-8", "ignore") + f"_{mark}"
    if not name or name.startswith(".") or _RESERVED.fullmatch(name):
        name = f"_{name}"
    return name


def _split(name: str) -> tuple[str, str]:
    found = _ENDING.search(name)
    return (name[: found.start()], found[0]) if found else (name, "")


def _folders_of(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _known_as(name: str) -> int:
    """Return a key that is equal for names that some file systems do not distinguish."""
    return xxhash.xxh3_64_intdigest(unicodedata.normalize("NFKC", name).casefold().encode("utf-8", "replace"))


def _mark(url: str) -> str:
    return url_key(url).hex()[:8]
