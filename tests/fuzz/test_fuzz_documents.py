"""Whatever bytes pass for a document, a reader gives clean text or a reason, within its bounds."""

import re
import time

import pytest
from fuzz_settings import fuzz
from hypothesis import given
from hypothesis import strategies as st
from made_documents import doc, docx, epub, odt, pdf, word_paragraph

from tiptoe.convert.kinds import DocumentKind, kind_of
from tiptoe.convert.readers import read
from tiptoe.convert.reading import LINKS_MAX, Reason, TextDocument

SAMPLES = {
    DocumentKind.PDF: pdf(
        [[(50, 800, 10, "Some text"), (50, 788, 10, "goes on.")]] * 2, link="http://a.example/"
    ),
    DocumentKind.DOC: doc(['Příliš \x13 HYPERLINK "http://a.example/" \x14zde\x15.\r', b"narrow\r"]),
    DocumentKind.DOCX: docx(word_paragraph("Příliš", " žluťoučký") + word_paragraph("konec")),
    DocumentKind.ODT: odt('<text:p>Ahoj <text:a xlink:href="http://a.example/">zde</text:a></text:p>'),
    DocumentKind.RTF: rb"{\rtf1\ansi\ansicpg1250{\fonttbl{\f0\fcharset238 A;}}\f0 \u382?lu\par"
    rb'{\field{\*\fldinst HYPERLINK "http://a.example/"}}}',
    DocumentKind.EPUB: epub({"a.xhtml": "<p>Ahoj <a href='http://a.example/'>zde</a>"}),
    DocumentKind.TXT: "Příliš žluťoučký kůň http://a.example/ úpěl.\n\nKonec.".encode("windows-1250"),
}
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
RTF_SOUP = st.lists(
    st.sampled_from(
        [b"{", b"}", b"\\", b"\\par", b"\\u-1?", b"\\u99999999", b"\\'", b"\\'e1", b"\\*", b"\\bin9", b"\\f1",
         b"\\uc99", b"\\fcharset238", b"{\\fonttbl", b"\\fldinst", b' HYPERLINK "', b"\\ansicpg65001",
         b"\\ansicpg99999", b"x", b"\xff"]
    ),
    max_size=60,
).map(lambda parts: b"{\\rtf1" + b"".join(parts))  # fmt: skip


def check(kind: DocumentKind, data: bytes) -> None:
    found = read(kind, data)
    if isinstance(found, Reason):
        return
    assert isinstance(found, TextDocument)
    assert found.paragraphs
    assert len(found.links) <= LINKS_MAX
    for paragraph in (*found.paragraphs, found.title):
        assert not CONTROL.search(paragraph)
        assert paragraph == " ".join(paragraph.split())


@pytest.mark.parametrize("kind", DocumentKind, ids=lambda kind: kind.name)
@given(data=st.data())
@fuzz
def test_a_document_with_damaged_bytes_is_read_or_refused(kind: DocumentKind, data: st.DataObject) -> None:
    sample = bytearray(SAMPLES[kind])
    for at in data.draw(st.lists(st.integers(0, len(sample) - 1), max_size=8)):
        sample[at] = data.draw(st.integers(0, 255))
    check(kind, bytes(sample))


@pytest.mark.parametrize("kind", DocumentKind, ids=lambda kind: kind.name)
@given(data=st.data())
@fuzz
def test_a_document_that_breaks_off_is_read_or_refused(kind: DocumentKind, data: st.DataObject) -> None:
    sample = SAMPLES[kind]
    check(kind, sample[: data.draw(st.integers(0, len(sample)))] + data.draw(st.binary(max_size=20)))


@pytest.mark.parametrize("kind", DocumentKind, ids=lambda kind: kind.name)
@given(data=st.binary(max_size=300))
@fuzz
def test_any_bytes_are_read_or_refused(kind: DocumentKind, data: bytes) -> None:
    check(kind, data)
    kind_of(data, "text/plain")


@given(RTF_SOUP)
@fuzz
def test_any_mixture_of_control_words_is_read_or_refused(data: bytes) -> None:
    check(DocumentKind.RTF, data)


@given(st.lists(st.text(max_size=120), max_size=40))
@fuzz
def test_letters_of_a_plain_text_all_come_through(lines: list[str]) -> None:
    """Joining lines moves spaces and hyphens, never a letter."""
    text = "\n".join(lines)
    found = read(DocumentKind.TXT, text.encode("utf-8", "replace"))
    if isinstance(found, TextDocument) and found.charset == "utf-8":
        letters = [char for char in text.encode("utf-8", "replace").decode() if char.isalnum()]
        assert [char for char in "".join(found.paragraphs) if char.isalnum()] == letters


HOSTILE = {
    "nested groups": (DocumentKind.RTF, b"{\\rtf1" + b"{" * 1_000_000),
    "many control words": (DocumentKind.RTF, b"{\\rtf1 x" + b"\\par" * 500_000),
    "unclosed fields": (DocumentKind.DOC, doc([b"\x13" * 20_000 + b"\x14\x15" * 1000])),
    "one long line": (DocumentKind.TXT, b"http://" * 300_000),
    "many lines": (DocumentKind.TXT, b"a line of text -\n" * 200_000),
    "brackets": (DocumentKind.TXT, b"http://a.example/" + b")" * 200_000),
    "many paragraphs": (DocumentKind.DOCX, docx("<w:p/>" * 300_000 + word_paragraph("x"))),
    "deep elements": (DocumentKind.ODT, odt("<text:span>" * 300_000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_was_made_to_take_long_does_not(name: str) -> None:
    """Each is a few megabytes; a reader that is quadratic in anything would take minutes."""
    kind, data = HOSTILE[name]
    began = time.process_time()
    check(kind, data)
    assert time.process_time() - began < 10.0
