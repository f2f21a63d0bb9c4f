"""What stands in a Rich Text file?"""

import time

import pytest

from tiptoe.convert.reading import Reason, Unreadable
from tiptoe.convert.rtf import read_rtf


def paragraphs(body: bytes) -> list[str]:
    return read_rtf(rb"{\rtf1\ansi\ansicpg1250 " + body + b"}").paragraphs


def test_paragraphs_end_at_par_line_and_cell() -> None:
    assert paragraphs(rb"jedna\par dva\line t\'f8i\cell\row \'e8ty\'f8i") == ["jedna", "dva", "tři", "čtyři"]


def test_lines_of_the_file_are_no_lines_of_the_text() -> None:
    assert paragraphs(b"jed\r\nna") == ["jedna"]


def test_unicode_comes_with_a_fallback_that_is_passed_over() -> None:
    assert paragraphs(rb"\u382?lu\u357\'9dou\u269 cky") == ["žluťoučky"]
    assert paragraphs(rb"\uc0\u382lu\uc2\u357??ou") == ["žluťou"]
    assert paragraphs(rb"\u-10179?\u-8704?") == ["😀"]


def test_a_fallback_may_be_the_name_of_a_character() -> None:
    assert paragraphs(rb"a\u8212\emdash b\u160\~c\uc2\u8222\ldblquote xd") == ["a—b c„d"]


def test_what_stands_twice_for_old_readers_is_read_once() -> None:
    """Word writes titles so when a letter is not in the code page."""
    found = read_rtf(
        rb"{\rtf1\ansi{\info{\upr{\title P?\'edli?}{\*\ud\uc0{\title P\u345\'edli\u353 }}}{\author Nikdo}}"
        rb"a {\upr{star?}{\*\ud{star\u253?}}} b\par}"
    )
    assert (found.title, found.paragraphs) == ("Příliš", ["a starý b"])


def test_the_title_is_no_part_of_the_text() -> None:
    found = read_rtf(rb"{\rtf1\ansi\uc1{\info{\title \u381?lu\u357\'3fou\u269?k\'fd}}Text.\par}")
    assert (found.title, found.paragraphs) == ("Žluťoučký", ["Text."])


def test_bytes_are_in_the_code_page_of_their_font() -> None:
    """A Czech text with a Russian word has two."""
    fonts = rb"{\fonttbl{\f0\fcharset238 A;}{\f1\fcharset204 B;}}"
    assert paragraphs(fonts + rb"\f0 \'9eena {\f1\'e6\'e5\'ed\'e0} \'9eena") == ["žena жена žena"]


def test_a_text_begins_in_the_default_font_and_plain_returns_to_it() -> None:
    """Old Czech texts name their code page nowhere else."""
    head = rb"{\rtf1\ansi\deff0{\fonttbl{\f0\fcharset238 A;}{\f1\fcharset0 B;}}"
    assert read_rtf(head + rb"P\'f8\'edli\'9a}").paragraphs == ["Příliš"]
    assert read_rtf(head + rb"\f1 ni\'f1o \plain \'e8esky}").paragraphs == ["niño česky"]


def test_hidden_and_deleted_text_is_no_text() -> None:
    assert paragraphs(rb"a{\deleted b}{\v c}d \v e\v0 f \deleted g\plain h") == ["ad f h"]
    assert paragraphs(rb"a{\v\u382?\deleted0 x}b") == ["ab"]


def test_groups_that_are_no_text_are_passed_over() -> None:
    body = rb"{\stylesheet{\s0 Normal;}}{\*\unknown{x} y}{\pict 00ff00}{\header hlava}text{\footnote  pozn.}"
    assert paragraphs(body) == ["text pozn."]


def test_title_language_and_links_are_found() -> None:
    found = read_rtf(
        rb"{\rtf1\ansi\deflang1029{\info{\title Titul}{\author Nikdo}}"
        rb'{\field{\*\fldinst{ HYPERLINK "http://a.example/x"}}{\fldrslt{odkaz}}} konec\par}'
    )
    assert (found.title, found.language) == ("Titul", "cs-CZ")
    assert found.links == ["http://a.example/x"]
    assert found.paragraphs == ["odkaz konec"]


def test_special_characters_are_written() -> None:
    assert paragraphs(rb"\{a\}\\ b\~c \endash  \ldblquote d\rdblquote  x\_y z\-a") == [
        "{a}\\ b c – “d” x-y za"
    ]


def test_a_hundred_thousand_groups_are_refused_at_once() -> None:
    """Each level is a piece of memory."""
    began = time.process_time()
    with pytest.raises(Unreadable) as caught:
        read_rtf(rb"{\rtf1 " + b"{" * 100_000 + b"x")
    assert caught.value.reason is Reason.BROKEN
    assert time.process_time() - began < 5


def test_braces_that_do_not_match_do_no_harm() -> None:
    assert paragraphs(b"a}}}} b") == ["a b"]
    assert read_rtf(rb"{\rtf1 a {b").paragraphs == ["a b"]


@pytest.mark.parametrize("data", [b"{\\rtf1}", b"{\\rtf1{\\fonttbl text}}"])
def test_nothing_to_read_is_no_text(data: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        read_rtf(data)
    assert caught.value.reason is Reason.NO_TEXT
