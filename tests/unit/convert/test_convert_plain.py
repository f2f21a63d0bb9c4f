"""What stands in a plain text file?"""

import time

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


@pytest.mark.parametrize(
    "begin",
    ["28. října 1918", "28. Oktober 1918", "s. 15 a dále", "r. 1938", "2. 5. 1945", "– jak", "z. B. die"],
)
def test_a_sentence_goes_on_with_a_date_an_abbreviation_or_a_dash(begin: str) -> None:
    """Where the line happens to break says nothing."""
    line = f"{begin} {LINE[len(begin) + 1 :].strip()}"
    assert paragraphs(f"{LINE}\n{line}\n{LINE}\n{line}\n{LINE}") == [f"{LINE} {line} {LINE} {line} {LINE}"]


def test_a_date_after_an_abbreviation_is_no_entry() -> None:
    before, date = f"{LINE[:-4]} odd.", f"28. října {LINE[10:]}"
    assert paragraphs(f"{before}\n{date}\n{LINE}") == [f"{before} {date} {LINE}"]


@pytest.mark.parametrize("marks", ["1. 2. 3.", "a) b) c)", "(1) (2) (3)", "– – –", "• • •", "* * *"])
@pytest.mark.parametrize("head", [f"{LINE[:-1]}:", f"{LINE[:-1]}.", "Head"])
def test_lists_are_lists(marks: str, head: str) -> None:
    """Also when their entries are full lines, without a full stop and with a small letter after the mark."""
    letter = "T" if head.endswith(".") else "t"
    entries = [f"{mark} {letter}{LINE[1:]}" for mark in marks.split()]
    lines = [head, entries[0], LINE, *entries[1:]]
    assert paragraphs("\n".join(lines)) == [head, f"{entries[0]} {LINE}", *entries[1:]]


def test_a_date_within_an_entry_is_part_of_it() -> None:
    date = f"28. října {LINE[10:]}"
    assert paragraphs(f"1. {LINE}\n{date}\n2. {LINE}") == [f"1. {LINE} {date}", f"2. {LINE}"]


def test_a_text_of_full_lines_takes_no_longer_than_its_length_explains() -> None:
    """Quadratic, this would take minutes."""
    began = time.process_time()
    (found,) = paragraphs(f"{LINE}\n" * 100_000)
    assert len(found) == 100_000 * (len(LINE) + 1) - 1
    assert time.process_time() - began < 5


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


def test_binary_data_are_no_text() -> None:
    """Servers call anything text/plain that they do not know."""
    with pytest.raises(Unreadable):
        read_plain(bytes(range(32)) * 50 + b"text", "")
    assert read_plain("我们去公园玩。".encode("utf-16-be"), "utf-16").paragraphs == ["我们去公园玩。"]
