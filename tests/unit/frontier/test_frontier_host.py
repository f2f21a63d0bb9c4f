"""Host records, open in memory, closed in memory, and on disk."""

from tiptoe.frontier.host import HostRecord, Hosts
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table

CACHED_MAX = 10


def write(hosts: Hosts, store: MemoryStore) -> None:
    batch = store.batch()
    hosts.write(batch)
    store.write(batch)
    hosts.settle()


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
    emptied = store.batch()
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
