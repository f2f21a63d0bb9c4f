"""Which texts do files of a folder bring?"""

import gzip
from pathlib import Path

from made_sources import WORDS, intake, write_archive

from tiptoe.ingest.file_intake import take_file
from tiptoe.ingest.page_intake import ReadText
from tiptoe.ingest.source_files import FileKind, kind_of_file, list_sources
from tiptoe.write.corpus import Document

RSS = f"""<?xml version="1.0"?><rss xmlns:content="x"><channel><title>Feed</title>
<item><title>One &amp; only</title><link>https://a.example/1</link><description>short</description>
<content:encoded><![CDATA[<p>{WORDS} <b>první</b>.</p><p>{"Dále. " * 2000}</p>]]></content:encoded>
<pubDate>Fri, 02 Jan 2026 03:04:05 GMT</pubDate></item>
<item><title>Two</title><description>&lt;p&gt;{WORDS} druhý.&lt;/p&gt;</description></item>
<item><title>Nothing</title></item></channel></rss>"""


def documents(path: Path) -> list[Document]:
    with intake(text__duplicity=False) as reader:
        found = list(take_file(path, reader))
    return [one.document for one in found if isinstance(one, ReadText)]


def reasons(path: Path, **given: object) -> list[str]:
    with intake(**given) as reader:
        return [str(one) for one in take_file(path, reader) if not isinstance(one, ReadText)]


def test_a_page_has_its_file_for_an_address_and_an_id_that_stays(tmp_path: Path) -> None:
    path = tmp_path / "strana č.1.html"
    path.write_bytes(f"<title>T</title><p>{WORDS} vše.".encode("windows-1250"))
    (found,) = documents(path)
    assert (found.url, found.title, found.text) == (path.as_uri(), "T", f"{WORDS} vše.")
    assert (found.warc_file, found.charset) == (path.name, "windows-1250")
    assert documents(path) == [found]
    (tmp_path / "packed.html.gz").write_bytes(gzip.compress(path.read_bytes()))
    (packed,) = documents(tmp_path / "packed.html.gz")
    assert packed.text == found.text


def test_a_page_is_recognised_by_its_first_bytes_where_its_name_says_nothing(tmp_path: Path) -> None:
    """wget names pages after their address: `index.php?id=3`, `index.html?lang=cs`, `news`."""
    page = f"<!DOCTYPE html><title>T</title><p>{WORDS} vše."
    for name in ("index.php?id=3", "index.html?lang=cs", "news", "a.xhtml"):
        (tmp_path / name).write_text(page)
        assert [one.text for one in documents(tmp_path / name)] == [f"{WORDS} vše."], name
    (tmp_path / "data").write_bytes(bytes(range(256)))
    assert reasons(tmp_path / "data") == ["not_html"]


def test_documents_are_read_by_their_readers(tmp_path: Path) -> None:
    (tmp_path / "a.rtf").write_bytes(b"{\\rtf1 Vltava is a river.}")
    (tmp_path / "a.txt").write_text(f"{WORDS} vše.\n")
    assert [one.text for name in ("a.rtf", "a.txt") for one in documents(tmp_path / name)] == [
        "Vltava is a river.",
        f"{WORDS} vše.",
    ]
    assert [one.type for one in documents(tmp_path / "a.rtf")] == ["application/rtf"]


def test_a_feed_gives_the_longest_text_of_each_entry(tmp_path: Path) -> None:
    path = tmp_path / "feed"
    path.write_text(RSS)
    first, second = documents(path)
    assert (first.url, first.title, first.fetched_at[:10]) == (
        "https://a.example/1", "One & only", "2026-01-02",
    )  # fmt: skip
    assert first.paragraphs[0] == f"{WORDS} první."
    assert (second.url, second.text) == (f"{path.as_uri()}#2", f"{WORDS} druhý.")
    atom = tmp_path / "atom.xml"
    atom.write_text(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>A</title><link href='https://a.example/a'/>"
        f"<content type='text'>{WORDS} 1 &lt; 2</content></entry></feed>"
    )
    assert [one.text for one in documents(atom)] == [f"{WORDS} 1 < 2"]
    json = tmp_path / "feed.json"
    json.write_text(
        '{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "https://a.example/j", '
        f'"content_html": "<p>{WORDS} json"}}, {{"summary": ""}}]}}'
    )
    assert [one.text for one in documents(json)] == [f"{WORDS} json"]


def test_what_gives_no_text_has_its_reason(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "nothing.bin").write_bytes(bytes(100))
    (tmp_path / "empty.html").write_bytes(b"")
    (tmp_path / "big.html").write_bytes(b"<p>x" * 10_000)
    (tmp_path / "sitemap.xml").write_text("<?xml version='1.0'?><urlset><url><loc>x</loc></url></urlset>")
    (tmp_path / "robots.txt").write_text(f"User-agent: *\n# {WORDS}\nDisallow: /private/\n")
    names = ("picture.png", "nothing.bin", "empty.html", "sitemap.xml", "none", "robots.txt")
    assert [reasons(tmp_path / name) for name in names] == [
        ["not_html"], ["not_html"], ["no_text"], ["link_source"], ["missing"], ["rules"],
    ]  # fmt: skip
    assert reasons(tmp_path / "big.html", fetch__decoded_max="10KiB") == ["too_big"]


def test_files_are_taken_in_order_and_known_by_their_bytes(tmp_path: Path) -> None:
    """A name says nothing: archives are called .gz, mail has no ending at all."""
    write_archive(tmp_path / "b.gz", 1)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1").write_bytes(b"From x@x.example Fri Jan  2 2026\nSubject: a\n\nb\n")
    (tmp_path / "c.html").write_text("<p>x")
    (tmp_path / "d.warc.gz").write_bytes(b"\x1f\x8b\x08damaged")
    (tmp_path / "link").symlink_to(tmp_path)
    found = list(list_sources([tmp_path]))
    assert [(file.path.name, kind_of_file(file.path)) for file in found] == [
        ("b.gz", FileKind.WARC), ("c.html", FileKind.SINGLE), ("d.warc.gz", FileKind.WARC),
        ("1", FileKind.MAIL),
    ]  # fmt: skip
