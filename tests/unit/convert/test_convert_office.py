"""What stands in a text of Word or LibreOffice?"""

import tracemalloc

import pytest
from made_documents import WORD, docx, odt, word_paragraph, zipped

from tiptoe.convert.office import read_docx, read_odt
from tiptoe.convert.packages import Package
from tiptoe.convert.reading import Reason, Unreadable

BOMB = """<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]>"""


def reason_of(reader, data: bytes) -> Reason:  # type: ignore[no-untyped-def]
    with pytest.raises(Unreadable) as caught:
        reader(data)
    return caught.value.reason


def test_runs_of_a_paragraph_are_one_text() -> None:
    """Word cuts a sentence wherever somebody corrected a letter."""
    found = read_docx(docx(word_paragraph("Příliš žluť", "oučký kůň") + word_paragraph("Konec")))
    assert found.paragraphs == ["Příliš žluťoučký kůň", "Konec"]


def test_tabs_breaks_and_hyphens_are_characters() -> None:
    run = "<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t>"
    assert read_docx(docx(f"<w:p><w:r>{run}</w:r></w:p>")).paragraphs == ["a b", "c-d"]


def test_deleted_text_and_instructions_are_no_text() -> None:
    body = "<w:p><w:del><w:r><w:delText>smazáno</w:delText></w:r></w:del><w:r><w:t>platí</w:t></w:r></w:p>"
    assert read_docx(docx(body)).paragraphs == ["platí"]


def test_a_text_box_is_told_once_and_apart() -> None:
    """It stands in the file twice, for new and for old readers, in the middle of a paragraph."""
    box = f"<w:txbxContent>{word_paragraph('rámeček')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>před </w:t></w:r><mc:AlternateContent>"
        f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
        "<w:r><w:t>po</w:t></w:r></w:p>"
    )
    assert read_docx(docx(body)).paragraphs == ["rámeček", "před po"]


def test_links_come_from_relations_and_from_fields() -> None:
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Target="http://a.example/one" TargetMode="External"/>'
        '<Relationship Id="r2" Target="styles.xml"/></Relationships>'
    )
    body = (
        f'<w:hyperlink r:id="r1">{word_paragraph("odkaz")}</w:hyperlink><w:hyperlink r:id="r2"/>'
        '<w:p><w:r><w:instrText> HYPERLINK </w:instrText><w:instrText>"http://a.example/two"</w:instrText></w:r></w:p>'
        + word_paragraph("viz http://a.example/three.")
    )
    found = read_docx(docx(body, relations=relations))
    assert found.links == ["http://a.example/one", "http://a.example/two", "http://a.example/three"]


def test_title_language_and_notes_are_read() -> None:
    core = '<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Titul</dc:title></c>'
    word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    styles = f'<w:styles {word}><w:lang w:val="cs-CZ"/><w:lang w:val="en-US"/></w:styles>'
    notes = f"<w:footnotes {word}>{word_paragraph('poznámka')}</w:footnotes>"
    found = read_docx(docx(word_paragraph("text"), core=core, styles=styles, footnotes=notes))
    assert (found.title, found.language) == ("Titul", "cs-CZ")
    assert found.paragraphs == ["text", "poznámka"]


@pytest.mark.parametrize("target", ["word/document2.xml", "/word/document2.xml", "./word/document2.xml"])
def test_parts_are_found_by_what_the_package_says_of_them(target: str) -> None:
    """Word on the web numbers them."""
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

    def relations(**targets: str) -> str:
        each = (f'<R Type="{kinds}/{kind}" Target="{target}"/>' for kind, target in targets.items())
        return f"<Rs>{''.join(each)}</Rs>"

    package = zipped(
        {
            "_rels/.rels": relations(officeDocument=target),
            "word/_rels/document2.xml.rels": relations(
                footnotes="footnotes2.xml", styles="/word/styles2.xml"
            ),
            "word/document2.xml": f"<w:document {WORD}>{word_paragraph('text')}</w:document>",
            "word/footnotes2.xml": f"<w:footnotes {WORD}>{word_paragraph('poznámka')}</w:footnotes>",
            "word/styles2.xml": f'<w:styles {WORD}><w:lang w:val="cs-CZ"/></w:styles>',
        }
    )
    found = read_docx(package)
    assert (found.paragraphs, found.language) == (["text", "poznámka"], "cs-CZ")


def test_a_package_that_names_a_part_it_has_not_is_read_under_the_usual_name() -> None:
    wrong = '<r xmlns="x"><Relationship Type="x/officeDocument" Target="../../etc/passwd"/></r>'
    entries = {"_rels/.rels": wrong, "word/document.xml": f"<d {WORD}>{word_paragraph('text')}</d>"}
    assert read_docx(zipped(entries)).paragraphs == ["text"]


def test_a_text_that_was_moved_is_told_where_it_stands_now() -> None:
    run = "<w:r><w:t>přesunuto</w:t></w:r>"
    before, after = f"<w:moveFrom>{run}</w:moveFrom>", f"<w:moveTo>{run}</w:moveTo>"
    body = f"<w:p>{before}</w:p>{word_paragraph('text')}<w:p>{after}</w:p>"
    assert read_docx(docx(body)).paragraphs == ["text", "přesunuto"]


def test_paragraphs_headings_spaces_and_notes_of_opendocument() -> None:
    note = "<text:note><text:note-citation>1</text:note-citation><text:p>poznámka</text:p></text:note>"
    body = (
        "<text:tracked-changes><text:p>smazáno</text:p></text:tracked-changes><text:h>Nadpis</text:h>"
        f"<text:p>Dlouhý<text:s/><text:span>text</text:span>{note} zde<text:line-break/>a tam</text:p>"
        '<text:p><text:a xlink:href="https://a.example/">odkaz</text:a></text:p>'
    )
    found = read_odt(odt(body, meta="<dc:title>Titul</dc:title><dc:language>sk-SK</dc:language>"))
    assert found.paragraphs == ["Nadpis", "poznámka", "Dlouhý text zde", "a tam", "odkaz"]
    assert found.links == ["https://a.example/"]
    assert (found.title, found.language) == ("Titul", "sk-SK")


def test_what_breaks_off_gives_what_came_before() -> None:
    """Half a document is better than none."""
    whole = word_paragraph("první") + word_paragraph("druhý")
    assert read_docx(docx(whole + "<w:p><w:broken")).paragraphs == ["první", "druhý"]
    assert reason_of(read_docx, docx("<w:p><w:broken")) is Reason.BROKEN


def test_locked_documents_say_so() -> None:
    locked = odt("<text:p>x</text:p>", manifest="<manifest:encryption-data/>")
    assert reason_of(read_odt, locked) is Reason.ENCRYPTED
    packed = bytearray(docx(word_paragraph("x")))
    for at in (packed.find(b"PK\3\4", 40) + 6, packed.rfind(b"PK\1\2") + 8):
        packed[at] |= 1
    assert reason_of(read_docx, bytes(packed)) is Reason.ENCRYPTED


def test_a_bomb_costs_no_more_than_the_budget() -> None:
    """Ten megabytes that unpack to ten gigabytes."""
    bomb = zipped({"word/document.xml": b"\0" * (32 << 20)})
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable) as caught:
            Package(bomb, bytes_max=1 << 20).read("word/document.xml")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.reason is Reason.TOO_BIG
    assert peak < 8 << 20


def test_the_budget_is_for_all_entries_together() -> None:
    package = Package(zipped({"a": b"x" * 600, "b": b"x" * 600}), bytes_max=1000)
    package.read("a")
    with pytest.raises(Unreadable):
        package.read("b")


def test_too_many_entries_are_refused() -> None:
    many = zipped({f"e{number}": "" for number in range(10_001)})
    assert reason_of(Package, many) is Reason.TOO_BIG


def test_entities_are_never_expanded() -> None:
    """A billion laughs."""
    data = zipped({"word/document.xml": BOMB + "<x>&b;</x>"})
    assert reason_of(read_docx, data) is Reason.BROKEN


def test_endless_nesting_is_refused_in_little_memory() -> None:
    body = "<w:p>" * 200_000
    assert reason_of(read_docx, docx(body)) is Reason.BROKEN


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", docx(word_paragraph("x"))[:-30], zipped({"a": "b"})])
def test_broken_packages_are_broken(data: bytes) -> None:
    assert reason_of(read_docx, data) is Reason.BROKEN
    assert reason_of(read_odt, data) is Reason.BROKEN


def test_nothing_to_read_is_no_text() -> None:
    assert reason_of(read_docx, docx("<w:p/>")) is Reason.NO_TEXT
