"""Of which kind is a document?"""

import pytest
from made_documents import doc, docx, epub, odt, ole, pdf, word_paragraph, zipped

from tiptoe.convert.kinds import DocumentKind, has_magic, kind_of
from tiptoe.settings.text_sections import DOCUMENT_TYPES

MADE = {
    DocumentKind.PDF: pdf([[(50, 800, 10, "text")]]),
    DocumentKind.DOC: doc(["text\r"]),
    DocumentKind.DOCX: docx(word_paragraph("text")),
    DocumentKind.ODT: odt("<text:p>text</text:p>"),
    DocumentKind.RTF: rb"{\rtf1 text}",
    DocumentKind.EPUB: epub({"a.xhtml": "<p>text"}),
    DocumentKind.TXT: b"text",
}


@pytest.mark.parametrize("kind", DocumentKind, ids=lambda kind: kind.name)
def test_every_kind_is_known_by_its_bytes(kind: DocumentKind) -> None:
    assert kind_of(MADE[kind], kind.value) is kind


@pytest.mark.parametrize(
    "kind", [kind for kind in DocumentKind if kind is not DocumentKind.TXT], ids=lambda kind: kind.name
)
def test_what_a_server_says_does_not_matter(kind: DocumentKind) -> None:
    """Half of the documents of the web are served as octet-stream."""
    assert kind_of(MADE[kind], "application/octet-stream") is kind
    assert kind_of(MADE[kind], "text/plain") is kind
    assert has_magic(MADE[kind])


def test_plain_text_is_what_a_server_calls_so() -> None:
    """Nothing tells a text from a program but its name."""
    assert kind_of(b"text", "text/plain") is DocumentKind.TXT
    assert kind_of("text".encode("utf-16"), "text/plain") is DocumentKind.TXT
    assert kind_of(b"body { color: red }", "text/css") is None


@pytest.mark.parametrize(
    "data", [b"", b"<!doctype html><p>x", b" <html>", b"\0\1\2", b"<?xml version='1.0'?>"]
)
def test_not_everything_that_is_called_plain_is_text(data: bytes) -> None:
    assert kind_of(data, "text/plain") is None


def test_other_packages_have_no_reader() -> None:
    """Spreadsheets, programs, pictures in the same wrapping."""
    assert kind_of(zipped({"xl/workbook.xml": "<x/>"}), "application/zip") is None
    assert kind_of(zipped({}, "application/vnd.oasis.opendocument.spreadsheet"), "") is None
    assert kind_of(ole({"Workbook": b"x"}), "application/msword") is None


def test_a_pdf_may_begin_late_but_a_page_about_pdf_is_none() -> None:
    assert kind_of(b"\r\n junk " + MADE[DocumentKind.PDF], "") is DocumentKind.PDF
    assert kind_of(b"<!doctype html><p>%PDF-1.4", "text/html") is None


def test_every_kind_can_be_chosen_by_the_name_it_has_in_the_settings() -> None:
    assert tuple(kind.name.lower() for kind in DocumentKind) == DOCUMENT_TYPES
