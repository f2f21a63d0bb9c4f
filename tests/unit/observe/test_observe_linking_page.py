"""The archive knows which page led to another one."""

from pathlib import Path

import pytest

from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.observe.linking_page import linking_page
from tiptoe.write.warc import WarcInfo, WarcWriter

URL = "https://a.example/missing"
INFO = WarcInfo(software="tiptoe", operator="o", user_agent="tiptoe", hostname="box")


def make_answer(url: str) -> Answer:
    return Answer(
        url=url, status=404, request_block=b"GET / HTTP/1.1\r\n\r\n", header_block=b"HTTP/1.1 404 No\r\n\r\n",
        headers=Headers([]), body=b"", truncated=None, address="192.0.2.1", started_at=1.0, seconds=0.1,
    )  # fmt: skip


@pytest.fixture
def archive(tmp_path: Path) -> WarcWriter:
    return WarcWriter(tmp_path, "h1", info=INFO, size_max=10**9, compression_level=1)


def flush(writer: WarcWriter) -> None:
    for files in writer.files:
        files.flush()


def test_the_page_behind_the_last_visit_is_named(archive: WarcWriter, tmp_path: Path) -> None:
    """While the file is still being written, too."""
    archive.write_exchange(make_answer("https://a.example/"), metadata={"via": "https://b.example/"})
    archive.write_exchange(make_answer(URL), metadata={"via": "https://a.example/"})
    flush(archive)
    assert linking_page(tmp_path, URL) == "https://a.example/"


def test_of_a_seed_and_of_what_was_never_visited_no_page_is_named(
    archive: WarcWriter, tmp_path: Path
) -> None:
    archive.write_exchange(make_answer(URL), metadata={})
    flush(archive)
    assert linking_page(tmp_path, URL) == ""
    assert linking_page(tmp_path, "https://a.example/never") == ""


def test_a_damaged_archive_names_no_page(archive: WarcWriter, tmp_path: Path) -> None:
    archive.write_exchange(make_answer(URL), metadata={"via": "https://a.example/"})
    flush(archive)
    (path,) = (tmp_path / "warc").glob("*.warc.gz*")
    path.write_bytes(b"x" * path.stat().st_size)
    assert linking_page(tmp_path, URL) == ""
