"""What a page says of itself, wherever it says it."""

import json
import time
from html import escape
from typing import Any

import pytest

from tiptoe.parse.html import read_page
from tiptoe.parse.page_metadata import PageMetadata
from tiptoe.parse.titles import without_host


def described(html: str) -> PageMetadata:
    return read_page(html, agent="tiptoe").described


def article(**said: Any) -> str:
    node = {"@context": "https://schema.org", "@type": "NewsArticle", **said}
    return f'<script type="application/ld+json">{json.dumps(node)}</script>'


def test_everything_is_read_from_structured_data() -> None:
    found = described(
        "<title>T</title>"
        + article(
            headline="Mlýn &amp; řeka",
            author=[{"@type": "Person", "name": "Jan Novák"}, {"name": "Eva Malá"}],
            datePublished="2024-05-01T10:00:00+02:00",
            dateModified="2024-05-02",
            publisher={"name": "Noviny"},
            description="O mlýnu.",
            keywords="mlýn, řeka; voda, Mlýn",
            articleSection=["Kultura"],
            license="https://creativecommons.org/licenses/by/4.0/",
            inLanguage="cs",
        )
    )
    assert found == PageMetadata(
        title="Mlýn & řeka", authors=["Jan Novák", "Eva Malá"], published="2024-05-01", modified="2024-05-02",
        site_name="Noviny", description="O mlýnu.", keywords=["mlýn", "řeka", "voda"], categories=["Kultura"],
        language="cs", license="https://creativecommons.org/licenses/by/4.0/",
        sources=dict.fromkeys(
            ("title", "authors", "published", "modified", "site_name", "description", "keywords",
             "categories", "language", "license"), "jsonld",
        ),
    )  # fmt: skip


def test_everything_is_read_from_meta() -> None:
    found = described(
        '<html lang="cs"><head><title>T</title>'
        '<meta property="og:title" content="Mlýn"><meta property="og:site_name" content="Noviny">'
        '<meta name="citation_author" content="Novák, Jan"><meta name="citation_author" content="Malá, Eva">'
        '<meta name="DC.date.issued" content="1.5.2024">'
        '<meta property="og:updated_time" content="1714644000">'
        '<meta property="og:description" content="jiný"><meta name="description" content=" O \n mlýnu. ">'
        '<meta name="keywords" content="mlýn,voda"><meta property="article:section" content="Kultura">'
        '<meta name="dc.rights" content="CC BY 4.0">'
    )
    assert found == PageMetadata(
        title="Mlýn", authors=["Novák, Jan", "Malá, Eva"], published="2024-05-01", modified="2024-05-02",
        site_name="Noviny", description="O mlýnu.", keywords=["mlýn", "voda"], categories=["Kultura"],
        language="cs", license="CC BY 4.0",
        sources=dict.fromkeys(
            ("title", "authors", "published", "modified", "site_name", "description", "keywords",
             "categories", "language", "license"), "meta",
        ),
    )  # fmt: skip


def test_microdata_are_read_where_there_is_no_json() -> None:
    found = described(
        '<div itemscope><span itemprop="author" itemscope><b>By</b> <a itemprop="name">Jan Novák</a></span>'
        '<time itemprop="datePublished" datetime="2024-05-01">včera</time>'
        '<a itemprop="license" href="/licence">x</a>'
    )
    assert (found.authors, found.published, found.license) == (["Jan Novák"], "2024-05-01", "/licence")
    assert set(found.sources.values()) == {"microdata"}


@pytest.mark.parametrize(
    ("html", "authors", "published"),
    [
        ('<a rel="author" href="/x">Jan Novák</a><time>1. května 2024</time>', ["Jan Novák"], "2024-05-01"),
        ('<p class="Byline">By<i>Jan van Berg</i>May 1, 2024 • 5 min</p>', ["Jan van Berg"], "2024-05-01"),
        ('<p class="author">Autor: Jan Novák, Eva Malá</p>', ["Jan Novák", "Eva Malá"], None),
        ('<span class="post-date">01.05.2024</span>', None, "2024-05-01"),
        ("<h1>Mlýn</h1><p>Автор: Иван Петров</p><p>1 мая 2024</p>", ["Иван Петров"], "2024-05-01"),
        ("<h1>Mlýn</h1><p>Napsal Jan Novák</p>", ["Jan Novák"], None),
        ('<p class="byline">By Jan Berg Last Updated on May 1, 2024</p>', ["Jan Berg"], "2024-05-01"),
        ('<p class="byline">Posted by berg on Wednesday May 1, 2024</p>', ["berg"], "2024-05-01"),
        ('<p class="author">Von Thuy Le am 1. Mai 2024</p>', ["Thuy Le"], "2024-05-01"),
        ('<abbr class="published" title="2024-05-01T10:00">Wednesday</abbr>', None, "2024-05-01"),
        ('<p class="author">Jan Novák jan@a.example</p>', ["Jan Novák"], None),
        ('<p class="author">作者：王小明 责任编辑：李四</p>', ["王小明"], None),
        ('<p class="author">未知 责任编辑：李四</p>', None, None),
        ('<label class="author">Name *</label><button class="author-x">Sign In</button>', None, None),
        ('<div class="author-bio">Jan Novák has written much since he was a boy</div>', None, None),
        ("<h1>Mlýn</h1><p>The mill was built in 1850 and rebuilt by Jan Novák on May 1, 2024, when the whole "
         "village came to see it.</p>", None, None),
    ],
)  # fmt: skip
def test_what_is_shown_to_readers_is_read_last(
    html: str, authors: list[str] | None, published: str | None
) -> None:
    """Old pages say it to nobody else."""
    found = described(f"<title>Mlýn</title>{html}")
    assert (found.authors, found.published) == (authors, published)
    assert {found.sources.get("authors", "page"), found.sources.get("published", "page")} == {"page"}


def test_a_page_of_questions_was_written_by_who_asks() -> None:
    """Forums describe the page, and in it the question with its author; answers are by others."""
    question = {
        "@type": "Question", "name": "Why?", "datePublished": "2024-05-01T08:00:00Z",
        "author": {"@type": "Person", "name": "berg"},
        "acceptedAnswer": {"@type": "Answer", "author": {"name": "novak"}, "datePublished": "2024-06-01"},
    }  # fmt: skip
    page = {"@type": "QAPage", "name": "Why?", "mainEntity": question}
    found = described(f'<script type="application/ld+json">{json.dumps(page)}</script>')
    assert (found.authors, found.published) == (["berg"], "2024-05-01")


def test_the_day_of_a_question_is_not_that_of_a_comment() -> None:
    """Comments have their days marked as well, often before anything else has."""
    found = described(
        '<div itemscope><li itemprop="comment" itemscope><i itemprop="datePublished">2020-01-01</i></li>'
        '<time itemprop="dateCreated" datetime="2014-02-04 13:27:40Z">long ago</time>'
        '<div itemprop="acceptedAnswer" itemscope><time itemprop="dateCreated">2014-02-05</time></div></div>'
    )
    assert (found.published, found.sources["published"]) == ("2014-02-04", "microdata")


@pytest.mark.parametrize("name", ["dc:date", "bt:pubDate", "og:article:published_time", "date_published"])
def test_a_day_has_a_name_in_every_publishing_system(name: str) -> None:
    """Vocabularies are copied by heart: with a colon for a point, or one prefix before another."""
    found = described(f'<meta property="{name}" content="2024-05-01">')
    assert (found.published, found.sources["published"]) == ("2024-05-01", "meta")


@pytest.mark.parametrize(
    ("said", "authors"),
    [
        ("Jan Novák <jan@a.example>", ["Jan Novák"]),
        ("Jan Novák (jan@a.example), Eva Malá", ["Jan Novák", "Eva Malá"]),
        ("admin", None),
        ("Super User", None),
        ("undefined", None),
        ("name, email@a.example", None),
        ("@novak", None),
    ],
)
def test_an_author_is_somebody_with_a_name(said: str, authors: list[str] | None) -> None:
    """A corpus of texts by `admin` is a corpus of texts by nobody."""
    assert described(f'<meta name="author" content="{escape(said)}">').authors == authors


def test_a_site_is_the_author_only_where_nobody_else_is() -> None:
    own = article(author={"name": "Noviny"}, publisher={"name": "Noviny"})
    assert described(own).authors == ["Noviny"]
    assert described(own + '<p class="byline">By Jan Novák</p>').authors == ["Jan Novák"]


def test_only_the_first_of_many_who_write_is_the_author() -> None:
    """Whoever answers in a forum has not written the page."""
    posts = "".join(f'<b itemprop="author">User{number}</b>' for number in range(5))
    assert described(posts).authors == ["User0"]


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>Mlýn u řeky | Noviny</title><h1>Mlýn u řeky</h1>", "Mlýn u řeky"),
        ("<title>Mlýn u řeky | Noviny</title><h1>Noviny</h1><h1>Mlýn u řeky</h1>", "Mlýn u řeky"),
        (
            "<title>Mlýn – Noviny</title><meta property='og:site_name' content='Noviny'><h1>Vítejte</h1>",
            "Mlýn",
        ),
        ("<title>Noviny: Mlýn</title><meta property='og:site_name' content='Noviny'>", "Mlýn"),
        (
            "<title>Staré noviny: Mlýn u řeky hoří</title>"
            "<meta property='og:title' content='Mlýn u řeky hoří'>"
            "<h1>Staré noviny</h1><h3>Mlýn u řeky hoří</h3>",
            "Mlýn u řeky hoří",
        ),
        (
            "<title>Mlýn u řeky – Noviny</title>"
            "<meta property='og:title' content='Noviny'><h1>Mlýn u řeky</h1>",
            "Mlýn u řeky",
        ),
        ("<title>Mlýn - voda</title>", "Mlýn - voda"),
        ("<h1>Mlýn <i>u</i> řeky</h1>", "Mlýn u řeky"),
        ("<p>nic</p>", None),
    ],
)
def test_a_title_is_what_readers_see(html: str, title: str | None) -> None:
    assert described(html).title == title


@pytest.mark.parametrize(
    ("title", "host", "expected"),
    [
        ("Tips for spring – Old Mill", "www.oldmill.example", "Tips for spring"),
        ("Tips for spring | old-mill.example", "old-mill.example", "Tips for spring"),
        ("Tips | Garden | Old Mill", "blog.old-mill.example", "Tips | Garden"),
        ("Old Mill – tips for spring", "oldmill.example", "Old Mill – tips for spring"),
        ("Tips: Old Mill", "oldmill.example", "Tips: Old Mill"),
        ("Tips for spring | UK", "mill.co.uk", "Tips for spring | UK"),
        ("| Old Mill", "oldmill.example", "| Old Mill"),
        ("", "oldmill.example", ""),
    ],
)
def test_a_title_does_not_end_with_what_its_host_is_called(title: str, host: str, expected: str) -> None:
    """Many pages hang the name of their site on every title and say nowhere else that it is one."""
    assert without_host(title, host) == expected


def test_a_license_that_is_linked_to_is_found() -> None:
    found = described('<a href="https://a.example/l" rel="nofollow LICENSE">x</a>')
    assert (found.license, found.sources["license"]) == ("https://a.example/l", "page")


def test_nothing_said_is_nothing_known() -> None:
    assert described("<p>text</p>") == PageMetadata()


def test_hostile_pages_are_bounded_in_size_and_time() -> None:
    """Whoever builds pages to hurt us must not get more than any other page."""
    deep = '<div class="author date" itemprop="author" itemscope>' * 3000
    began = time.process_time()
    for html in (
        deep + "x" * 100_000,
        "".join(f'<meta name="keywords" content="{"k," * 5000}">' for _ in range(200)),
        '<time datetime="' + "1" * 100_000 + '">' * 20,
        "<h1>" + "a b " * 100_000 + "</h1><title>" + "a b " * 100_000,
        '<p class="byline">' + "by " * 300 + "</p>",
        article(author=[{"name": f"A B{number}" * 50} for number in range(5000)]),
    ):
        found = described(html)
        assert sum(len(str(getattr(found, name))) for name in PageMetadata.__slots__) < 20_000
    assert time.process_time() - began < 8.0
