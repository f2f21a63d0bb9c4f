"""Which texts does a file in a folder yield?

A page or a document yields one, a feed one for each entry with a text. The URL of a file is its `file:` URL,
its time is that of its last change, and its id is derived from URL and content: if it is read again, it is
the same document.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.fetch.http_blocks import made_header_block
from tiptoe.fetch.media import guess_media_type
from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.harvest.mediatype import find_source
from tiptoe.ingest.archived_answer import ArchiveNote
from tiptoe.ingest.page_intake import PageIntake, ReadText, made_id
from tiptoe.ingest.source_files import shown
from tiptoe.ingest.unread import Unread
from tiptoe.parse.feed_texts import FeedText, read_feed_texts
from tiptoe.protocol.work import Purpose
from tiptoe.text.paragraphs import clean
from tiptoe.write.record import sha1_label
from tiptoe.write.warc import Place

__all__ = ["take_file"]

PACKED: Final = ".gz"
HTML: Final = "text/html; charset=utf-8"
RULES_NAME: Final = "robots.txt"
"""A file for robots, not for readers; a mirrored site has one in the folder of each host."""


def take_file(path: Path, intake: PageIntake, *, version: int = 1) -> Iterator[ReadText | str]:
    """Yield the texts of a file, or the reason why there is none for the corpus."""
    if path.name.lower() == RULES_NAME:
        yield Unread.RULES
        return
    bytes_max = intake.rules.decoded_bytes_max
    try:
        with path.open("rb") as file:
            body = file.read(bytes_max + 1)
        modified_at = path.stat().st_mtime
    except OSError:
        yield Unread.MISSING
        return
    if len(body) > bytes_max:
        yield Unread.TOO_BIG
        return
    declared = guess_media_type(path.name.removesuffix(PACKED))
    if find_source(body, declared or "text/xml") is Purpose.FEED:
        yield from _take_feed(path, body, modified_at, intake)
        return
    head = made_header_block(200, content_type=declared, length=len(body), modified_at=modified_at)
    fields = [*head.headers.items()]
    if path.name.endswith(PACKED):
        fields.append(("Content-Encoding", "gzip"))
    answer = Answer(
        url=path.absolute().as_uri(),
        status=200,
        request_block=b"",
        header_block=b"",
        headers=Headers(fields),
        body=body,
        started_at=max(modified_at, 0.0),
    )
    yield intake.take(answer, _place(path, answer.url, body), ArchiveNote(version=version))


def _take_feed(path: Path, body: bytes, modified_at: float, intake: PageIntake) -> Iterator[ReadText | str]:
    entries = read_feed_texts(body)
    if not entries:
        yield Unread.LINK_SOURCE
    for number, entry in enumerate(entries, 1):
        yield _take_entry(entry, f"{path.absolute().as_uri()}#{number}", path, modified_at, intake)


def _take_entry(
    entry: FeedText, own_url: str, path: Path, modified_at: float, intake: PageIntake
) -> ReadText | str:
    body = entry.html.encode("utf-8", "replace")
    url = entry.url if entry.url.startswith(("http://", "https://")) else own_url
    head = made_header_block(200, content_type=HTML, length=len(body))
    at = entry.updated_at if entry.updated_at is not None else modified_at
    answer = Answer(
        url=url, status=200, request_block=b"", header_block=b"", headers=head.headers, body=body,
        started_at=max(at, 0.0),
    )  # fmt: skip
    found = intake.take(answer, _place(path, url, body), ArchiveNote())
    if isinstance(found, ReadText):
        found.document = msgspec.structs.replace(found.document, title=clean(entry.title))
    return found


def _place(path: Path, url: str, body: bytes) -> Place:
    digest = sha1_label(body)
    return Place(
        file=shown(path.name),
        offset=0,
        length=len(body),
        record_id=made_id(url, digest),
        payload_digest=digest,
    )
