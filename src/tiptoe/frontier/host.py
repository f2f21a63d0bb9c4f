"""What is known about a host?

`HostRecord` is what is stored; `Hosts` is a bounded cache of these records.
A record changed during a step is written with that step's batch.
"""

import enum
from collections.abc import Collection, Container, Iterable

import msgspec

from tiptoe.frontier.priority import QUEUES, REVISITS
from tiptoe.frontier.yields import Productivity
from tiptoe.revisit.budget import Account
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.address import host_key
from tiptoe.url.dropped import Dropped

__all__ = ["ORIGINS_MAX", "HostRecord", "HostState", "Hosts", "Shut", "Side"]

OWN_REASONS = frozenset({Dropped.MIRROR, Dropped.KEY_TAKEN, Dropped.CRAWL_DELAY})
"""Reasons to give a host up other than its troubles."""

ORIGINS_MAX = 8
"""Maximum number of origins of one host (schemes and ports) whose delays and troubles are remembered."""

OPEN_PART = 5
"""One in this many of the cached hosts is kept decoded, as a record; all are kept as bytes."""


class HostState(enum.Enum):
    """Where a host is; it is in exactly one of these states."""

    IDLE = "idle"  # has no requests, is blocked, or its name is looked up again later
    NEW = "new"  # its address is not known yet
    PARKED = "parked"  # has requests, waits for its turn
    VISITED = "visited"  # in a visit
    GONE = "gone"  # given up
    UNPRODUCTIVE = "unproductive"  # gave no usable text; keeps its queue and is tried again after days


class Side(enum.IntEnum):
    """What a host waits for (new pages, revisits or both): see `shares`."""

    NEW = 0
    BOTH = 1
    REVISIT = 2


class Shut(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An origin whose rules cannot be fetched."""

    troubles: int  # failed attempts in a row
    until: float  # nothing is requested from it before this time


class HostRecord(msgspec.Struct, array_like=True, gc=False):
    """One host: its state, its queue, and how it has behaved."""

    host: str
    state: HostState = HostState.IDLE
    address: str = ""
    gate: str = ""
    resolved_at: float = 0.0
    parked_key: bytes = b""
    heads: list[int] = msgspec.field(default_factory=lambda: [0] * QUEUES)
    tails: list[int] = msgspec.field(default_factory=lambda: [0] * QUEUES)
    waiting: list[int] = msgspec.field(default_factory=lambda: [0] * QUEUES)
    next_at: float = 0.0  # earliest time of the next request
    crawl_delay: float = 0.0
    slowed_to: float = 0.0  # delay set by the operator
    is_blocked: bool = False
    response_seconds: float = 0.0  # smoothed
    troubles: int = 0  # that count against it, since its last good answer: see `troubles`
    backoff_level: int = 0  # how often its waits were doubled; halved by a good answer, reset after a time
    troubled_at: float = 0.0  # time of its last trouble, counted or not
    robots_troubles: int = 0  # failed attempts to fetch its rules since its last good answer
    visits: int = 0
    requests: int = 0
    pages: int = 0
    body_bytes: int = 0
    text_chars: int = 0
    copies: int = 0  # texts shared with its twin
    gone_because: str = ""
    new_key: bytes = b""
    is_lookup_due: bool = False  # its name could not be looked up; it is due to be tried again
    twin: str = ""  # the host with which it shares most texts
    crawl_delays: dict[str, float] = {}  # what robots.txt asks for, by origin; the longest is `crawl_delay`
    # what its judged pages have yielded
    productivity: Productivity = msgspec.field(default_factory=Productivity)
    sections: bytes = b""  # the same by section: see `sections`
    inlinks: int = 0  # 64 bits, set by hash of the hosts that link here from decent pages
    is_endorsed: bool = False  # other hosts link to pages in its queue
    unproductive_since: float = 0.0
    is_uneven: bool = False  # its sections differ in yield, so each link has to be classed by its own
    revisit_credit: float = 0.0  # requests owed to its revisits, or, if negative, to its new pages
    account: Account | None = None  # of its pages that are visited again; None = there are none
    chance_at: float = 0.0  # when, after being given up, it gets another chance: its entry in the calendar
    chances: int = 0  # how often it was tried again after being given up
    held_until: float = 0.0  # left alone until then, at its own wish or after trouble; part of `next_at`
    left_at: float = 0.0  # when its last visit ended; 0 = there was none
    trouble: str = ""  # its last one
    troubled_since: float = 0.0  # when the first of `troubles` was
    patience_used: int = 0  # by `troubles`, of `PATIENCE_BUDGET`
    troubled_directory: bytes = b""  # directory of its last trouble
    blamed_directories: bytes = b""  # directories in which it fails while it answers elsewhere, joined
    shut_origins: dict[str, Shut] = {}  # origins whose rules cannot be fetched: see `origins`
    aside: list[tuple[int, int, int, int]] = []  # rows laid aside: class, first, end, requests
    texts: bytes = b""  # hashes of its latest texts: see `repetition`
    prose: bytes = b""  # hashes of its latest paragraphs: see `novelty`
    ordered: int = 0  # number of the last standing order about it: see `standing_orders`
    is_errand: bool = False  # wanted only for what pages of other hosts need to be shown

    def __repr__(self) -> str:
        because = f" ({self.gone_because})" if self.gone_because else ""
        return (
            f"<Host {self.host} {self.state.value}{because} {self.queued} waiting, "
            f"{self.pages} pages, {self.troubles} troubles>"
        )

    @property
    def queued(self) -> int:
        """Requests in the queues."""
        return sum(self.waiting)

    @property
    def side(self) -> "Side":
        """What waits in the queues."""
        if not self.waiting[REVISITS]:
            return Side.NEW
        return Side.BOTH if self.queued_new else Side.REVISIT

    @property
    def queued_new(self) -> int:
        """Requests in the queues that are not revisits."""
        return sum(self.waiting) - self.waiting[REVISITS]

    def wish_delay(self, origin: str, seconds: float) -> None:
        """Note the Crawl-delay of one origin; the longest of its origins applies to the whole host."""
        self.crawl_delays.pop(origin, None)
        if seconds:
            self.crawl_delays[origin] = seconds
            if len(self.crawl_delays) > ORIGINS_MAX:
                del self.crawl_delays[min(self.crawl_delays, key=self.crawl_delays.__getitem__)]
        self.crawl_delay = max(self.crawl_delays.values(), default=0.0)

    @property
    def refusal(self) -> str:
        """Why requests to a host that was given up are dropped."""
        return self.gone_because if self.gone_because in OWN_REASONS else Dropped.HOST_GONE


class Hosts:
    """Host records by name: a bounded cache over the store.

    A few are kept *open*, as decoded records; many more are kept as the bytes last read or written, a quarter
    of the size, because reading from disk costs more than decoding.

    If several names have the same key, it belongs to the first for good. The others never have a record:
    for them `obtain` returns a record in state gone, and changes to it are not stored.
    """

    def __init__(self, store: Store, *, cached_max: int = 50_000) -> None:
        self._store = store
        self._open_max = cached_max // OPEN_PART
        self._open: dict[str, HostRecord] = {}
        self._closed = Generations(cached_max)
        self._dirty: dict[str, HostRecord] = {}
        self._made: dict[bytes, str] = {}  # by key, in the open step
        self._strangers: set[str] = set()  # names of the open step whose keys belong to other hosts
        self._decoder = msgspec.msgpack.Decoder(HostRecord)
        self._encoder = msgspec.msgpack.Encoder()

    @property
    def cached(self) -> int:
        """Hosts kept in memory; one that is open may be counted twice."""
        return len(self._open) + len(self._closed)

    def find(self, host: str) -> HostRecord | None:
        """Return the record of a host, or None if it has none."""
        record = self._open.get(host)
        if record is not None:
            return record
        stored = self._closed.get(host)
        if stored is None:
            stored = self._store.get(Table.HOST, host_key(host))
            if stored is None:
                return None
            self._closed.put(host, stored)
        record = self._decoder.decode(stored)
        if record.host != host:
            self._strangers.add(host)
            return None
        self._open[host] = record
        return record

    def fetch(self, hosts: Iterable[str]) -> None:
        """Read the records of several hosts at once, because this step will need them."""
        wanted = [host for host in hosts if host not in self._open and self._closed.get(host) is None]
        rows = self._store.get_many(Table.HOST, [host_key(host) for host in wanted])
        for host, stored in zip(wanted, rows, strict=True):
            if stored is not None:
                self._closed.put(host, stored)

    def name_in(self, stored: bytes) -> str:
        """Return whose record this is."""
        return self._decoder.decode(stored).host

    def obtain(self, host: str) -> HostRecord:
        """Return the record of a host; create it if there is none."""
        record = self.find(host)
        if record is None:
            if host in self._strangers or self._made.setdefault(host_key(host), host) != host:
                self._strangers.add(host)
                return HostRecord(host, HostState.GONE, gone_because=Dropped.KEY_TAKEN)
            record = self._open[host] = HostRecord(host)
            self._dirty[host] = record
        return record

    def take_in(self, record: HostRecord) -> None:
        """Add the record of a host that moved here from another frontier."""
        self._open[record.host] = self._dirty[record.host] = record

    def encode(self, record: HostRecord) -> bytes:
        """Return a record as it is stored."""
        return self._encoder.encode(record)

    def decode(self, stored: bytes) -> HostRecord:
        """Return the record that is stored as these bytes."""
        return self._decoder.decode(stored)

    def drop(self, batch: Writes, host: str) -> None:
        """Remove the record of a host that no longer lives here."""
        batch.delete(Table.HOST, host_key(host))
        self._open.pop(host, None)
        self._dirty.pop(host, None)
        self._closed.drop(host)

    def touch(self, record: HostRecord) -> None:
        """Note that this record has changed, so that it is written with the step."""
        self._dirty[record.host] = record

    @property
    def changed(self) -> Collection[HostRecord]:
        """Records that the open step has changed."""
        return self._dirty.values()

    @property
    def changed_names(self) -> Container[str]:
        """The hosts whose records the open step has changed."""
        return self._dirty.keys()

    def write(self, batch: Writes) -> None:
        """Put every changed record into the batch."""
        for host in self._strangers:
            self._dirty.pop(host, None)
        encode, close, write = self._encoder.encode, self._closed.put, batch.append
        for host, record in self._dirty.items():
            encoded = encode(record)
            write((Table.HOST, host_key(host), encoded))
            close(host, encoded)

    def committed(self) -> None:
        """The batch has been written: forget what changed, keep the cache within its bound."""
        self._dirty.clear()
        self._made.clear()
        self._strangers.clear()
        # The records opened last are dropped first: their memory is still in the CPU's caches. Freeing
        # thousands of objects that were not touched for long costs more than decoding these again.
        while len(self._open) > self._open_max:
            self._open.popitem()


class Generations:
    """A cache of bytes by name in two generations: when the young one is full, it replaces the old one."""

    def __init__(self, names_max: int) -> None:
        self._young_max = names_max // 2
        self._young: dict[str, bytes] = {}
        self._old: dict[str, bytes] = {}

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, name: str) -> bytes | None:
        """Return the latest value of a name, if it is still cached."""
        found = self._young.get(name)
        if found is None:
            found = self._old.pop(name, None)
            if found is not None:
                self.put(name, found)
        return found

    def drop(self, name: str) -> None:
        """Remove the value of a name."""
        self._young.pop(name, None)
        self._old.pop(name, None)

    def put(self, name: str, value: bytes) -> None:
        """Put a value into the young generation."""
        if len(self._young) >= self._young_max:
            self._old, self._young = self._young, {}
        self._young[name] = value
