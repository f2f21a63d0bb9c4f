"""What a frontier counts, and how it is written."""

from tiptoe.frontier.counters import Counters, Gauges, Ids, Learned, Totals
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.recount import recount
from tiptoe.protocol.work import Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes


def test_only_what_has_changed_is_written() -> None:
    """Most steps change a few numbers, and every step is written and sent whole."""
    store, counters = MemoryStore(), Counters()
    counters.totals.pages = 3
    counters.gauges.queued = 2
    first, second, third = Writes(), Writes(), Writes()
    counters.write(first)
    assert {key for _, key, _ in first} == {b"totals", b"gauges", b"ids", b"learned"}
    store.write(first)
    counters.totals.pages += 1
    counters.write(second)
    assert [(table, key) for table, key, _ in second] == [(Table.META, b"totals")]
    store.write(second)
    counters.write(third)
    assert not third
    read = Counters(store)
    assert (read.totals, read.gauges) == (Totals(pages=4), Gauges(queued=2))
    assert (read.ids, read.learned) == (Ids(), Learned())


def test_kinds_of_numbers_have_nothing_in_common() -> None:
    """Totals of several frontiers are added up, gauges are counted anew: no number is both."""
    names = [name for kind in (Totals, Gauges, Learned) for name in kind.__struct_fields__]
    assert len(names) == len(set(names))


def test_gauges_that_are_missing_are_counted_anew() -> None:
    """Rows that came from elsewhere bring none; nothing but the tables says how much there is."""
    store = MemoryStore()
    frontier = Frontier(store, FrontierPolicy())
    frontier.add([Request(f"http://{host}.example/{page}") for host in "abc" for page in range(4)], 0.0)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    frontier.resolved_all([("b.example", "", "dns_failed")], 0.0)
    frontier.block("c.example", 0.0)
    told = Counters(store).gauges
    assert (told.queued, told.parked_hosts, told.lookups_due) == (12, 1, {"dns_failed": 1})
    writes = Writes()
    writes.delete(Table.META, b"gauges")
    store.write(writes)
    again = Frontier(store, FrontierPolicy())
    assert again.counters.gauges == told
    again.check()


def test_recounting_changes_nothing_when_all_is_right() -> None:
    store = MemoryStore()
    frontier = Frontier(store, FrontierPolicy())
    frontier.add([Request("http://a.example/")], 0.0)
    counters = Counters(store)
    recount(store, counters)
    assert counters.gauges == frontier.counters.gauges
