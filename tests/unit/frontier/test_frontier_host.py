"""Host records, open in memory, closed in memory, and on disk."""

import pytest

from tiptoe.frontier.host import HostRecord, Hosts, HostState
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import host_key
from tiptoe.url.dropped import Dropped

CACHED_MAX = 10

ONE, OTHER = "bupxavguiv5raxxx.evil.cz", "fk53j4ajx65ocxxx.evil.cz"
"""Names with the same key, as somebody has computed them."""


def write(hosts: Hosts, store: MemoryStore) -> None:
    batch = Writes()
    hosts.write(batch)
    store.write(batch)
    hosts.committed()


def test_a_host_is_one_record_during_a_step() -> None:
    """Two records of one host would each be written without what the other knows."""
    hosts = Hosts(MemoryStore(), cached_max=0)
    assert hosts.obtain("a.example") is hosts.obtain("a.example") is hosts.find("a.example")


def test_a_record_comes_back_as_it_was_written_wherever_it_was_kept() -> None:
    store = MemoryStore()
    hosts = Hosts(store, cached_max=CACHED_MAX)
    names = [f"h{number}.example" for number in range(9 * CACHED_MAX)]
    counts = dict.fromkeys(names, 0)
    for name in [*names, *names, *(name for name in names for _ in range(3))]:  # late, and soon again
        record = hosts.obtain(name)
        assert record.pages == counts[name]
        counts[name] = record.pages = record.pages + 1
        hosts.touch(record)
        write(hosts, store)
    assert {name: hosts.obtain(name).pages for name in names} == counts


def test_what_is_kept_closed_is_not_read_from_disk() -> None:
    """Hosts come to the bench, are visited and come back: a look at the disk each time would cost more."""
    store = MemoryStore()
    hosts = Hosts(store, cached_max=CACHED_MAX)
    names = [f"h{number}.example" for number in range(CACHED_MAX // 2)]
    for name in names:
        hosts.touch(HostRecord(name))
    write(hosts, store)
    emptied = Writes()
    for key, _ in store.scan(Table.HOST):
        emptied.delete(Table.HOST, key)
    store.write(emptied)
    assert all(hosts.find(name) is not None for name in names)


def test_the_cache_is_bounded() -> None:
    store = MemoryStore()
    hosts = Hosts(store, cached_max=CACHED_MAX)
    for number in range(20 * CACHED_MAX):
        hosts.obtain(f"h{number}.example")
        write(hosts, store)
    assert hosts.cached <= 2 * CACHED_MAX


def test_these_names_have_the_same_key() -> None:
    assert host_key(ONE) == host_key(OTHER)


@pytest.mark.parametrize("cached_max", [0, CACHED_MAX])
@pytest.mark.parametrize("is_fetched", [True, False])
@pytest.mark.parametrize("is_written", [True, False])
def test_a_host_never_gets_the_record_of_another_with_its_key(
    cached_max: int, is_fetched: bool, is_written: bool
) -> None:
    """Else one would be visited at the other's address, and its turn never end."""
    store = MemoryStore()
    hosts = Hosts(store, cached_max=cached_max)
    hosts.obtain(ONE).pages = 7
    if is_written:
        write(hosts, store)
    if is_fetched:
        hosts.fetch([OTHER])
    assert hosts.find(OTHER) is None
    stranger = hosts.obtain(OTHER)
    assert (stranger.host, stranger.state, stranger.refusal) == (OTHER, HostState.GONE, Dropped.KEY_TAKEN)
    hosts.touch(stranger)
    write(hosts, store)
    assert hosts.obtain(ONE).pages == 7
    assert [hosts.name_in(stored) for _, stored in store.scan(Table.HOST)] == [ONE]


def test_a_record_whose_key_is_taken_is_no_change() -> None:
    """Whoever follows the changes of a step goes by keys too, and would take it for the other."""
    store = MemoryStore()
    hosts = Hosts(store)
    hosts.obtain(ONE)
    hosts.touch(hosts.obtain(OTHER))
    hosts.write(Writes())
    assert [record.host for record in hosts.changed] == [ONE]
