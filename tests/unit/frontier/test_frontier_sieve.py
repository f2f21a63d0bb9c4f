"""Each URL is met once, whatever the size of its host and whenever the crawl began."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.pages import Pages
from tiptoe.frontier.sieve import Sieve, met_in, numbers_in
from tiptoe.protocol.work import HostLinks, Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import host_key, page_key, page_keys

HOST = "a.example"
ROW_URLS = 4


class Reader:
    """Meets URLs step by step, over one store."""

    def __init__(self, store: MemoryStore, row_urls: int = ROW_URLS) -> None:
        self.store = store
        self.pages = Pages(store)
        self.seen = Sieve(store, self.pages, row_urls=row_urls)

    def meet(self, urls: Iterable[str], host: str = HOST) -> list[str]:
        """Take one step; return the URLs that were new in it."""
        links = links_to(urls, host)
        batch = Writes()
        self.seen.read([links])
        met = self.seen.of(host_key(host))
        fresh = {
            number: url
            for number, url in zip(numbers_in(links), links.urls, strict=True)
            if number not in met
        }
        self.seen.add(batch, host_key(host), fresh)
        self.seen.write(batch)
        self.store.write(batch)
        self.seen.committed()
        return list(fresh.values())

    def forget(self, url: str) -> None:
        batch = Writes()
        self.seen.forget(batch, page_key(url))
        self.seen.write(batch)
        self.store.write(batch)
        self.seen.committed()

    def visit(self, url: str) -> None:
        batch = Writes()
        self.pages.put(batch, page_key(url), PageRecord(url))
        self.store.write(batch)
        self.pages.committed()


def links_to(urls: Iterable[str], host: str = HOST) -> HostLinks:
    urls = list(urls)
    return HostLinks(host, urls, page_keys(host, urls))


def url_of(number: int, host: str = HOST) -> str:
    return f"http://{host}/{number}"


def urls_of(*numbers: int) -> list[str]:
    return [url_of(number) for number in numbers]


def test_a_url_is_new_once() -> None:
    """Also on the page that brings it twice, and after a restart."""
    store = MemoryStore()
    reader = Reader(store)
    assert reader.meet(urls_of(1, 2, 1)) == urls_of(1, 2)
    assert reader.meet(urls_of(2, 3)) == urls_of(3)
    assert Reader(store).meet(urls_of(1, 2, 3, 4)) == urls_of(4)


def test_the_urls_of_a_small_host_stand_in_one_row() -> None:
    """That is what makes the seen test cheap."""
    store = MemoryStore()
    Reader(store).meet(urls_of(1, 2, 3, 4))
    assert len([*store.scan(Table.SIEVE)]) == 1
    assert [*store.scan(Table.PAGE)] == []


def test_a_host_that_has_outgrown_its_row_forgets_nothing() -> None:
    """Neither what stood in the row nor what came after."""
    store = MemoryStore()
    reader = Reader(store)
    for number in range(3 * ROW_URLS):
        assert reader.meet(urls_of(number)) == urls_of(number)
    assert [len(row) for _, row in store.scan(Table.SIEVE)] == [8 * (ROW_URLS + 1)]  # and that there are more
    assert len([*store.scan(Table.PAGE)]) == 2 * ROW_URLS
    assert reader.meet(urls_of(*range(3 * ROW_URLS))) == []


def test_records_of_visited_pages_outlive_the_row_of_their_host() -> None:
    """Wherever it is remembered that a page was met, what came of it stays."""
    store = MemoryStore()
    reader = Reader(store)
    reader.meet(urls_of(*range(ROW_URLS + 1)))
    for number in range(ROW_URLS + 1):
        reader.visit(url_of(number))
    reader.meet(urls_of(*range(3 * ROW_URLS)))
    records = reader.pages.find_many([page_key(url_of(number)) for number in range(ROW_URLS + 1)])
    assert [record and record.url for record in records] == urls_of(*range(ROW_URLS + 1))


@pytest.mark.parametrize("known", [ROW_URLS - 1, ROW_URLS, 3 * ROW_URLS])
def test_what_was_forgotten_may_be_met_again(known: int) -> None:
    """And nothing else, on small hosts and on large ones."""
    reader = Reader(MemoryStore())
    reader.meet(urls_of(*range(known)))
    reader.forget(url_of(1))
    assert reader.meet(urls_of(*range(known))) == urls_of(1)


def test_links_to_several_hosts_are_read_together() -> None:
    """One look at the store for a report, whoever is linked to."""
    reader = Reader(MemoryStore())
    reader.meet(urls_of(*range(2 * ROW_URLS)))
    reader.meet([url_of(1, "b.example")], "b.example")
    large, small = links_to(urls_of(1, 99)), links_to([url_of(n, "b.example") for n in (1, 2)], "b.example")
    reader.seen.read([large, small])
    for links in (large, small):
        met = reader.seen.of(links.keys[:8])
        assert [number in met for number in numbers_in(links)] == [True, False]


def test_a_downlist_of_many_urls_of_a_host_keeps_them_all() -> None:
    """Longer than a row, and in parts: each is known as fetched by others, and never asked for."""
    store = MemoryStore()
    frontier = Frontier(store, FrontierPolicy(sieve_row_urls=ROW_URLS))
    for start in range(0, 3 * ROW_URLS, 2):
        frontier.mark_downloaded(urls_of(start, start + 1), 1.0)
    assert frontier.add([Request(url) for url in urls_of(*range(3 * ROW_URLS + 1))], 2.0) == 1
    for number in range(3 * ROW_URLS):
        page = frontier.page(url_of(number))
        assert page is not None
        assert page.outcome == "downlist"


numbers = st.lists(st.integers(0, 20), min_size=1, max_size=8)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["meet", "forget", "visit", "restart"]), numbers), max_size=12))
def test_a_host_remembers_exactly_what_it_met(steps: list[tuple[str, list[int]]]) -> None:
    """Against a plain set, over all orders of meeting, visiting, forgetting and restarting."""
    store = MemoryStore()
    reader, known = Reader(store), set[int]()
    for what, some in steps:
        if what == "meet":
            fresh = [number for number in dict.fromkeys(some) if number not in known]
            assert reader.meet(urls_of(*some)) == urls_of(*fresh)
            known.update(some)
        elif what == "forget" and some[0] in known:
            reader.forget(url_of(some[0]))
            known.discard(some[0])
        elif what == "visit" and some[0] in known:
            reader.visit(url_of(some[0]))
        elif what == "restart":
            reader = Reader(store)
    assert set(met_in(store)) == {page_key(url_of(number)) for number in known}
