"""What is known of a host?

`HostRecord` is the durable truth; `Hosts` is a bounded cache of it in memory.
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
"""Why a host is given up, other than for its troubles."""

ORIGINS_MAX = 8
"""Origins of one host (schemes and ports) whose wishes are remembered."""

OPEN_PART = 5
"""Of the hosts that may be cached, a part is kept as records, all as bytes."""


class HostState(enum.Enum):
    """The one place where a host is."""

    IDLE = "idle"  # has no requests, is blocked, or its name is looked up again later
    NEW = "new"  # its address is not known yet
    PARKED = "parked"  # has requests, waits for its moment
    VISITED = "visited"  # in a visit
    GONE = "gone"  # given up
    UNPRODUCTIVE = "unproductive"  # gave nothing; its queue stays, it is tried again after a long rest


class Side(enum.IntEnum):
    """What a host waits for: see `shares`."""

    NEW = 0
    BOTH = 1
    REVISIT = 2


class Shut(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An origin whose rules cannot be had."""

    troubles: int  # so often in a row
    until: float  # nothing is asked of it before


class HostRecord(msgspec.Struct, array_like=True, gc=False):
    """One host: where it stands, its queue, and how it has behaved."""

    host: str
    state: HostState = HostState.IDLE
    address: str = ""
    gate: str = ""
    resolved_at: float = 0.0
    parked_key: bytes = b""
    heads: list[int] = msgspec.field(default_factory=lambda: [0] * QUEUES)
    tails: list[int] = msgspec.field(default_factory=lambda: [0] * QUEUES)
    waiting: list[int] = msgspec.field(default_factory=lambda: [0] * QUEUES)
    next_at: float = 0.0  # earliest moment of the next request
    crawl_delay: float = 0.0
    slowed_to: float = 0.0  # delay asked for by the operator
    is_blocked: bool = False
    response_seconds: float = 0.0  # smoothed
    troubles: int = 0  # that speak against it, since its last good answer: see `troubles`
    backoff_level: int = 0  # times its waits were doubled; halved by a good answer, forgiven after a time
    troubled_at: float = 0.0  # its last trouble, also one that said nothing new
    robots_troubles: int = 0  # its rules could not be had, since its last good answer
    visits: int = 0
    requests: int = 0
    pages: int = 0
    body_bytes: int = 0
    text_chars: int = 0
    copies: int = 0  # texts shared with its twin
    gone_because: str = ""
    new_key: bytes = b""
    is_lookup_due: bool = False  # its name could not be looked up and waits among the due
    twin: str = ""  # the host with which it shares most texts
    crawl_delays: dict[str, float] = {}  # what robots.txt asks for, by origin; the longest is `crawl_delay`
    productivity: Productivity = msgspec.field(
        default_factory=Productivity
    )  # what its judged pages have brought
    sections: bytes = b""  # the same by section: see `sections`
    inlinks: int = 0  # 64 bits, one for the hosts that lead here from decent pages
    is_endorsed: bool = False  # other hosts point to pages that wait
    unproductive_since: float = 0.0
    is_uneven: bool = False  # its sections differ: each link has to be looked at
    revisit_credit: float = 0.0  # requests that its revisits, if negative its new pages, are owed
    account: Account | None = None  # of its pages that are visited again; None = there are none
    chance_at: float = 0.0  # when it, given up, gets another chance: its entry in the calendar
    chances: int = 0  # how often it was tried again after it had been given up
    held_until: float = 0.0  # it asked for peace, or is in trouble; part of `next_at`
    left_at: float = 0.0  # when its last visit ended; 0 = there was none
    trouble: str = ""  # its last one
    troubled_since: float = 0.0  # when the first of `troubles` was
    patience_used: int = 0  # by `troubles`, of `PATIENCE_BUDGET`
    troubled_section: bytes = b""  # where its last trouble was
    blamed_sections: bytes = b""  # where it fails while it answers elsewhere, joined
    shut_origins: dict[str, Shut] = {}  # whose rules cannot be had: see `origins`
    aside: list[tuple[int, int, int, int]] = []  # rows that were dropped: class, first, end, requests
    texts: bytes = b""  # its last ones: see `repetition`
    prose: bytes = b""  # what it has said lately: see `novelty`
    ordered: int = 0  # number of the last order about it: see `standing_orders`
    is_errand: bool = False  # nothing is wanted of it but what pages of others need to be shown

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
        """Requests for what was never visited."""
        return sum(self.waiting) - self.waiting[REVISITS]

    def wish_delay(self, origin: str, seconds: float) -> None:
        """Note the Crawl-delay of one origin: a host is one to us, so the longest of its origins counts."""
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

    Few are kept open, as records; many more as the bytes that were last read or written, a quarter of the
    size: a look at the disk costs more than decoding.

    Of names with the same key the first has it for good. To the others no record ever belongs: `obtain`
    says that they are gone, and forgets what is done to them.
    """

    def __init__(self, store: Store, *, cached_max: int = 50_000) -> None:
        self._store = store
        self._open_max = cached_max // OPEN_PART
        self._open: dict[str, HostRecord] = {}
        self._closed = Generations(cached_max)
        self._dirty: dict[str, HostRecord] = {}
        self._made: dict[bytes, str] = {}  # by key, in the open step
        self._strangers: set[str] = set()  # met in the open step: their keys belong to others
        self._decoder = msgspec.msgpack.Decoder(HostRecord)
        self._encoder = msgspec.msgpack.Encoder()

    @property
    def cached(self) -> int:
        """Hosts kept in memory; one that is open may also stand among the closed."""
        return len(self._open) + len(self._closed)

    def find(self, host: str) -> HostRecord | None:
        """Return the record of a host, or None when it has none."""
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
        """Read some records at once: they will be looked for in this step."""
        wanted = [host for host in hosts if host not in self._open and self._closed.get(host) is None]
        rows = self._store.get_many(Table.HOST, [host_key(host) for host in wanted])
        for host, stored in zip(wanted, rows, strict=True):
            if stored is not None:
                self._closed.put(host, stored)

    def name_in(self, stored: bytes) -> str:
        """Return whose record this is."""
        return self._decoder.decode(stored).host

    def obtain(self, host: str) -> HostRecord:
        """Return the record of a host, made on first sight."""
        record = self.find(host)
        if record is None:
            if host in self._strangers or self._made.setdefault(host_key(host), host) != host:
                self._strangers.add(host)
                return HostRecord(host, HostState.GONE, gone_because=Dropped.KEY_TAKEN)
            record = self._open[host] = HostRecord(host)
            self._dirty[host] = record
        return record

    def take_in(self, record: HostRecord) -> None:
        """A host has come from elsewhere, with its record."""
        self._open[record.host] = self._dirty[record.host] = record

    def encode(self, record: HostRecord) -> bytes:
        """Return a record as it is stored."""
        return self._encoder.encode(record)

    def decode(self, stored: bytes) -> HostRecord:
        """Return the record that was stored so."""
        return self._decoder.decode(stored)

    def drop(self, batch: Writes, host: str) -> None:
        """A host lives here no longer."""
        batch.delete(Table.HOST, host_key(host))
        self._open.pop(host, None)
        self._dirty.pop(host, None)
        self._closed.drop(host)

    def touch(self, record: HostRecord) -> None:
        """This record has changed."""
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
        # What was opened last is closed first: it is warm. To free a thousand small objects that nobody has
        # touched for long, and to get their places for the next ones, costs more than to decode them again.
        while len(self._open) > self._open_max:
            self._open.popitem()


class Generations:
    """Bytes by name, the latest ones: when the young are many, they grow old and the old are forgotten."""

    def __init__(self, names_max: int) -> None:
        self._young_max = names_max // 2
        self._young: dict[str, bytes] = {}
        self._old: dict[str, bytes] = {}

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, name: str) -> bytes | None:
        """Return what was put last under a name, if it is still here."""
        found = self._young.get(name)
        if found is None:
            found = self._old.pop(name, None)
            if found is not None:
                self.put(name, found)
        return found

    def drop(self, name: str) -> None:
        """Keep nothing under a name."""
        self._young.pop(name, None)
        self._old.pop(name, None)

    def put(self, name: str, value: bytes) -> None:
        """Keep a value among the latest."""
        if len(self._young) >= self._young_max:
            self._old, self._young = self._young, {}
        self._young[name] = value
