"""A host announces the pages it has, in one file or in many."""

import deflate

from tiptoe.parse.sitemaps import read_sitemap
from tiptoe.testing.editions import BEGAN_AT
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

SHAPE = WebShape(
    hosts=20, pages_per_host=2_300, pages_spread=0.0, gone_share=0.1, sitemap_share=1.0,
    sitemap_index_share=0.5, change_seconds=1_000.0,
)  # fmt: skip
WEB = SimulatedWeb(SHAPE)
PLAIN = next(host for host in map(WEB.hosts.at, range(20)) if not host.has_sitemap_index)
INDEXED = next(host for host in map(WEB.hosts.at, range(20)) if host.has_sitemap_index)


def test_an_index_names_parts_that_hold_everything_once() -> None:
    index = read_sitemap(WEB.respond(INDEXED.name, "/sitemap.xml").body, 50_000)
    assert [url.rpartition("/")[2] for url in index.children] == [
        "sitemap-1.xml", "sitemap-2.xml.gz", "sitemap-3.xml",
    ]  # fmt: skip
    assert index.entries == []
    found = []
    for child in index.children:
        answer = WEB.respond(INDEXED.name, "/" + child.rpartition("/")[2])
        found += [entry.url for entry in read_sitemap(answer.body, 50_000).entries]
    assert found == WEB.sitemap_of(INDEXED)
    assert 1_900 < len(found) < 2_200


def test_a_compressed_part_is_a_gzip_file() -> None:
    answer = WEB.respond(INDEXED.name, "/sitemap-2.xml.gz")
    assert dict(answer.headers) == {"Content-Type": "application/gzip"}
    assert bytes(deflate.gzip_decompress(answer.body)).startswith(b"<?xml")


def test_parts_that_are_not_named_do_not_exist() -> None:
    for target in ("/sitemap-0.xml", "/sitemap-1.xml.gz", "/sitemap-2.xml", "/sitemap-4.xml", "/sitemap-"):
        assert WEB.respond(INDEXED.name, target).status == 404
    assert WEB.respond(PLAIN.name, "/sitemap-1.xml").status == 404


def test_entries_say_when_the_page_changed() -> None:
    """Hints about changes can be graded like everything else."""
    entries = read_sitemap(WEB.respond(PLAIN.name, "/sitemap.xml", now=50_000.0).body, 50_000).entries
    assert len(entries) == len(WEB.sitemap_of(PLAIN))
    for entry in entries[:50]:
        changed_at = WEB.last_change_at(entry.url, now=50_000.0)
        assert changed_at is not None
        assert entry.lastmod == int(BEGAN_AT + changed_at)
