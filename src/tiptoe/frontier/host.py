"""What is known of a host?

`HostRecord` is the durable truth; `Hosts` is a bounded cache of it in memory.
A record changed during a step is written with that step's batch.
"""

import enum
from collections import OrderedDict

import msgspec

from tiptoe.frontier.priority import CLASSES
from tiptoe.frontier.yields import Crop
from tiptoe.store.tables import Batch, Store, Table
from tiptoe.url.address import host_key

__all__ = ["MIRROR", "HostRecord", "HostState", "Hosts"]

MIRROR = "mirror"
"""Why a host is given up that only repeats another one."""

ORIGINS_MAX = 8
"""Origins of one host (schemes and ports) whose wishes are remembered."""


class HostState(enum.Enum):
    """The one place where a host is."""

    IDLE = "idle"  # nothing to ask for
    NEW = "new"  # its address is not known yet
    PARKED = "parked"  # has requests, waits for its moment
    VISITED = "visited"  # in a visit
    GONE = "gone"  # given up
    FALLOW = "fallow"  # gave nothing; its queue stays, it is tried again after a long rest


class HostRecord(msgspec.Struct, array_like=True, gc=False):
    """One host: where it stands, its queue, and how it has behaved."""

    host: str
    state: HostState = HostState.IDLE
    address: str = ""
    gate: str = ""
    resolved_at: float = 0.0
    parked_key: bytes = b""
    heads: list[int] = msgspec.field(default_factory=lambda: [0] * CLASSES)
    tails: list[int] = msgspec.field(default_factory=lambda: [0] * CLASSES)
    waiting: list[int] = msgspec.field(default_factory=lambda: [0] * CLASSES)
    next_at: float = 0.0  # earliest moment of the next request
    crawl_delay: float = 0.0
    slowed_to: float = 0.0  # delay asked for by the operator
    is_blocked: bool = False
    response_seconds: float = 0.0  # smoothed
    troubles: int = 0  # in a row
    strain: int = 0  # how often waits have been doubled; forgiven after a quiet time
    troubled_at: float = 0.0
    robots_troubles: int = 0
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
    crop: Crop = msgspec.field(default_factory=Crop)  # what its judged pages have brought
    sections: bytes = b""  # the same by section: see `sections`
    vouchers: int = 0  # 64 bits, one for the hosts that lead here from decent pages
    is_endorsed: bool = False  # other hosts point to pages that wait
    fallow_since: float = 0.0
    is_uneven: bool = False  # its sections differ: each link has to be looked at

    def __repr__(self) -> str:
        because = f" ({self.gone_because})" if self.gone_because else ""
        return (
            f"<Host {self.host} {self.state.value}{because} {self.queued} waiting, "
            f"{self.pages} pages, {self.troubles} troubles>"
        )

    @property
    def queued(self) -> int:
        """Requests in the queue."""
        return sum(self.waiting)

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
        return MIRROR if self.gone_because == MIRROR else "host_gone"


class Hosts:
    """Host records by name: a bounded cache over the store."""

    def __init__(self, store: Store, *, cached_max: int = 50_000) -> None:
        self._store = store
        self._cached_max = cached_max
        self._cache: OrderedDict[str, HostRecord] = OrderedDict()
        self._dirty: dict[str, HostRecord] = {}
        self._decoder = msgspec.msgpack.Decoder(HostRecord)
        self._encoder = msgspec.msgpack.Encoder()

    def find(self, host: str) -> HostRecord | None:
        """Return the record of a host, or None when it was never heard of."""
        record = self._cache.get(host)
        if record is not None:
            self._cache.move_to_end(host)
            return record
        stored = self._store.get(Table.HOST, host_key(host))
        if stored is None:
            return None
        record = self._decoder.decode(stored)
        self._cache[host] = record
        return record

    def obtain(self, host: str) -> HostRecord:
        """Return the record of a host, made on first sight."""
        record = self.find(host)
        if record is None:
            record = self._cache[host] = HostRecord(host)
            self._dirty[host] = record
        return record

    def touch(self, record: HostRecord) -> None:
        """This record has changed."""
        self._dirty[record.host] = record

    def write(self, batch: Batch) -> None:
        """Put every changed record into the batch."""
        encode = self._encoder.encode
        for host, record in self._dirty.items():
            batch.put(Table.HOST, host_key(host), encode(record))

    def settle(self) -> None:
        """The batch has been written: forget what changed, keep the cache within its bound."""
        self._dirty.clear()
        while len(self._cache) > self._cached_max:
            self._cache.popitem(last=False)
