"""What a line of the corpus says of a page, beside its text."""

import pytest
from harvest_samples import make_answer

from tiptoe.decide.parsing import parse_point
from tiptoe.decide.storing import store_point
from tiptoe.fields.rule_book import RuleBook
from tiptoe.fields.rule_file import read_rules
from tiptoe.harvest.document import Reading, read_document
from tiptoe.harvest.line_metadata import metadata_fields
from tiptoe.write.corpus import MetadataSources

BOOK = RuleBook(read_rules('[[rule]]\nname = "a"\n[rule.fields]\nprice = "b"\nwho = "i"\n', "f").rules)


def read(
    html: str, url: str = "http://a.example/", *fields: tuple[str, str], book: RuleBook | None = None
) -> Reading:
    answer = make_answer(url, body=html.encode(), fields=[("Content-Type", "text/html"), *fields])
    return read_document(
        answer, None, agent="tiptoe", decoded_max=10**7, parse=parse_point(), store=store_point(),
        rule_book=book,
    )  # fmt: skip


def test_server_and_address_say_what_the_page_does_not() -> None:
    reading = read("<p>text", "http://a.example/2024/05/01/x", ("Content-Language", "cs"))
    fields = metadata_fields(reading.described)
    assert (reading.language, fields["published"]) == ("cs", "2024-05-01")
    assert fields["sources"] == MetadataSources(language="header", published="url")


def test_the_page_is_stronger_than_what_is_around_it() -> None:
    page = '<html lang=sk><meta name=date content="2020-02-03"><p>text'
    reading = read(page, "http://a.example/2024/05/01/x", ("Content-Language", "cs"))
    assert (reading.language, metadata_fields(reading.described)["published"]) == ("sk", "2020-02-03")


def test_a_license_on_the_same_site_gets_its_whole_address() -> None:
    reading = read('<p>text <a rel=license href="/terms">terms</a>')
    assert metadata_fields(reading.described)["license"] == "http://a.example/terms"
    assert metadata_fields(None) == {}


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>It costs <b>three</b>.", {"price": "three", "who": None}),
        ("<b>1</b>" * 20_000, {"price": None, "who": None}),  # cannot be parsed in bounded time
        ("<div><template shadowrootmode=open><b>open</b></template></div>", {"price": "open", "who": None}),
    ],
)
def test_fields_are_read_off_the_tree_of_the_page(html: str, expected: dict[str, str | None]) -> None:
    reading = read(html, book=BOOK)
    assert reading.fields == expected
    assert reading.costly_rules == []
    assert read(html).fields is None
