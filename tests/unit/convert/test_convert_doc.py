"""What stands in a text of Word 97?"""

import struct

import pytest
from made_documents import doc, ole

from tiptoe.convert.doc import read_doc
from tiptoe.convert.reading import Reason, Unreadable


def reason_of(data: bytes) -> Reason:
    with pytest.raises(Unreadable) as caught:
        read_doc(data)
    return caught.value.reason


def test_pieces_of_both_widths_make_one_text() -> None:
    """Word writes what is Latin in one byte a character, and the rest in two."""
    found = read_doc(doc([b"Kdy\x9e ", "přišel čas,\rod", b"e\x9ael.\r"]))
    assert found.paragraphs == ["Když přišel čas,", "odešel."]
    assert found.language == "cs-CZ"


def test_fields_give_their_result_and_links_their_target() -> None:
    inner = '\x13 HYPERLINK "http://a.example/x" \x14odkaz\x15'
    found = read_doc(doc([f"viz {inner}, str. \x13 PAGE \x14{inner}7\x15\x13 TOC \x15.\r"]))
    assert found.paragraphs == ["viz odkaz, str. odkaz7."]
    assert found.links == ["http://a.example/x"]


def test_cells_and_pages_end_paragraphs_and_anchors_are_no_text() -> None:
    assert read_doc(doc(["a\x07b\x0cc\x01\x08\x02d\x1ee\x1ff\r"])).paragraphs == ["a", "b", "cd-ef"]


def test_notes_are_read_and_what_follows_them_is_not() -> None:
    """Headers, comments and text for macros come after the notes."""
    assert read_doc(doc(["text\r", "note\r"], notes=5)).paragraphs == ["text", "note"]


def test_locked_and_older_texts_say_so() -> None:
    assert reason_of(doc(["x\r"], flags=0x0100)) is Reason.ENCRYPTED
    assert reason_of(doc(["x\r"], version=0x68)) is Reason.UNSUPPORTED
    assert reason_of(ole({"EncryptedPackage": b"x"})) is Reason.ENCRYPTED


def test_a_text_that_lies_outside_of_the_file_is_broken() -> None:
    broken = bytearray(doc(["x\r"]))
    at = broken.find(struct.pack("<HH", 0xA5EC, 0xC1))
    struct.pack_into("<II", broken, at + 0x1A2, 0xFFFFFF00, 0xFFFFFFFF)
    assert reason_of(bytes(broken)) is Reason.BROKEN


@pytest.mark.parametrize(
    "data", [b"", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", doc(["x\r"])[:700], ole({"A": b""})]
)
def test_what_is_no_text_of_word_is_broken(data: bytes) -> None:
    assert reason_of(data) is Reason.BROKEN
