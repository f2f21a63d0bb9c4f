"""Do the examples of the library's page do what they say?"""

import doctest
from pathlib import Path

import msgspec
import pytest

import tiptoe
from tiptoe.frontier.host import HostRecord
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table, Writes
from tiptoe.write.corpus import CorpusWriter, Document

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "library.md"


def make_document(text: str, version: int, day: int) -> Document:
    return Document(
        id=f"urn:uuid:{version}", url="https://a.example/", title="Titulek", language="cs", charset="utf-8",
        fetched_at=f"2026-11-{day}T20:26:55.659223Z", last_modified="", depth=0, digest="sha1:A",
        warc_file="h1-00001.warc.gz", warc_offset=0, paragraphs=[text], version=version, lang="cs",
    )  # fmt: skip


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """Return the directory of a small crawl that has ended: files and database."""
    directory = tmp_path / "czech"
    (directory / "log").mkdir(parents=True)
    (directory / "crawl.json").write_text('{"seeds": ["https://a.example/"], "is_seeded": true}')
    (directory / "log" / "figures-1.json").write_text('{"started_at": 1.0, "now": 2.0, "pages": 12}')
    writer = CorpusWriter(directory, "h1", encoding="utf-8", size_max=10**9)
    writer.write_document(make_document("Vltava je nejdelší řeka v Čechách a protéká Prahou. ", 1, 15))
    writer.write_document(make_document("Vltava protéká Prahou a vlévá se do Labe. !", 2, 16))
    writer.files.close()
    store = RocksStore(
        directory / "state" / "frontier", block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20
    )
    batch = Writes()
    batch.put(Table.HOST, b"a" * 8, msgspec.msgpack.encode(HostRecord("a.example", pages=12)))
    store.write(batch)
    store.close()
    return directory


def test_every_example_of_the_page_gives_what_it_shows(crawl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who begins with the library copies these lines."""
    monkeypatch.chdir(crawl.parent)
    pages = {"index": ("Home", "rivers"), "rivers": ("Rivers", "index")}
    Path("pages").mkdir()
    for name, (title, link) in pages.items():
        text = f"<title>{title}</title><p>{title} are far away. <a href={link}.html>Go on</a>"
        Path(f"pages/{name}.html").write_text(text)
    # The fence that ends a block is no output.
    text = PAGE.read_text(encoding="utf-8").replace("\n```", "\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, "library.md", str(PAGE), 0)
    assert len(examples.examples) > 20
    failed = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(examples).failed
    assert failed == 0


def test_the_page_names_everything_that_is_public() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in tiptoe.__all__ if name not in text] == ["ExtractedDocument"]
