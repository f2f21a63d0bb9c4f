"""Items of sitemaps and feeds, also where the XML is broken."""

import tracemalloc

import pytest

from tiptoe.parse import xmlitems
from tiptoe.parse.xmlitems import XmlItem, read_items
from tiptoe.parse.xmltags import HOLE


def items_in(text: str, *names: str) -> list[list[tuple[str, str]]]:
    """Return names and texts of the children of each item."""
    found: list[XmlItem] = []

    def take(item: XmlItem) -> bool:
        found.append(item)
        return len(found) < 3

    read_items(text, names or ("url",), take)
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
        ("<s><url><loc>a</loc></url><url><loc>htt", [[("loc", "a")], []]),
        ("<s><url><loc>a</loc></url><url><loc>htt</lo", [[("loc", "a")], [("loc", "htt")]]),
        ("<s><url><x>1</x><loc>htt</loc><y>2", [[("x", "1"), ("loc", "htt")]]),
        ("<s><url><loc><![CDATA[htt]]", [[]]),
        ("<s><url><loc>htt<![CDATA[p]]>", [[]]),
        ("<s><url><x>1</x><loc>ht<!-- </loc>", [[("x", "1")]]),
        ("<s><url/><url/><url/><url/></s>", [[], [], []]),
        ("<s><url><loc>a</url></loc><url><loc>b</loc></url></url><url><loc>c</loc></url></s>",
         [[("loc", "a")], [("loc", "b")], [("loc", "c")]]),
        ("<s><url><loc>a<lastmod>b</lastmod></url></s>", [[("loc", "a"), ("lastmod", "b")]]),
        ("<s><url><loc><url>a</url></loc><x>1</x></url></s>", [[("loc", "a"), ("x", "1")]]),
        ("<s><url><loc>a?b<c</loc></url></s>", [[("loc", "a?b<c")]]),
        ("<s><url a=1 b='><loc>a</loc></url></s>", [[("loc", "a")]]),
        ("<s><url><i:i><i:loc>i</i:loc></i:i><LOC>a</Loc></URL></s>", [[("i", "i"), ("loc", "a")]]),
        ("<s><url><loc>a</loc></url></s><s><url><loc>b</loc></url></s>", [[("loc", "a")], [("loc", "b")]]),
        ("<s><url><loc>&#104;&#x74;&eacute;&#0;</loc><x>&#x74;&eacute;</x></url></s>", [[("x", "té")]]),
        ("<s>" + "<url></url>" * 5 + "</s>", [[], [], []]),
        ("", []),
        ("<", []),
    ],
)  # fmt: skip
def test_items_are_what_is_complete(text: str, expected: list[list[tuple[str, str]]]) -> None:
    """No text with a hole in it, no half address, and no more than are wanted."""
    assert items_in(text) == expected


@pytest.mark.parametrize("piece", ["<loc>x</loc>", "xy<a/>", "<a>xy", "<a/>"])
def test_an_item_that_never_ends_costs_little_memory(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few kilobytes unpack to many megabytes of it, and would cost the harvester twenty times as much."""
    monkeypatch.setattr(xmlitems, "CHILDREN_MAX", 100)
    monkeypatch.setattr(xmlitems, "OWN_CHARS_MAX", 1000)
    text = "<s><url>" + piece * 20_000
    tracemalloc.start()
    found = items_in(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [len(item) <= 100 for item in found] == [True]
    assert peak < 2 * len(text)


def test_a_text_of_which_only_the_beginning_is_kept_is_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """It might be half an address."""
    monkeypatch.setattr(xmlitems, "OWN_CHARS_MAX", 10)
    texts: list[str] = []

    def take(item: XmlItem) -> bool:
        texts.append(item.text)
        return True

    read_items("<s><url>http://a.example/<a/>x</url></s>", ("url",), take)
    assert [HOLE in text for text in texts] == [True]
