"""What stands in an e-book?"""

import pytest
from made_documents import epub, zipped

from tiptoe.convert.epub import read_epub
from tiptoe.convert.reading import Reason, Unreadable

PAGES = {
    "b.xhtml": "<html><body><h1>První</h1><p>Text &amp; text.</p><a href='a.xhtml'>dál</a></body></html>",
    "a.xhtml": "<html><body><p>Druhá <a href='https://a.example/x'>strana</a></p></body></html>",
}


def reason_of(data: bytes) -> Reason:
    with pytest.raises(Unreadable) as caught:
        read_epub(data)
    return caught.value.reason


def test_pages_come_in_the_order_of_the_spine() -> None:
    found = read_epub(epub(PAGES))
    assert found.paragraphs == ["První", "Text & text.", "dál", "Druhá strana"]
    assert (found.title, found.language) == ("Kniha", "cs")


def test_links_within_the_book_lead_nowhere() -> None:
    assert read_epub(epub(PAGES)).links == ["https://a.example/x"]


def test_locked_pages_are_locked_and_scrambled_fonts_are_not() -> None:
    """Most books with an encryption file only hide their fonts."""
    font = '<e><CipherReference URI="OEBPS/font.otf"/></e>'
    page = '<e><CipherReference URI="OEBPS/a.xhtml"/></e>'
    assert read_epub(epub(PAGES, encryption=font)).paragraphs
    assert reason_of(epub(PAGES, encryption=page)) is Reason.ENCRYPTED


def test_a_page_that_is_missing_costs_only_itself() -> None:
    book = epub({"a.xhtml": "<p>text", "../../../etc/passwd": ""})
    assert read_epub(book).paragraphs == ["text"]


@pytest.mark.parametrize(
    "data", [b"PK", zipped({"x": "y"}), zipped({"META-INF/container.xml": "<x"}), epub({})]
)
def test_what_is_no_book_is_broken(data: bytes) -> None:
    assert reason_of(data) is Reason.BROKEN


@pytest.mark.parametrize("empty", ["<title/>", '<script src="x.js"/>', "<style/>", "<iframe/>", "<object/>"])
def test_a_chapter_goes_on_after_an_empty_element(empty: str) -> None:
    """Chapters are XML: one that begins with an empty title would be lost without a word."""
    chapter = f"<html><head>{empty}</head><body><p>Text.</p>{empty}<p>Konec.</p></body></html>"
    assert read_epub(epub({"a.xhtml": chapter})).paragraphs == ["Text.", "Konec."]
