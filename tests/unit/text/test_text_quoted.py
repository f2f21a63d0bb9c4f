"""Paragraphs that a page quotes where it describes itself."""

from tiptoe.text.quoted import find_quoted

TEXTS = ["Menu", "Warm socks made of wool from the north", "We use cookies to make money of you"]


def test_a_paragraph_is_quoted_by_its_beginning() -> None:
    """Descriptions are cut off and put into other words further down."""
    assert find_quoted(TEXTS, '{"description": "Warm socks made of wool. Menu."}').tolist() == [0, 1, 0]


def test_short_paragraphs_are_never_quoted() -> None:
    """*Home* is in every description."""
    assert find_quoted(TEXTS, "Menu").tolist() == [0, 0, 0]
    assert find_quoted(["x" * 19, "y" * 20], f"{'x' * 19} {'y' * 20}").tolist() == [0, 1]


def test_without_an_abstract_nothing_is_quoted() -> None:
    assert find_quoted(TEXTS, "").tolist() == [0, 0, 0]
