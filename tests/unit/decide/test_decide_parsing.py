"""The decision point `parse`: what is read."""

import pytest

from tiptoe.decide.discard import Discard
from tiptoe.decide.parsing import ReceivedAnswer, parse_point

URL = "http://a.example/x"


@pytest.mark.parametrize("media_type", ["image/png", "audio/mpeg", "video/mp4", "font/woff2"])
def test_pictures_sound_film_and_fonts_are_not_read(media_type: str) -> None:
    assert parse_point().refusal(ReceivedAnswer(URL, media_type)) is Discard.NOT_HTML


@pytest.mark.parametrize("media_type", ["text/html", "application/pdf", "", "imaginary/x"])
def test_what_may_hold_text_is_read(media_type: str) -> None:
    """What nobody has named may be a page all the same."""
    assert parse_point().refusal(ReceivedAnswer(URL, media_type)) is None


def test_documents_are_refused_where_none_are_converted() -> None:
    document = ReceivedAnswer(URL, "application/pdf", document="pdf")
    assert parse_point().refusal(document) is None
    assert parse_point(documents=()).refusal(document) is Discard.NOT_HTML
    assert parse_point(documents=()).refusal(ReceivedAnswer(URL, "text/html")) is None


def test_documents_of_other_kinds_than_the_wanted_are_refused() -> None:
    """By what they are, whatever their server says."""
    point = parse_point(documents=["pdf", "epub"])
    assert point.refusal(ReceivedAnswer(URL, "application/msword", document="pdf")) is None
    assert point.refusal(ReceivedAnswer(URL, "application/pdf", document="doc")) is Discard.NOT_HTML
