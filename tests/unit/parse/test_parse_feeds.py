"""FRO-6: feeds as sources of addresses."""

import pytest

from tiptoe.parse.feeds import FeedEntry, read_feed


def test_rss_items_are_pages() -> None:
    """The link, or the guid where there is none."""
    body = b"""<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
        <link>https://a.example/</link>
        <item><link> https://a.example/1 </link><pubDate>Thu, 01 Jan 1970 01:00:00 +0100</pubDate></item>
        <item><guid>https://a.example/2</guid><dc:date>1970-01-02</dc:date></item>
        <item><guid isPermaLink="false">3</guid></item>
        <item><link>https://a.example/1</link></item></channel></rss>"""
    expected = [FeedEntry("https://a.example/1", 0.0), FeedEntry("https://a.example/2", 86400.0)]

    assert expected == read_feed(body)


def test_atom_entries_are_pages() -> None:
    """Only the alternate link is the page itself; the last change is the moment."""
    body = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.example/"/>
        <entry><link rel="edit" href="/edit"/><link rel="alternate" href="/1"/>
            <published>1970-01-01T00:00:00Z</published><updated>1970-01-01T00:01:00Z</updated></entry>
        <entry><link href="2"/></entry></feed>"""

    assert [FeedEntry("/1", 60.0), FeedEntry("2")] == read_feed(body)


def test_rdf_items_are_pages() -> None:
    """RSS 1.0 keeps its items beside the channel."""
    body = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
        <channel><link>https://a.example/</link></channel>
        <item><link>https://a.example/1</link></item></rdf:RDF>"""

    assert [FeedEntry("https://a.example/1")] == read_feed(body)


def test_broken_feeds_give_what_can_be_saved() -> None:
    """Raw ampersands and a cut end are common."""
    body = b"\xef\xbb\xbf\n<rss><channel><item><title>a & b</title><link>https://a.example/1</link></item><item><li"

    assert [FeedEntry("https://a.example/1")] == read_feed(body)


def test_what_is_no_feed_has_no_entries() -> None:
    """Links called feeds often are not."""
    for body in (
        b"",
        b"plain words",
        b"<html><p>x",
        b"\x00\x01",
        b"<?xml version='1.0' encoding='nonsense'?><rss/>",
    ):
        assert read_feed(body) == []


def test_no_more_pages_than_asked_for() -> None:
    """Every input has a limit."""
    items = b"".join(b"<item><link>https://a.example/%d</link></item>" % n for n in range(9))

    assert len(read_feed(b"<rss>" + items + b"</rss>", urls_max=3)) == 3


def test_odd_dates_cost_only_themselves() -> None:
    """A page with a silly date is still a page."""
    for date in (
        "yesterday",
        "Thu, 99 Foo 99999 99:99:99",
        "9" * 50,
        "1" * 99,
        "Mon, 1 Jan 0001 00:00:00 +2359",
    ):
        body = f"<rss><item><link>https://a.example/</link><pubDate>{date}</pubDate></item></rss>".encode()
        assert [entry.url for entry in read_feed(body)] == ["https://a.example/"]


def test_a_guid_is_an_address_when_it_looks_like_one() -> None:
    """Items without a link are all they have told us, whatever they say of their names."""
    for said in ("", "isPermaLink='true'", "isPermaLink='false'", 'ispermalink = "False"'):
        body = f"<rss><item><guid {said}>HTTPS://a.example/1</guid></item></rss>"
        assert read_feed(body.encode()) == [FeedEntry("HTTPS://a.example/1")]
        assert read_feed(f"<rss><item><guid {said}>urn:uuid:1</guid></item></rss>".encode()) == []


@pytest.mark.parametrize(
    "better",
    [
        "<item><link>https://a.example/1</link>",
        "<item><guid>https://a.example/1</guid>",
        "<item rdf:about='https://a.example/1'>",
    ],
)
def test_a_guid_that_is_only_a_name_is_the_last_resort(better: str) -> None:
    """RSS 2.0: it need not lead anywhere."""
    body = f"<rss>{better}<guid isPermaLink='false'>https://a.example/?p=7</guid></item></rss>"

    assert read_feed(body.encode()) == [FeedEntry("https://a.example/1")]


def test_what_an_item_is_about_is_its_page() -> None:
    """RSS 1.0 names it in an attribute."""
    body = b"<rdf:RDF><item rdf:about='https://a.example/1'><title>x</title></item></rdf:RDF>"

    assert read_feed(body) == [FeedEntry("https://a.example/1")]


def test_links_within_the_parts_of_an_entry_are_not_its_own() -> None:
    """Atom names the feed that an entry was taken from, and RSS may be full of markup."""
    body = (
        b"<feed><entry><source><link href='/other'/><updated>1970-01-03</updated></source>"
        b"<content type='xhtml'><div><link>/no</link><p>x</div></content><link href='/1'/></entry></feed>"
    )
    assert read_feed(body) == [FeedEntry("/1")]


def test_a_sitemap_is_no_feed() -> None:
    """Whatever its entries are called."""
    assert read_feed(b"<urlset><item><link>/1</link></item></urlset>") == []


def test_a_feed_may_be_json() -> None:
    """JSON Feed, also where an entry lacks what it should have."""
    body = b"""{"version": "https://jsonfeed.org/version/1", "items": [
        {"id": "1", "url": "/1", "date_published": "1970-01-02"},
        {"id": 2, "url": null}, {"url": "/1"}, {"url": "/3", "date_modified": "soon"}]}"""

    assert read_feed(body) == [FeedEntry("/1", 86400.0), FeedEntry("/3")]
    for broken in (b"{", b'{"items": 1}', b'{"items": [[]]}', b"{}", b'{"a":' * 5000):
        assert read_feed(broken) == []


@pytest.mark.parametrize(
    ("feed_base", "entry_base", "expected"),
    [
        ("https://a.example/b/", "", "https://a.example/b/1"),
        ("https://a.example/b/", "c/", "https://a.example/b/c/1"),
        ("https://a.example/b/", "https://c.example/", "https://c.example/1"),
        ("", "https://c.example/d/", "https://c.example/d/1"),
        ("/b/", "", "/b/1"),
        ("http://[", "", "1"),
    ],
)
def test_addresses_are_relative_to_the_base_that_was_said(
    feed_base: str, entry_base: str, expected: str
) -> None:
    """RFC 4287, 2: `xml:base` holds for whatever is within."""
    body = f"<feed xml:base='{feed_base}'><entry xml:base='{entry_base}'><link href='1'/></entry></feed>"

    assert [expected] == [entry.url for entry in read_feed(body.encode())]


def test_a_relation_may_be_written_in_full() -> None:
    """RFC 4287, 4.2.7.2: a name stands for an address of the registry."""
    relations = "http://www.iana.org/assignments/relation/"
    links = f"<link rel='{relations}self' href='/0'/><link rel='{relations}alternate' href='/1'/>"

    assert [FeedEntry("/1")] == read_feed(f"<feed><entry>{links}</entry></feed>".encode())


def test_an_entry_without_a_link_is_where_its_content_lies() -> None:
    """RFC 4287, 4.1.3.2; the link is better where there is one, and an id is no address at all."""
    content = "<id>https://a.example/0</id><content type='text/html' src='https://a.example/1'/>"

    for entry in (content, content + "<link href='https://a.example/1'/>"):
        assert [FeedEntry("https://a.example/1")] == read_feed(
            f"<feed><entry>{entry}</entry></feed>".encode()
        )
    assert read_feed(b"<feed><entry><id>https://a.example/0</id></entry></feed>") == []


@pytest.mark.parametrize(
    "other",
    [
        "<link rel='alternate' type='application/json' href='/1.json'/>",
        "<link type='image/png' href='/1.png'/>",
        "<media:link href='/video'/>",
    ],
)
def test_the_page_comes_before_other_forms_of_it(other: str) -> None:
    """Whoever asks for the JSON of a page gets no text."""
    page = "<link href='/1' type='application/xhtml+xml'/>"
    assert read_feed(f"<feed><entry>{other}{page}</entry></feed>".encode()) == [FeedEntry("/1")]
    assert len(read_feed(f"<feed><entry>{other}</entry></feed>".encode())) == 1
