"""What type an answer is of, whatever its server says."""

import gzip
import random

import pytest
from harvest_samples import make_answer

from tiptoe.decide.discard import Discard
from tiptoe.decide.parsing import parse_point
from tiptoe.decide.storing import store_point
from tiptoe.fetch.outcome import Answer
from tiptoe.harvest.document import Reading, read_document
from tiptoe.harvest.mediatype import declared_charset, is_media, media_type

PAGE = b"<!DOCTYPE html><title>Titul</title><p>Odstavec."
NOISE = random.Random(7).randbytes(4_000)


def typed(declared: str, body: bytes = PAGE, coding: str = "") -> Answer:
    fields = [("Content-Type", declared)] if declared else []
    return make_answer(body=body, fields=[*fields, *([("Content-Encoding", coding)] if coding else [])])


def read(answer: Answer) -> Reading:
    store = store_point()
    return read_document(answer, None, agent="tiptoe", decoded_max=1 << 20, parse=parse_point(), store=store)


@pytest.mark.parametrize(
    "declared",
    ["text/html charset=utf-8", "text/html, text/html", "text/htm", "html", "text/xml", "*/*", "TEXT/HTML;x"],
)
def test_a_page_is_one_under_a_type_that_is_nearly_right(declared: str) -> None:
    """Browsers show it."""
    assert media_type(typed(declared)) == "text/html"
    assert media_type(typed(declared, gzip.compress(PAGE), "gzip")) == "text/html"


@pytest.mark.parametrize(
    "body",
    [
        b"\n <html>",
        b"\xef\xbb\xbf<!DOCTYPE html>",
        b"<body class=x>",
        b"<p>x",
        b"<!-- a comment --><p>",
        b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">',
    ],
)
def test_without_a_type_the_first_bytes_tell_a_page(body: bytes) -> None:
    """Some old servers say nothing."""
    assert media_type(typed("", body)) == "text/html"


@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("", b"%PDF-1.4"),
        ("", b"plain words"),
        ("", b"<atom:feed>"),
        ("text/xml", b'<?xml version="1.0"?><rss><item><title>html'),
        ("text/xml", b"<!-- feed --><rss>"),
        ("application/xml", b"<p:x>"),
        ("application/pdf", PAGE),
        ("text/plain", PAGE),
    ],
)
def test_what_is_no_page_stays_what_it_is(declared: str, body: bytes) -> None:
    assert media_type(typed(declared, body)) == declared


@pytest.mark.parametrize(
    "start",
    [
        b"\xff\xd8\xff\xe0",
        b"\x89PNG\r\n\x1a\n",
        b"GIF89a",
        b"\0\0\0\x18ftypmp42",
        b"ID3\x04",
        b"\x1f\x8b\x08",
    ],
)
def test_pictures_and_sounds_that_are_sent_as_pages_are_left(start: bytes) -> None:
    """Their bytes would enter the corpus as text of some language."""
    answer = typed("text/html", start + b"\0" + NOISE)
    reading = read(answer)
    assert reading.discard is Discard.NOT_HTML


def test_bytes_that_are_no_text_in_any_charset_are_left() -> None:
    answer = typed("text/html; charset=utf-8", b"<p>" + NOISE)
    reading = read(answer)
    assert reading.discard is Discard.NOT_HTML


def test_a_document_sent_as_a_compressed_page_is_stored_aside() -> None:
    """Servers compress by type, also where the type is wrong."""
    answer = typed("text/html", gzip.compress(b"%PDF-1.4 ..."), "gzip")
    reading = read(answer)
    assert reading.discard is Discard.STORED_ASIDE


def test_an_empty_element_of_xml_does_not_swallow_the_page() -> None:
    answer = typed("application/xhtml+xml", b"<html><head><title/><script src='x'/></head><p>Odstavec.</p>")
    reading = read(answer)
    assert reading.paragraphs == ["Odstavec."]


@pytest.mark.parametrize("text", [b"RIFF is a format.", b"ID3 tags", b"BZh", b"GIF89a explained", b""])
def test_words_that_begin_like_a_picture_are_words(text: bytes) -> None:
    assert not is_media(text)


@pytest.mark.parametrize(
    ("declared", "charset"),
    [
        ("text/html; charset=utf-8", "utf-8"),
        ("text/html charset=utf-8", "utf-8"),
        ('Text/HTML;Charset="ISO-8859-2"', "ISO-8859-2"),
        ("text/html; x=1; charset = 'cp1250' ;y", "cp1250"),
        ("text/html; charset=", None),
        ("text/html; xcharset=utf-8", None),
        ("text/html", None),
    ],
)
def test_the_charset_is_found_in_any_place(declared: str, charset: str | None) -> None:
    assert declared_charset(typed(declared)) == charset
