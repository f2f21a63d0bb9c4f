"""How is a file or a directory of this machine read as if it were served?

Blocking, so the client calls it in a thread. Only regular files and directories
are opened; a pipe or a device could block forever.
"""

import os
import stat
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from tiptoe.fetch.conclusion import Call
from tiptoe.fetch.http_blocks import HeaderBlock, made_header_block
from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.listing import ListingEntry, directory_page
from tiptoe.fetch.media import guess_media_type
from tiptoe.fetch.outcome import Answer, Failed, Failure

__all__ = ["read_file"]


def read_file(call: Call, limits: FetchLimits) -> Answer | Failed:
    """Answer the request for a file URL: 200, 301 to a directory with its slash, 403 or 404."""
    path = unquote_to_bytes(call.target.path.partition("?")[0])
    if b"\0" in path:
        return call.failed(Failure.BAD_URL, "NUL in the path", address="")
    try:
        if not os.path.isdir(path):
            return _read_regular(call, path, limits.body_bytes_max)
        if not path.endswith(b"/"):
            return _answer(
                call, made_header_block(301, content_type="text/plain", length=0, location=f"{call.url}/")
            )
        page, has_all = directory_page(call.target.path, _entries(path), bytes_max=limits.body_bytes_max)
    except PermissionError:
        return _answer(call, made_header_block(403, content_type="text/plain", length=0))
    except OSError:
        return _answer(call, made_header_block(404, content_type="text/plain", length=0))
    header = made_header_block(200, content_type="text/html; charset=utf-8", length=len(page))
    return _answer(call, header, page, None if has_all else "length")


def _read_regular(call: Call, path: bytes, bytes_max: int) -> Answer | Failed:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return call.failed(Failure.BAD_URL, "not a regular file", address="")
        body = file.read(bytes_max)
    header = made_header_block(
        200,
        content_type=guess_media_type(call.target.path),
        length=found.st_size,
        modified_at=found.st_mtime,
    )
    return _answer(call, header, body, "length" if found.st_size > len(body) else None)


def _entries(path: bytes) -> Iterator[ListingEntry]:
    with os.scandir(path) as found:
        yield from sorted(ListingEntry(item.name, item.is_dir()) for item in found)


def _answer(call: Call, header: HeaderBlock, body: bytes = b"", truncated: str | None = None) -> Answer:
    return call.answer(header, body, protocol="file", truncated=truncated, address="")
