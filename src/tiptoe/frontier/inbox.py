"""Which links wait unread for the host they lead to?

A link from another host usually leads to one that has enough requests and is not in memory. Reading and
writing its record for each such link would be half of the keeper's work, and more in larger crawls. So the
links are put into the inbox of the host as they are, and read together when it has its turn.

Rule: links wait unread only for hosts that will have a turn, or that are left alone with their queue.
"""

from collections.abc import Container, Iterable, Sequence
from itertools import chain

import msgspec

from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.address import KEY_BYTES, host_key

__all__ = ["LinkInbox"]

UNREAD_MAX = 100
UNREAD_LINKS_MAX = 50
"""Maximum number of rows in an inbox, and of links in a row; above it links are examined when they arrive, so
that no turn begins with long reading."""

ROW_COUNT_BITS = 8
ROW_COUNT_MASK = (1 << ROW_COUNT_BITS) - 1
EMPTY = 0
"""A *box* is what is kept in memory about an inbox: one number, because there are hundreds of thousands:

    bits 0 to 7    how many rows the inbox has
    bits 8 to 71   the `inlink` bits of these rows: the hosts that recommend this one
"""

SEQUENCE_BYTES = 8
BEHIND_ALL = b"\xff" * (SEQUENCE_BYTES + 1)


class LinkInbox:
    """The inboxes of hosts; memory holds only how full they are, not what is in them."""

    def __init__(self, store: Store, *, boxes_max: int) -> None:
        self._store = store
        self._boxes_max = boxes_max
        self._boxes: dict[bytes, int] = {}  # of hosts for which links may wait
        self._shut: dict[bytes, int] = {}  # of hosts for which links wait, but no more may be added
        self._unwritten: dict[bytes, list[tuple[bytes, LinkBatch]]] = {}
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(LinkBatch).decode
        self._last = 0
        for key, stored in store.scan(Table.INBOX):
            host = key[:KEY_BYTES]
            self._shut[host] = _with_row(self._shut.get(host, EMPTY), self._decode(stored))
            self._last = max(self._last, int.from_bytes(key[KEY_BYTES:], "big"))

    def __len__(self) -> int:
        return sum(box & ROW_COUNT_MASK for box in (*self._boxes.values(), *self._shut.values()))

    def put(
        self, batch: Writes, found_links: Sequence[LinkBatch], at_hand: Container[str]
    ) -> list[LinkBatch]:
        """Let links wait for their hosts' turns; return those that cannot, or whose host is `at_hand`."""
        boxes, last = self._boxes, self._last
        encode, unwritten = self._encode, self._unwritten
        hosts = [found.links.keys[:KEY_BYTES] for found in found_links]
        # All at once: each lookup is a cache miss, and consecutive misses overlap.
        have_boxes = list(map(boxes.__contains__, hosts))
        left = []
        for found, host, has_box in zip(found_links, hosts, have_boxes, strict=True):
            if has_box and found.is_foreign and found.links.host not in at_hand:
                box = boxes[host]
                if (box & ROW_COUNT_MASK) < UNREAD_MAX and len(found.links.urls) <= UNREAD_LINKS_MAX:
                    boxes[host] = _with_row(box, found)
                    last += 1
                    key = host + last.to_bytes(SEQUENCE_BYTES, "big")
                    batch.append((Table.INBOX, key, encode(found)))
                    unwritten.setdefault(host, []).append((key, found))
                    continue
            left.append(found)
        self._last = last
        return left

    def open(self, batch: Writes, record: HostRecord) -> list[LinkBatch]:
        """Empty the inbox of a host; return its links."""
        host = host_key(record.host)
        box = self._boxes.get(host) or self._shut.pop(host, EMPTY)
        if box == EMPTY:
            return []
        rows = self._store.scan(Table.INBOX, host, host + BEHIND_ALL)
        written = ((key, self._decode(stored)) for key, stored in rows)
        found_links = []
        for key, found in chain(written, self._unwritten.pop(host, [])):
            batch.delete(Table.INBOX, key)
            found_links.append(found)
        if host in self._boxes:
            self._boxes[host] = EMPTY
        return found_links

    def close(self, host: str) -> None:
        """Remove the box of a host that no longer lives here; its inbox must be empty."""
        key = host_key(host)
        left = self._boxes.pop(key, EMPTY) or self._shut.pop(key, EMPTY)
        assert not left & ROW_COUNT_MASK, f"{host} leaves with unread links"

    def inlinks(self, record: HostRecord) -> int:
        """Return the `inlink` bits of a host, including those of unread links."""
        host = host_key(record.host)
        box = self._boxes.get(host) or self._shut.get(host, EMPTY)
        return record.inlinks | (box >> ROW_COUNT_BITS)

    def follow(self, changed: Iterable[HostRecord]) -> None:
        """Open and shut the inboxes of hosts that have changed."""
        for record in changed:
            host = host_key(record.host)
            if not _will_have_a_turn(record):
                if box := self._boxes.pop(host, EMPTY):
                    self._shut[host] = box
            elif host not in self._boxes and len(self._boxes) + len(self._shut) < self._boxes_max:
                self._boxes[host] = self._shut.pop(host, EMPTY)

    def committed(self) -> None:
        """The batch has been written."""
        self._unwritten.clear()


def _with_row(box: int, found: LinkBatch) -> int:
    """Return the box with one more row."""
    return (box + 1) | (found.inlink << ROW_COUNT_BITS)


def _will_have_a_turn(record: HostRecord) -> bool:
    """Whether a host will have a turn even if no links are in its inbox."""
    if record.state in (HostState.NEW, HostState.PARKED):
        return record.queued_new > 0  # with revisits only, it waits for when they are due
    return record.state is HostState.VISITED
