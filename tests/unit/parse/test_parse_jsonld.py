"""Structured data, as pages write it and as nobody should."""

import json
import time

from tiptoe.parse.jsonld import DEPTH_MAX, NODES_MAX, StructuredData, types_of


def test_objects_are_found_wherever_they_are() -> None:
    data = StructuredData(['{"@graph": [{"@type": "WebPage"}, {"author": {"name": "A"}}]}', "[1, 2]"])
    assert [node for node in data.nodes if "@graph" not in node] == [
        {"@type": "WebPage"}, {"author": {"name": "A"}}, {"name": "A"},
    ]  # fmt: skip


def test_an_object_that_is_only_pointed_to_is_found_by_its_id() -> None:
    data = StructuredData([
        '{"@type": "Article", "author": [{"@id": "#a"}, {"@id": "#nobody"}]}',
        '{"@id": "#a", "@type": "Person", "name": "Jan"}',
    ])  # fmt: skip
    names = list(data.each(data.nodes[0]["author"]))
    assert names == [{"@id": "#a", "@type": "Person", "name": "Jan"}, {"@id": "#nobody"}]


def test_the_usual_mistakes_are_forgiven() -> None:
    """A comma too many must not cost a page its author."""
    for text in (
        '<!-- {"a": 1} -->',
        '//<![CDATA[\n{"a": 1}\n//]]>',
        '{"a": 1,}',
        '{"a": 1};',
        '{"a": 1, "b": "two\nlines"}',
    ):
        assert StructuredData([text]).nodes[0]["a"] == 1, text


def test_what_is_no_json_is_nothing() -> None:
    for text in ("", "{", "var a = 1", "[" * 200_000, '{"a":' * 50_000, "\ud800", "NaN", '"text"', "null"):
        assert not StructuredData([text]), text[:20]


def test_types_are_told_without_their_vocabulary() -> None:
    assert types_of({"@type": ["https://schema.org/NewsArticle", "schema:Thing", 7]}) == [
        "NewsArticle",
        "Thing",
    ]
    assert types_of({}) == []


def test_size_and_depth_are_bounded() -> None:
    """What a page sends must not fill the memory, nor take long."""
    began = time.process_time()
    many = StructuredData([json.dumps([{"a": number} for number in range(2 * NODES_MAX)])])
    deep = StructuredData([json.dumps([{"a": None}]).replace("null", '{"a":' * 100 + "1" + "}" * 100)])
    assert len(many.nodes) <= NODES_MAX
    assert len(deep.nodes) <= DEPTH_MAX
    assert not StructuredData([json.dumps({"a": "x" * 400_000})])
    assert not StructuredData([" " * 250_000 + "," + " " * 40_000 + "x"])
    assert time.process_time() - began < 2.0
