"""Items of sitemaps and feeds, also where the XML is broken."""

import pytest

from tiptoe.parse.xmlitems import Item, read_items
from tiptoe.parse.xmlrepair import readable_xml


def items_in(text: str, *names: str) -> list[list[tuple[str, str]]]:
    """Return names and texts of the children of each item."""
    found: list[Item] = []

    def take(item: Item) -> bool:
        found.append(item)
        return len(found) < 3

    read_items(text.encode(), names or ("url",), take)
    return [[(child.name, child.text) for child in item.children] for item in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<s><url><loc> a </loc><P:Mod xmlns:P='u'>b</P:Mod></url></s>", [[("loc", "a"), ("mod", "b")]]),
        ("<s><url><loc>a<b>c</b></loc><x>1</x></url></s>", [[("x", "1")]]),
        ("<s><url><loc>a&unknown;b</loc><x>1</x></url></s>", [[("x", "1")]]),
        ("<s><url><loc>a?b=1&c=2&amp;d</loc></url></s>", [[("loc", "a?b=1&c=2&d")]]),
        ("<s><url><loc><![CDATA[a&b;c]]></loc></url></s>", [[("loc", "a&b;c")]]),
        ("<s><url><loc>a</loc><url><loc>b</loc></url></s>", [[("loc", "a")], [("loc", "b")]]),
        ("<s><url><loc>a</loc></url><url><loc>htt", [[("loc", "a")]]),
        ("<s><url/><url/><url/><url/></s>", []),
        ("<s>" + "<url></url>" * 5 + "</s>", [[], [], []]),
        ("", []),
        ("<", []),
    ],
)
def test_items_are_what_is_complete(text: str, expected: list[list[tuple[str, str]]]) -> None:
    """No text with a hole in it, no half address, and no more than are wanted."""
    assert items_in(text) == expected


def test_a_file_without_any_item_is_not_parsed_at_all() -> None:
    assert readable_xml(b"<html><body>no sitemap</body></html>") == b""
