"""What stands in a plain text file?"""

import pytest

from tiptoe.convert.plain import read_plain
from tiptoe.convert.reading import Reason, Unreadable

LINE = "this is a line of some sixty characters, as in a mail or RFC"


def paragraphs(text: str) -> list[str]:
    return read_plain(text.encode(), "").paragraphs


def test_each_long_line_is_a_paragraph() -> None:
    assert paragraphs(f"{LINE * 5}\nshort\n\n{LINE * 5}") == [LINE * 5, "short", LINE * 5]


def test_wrapped_lines_are_joined_up_to_an_empty_or_short_one() -> None:
    assert paragraphs(f"{LINE}\n{LINE}\nend.\n{LINE}\n{LINE}\n\n{LINE}") == [
        f"{LINE} {LINE} end.", f"{LINE} {LINE}", LINE,
    ]  # fmt: skip


def test_entries_of_a_list_stand_apart_and_set_in_lines_begin_paragraphs() -> None:
    assert paragraphs(f"{LINE}\n- {LINE}\n- {LINE}\n   {LINE}\n{LINE}") == [
        LINE, f"- {LINE}", f"- {LINE}", f"{LINE} {LINE}",
    ]  # fmt: skip


def test_a_text_that_is_set_in_as_a_whole_is_still_joined() -> None:
    assert paragraphs(f"   {LINE}\n   {LINE}\n   {LINE}") == [f"{LINE} {LINE} {LINE}"]


def test_words_broken_at_the_end_of_a_line_are_whole() -> None:
    assert paragraphs(f"{LINE} exam-\nple {LINE}") == [f"{LINE} example {LINE}"]


@pytest.mark.parametrize("charset", ["utf-8", "windows-1250", "iso-8859-2", "utf-16"])
def test_the_charset_is_found_also_when_its_server_is_wrong(charset: str) -> None:
    text = "Příliš žluťoučký kůň úpěl ďábelské ódy. Šťastný věšák žije v chatrči." * 3
    assert read_plain(text.encode(charset), "").paragraphs == [text]
    assert read_plain(text.encode(charset), "us-ascii").paragraphs == [text]


def test_addresses_are_links() -> None:
    found = read_plain(b"See http://a.example/(x) (and https://b.example/?q=1), <http://c.example>.", "")
    assert found.links == ["http://a.example/(x)", "https://b.example/?q=1", "http://c.example"]


def test_nothing_is_no_text() -> None:
    with pytest.raises(Unreadable) as caught:
        read_plain(b" \n\0\n ", "")
    assert caught.value.reason is Reason.NO_TEXT
