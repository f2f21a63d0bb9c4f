"""How is the database of a crawl on one machine divided into those of shards, and united again?

Both operations copy: the source is not changed. Every host goes with all its rows to the shard of its
address, its moments unchanged; rows that belong to no host go where shards look for them. Only a crawl at
rest can be copied: no visit and no mail may be under way.

Rule: no pause is shortened. The rows keep their moments, and every host rests once in its new place
(`frontier/runs.py`). The clocks of shards differ; the one that is furthest behind becomes that of the united
crawl.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from tiptoe.cluster.counter_sum import summed
from tiptoe.cluster.log_batch import POSITION_KEY
from tiptoe.errors import CrawlerError
from tiptoe.frontier.counters import KEYS, Counters, Gauges, Ids, Learned
from tiptoe.frontier.gate import AddressRecord
from tiptoe.frontier.gate_register import KEY as GATE_KEY
from tiptoe.frontier.gate_register import GateRegister
from tiptoe.frontier.holdings import Holding
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.host_moves import LEAVING
from tiptoe.frontier.host_orders import OBEYED
from tiptoe.frontier.imported_files import IMPORTED, ImportedFiles, note_imported
from tiptoe.frontier.mail import RECEIVED, SENT
from tiptoe.frontier.moving import HOST_FIRST, led_to
from tiptoe.frontier.residence import Residence, ShardPlan
from tiptoe.frontier.rounds import ROUND_KEY, united_rounds
from tiptoe.frontier.routing import ARRIVING
from tiptoe.frontier.runs import ENDED, RUN_KEY, TIMING_KEY, Timing
from tiptoe.frontier.wishes import ERASE_AGAIN, ERASED, WISH
from tiptoe.store.tables import FORMAT_KEY, Store, Table, Writes, after
from tiptoe.text.fingerprint import HASH_BYTES
from tiptoe.url.address import KEY_BYTES, host_key

__all__ = ["NotAtRest", "divide", "unite"]

BATCH_BYTES: Final = 1 << 20
FILES_SHARD: Final = 0
"""The shard that gets the marks of files from before the division; others get only their pages in them."""

FIRST_MOVE: Final = 1
HOSTS_CACHED: Final = 100_000
OF_THE_STORE: Final = frozenset({FORMAT_KEY, b"identity", POSITION_KEY, IMPORTED})
"""Rows of META that describe the store that contains them."""

UNDER_WAY: Final = (Table.LEASE, Table.OUTBOX, Table.AWAITED, Table.TEXT)
RECORDED_BY_HOST: Final = tuple(
    table for table in Table if table.host_at is not None and table not in UNDER_WAY
)
OF_FILES: Final = (Table.MARK, Table.HOLDING)
OF_NO_HOST: Final = (Table.CONTENT, Table.PARAGRAPH, Table.ADDRESS)
MADE_ANEW: Final = (Table.META, Table.RESIDENCE)

_encode = msgspec.msgpack.Encoder().encode
_host = msgspec.msgpack.Decoder(HostRecord).decode
_address = msgspec.msgpack.Decoder(AddressRecord).decode
_holding = msgspec.msgpack.Decoder(Holding).decode
_timing = msgspec.msgpack.Decoder(Timing).decode


class NotAtRest(CrawlerError):
    """The crawl to be copied is not at rest."""


class _RowWriter:
    """Writes rows to a store, in batches of bounded size."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._batch = Writes()
        self._size = 0

    def put(self, table: Table, key: bytes, value: bytes) -> None:
        self._batch.put(table, key, value)
        self._size += len(key) + len(value)
        if self._size >= BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        if self._batch:
            self.store.write(self._batch)
            self._batch, self._size = Writes(), 0


def check_rest(store: Store) -> None:
    """Raise NotAtRest if a visit, a move of a host, or mail of a crawl is under way."""
    run = store.get(Table.META, RUN_KEY)
    if run not in (None, ENDED):
        raise NotAtRest("the crawl has not ended cleanly; continue it, and stop it with Ctrl-C")
    for table in UNDER_WAY:
        if next(iter(store.scan(table)), None) is not None:
            raise NotAtRest(f"something is under way ({table.value}); continue the crawl, and stop it")
    for key in (LEAVING, ARRIVING):
        if next(iter(store.scan(Table.META, key, after(key))), None) is not None:
            raise NotAtRest("a host is on its way to another shard; continue the crawl until it is there")


# -- one becomes many --------------------------------------------------------


def divide(
    source: Store,
    targets: Sequence[Store],
    plan: ShardPlan,
    *,
    imported: ImportedFiles | None = None,
    tell: Callable[[int], object] = lambda n: None,
) -> None:
    """Copy the database of a crawl on one machine to empty stores, one for each shard.

    `imported` are the files on its disk; `tell` is called periodically with the number of hosts copied.
    Raises NotAtRest, before anything is written.
    """
    check_rest(source)
    if any(next(iter(target.scan(Table.META)), None) is not None for target in targets):
        raise CrawlerError("there is something in these shards already")
    _Division(source, targets, plan).copy(tell)
    if imported is not None:
        for target in targets:
            batch = Writes()
            note_imported(batch, imported)
            target.write(batch)


class _Division:
    """The division of one database into shards."""

    def __init__(self, source: Store, targets: Sequence[Store], plan: ShardPlan) -> None:
        self._source = source
        self._writers = [_RowWriter(target) for target in targets]
        self._plan = plan
        self._registers = [GateRegister(target, shard, plan) for shard, target in enumerate(targets)]
        self._shard_of_key = lru_cache(maxsize=HOSTS_CACHED)(self._look_up)

    def copy(self, tell: Callable[[int], object]) -> None:
        """Copy everything; the counters of the crawl come last, so that an incomplete copy shows as such."""
        for count, (key, stored) in enumerate(self._source.scan(Table.HOST), 1):
            self._copy_host(key, _host(stored))
            if not count % 1000:
                tell(count)
        self._copy_addresses()
        for hashed, name in self._source.scan(Table.CONTENT):
            self._writers[self._shard_of_name(name)].put(Table.CONTENT, hashed, name)
        for key, value in self._source.scan(Table.PARAGRAPH):
            shard = int.from_bytes(key[:HASH_BYTES], "big") % len(self._writers)
            self._writers[shard].put(Table.PARAGRAPH, key, value)
        self._copy_files()
        self._copy_numbers()
        for writer in self._writers:
            writer.flush()

    def _copy_files(self) -> None:
        """Copy the marks and holdings of all files to one shard, and to the others those of their pages."""
        for table in OF_FILES:
            for key, value in self._source.scan(table):
                self._writers[FILES_SHARD].put(table, key, value)
        for key, value in self._source.scan(Table.HOLDING):
            for shard, share in self._shares(_holding(value)).items():
                if shard != FILES_SHARD:
                    self._writers[shard].put(Table.HOLDING, key, _encode(share))

    def _shares(self, whole: Holding) -> dict[int, Holding]:
        """Return a holding divided by the shards of its pages."""
        shares: dict[int, Holding] = {}
        for item in whole.items():
            shard = self._shard_of_key(item.key[:KEY_BYTES])
            if shard is not None:
                shares.setdefault(shard, Holding(whole.files)).add(item)
        return shares

    def _copy_host(self, key: bytes, record: HostRecord) -> None:
        shard, home = self._shard_of(record), self._plan.home(record.host)
        writer = self._writers[shard]
        for table, row, stored in _rows_of(self._source, key):
            writer.put(table, row, stored)
        if shard != home:
            residence = _encode(Residence(shard, FIRST_MOVE))
            for place in (shard, home):
                self._writers[place].put(Table.RESIDENCE, key, residence)

    def _shard_of(self, record: HostRecord) -> int:
        return self._settle(record.gate, record.host) if record.gate else self._plan.home(record.host)

    def _settle(self, gate: str, host: str) -> int:
        """Return the shard of a gate, after recording it where it is looked up."""
        registrar, batch = self._plan.residence(gate), Writes()
        shard = self._registers[registrar].settle(batch, gate, host)
        self._note(registrar, batch)
        if shard != registrar:
            batch = Writes()
            self._registers[shard].receive(batch, gate, host, registrar)
            self._note(shard, batch)
        return shard

    def _note(self, shard: int, batch: Writes) -> None:
        if batch:
            self._writers[shard].store.write(batch)
        self._registers[shard].committed()

    def _shard_of_name(self, name: bytes) -> int:
        shard = self._shard_of_key(host_key(name.decode()))
        return self._plan.home(name.decode()) if shard is None else shard

    def _look_up(self, key: bytes) -> int | None:
        stored = self._source.get(Table.HOST, key)
        return None if stored is None else self._shard_of(_host(stored))

    def _copy_addresses(self) -> None:
        """Copy the states of addresses; an operator's orders about one go to every shard.

        An address whose hosts are all gone stays where its key says, so that no shard requests from it too
        soon.
        """
        for key, stored in self._source.scan(Table.ADDRESS):
            gate, record = key.decode(), _address(stored)
            shard = self._settle(gate, "")
            self._writers[shard].put(Table.ADDRESS, key, stored)
            if record.is_blocked or record.slowed_to:
                said = _encode(AddressRecord(is_blocked=record.is_blocked, slowed_to=record.slowed_to))
                for number, writer in enumerate(self._writers):
                    if number != shard:
                        writer.put(Table.ADDRESS, key, said)

    def _copy_numbers(self) -> None:
        """Copy totals to the first shard, what concerns each shard to all; gauges are recounted there."""
        for key, value in self._source.scan(Table.META):
            if key in OF_THE_STORE or key == KEYS[Gauges]:
                continue
            is_for_all = key in (KEYS[Ids], KEYS[Learned], RUN_KEY, TIMING_KEY, ROUND_KEY) or key.startswith(
                WISH
            )
            for writer in self._writers if is_for_all else self._writers[:1]:
                writer.put(Table.META, key, value)


def _rows_of(store: Store, key: bytes) -> Iterator[tuple[Table, bytes, bytes]]:
    """Yield all rows of a host, including those ordered by moment."""
    for table in HOST_FIRST:
        for row, stored in store.scan(table, key, after(key)):
            yield table, row, stored
            for place, moment in led_to(table, row, stored):
                value = store.get(place, moment)
                if value is not None:  # a page that is to be visited again may be in a queue
                    yield place, moment, value


# -- many become one -----------------------------------------------------------


def unite(sources: Sequence[Store], target: Store, *, tell: Callable[[int], object] = lambda n: None) -> None:
    """Copy the databases of all shards to one store, which is empty except for its own rows.

    `tell` is called with each shard that was copied. Raises NotAtRest, before anything is written.
    """
    for source in sources:
        check_rest(source)
    if next(iter(target.scan(Table.HOST)), None) is not None:
        raise CrawlerError("there is a crawl in this database already")
    writer = _RowWriter(target)
    for shard, source in enumerate(sources):
        for table in RECORDED_BY_HOST:
            for key, value in source.scan(table):
                writer.put(table, key, _unordered(value) if table is Table.HOST else value)
        if stored := source.get(Table.META, IMPORTED):  # one may not know yet what was lost
            writer.put(Table.META, IMPORTED, stored)
        for table in (*OF_FILES, *OF_NO_HOST):
            writer.flush()  # rows of earlier shards are looked up
            _add(source, target, writer, table)
        tell(shard)
    _unite_numbers(sources, writer)
    writer.flush()


def _unordered(stored: bytes) -> bytes:
    """Return a host's record without its last order number, because orders will be numbered from 1 again."""
    record = _host(stored)
    if not record.ordered:
        return stored
    record.ordered = 0
    return _encode(record)


def _add(source: Store, target: Store, writer: _RowWriter, table: Table) -> None:
    """Copy rows that several shards may have: the first one counts, but address records are combined."""
    for key, value in source.scan(table):
        before = target.get(table, key)
        if before is None:
            writer.put(table, key, value)
        elif table is Table.ADDRESS:
            writer.put(table, key, _encode(_stricter(_address(before), _address(value))))


def _stricter(one: AddressRecord, other: AddressRecord) -> AddressRecord:
    return AddressRecord(
        free_at=max(one.free_at, other.free_at),
        requests=one.requests + other.requests,
        visits=one.visits + other.visits,
        is_blocked=one.is_blocked or other.is_blocked,
        slowed_to=max(one.slowed_to, other.slowed_to),
        left_at=max(one.left_at, other.left_at),
    )


def _unite_numbers(sources: Sequence[Store], writer: _RowWriter) -> None:
    counters = [Counters(source) for source in sources]
    totals = summed(counters).totals
    ids = Ids(*(max(getattr(each.ids, name) for each in counters) for name in Ids.__struct_fields__))
    learned = max((each.learned for each in counters), key=lambda learned: learned.experience.pages)
    for numbers in (totals, ids, learned):
        writer.put(Table.META, KEYS[type(numbers)], _encode(numbers))
    known = {RUN_KEY, TIMING_KEY, ROUND_KEY, OBEYED, ERASED, *OF_THE_STORE, *KEYS.values()}
    for key, value in sources[FILES_SHARD].scan(Table.META):
        if key not in known and not key.startswith((SENT, RECEIVED, GATE_KEY, ERASE_AGAIN)):
            writer.put(Table.META, key, value)
    rounds = united_rounds(stored for source in sources if (stored := source.get(Table.META, ROUND_KEY)))
    if rounds is not None:
        writer.put(Table.META, ROUND_KEY, rounds)
    timings = [_timing(stored) for source in sources if (stored := source.get(Table.META, TIMING_KEY))]
    if timings:
        writer.put(Table.META, TIMING_KEY, _encode(_slowest(timings)))
        writer.put(Table.META, RUN_KEY, ENDED)


def _slowest(timings: Sequence[Timing]) -> Timing:
    """Return a timing whose clock is not ahead of any shard's."""
    return Timing(
        "",
        0.0,
        max(timing.rests_until for timing in timings),
        timings[0].ranges,
        min(timing.noted_at for timing in timings),
        max(timing.wall_ahead for timing in timings),
    )
