"""Whatever a page holds as an address, we answer within bounds."""

import time

from fuzz_settings import fuzz
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.url.address import host_of, origin_of, split_url, url_key
from tiptoe.url.canonical import Canonicalizer
from tiptoe.url.traps import TrapLimits, shape_of, trap_in

CANONICALIZER = Canonicalizer()
ODD_TEXT = st.text(st.characters(codec=None), max_size=200)
LIKELY = st.text("htps:/?#&=%;.()@[]aA1é\\ \t\n-_~'", max_size=80)


@fuzz
@given(
    st.one_of(ODD_TEXT, LIKELY),
    st.lists(st.one_of(ODD_TEXT, LIKELY, LIKELY.map("http://a".__add__)), max_size=5),
)
def test_no_link_of_any_page_breaks_us(base: str, hrefs: list[str]) -> None:
    """Links are written by strangers."""
    for origin in (base, "https://a.example/" + base):
        urls = CANONICALIZER.join(origin, hrefs)
        assert len(urls) == len(set(urls))
        assert all(len(url) <= CANONICALIZER.rules.url_bytes_max and url.isascii() for url in urls)


@fuzz
@given(st.one_of(ODD_TEXT, LIKELY))
def test_a_canonical_address_stays_as_it_is(text: str) -> None:
    """A second form of one page would be a second page."""
    for url in CANONICALIZER.join("https://a.example/b/c?d", [text, "http://" + text, "?" + text]):
        assert CANONICALIZER.canonical(url) == url


@fuzz
@given(LIKELY)
def test_every_canonical_url_can_be_taken_apart(text: str) -> None:
    """Everything behind the canonicaliser relies on its form."""
    for url in CANONICALIZER.join("https://a.example/", [text, "http://" + text]):
        parts = split_url(url)
        port = f":{parts.port}" if parts.port is not None else ""
        assert url == f"{parts.scheme}://{parts.host}{port}{parts.path}"
        assert parts.host == host_of(url)
        assert origin_of(url) == f"{parts.scheme}://{parts.host}{port}"
        assert len(url_key(url)) == 8
        assert len(shape_of(url)) <= len(url)
        trap_in(url, TrapLimits())


def test_long_addresses_cost_no_more_than_their_length() -> None:
    """One page with a thousand monsters must not hold up a harvester."""
    monsters = [
        "/" + unit * 3000 for unit in ("a/", "../", "%41", ";jsessionid=1", "(S(", "?&", "&utm_=", "\t", "é")
    ]
    started = time.process_time()
    for _ in range(20):
        CANONICALIZER.join("https://a.example/", monsters + ["https://a." + monster for monster in monsters])

    assert time.process_time() - started < 2.0
