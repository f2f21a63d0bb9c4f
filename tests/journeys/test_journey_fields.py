"""Fields by rule, from the file of rules to the report that a site has changed."""

import json
from pathlib import Path

import pytest
from journey_crawl import Crawl, tiptoe
from journey_servers import html, scripted_server
from test_journey_hostile import BOUNDS, crawl_of

from tiptoe.cli.exits import Exit

pytestmark = pytest.mark.journey

RULES = """
[[rule]]
name = "books"
paths = ["/book*"]
[rule.fields]
price = { css = "article > b.price", type = "number" }
isbn = { xpath = "//dt[.='ISBN']/following-sibling::dd[1]" }
maker = { jsonld = "Book.publisher" }
"""
BOOKS = 11
STRUCTURED = b'<script type="application/ld+json">{"@type": "Book", "publisher": {"name": "Ves"}}</script>'


def book(number: int) -> bytes:
    text = (
        f"<title>Book {number}</title><article><h1>Book number {number}</h1>"
        f"<p>The story of a mill, told for the {number}th time, with a miller and {number} cats.</p>"
        f"<b class=price>{number},50 Kč</b><dl><dt>Number<dd>{number}</dl></article>"
    )
    return STRUCTURED + text.encode()


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """A crawl with rules, of which one finds nothing, and a page that would keep selectors busy for years."""
    folder = tmp_path_factory.mktemp("fields")
    (folder / "fields.toml").write_text(RULES, encoding="utf-8")
    links = "".join(f"<a href=/book{number}>{number}</a> " for number in range(BOOKS)).encode()
    deep = b"<article>" * 4000 + b"<b>Down here is some text about a mill.</b>"
    scripts = {"/": html(b"<p>All the books of our mill." + links + b"<a href=/book-deep>x</a>")}
    scripts |= {f"/book{number}": html(book(number)) for number in range(BOOKS)}
    scripts["/book-deep"] = html(deep)
    with (
        scripted_server(scripts) as server,
        crawl_of(folder, server.origin + "/", text__fields=str(folder / "fields.toml"), **BOUNDS) as crawl,
    ):
        crawl.run()
    return crawl


def test_documents_have_the_fields_of_the_rules(crawl: Crawl) -> None:
    fields = {document["url"].rpartition("/")[2]: document["fields"] for document in crawl.documents()}
    assert fields["book7"] == {"price": 7.5, "isbn": None, "maker": "Ves"}
    assert fields[""] == fields["book-deep"] == {"price": None, "isbn": None, "maker": None}
    assert len(fields) == BOOKS + 2
    assert "lost" not in (crawl.out / "log" / "keeper.log").read_text()


def test_a_rule_that_finds_nothing_is_reported_by_host(crawl: Crawl) -> None:
    assert "rule books.isbn: matched 0 of 12 pages of 127.77.0.1 since 20" in crawl.console
    assert "books.price: matched 0" not in crawl.console
    told = json.loads(tiptoe("stats", str(crawl.out), "--json").stdout)["fields"]
    assert [(one["rule"], one["pages"], one["matched"], one["has_stopped"]) for one in told] == [
        ("books.isbn", 12, 0, True), ("books.maker", 12, 11, False), ("books.price", 12, 11, False),
    ]  # fmt: skip


def test_rules_are_tried_on_archived_pages_and_remembered(crawl: Crawl, tmp_path: Path) -> None:
    url = next(url for url in crawl.urls() if url.endswith("/book3"))
    tried = tiptoe("fields", "try", str(crawl.out), url, "--crawl", str(crawl.out))
    assert (tried.returncode, "3.5  by css = article > b.price" in tried.stdout) == (Exit.DONE, True)
    unknown = tiptoe("fields", "try", str(crawl.out), url + "x", "--crawl", str(crawl.out))
    assert (unknown.returncode, "not in the archive" in unknown.stderr) == (Exit.MISTAKEN, True)

    done = tiptoe("read", str(crawl.out), "--out", str(tmp_path / "anew"), "--quiet")
    assert done.returncode == Exit.DONE, done.stderr
    anew = sorted((tmp_path / "anew" / "corpus").glob("*.jsonl"))
    lines = sorted(line for path in anew for line in path.read_bytes().splitlines())
    assert lines == sorted(
        line for path in (crawl.out / "corpus").glob("*.jsonl") for line in path.read_bytes().splitlines()
    )
