"""Endless series of pages are bounded."""

from tiptoe.frontier.shapes import Shapes
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Writes


def pages(first: int, count: int, path: str = "day") -> list[Request]:
    return [Request(f"http://a.example/{path}/{number}") for number in range(first, first + count)]


def admit(store: MemoryStore, requests: list[Request], *, seen: int = 1000, pages_max: int = 10) -> int:
    """Return how many are admitted in a step of its own."""
    batch = Writes()
    kept, trapped = Shapes(store, pages_max=pages_max).admit(batch, requests, seen)
    store.write(batch)
    assert len(kept) + trapped == len(requests)
    return len(kept)


def test_a_calendar_ends() -> None:
    """Its pages differ only in numbers, and there is always a next one."""
    store = MemoryStore()
    assert admit(store, pages(1, 6)) == 6
    assert admit(store, pages(7, 6)) == 4
    assert admit(store, pages(13, 6)) == 0


def test_other_shapes_and_hosts_are_not_affected() -> None:
    """A trap on one side of a site is no reason to leave the other."""
    store = MemoryStore()
    assert admit(store, pages(1, 20)) == 10
    assert admit(store, pages(0, 5, "article")) == 5
    assert admit(store, [Request(f"http://b.example/day/{number}") for number in range(5)]) == 5


def test_pages_without_numbers_are_never_trapped() -> None:
    """Names are not made up without end; other means watch those that are."""
    store = MemoryStore()
    requests = [Request(f"http://a.example/{'x' * length}") for length in range(1, 40)]
    assert admit(store, requests) == 39


def test_rules_sitemaps_and_feeds_are_not_counted() -> None:
    """A large site has thousands of numbered sitemaps."""
    store = MemoryStore()
    requests = [Request(f"http://a.example/sitemap{number}.xml", Purpose.SITEMAP) for number in range(50)]
    assert admit(store, requests) == 50


def test_counting_begins_when_it_could_matter() -> None:
    """Most hosts are small; they cost no entry in the table."""
    store = MemoryStore()
    assert admit(store, pages(1, 20), seen=4) == 20
    assert admit(store, pages(21, 20), seen=5) == 10


def test_what_was_handed_out_and_not_made_is_not_counted_twice() -> None:
    """A host that is asked once a visit gets all of its requests handed out again and again."""
    store = MemoryStore()
    shapes = Shapes(store, pages_max=10)
    for number in range(9):
        batch = Writes()
        kept, trapped = shapes.admit(batch, pages(1 + number, 10 - number), 1000)
        assert (len(kept), trapped) == (10 - number, 0)
        for request in kept[1:]:
            shapes.take_back(batch, request, 1000)
        store.write(batch)
    assert admit(store, pages(50, 6)) == 1


def test_pages_with_new_text_do_not_count() -> None:
    """A hundred thousand articles under one address and its numbers are what a crawl is after."""
    store = MemoryStore()
    shapes = Shapes(store, pages_max=10)
    for number in range(100):
        batch = Writes()
        kept, trapped = shapes.admit(batch, pages(number, 1), 1000)
        assert (len(kept), trapped) == (1, 0)
        shapes.redeem(batch, kept[0], 1000)
        store.write(batch)
    assert admit(store, pages(200, 20)) == 10
