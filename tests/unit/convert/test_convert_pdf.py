"""What is printed on the pages of a PDF?"""

import pytest
from made_documents import Placed, pdf

from tiptoe.convert.pdf import read_pdf
from tiptoe.convert.reading import Reason, Unreadable

WIDE = "a line that is long enough to reach the right edge of its column"


def lines(*texts: str, top: float = 700) -> list[Placed]:
    return [(50, top - 12 * number, 10, text) for number, text in enumerate(texts)]


def test_lines_become_paragraphs_and_broken_words_are_whole() -> None:
    page = [*lines(WIDE, "and ends in the middle of a para-", "graph."), *lines("Another one.", top=640)]
    assert read_pdf(pdf([page])).paragraphs == [
        f"{WIDE} and ends in the middle of a paragraph.",
        "Another one.",
    ]


def test_a_heading_is_known_by_its_size() -> None:
    page = [(50, 720, 16, "Heading"), *lines("Text.")]
    assert read_pdf(pdf([page])).paragraphs == ["Heading", "Text."]


def test_a_sentence_goes_on_over_the_foot_of_the_page() -> None:
    assert read_pdf(pdf([lines("It begins here,"), lines("ends there.")])).paragraphs == [
        "It begins here, ends there."
    ]


def test_running_heads_and_page_numbers_are_dropped() -> None:
    """They would stand in the middle of sentences."""
    bodies = [[f"{place} of {page}." for place in ("One", "Two", "Three", "Four")] for page in "abcd"]
    pages = [
        [(50, 800, 10, "Yearbook"), *lines(*body), (300, 20, 10, str(number))]
        for number, body in enumerate(bodies)
    ]
    text = " ".join(read_pdf(pdf(pages)).paragraphs)
    assert text == " ".join(line for body in bodies for line in body)


def test_links_title_and_language_are_found() -> None:
    found = read_pdf(pdf([lines("See www.b.example/x, too.")], link="http://a.example/", title="Titul"))
    assert found.links == ["http://a.example/", "http://www.b.example/x"]
    assert (found.title, found.language) == ("Titul", "cs-CZ")


def test_pages_without_letters_are_no_text() -> None:
    """A scan."""
    with pytest.raises(Unreadable) as caught:
        read_pdf(pdf([[]]))
    assert caught.value.reason is Reason.NO_TEXT


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4", b"%PDF-1.4\n" + b"\xff" * 1000])
def test_what_is_no_pdf_is_broken(data: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        read_pdf(data)
    assert caught.value.reason is Reason.BROKEN


def test_a_pdf_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    """PDFium finds objects also without their table."""
    whole = pdf([lines("Text.")])
    assert read_pdf(whole[: whole.index(b"xref")] + b"trailer<</Root 1 0 R>>").paragraphs == ["Text."]


def test_a_locked_pdf_says_so() -> None:
    locked = pdf([lines("Text.")]).replace(
        b"trailer<<",
        b"trailer<</ID[(0123456789abcdef)(0123456789abcdef)]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O("
        + b"o" * 32
        + b")/U("
        + b"u" * 32
        + b")>>",
    )
    with pytest.raises(Unreadable) as caught:
        read_pdf(locked)
    assert caught.value.reason is Reason.ENCRYPTED
