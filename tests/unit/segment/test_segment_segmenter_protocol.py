"""The messages, and how answers are read."""

import pytest

from tiptoe.errors import ProtocolError
from tiptoe.segment.segmenter_protocol import (
    REQUEST_BYTES_MAX,
    TEXT_CHARS_MAX,
    Rating,
    SubmittedText,
    TextBatch,
    cut_text,
    encode,
    read_ratings,
)


def test_an_answer_is_read_in_any_order_and_with_unknown_fields() -> None:
    body = b'{"more":1,"documents":[{"id":"b","usability":1,"x":[]},{"usability":0,"id":"a"},{"id":"c"}]}'
    assert read_ratings(body, ["a", "b", "c"]) == {
        "b": Rating("b", 1.0), "a": Rating("a", 0.0), "c": Rating("c", None),
    }  # fmt: skip


def test_annotations_may_be_plain_values_and_lists_of_them() -> None:
    body = (
        b'{"documents":[{"id":"a","usability":1,"annotations":{"n":1.5,"t":"x","b":true,"l":[1,"x",null]}}]}'
    )
    assert read_ratings(body, ["a"])["a"].annotations == {"n": 1.5, "t": "x", "b": True, "l": [1, "x", None]}


def test_a_rating_of_something_else_spoils_the_answer() -> None:
    with pytest.raises(ProtocolError, match="not asked about"):
        read_ratings(b'{"documents":[{"id":"a","usability":1},{"id":"z","usability":1}]}', ["a"])


@pytest.mark.parametrize("character", ["a", "č", "😀", '"', "\\", "\n"])
def test_the_longest_text_fits_into_a_request_whatever_it_is_made_of(character: str) -> None:
    text = cut_text([character * 600_000, character * 600_000])
    assert sum(map(len, text)) == TEXT_CHARS_MAX
    assert len(encode(TextBatch([SubmittedText("1", "", "", text)]))) < REQUEST_BYTES_MAX


def test_a_text_is_cut_at_its_end() -> None:
    assert cut_text(["a", "b"]) == ["a", "b"]
    assert cut_text(["a" * TEXT_CHARS_MAX, "b"]) == ["a" * TEXT_CHARS_MAX]
    assert cut_text(["a" * (TEXT_CHARS_MAX - 1), "bc", "d"])[1:] == ["b"]


def test_halves_of_characters_are_replaced() -> None:
    assert encode(TextBatch([SubmittedText("1", "", "", ["a\ud800b"])])) == (
        b'{"documents":[{"id":"1","url":"","language":"","paragraphs":["a?b"]}]}'
    )
