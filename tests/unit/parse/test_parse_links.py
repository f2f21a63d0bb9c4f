"""Which addresses a page gives, and which it asks not to follow."""

from tiptoe.parse.links import HREF_CHARS_MAX, LINKS_MAX, find_links


def test_links_come_once_and_in_order() -> None:
    """The frontier need not see the same address twice from one page."""
    links = find_links([("a", {"href": " /b "}), ("a", {"href": "/a"}), ("a", {"href": "/b"}), ("a", {})])
    assert list(links.follow) == ["/b", "/a"]


def test_addresses_that_lead_to_no_page_are_dropped() -> None:
    hrefs = ["#top", "javascript:void(0)", "mailto:a@b.example", "tel:+420", "data:,x", "", " ", None, "#"]
    assert list(find_links([("a", {"href": href}) for href in hrefs]).follow) == []


def test_nofollow_links_are_counted_and_not_followed() -> None:
    links = find_links(
        [("a", {"href": "/a", "rel": "external NoFollow"}), ("a", {"href": "/b", "rel": "nofollowed"})]
    )
    assert (list(links.follow), links.nofollow) == (["/b"], 1)


def test_feeds_are_kept_apart_from_pages() -> None:
    links = find_links(
        [
            ("link", {"rel": "alternate", "type": "application/RSS+xml; charset=utf-8", "href": "/rss"}),
            ("link", {"rel": "alternate", "hreflang": "de", "href": "/de"}),
            ("link", {"rel": "alternate", "type": "application/json+oembed", "href": "/oembed"}),
            ("link", {"rel": "alternate stylesheet", "href": "/css"}),
            ("link", {"rel": "stylesheet", "href": "/css"}),
            ("link", {"rel": "NEXT", "href": "/2"}),
            ("link", {"rel": "prev", "href": "/0"}),
        ]
    )
    assert (list(links.feeds), list(links.follow)) == (["/rss"], ["/de", "/2", "/0"])


def test_a_refresh_is_a_link() -> None:
    """Old sites redirect that way."""
    contents = ["0; url=/a", "5;URL='/b'", '0,url="/c" ', "30", "0; url=", "; url = /d", "0; /e", "1.5,'/f'"]
    metas = [("meta", {"http-equiv": "Refresh", "content": content}) for content in contents]
    assert list(find_links(metas).follow) == ["/a", "/b", "/c", "/d", "/e", "/f"]


def test_frames_are_links() -> None:
    assert list(find_links([("frame", {"src": "menu.html"}), ("frame", {"src": "about:blank"})]).follow) == [
        "menu.html"
    ]


def test_the_first_base_counts_and_a_canonical_address_is_no_link() -> None:
    links = find_links(
        [
            ("base", {"target": "_top"}),
            ("base", {"href": "/x/"}),
            ("base", {"href": "/y/"}),
            ("link", {"rel": "canonical", "href": "/1"}),
        ]
    )
    assert (links.base_href, list(links.follow), list(links.feeds)) == ("/x/", [], [])


def test_no_page_gives_more_links_or_longer_ones_than_allowed() -> None:
    """A page must not fill the frontier."""
    many = find_links(("a", {"href": f"/{number}"}) for number in range(LINKS_MAX + 5))
    assert len(many.follow) == LINKS_MAX
    assert list(find_links([("a", {"href": "/" * (HREF_CHARS_MAX + 1)})]).follow) == []


def test_what_is_left_out_is_counted() -> None:
    """A page of scripts, or of a million links, must show in the figures."""
    scripts = ["javascript:x", "JavaScript:x", "DATA:,x", "mailto:a@b.example", "vbscript:x"]
    hrefs = [
        *scripts,
        "#top",
        *(f"/{number}" for number in range(LINKS_MAX + 5)),
        "/1",
        "x" * (HREF_CHARS_MAX + 1),
    ]
    links = find_links([("a", {"href": href}) for href in hrefs])
    assert (links.no_page, links.beyond, len(links.follow)) == (5, 6, LINKS_MAX)
