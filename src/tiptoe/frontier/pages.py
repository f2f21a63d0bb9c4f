"""What is known about each page, and how does a visit change that?

A record is read from the store unless the open step has written it. What is known about a page stays until an
answer contradicts it: one without text, such as "not modified", changes little more than the times.
"""

from collections.abc import Sequence

import msgspec

from tiptoe.frontier.page_record import PageRecord
from tiptoe.protocol.work import LastVisit, Result
from tiptoe.store.tables import Store, Table, Writes

__all__ = ["Pages", "last_visit_of", "renew"]


class Pages:
    """Records of pages by their keys, those of the open step included."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: dict[bytes, PageRecord] = {}
        self._encode = msgspec.msgpack.Encoder().encode
        self.decode = msgspec.msgpack.Decoder(PageRecord).decode

    def find(self, key: bytes) -> PageRecord | None:
        """Return the record of a page; None if it was never visited."""
        return self.find_many([key])[0]

    def find_many(self, keys: Sequence[bytes]) -> list[PageRecord | None]:
        """Return the records of pages, None for those never visited."""
        stored = self._store.get_many(Table.PAGE, keys)
        found = [self.decode(row) if row else None for row in stored]
        if self._open:
            found = [self._open.get(key, page) for key, page in zip(keys, found, strict=True)]
        return found

    def are_known(self, keys: Sequence[bytes]) -> list[bool]:
        """Return for each page whether it has a row, even an empty one, or gets one in the open step."""
        stored = self._store.get_many(Table.PAGE, keys)
        return [row is not None or key in self._open for key, row in zip(keys, stored, strict=True)]

    def are_visited(self, keys: Sequence[bytes]) -> list[bool]:
        """Return for each page whether it was visited, or tried, before the open step."""
        return [bool(row) for row in self._store.get_many(Table.PAGE, keys)]

    def put(self, batch: Writes, key: bytes, page: PageRecord) -> None:
        """Write a record with the open step."""
        self._open[key] = page
        batch.append((Table.PAGE, key, self._encode(page)))

    def committed(self) -> None:
        """The batch has been written."""
        self._open.clear()


def last_visit_of(page: PageRecord) -> LastVisit:
    """Return what a harvester needs to know about a page that it visits again."""
    return LastVisit(
        visits=page.visits,
        visited_at=page.last_visit_at,
        version=page.version,
        etag=page.etag,
        last_modified=page.last_modified,
        content_hash=page.content_hash,
        text_hash=page.text_hash,
        payload_digest=page.payload_digest,
        stored_at=page.stored_at,
        outcome=page.outcome,
    )


def renew(page: PageRecord, result: Result, outcome: str, now: float, *, is_there: bool) -> None:
    """Update the record of a page after another visit."""
    page.visits += 1
    page.last_visit_at = now
    page.tries = result.request.tries
    page.expires_at = result.expires_at
    if result.status == 304:
        page.etag = result.etag or page.etag
        page.last_modified = result.last_modified or page.last_modified
        page.outcome = outcome if result.discard else page.outcome  # the new headers may forbid keeping it
        return
    page.status = result.status
    page.outcome = outcome
    # Headers of an error page say nothing about the page that may come back.
    page.etag = result.etag if is_there else ""
    page.last_modified = result.last_modified if is_there else ""
    page.location = result.redirect
    if is_there:
        _note_content(page, result, now)


def _note_content(page: PageRecord, result: Result, now: float) -> None:
    page.content_hash = result.content_hash or page.content_hash
    if result.payload_digest:
        page.payload_digest = result.payload_digest
        page.stored_at = result.stored_at
    if result.is_unchanged:
        return  # an unchanged page was not read further, or its text was not kept
    if result.is_changed:
        page.changed_at = now
    page.title = result.title
    page.text_hash = result.text_hash
    page.usability = result.usability
    if result.is_changed and page.outcome == "ok" and result.text_chars:
        page.version += 1
