"""Which links wait unread for the host they lead to?

A link from another host mostly leads to one that has enough to ask for and is not at hand. To read and
write its record for each of them would be half of the keeper's work, and more the larger the crawl. So they
are put into the inbox of the host as they are, and read together when its turn has come.

Rule: links wait unread only for hosts that will have a turn, or that are left alone with their queue.
"""

from collections.abc import Container, Iterable, Sequence
from itertools import chain

import msgspec

from tiptoe.frontier.find import Find
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.address import KEY_BYTES, host_key

__all__ = ["LinkInbox"]

UNREAD_MAX = 100
UNREAD_LINKS_MAX = 50
"""Maximum of finds in an inbox, and of links in a find; beyond it they are looked at when they come, so that
no turn begins with long reading."""

COUNT_BITS = 8
COUNT = (1 << COUNT_BITS) - 1
EMPTY = 0

SEQUENCE_BYTES = 8
BEHIND_ALL = b"\xff" * (SEQUENCE_BYTES + 1)


class LinkInbox:
    """The inboxes of hosts: how full they are is kept in memory, what is in them is not."""

    def __init__(self, store: Store, *, boxes_max: int) -> None:
        self._store = store
        self._boxes_max = boxes_max
        # What is known of an inbox without a look at the disk: how many finds it holds, and above that
        # what they say for their host. A number, for there are hundreds of thousands of them.
        self._boxes: dict[bytes, int] = {}  # of hosts for which links can wait
        self._shut: dict[bytes, int] = {}  # of hosts for which no more can, but some do
        self._unwritten: dict[bytes, list[tuple[bytes, Find]]] = {}
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Find).decode
        self._last = 0
        for key, stored in store.scan(Table.INBOX):
            host = key[:KEY_BYTES]
            self._shut[host] = _with(self._shut.get(host, EMPTY), self._decode(stored))
            self._last = max(self._last, int.from_bytes(key[KEY_BYTES:], "big"))

    def __len__(self) -> int:
        return sum(box & COUNT for box in (*self._boxes.values(), *self._shut.values()))

    def put(self, batch: Writes, finds: Sequence[Find], at_hand: Container[str]) -> list[Find]:
        """Let links wait for the turn of their hosts; return those that cannot, or lead to a host at hand."""
        boxes, last = self._boxes, self._last
        encode, unwritten = self._encode, self._unwritten
        hosts = [find.links.keys[:KEY_BYTES] for find in finds]
        # All at once: each of them is a look into a far corner of memory, and so they are made side by side.
        have_boxes = list(map(boxes.__contains__, hosts))
        left = []
        for find, host, has_box in zip(finds, hosts, have_boxes, strict=True):
            if has_box and find.is_foreign and find.links.host not in at_hand:
                box = boxes[host]
                if box & COUNT < UNREAD_MAX and len(find.links.urls) <= UNREAD_LINKS_MAX:
                    boxes[host] = _with(box, find)
                    last += 1
                    key = host + last.to_bytes(SEQUENCE_BYTES, "big")
                    batch.append((Table.INBOX, key, encode(find)))
                    unwritten.setdefault(host, []).append((key, find))
                    continue
            left.append(find)
        self._last = last
        return left

    def open(self, batch: Writes, record: HostRecord) -> list[Find]:
        """Empty the inbox of a host; return what was in it."""
        host = host_key(record.host)
        box = self._boxes.get(host) or self._shut.pop(host, EMPTY)
        if box == EMPTY:
            return []
        rows = self._store.scan(Table.INBOX, host, host + BEHIND_ALL)
        written = ((key, self._decode(stored)) for key, stored in rows)
        finds = []
        for key, find in chain(written, self._unwritten.pop(host, [])):
            batch.delete(Table.INBOX, key)
            finds.append(find)
        if host in self._boxes:
            self._boxes[host] = EMPTY
        return finds

    def close(self, host: str) -> None:
        """A host, whose inbox is empty, lives here no longer."""
        key = host_key(host)
        left = self._boxes.pop(key, EMPTY) or self._shut.pop(key, EMPTY)
        assert not left & COUNT, f"{host} leaves with unread links"

    def inlinks(self, record: HostRecord) -> int:
        """Return who speaks for a host, unread finds included."""
        host = host_key(record.host)
        box = self._boxes.get(host) or self._shut.get(host, EMPTY)
        return record.inlinks | box >> COUNT_BITS

    def follow(self, changed: Iterable[HostRecord]) -> None:
        """Open and shut inboxes: these hosts have changed."""
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


def _with(box: int, find: Find) -> int:
    """Return what is known of an inbox with one find more."""
    return box + 1 | find.inlink << COUNT_BITS


def _will_have_a_turn(record: HostRecord) -> bool:
    """Whether a host is looked at again, with or without links in its inbox."""
    if record.state in (HostState.NEW, HostState.PARKED):
        return record.queued_new > 0  # else it waits for the moments of its revisits, not for its turn
    return record.state is HostState.VISITED
