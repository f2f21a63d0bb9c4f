"""A crawl that starts again from its seeds: it forgets what it has met, and nobody it has to be polite to."""

from rehearsal import Rehearsal

from tiptoe.frontier import anew
from tiptoe.frontier.anew import begin_anew, has_begun_anew
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes

RULES = Politeness(req_delay=1.0, max_hosts=2, max_reqs=8, general_pause=100.0)
LINKS = {"http://a.example/": ["http://a.example/1", "http://b.example/"], "http://b.example/": []}
ADDRESSES = {"a.example": "192.0.2.1", "b.example": "192.0.2.2"}
SEEDS = ["http://a.example/"]
PAGES = ["http://a.example/", "http://a.example/1", "http://b.example/"]


def crawl(store: MemoryStore, now: float) -> Rehearsal:
    return Rehearsal(LINKS, ADDRESSES, FrontierPolicy(politeness=RULES), store, now=now)


def test_everything_is_asked_for_again_and_nobody_too_soon() -> None:
    """The rest of an address after its last visit holds across the new start, and so does a block."""
    store = MemoryStore()
    first = crawl(store, 1000.0)
    first.run(SEEDS)
    first.frontier.block("b.example", first.now)
    ended_at = max(request.ended_at for request in first.asked if request.host == "a.example")
    begin_anew(store)
    second = crawl(store, first.now)
    second.frontier.check()
    assert second.frontier.counters.totals.pages == first.frontier.counters.totals.pages
    second.run(SEEDS, until=first.now + 1000.0)
    assert sorted(second.fetched) == PAGES[:2]
    assert min(request.at for request in second.asked) >= ended_at + RULES.general_pause
    second.frontier.block("b.example", second.now, is_blocked=False)
    second.run([])
    assert sorted(second.fetched) == PAGES
    assert second.frontier.counters.totals.rounds == 1


def test_what_a_crash_interrupts_is_done_again() -> None:
    """Between two tables the store holds neither the old crawl nor the new one."""

    class Crash(Exception):
        pass

    class FailingStore(MemoryStore):
        writes = 2

        def write(self, batch: Writes) -> None:
            if self.writes == 0:
                raise Crash
            self.writes -= batch.count((Table.META, anew.ANEW_KEY, b"")) or len(batch) > 0
            super().write(batch)

    for writes in range(1, 8):
        store = FailingStore()
        store.writes = 10_000
        crawl(store, 1000.0).run(SEEDS)
        store.writes = writes
        try:
            begin_anew(store)
        except Crash:
            assert has_begun_anew(store)
        store.writes = 10_000
        if has_begun_anew(store):
            begin_anew(store)
        again = crawl(store, 9000.0)
        again.run(SEEDS)
        assert sorted(again.fetched) == PAGES
