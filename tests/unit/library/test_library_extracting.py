"""Does the library read a page as a crawl does?"""

from pathlib import Path

import pytest

from tiptoe import extract, read_corpus
from tiptoe.decide.parsing import parse_point
from tiptoe.decide.storing import store_point
from tiptoe.errors import SettingsError
from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.harvest.document import read_document
from tiptoe.harvest.extraction import Extraction

PAGE = """<html lang="cs"><head><meta charset="windows-1250"><title>Řeky</title></head><body>
<ul><li><a href="/a">Úvod</a><li><a href="b.html">Další</a></ul>
<p>Vltava je nejdelší řeka v Čechách, protéká Prahou a u Mělníka se vlévá do Labe.</p></body></html>"""


def test_bytes_give_what_a_harvester_reads_from_them() -> None:
    """One page, two texts: nobody could compare a notebook with a corpus."""
    body = PAGE.encode("windows-1250")
    headers = Headers([("Content-Type", "text/html")])
    answer = Answer(
        url="https://a.example/x/", status=200, request_block=b"", header_block=b"", headers=headers,
        body=body,
    )  # fmt: skip
    reading = read_document(
        answer, None, agent="tiptoe", decoded_max=1 << 20, parse=parse_point(), store=store_point(),
        extraction=Extraction.load(keeps_boilerplate=True),
    )  # fmt: skip

    page = extract(body, "https://a.example/x/")

    assert (page.paragraphs, page.labels) == (reading.paragraphs, reading.labels)
    assert (page.title, page.language, page.charset) == (reading.title, reading.language, reading.charset)
    assert page.html_bytes == len(body)


def test_a_string_is_not_decoded_a_second_time() -> None:
    """The page still says in which charset it once was."""
    assert extract(PAGE).paragraphs == extract(PAGE.encode("windows-1250")).paragraphs
    assert "Vltava je nejdelší řeka" in extract(PAGE).text


def test_links_are_absolute_where_the_address_is_known() -> None:
    assert extract(PAGE, "https://a.example/x/").links == [
        "https://a.example/a",
        "https://a.example/x/b.html",
    ]
    assert extract(PAGE).links == ["/a", "b.html"]


def test_what_its_owner_reserves_is_read_and_said() -> None:
    page = extract('<meta name="robots" content="noindex"><p>Text, který si majitel nepřeje ukládat.')
    assert (page.text, page.refusal) == ("Text, který si majitel nepřeje ukládat.", "noindex")


def test_a_document_that_is_no_page_is_read_too() -> None:
    page = extract(b"{\\rtf1 Vltava is a river of Bohemia.}", content_type="application/rtf")
    assert (page.text, page.type, page.refusal) == ("Vltava is a river of Bohemia.", "application/rtf", None)


def test_a_wrong_argument_is_an_error_that_names_the_right_ones(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="marked, main or all"):
        extract("<p>x", extraction="best")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=r"crawl\.json"):
        read_corpus(tmp_path)
    file = tmp_path / "x.jsonl"
    file.write_text("no document\n")
    with pytest.raises(SettingsError, match="at byte 0"):
        list(read_corpus(file))


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("HTTPS://WWW.OldMill.example:8080/x", "Tips"),
        ("http://user:secret@oldmill.example/", "Tips"),
        ("http://[::1", "Tips – Old Mill"),
        ("nonsense", "Tips – Old Mill"),
        (None, "Tips – Old Mill"),
    ],
)
def test_the_name_of_the_site_is_known_by_an_address_in_any_spelling(url: str | None, title: str) -> None:
    """A caller has the address from wherever; a page must not fail for it."""
    assert extract("<title>Tips – Old Mill</title><p>Water.</p>", url).title == title
