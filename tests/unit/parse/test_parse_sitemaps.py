"""FRO-6 and INC-4: what sites say of their own pages."""

import gzip
import time

import pytest

from tiptoe.parse.sitemaps import Sitemap, SitemapEntry, read_sitemap

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def urlset(*urls: str) -> bytes:
    return f'<?xml version="1.0"?><urlset xmlns="{NAMESPACE}">{"".join(urls)}</urlset>'.encode()


def test_pages_come_with_their_hints() -> None:
    """`lastmod` saves visits, priority orders them."""
    body = urlset(
        "<url><loc> https://a.example/1?x=1&amp;y=2 </loc>"
        "<lastmod>1970-01-02</lastmod><priority>0.8</priority></url>",
        "<url><loc><![CDATA[https://a.example/2]]></loc><lastmod>soon</lastmod><priority>high</priority></url>",
        "<url><lastmod>1970-01-02</lastmod></url>",
    )
    expected = [
        SitemapEntry("https://a.example/1?x=1&y=2", 86400.0, 0.8),
        SitemapEntry("https://a.example/2"),
    ]
    assert Sitemap(entries=expected) == read_sitemap(body)


@pytest.mark.parametrize(
    ("priority", "expected"),
    [
        ("0", 0.0),
        ("1.0", 1.0),
        (" 0,5 ", 0.5),
        ("1.1", None),
        ("10", None),
        ("-1", None),
        ("nan", None),
        ("inf", None),
    ],
)
def test_a_priority_beyond_the_protocols_range_says_nothing(priority: str, expected: float | None) -> None:
    """Nobody comes first by asking for more than there is."""
    body = urlset(f"<url><loc>https://a.example/</loc><priority>{priority}</priority></url>")

    assert [SitemapEntry("https://a.example/", None, expected)] == read_sitemap(body).entries


def test_an_index_names_further_sitemaps() -> None:
    """Large sites split theirs."""
    body = b"<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc></sitemap></sitemapindex>"

    assert Sitemap(children=["https://a.example/1.xml.gz"]) == read_sitemap(body)


def test_pictures_of_a_page_are_not_pages() -> None:
    """Their `loc` has the same name in another namespace."""
    body = urlset(
        "<url><image xmlns='i'><loc>https://a.example/i.png</loc></image><loc>https://a.example/</loc></url>"
    )

    assert [SitemapEntry("https://a.example/")] == read_sitemap(body).entries


def test_plain_text_is_one_address_a_line() -> None:
    """The simplest form of the protocol."""
    body = b"\xef\xbb\xbfhttps://a.example/1\r\nnot an address\nhttps://a.example/\xc5\x99\n\n"

    assert [SitemapEntry("https://a.example/1"), SitemapEntry("https://a.example/ř")] == read_sitemap(
        body
    ).entries


def test_a_web_page_in_place_of_a_sitemap_gives_nothing() -> None:
    """Many servers answer 200 to everything."""
    assert Sitemap() == read_sitemap(b"<!doctype html><title>x</title><a href='https://a.example/'>x</a>")
    assert Sitemap() == read_sitemap(b"")


def test_gzip_is_recognised_by_its_content() -> None:
    """Names and headers of sitemaps cannot be trusted."""
    body = gzip.compress(urlset("<url><loc>https://a.example/</loc></url>"))

    assert [SitemapEntry("https://a.example/")] == read_sitemap(body).entries


def test_a_damaged_archive_gives_what_came_before_the_damage() -> None:
    """A cut transfer is not a lost sitemap."""
    urls = [f"<url><loc>https://a.example/{n * 7919 % 100003}</loc></url>" for n in range(20_000)]
    body = gzip.compress(urlset(*urls))

    assert 1000 < len(read_sitemap(body[: len(body) // 2]).entries) < 20_000
    assert read_sitemap(b"\x1f\x8bnonsense") == Sitemap()


def test_a_small_archive_cannot_fill_our_memory() -> None:
    """A gzip bomb is a thousand times its size."""
    bomb = gzip.compress(b"https://a.example/\n" * 100_000)

    assert len(read_sitemap(bomb, bytes_max=190).entries) == 10


def test_half_an_address_is_none() -> None:
    """Where a list is cut, by our limit or on its way, a page that nobody has is not asked for."""
    lines = [f"https://a.example/{n * 7919 % 100003}.html" for n in range(2000)]
    body = "\n".join(lines).encode()
    archive = gzip.compress(body)
    cut = [
        read_sitemap(body, bytes_max=60),
        read_sitemap(archive, bytes_max=60),
        read_sitemap(archive[: len(archive) // 2]),
        read_sitemap(body[:60], is_cut=True),
    ]
    for sitemap in cut:
        assert [entry.url for entry in sitemap.entries] == lines[: len(sitemap.entries)] != []
    assert len(read_sitemap(body).entries) == len(read_sitemap(archive).entries) == 2000
    assert len(read_sitemap(archive + b"\0\0").entries) == 2000
    assert len(read_sitemap(body + b"\n", is_cut=True).entries) == 2000
    assert read_sitemap(b"", is_cut=True) == Sitemap()


def test_no_more_pages_than_asked_for() -> None:
    """Every input has a limit."""
    body = urlset(*("<url><loc>https://a.example/</loc></url>",) * 9)

    assert len(read_sitemap(body, urls_max=3).entries) == 3
    assert len(read_sitemap(b"https://a.example/\n" * 9, urls_max=3).entries) == 3


def test_broken_xml_gives_what_can_be_saved() -> None:
    """Raw ampersands and missing ends are common."""
    body = b"\n <urlset><url><loc>https://a.example/?a=1&b=2</loc></url><url><loc>https://a.example/2</loc></url><url>"

    assert "https://a.example/2" in [entry.url for entry in read_sitemap(body).entries]


def test_entities_are_not_expanded_and_files_not_read() -> None:
    """A billion laughs, or our password file as a path, must not come out."""
    body = (
        b'<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/hostname"><!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;">]>'
        b"<urlset><url><loc>https://a.example/&x;</loc></url><url><loc>https://a.example/&b;</loc></url>"
        b"<url><loc>https://a.example/1</loc></url></urlset>"
    )
    assert [SitemapEntry("https://a.example/1")] == read_sitemap(body).entries


def test_addresses_beyond_the_protocols_length_are_dropped() -> None:
    """2048 characters are the protocol's own limit."""
    assert read_sitemap(urlset(f"<url><loc>https://a.example/{'a' * 2048}</loc></url>")) == Sitemap()


def pages(body: bytes) -> list[str]:
    return [entry.url for entry in read_sitemap(body).entries]


def test_every_address_of_an_entry_is_one() -> None:
    """The end of an entry was forgotten; what is said after an address is said of it."""
    body = (
        b"<urlset><url><priority>0.2</priority><loc>/1</loc><lastmod>1970-01-02</lastmod>"
        b"<loc>/2</loc><loc>/3</loc><lastmod>1970-01-03</lastmod></url></urlset>"
    )
    expected = [SitemapEntry("/1", 86400.0, 0.2), SitemapEntry("/2"), SitemapEntry("/3", 2 * 86400.0)]

    assert expected == read_sitemap(body).entries
    index = body.replace(b"urlset", b"sitemapindex").replace(b"url>", b"sitemap>")
    assert read_sitemap(index).children == ["/1", "/2", "/3"]


def test_an_entry_may_be_its_address() -> None:
    """Without `loc` around it, only what looks like an address is one."""
    body = b"<sitemapindex><sitemap>\n https://a.example/1?b&amp;c\n</sitemap><sitemap>soon</sitemap></sitemapindex>"

    assert read_sitemap(body).children == ["https://a.example/1?b&c"]
    assert pages(b"<urlset><url>https://a.example/1</url><url>words</url></urlset>") == [
        "https://a.example/1"
    ]


@pytest.mark.parametrize(
    "entry",
    [
        "<loc><url><![CDATA[https://a.example/1]]></url></loc><lastmod>1970-01-02</lastmod>",
        "<loc>\n  https://a.example\n  /1\n</loc><lastmod>1970-01-02</lastmod>",
        "<loc>https://a.example<![CDATA[/1]]></loc><lastmod><![CDATA[1970-01-02]]></lastmod>",
        "<loc>\xa0https://a.example/1\u2000\u200b</loc><lastmod>1970-01-02T00:00:00&#43;00:00</lastmod>",
        "<lastmod>1970-01-02</lastmod><changefreq>daily</changefreq><loc>https://a.example/1</loc>",
        "<loc>&nbsp;https://a.example/1</loc><lastmod>1970/1/2</lastmod>",
        "<loc>&quot;https://a.example/1 &quot;</loc><lastmod>1970-01-02</lastmod>",
        "<loc>https://a.example/1<lastmod>1970-01-02</lastmod>",
        "<!-- <loc>x</loc> --><loc>https://a.example/1</loc><?php x ?><lastmod>1970-01-02</lastmod>",
    ],
)
def test_an_address_is_found_in_whatever_is_around_it(entry: str) -> None:
    """Sitemaps are written by programs that nobody has tested."""
    body = urlset(f"<url>{entry}</url>", "<url><loc>/2</loc></url>")

    assert read_sitemap(body).entries == [SitemapEntry("https://a.example/1", 86400.0), SitemapEntry("/2")]


@pytest.mark.parametrize(
    "form",
    [
        "<urlset xmlns='urn:other'>{}</urlset>",
        "<urlset xmlns:i='urn:i'>{}",
        "\ufeff\n \t<?xml version='1.0'?>\n<urlset>{}</urlset>",
        "<!-- by hand --><?xml version='1.0'?><urlset>{}</urlset>",
        "<br />\n<b>Warning</b>: x\n<?xml version='1.0'?><urlset>{}</urlset>",
        "Warning: x in y.php\n<?xml version='1.0'?><urlset>{}</urlset>",
        "<urlset></url>{}</urlset>",
        "<urlset xmlns=urn:x a>{}</urlset>",
        "{}",
        "<?xml version='1.0' encoding='utf-16'?><urlset>{}</urlset>",
        "<!DOCTYPE urlset [<!ENTITY a 'b'>]><urlset>{}</urlset>",
    ],
)
def test_what_is_around_the_entries_does_not_matter(form: str) -> None:
    """No namespace, a wrong one, text of a broken script, no end."""
    entries = "<url><loc>/1</loc></url></url><url><loc>/2</loc></url>"

    assert pages(form.format(entries).encode()) == ["/1", "/2"]
    assert pages(form.format(entries.upper()).encode()) == ["/1", "/2"]


def test_names_may_have_a_prefix() -> None:
    """Whatever it is called."""
    body = b"<s:urlset xmlns:s='urn:s'><s:url><s:loc>/1</s:loc></s:url></s:urlset>"

    assert pages(body) == ["/1"]


def test_extensions_are_no_pages() -> None:
    """Pictures, films and news stand in an entry, or, by mistake, right beside its address."""
    for name in ("image", "video", "news"):
        nested = f"<{name}:{name}><{name}:loc>/x</{name}:loc></{name}:{name}>"
        body = urlset(f"<url>{nested}<loc>/1</loc><{name}:loc>/y</{name}:loc>{nested}</url>")
        assert pages(body) == ["/1"]


def test_other_languages_of_a_page_are_listed_for_themselves() -> None:
    """Alternates repeat what the sitemap lists anyway."""
    body = urlset("<url><loc>/1</loc><xhtml:link rel='alternate' hreflang='cs' href='/cs'/></url>")

    assert pages(body) == ["/1"]


@pytest.mark.parametrize(
    ("cut", "expected"),
    [
        ("<url><loc>/1</loc></url><url><loc>/2</loc></url>", ["/1", "/2"]),
        ("<url><loc>/1</loc></url><url><loc>/2</loc><lastm", ["/1", "/2"]),
        ("<url><loc>/1</loc></url><url><loc>/2</lo", ["/1", "/2"]),
        ("<url><loc>/1</loc></url><url><loc>/2<", ["/1", "/2"]),
        ("<url><loc>/1</loc></url><url><loc>/2", ["/1"]),
        ("<url><loc>/1</loc></url><url><loc><![CDATA[/2]]>", ["/1"]),
        ("<url><loc>/1</loc></url><url><lo", ["/1"]),
    ],
)
def test_all_that_is_complete_before_the_break_is_used(cut: str, expected: list[str]) -> None:
    """And nothing of what is not: half an address is the address of nothing."""
    assert pages(f"<urlset>{cut}".encode()) == expected


def test_feeds_are_sitemaps_too() -> None:
    """The protocol allows RSS and Atom; the picture of a channel is no page."""
    rss = (
        b"<rss><channel><link>/</link><image><url>https://a.example/i.png</url></image>"
        b"<item><link>/1</link><pubDate>Fri, 02 Jan 1970 00:00:00 GMT</pubDate></item></channel></rss>"
    )
    atom = b"<feed><entry><link href='/1'/><updated>1970-01-02</updated></entry></feed>"

    assert read_sitemap(rss).entries == read_sitemap(atom).entries == [SitemapEntry("/1", 86400.0)]


def test_a_host_without_a_scheme_is_a_host() -> None:
    """As people write addresses; the scheme is that of the sitemap."""
    assert pages(b"www.a.example/1\rHTTP://a.example/2\nwww. is no host") == [
        "//www.a.example/1",
        "HTTP://a.example/2",
    ]
    assert pages(urlset("<url><loc>www.a.example/1</loc></url>")) == ["//www.a.example/1"]


def test_addresses_of_a_list_may_be_quoted() -> None:
    """As spreadsheets write them; a quote on one side only is part of what it stands in."""
    body = b'"https://a.example/1"\n\'https://a.example/2\'\n"\n""\nhttps://a.example/3"\n'

    assert pages(body) == ["https://a.example/1", "https://a.example/2", 'https://a.example/3"']


def test_in_a_list_of_addresses_every_line_is_one() -> None:
    """`example.org/x` alone may be the path of anything; among addresses it is one."""
    listed = (
        b"# ours\nhttps://a.example/1\nexample.org/x?y=1\n\nm\xc3\xbcnchen.example:8080/\nftp://a.example/2\n"
    )

    assert pages(listed) == [
        "https://a.example/1",
        "//example.org/x?y=1",
        "//m\xfcnchen.example:8080/",
        "ftp://a.example/2",
    ]
    assert pages(listed + b"and some more words\n") == ["https://a.example/1", "ftp://a.example/2"]
    assert pages(b"docs/readme.md\nsetup.py\nv1.0/notes\n") == []


def test_a_list_of_addresses_may_be_a_single_line() -> None:
    """However long that is: cut somewhere, it would end with half an address."""
    listed = [f"https://a.example/{number:040}" for number in range(1000)]

    assert pages(" ".join(listed).encode()) == listed
    assert pages(" ".join([*listed, "and more"]).encode()) == []


def test_what_follows_an_address_in_a_table_is_not_part_of_it() -> None:
    """Standards drop tabs from addresses, which would join the columns."""
    assert pages(b"\thttps://a.example/1\t2020-01-01\nhttps://a.example/2\tx y\n") == [
        "https://a.example/1",
        "https://a.example/2",
    ]


def test_addresses_need_no_entry_around_them() -> None:
    """The root says what they are; where there are entries, it is these that count."""
    bare = "<loc>https://a.example/1</loc><loc>https://a.example/2</loc>"
    both = ["https://a.example/1", "https://a.example/2"]

    assert Sitemap(entries=[SitemapEntry(url) for url in both]) == read_sitemap(urlset(bare))
    assert read_sitemap(f"<sitemapindex>{bare}</sitemapindex>".encode()) == Sitemap(children=both)
    assert read_sitemap(urlset(bare), urls_max=1).entries == [SitemapEntry(both[0])]
    assert pages(urlset("<url><image:image><loc>/i.png</loc></image:image></url>", bare)) == []


def test_an_archive_may_have_several_members() -> None:
    """RFC 1952, 2.2: one after the other, they are one file; what is behind them is nothing."""
    body = urlset("<url><loc>/1</loc></url>", "<url><loc>/2</loc></url>")
    members = b"".join(gzip.compress(body[at : at + 20]) for at in range(0, len(body), 20))

    assert pages(members) == pages(members + b"\0\0rest") == ["/1", "/2"]
    assert read_sitemap(members, bytes_max=10) == Sitemap()


def test_an_archive_of_countless_members_costs_no_more_than_others() -> None:
    """Each member has its price; a megabyte could hold fifty thousand."""
    started = time.process_time()
    read_sitemap(gzip.compress(b"") * 100_000)

    assert time.process_time() - started < 1.0


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "windows-1250"])
def test_lists_of_addresses_may_be_in_any_encoding(encoding: str) -> None:
    """Editors choose it."""
    assert pages("https://a.example/1\r\nhttps://a.example/2\r\n".encode(encoding)) == [
        "https://a.example/1",
        "https://a.example/2",
    ]


def test_bytes_that_are_not_in_the_declared_encoding_cost_nothing_else() -> None:
    """One wrong byte is not the end of a sitemap."""
    body = urlset("<url><loc>/1</loc></url>", "<url><loc>/X</loc></url>", "<url><loc>/2</loc></url>")

    assert pages(body.replace(b"X", b"\xe9")) == ["/1", "/é", "/2"]


def test_a_prefix_may_be_on_the_address_alone() -> None:
    """What it stands for is said at the root; that of an extension stands for something else."""
    head = (
        '<urlset xmlns:a="http://www.sitemaps.org/schemas/sitemap/0.9" '
        'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">'
    )
    picture = "<image:image><image:loc>http://a.example/p.png</image:loc></image:image>"
    text = f"{head}<url><a:loc>http://a.example/1</a:loc>{picture}</url></urlset>"
    assert read_sitemap(text.encode()).entries == [SitemapEntry("http://a.example/1")]


def test_addresses_on_one_line_of_a_list_are_told_apart() -> None:
    """No address has a space in it; a sentence with one is no list."""
    found = read_sitemap(b"http://a.example/1 https://a.example/2\nsee http://a.example/3\n")
    assert [entry.url for entry in found.entries] == ["http://a.example/1", "https://a.example/2"]


def test_an_archive_may_be_packed_twice() -> None:
    """Servers compress `sitemap.xml.gz` once more; but layers without end are not undone."""
    plain = b"<urlset><url><loc>http://a.example/</loc></url></urlset>"
    packed = gzip.compress(gzip.compress(plain))
    assert read_sitemap(packed).entries == [SitemapEntry("http://a.example/")]
    for _ in range(5):
        packed = gzip.compress(packed)
    assert read_sitemap(packed) == Sitemap()
    assert read_sitemap(gzip.compress(gzip.compress(b"x" * 5000)), bytes_max=1000) == Sitemap()
