"""Which of the waiting pages other hosts point to."""

from tiptoe.frontier.inlinks import COUNT_MAX, SLOT_BITS, Inlinks
from tiptoe.url.address import url_key


def test_links_are_counted_by_page() -> None:
    inlinks = Inlinks()
    for url, links in (("http://a.example/1", 3), ("http://a.example/2", 1)):
        for _ in range(links):
            inlinks.add(url_key(url))
    counts = [inlinks.count(url_key(f"http://a.example/{path}")) for path in (1, 2, 3)]
    assert counts == [3, 1, 0]


def test_counts_have_an_end_and_fade() -> None:
    """A crawl of a billion links must not fill the table for good."""
    inlinks = Inlinks()
    popular, once = url_key("http://a.example/"), url_key("http://b.example/")
    inlinks.add(once)
    for _ in range(COUNT_MAX + 10):
        inlinks.add(popular)
    assert inlinks.count(popular) == COUNT_MAX
    for _ in range(1 << SLOT_BITS):
        inlinks.add(popular)
    assert inlinks.count(once) == 0
