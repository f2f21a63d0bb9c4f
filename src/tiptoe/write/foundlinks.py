"""How do links from converted documents reach the keeper?

Through a folder: whoever converts puts files into it, whole or not at all; the
keeper takes them in, in order, and removes each once its links are committed. A
file that is taken in twice, after a crash, does nothing: its links are known.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from tiptoe.errors import DiskFull
from tiptoe.write.appendfile import is_disk_full

__all__ = ["FoundLinks", "leave_links", "links_in", "waiting_links"]

FOLDER = Path("state", "links")
SUFFIX = ".jsonl"
FILE_BYTES_MAX = 256 << 20
"""Longer than any batch that `tiptoe convert` leaves."""


class FoundLinks(msgspec.Struct, frozen=True):
    """The links of one document, as written there."""

    url: str
    depth: int  # of the document
    hrefs: list[str]


def leave_links(directory: Path, name: str, found: Iterable[FoundLinks]) -> None:
    """Leave links for the keeper; under the same name they replace what waits there."""
    path = directory / FOLDER / (name + SUFFIX)
    part = path.with_suffix(".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            file.writelines(msgspec.json.encode(one) + b"\n" for one in found)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        part.unlink(missing_ok=True)
        if is_disk_full(error):
            raise DiskFull(part) from error
        raise
    os.replace(part, path)


def waiting_links(directory: Path) -> list[Path]:
    """Return the files that wait for the keeper, oldest first."""
    return sorted((directory / FOLDER).glob(f"*{SUFFIX}"))


def links_in(path: Path) -> list[FoundLinks]:
    """Return what a file holds; lines that are none of ours are passed over."""
    decoder = msgspec.json.Decoder(FoundLinks)
    found = []
    if path.stat().st_size > FILE_BYTES_MAX:
        return []
    for line in path.read_bytes().splitlines():
        try:
            found.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    return found
