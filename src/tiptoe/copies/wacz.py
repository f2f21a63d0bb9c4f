"""How is an archive packed into one file that opens in a browser?

WACZ 1.1.1, as ReplayWeb.page and pywb read it: a zip file whose parts are not compressed again, so that
readers can fetch single records from it.

    archive/*.warc.gz        the archive, byte for byte
    indexes/index.cdx.gz     all lines of its indexes, in compressed blocks
    indexes/index.idx        where each block begins
    pages/pages.jsonl        the pages, for people to choose from
    datapackage.json         all parts, with sizes and hashes; datapackage-digest.json has its own hash
"""

import hashlib
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from tiptoe.copies.archive_pages import ArchivedPage, ArchiveFiles
from tiptoe.write.cdxj import merge_indexes
from tiptoe.write.record import iso_date

__all__ = ["WaczPlan", "write_wacz"]

VERSION: Final = "1.1.1"
BLOCK_LINES: Final = 1024
COPY_BYTES: Final = 1 << 20
GZIP: Final = 16 + zlib.MAX_WBITS
EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""Date of all parts of the zip file: the time of packing is in datapackage.json."""

Advance = Callable[[int], object]
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True, kw_only=True)
class WaczPlan:
    """The contents of the file, and its description."""

    files: ArchiveFiles
    title: str
    software: str
    description: str = ""
    created_at: float = 0.0
    pages: Callable[[Path], Iterable[ArchivedPage]]
    """Lists the pages, given the merged index."""


@dataclass(slots=True)
class Packed:
    """The contents of the file so far."""

    zip: zipfile.ZipFile
    advance: Advance
    resources: list[dict[str, object]] = field(default_factory=list)

    def add(self, path: str, pieces: Iterable[bytes]) -> None:
        """Add a part to the zip file, and its hash to the resources."""
        info = zipfile.ZipInfo(path, EPOCH)
        info.compress_type = zipfile.ZIP_STORED
        digest, size = hashlib.sha256(), 0
        with self.zip.open(info, "w", force_zip64=True) as part:
            for piece in pieces:
                part.write(piece)
                digest.update(piece)
                size += len(piece)
                self.advance(len(piece))
        name = path.rpartition("/")[2].lower()
        listed = {"name": name, "path": path, "hash": f"sha256:{digest.hexdigest()}", "bytes": size}
        self.resources.append(listed)


def write_wacz(
    plan: WaczPlan, out: BinaryIO, *, scratch: Path | None = None, advance: Advance = lambda count: None
) -> int:
    """Write the file; return how many pages it lists. `advance` is told how many bytes were packed."""
    listed = 0

    def counted(pages: Iterable[ArchivedPage]) -> Iterator[ArchivedPage]:
        nonlocal listed
        for page in pages:
            listed += 1
            yield page

    with (
        tempfile.TemporaryDirectory(prefix="tiptoe-wacz-", dir=scratch) as folder,
        zipfile.ZipFile(out, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
    ):
        packed = Packed(archive, advance)
        for path in plan.files.archives:
            packed.add(f"archive/{path.name}", _pieces(path))
        merged, places = Path(folder, "index.cdxj"), Path(folder, "index.idx")
        merge_indexes(plan.files.indexes, merged)
        with places.open("wb") as noted:
            packed.add("indexes/index.cdx.gz", _blocks(merged, noted))
        packed.add("indexes/index.idx", _pieces(places))
        packed.add("pages/pages.jsonl", _page_lines(counted(plan.pages(merged))))
        _describe(plan, packed)
    return listed


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(COPY_BYTES):
            yield piece


def _blocks(merged: Path, noted: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of an index in compressed blocks, and note where each begins."""
    noted.write(b'!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}\n')
    offset = 0
    with merged.open("rb") as lines:
        while block := list(islice(lines, BLOCK_LINES)):
            packing = zlib.compressobj(wbits=GZIP)
            data = packing.compress(b"".join(block)) + packing.flush()
            digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
            place = {"offset": offset, "length": len(data), "digest": digest, "filename": "index.cdx.gz"}
            noted.write(block[0].partition(b"{")[0] + _encode(place) + b"\n")
            offset += len(data)
            yield data


def _page_lines(pages: Iterable[ArchivedPage]) -> Iterator[bytes]:
    head = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": False}
    yield _encode(head) + b"\n"
    for number, page in enumerate(pages, 1):
        line = {"id": str(number), "url": page.url, "ts": _iso(page.timestamp)}
        if page.title:
            line["title"] = page.title
        yield _encode(line) + b"\n"


def _iso(digits: str) -> str:
    day, time = digits[:8], digits[8:14]
    return f"{day[:4]}-{day[4:6]}-{day[6:]}T{time[:2]}:{time[2:4]}:{time[4:]}Z"


def _describe(plan: WaczPlan, packed: Packed) -> None:
    package = msgspec.json.format(
        _encode(
            {
                "profile": "data-package",
                "wacz_version": VERSION,
                "title": plan.title,
                "description": plan.description,
                "created": f"{iso_date(plan.created_at)[:19]}Z",
                "software": plan.software,
                "resources": list(packed.resources),
            }
        ),
        indent=2,
    )
    digest = f"sha256:{hashlib.sha256(package).hexdigest()}"
    packed.add("datapackage.json", [package])
    packed.add("datapackage-digest.json", [_encode({"path": "datapackage.json", "hash": digest})])
