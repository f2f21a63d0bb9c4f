"""What does a frontier count?

Four kinds of numbers, each under its own key, written with the step that changes them:

    Totals   what has happened, over all runs; those of several frontiers add up
    Gauges   how much is where now; can be recomputed from the tables (see `recount`)
    Ids      how many numbers of each kind were assigned
    Learned  what has been learned about the web as a whole
"""

from collections.abc import Iterable
from typing import Final, TypeVar

import msgspec

from tiptoe.frontier.yields import Experience
from tiptoe.protocol.work import Request
from tiptoe.revisit.budget import Account
from tiptoe.store.tables import Rows, Table, Writes

__all__ = ["KEYS", "Counters", "Gauges", "Ids", "Learned", "Totals"]


class Totals(msgspec.Struct):
    """What has happened since the crawl began."""

    requests: int = 0
    pages: int = 0  # requests answered with a document
    body_bytes: int = 0
    text_chars: int = 0  # of `documents`
    documents: int = 0  # pages whose text is in the corpus
    usable_chars: int = 0  # of judged pages
    unjudged: int = 0  # texts that an external segmenter did not judge in time
    links: int = 0  # occurrences reported
    urls: int = 0  # distinct ones admitted
    hosts: int = 0
    hosts_moved: int = 0  # to other shards
    visits: int = 0
    seconds_answering: float = 0.0
    outcomes: dict[str, int] = msgspec.field(default_factory=dict)
    discards: dict[str, int] = msgspec.field(default_factory=dict)
    revisits: int = 0  # answered, of pages whose text is in the corpus
    revisits_changed: int = 0
    revisits_unchanged: int = 0
    revisits_gone: int = 0  # the page is no longer there, or may no longer be read
    watched_seconds: float = 0.0  # between two visits of a page, over all that could be compared
    fresh_seconds: float = 0.0  # how long of that our copy was up to date, by estimate
    aged_seconds: float = 0.0  # the age of our copy, summed over those seconds
    rounds: int = 0  # how often everything was visited again, or the crawl started over


class Gauges(msgspec.Struct):
    """How much is where now."""

    queued: int = 0
    revisits_queued: int = 0  # part of `queued`
    leased: int = 0
    revisits_leased: int = 0  # part of `leased`
    due: int = 0
    lookups_due: dict[str, int] = msgspec.field(default_factory=dict)  # names among `due`, by their trouble
    new_hosts: int = 0
    parked_hosts: int = 0
    parked_with_revisits: int = msgspec.field(default=0, name="again_parked")  # part of `parked_hosts`
    barred_hosts: int = 0  # parked hosts of blocked addresses: see `front`
    blocked_hosts: int = 0
    unproductive_hosts: int = 0
    unproductive: int = 0  # requests in their queues, part of `queued`
    gone_hosts: dict[str, int] = msgspec.field(default_factory=dict)  # given up, by reason

    @property
    def unasked(self) -> int:
        """How many URLs are still to be requested: queued, leased, or due for another try."""
        return self.queued + self.leased + self.due - sum(self.lookups_due.values())

    def lease(self, requests: Iterable[Request], by: int = 1) -> None:
        """Count requests that are handed to a harvester, or returned (-1)."""
        for request in requests:
            self.leased += by
            if request.last_visit is not None:
                self.revisits_leased += by

    def await_lookup(self, trouble: str, by: int = 1) -> None:
        """Count a name that waits to be looked up again, or no longer waits (-1)."""
        _count(self.lookups_due, trouble, by)

    def give_up(self, reason: str, by: int = 1) -> None:
        """Count a host that was given up, or that gets another chance (-1)."""
        _count(self.gone_hosts, reason, by)


class Ids(msgspec.Struct):
    """How many numbers of each kind were assigned."""

    visits: int = 0  # see `visits.visit_id`
    new_hosts: int = 0  # places in the table NEW
    holdings: int = 0  # reports that have written to files
    texts: int = 0  # rows of TEXT: steps that have learned texts for other shards


class Learned(msgspec.Struct):
    """What has been learned about the web as a whole."""

    experience: Experience = msgspec.field(default_factory=Experience)
    account: Account = msgspec.field(default_factory=Account)  # of all pages that are visited again
    revisits_owed: float = msgspec.field(default=0.0, name="again_owed")
    """Requests owed to revisits, or, if negative, to new pages: see `shares`."""


Kind = TypeVar("Kind", bound=msgspec.Struct)

KEYS: Final[dict[type[msgspec.Struct], bytes]] = {
    Totals: b"totals",
    Gauges: b"gauges",
    Ids: b"ids",
    Learned: b"learned",
}


class Counters:
    """The numbers of a frontier, as they were last written."""

    def __init__(self, rows: Rows | None = None) -> None:
        self._written = {key: rows.get(Table.META, key) if rows else None for key in KEYS.values()}
        self.totals = self._read(Totals)
        self.gauges = self._read(Gauges)
        self.ids = self._read(Ids)
        self.learned = self._read(Learned)
        self._encode = msgspec.msgpack.Encoder().encode

    def _read(self, kind: type[Kind]) -> Kind:
        stored = self._written[KEYS[kind]]
        return msgspec.msgpack.decode(stored, type=kind) if stored else kind()

    def has(self, kind: type[msgspec.Struct]) -> bool:
        """Whether numbers of this kind were ever written."""
        return self._written[KEYS[kind]] is not None

    def write(self, batch: Writes) -> None:
        """Write what has changed."""
        for numbers in (self.totals, self.gauges, self.ids, self.learned):
            key, encoded = KEYS[type(numbers)], self._encode(numbers)
            if encoded != self._written[key]:
                batch.put(Table.META, key, encoded)
                self._written[key] = encoded


def _count(counts: dict[str, int], name: str, by: int) -> None:
    left = counts.get(name, 0) + by
    if left:
        counts[name] = left
    else:
        counts.pop(name, None)
