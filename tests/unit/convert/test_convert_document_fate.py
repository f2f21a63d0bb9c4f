"""What has become of a document that was stored aside."""

from pathlib import Path

import pytest
from stored_documents import StoredCrawl

from tiptoe.convert.document_fate import DocumentFate, StoredFate, fate_of_document


@pytest.fixture
def crawl(tmp_path: Path) -> StoredCrawl:
    return StoredCrawl(tmp_path)


def test_a_document_waits_until_it_was_converted(crawl: StoredCrawl) -> None:
    """Nobody is to be told to convert what is converted."""
    first, second = crawl.store(b"one", b"two")
    assert fate_of_document(crawl.directory, first) == StoredFate("text/plain", DocumentFate.WAITING)
    crawl.convert()
    assert fate_of_document(crawl.directory, second) == StoredFate("text/plain", DocumentFate.CONVERTED)
    (third,) = crawl.store(b"three", name="h2-0001")
    assert fate_of_document(crawl.directory, third) == StoredFate("text/plain", DocumentFate.WAITING)


def test_a_document_that_gave_no_text_is_not_said_to_be_in_the_corpus(crawl: StoredCrawl) -> None:
    (url,) = crawl.store(b"no pdf at all", type="application/pdf")
    crawl.convert()
    assert fate_of_document(crawl.directory, url) == StoredFate("application/pdf", DocumentFate.TEXTLESS)


def test_a_page_is_no_document(crawl: StoredCrawl) -> None:
    crawl.store(b"one")
    assert fate_of_document(crawl.directory, "http://a.example/") is None
