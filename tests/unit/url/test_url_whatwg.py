"""Addresses are read as browsers read them."""

import pytest

from tiptoe.url.whatwg import whatwg_join


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("y", "http://a.example/b/y"),
        ("http:y", "http://a.example/b/y"),
        ("\\\\c.example\\d", "http://c.example/d"),
        ("/x#y", "http://a.example/x#y"),
        ("javascript:f()", "javascript:f()"),
        ("/\ud800", "http://a.example/%EF%BF%BD"),
        ("http://[::1", None),
    ],
)
def test_links_lead_where_a_browser_would_go(href: str, expected: str | None) -> None:
    """Authors test their pages in browsers and nowhere else."""
    assert expected == whatwg_join("http://a.example/b/c", href)


def test_a_relative_address_alone_leads_nowhere() -> None:
    """Seeds must be absolute."""
    assert whatwg_join(None, "/x") is None
    assert whatwg_join(None, "http://a.example") == "http://a.example/"
