"""A forgotten page is in no catalog, wherever that is kept, and nothing has to be made anew for it."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from postgres_servers import postgres_server, why_no_postgres
from tiptoe.catalog.catalog_directory import CatalogDirectory, open_catalog
from tiptoe.catalog.catalog_update import CatalogUpdate
from tiptoe.catalog.search import SearchRequest
from tiptoe.forget.catalog_pages import forget_in_catalog, pages_in_catalog
from tiptoe.forget.journal import FileChange
from tiptoe.url.wish import read_wish
from tiptoe.write.corpus import Document

WISH = read_wish("https://a.example/private/*")
KEPT = ["https://a.example/", "https://b.example/?q=a.example/private/", "https://www.a.example/private/1"]
MEANT = ["https://a.example/private/1", "https://a.example/private/2"]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if reason := why_no_postgres():
        pytest.skip(reason)
    with postgres_server() as address:
        yield address


@pytest.fixture(params=["embedded", "postgres"])
def database(request: pytest.FixtureRequest) -> str:
    return "" if request.param == "embedded" else str(request.getfixturevalue("server"))


def line_of(url: str) -> bytes:
    document = Document(
        id=url, url=url, title="", language="cs", charset="utf-8", fetched_at="2026-09-21T14:13:27Z",
        last_modified="", depth=0, digest="", warc_file="", warc_offset=0, paragraphs=[f"voda {url}"],
    )  # fmt: skip
    return msgspec.json.encode(document) + b"\n"


def update(directory: Path, database: str, *, committed: int | None = None) -> None:
    """Bring a catalog up to date; FilesChanged if it would have to be made anew."""
    place = CatalogDirectory(directory, database)
    sizes = None if committed is None else {"corpus/t-00001.jsonl": committed}
    writer = place.current_writer()
    if writer is None:
        with place.held(), place.new_writer() as new:
            CatalogUpdate(directory, new).run(sizes)
        return
    try:
        CatalogUpdate(directory, writer).run(sizes)
    finally:
        writer.close()


def texts(directory: Path, database: str) -> list[str]:
    with open_catalog(directory, database) as catalog:
        entries = [catalog.document(url) for url in KEPT]
    return [entry.described.full_text for entry in entries if entry is not None]


def found(directory: Path, database: str) -> list[str]:
    with open_catalog(directory, database) as catalog:
        return sorted(hit.url for hit in catalog.search(SearchRequest(query="voda", limit=100)).hits)


@pytest.mark.parametrize("is_read_to_the_end", [True, False])
def test_forgotten_pages_leave_the_catalog_and_it_reads_on(
    tmp_path: Path, database: str, is_read_to_the_end: bool
) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "catalog" / "imports").mkdir(parents=True)
    lines = [line_of(url) for url in (MEANT[0], *KEPT, MEANT[1])]
    corpus = tmp_path / "corpus" / "t-00001.jsonl"
    corpus.write_bytes(b"".join(lines))
    if not is_read_to_the_end:
        corpus = corpus.rename(tmp_path / "corpus" / "t-00001.jsonl.open")
    update(tmp_path, database, committed=None if is_read_to_the_end else sum(map(len, lines[:2])))
    corpus = corpus.rename(tmp_path / "corpus" / "t-00001.jsonl")
    before = pages_in_catalog(tmp_path, database, WISH)
    change = FileChange(corpus.stat().st_size, sum(map(len, lines[1:-1])), 2)
    corpus.write_bytes(b"".join(lines[1:-1]))

    for _ in range(2):  # also by whoever goes on after a crash
        forget_in_catalog(tmp_path, database, WISH, {"corpus/t-00001.jsonl": change}, now=1_790_000_000.0)

    assert before == (2 if is_read_to_the_end else 1)
    assert pages_in_catalog(tmp_path, database, WISH) == 0
    assert set(texts(tmp_path, database)) <= {"", *(f"voda {url}" for url in KEPT)}
    update(tmp_path, database)
    assert found(tmp_path, database) == sorted(KEPT)
    assert texts(tmp_path, database) == [f"voda {url}" for url in KEPT]


def test_imported_descriptions_are_forgotten_too(tmp_path: Path) -> None:
    folder = tmp_path / "catalog" / "imports"
    folder.mkdir(parents=True)
    (tmp_path / "corpus").mkdir()
    others = (MEANT[0], "HTTP://A.Example:80/x/../private/2", KEPT[0])  # as its maker has spelt it
    texts = [f"@DOCUMENT {{ {url}\ntitle{{4}}:\tvoda\n}}\n" for url in others]
    (folder / "others.soif").write_text("".join(texts))
    update(tmp_path, "")
    assert len(found(tmp_path, "")) == 3

    forget_in_catalog(tmp_path, "", WISH, {}, now=1_790_000_000.0)

    assert "private" not in (folder / "others.soif").read_text()
    update(tmp_path, "")
    assert found(tmp_path, "") == KEPT[:1]
    assert json.loads((tmp_path / "catalog" / "current.json").read_text())["generation"] == 1
