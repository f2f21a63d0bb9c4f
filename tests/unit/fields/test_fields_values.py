"""Texts become typed values."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from tiptoe.fields.field_rule import FieldRule
from tiptoe.fields.field_value import FieldValue, read_number, read_value
from tiptoe.fields.jsonld_path import JsonldError, compile_jsonld
from tiptoe.fields.page_tree import PageTree
from tiptoe.parse.jsonld import StructuredData


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 299,50 Kč", 1299.5),
        ("CHF 1'299.50", 1299.5),
        ("1,299.50", 1299.5),
        ("1.299,50 €", 1299.5),
        ("$1,299", 1299),
        ("0,299 kg", 0.299),
        ("3,5", 3.5),
        ("1.299", 1.299),
        ("1.299.000", 1299000),
        ("−4", -4),
        ("4.0", 4.0),
        ("ISBN", None),
        ("", None),
        ("9" * 400, None),
    ],
)
def test_a_number_is_read_as_people_write_it(text: str, expected: float | None) -> None:
    found = read_number(text)
    assert found == expected if len(text) < 100 else found is None or isinstance(found, float)


def test_the_sign_before_decimals_can_be_told() -> None:
    assert read_number("1.299", decimal=",") == 1299
    assert read_number("1,299", decimal=",") == 1.299


@pytest.mark.parametrize(
    ("type", "texts", "expected"),
    [
        ("text", ["", " a \n b ", "c"], "a b"),
        ("list", ["b", " a", "b", ""], ["b", "a"]),
        ("list", [], None),
        ("number", ["none", "3 ks"], 3),
        ("date", ["?", "1. května 2024"], "2024-05-01"),
        ("url", ["javascript:x", "../c.jpg"], "https://a.example/c.jpg"),
        ("url", ["mailto:a@b.example"], None),
        ("text", ["x" * 50_000], "x" * 20_000),
    ],
)
def test_a_field_has_the_first_value_of_its_type(type: str, texts: list[str], expected: FieldValue) -> None:
    rule = FieldRule(name="a", type=type, selectors=())
    assert read_value(rule, texts, "https://a.example/b/d") == expected


STRUCTURED = """[
{"@type": ["Product", "Thing"], "offers": [{"price": 3.5}, {"price": "4"}], "brand": {"@id": "#b"}},
{"@id": "#b", "@type": "Brand", "name": "Mlýn"},
{"@type": "Book", "isbn": "978", "isPartOf": {"isbn": "1"}}]"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("Product.offers.price", ["3.5", "4"]),
        ("Product.brand", ["Mlýn"]),
        ("Product.brand.name", ["Mlýn"]),
        ("*.isbn", ["978", "1"]),
        ("Book.isbn", ["978"]),
        ("Book.offers.price", []),
        ("Product.offers", []),
    ],
)
def test_paths_into_structured_data_go_through_lists_and_ids(path: str, expected: list[str]) -> None:
    page = PageTree(LexborHTMLParser(""), StructuredData([STRUCTURED]))
    assert compile_jsonld(path).select(page) == expected


@pytest.mark.parametrize("path", ["", "Product", "Product..price", "a b.c", "$.x", ".x", "A" + ".b" * 11])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    with pytest.raises(JsonldError):
        compile_jsonld(path)
