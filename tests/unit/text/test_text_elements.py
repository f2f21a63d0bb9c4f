"""The table of elements."""

import pytest

from tiptoe.text.elements import ROLES, ElementDisplay, Role, display_of


def test_inline_elements_are_not_in_the_table() -> None:
    """They must neither cut a sentence nor add a space."""
    assert not {"a", "b", "i", "em", "span", "q", "sup", "font", "label", "noscript"} & set(ROLES)


@pytest.mark.parametrize(
    "raw", ["script", "style", "xmp", "iframe", "noembed", "noframes", "textarea", "plaintext"]
)
def test_elements_that_the_parser_reads_raw_are_left_out(raw: str) -> None:
    """Their tags would get through as text."""
    assert ROLES[raw] is Role.LEFT_OUT


@pytest.mark.parametrize(
    ("tag", "attributes", "expected"),
    [
        ("div", {"hidden": None}, True),
        ("div", {"hidden": ""}, True),
        ("div", {"hidden": "until-found"}, False),
        ("div", {"hidden": "", "id": "S:0"}, False),
        ("p", {"style": "color: red; DISPLAY : none"}, True),
        ("p", {"style": "border: none"}, False),
        ("p", {"aria-hidden": "true"}, False),
        ("body", {"style": "display:none"}, False),
        ("dialog", {}, True),
        ("dialog", {"open": None}, False),
        ("p", {}, False),
    ],
)
def test_an_element_is_hidden_as_its_own_attributes_say(
    tag: str, attributes: dict[str, str | None], expected: bool
) -> None:
    """What no reader sees is not part of the text; style sheets are not read."""
    assert (display_of(tag, attributes) is ElementDisplay.NONE) is expected


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("display:block", ElementDisplay.BLOCK),
        ("color:red; Display : TABLE-CELL !important", ElementDisplay.BLOCK),
        ("display: list-item;", ElementDisplay.BLOCK),
        ("display:flex;color:red", ElementDisplay.BLOCK_OF_BLOCKS),
        ("display:inline-grid", ElementDisplay.BLOCK_OF_BLOCKS),
        ("display:none;display:block", ElementDisplay.BLOCK),
        ("display:inline", ElementDisplay.AS_USUAL),
        ("display:inline-block", ElementDisplay.AS_USUAL),
        ("display", ElementDisplay.AS_USUAL),
        ("", ElementDisplay.AS_USUAL),
    ],
)
def test_a_style_may_make_a_block_of_an_element(style: str, expected: ElementDisplay) -> None:
    """Words of two blocks are not one word."""
    assert display_of("span", {"style": style}) is expected
