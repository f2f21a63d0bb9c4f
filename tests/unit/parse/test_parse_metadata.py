"""What a page declares about itself."""

import pytest

from tiptoe.parse.links import Element
from tiptoe.parse.metadata import DIRECTIVES_MAX, read_metadata, read_title


def meta(**attributes: str) -> Element:
    return ("meta", {name.replace("_", "-"): value for name, value in attributes.items()})


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ([("html", {"lang": "cs"}), meta(http_equiv="content-language", content="en")], "cs"),
        ([("html", {"lang": ""}), meta(http_equiv="Content-Language", content="sk, cs")], "sk"),
        ([("html", {"xml:lang": "en-IN"})], "en-IN"),
        ([meta(property="og:locale", content="cs_CZ")], "cs-CZ"),
        ([("html", {"lang": "{{ lang }}"})], None),
        ([("html", {"lang": "x" * 500})], None),
        ([], None),
    ],
)
def test_the_declared_language_is_the_nearest_that_can_be_read(
    elements: list[Element], expected: str | None
) -> None:
    """Templates leave their holes in the page."""
    assert read_metadata(elements, agent="tiptoe").language == expected


def test_directives_for_all_and_for_us_are_kept_as_written() -> None:
    """Another robot's directives are none of our business."""
    elements = [
        meta(name="ROBOTS", content=" NoIndex, follow"),
        meta(name="googlebot", content="none"),
        meta(name="TipToe", content="nofollow"),
        meta(name="robots"),
    ]
    assert read_metadata(elements, agent="tiptoe").directives == ["NoIndex, follow", "nofollow"]


def test_a_header_field_may_be_written_into_the_page() -> None:
    """Whoever cannot set up the server tries it there; the wish is the same."""
    elements = [("meta", {"http-equiv": "X-Robots-Tag", "content": "noindex"})]

    assert read_metadata(elements, agent="tiptoe").directives == ["noindex"]


def test_directives_are_bounded() -> None:
    elements = [meta(name="robots", content="x" * 5000)] * 100
    assert [len(one) for one in read_metadata(elements, agent="t").directives] == [1000] * DIRECTIVES_MAX


def test_the_reservation_is_read_when_it_says_something() -> None:
    assert read_metadata([meta(name="tdm-reservation", content="1")], agent="t").tdm_reservation is True
    assert read_metadata([meta(name="tdm-reservation", content="0")], agent="t").tdm_reservation is False
    assert read_metadata([meta(name="tdm-reservation", content="maybe")], agent="t").tdm_reservation is None


def test_what_describes_the_page_is_kept_by_name_and_bounded() -> None:
    """What it means is decided later, with what stands elsewhere on the page."""
    elements = [
        meta(property="og:description", content="shared"),
        meta(name="Description", content=" own\n one"),
        meta(itemprop="datePublished", content="2024-05-01"),
        meta(name="viewport", content="width=device-width"),
        *[meta(name="citation_author", content="x" * 9000)] * 100,
    ]
    named = read_metadata(elements, agent="t").named
    assert named.pop("citation_author") == ["x" * 5000] * 50
    assert named == {
        "og:description": ["shared"], "description": [" own\n one"], "datepublished": ["2024-05-01"],
    }  # fmt: skip


def test_an_empty_title_is_none() -> None:
    assert read_title(" \u200b\n") is None


def test_a_tag_may_be_called_differently_in_two_vocabularies() -> None:
    """Who writes `name=title property=og:title` speaks to two readers at once, and both should listen."""
    elements = [
        meta(name="title", property="og:title", content="The mill"),
        meta(name="x", property="robots", content="noindex"),
        meta(name="author", itemprop="author", content="Jan Novák"),
    ]
    found = read_metadata(elements, agent="tiptoe")
    assert found.named == {"og:title": ["The mill"], "author": ["Jan Novák"]}
    assert found.directives == ["noindex"]
